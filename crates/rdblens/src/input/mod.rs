//! Opening inputs. The mapping of a file is the only unsafe code, with what `interrupt.rs` does should it shrink.

mod aof;
mod capture;
mod decode;
mod payload;
mod quoted;

use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use anyhow::{Context, bail};
use memmap2::Mmap;
use rdb_analysis::{Coverage, Progress, Source, Warning};
use rdb_parser::Payload;

use self::aof::Manifest;
use self::capture::Frame;
pub(crate) use self::decode::Expansion;
use self::decode::{Packing, Unpacked, Unpacking};
use self::payload::Printed;
use crate::args::SourceArgs;
use crate::exit::UsageError;
use crate::progress::Bar;

/// An opened input.
pub(crate) struct Input {
    /// As it was named.
    pub name: String,
    /// When the file was last changed, in milliseconds since 1970.
    pub modified_ms: Option<i64>,
    /// The file that is read first, then those that belong to it.
    identities: Vec<Identity>,
    bytes: Bytes,
    manner: Manner,
    /// A copy of what cannot be mapped, for looking back and forth in it.
    spooled: OnceLock<Spooled>,
    /// Bytes of commands in the increments of an append-only directory.
    increments: u64,
    expansion: Expansion,
    /// If it is an answer of DUMP.
    answer: Option<Answer>,
}

/// An answer of DUMP. What stands at its end comes first, so all of it is read at once.
struct Answer {
    key: &'static [u8],
    read: OnceLock<ReadAnswer>,
}

struct ReadAnswer {
    /// Its bytes, unless they are those of a mapped file.
    held: Option<Vec<u8>>,
    /// How many of them are the answer.
    len: usize,
    printed: Printed,
    unpacking: Unpacking,
}

/// How an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// From its start to its end, as its bytes come.
    Once,
    /// All of it is there.
    Whole,
    /// All of it is there, and reading goes on behind damage.
    Salvage,
}

/// The bytes of an input, ready to be scanned.
pub(crate) struct Opened<'i> {
    pub source: Source<'i>,
    /// What a replication capture says of the end of the data.
    frame: Option<Frame>,
    /// How a compressed input is doing.
    unpacking: Unpacking,
    printed: Printed,
}

/// Which file it is, whatever its name.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }
}

