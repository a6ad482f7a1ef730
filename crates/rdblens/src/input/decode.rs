//! Compressed inputs: recognised by their first bytes, unpacked while they are read.

use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder;

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    Lz4,
    /// As `lz4 -l` writes it, and programs of before 2013.
    Lz4Legacy,
    Bzip2,
    Xz,
}

impl Packing {
    /// How many first bytes tell.
    pub(crate) const MAGIC_BYTES: usize = 6;

    /// What these first bytes say.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            // The second is a frame to be skipped, with which the output of pzstd starts.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Self::Lz4),
            [0x02, 0x21, 0x4c, 0x18, ..] => Some(Self::Lz4Legacy),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 | Self::Lz4Legacy => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// A decoder that goes on with the next member where one ends, and allocates what it needs for its
    /// window at the most, whatever the data asks for.
    fn decoder<'r>(self, packed: BufReader<Metered<'r>>) -> io::Result<Box<dyn Read + Send + 'r>> {
        Ok(match self {
            Self::Gzip => Box::new(GzipMembers(Some(GzDecoder::new(packed)))),
            Self::Zstd => Box::new(zstd::Decoder::with_buffer(packed)?),
            Self::Lz4 => Box::new(Lz4Frames(Some(FrameDecoder::new(Endless(packed))))),
            Self::Lz4Legacy => Box::new(Lz4Blocks::new(packed)),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
            Self::Xz => {
                use liblzma::stream::{CONCATENATED, Stream};
                let stream = Stream::new_stream_decoder(DECODER_MEMORY, CONCATENATED)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(packed, stream))
            }
        })
    }
}

/// Memory that the data may ask for: twice what `xz -9` does, and what zstd takes for its limit itself.
const DECODER_MEMORY: u64 = 128 << 20;
/// Compressed bytes that are read at a time.
const PACKED_BYTES: usize = 64 << 10;
/// Bytes that a decoder makes at a time, whatever its reader asks for. It gives none of them when it
/// fails, so this much is lost in front of a damage.
const STEP_BYTES: usize = 4 << 10;

/// How much may come out of how little.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expansion {
    /// As many bytes may come out of anything.
    pub free_bytes: u64,
    /// More than these only if they are no more than so many times the compressed bytes.
    pub ratio: u64,
}

impl Expansion {
    fn allows(self, made: u64, packed: u64) -> bool {
        made <= self.free_bytes || made <= packed.saturating_mul(self.ratio)
    }
}

impl Default for Expansion {
    /// More than gzip can ever do, and far more than snapshots of different keys do.
    fn default() -> Self {
        Self { free_bytes: 256 << 20, ratio: 2000 }
    }
}

/// How the unpacking of one input is doing; clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unpacking(Arc<State>);

#[derive(Debug, Default)]
struct State {
    packed_bytes: AtomicU64,
    /// Whether the compressed bytes could not be read.
    has_failed: AtomicBool,
    trouble: OnceLock<String>,
    /// How many bytes follow the last member that are none.
    tail_bytes: AtomicU64,
}

impl Unpacking {
    /// How many compressed bytes were read.
    pub(crate) fn packed_bytes(&self) -> u64 {
        self.0.packed_bytes.load(Ordering::Relaxed)
    }

    /// How many bytes follow the compressed data.
    pub(crate) fn tail_bytes(&self) -> u64 {
        self.0.tail_bytes.load(Ordering::Relaxed)
    }

    /// Why no more came out before the end, if that is so.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.0.trouble.get().cloned()
    }
}

/// What a compressed input holds. It ends where the data is damaged, and says so in its [`Unpacking`].
pub(crate) struct Unpacked<'r> {
    packing: Packing,
    decoder: Box<dyn Read + Send + 'r>,
    limit: Expansion,
    made: u64,
    /// The last step, and what of it was not read yet.
    step: Vec<u8>,
    unread: Range<usize>,
    state: Unpacking,
}

impl<'r> Unpacked<'r> {
    pub(crate) fn new(
        packing: Packing,
        packed: impl Read + Send + 'r,
        limit: Expansion,
        state: &Unpacking,
    ) -> io::Result<Self> {
        let packed = Metered { reader: Box::new(packed), state: state.clone() };
        let decoder = packing.decoder(BufReader::with_capacity(PACKED_BYTES, packed))?;
        let step = vec![0; STEP_BYTES];
        Ok(Self { packing, decoder, limit, made: 0, step, unread: 0..0, state: state.clone() })
    }

