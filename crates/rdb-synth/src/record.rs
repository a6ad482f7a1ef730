//! The records of a file: opcodes with their payloads, and keys with their attributes. All append to a buffer.

use crate::enc::LenForm;
use crate::enc::{StrForm, put_i64, put_len, put_len_as, put_str};
use crate::type_code::opcodes;
use crate::value::{ModuleValue, put_module_values};

/// Which servers' file this is, by its first nine bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magic {
    /// `REDIS` and four digits.
    Redis(u16),
    /// `VALKEY` and three digits.
    Valkey(u16),
}

impl Magic {
    /// The RDB version.
    pub fn version(self) -> u16 {
        match self {
            Self::Redis(version) | Self::Valkey(version) => version,
        }
    }

    /// The header bytes.
    pub fn bytes(self) -> Vec<u8> {
        match self {
            Self::Redis(version) => format!("REDIS{version:04}"),
            Self::Valkey(version) => format!("VALKEY{version:03}"),
        }
        .into_bytes()
    }

    /// Whether files of this version end in a checksum.
    pub fn has_checksum(self) -> bool {
        self.version() >= 5
    }
}

/// When a key expires, as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expire {
    /// Opcode 252.
    Ms(i64),
    /// Opcode 253, the oldest files.
    Seconds(i32),
}

impl Expire {
    /// Milliseconds since the epoch.
    pub fn ms(self) -> i64 {
        match self {
            Self::Ms(ms) => ms,
            Self::Seconds(s) => i64::from(s) * 1000,
        }
    }
}

/// One class of key metadata: the number of [`crate::value::class_spec`] and its values.
pub type MetaClass = (u32, Vec<ModuleValue>);

/// What stands before a key, in the order servers write it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attrs {
    /// Expiry.
    pub expire: Option<Expire>,
    /// Seconds since the last access.
    pub idle: Option<u64>,
    /// LFU counter.
    pub freq: Option<u8>,
    /// Key metadata (Redis 13 and later).
    pub meta: Vec<MetaClass>,
}

impl Attrs {
    /// Appends all that is set.
    pub fn put(&self, out: &mut Vec<u8>) {
        if let Some(at) = self.expire {
            expire(out, at);
        }
        if let Some(seconds) = self.idle {
            idle(out, seconds);
        }
        if let Some(counter) = self.freq {
            freq(out, counter);
        }
        if !self.meta.is_empty() {
            key_meta(out, &self.meta);
        }
    }
}

/// AUX.
pub fn aux(out: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    out.push(opcodes::AUX);
    put_str(out, key, StrForm::Int);
    put_str(out, value, StrForm::Int);
}

/// SELECTDB.
pub fn select_db(out: &mut Vec<u8>, db: u64) {
    out.push(opcodes::SELECTDB);
    put_len(out, db);
}

/// RESIZEDB.
pub fn resize_db(out: &mut Vec<u8>, keys: u64, expires: u64) {
    out.push(opcodes::RESIZEDB);
    put_len(out, keys);
    put_len(out, expires);
}

/// EXPIRETIME or EXPIRETIME_MS.
pub fn expire(out: &mut Vec<u8>, at: Expire) {
    match at {
        Expire::Ms(ms) => {
            out.push(opcodes::EXPIRETIME_MS);
            put_i64(out, ms);
        }
        Expire::Seconds(seconds) => {
            out.push(opcodes::EXPIRETIME);
            out.extend_from_slice(&seconds.to_le_bytes());
        }
    }
}

/// IDLE.
pub fn idle(out: &mut Vec<u8>, seconds: u64) {
    out.push(opcodes::IDLE);
    put_len(out, seconds);
}

/// FREQ.
pub fn freq(out: &mut Vec<u8>, counter: u8) {
    out.extend_from_slice(&[opcodes::FREQ, counter]);
}

/// KEY_META (Redis).
pub fn key_meta(out: &mut Vec<u8>, classes: &[MetaClass]) {
    out.push(opcodes::KEY_META);
    put_len(out, classes.len() as u64);
    for (spec, values) in classes {
        out.extend_from_slice(&spec.to_le_bytes());
        put_module_values(out, values, StrForm::Auto);
    }
}

/// A key and its value.
pub fn key(out: &mut Vec<u8>, type_code: u8, name: &[u8], value: &[u8]) {
    out.push(type_code);
    put_str(out, name, StrForm::Auto);
    out.extend_from_slice(value);
}

/// FUNCTION2: the source of a library.
pub fn function2(out: &mut Vec<u8>, source: &[u8]) {
    out.push(opcodes::FUNCTION2);
    put_str(out, source, StrForm::Auto);
}

/// FUNCTION_PRE_GA, of two release candidates.
pub fn function_pre_ga(
    out: &mut Vec<u8>,
    name: &[u8],
    engine: &[u8],
    description: Option<&[u8]>,
    code: &[u8],
) {
    out.push(opcodes::FUNCTION_PRE_GA);
    put_str(out, name, StrForm::Auto);
    put_str(out, engine, StrForm::Auto);
    put_len(out, u64::from(description.is_some()));
    if let Some(text) = description {
        put_str(out, text, StrForm::Auto);
    }
    put_str(out, code, StrForm::Auto);
}

/// MODULE_AUX: `when` is 1 before the keys and 2 behind them.
pub fn module_aux(out: &mut Vec<u8>, module_id: u64, when: u64, values: &[ModuleValue]) {
    out.push(opcodes::MODULE_AUX);
    put_len_as(out, module_id, LenForm::SixtyFour);
    put_len(out, 2);
    put_len(out, when);
    put_module_values(out, values, StrForm::Auto);
}

/// SLOT_INFO (Redis).
pub fn slot_info(out: &mut Vec<u8>, slot: u64, keys: u64, expires: u64) {
    out.push(opcodes::SLOT_INFO);
    for n in [slot, keys, expires] {
        put_len(out, n);
    }
}

/// SLOT_IMPORT (Valkey): a job and the ranges of slots it brings.
pub fn slot_import(out: &mut Vec<u8>, job: &[u8], ranges: &[(u64, u64)]) {
    out.push(opcodes::VALKEY_SLOT_IMPORT);
    put_str(out, job, StrForm::Plain);
    put_len(out, ranges.len() as u64);
    for (first, last) in ranges {
        put_len(out, *first);
        put_len(out, *last);
    }
}

/// HASH_TEMPLATE (Redis): servers want the names ascending by length, then by bytes.
pub fn hash_template<T: AsRef<[u8]>>(out: &mut Vec<u8>, id: u64, names: &[T]) {
    out.push(opcodes::HASH_TEMPLATE);
    put_len(out, id);
    put_len(out, names.len() as u64);
    for name in names {
        put_str(out, name.as_ref(), StrForm::Auto);
    }
}

/// What `DUMP` answers: a type, a value, the version and a checksum.
pub fn dump_payload(type_code: u8, value: &[u8], version: u16) -> Vec<u8> {
    let mut out = vec![type_code];
    out.extend_from_slice(value);
    out.extend_from_slice(&version.to_le_bytes());
    let crc = crate::crc64::crc64(&out);
    out.extend_from_slice(&crc.to_le_bytes());
    out
}
