//! Answers of DUMP, however redis-cli has printed them.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use rdb_analysis::{Coverage, Warning};
use rdb_parser::Payload;

use super::quoted::words;

/// What a server takes for one value, unless it is told otherwise (`proto-max-bulk-len`). Only what is mapped
/// may be larger.
const MAX_BYTES: u64 = 512 << 20;

/// How an answer of DUMP was printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Printed {
    in_quotes: bool,
    line_break: bool,
}

/// The name that a key gets that has none: the one given, or that of the file.
pub(super) fn key_name(given: &[u8], path: &Path) -> &'static [u8] {
    let name = match path.file_name() {
        _ if !given.is_empty() => given.to_vec(),
        Some(name) if path != Path::new("-") => name.as_encoded_bytes().to_vec(),
        _ => b"stdin".to_vec(),
    };
    // For the whole run: as many as there are inputs.
    Vec::leak(name)
}

/// All that a reader brings.
pub(super) fn read(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other(format!(
            "it is longer than {} MiB, and no answer of DUMP then; one that is can be read from a file that is \
             not compressed",
            MAX_BYTES >> 20
        )));
    }
    Ok(bytes)
}

/// The answer without what redis-cli puts around it.
pub(super) fn bare(bytes: &[u8]) -> (Cow<'_, [u8]>, Printed) {
    let quoted = if bytes.starts_with(b"\"") { words(bytes) } else { None };
    if let Some(mut words) = quoted.filter(|words| words.len() == 1) {
        let answer = words.pop().unwrap_or_default();
        return (Cow::Owned(answer), Printed { in_quotes: true, line_break: false });
    }
    // A checksum may end in the byte of a line break.
    let shorter =
        bytes.strip_suffix(b"\n").filter(|shorter| !Payload::is_sound(bytes) && Payload::is_sound(shorter));
    match shorter {
        Some(shorter) => (Cow::Borrowed(shorter), Printed { in_quotes: false, line_break: true }),
        None => (Cow::Borrowed(bytes), Printed::default()),
    }
}

impl Printed {
    /// Says what was left out.
    pub(super) fn judge(self, coverage: &mut Coverage) {
        if self.in_quotes {
            coverage.warnings.push(Warning::PayloadQuotes);
        }
        if self.line_break {
            coverage.warnings.push(Warning::PayloadLineBreak);
        }
    }
}