    fn end(&self, why: String) -> usize {
        // The first trouble stays; there is no second one.
        let _ = self.state.0.trouble.set(why);
        0
    }

    /// Makes the next bytes. Returns how many; none at the end.
    fn decode(&mut self) -> io::Result<usize> {
        if self.state.0.trouble.get().is_some() {
            return Ok(0);
        }
        let name = self.packing.name();
        match self.decoder.read(&mut self.step) {
            Ok(made) => {
                self.made += made as u64;
                let packed = self.state.packed_bytes();
                if self.limit.allows(self.made, packed) {
                    return Ok(made);
                }
                Ok(self.end(format!(
                    "{packed} bytes of {name} data grew to more than {} times as many; if that is meant, \
                     allow for more with --max-expansion",
                    self.limit.ratio
                )))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if self.state.0.has_failed.load(Ordering::Relaxed) => Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(self.end(format!("the {name} data ends too early")))
            }
            // In the words of their libraries, which have no common kind for it.
            Err(error) if error.to_string().to_ascii_lowercase().contains("mem") => Ok(self.end(format!(
                "the {name} data asks for more than {} MiB of memory; unpack it first",
                DECODER_MEMORY >> 20
            ))),
            Err(error) => Ok(self.end(format!("the {name} data is damaged ({error})"))),
        }
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unread.is_empty() {
            self.unread = 0..self.decode()?;
        }
        let read = self.step.get(self.unread.clone()).unwrap_or_default().read(buffer)?;
        self.unread.start += read;
        Ok(read)
    }
}

/// Counts bytes, tells a failure to read from damage, and fills every buffer to its end, so that a pipe
/// that brings little at a time changes nothing.
struct Metered<'r> {
    reader: Box<dyn Read + Send + 'r>,
    state: Unpacking,
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.reader.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.state.0.has_failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        self.state.0.packed_bytes.fetch_add(filled as u64, Ordering::Relaxed);
        Ok(filled)
    }
}

/// Members of gzip, one behind the other. Each has a decoder of its own, so that what follows the last can be
/// told from a member that is damaged. `None` at the end.
struct GzipMembers<'r>(Option<GzDecoder<BufReader<Metered<'r>>>>);

impl Read for GzipMembers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let has_another = match decoder.get_mut().fill_buf()? {
                [] => false,
                [first] => *first == 0x1f,
                [first, second, ..] => [*first, *second] == [0x1f, 0x8b],
            };
            let Some(mut packed) = self.0.take().map(GzDecoder::into_inner) else { break };
            if has_another {
                self.0 = Some(GzDecoder::new(packed));
            } else {
                // Zeros of a tape or a block device, most often. gzip(1) passes over them as well.
                let tail = io::copy(&mut packed, &mut io::sink())?;
                packed.get_ref().state.0.tail_bytes.store(tail, Ordering::Relaxed);
            }
        }
        Ok(0)
    }
}

/// LZ4 data in its first form: a magic, and blocks that make 8 MiB each, the last one less. Nothing says that
/// the data ends. Source: `doc/lz4_Frame_format.md` of LZ4 1.9, "Legacy frame".
struct Lz4Blocks<R> {
    packed: R,
    block: Vec<u8>,
    made: Vec<u8>,
    unread: Range<usize>,
}

impl<R: BufRead> Lz4Blocks<R> {
    const MAGIC: u32 = 0x184c_2102;
    const BLOCK_BYTES: usize = 8 << 20;

    fn new(packed: R) -> Self {
        Self { packed, block: Vec::new(), made: Vec::new(), unread: 0..0 }
    }

    /// Unpacks the next block. Returns whether there is one.
    fn next_block(&mut self) -> io::Result<bool> {
        let size = loop {
            if self.packed.fill_buf()?.is_empty() {
                return Ok(false);
            }
            let mut size = [0; 4];
            self.packed.read_exact(&mut size)?;
            // In front of the first block, and of one that another run of the program has appended.
            match u32::from_le_bytes(size) {
                Self::MAGIC => {}
                size => break size as usize,
            }
        };
        if size > lz4_flex::block::get_maximum_output_size(Self::BLOCK_BYTES) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a block of {size} bytes")));
        }
        self.block.clear();
        let read = self.packed.by_ref().take(size as u64).read_to_end(&mut self.block)?;
        if read < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.made.resize(Self::BLOCK_BYTES, 0);
        let made = lz4_flex::block::decompress_into(&self.block, &mut self.made)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        self.unread = 0..made;
        Ok(true)
    }
}

