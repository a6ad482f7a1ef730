//! The first nine bytes.

use rdb_format::{Dialect, FileVersion};

use crate::primitive::{Parsed, bytes};
use crate::{ErrorKind, Fault, Payload};

/// Bytes of magic and version.
pub(crate) const HEADER_BYTES: usize = 9;

/// `REDIS` and four digits, or `VALKEY` and three. Source: `rdbLoadRioWithLoadingCtx` in `src/rdb.c`.
pub(crate) fn header(input: &[u8]) -> Parsed<'_, FileVersion> {
    let (dialect, digits_at) = if input.starts_with(b"REDIS") {
        (Dialect::Redis, 5)
    } else if input.starts_with(b"VALKEY") {
        (Dialect::Valkey, 6)
    } else if input.len() >= HEADER_BYTES || !could_become_magic(input) {
        return Fault::fail(ErrorKind::NotRdb { looks_like: looks_like(input) }, input);
    } else {
        let (rest, _) = bytes(input, HEADER_BYTES as u64)?;
        return Fault::fail(ErrorKind::NotRdb { looks_like: "" }, rest);
    };
    let (rest, whole) = bytes(input, HEADER_BYTES as u64)?;
    let digits = whole.get(digits_at..).unwrap_or_default();
    let number = digits.iter().try_fold(0u32, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0'))
    });
    match number {
        Some(number) if number > 0 => Ok((rest, FileVersion { dialect, number })),
        _ => Fault::fail(ErrorKind::BadVersion, input.get(digits_at..).unwrap_or_default()),
    }
}

/// Whether so short an input may be the start of a magic.
fn could_become_magic(input: &[u8]) -> bool {
    !input.is_empty() && (b"REDIS".starts_with(input) || b"VALKEY".starts_with(input))
}

/// Up to how many bytes are summed to find out that they are an answer of DUMP.
const MAX_PAYLOAD_BYTES: usize = 64 << 20;

/// What people feed by mistake, told by its first bytes.
fn looks_like(input: &[u8]) -> &'static str {
    const KNOWN: &[(&[u8], &str)] = &[
        (b"\x1f\x8b", "it starts like gzip data"),
        (b"\x28\xb5\x2f\xfd", "it starts like zstd data"),
        (b"\x04\x22\x4d\x18", "it starts like an LZ4 frame"),
        (b"BZh", "it starts like bzip2 data"),
        (b"\xfd7zXZ", "it starts like xz data"),
        (b"PK\x03\x04", "it starts like a zip archive; unpack it first"),
        (b"7z\xbc\xaf\x27\x1c", "it starts like a 7z archive; unpack it first"),
        (b"\x1f\x9d", "it starts like what compress(1) writes (.Z); unpack it first"),
        (b"\x89LZO", "it starts like lzop data; unpack it first"),
        (b"LZIP", "it starts like lzip data; unpack it first"),
        (b"\xff\x06\0\0sNaPpY", "it starts like framed snappy data; unpack it first"),
        (b"Salted__", "it starts like what openssl has encrypted; decrypt it first"),
        (b"age-encryption.org", "it starts like what age has encrypted; decrypt it first"),
        (b"-----BEGIN PGP", "it starts like what gpg has encrypted; decrypt it first"),
        (b"*", "it starts like an append-only file without an RDB preamble"),
        (b"file ", "it starts like the manifest of an append-only directory; give its base file"),
        (b"$EOF:", "it starts like a replication stream"),
        (b"$", "it starts like a replication stream"),
        (b"+FULLRESYNC", "it starts like a replication stream"),
        (b"VKCS", "it starts like a compressed snapshot of a Valkey development build"),
        (b"VCS", "it starts like a compressed snapshot of a Valkey development build"),
        (b"redis", "its magic is in small letters"),
    ];
    if input.is_empty() {
        return "it is empty";
    }
    if input.get(257..262) == Some(b"ustar") {
        return "it starts like a tar archive; extract the snapshot first";
    }
    if input.len() <= MAX_PAYLOAD_BYTES && Payload::is_sound(input) {
        return "it looks like an answer of DUMP (--dump-payload)";
    }
    KNOWN.iter().find(|(start, _)| input.starts_with(start)).map_or("", |(_, what)| what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_families() {
        for (input, dialect, number) in [
            (b"REDIS0001", Dialect::Redis, 1),
            (b"REDIS0015", Dialect::Redis, 15),
            (b"VALKEY080", Dialect::Valkey, 80),
        ] {
            assert_eq!(header(input), Ok((&[][..], FileVersion { dialect, number })));
        }
    }

    #[test]
    fn what_is_not_an_rdb_file_is_named() {
        let kind = |input: &[u8]| match header(input) {
            Err(nom::Err::Failure(fault)) => Some(fault.kind),
            _ => None,
        };
        assert_eq!(kind(b"REDIS00x1"), Some(ErrorKind::BadVersion));
        assert_eq!(kind(b"REDIS0000"), Some(ErrorKind::BadVersion));
        assert_eq!(kind(b"NEXCACHE09"), Some(ErrorKind::NotRdb { looks_like: "" }));
        for (input, word) in [
            (&b"\x1f\x8b\x08"[..], "gzip"),
            (b"", "empty"),
            (b"*3\r\n$3\r\nSET", "append-only"),
            (b"$123\r\nREDIS", "replication"),
            (b"file appendonly", "manifest"),
            (b"\x00\x05hello\n\0cr\xdfve4 \n", "DUMP"),
        ] {
            let Some(ErrorKind::NotRdb { looks_like }) = kind(input) else { panic!("{input:?}") };
            assert!(looks_like.contains(word), "{looks_like}");
        }
        assert!(matches!(header(b"RED"), Err(nom::Err::Incomplete(_))));
    }
}
