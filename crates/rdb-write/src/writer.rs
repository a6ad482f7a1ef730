//! A file that is written record by record.

use std::io::{self, Write};

use rdb_format::{Dialect, FileVersion, OpCode};
use rdb_parser::{Checksum, KeyAttrs, RdbStr};

use crate::attributes;

/// How much is gathered before it is written.
const BUFFER_BYTES: usize = 1 << 20;

/// Writes an RDB file: header, records in the order they come, end and checksum.
///
/// The caller sees to it that what it copies belongs to the version of the format that stands in the header.
/// Memory: a buffer of 1 MiB, or the largest record.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    buffer: Vec<u8>,
    checksum: Checksum,
    version: FileVersion,
    db: Option<u64>,
}

impl<W: Write> Writer<W> {
    /// Begins a file of this version.
    ///
    /// # Errors
    ///
    /// When writing fails; so do all that follow.
    pub fn new(out: W, version: FileVersion) -> io::Result<Self> {
        let buffer = Vec::with_capacity(BUFFER_BYTES);
        let mut writer = Self { out, buffer, checksum: Checksum::default(), version, db: None };
        writer.copy(version.to_string().as_bytes())?;
        Ok(writer)
    }

    /// A named field.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn aux(&mut self, name: RdbStr<'_>, value: RdbStr<'_>) -> io::Result<()> {
        let mut item = vec![OpCode::AUX.0];
        string(name, &mut item);
        string(value, &mut item);
        self.copy(&item)
    }

    /// The keys that follow belong to this database. Returns whether another one was chosen.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn select_db(&mut self, db: u64) -> io::Result<bool> {
        if self.db == Some(db) {
            return Ok(false);
        }
        self.db = Some(db);
        let mut item = vec![OpCode::SELECTDB.0];
        length(db, &mut item);
        self.copy(&item)?;
        Ok(true)
    }

    /// Whether files of this version may say how many keys a database has (Redis 3.2, RDB 7).
    #[must_use]
    pub fn has_hints(&self) -> bool {
        self.version.dialect == Dialect::Valkey || self.version.number >= 7
    }

    /// How many keys the current database has, and how many of them expire: servers size their tables by it.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn resize_db(&mut self, keys: u64, expires: u64) -> io::Result<()> {
        let mut item = vec![OpCode::RESIZEDB.0];
        length(keys, &mut item);
        length(expires, &mut item);
        self.copy(&item)
    }

    /// A key: its attributes, and the bytes of its record as another file of this version has them. Attributes that
    /// do not stand there are put in front.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn record(&mut self, attrs: &KeyAttrs, record: &[u8]) -> io::Result<()> {
        attributes::missing(attrs, record, &mut self.buffer);
        self.copy(record)
    }

    /// Anything else, as another file has it.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn copy(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Ends the file, and returns where it was written to.
    ///
    /// # Errors
    ///
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.copy(&[OpCode::EOF.0])?;
        self.flush()?;
        if self.version.has_checksum() {
            self.out.write_all(&self.checksum.value().to_le_bytes())?;
        }
        self.out.flush()?;
        Ok(self.out)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.checksum = self.checksum.followed_by(Checksum::of(&self.buffer));
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

/// Source: `rdbSaveLen` in `src/rdb.c`.
pub(crate) fn length(len: u64, out: &mut Vec<u8>) {
    match (u16::try_from(len), u32::try_from(len)) {
        (Ok(len @ 0..=0x3f), _) => out.extend(&len.to_be_bytes()[1..]),
        (Ok(len @ 0x40..=0x3fff), _) => out.extend((len | 0x4000).to_be_bytes()),
        (_, Ok(len)) => {
            out.push(0x80);
            out.extend(len.to_be_bytes());
        }
        _ => {
            out.push(0x81);
            out.extend(len.to_be_bytes());
        }
    }
}

/// A string in the form that it has. Source: `rdbSaveRawString` in `src/rdb.c`.
fn string(text: RdbStr<'_>, out: &mut Vec<u8>) {
    match text {
        RdbStr::Raw(bytes) => {
            length(bytes.len() as u64, out);
            out.extend_from_slice(bytes);
        }
        RdbStr::Int(value) => match (i8::try_from(value), i16::try_from(value)) {
            (Ok(value), _) => out.extend([0xc0, value.to_le_bytes()[0]]),
            (_, Ok(value)) => {
                out.push(0xc1);
                out.extend(value.to_le_bytes());
            }
            _ => {
                out.push(0xc2);
                out.extend(value.to_le_bytes());
            }
        },
        RdbStr::Lzf(lzf) => {
            out.push(0xc3);
            length(lzf.packed.len() as u64, out);
            length(lzf.len, out);
            out.extend_from_slice(lzf.packed);
        }
    }
}
