//! Opening inputs. The mapping of a file is the only unsafe code, with what `interrupt.rs` does
//! should the file shrink.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, bail};
use memmap2::Mmap;
use rdb_analysis::Source;

use crate::exit::UsageError;

/// An opened input.
pub(crate) struct Input {
    /// As it was named.
    pub name: String,
    /// When the file was last changed, in milliseconds since 1970.
    pub modified_ms: Option<i64>,
    identity: Option<Identity>,
    bytes: Bytes,
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
    Empty,
    File(File),
    Stdin,
}

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        if path == Path::new("-") {
            return Ok(Self {
                name: "stdin".to_owned(),
                modified_ms: None,
                identity: None,
                bytes: Bytes::Stdin,
            });
        }
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        let metadata = file.metadata().with_context(|| format!("cannot look at {name}"))?;
        if metadata.is_dir() {
            bail!("{name} is a directory; name the RDB files in it");
        }
        let modified_ms = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_millis()).ok());
        let bytes = match map(&file, metadata.is_file(), metadata.len()) {
            Some(bytes) => bytes,
            None => Bytes::File(file),
        };
        Ok(Self { name, modified_ms, identity: Some(Identity::of(&metadata)), bytes })
    }

    /// Whether it is standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        matches!(self.bytes, Bytes::Stdin)
    }

    /// Refuses to write over what is being read.
    pub(crate) fn refuse_as_output(inputs: &[Self], output: &Path) -> anyhow::Result<()> {
        let Ok(metadata) = fs::metadata(output) else { return Ok(()) };
        let identity = Identity::of(&metadata);
        match inputs.iter().find(|input| metadata.is_file() && input.identity.as_ref() == Some(&identity)) {
            Some(input) => {
                let message = format!("{} is the input {}; write elsewhere", output.display(), input.name);
                Err(UsageError(message).into())
            }
            None => Ok(()),
        }
    }

    /// Opens all of them, so that a wrong name is told before any work is done.
    pub(crate) fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Self>> {
        if paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
            return Err(UsageError("standard input can be read once only".to_owned()).into());
        }
        let inputs = paths.iter().map(|path| Self::open(path)).collect::<anyhow::Result<Vec<_>>>()?;
        for (at, input) in inputs.iter().enumerate() {
            let earlier = inputs
                .iter()
                .take(at)
                .find(|earlier| input.identity.is_some() && earlier.identity == input.identity);
            if let Some(earlier) = earlier {
                let message =
                    format!("{} and {} are one file; shards are read once", earlier.name, input.name);
                return Err(UsageError(message).into());
            }
        }
        Ok(inputs)
    }

    /// Where its bytes come from.
    pub(crate) fn source(&self) -> io::Result<Source<'_>> {
        Ok(match &self.bytes {
            Bytes::Mapped(map) => Source::Whole(map),
            Bytes::Empty => Source::Whole(&[]),
            Bytes::File(file) => Source::stream(file),
            Bytes::Stdin => Source::stream(io::stdin()),
        })
    }

    /// How many bytes it has, if that is known.
    pub(crate) fn len(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map.len() as u64),
            Bytes::Empty => Some(0),
            Bytes::File(_) | Bytes::Stdin => None,
        }
    }
}

/// Maps a regular file; what cannot be mapped is read.
fn map(file: &File, is_file: bool, len: u64) -> Option<Bytes> {
    match (is_file, len) {
        (false, _) => None,
        (true, 0) => Some(Bytes::Empty),
        (true, _) => {
            // SAFETY: the mapping is read-only and private. What remains is that another process may
            // change or cut the file meanwhile. Bytes that change are only ever read as untrusted input
            // through bounds-checked slices. A file that is cut raises SIGBUS: dumps are written under
            // another name and renamed, so that happens to no finished dump.
            #[allow(unsafe_code)]
            let map = unsafe { Mmap::map(file) };
            map.ok().map(Bytes::Mapped)
        }
    }
}
