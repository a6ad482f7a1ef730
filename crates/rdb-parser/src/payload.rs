//! The answer of DUMP: one value without a name, its version and checksum at the end.

use std::ops::RangeInclusive;

use rdb_format::{Dialect, FileVersion, OpCode};

use crate::{Checksum, ErrorKind, Fault};

/// What is known of the answer of a DUMP command before its value is read.
///
/// Layout: type, value, RDB version (u16), checksum of all in front of it (u64), both little-endian.
/// Source: `createDumpPayload` in `src/cluster.c` of Redis 7.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What the key is called: the answer does not say. For the whole process, as scanners are cloned
    /// into threads.
    pub(crate) key: &'static [u8],
    /// The version, or why there is none, and where.
    version: Result<FileVersion, (ErrorKind, u64)>,
    /// Where the version and checksum start.
    footer_at: u64,
}

impl Payload {
    /// Bytes of version and checksum.
    pub const FOOTER_BYTES: usize = 10;
    /// From the first that had DUMP to far above any that was written, and far below what two bytes of a
    /// value tend to be.
    const VERSIONS: RangeInclusive<u16> = 5..=999;
    /// A type and one byte of value.
    const MIN_BYTES: usize = 2 + Self::FOOTER_BYTES;

    /// Looks at the end of an answer of DUMP. Damage there is told by the scanner that reads it.
    #[must_use]
    pub fn of(bytes: &[u8], key: &'static [u8]) -> Self {
        let footer_at = bytes.len().saturating_sub(Self::FOOTER_BYTES) as u64;
        let version = match (footer(bytes), looks_like(bytes)) {
            (_, Some(looks_like)) => Err((ErrorKind::NotPayload { looks_like }, 0)),
            (None, None) => {
                let missing = (Self::MIN_BYTES - bytes.len().min(Self::MIN_BYTES)) as u64;
                Err((ErrorKind::Truncated { missing }, bytes.len() as u64))
            }
            (Some((number, _)), None) if Self::VERSIONS.contains(&number) => Ok(version(number)),
            (Some((number, _)), None) => Err((ErrorKind::PayloadVersion(number), footer_at)),
        };
        Self { key, version, footer_at }
    }

    /// Whether the bytes end in a version and the checksum of all that is in front of it.
    #[must_use]
    pub fn is_sound(bytes: &[u8]) -> bool {
        let summed = bytes.get(..bytes.len().saturating_sub(8)).unwrap_or_default();
        footer(bytes).is_some_and(|(number, checksum)| {
            Self::VERSIONS.contains(&number) && checksum == Checksum::of(summed).value()
        })
    }

    /// The version, if the value starts well. `input`: all of it, or its start.
    pub(crate) fn version_in_front_of(&self, input: &[u8]) -> Result<FileVersion, nom::Err<Fault>> {
        let (kind, offset) = match (self.version, input.first()) {
            (Err(error), _) => error,
            // No other attribute may stand in front of a value, nor anything else.
            (Ok(_), Some(&other)) if !matches!(OpCode(other), OpCode(0..=33) | OpCode::KEY_META) => {
                (ErrorKind::UnknownType(other), 0)
            }
            (Ok(version), _) => return Ok(version),
        };
        let field = usize::try_from(offset).ok().and_then(|at| input.get(at..)).unwrap_or_default();
        Err(nom::Err::Failure(Fault::at(kind, field)))
    }

    /// Refuses a value that does not end where the footer starts. `after`: what follows the value.
    pub(crate) fn check_end(&self, offset: u64, after: &[u8]) -> Result<(), nom::Err<Fault>> {
        if offset == self.footer_at {
            return Ok(());
        }
        let kind = ErrorKind::PayloadEnd { footer: self.footer_at };
        Err(nom::Err::Failure(Fault::at(kind, after)))
    }
}

/// Version and checksum at the end of enough bytes.
fn footer(bytes: &[u8]) -> Option<(u16, u64)> {
    let (_, footer) = bytes.split_last_chunk::<{ Payload::FOOTER_BYTES }>()?;
    let (version, checksum) = footer.split_first_chunk::<2>()?;
    let is_enough = bytes.len() >= Payload::MIN_BYTES;
    is_enough.then_some((u16::from_le_bytes(*version), u64::from_le_bytes(checksum.try_into().ok()?)))
}