enum Bytes {
    Mapped(Mmap),
    File(File),
    Stdin,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, args: &SourceArgs) -> anyhow::Result<Self> {
        let mut input = Self::open_path(path, args.dump_payload.is_some())?;
        input.expansion = args.expansion();
        input.manner = if args.salvage { Manner::Salvage } else { Manner::Once };
        input.answer = args.dump_payload.as_ref().map(|given| Answer {
            key: payload::key_name(given.as_encoded_bytes(), path),
            read: OnceLock::new(),
        });
        Ok(input)
    }

    fn open_path(path: &Path, is_answer: bool) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            return Ok(Self::new("stdin".to_owned(), Bytes::Stdin));
        }
        if is_answer {
            return Self::open_file(name, path);
        }
        let metadata = fs::metadata(path).with_context(|| format!("cannot open {name}"))?;
        if metadata.is_dir() {
            return Self::open_aof(name, &aof::manifest_in(path)?);
        }
        let input = Self::open_file(name, path)?;
        if input.start().is_some_and(Manifest::starts) || aof::has_name_of_manifest(path) {
            return Self::open_aof(input.name, path);
        }
        Ok(input)
    }

    fn new(name: String, bytes: Bytes) -> Self {
        Self {
            name,
            modified_ms: None,
            identities: Vec::new(),
            bytes,
            manner: Manner::Once,
            spooled: OnceLock::new(),
            increments: 0,
            expansion: Expansion::default(),
            answer: None,
        }
    }

    /// Opens the base of an append-only directory.
    fn open_aof(name: String, manifest_path: &Path) -> anyhow::Result<Self> {
        let manifest = Manifest::read(manifest_path)?;
        let folder = manifest_path.parent().unwrap_or(Path::new(""));
        let Some(base) = manifest.base else {
            bail!("{name} has no base file: all its data stands in commands, which are not read");
        };
        let mut input = Self::open_file(name, &folder.join(&base))?;
        let base = base.display();
        if input.start().is_some_and(|start| start.starts_with(b"*") || start.starts_with(b"#")) {
            bail!(
                "the base of {} is {base}, which has commands only, and no RDB data \
                 (aof-use-rdb-preamble no)",
                input.name
            );
        }
        for increment in &manifest.increments {
            let metadata = fs::metadata(folder.join(increment)).with_context(|| {
                format!(
                    "cannot look at {}, an increment of {}; {base} can be read alone",
                    increment.display(),
                    input.name
                )
            })?;
            input.increments += metadata.len();
            input.identities.push(Identity::of(&metadata));
        }
        Ok(input)
    }

    fn open_file(name: String, path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let metadata = file.metadata().with_context(|| format!("cannot look at {}", path.display()))?;
        let modified_ms = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_millis()).ok());
        let bytes = match map(&file, metadata.is_file(), metadata.len()) {
            Some(bytes) => bytes,
            None => Bytes::File(file),
        };
        Ok(Self { modified_ms, identities: vec![Identity::of(&metadata)], ..Self::new(name, bytes) })
    }

    /// How its bytes start, if that can be seen without consuming them.
    fn start(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map),
            Bytes::File(_) | Bytes::Stdin => None,
        }
    }

    /// Whether it is standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        matches!(self.bytes, Bytes::Stdin)
    }

    /// Refuses to write over what is being read.
    pub(crate) fn refuse_as_output(inputs: &[Self], output: &Path) -> anyhow::Result<()> {
        let Ok(metadata) = fs::metadata(output) else { return Ok(()) };
        let identity = Identity::of(&metadata);
        match inputs.iter().find(|input| metadata.is_file() && input.identities.contains(&identity)) {
            Some(input) => {
                let message = format!("{} is the input {}; write elsewhere", output.display(), input.name);
                Err(UsageError(message).into())
            }
            None => Ok(()),
        }
    }

    /// Opens all of them, so that a wrong name is told before any work is done.
    pub(crate) fn open_all(args: &SourceArgs) -> anyhow::Result<Vec<Self>> {
        if args.inputs.iter().filter(|path| *path == Path::new("-")).count() > 1 {
            return Err(UsageError("standard input can be read once only".to_owned()).into());
        }
        let paths = expand(&args.inputs)?;
        let inputs = paths.iter().map(|path| Self::open(path, args)).collect::<anyhow::Result<Vec<_>>>()?;
        for (at, input) in inputs.iter().enumerate() {
            let earlier = inputs.iter().take(at).find(|earlier| {
                input.identities.first().is_some_and(|file| earlier.identities.contains(file))
            });
            if let Some(earlier) = earlier {
                let message =
                    format!("{} and {} are one file; shards are read once", earlier.name, input.name);
                return Err(UsageError(message).into());
            }
        }
        Ok(inputs)
    }

    /// From now on all of it must be there.
    pub(crate) fn hold(&mut self) {
        if self.manner == Manner::Once {
            self.manner = Manner::Whole;
        }
    }

    /// Where its bytes come from.
    pub(crate) fn source(&self) -> io::Result<Opened<'_>> {
        if let Some(answer) = &self.answer {
            return self.source_of(answer);
        }
        if let Some(spooled) = self.spooled.get() {
            return spooled.open(self.manner);
        }
        let unpacking = Unpacking::default();
        match self.raw(&unpacking)? {
            Raw::Read(reader) if self.manner == Manner::Once => Opened::of(Source::stream(reader), unpacking),
            Raw::Read(reader) => {
                let spooled = Spooled::of(reader, unpacking)?;
                self.spooled.get_or_init(|| spooled).open(self.manner)
            }
            Raw::Whole(bytes) => Opened::of(self.manner.of(bytes), unpacking),
        }
    }

    fn source_of<'i>(&'i self, answer: &'i Answer) -> io::Result<Opened<'i>> {
        let read = match answer.read.get() {
            Some(read) => read,
            None => {
                let read = self.read_answer()?;
                answer.read.get_or_init(|| read)
            }
        };
        let bytes = match (&read.held, &self.bytes) {
            (Some(held), _) => held,
            (None, Bytes::Mapped(map)) => &map[..],
            (None, _) => &[],
        };
        let bytes = bytes.get(..read.len).unwrap_or(bytes);
        Ok(Opened {
            source: Source::Payload(bytes, Payload::of(bytes, answer.key)),
            frame: None,
            unpacking: read.unpacking.clone(),
            printed: read.printed,
        })
    }

    fn read_answer(&self) -> io::Result<ReadAnswer> {
        let unpacking = Unpacking::default();
        let (whole, held) = match self.raw(&unpacking)? {
            Raw::Whole(bytes) => (bytes, None),
            Raw::Read(reader) => (&[][..], Some(payload::read(reader)?)),
        };
        let (bare, printed) = payload::bare(held.as_deref().unwrap_or(whole));
        let len = bare.len();
        let held = match bare {
            Cow::Owned(answer) => Some(answer),
            Cow::Borrowed(_) => held,
        };
        Ok(ReadAnswer { held, len, printed, unpacking })
    }

    /// Its bytes as they are, or as they are unpacked.
    fn raw(&self, unpacking: &Unpacking) -> io::Result<Raw<'_>> {
        match &self.bytes {
            Bytes::Mapped(map) => match Packing::of(map) {
                None => Ok(Raw::Whole(map)),
                Some(packing) => self.unpacked(packing, &map[..], unpacking),
            },
            Bytes::File(file) => self.stream(file, unpacking),
            Bytes::Stdin => self.stream(io::stdin(), unpacking),
        }
    }

    /// What a reader brings, unpacked if it is compressed.
    fn stream<'i>(&self, mut reader: impl Read + Send + 'i, unpacking: &Unpacking) -> io::Result<Raw<'i>> {
        let mut start = Vec::new();
        reader.by_ref().take(Packing::MAGIC_BYTES as u64).read_to_end(&mut start)?;
        let packing = Packing::of(&start);
        let all = io::Cursor::new(start).chain(reader);
        match packing {
            None => Ok(Raw::Read(Box::new(all))),
            Some(packing) => self.unpacked(packing, all, unpacking),
        }
    }

    fn unpacked<'i>(
        &self,
        packing: Packing,
        packed: impl Read + Send + 'i,
        unpacking: &Unpacking,
    ) -> io::Result<Raw<'i>> {
        Ok(Raw::Read(Box::new(Unpacked::new(packing, packed, self.expansion, unpacking)?)))
    }

    /// Whether it can be read from its start again.
    pub(crate) fn is_rereadable(&self) -> bool {
        self.answer.is_some() || matches!(self.bytes, Bytes::Mapped(_))
    }

    /// How many bytes there are to read, compressed or not, if that is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map.len() as u64),
            Bytes::File(_) | Bytes::Stdin => None,
        }
    }
}

