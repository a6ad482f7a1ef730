//! Random files, by seed, with the answers that a reader must give.

mod strings;
mod values;

use std::ops::Range;

use crate::crc64;
use crate::enc::{LenForm, StrForm};
use crate::model::{Encoding, Key, Value};
use crate::prng::Prng;
use crate::record::{self, Attrs, Expire, Magic};
use crate::type_code::{opcodes, types};
use crate::value::{self, FieldNames, ModuleValue};

/// What a random file may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomOptions {
    /// Family and version; they decide which types occur.
    pub magic: Magic,
    /// How many keys, over all databases.
    pub keys: usize,
    /// The databases, ascending.
    pub dbs: Vec<u64>,
    /// Only what a stock server of this version loads without losing a key: no values of modules it lacks, no types
    /// of unreleased servers, no past expiries.
    pub loadable: bool,
    /// Also legal forms that servers do not write: wide lengths, wide entries, LZF for short strings.
    pub odd_forms: bool,
    /// Vector sets, which Redis has since 8.0.
    pub vector_sets: bool,
    /// Key metadata, which Redis has since RDB 13.
    pub key_meta: bool,
    /// Only these type codes, if any are given.
    pub only: Vec<u8>,
    /// The time of saving, in milliseconds. Expiries that are to come lie behind it.
    pub now_ms: i64,
    /// End with a checksum rather than with zeros.
    pub checksum: bool,
}

impl RandomOptions {
    /// All that a file of this version can hold.
    pub fn everything(magic: Magic) -> Self {
        Self {
            magic,
            keys: 400,
            dbs: vec![0, 1, 7, 15],
            loadable: false,
            odd_forms: true,
            vector_sets: matches!(magic, Magic::Redis(12..)),
            key_meta: matches!(magic, Magic::Redis(13..)),
            only: Vec::new(),
            now_ms: 4_102_444_800_000,
            checksum: true,
        }
    }

    /// What a stock server of this version loads completely.
    pub fn loadable(magic: Magic) -> Self {
        Self {
            loadable: true,
            odd_forms: false,
            vector_sets: false,
            key_meta: false,
            ..Self::everything(magic)
        }
    }

    /// The type codes that may occur.
    pub fn type_codes(&self) -> Vec<u8> {
        let version = self.magic.version();
        let mut codes = vec![types::STRING, types::LIST, types::SET, types::ZSET, types::HASH];
        let mut since = |first: u16, more: &[u8]| {
            if version >= first {
                codes.extend_from_slice(more);
            }
        };
        since(2, &[types::HASH_ZIPMAP, types::LIST_ZIPLIST, types::SET_INTSET, types::ZSET_ZIPLIST]);
        since(4, &[types::HASH_ZIPLIST]);
        since(7, &[types::LIST_QUICKLIST]);
        since(8, &[types::ZSET_2]);
        since(9, &[types::STREAM_LISTPACKS]);
        since(
            10,
            &[types::HASH_LISTPACK, types::ZSET_LISTPACK, types::LIST_QUICKLIST_2, types::STREAM_LISTPACKS_2],
        );
        since(11, &[types::SET_LISTPACK, types::STREAM_LISTPACKS_3]);
        match self.magic {
            Magic::Redis(_) => {
                since(12, &[22, 23, types::HASH_METADATA, types::HASH_LISTPACK_EX]);
                since(13, &[types::STREAM_LISTPACKS_4]);
                since(14, &[types::STREAM_LISTPACKS_5, types::ARRAY]);
                since(15, &[29, 30, 31, 32]);
                if !self.loadable {
                    since(14, &[types::GCRA]);
                }
            }
            Magic::Valkey(_) => {
                since(80, &[types::VALKEY_HASH_2]);
                if !self.loadable {
                    since(81, &[types::VALKEY_PATH_HASH]);
                }
            }
        }
        if self.vector_sets || (version >= 8 && !self.loadable) {
            codes.push(types::MODULE_2);
        }
        if !self.only.is_empty() {
            codes.retain(|code| self.only.contains(code));
        }
        codes
    }
}