/// Versions from 80 up are Valkey's, by its own word. Source: `RDB_FOREIGN_VERSION_MAX` in `src/rdb.h` of Valkey 9.0.
fn version(number: u16) -> FileVersion {
    let dialect = if number >= 80 { Dialect::Valkey } else { Dialect::Redis };
    FileVersion { dialect, number: number.into() }
}

/// What people give instead of an answer of DUMP.
fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [] => Some("it is empty"),
        b"\n" | b"\r\n" | b"(nil)\n" | b"(nil)\r\n" | b"$-1\r\n" | b"_\r\n" => {
            Some("it is the answer for a key that does not exist")
        }
        [b'R', b'E', b'D', b'I', b'S', ..] | [b'V', b'A', b'L', b'K', b'E', b'Y', ..] => {
            Some("it starts like an RDB file")
        }
        [b'$', ..] => Some("it starts like a reply of the server's protocol; leave its frame out"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Scanner};

    /// SET k hello, DUMP k on Redis 7.0.15. The last byte of its checksum is a line break.
    const HELLO: &[u8] = b"\x00\x05hello\n\0cr\xdfve4 \n";

    fn error(bytes: &[u8]) -> Option<(ErrorKind, u64)> {
        struct Deaf(());
        impl<'a> crate::Sink<'a> for Deaf {
            type Visitor = ();
            fn key(&mut self, head: &crate::KeyHead<'a>) -> &mut () {
                assert_eq!(head.key, crate::RdbStr::Raw(b"k"));
                &mut self.0
            }
            fn record(&mut self, record: &crate::Record<'a>) {
                assert_eq!((record.head.offset, record.value_offset), (0, 1));
            }
        }
        let mut scanner = Scanner::of_payload(Payload::of(bytes, b"k"), Limits::default());
        let error = match scanner.scan(bytes, usize::MAX, &mut Deaf(())) {
            Ok(scanned) if scanned.stop == crate::Stop::End => return None,
            Ok(scanned) => scanner.truncated(&bytes[scanned.consumed..]),
            Err(error) => error,
        };
        Some((error.kind(), error.offset()))
    }

    #[test]
    fn the_end_is_looked_at_first() {
        assert!(Payload::is_sound(HELLO));
        assert!(!Payload::is_sound(&HELLO[..HELLO.len() - 1]));
        assert_eq!(error(HELLO), None);
        assert_eq!(error(&HELLO[..11]), Some((ErrorKind::Truncated { missing: 1 }, 11)));
        // The last two bytes of the text stand where the version would.
        let cut = &HELLO[..HELLO.len() - 2];
        assert_eq!(error(cut), Some((ErrorKind::PayloadVersion(u16::from_le_bytes(*b"lo")), 5)));
        let newer = [b"\0\x05hello\x51\0", &HELLO[9..]].concat();
        assert_eq!(Payload::of(&newer, b"k").version, Ok(version(81)));
        assert_eq!(error(b"REDIS0011\xff12345678").map(|(_, at)| at), Some(0));
        assert!(matches!(error(b"\n"), Some((ErrorKind::NotPayload { .. }, 0))));
    }

    #[test]
    fn the_value_ends_where_the_footer_starts() {
        let short = [b"\0\x04", &HELLO[2..]].concat();
        assert_eq!(error(&short), Some((ErrorKind::PayloadEnd { footer: 7 }, 6)));
        let long = [b"\0\x06", &HELLO[2..]].concat();
        assert_eq!(error(&long), Some((ErrorKind::PayloadEnd { footer: 7 }, 8)));
        let longer = [b"\0\x20", &HELLO[2..]].concat();
        assert!(matches!(error(&longer), Some((ErrorKind::Truncated { .. }, 17))));
        // Only metadata may stand in front of the type.
        let expiry = [b"\xfc\0\0\0\0\0\0\0\0", HELLO].concat();
        assert_eq!(error(&expiry), Some((ErrorKind::UnknownType(0xfc), 0)));
    }
}