/// The bytes of an input, not compressed any more.
enum Raw<'i> {
    Whole(&'i [u8]),
    Read(Box<dyn Read + Send + 'i>),
}

/// Bytes of an input that could only be read once, in a file without a name.
struct Spooled {
    /// None if there are no bytes, which cannot be mapped.
    bytes: Option<Bytes>,
    unpacking: Unpacking,
}

impl Spooled {
    fn of(mut reader: impl Read, unpacking: Unpacking) -> io::Result<Self> {
        let mut keep = || {
            let mut file = tempfile::tempfile()?;
            io::copy(&mut reader, &mut file)?;
            let len = file.metadata()?.len();
            if len == 0 {
                return Ok(None);
            }
            map(&file, true, len).map(Some).ok_or_else(|| io::Error::other("it cannot be mapped"))
        };
        let kept: io::Result<Option<Bytes>> = keep();
        let bytes = kept.map_err(|error| {
            let message =
                format!("it must be kept in a temporary file to look back and forth in it: {error}");
            io::Error::new(error.kind(), message)
        })?;
        Ok(Self { bytes, unpacking })
    }

    fn open(&self, manner: Manner) -> io::Result<Opened<'_>> {
        let bytes = match &self.bytes {
            Some(Bytes::Mapped(map)) => map,
            Some(Bytes::File(_) | Bytes::Stdin) | None => &[][..],
        };
        Opened::of(manner.of(bytes), self.unpacking.clone())
    }
}