/// One key of a random file and what a reader must find.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedKey {
    /// Its database.
    pub db: u64,
    /// Its name.
    pub key: Vec<u8>,
    /// What `TYPE` answers.
    pub type_word: String,
    /// How many elements it has, where that is known.
    pub elements: Option<u64>,
    /// When it expires.
    pub expire_ms: Option<i64>,
    /// Seconds since the last access.
    pub idle: Option<u64>,
    /// LFU counter.
    pub freq: Option<u8>,
    /// The type code.
    pub type_code: u8,
    /// Where the record lies in the file, attributes included.
    pub record: Range<usize>,
    /// What it holds. Encodings may have put members, fields or names into an order of their own.
    pub value: Value,
}

/// A template of hashes: its id and its field names.
type Template = (u64, Vec<Vec<u8>>);

/// Makes a file. Every type code allowed occurs, if there are enough keys.
pub fn random_dump(seed: u64, options: &RandomOptions) -> (Vec<u8>, Vec<ExpectedKey>) {
    let mut rng = Prng::new(seed);
    let mut out = options.magic.bytes();
    put_preamble(&mut out, options, &mut rng);
    let templates = put_templates(&mut out, options, &mut rng);
    let codes = options.type_codes();
    let mut expected = Vec::with_capacity(options.keys);
    let shares = options.dbs.len().max(1);
    let mut made = 0;
    for (at, &db) in options.dbs.iter().enumerate() {
        let until = options.keys * (at + 1) / shares;
        if made == until || codes.is_empty() {
            continue;
        }
        let mut body = Vec::new();
        let first = expected.len();
        for serial in made..until {
            let code = if serial < codes.len() { codes[serial] } else { *rng.pick(&codes) };
            if !options.loadable && rng.chance(20) {
                put_between_keys(&mut body, options, &mut rng);
            }
            expected.push(put_key(&mut body, db, serial, code, options, &templates, &mut rng));
        }
        made = until;
        record::select_db(&mut out, db);
        if options.magic.version() >= 7 {
            let expires = expected[first..].iter().filter(|k| k.expire_ms.is_some()).count();
            record::resize_db(&mut out, (expected.len() - first) as u64, expires as u64);
        }
        for key in &mut expected[first..] {
            key.record = key.record.start + out.len()..key.record.end + out.len();
        }
        out.extend_from_slice(&body);
    }
    put_end(&mut out, options);
    (out, expected)
}

fn put_preamble(out: &mut Vec<u8>, options: &RandomOptions, rng: &mut Prng) {
    let version = options.magic.version();
    if version >= 7 {
        let (key, server) = match options.magic {
            Magic::Redis(7) => ("redis-ver", "3.2.0"),
            Magic::Redis(8) => ("redis-ver", "4.0.14"),
            Magic::Redis(9) => ("redis-ver", "6.2.5"),
            Magic::Redis(10) => ("redis-ver", "7.0.15"),
            Magic::Redis(11) => ("redis-ver", "7.2.0"),
            Magic::Redis(12) => ("redis-ver", "8.2.3"),
            Magic::Redis(_) => ("redis-ver", "8.10.2"),
            Magic::Valkey(_) => ("valkey-ver", "9.1.2"),
        };
        record::aux(out, key.as_bytes(), server.as_bytes());
        record::aux(out, b"redis-bits", b"64");
        record::aux(out, b"ctime", (options.now_ms / 1000).to_string().as_bytes());
        record::aux(out, b"used-mem", rng.between(800_000, 90_000_000).to_string().as_bytes());
    }
    if version >= 9 && !options.loadable {
        let values = [ModuleValue::Unsigned(7), ModuleValue::Text(b"before".to_vec())];
        record::module_aux(out, value::module_id("synthtype", 1), 1, &values);
        record::aux(out, b"%synth-note", b"a field that no server knows");
    }
    if version >= 10 {
        let source =
            "#!lua name=synthlib\nredis.register_function('synth', function(keys, args) return 1 end)";
        record::function2(out, source.as_bytes());
        if options.magic == Magic::Redis(10) && !options.loadable {
            record::function_pre_ga(out, b"old", b"LUA", Some(b"about"), b"return 1");
        }
    }
    if matches!(options.magic, Magic::Valkey(_)) && !options.loadable {
        record::slot_import(out, &[b'j'; 40], &[(0, 99), (200, 200)]);
    }
}

