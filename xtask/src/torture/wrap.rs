//! The ways into the binary: how the bytes of a dump are wrapped, and how they are given.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use rdb_synth::damage;
use rdb_synth::prng::Prng;

/// A way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Mapped,
    Pipe,
    Gzip,
    Zstd,
    Lz4,
    Bzip2,
    Xz,
    AofPreamble,
    AofDirectory,
    Capture,
    Payload,
}

impl Way {
    pub(super) const ALL: [Self; 11] = [
        Self::Mapped,
        Self::Pipe,
        Self::Gzip,
        Self::Zstd,
        Self::Lz4,
        Self::Bzip2,
        Self::Xz,
        Self::AofPreamble,
        Self::AofDirectory,
        Self::Capture,
        Self::Payload,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mapped => "mapped file",
            Self::Pipe => "pipe",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::AofPreamble => "append-only file",
            Self::AofDirectory => "append-only directory",
            Self::Capture => "replication capture",
            Self::Payload => "answer of DUMP",
        }
    }

    /// Writes a damaged input into this folder. It is called `input`.
    pub(super) fn write(self, folder: &Path, bytes: &[u8], prng: &mut Prng) -> anyhow::Result<()> {
        let input = folder.join("input");
        let commands = &b"*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\nb\r\n"[..];
        // The data inside is damaged, or what is around it, or both.
        let is_inside = prng.chance(500);
        let inside = if is_inside { damage::random(bytes, prng) } else { bytes.to_vec() };
        let packed = match self {
            Self::Mapped | Self::Pipe | Self::Payload => {
                return Ok(fs::write(input, damage::random(bytes, prng))?);
            }
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                encoder.write_all(&inside)?;
                encoder.finish()?
            }
            Self::Zstd => zstd::encode_all(inside.as_slice(), 1)?,
            Self::Lz4 => {
                let info = lz4_flex::frame::FrameInfo::new().content_checksum(prng.chance(500));
                let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
                encoder.write_all(&inside)?;
                encoder.finish()?
            }
            Self::Bzip2 => {
                let mut packed = Vec::new();
                bzip2::read::BzEncoder::new(inside.as_slice(), bzip2::Compression::fast())
                    .read_to_end(&mut packed)?;
                packed
            }
            Self::Xz => {
                let mut packed = Vec::new();
                liblzma::read::XzEncoder::new(inside.as_slice(), 0).read_to_end(&mut packed)?;
                packed
            }
            Self::AofPreamble => [&inside, commands].concat(),
            Self::AofDirectory => {
                let _ = fs::remove_file(&input);
                fs::create_dir_all(&input)?;
                let manifest = b"file a.1.base.rdb seq 1 type b\nfile \"a.1.incr.aof\" seq 1 type i\n";
                let manifest = if is_inside { manifest.to_vec() } else { damage::random(manifest, prng) };
                fs::write(input.join("a.manifest"), manifest)?;
                fs::write(input.join("a.1.base.rdb"), &inside)?;
                return Ok(fs::write(input.join("a.1.incr.aof"), commands)?);
            }
            Self::Capture => {
                let mark = "0123456789abcdef0123456789abcdef01234567";
                let (before, after) = if prng.chance(500) {
                    (format!("+FULLRESYNC {mark} 7\r\n\n$EOF:{mark}\r\n"), mark)
                } else {
                    (format!("\n${}\r\n", bytes.len()), "")
                };
                [before.as_bytes(), &inside, after.as_bytes(), commands].concat()
            }
        };
        Ok(fs::write(input, if is_inside { packed } else { damage::random(&packed, prng) })?)
    }
}