impl Manner {
    /// The source of bytes that are all there.
    fn of(self, bytes: &[u8]) -> Source<'_> {
        match self {
            Self::Salvage => Source::Salvage(bytes),
            Self::Once | Self::Whole => Source::Whole(bytes),
        }
    }
}

impl<'i> Opened<'i> {
    fn of(mut source: Source<'i>, unpacking: Unpacking) -> io::Result<Self> {
        let frame = capture::enter(&mut source)?;
        Ok(Self { source, frame, unpacking, printed: Printed::default() })
    }
}

impl Opened<'_> {
    /// What tells the bar how far the pass has come: in compressed bytes, if it is compressed.
    pub(crate) fn progress<'b>(&self, bar: &'b Bar) -> Steps<'b> {
        let is_packed = self.unpacking.packed_bytes() > 0;
        Steps { bar, unpacking: is_packed.then(|| self.unpacking.clone()), told: AtomicU64::new(0) }
    }

    /// Adds to what is known after reading an input: how it was wrapped, and what was left out.
    pub(crate) fn judge(&self, input: &Input, coverage: &mut Coverage) {
        coverage.unpacking = self.unpacking.trouble();
        if let Some(frame) = &self.frame {
            frame.judge(coverage);
        }
        self.printed.judge(coverage);
        if self.unpacking.tail_bytes() > 0 {
            coverage.warnings.push(Warning::PackedTail(self.unpacking.tail_bytes()));
        }
        if input.increments > 0 {
            coverage.warnings.push(Warning::AofIncrements(input.increments));
        }
    }
}

/// Takes the steps of a pass to the bar.
pub(crate) struct Steps<'b> {
    bar: &'b Bar,
    unpacking: Option<Unpacking>,
    /// Compressed bytes that the bar has been told of.
    told: AtomicU64,
}

impl Progress for Steps<'_> {
    fn advance(&self, bytes: u64, keys: u64) {
        let bytes = self.unpacking.as_ref().map_or(bytes, |unpacking| {
            let read = unpacking.packed_bytes();
            read.saturating_sub(self.told.fetch_max(read, Ordering::Relaxed))
        });
        self.bar.advance(bytes, keys);
    }
}

/// Puts the files that a pattern matches in its place, by name, where a shell has left it as it is.
fn expand(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        let pattern = path.to_str().filter(|text| text.contains(['*', '?', '[']) && !path.exists());
        let Some(pattern) = pattern else {
            all.push(path.clone());
            continue;
        };
        let matches = glob::glob(pattern).with_context(|| format!("{pattern} is no pattern"))?;
        let before = all.len();
        for found in matches {
            all.push(found.with_context(|| format!("cannot look for {pattern}"))?);
        }
        if all.len() == before {
            bail!("cannot open {pattern}: there is no such file, and none that it matches");
        }
    }
    Ok(all)
}

/// Maps a regular file; what cannot be mapped is read.
fn map(file: &File, is_file: bool, len: u64) -> Option<Bytes> {
    match (is_file, len) {
        // Files of /proc and its like say that they are empty, and are not.
        (false, _) | (true, 0) => None,
        (true, _) => {
            // SAFETY: the mapping is read-only and private. What remains is that another process may
            // change or cut the file meanwhile. Bytes that change are only ever read as untrusted input
            // through bounds-checked slices. A file that is cut raises SIGBUS, on which `interrupt.rs` ends the
            // run with a message.
            #[allow(unsafe_code)]
            let map = unsafe { Mmap::map(file) };
            map.ok().map(Bytes::Mapped)
        }
    }
}
