//! Whole files: in memory with [`RdbBuilder`], or as a stream with [`RdbWriter`].

use std::io::{self, Write};

use crate::crc64;
use crate::record::{self, Attrs, Expire, Magic, MetaClass};
use crate::type_code::opcodes;
use crate::value::ModuleValue;

/// Builds a file in memory, one record after another.
///
/// ```
/// use rdb_synth::{RdbBuilder, StrForm, value};
///
/// let bytes = RdbBuilder::redis(11)
///     .aux("redis-ver", "7.2.0")
///     .select_db(0)
///     .resize_db(1, 1)
///     .expire_ms(4_102_444_800_000)
///     .key(0, "greeting", value::string(b"hello", StrForm::Plain))
///     .eof();
/// assert_eq!(&bytes[..9], b"REDIS0011");
/// ```
#[derive(Debug, Clone)]
pub struct RdbBuilder {
    out: Vec<u8>,
    checksum: bool,
}

impl RdbBuilder {
    /// Starts with this header.
    pub fn new(magic: Magic) -> Self {
        Self { out: magic.bytes(), checksum: magic.has_checksum() }
    }

    /// Starts with `REDIS` and four digits.
    pub fn redis(version: u16) -> Self {
        Self::new(Magic::Redis(version))
    }

    /// Starts with `VALKEY` and three digits.
    pub fn valkey(version: u16) -> Self {
        Self::new(Magic::Valkey(version))
    }

    /// Starts without a header.
    pub fn headless() -> Self {
        Self { out: Vec::new(), checksum: true }
    }

    fn with(mut self, put: impl FnOnce(&mut Vec<u8>)) -> Self {
        put(&mut self.out);
        self
    }

    /// The bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// Whether nothing is there yet.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Bytes as they are.
    pub fn raw(self, bytes: impl AsRef<[u8]>) -> Self {
        self.with(|out| out.extend_from_slice(bytes.as_ref()))
    }

    /// AUX.
    pub fn aux(self, key: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.with(|out| record::aux(out, key.as_ref(), value.as_ref()))
    }

    /// SELECTDB.
    pub fn select_db(self, db: u64) -> Self {
        self.with(|out| record::select_db(out, db))
    }

    /// RESIZEDB.
    pub fn resize_db(self, keys: u64, expires: u64) -> Self {
        self.with(|out| record::resize_db(out, keys, expires))
    }

    /// EXPIRETIME_MS, for the next key.
    pub fn expire_ms(self, ms: i64) -> Self {
        self.with(|out| record::expire(out, Expire::Ms(ms)))
    }

    /// EXPIRETIME, for the next key.
    pub fn expire_s(self, seconds: i32) -> Self {
        self.with(|out| record::expire(out, Expire::Seconds(seconds)))
    }

    /// IDLE, for the next key.
    pub fn idle(self, seconds: u64) -> Self {
        self.with(|out| record::idle(out, seconds))
    }

    /// FREQ, for the next key.
    pub fn freq(self, counter: u8) -> Self {
        self.with(|out| record::freq(out, counter))
    }

    /// KEY_META (Redis), for the next key.
    pub fn key_meta(self, classes: &[MetaClass]) -> Self {
        self.with(|out| record::key_meta(out, classes))
    }

    /// Several attributes, for the next key.
    pub fn attrs(self, attrs: &Attrs) -> Self {
        self.with(|out| attrs.put(out))
    }

    /// A key and the bytes of its value, which the functions of [`crate::value`] make.
    pub fn key(self, type_code: u8, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.with(|out| record::key(out, type_code, name.as_ref(), value.as_ref()))
    }

    /// FUNCTION2.
    pub fn function2(self, source: impl AsRef<[u8]>) -> Self {
        self.with(|out| record::function2(out, source.as_ref()))
    }

    /// FUNCTION_PRE_GA.
    pub fn function_pre_ga(self, name: &str, engine: &str, description: Option<&str>, code: &str) -> Self {
        let description = description.map(str::as_bytes);
        self.with(|out| {
            record::function_pre_ga(out, name.as_bytes(), engine.as_bytes(), description, code.as_bytes());
        })
    }

