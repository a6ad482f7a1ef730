//! Append-only directories: a manifest that names a base and increments.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

/// More than any manifest has.
const MAX_BYTES: u64 = 1 << 20;

/// What a manifest names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// The file that all else builds upon.
    pub base: Option<String>,
    /// Files of commands that came later.
    pub increments: Vec<String>,
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
        let text = std::str::from_utf8(text).context("it is not UTF-8")?;
        let mut manifest = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words = words(line).with_context(|| format!("line {number} has an open quote"))?;
            let value = |key: &str| {
                let mut pairs = words.chunks(2);
                pairs.find_map(|pair| match pair {
                    [word, value] if word == key => Some(value.as_str()),
                    _ => None,
                })
            };
            let (Some(name), Some(kind)) = (value("file"), value("type")) else {
                bail!("line {number} names no file or no type");
            };
            // As the servers do: a manifest must not reach out of its directory.
            ensure!(
                !name.is_empty() && !name.contains(['/', '\\']) && name != "..",
                "line {number} names a path"
            );
            match kind {
                "b" if manifest.base.is_none() => manifest.base = Some(name.to_owned()),
                "b" => bail!("line {number} names a second base"),
                "i" => manifest.increments.push(name.to_owned()),
                "h" => {}
                _ => bail!("line {number} has an unknown type"),
            }
        }
        ensure!(manifest != Self::default(), "it names no files");
        Ok(manifest)
    }
}

/// Words between blanks; in double quotes, `\` stands in front of what would end them.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut rest = line.chars().peekable();
    while let Some(first) = rest.next() {
        let mut word = String::new();
        match first {
            ' ' | '\t' | '\r' => continue,
            '"' => loop {
                match rest.next()? {
                    '"' => break,
                    '\\' => word.push(rest.next()?),
                    other => word.push(other),
                }
            },
            other => {
                word.push(other);
                while let Some(next) = rest.next_if(|next| !next.is_whitespace()) {
                    word.push(next);
                }
            }
        }
        words.push(word);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests() {
        let text = b"# comment\nfile a.1.base.rdb seq 1 type b\nfile \"a b\" seq 1 type h startoffset 2\n\
                     file a.1.incr.aof seq 1 type i\r\ntype i file \"a \\\"2\" seq 2\n";
        let manifest = Manifest::parse(text).unwrap();
        assert_eq!(manifest.base.as_deref(), Some("a.1.base.rdb"));
        assert_eq!(manifest.increments, ["a.1.incr.aof", "a \"2"]);
        for bad in [
            &b""[..],
            b"file ../x type b",
            b"file x",
            b"file \"x type b",
            b"file x type z",
            b"file x type b\nfile y type b",
            b"file \xff type b",
        ] {
            assert!(Manifest::parse(bad).is_err(), "{bad:?}");
        }
    }
}