fn put_templates(out: &mut Vec<u8>, options: &RandomOptions, rng: &mut Prng) -> Vec<Template> {
    if !matches!(options.magic, Magic::Redis(15..)) {
        return Vec::new();
    }
    let mut templates = Vec::new();
    for id in [1, 0, 77] {
        let mut names: Vec<Vec<u8>> = (0..rng.between(1, 12)).map(|n| format!("f{n}").into_bytes()).collect();
        names.push(strings::word(rng).repeat(rng.size(2, 4)).into_bytes());
        names.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        record::hash_template(out, id, &names);
        templates.push((id, names));
    }
    templates
}

fn put_between_keys(out: &mut Vec<u8>, options: &RandomOptions, rng: &mut Prng) {
    match options.magic {
        Magic::Redis(12..) => record::slot_info(out, rng.below(16384), 1, 0),
        Magic::Valkey(_) => {
            let text = format!("{},1,0,0", rng.below(16384));
            record::aux(out, b"slot-info", text.as_bytes());
        }
        Magic::Redis(7..) => record::aux(out, b"between", b"keys"),
        Magic::Redis(_) => {}
    }
}

fn put_end(out: &mut Vec<u8>, options: &RandomOptions) {
    if matches!(options.magic, Magic::Redis(8 | 9)) {
        record::aux(out, b"lua", b"return 1");
    }
    if options.magic.version() >= 9 && !options.loadable {
        record::module_aux(out, value::module_id("synthtype", 1), 2, &[ModuleValue::Double(0.5)]);
    }
    out.push(opcodes::EOF);
    if options.magic.has_checksum() {
        let crc = if options.checksum { crc64::crc64(out) } else { 0 };
        out.extend_from_slice(&crc.to_le_bytes());
    }
}

fn put_key(
    out: &mut Vec<u8>,
    db: u64,
    serial: usize,
    type_code: u8,
    options: &RandomOptions,
    templates: &[Template],
    rng: &mut Prng,
) -> ExpectedKey {
    let mut how = encoding(options, rng);
    let mut value = values::random_value(type_code, options, rng);
    if let (types::HASH_TMPL_LP_REF | types::HASH_TMPL_ARRAY_REF, Value::Hash(fields)) =
        (type_code, &mut value)
    {
        let (id, names) = rng.pick(templates);
        how.template = Some(*id);
        *fields = values::fields_named(names, rng);
    }
    if let Value::Stream(stream) = &mut value {
        stream.revive_empty_nodes(how.per_node);
    }
    let key = Key { db, name: strings::key_name(serial, rng), attrs: attrs(options, rng), value };
    let start = out.len();
    let put = key.put(out, type_code, &how);
    debug_assert!(put, "type {type_code} does not hold {:?}", key.value);
    ExpectedKey {
        db,
        type_word: key.value.type_word().to_owned(),
        elements: key.value.elements(),
        expire_ms: key.attrs.expire.map(Expire::ms),
        idle: key.attrs.idle,
        freq: key.attrs.freq,
        type_code,
        record: start..out.len(),
        key: key.name,
        value: key.value,
    }
}