impl<R: BufRead> Read for Lz4Blocks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.unread.is_empty() && !buffer.is_empty() {
            if !self.next_block()? {
                return Ok(0);
            }
        }
        let read = self.made.get(self.unread.clone()).unwrap_or_default().read(buffer)?;
        self.unread.start += read;
        Ok(read)
    }
}

/// LZ4 frames, one behind the other. Each has a decoder of its own: one that goes on with a frame of
/// another block size panics. `None` at the end.
struct Lz4Frames<R: BufRead>(Option<FrameDecoder<Endless<R>>>);

/// A reader that must not end: the decoder of frames takes an end between two blocks for a good one.
struct Endless<R>(R);

impl<R: BufRead> Read for Endless<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.fill_buf()?.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it ends too early"));
        }
        self.0.read(buffer)
    }
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let has_ended = decoder.get_mut().0.fill_buf()?.is_empty();
            let next = |decoder: FrameDecoder<_>| FrameDecoder::new(decoder.into_inner());
            self.0 = self.0.take().filter(|_| !has_ended).map(next);
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_grows_too_much_ends_there() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&vec![0; 4 << 20]).unwrap();
        let packed = encoder.finish().unwrap();
        let unpack = |limit| {
            let state = Unpacking::default();
            let mut unpacked = Unpacked::new(Packing::Gzip, packed.as_slice(), limit, &state).unwrap();
            let made = io::copy(&mut unpacked, &mut io::sink()).unwrap();
            (made, state.trouble())
        };
        assert_eq!(unpack(Expansion::default()), (4 << 20, None));
        assert_eq!(unpack(Expansion { free_bytes: 0, ratio: 1100 }), (4 << 20, None));
        let (made, trouble) = unpack(Expansion { free_bytes: 1 << 20, ratio: 10 });
        assert!(made <= 1 << 20, "{made}");
        assert!(trouble.unwrap().contains("10 times"));
    }

    const ALL: [Packing; 6] =
        [Packing::Gzip, Packing::Zstd, Packing::Lz4, Packing::Lz4Legacy, Packing::Bzip2, Packing::Xz];

    fn pack(packing: Packing, bytes: &[u8]) -> Vec<u8> {
        let mut packed = Vec::new();
        match packing {
            Packing::Gzip => {
                let mut encoder = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
                encoder.read_to_end(&mut packed).unwrap();
            }
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(&mut packed, 1).unwrap();
                encoder.include_checksum(true).unwrap();
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap();
            }
            Packing::Lz4 => {
                let info = lz4_flex::frame::FrameInfo::new().content_checksum(true);
                let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, &mut packed);
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap();
            }
            Packing::Lz4Legacy => {
                packed.extend(Lz4Blocks::<&[u8]>::MAGIC.to_le_bytes());
                for block in bytes.chunks(Lz4Blocks::<&[u8]>::BLOCK_BYTES) {
                    let block = lz4_flex::block::compress(block);
                    packed.extend((block.len() as u32).to_le_bytes());
                    packed.extend(block);
                }
            }
            Packing::Bzip2 => {
                let mut encoder = bzip2::read::BzEncoder::new(bytes, bzip2::Compression::fast());
                encoder.read_to_end(&mut packed).unwrap();
            }
            Packing::Xz => {
                let mut encoder = liblzma::read::XzEncoder::new(bytes, 0);
                encoder.read_to_end(&mut packed).unwrap();
            }
        }
        packed
    }

    fn unpack(packing: Packing, packed: &[u8]) -> (Vec<u8>, Option<String>) {
        let state = Unpacking::default();
        let mut unpacked = Unpacked::new(packing, packed, Expansion::default(), &state).unwrap();
        let mut bytes = Vec::new();
        unpacked.read_to_end(&mut bytes).unwrap();
        assert_eq!(unpacked.read(&mut [0; 9]).unwrap(), 0, "an end is an end");
        (bytes, state.trouble())
    }

    /// Numbers in text, which all of them compress, over several blocks of LZ4.
    fn sample() -> Vec<u8> {
        (0..20_000u32).flat_map(|n| n.wrapping_mul(0x9e37_79b1).to_string().into_bytes()).collect()
    }

    #[test]
    fn no_end_that_comes_too_early_passes_for_a_good_one() {
        let sample = sample();
        for packing in ALL {
            let packed = pack(packing, &sample);
            assert_eq!(Packing::of(&packed), Some(packing));
            assert_eq!(unpack(packing, &packed), (sample.clone(), None), "{packing:?}");
            let small = pack(packing, &sample[..50]);
            for (packed, step) in [(packed, 997), (small, 1)] {
                for len in (Packing::MAGIC_BYTES..packed.len()).step_by(step) {
                    let (bytes, trouble) = unpack(packing, &packed[..len]);
                    assert!(sample.starts_with(&bytes), "{packing:?} cut at {len}");
                    assert!(trouble.is_some(), "{packing:?} cut at {len}");
                }
            }
            // An LZ4 frame cut between two blocks: behind its header and one block.
            if packing == Packing::Lz4 {
                let packed = pack(packing, &sample);
                let len = u32::from_le_bytes(packed[7..11].try_into().unwrap()) & 0x7fff_ffff;
                assert!(unpack(packing, &packed[..11 + len as usize]).1.is_some());
            }
        }
    }

    #[test]
    fn no_changed_byte_makes_a_decoder_panic() {
        let sample = &sample()[..3000];
        for packing in ALL {
            let packed = pack(packing, sample);
            for at in 0..packed.len() {
                for change in [0x01, 0x80, 0xff] {
                    let mut damaged = packed.clone();
                    damaged[at] ^= change;
                    let (bytes, trouble) = unpack(packing, &damaged);
                    // The old form of LZ4 has no checksum.
                    let is_told = trouble.is_some() || packing == Packing::Lz4Legacy;
                    assert!(is_told || bytes == sample, "{packing:?}: {change:x} at {at}");
                }
            }
        }
    }

    /// A file and a pipe are read in other portions, and must lose as much in front of a damage.
    #[test]
    fn what_damage_leaves_does_not_depend_on_the_reader() {
        let sample = sample();
        for packing in ALL {
            let packed = pack(packing, &sample);
            for part in 1..20 {
                let mut damaged = packed.clone();
                damaged[packed.len() * part / 20] ^= 0x10;
                let by = |portion: usize| {
                    let state = Unpacking::default();
                    let unpacked =
                        Unpacked::new(packing, damaged.as_slice(), Expansion::default(), &state).unwrap();
                    let mut bytes = Vec::new();
                    let mut reader = BufReader::with_capacity(portion, unpacked);
                    while let portion @ [_, ..] = reader.fill_buf().unwrap() {
                        bytes.extend_from_slice(portion);
                        let len = portion.len();
                        reader.consume(len);
                    }
                    (bytes, state.trouble())
                };
                let whole = by(1 << 20);
                for portion in [1000, 5000, 16 << 10, 60_000] {
                    assert!(by(portion) == whole, "{packing:?} damaged at {part}/20, read by {portion}");
                }
            }
        }
    }

    #[test]
    fn what_asks_for_too_much_memory_is_refused() {
        let sample = sample();
        let mut long = zstd::Encoder::new(Vec::new(), 1).unwrap();
        long.window_log(30).unwrap();
        long.write_all(&sample).unwrap();
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        let mut filters = liblzma::stream::Filters::new();
        filters.lzma2(options.dict_size(1 << 28));
        let stream = liblzma::stream::Stream::new_stream_encoder(&filters, liblzma::stream::Check::Crc32);
        let mut large = Vec::new();
        liblzma::read::XzEncoder::new_stream(sample.as_slice(), stream.unwrap())
            .read_to_end(&mut large)
            .unwrap();
        for (packing, packed) in [(Packing::Zstd, long.finish().unwrap()), (Packing::Xz, large)] {
            let (bytes, trouble) = unpack(packing, &packed);
            assert!(bytes.is_empty() && trouble.unwrap().contains("128 MiB"), "{packing:?}");
        }
    }

    #[test]
    fn a_failure_to_read_is_no_damage() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk on fire"))
            }
        }
        for packing in ALL {
            let state = Unpacking::default();
            let mut unpacked = Unpacked::new(packing, Fails, Expansion::default(), &state).unwrap();
            let error = unpacked.read(&mut [0; 9]).unwrap_err();
            assert!(error.to_string().contains("fire"), "{packing:?}: {error}");
            assert_eq!(state.trouble(), None);
        }
    }
}
