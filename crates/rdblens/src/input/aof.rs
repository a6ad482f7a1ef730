//! Append-only directories: a manifest that names a base and increments.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::quoted::words;

/// More than any manifest has.
const MAX_BYTES: u64 = 1 << 20;

/// What a manifest names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The file that all else builds upon.
    pub base: Option<OsString>,
    /// Files of commands that came later.
    pub increments: Vec<OsString>,
}

/// The manifest in a directory.
pub(crate) fn manifest_in(folder: &Path) -> anyhow::Result<PathBuf> {
    let name = folder.display();
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot look into {name}"))? {
        let path = entry.with_context(|| format!("cannot look into {name}"))?.path();
        if has_name_of_manifest(&path) {
            found.push(path);
        }
    }
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => {
            bail!("{name} is a directory without the manifest of append-only files; name the RDB files in it")
        }
        _ => bail!("{name} has several manifests of append-only files; name one of them"),
    }
}

/// Whether a file is called like a manifest.
pub(crate) fn has_name_of_manifest(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("manifest"))
}

impl Manifest {
    /// Whether a file that starts so is a manifest, whatever it is called.
    pub(crate) fn starts(bytes: &[u8]) -> bool {
        bytes.starts_with(b"file ")
    }

    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let mut text = Vec::new();
        let file = File::open(path).with_context(|| format!("cannot open {name}"))?;
        file.take(MAX_BYTES).read_to_end(&mut text).with_context(|| format!("cannot read {name}"))?;
        Self::parse(&text).with_context(|| format!("{name} is no manifest of append-only files"))
    }

    /// Lines of `file NAME seq N type T`, in any order, with words that newer servers add.
    fn parse(text: &[u8]) -> anyhow::Result<Self> {
        let mut manifest = Self::default();
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.starts_with(b"#") {
                continue;
            }
            let words = words(line).with_context(|| format!("line {number} has an open quote"))?;
            if words.is_empty() {
                continue;
            }
            let value = |key: &[u8]| {
                let mut pairs = words.chunks(2);
                pairs.find_map(|pair| match pair {
                    // As the servers do: in letters of any size.
                    [word, value] if word.eq_ignore_ascii_case(key) => Some(value.as_slice()),
                    _ => None,
                })
            };
            let (Some(name), Some(kind)) = (value(b"file"), value(b"type")) else {
                bail!("line {number} names no file or no type");
            };
            // As the servers do: a manifest must not reach out of its directory.
            ensure!(
                !name.is_empty() && !name.iter().any(|byte| b"/\\\0".contains(byte)) && name != b"..",
                "line {number} names a path"
            );
            let name =
                os_name(name).with_context(|| format!("line {number} names a file that is no text"))?;
            match kind {
                b"b" if manifest.base.is_none() => manifest.base = Some(name),
                b"b" => bail!("line {number} names a second base"),
                b"i" => manifest.increments.push(name),
                b"h" => {}
                _ => bail!("line {number} has an unknown type"),
            }
        }
        ensure!(manifest != Self::default(), "it names no files");
        Ok(manifest)
    }
}

/// A name as the system has it. Elsewhere than on Unix it must be text.
fn os_name(name: &[u8]) -> Option<OsString> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Some(OsStr::from_bytes(name).to_owned())
    }
    #[cfg(not(unix))]
    std::str::from_utf8(name).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests() {
        let text = b"# comment\nfile a.1.base.rdb seq 1 type b\nfile \"a b\" seq 1 type h startoffset 2\n\
                     file a.1.incr.aof seq 1 type i\r\ntype i file \"a \\\"2\" seq 2\n";
        let manifest = Manifest::parse(text).unwrap();
        assert_eq!(manifest.base.as_deref(), Some(OsStr::new("a.1.base.rdb")));
        assert_eq!(manifest.increments, ["a.1.incr.aof", "a \"2"]);
        let odd = Manifest::parse(b"FILE \"a\\x20\\n\\xe9\" seq 1 type b\r\nfile 'it\\'s' type i").unwrap();
        assert_eq!(odd.base.as_deref(), os_name(b"a \n\xe9").as_deref());
        assert_eq!(odd.increments, ["it's"]);
        for bad in [
            &b""[..],
            b"file ../x type b",
            b"file x",
            b"file \"x type b",
            b"file x type z",
            b"file x type b\nfile y type b",
            b"file \"a\"b type b",
            b"file \"a\\x00b\" type b",
            b"file \"..\\x2fa\" type b",
        ] {
            assert!(Manifest::parse(bad).is_err(), "{bad:?}");
        }
    }
}