fn encoding(options: &RandomOptions, rng: &mut Prng) -> Encoding {
    let mut how = Encoding { per_node: rng.size(1, 40), ..Encoding::of(options.magic) };
    how.names = if rng.chance(500) { FieldNames::Listpack } else { FieldNames::Strings };
    if options.odd_forms {
        how.odd_forms = rng.chance(500).then(|| rng.next_u64());
        let widest = if options.magic.version() >= 8 { LenForm::SixtyFour } else { LenForm::ThirtyTwo };
        how.form = *rng.pick(&[
            StrForm::Auto,
            StrForm::Plain,
            StrForm::Int,
            StrForm::Lzf,
            StrForm::PlainWith(LenForm::Fourteen),
            StrForm::PlainWith(LenForm::ThirtyTwo),
            StrForm::PlainWith(widest),
        ]);
    } else if rng.chance(200) {
        how.form = StrForm::Int;
    }
    how
}

fn attrs(options: &RandomOptions, rng: &mut Prng) -> Attrs {
    let version = options.magic.version();
    let mut attrs = Attrs::default();
    if rng.chance(300) {
        let mut ms = options.now_ms + rng.between(60_000, 3_000_000_000) as i64;
        if !options.loadable && rng.chance(150) {
            ms = *rng.pick(&[0, 1, -1, options.now_ms - 1, i64::from(i32::MAX) * 1000]);
        }
        attrs.expire = Some(match i32::try_from(ms / 1000) {
            _ if version >= 3 => Expire::Ms(ms),
            Ok(seconds) => Expire::Seconds(seconds),
            Err(_) => Expire::Seconds(i32::MAX),
        });
    }
    if version >= 9 && rng.chance(200) {
        attrs.idle = Some(rng.below(10_000_000));
    } else if version >= 9 && rng.chance(200) {
        attrs.freq = Some(rng.below(256) as u8);
    }
    if options.key_meta && rng.chance(100) {
        attrs.meta = vec![
            (value::class_spec("syn1", 1, 1), vec![ModuleValue::Unsigned(rng.next_u64())]),
            (
                value::class_spec("s_-2", 31, 1),
                vec![ModuleValue::Text(b"meta".to_vec()), ModuleValue::Float(0.5)],
            ),
        ];
    }
    attrs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions() -> Vec<Magic> {
        let mut all: Vec<Magic> = (1..=15).map(Magic::Redis).collect();
        all.extend([Magic::Valkey(80), Magic::Valkey(81)]);
        all
    }

    #[test]
    fn every_type_code_allowed_occurs_in_every_version() {
        for magic in versions() {
            for options in [RandomOptions::everything(magic), RandomOptions::loadable(magic)] {
                let (bytes, keys) = random_dump(5, &options);
                assert_eq!(keys.len(), options.keys);
                for code in options.type_codes() {
                    assert!(keys.iter().any(|k| k.type_code == code), "{magic:?} type {code}");
                }
                assert!(bytes.starts_with(&magic.bytes()));
            }
        }
    }

    #[test]
    fn records_lie_where_the_answer_says() {
        let (bytes, keys) = random_dump(9, &RandomOptions::everything(Magic::Redis(15)));
        for pair in keys.windows(2) {
            assert!(pair[0].record.end <= pair[1].record.start);
        }
        for key in &keys {
            let first = bytes[key.record.start];
            assert!(first == key.type_code || first >= opcodes::KEY_META, "{first}");
        }
    }

    #[test]
    fn equal_seeds_make_equal_files() {
        let options = RandomOptions::everything(Magic::Redis(12));
        assert_eq!(random_dump(1, &options), random_dump(1, &options));
        assert_ne!(random_dump(1, &options).0, random_dump(2, &options).0);
    }

    #[test]
    fn names_are_distinct_within_a_database() {
        let (_, keys) =
            random_dump(3, &RandomOptions { keys: 3000, ..RandomOptions::everything(Magic::Redis(9)) });
        let names: std::collections::HashSet<_> = keys.iter().map(|k| (k.db, &k.key)).collect();
        assert_eq!(names.len(), keys.len());
    }
}