    /// MODULE_AUX: `when` is 1 before the keys and 2 behind them.
    pub fn module_aux(self, module_id: u64, when: u64, values: &[ModuleValue]) -> Self {
        self.with(|out| record::module_aux(out, module_id, when, values))
    }

    /// SLOT_INFO (Redis).
    pub fn slot_info(self, slot: u64, keys: u64, expires: u64) -> Self {
        self.with(|out| record::slot_info(out, slot, keys, expires))
    }

    /// SLOT_IMPORT (Valkey).
    pub fn slot_import(self, job: impl AsRef<[u8]>, ranges: &[(u64, u64)]) -> Self {
        self.with(|out| record::slot_import(out, job.as_ref(), ranges))
    }

    /// HASH_TEMPLATE (Redis).
    pub fn hash_template<T: AsRef<[u8]>>(self, id: u64, names: &[T]) -> Self {
        self.with(|out| record::hash_template(out, id, names))
    }

    /// Ends the file, with its checksum if the version has one.
    pub fn eof(mut self) -> Vec<u8> {
        self.out.push(opcodes::EOF);
        if self.checksum {
            let crc = crc64::crc64(&self.out);
            self.out.extend_from_slice(&crc.to_le_bytes());
        }
        self.out
    }

    /// Ends the file with the eight zero bytes that say the checksum was switched off.
    pub fn eof_zero_checksum(mut self) -> Vec<u8> {
        self.out.push(opcodes::EOF);
        self.out.extend_from_slice(&[0; 8]);
        self.out
    }

    /// Ends the file with the opcode and nothing behind it.
    pub fn eof_without_checksum(mut self) -> Vec<u8> {
        self.out.push(opcodes::EOF);
        self.out
    }

    /// The bytes so far, without an end.
    pub fn into_bytes(self) -> Vec<u8> {
        self.out
    }
}

/// Writes a file piece by piece and keeps nothing but its checksum and length. Give it a buffered writer.
#[derive(Debug)]
pub struct RdbWriter<W> {
    out: W,
    crc: u64,
    written: u64,
    scratch: Vec<u8>,
    checksum: bool,
}

