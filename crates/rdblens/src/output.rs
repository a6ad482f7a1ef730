//! Where results go: opened before the work starts, complete or not there at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::NamedTempFile;

use crate::interrupt;

/// Where a result goes.
pub(crate) enum Output {
    Stdout(BufWriter<io::Stdout>),
    /// A new file beside the one it replaces when it is complete.
    Replacing(BufWriter<NamedTempFile>, PathBuf),
    /// A device or pipe, which cannot be replaced.
    Direct(BufWriter<File>),
}

impl Output {
    /// Standard output, or the file named.
    pub(crate) fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self::Stdout(BufWriter::new(io::stdout()))) };
        let cannot = || format!("cannot write {}", path.display());
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            let file = OpenOptions::new().write(true).open(path).with_context(cannot)?;
            return Ok(Self::Direct(BufWriter::new(file)));
        }
        // Follow a link, so that the file behind it is replaced and not the link.
        let target = fs::canonicalize(path).or_else(|_| {
            // A link may lead to a file that is still to be made.
            let link = fs::read_link(path)?;
            Ok::<_, io::Error>(path.parent().unwrap_or(Path::new("")).join(link))
        });
        let target = target.unwrap_or_else(|_| path.to_owned());
        let folder =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // The error names a file that nobody has asked for: only its kind is told.
        let file = new_file_in(folder).map_err(|error| io::Error::from(error.kind())).with_context(cannot)?;
        interrupt::note(file.path());
        Ok(Self::Replacing(BufWriter::with_capacity(1 << 16, file), target))
    }

    /// Writes what is buffered and, for a file, puts it in its place.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Self::Direct(mut out) => out.flush().context("cannot write"),
            Self::Replacing(out, path) => {
                let cannot = || format!("cannot write {}", path.display());
                let file = out.into_inner().map_err(io::IntoInnerError::into_error).with_context(cannot)?;
                let unfinished = file.path().to_owned();
                let placed = interrupt::complete(&unfinished, || file.persist(&path));
                placed.map_err(|error| error.error).with_context(cannot)?;
                Ok(())
            }
        }
    }
}

/// A file without a lasting name, with the permissions that any new file has.
fn new_file_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".rdblens-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Replacing(out, _) => out.write(bytes),
            Self::Direct(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Replacing(out, _) => out.flush(),
            Self::Direct(out) => out.flush(),
        }
    }
}
