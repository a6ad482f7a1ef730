//! Compressed inputs: recognised by their first bytes, unpacked while they are read.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use lz4_flex::frame::FrameDecoder;

/// How an input is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
    Lz4,
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
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bzip2),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// A decoder that goes on with the next member where one ends, and allocates what it needs for its
    /// window at the most, whatever the data asks for.
    fn decoder<'r>(self, packed: BufReader<Metered<'r>>) -> io::Result<Box<dyn Read + Send + 'r>> {
        Ok(match self {
            Self::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(packed)),
            // Its own limit of the window is 128 MiB.
            Self::Zstd => Box::new(zstd::Decoder::with_buffer(packed)?),
            Self::Lz4 => Box::new(Lz4Frames(Some(FrameDecoder::new(packed)))),
            Self::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(packed)),
            Self::Xz => {
                use liblzma::stream::{CONCATENATED, Stream};
                let stream = Stream::new_stream_decoder(XZ_MEMORY, CONCATENATED)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(packed, stream))
            }
        })
    }
}

/// Twice what `xz -9` needs.
const XZ_MEMORY: u64 = 128 << 20;
/// Compressed bytes that are read at a time.
const PACKED_BYTES: usize = 64 << 10;
/// Bytes that a decoder makes at a time. It gives none of them when it fails, so this much is lost in
/// front of a damage.
const STEP_BYTES: usize = 16 << 10;

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
        Self { free_bytes: 1 << 30, ratio: 2000 }
    }
}

/// Why no more came out of a compressed input before its end: empty as long as all is well.
pub(crate) type Trouble = Arc<OnceLock<String>>;

/// What a compressed input holds. It ends where the data is damaged, and says so in its `Trouble`.
pub(crate) struct Unpacked<'r> {
    packing: Packing,
    decoder: Box<dyn Read + Send + 'r>,
    meter: Arc<Meter>,
    limit: Expansion,
    made: u64,
    trouble: Trouble,
}

impl<'r> Unpacked<'r> {
    pub(crate) fn new(
        packing: Packing,
        packed: impl Read + Send + 'r,
        limit: Expansion,
        trouble: Trouble,
    ) -> io::Result<Self> {
        let meter = Arc::new(Meter::default());
        let packed = Metered { reader: Box::new(packed), meter: Arc::clone(&meter) };
        let decoder = packing.decoder(BufReader::with_capacity(PACKED_BYTES, packed))?;
        Ok(Self { packing, decoder, meter, limit, made: 0, trouble })
    }

    fn end(&self, why: String) -> usize {
        // The first trouble stays; there is no second one.
        let _ = self.trouble.set(why);
        0
    }
}

impl Read for Unpacked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.trouble.get().is_some() {
            return Ok(0);
        }
        let step = buffer.len().min(STEP_BYTES);
        let name = self.packing.name();
        match self.decoder.read(buffer.get_mut(..step).unwrap_or_default()) {
            Ok(made) => {
                self.made += made as u64;
                let packed = self.meter.bytes.load(Ordering::Relaxed);
                if self.limit.allows(self.made, packed) {
                    return Ok(made);
                }
                Ok(self.end(format!(
                    "{packed} bytes of {name} data grew to more than {} times as many; if that is meant, \
                     unpack them first",
                    self.limit.ratio
                )))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) if self.meter.has_failed.load(Ordering::Relaxed) => Err(error),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                Ok(self.end(format!("the {name} data ends too early")))
            }
            Err(error) => Ok(self.end(format!("the {name} data is damaged ({error})"))),
        }
    }
}

/// What is known of the compressed side.
#[derive(Debug, Default)]
struct Meter {
    bytes: AtomicU64,
    has_failed: AtomicBool,
}

/// Counts bytes, tells a failure to read from damage, and fills every buffer to its end, so that a pipe
/// that brings little at a time changes nothing.
struct Metered<'r> {
    reader: Box<dyn Read + Send + 'r>,
    meter: Arc<Meter>,
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
                    self.meter.has_failed.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        self.meter.bytes.fetch_add(filled as u64, Ordering::Relaxed);
        Ok(filled)
    }
}

/// LZ4 frames, one behind the other. Each has a decoder of its own: one that goes on with a frame of
/// another block size panics. `None` after a failure only.
struct Lz4Frames<R: Read>(Option<FrameDecoder<R>>);

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let read = decoder.read(buffer)?;
            if read > 0 || buffer.is_empty() || decoder.get_mut().fill_buf()?.is_empty() {
                return Ok(read);
            }
            self.0 = self.0.take().map(|decoder| FrameDecoder::new(decoder.into_inner()));
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
            let trouble = Trouble::default();
            let mut unpacked =
                Unpacked::new(Packing::Gzip, packed.as_slice(), limit, Arc::clone(&trouble)).unwrap();
            let made = io::copy(&mut unpacked, &mut io::sink()).unwrap();
            (made, trouble.get().cloned())
        };
        assert_eq!(unpack(Expansion::default()), (4 << 20, None));
        assert_eq!(unpack(Expansion { free_bytes: 0, ratio: 1100 }), (4 << 20, None));
        let (made, trouble) = unpack(Expansion { free_bytes: 1 << 20, ratio: 10 });
        assert!(made <= 1 << 20, "{made}");
        assert!(trouble.unwrap().contains("10 times"));
    }

    #[test]
    fn a_failure_to_read_is_no_damage() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("disk on fire"))
            }
        }
        for packing in [Packing::Gzip, Packing::Zstd, Packing::Lz4, Packing::Bzip2, Packing::Xz] {
            let trouble = Trouble::default();
            let mut unpacked =
                Unpacked::new(packing, Fails, Expansion::default(), Arc::clone(&trouble)).unwrap();
            let error = unpacked.read(&mut [0; 9]).unwrap_err();
            assert!(error.to_string().contains("fire"), "{packing:?}: {error}");
            assert_eq!(trouble.get(), None);
        }
    }
}