impl<W: Write> RdbWriter<W> {
    /// Writes the header.
    pub fn new(out: W, magic: Magic) -> io::Result<Self> {
        let mut writer =
            Self { out, crc: 0, written: 0, scratch: Vec::new(), checksum: magic.has_checksum() };
        writer.raw(&magic.bytes())?;
        Ok(writer)
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Writes bytes as they are: records made elsewhere, or pieces of a value.
    pub fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc = crc64::update(self.crc, bytes);
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes what a function, say one of [`crate::record`], appends to a buffer.
    pub fn with(&mut self, put: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        put(&mut scratch);
        let result = self.raw(&scratch);
        self.scratch = scratch;
        result
    }

    /// AUX.
    pub fn aux(&mut self, key: &str, value: &str) -> io::Result<()> {
        self.with(|out| record::aux(out, key.as_bytes(), value.as_bytes()))
    }

    /// SELECTDB.
    pub fn select_db(&mut self, db: u64) -> io::Result<()> {
        self.with(|out| record::select_db(out, db))
    }

    /// RESIZEDB.
    pub fn resize_db(&mut self, keys: u64, expires: u64) -> io::Result<()> {
        self.with(|out| record::resize_db(out, keys, expires))
    }

    /// FUNCTION2.
    pub fn function2(&mut self, source: &[u8]) -> io::Result<()> {
        self.with(|out| record::function2(out, source))
    }

    /// Attributes, type and name; the caller goes on with the pieces of the value, by [`RdbWriter::raw`].
    pub fn begin_key(&mut self, attrs: &Attrs, type_code: u8, name: &[u8]) -> io::Result<()> {
        self.with(|out| {
            attrs.put(out);
            record::key(out, type_code, name, b"");
        })
    }

    /// A key with its attributes and value.
    pub fn key(&mut self, attrs: &Attrs, type_code: u8, name: &[u8], value: &[u8]) -> io::Result<()> {
        self.begin_key(attrs, type_code, name)?;
        self.raw(value)
    }

    /// Ends the file and flushes it.
    pub fn finish(mut self) -> io::Result<W> {
        self.raw(&[opcodes::EOF])?;
        if self.checksum {
            let crc = self.crc.to_le_bytes();
            self.out.write_all(&crc)?;
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enc::StrForm;
    use crate::hex::hex;
    use crate::value;

    #[test]
    fn empty_files_of_real_servers() {
        let redis = RdbBuilder::redis(15)
            .aux("redis-ver", "8.10.2")
            .aux("redis-bits", "64")
            .aux("ctime", "1796063367")
            .aux("used-mem", "1095960")
            .aux("aof-base", "0")
            .eof();
        assert!(redis.ends_with(&hex("61 6f 66 2d 62 61 73 65 c0 00 ff 5c 94 6c 64 4f 9d 54 5a")));
        let valkey = RdbBuilder::valkey(80)
            .aux("valkey-ver", "9.1.2")
            .aux("redis-bits", "64")
            .aux("ctime", "1796063368")
            .aux("used-mem", "1362008")
            .aux("aof-base", "0")
            .eof();
        assert_eq!(valkey[..12], hex("56 41 4c 4b 45 59 30 38 30 fa 0a 76"));
        assert!(valkey.ends_with(&hex("ff 37 2e 14 99 07 eb fd 9f")));
    }

    #[test]
    fn key_metadata_of_a_real_server() {
        let classes = [
            (
                value::class_spec("kmt1", 3, 1),
                vec![ModuleValue::Unsigned(300), ModuleValue::Text(b"meta".to_vec())],
            ),
            (
                value::class_spec("Z-_9", 31, 0),
                vec![ModuleValue::Double(2.5), ModuleValue::Float(1.5), ModuleValue::Unsigned(u64::MAX)],
            ),
        ];
        let bytes = RdbBuilder::headless()
            .expire_ms(4_102_444_800_123)
            .freq(6)
            .key_meta(&classes)
            .key(0, "k2", value::string(b"v", StrForm::Auto))
            .into_bytes();
        assert_eq!(
            bytes,
            hex("fc 7b d8 c3 2c bb 03 00 00 f9 06 f3 02 19 75 6b 92 02 41 2c 05 04 6d 65 74 61 00 f8 bd ff 67 04 00 00 00
                 00 00 00 04 40 03 00 00 c0 3f 02 81 ff ff ff ff ff ff ff ff 00 00 02 6b 32 01 76")
        );
    }

    #[test]
    fn other_records_of_real_servers() {
        let aux = [ModuleValue::Unsigned(1), ModuleValue::Text(b"before-data".to_vec())];
        let bytes = RdbBuilder::headless()
            .hash_template(1, &["id", "payload"])
            .slot_info(11361, 1, 0)
            .module_aux(value::module_id("test__rdb", 1), 1, &aux)
            .select_db(0)
            .resize_db(1, 0)
            .into_bytes();
        assert_eq!(
            bytes,
            hex("f2 01 02 02 69 64 07 70 61 79 6c 6f 61 64 f4 6c 61 01 00 f7 81 b5 eb 2d ff fa dd 6c 01 02 01 02 01 05
                 0b 62 65 66 6f 72 65 2d 64 61 74 61 00 fe 00 fb 01 00")
        );
    }

    #[test]
    fn writer_and_builder_agree() -> io::Result<()> {
        let value = value::string(b"v", StrForm::Auto);
        let attrs = Attrs { expire: Some(Expire::Ms(5)), idle: Some(100), ..Attrs::default() };
        let built = RdbBuilder::redis(9).aux("a", "1").select_db(3).attrs(&attrs).key(0, "k", &value).eof();
        let mut writer = RdbWriter::new(Vec::new(), Magic::Redis(9))?;
        writer.aux("a", "1")?;
        writer.select_db(3)?;
        writer.key(&attrs, 0, b"k", &value)?;
        assert_eq!(writer.written() + 9, built.len() as u64);
        assert_eq!(writer.finish()?, built);
        Ok(())
    }

    #[test]
    fn oldest_files_have_no_checksum() {
        let bytes = RdbBuilder::redis(4).select_db(0).expire_s(-192_522_496).key(0, "k", [1, b'v']).eof();
        assert_eq!(bytes, hex("52 45 44 49 53 30 30 30 34 fe 00 fd 00 57 86 f4 00 01 6b 01 76 ff"));
    }
}
