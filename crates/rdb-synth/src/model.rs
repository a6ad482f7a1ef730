//! Logical keys and values, and the encodings that can hold them.

use crate::enc::{StrForm, score_text};
use crate::packed::{Listpack, LpForm, StreamId, StreamNode, Ziplist, Zipmap, ZlForm};
use crate::prng::Prng;
use crate::record::{self, Attrs, Magic};
use crate::type_code::{type_word, types};
use crate::value::{
    self, ArrayItem, FieldNames, Group, HashField, Idmp, ModuleValue, QuicklistNode, VectorSet,
};

/// A key as a client sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// Its database.
    pub db: u64,
    /// Its name.
    pub name: Vec<u8>,
    /// What stands before it.
    pub attrs: Attrs,
    /// Its value.
    pub value: Value,
}

impl Key {
    /// Appends the record, or appends nothing and returns false if this type code cannot hold the value.
    pub fn put(&self, out: &mut Vec<u8>, type_code: u8, how: &Encoding) -> bool {
        let Some(bytes) = self.value.encode(type_code, how) else { return false };
        self.attrs.put(out);
        record::key(out, type_code, &self.name, &bytes);
        true
    }
}

/// A value as a client sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A string.
    String(Vec<u8>),
    /// A list.
    List(Vec<Vec<u8>>),
    /// A set; members are distinct.
    Set(Vec<Vec<u8>>),
    /// A sorted set; members are distinct.
    Zset(Vec<(Vec<u8>, f64)>),
    /// A hash; names are distinct.
    Hash(Vec<HashField>),
    /// A stream.
    Stream(StreamModel),
    /// An array and its cursor.
    Array(Vec<(u64, ArrayItem)>, Option<u64>),
    /// A module's value: name, encoding version, content.
    Module(String, u16, Vec<ModuleValue>),
    /// A vector set.
    VectorSet(VectorSet),
    /// A rate limiter's time stamp.
    Gcra(u64),
}

/// A stream by its entries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StreamModel {
    /// Entries, ascending.
    pub entries: Vec<StreamEntry>,
    /// The last ID ever given.
    pub last_id: StreamId,
    /// Consumer groups.
    pub groups: Vec<Group>,
    /// Idempotent producers.
    pub idmp: Idmp,
}

/// An entry of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamEntry {
    /// Its ID.
    pub id: StreamId,
    /// Fields and values.
    pub pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// Whether it is a tombstone.
    pub deleted: bool,
}

/// The choices that are left when a type code is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoding {
    /// The file's family and version.
    pub magic: Magic,
    /// How strings are written.
    pub form: StrForm,
    /// Most elements or entries of one node of a list or stream.
    pub per_node: usize,
    /// With a seed, entries of listpacks and ziplists take any form that holds them, not only the narrowest.
    pub odd_forms: Option<u64>,
    /// The template that types 30 and 32 refer to.
    pub template: Option<u64>,
    /// How types 29 and 31 carry field names.
    pub names: FieldNames,
}

impl Encoding {
    /// What a server with default settings does.
    pub fn of(magic: Magic) -> Self {
        let names = FieldNames::Listpack;
        Self { magic, form: StrForm::Auto, per_node: 100, odd_forms: None, template: None, names }
    }

    fn listpack<T: AsRef<[u8]>>(&self, entries: impl IntoIterator<Item = T>) -> Vec<u8> {
        let Some(seed) = self.odd_forms else { return Listpack::of(entries).finish() };
        let mut rng = Prng::new(seed);
        let mut lp = Listpack::new();
        for entry in entries {
            push_odd_lp(&mut lp, entry.as_ref(), &mut rng);
        }
        if rng.chance(100) { lp.finish_with_count(0xffff) } else { lp.finish() }
    }

    fn ziplist<T: AsRef<[u8]>>(&self, entries: impl IntoIterator<Item = T>) -> Vec<u8> {
        let mut zl = if self.magic.version() < 6 { Ziplist::old() } else { Ziplist::new() };
        let mut rng = self.odd_forms.map(Prng::new);
        for entry in entries {
            match &mut rng {
                Some(rng) => {
                    let wide = rng.chance(100);
                    zl = zl.wide_prevlen(wide);
                    push_odd_zl(&mut zl, entry.as_ref(), rng);
                }
                None => zl.push(entry.as_ref()),
            }
        }
        zl.finish()
    }
}

fn push_odd_lp(lp: &mut Listpack, entry: &[u8], rng: &mut Prng) {
    match crate::enc::canonical_int(entry) {
        Some(n) if rng.chance(300) => {
            let form =
                if i32::try_from(n).is_ok() && rng.chance(500) { LpForm::Int32 } else { LpForm::Int64 };
            lp.push_int_as(n, form);
        }
        Some(n) if rng.chance(700) => lp.push_int(n),
        _ if rng.chance(150) => lp.push_str_as(entry, LpForm::Str32),
        _ if entry.len() < 4096 && rng.chance(150) => lp.push_str_as(entry, LpForm::Str12),
        _ => lp.push_str(entry),
    }
}

fn push_odd_zl(zl: &mut Ziplist, entry: &[u8], rng: &mut Prng) {
    match crate::enc::canonical_int(entry) {
        Some(n) if rng.chance(300) => {
            let form =
                if i32::try_from(n).is_ok() && rng.chance(500) { ZlForm::Int32 } else { ZlForm::Int64 };
            zl.push_int_as(n, form);
        }
        Some(n) if rng.chance(700) => zl.push_int(n),
        _ if rng.chance(150) => zl.push_str_as(entry, ZlForm::Str32),
        _ if entry.len() < 16384 && rng.chance(150) => zl.push_str_as(entry, ZlForm::Str14),
        _ => zl.push_str(entry),
    }
}

impl Value {
    /// What `TYPE` answers.
    pub fn type_word(&self) -> &str {
        match self {
            Self::String(_) => type_word(types::STRING),
            Self::List(_) => type_word(types::LIST),
            Self::Set(_) => type_word(types::SET),
            Self::Zset(_) => type_word(types::ZSET),
            Self::Hash(_) => type_word(types::HASH),
            Self::Stream(_) => type_word(types::STREAM_LISTPACKS),
            Self::Array(..) => type_word(types::ARRAY),
            Self::Module(name, ..) => name,
            Self::VectorSet(_) => "vectorset",
            Self::Gcra(_) => type_word(types::GCRA),
        }
    }

    /// What STRLEN, LLEN, SCARD, ZCARD, HLEN, XLEN, VCARD answer; for an array, its filled slots.
    pub fn elements(&self) -> Option<u64> {
        let n = match self {
            Self::String(text) => text.len(),
            Self::List(items) | Self::Set(items) => items.len(),
            Self::Zset(members) => members.len(),
            Self::Hash(fields) => fields.len(),
            Self::Stream(stream) => stream.entries.iter().filter(|e| !e.deleted).count(),
            Self::Array(slots, _) => slots.len(),
            Self::VectorSet(set) => set.elements.len(),
            Self::Module(..) | Self::Gcra(_) => return None,
        };
        Some(n as u64)
    }

    /// The bytes under this type code, or nothing if it cannot hold the value.
    pub fn encode(&self, type_code: u8, how: &Encoding) -> Option<Vec<u8>> {
        let form = how.form;
        let blob = |bytes: Vec<u8>| value::blob(&bytes, form);
        Some(match (self, type_code) {
            (Self::String(text), types::STRING) => value::string(text, form),
            (Self::List(items), types::LIST) => value::list(items, form),
            (Self::List(items), types::LIST_ZIPLIST) => blob(how.ziplist(items)),
            (Self::List(items), types::LIST_QUICKLIST) => {
                let nodes: Vec<_> = items.chunks(how.per_node.max(1)).map(|node| how.ziplist(node)).collect();
                value::quicklist(&nodes, form)
            }
            (Self::List(items), types::LIST_QUICKLIST_2) => {
                value::quicklist_2(&quicklist_nodes(items, how), form)
            }
            (Self::Set(items), types::SET) => value::set(items, form),
            (Self::Set(items), types::SET_LISTPACK) => blob(how.listpack(items)),
            (Self::Set(items), types::SET_INTSET) => {
                let numbers: Option<Vec<i64>> = items.iter().map(|i| crate::enc::canonical_int(i)).collect();
                value::set_intset(&numbers?, form)
            }
            (Self::Zset(members), types::ZSET) => value::zset(members, form),
            (Self::Zset(members), types::ZSET_2) => value::zset_2(members, form),
            (Self::Zset(members), types::ZSET_ZIPLIST) => blob(how.ziplist(flat_by_score(members))),
            (Self::Zset(members), types::ZSET_LISTPACK) => blob(how.listpack(flat_by_score(members))),
            (Self::Hash(fields), _) => return encode_hash(fields, type_code, how),
            (Self::Stream(stream), _) => {
                let version = value::StreamVersion::of_type(type_code)?;
                stream.store(how.per_node).finish(version, form)
            }
            (Self::Array(slots, cursor), types::ARRAY) => value::array(slots, *cursor, form),
            (Self::Module(name, encver, values), types::MODULE_2) => {
                value::module(value::module_id(name, *encver), values, form)
            }
            (Self::VectorSet(set), types::MODULE_2) => set.finish(form),
            (Self::Gcra(time), types::GCRA) => value::gcra(*time),
            _ => return None,
        })
    }
}

fn quicklist_nodes(items: &[Vec<u8>], how: &Encoding) -> Vec<QuicklistNode> {
    const LARGE: usize = 8192;
    let mut nodes = Vec::new();
    for run in items.chunk_by(|a, b| a.len() <= LARGE && b.len() <= LARGE) {
        match run {
            [one] if one.len() > LARGE => nodes.push(QuicklistNode::Plain(one.clone())),
            _ => nodes.extend(
                run.chunks(how.per_node.max(1)).map(|node| QuicklistNode::Packed(how.listpack(node))),
            ),
        }
    }
    nodes
}

fn flat_by_score(members: &[(Vec<u8>, f64)]) -> Vec<Vec<u8>> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
    sorted.into_iter().flat_map(|(member, score)| [member.clone(), score_text(*score).into_bytes()]).collect()
}

fn encode_hash(fields: &[HashField], type_code: u8, how: &Encoding) -> Option<Vec<u8>> {
    let form = how.form;
    let valkey = matches!(how.magic, Magic::Valkey(_));
    match type_code {
        types::HASH_METADATA if !valkey => return Some(value::hash_metadata(fields, form)),
        types::HASH_LISTPACK_EX if !valkey => return Some(value::hash_listpack_ex(fields, form)),
        types::HASH_METADATA_PRE_GA if !valkey => return Some(value::hash_metadata_pre_ga(fields, form)),
        types::HASH_LISTPACK_EX_PRE_GA if !valkey => {
            return Some(value::hash_listpack_ex_pre_ga(fields, form));
        }
        types::VALKEY_HASH_2 => return Some(value::valkey_hash(fields, form)),
        _ if fields.iter().any(|f| f.expire_ms.is_some()) => return None,
        _ => {}
    }
    let pairs: Vec<_> = fields.iter().map(|f| (f.name.clone(), f.value.clone())).collect();
    let flat = || fields.iter().flat_map(|f| [&f.name, &f.value]);
    let names: Vec<_> = fields.iter().map(|f| &f.name).collect();
    let values: Vec<_> = fields.iter().map(|f| &f.value).collect();
    Some(match type_code {
        types::HASH => value::hash(&pairs, form),
        types::HASH_ZIPMAP if how.odd_forms.is_some() => {
            let zm =
                pairs.iter().fold(Zipmap::new(), |zm, (k, v)| zm.pair_with_free(k, v, (k.len() % 4) as u8));
            value::blob(&zm.finish(), form)
        }
        types::HASH_ZIPMAP => value::zipmap(&pairs, form),
        types::HASH_ZIPLIST => value::blob(&how.ziplist(flat()), form),
        types::HASH_LISTPACK => value::blob(&how.listpack(flat()), form),
        types::HASH_TMPL_LP => value::hash_template_listpack(&names, how.names, &values, form),
        types::HASH_TMPL_ARRAY => value::hash_template_array(&names, how.names, &values, form),
        types::HASH_TMPL_LP_REF => value::hash_template_listpack_ref(how.template?, &values, form),
        types::HASH_TMPL_ARRAY_REF => value::hash_template_array_ref(how.template?, &values, form),
        types::VALKEY_PATH_HASH => {
            let half = pairs.len() / 2;
            let paths =
                [(b"left".to_vec(), pairs[..half].to_vec()), (b"right".to_vec(), pairs[half..].to_vec())];
            value::valkey_path_hash(&paths, form)
        }
        _ => return None,
    })
}

impl StreamModel {
    /// Revives one entry of each node, of so many entries, that has only tombstones: servers drop such nodes, and the
    /// newest refuse to load them.
    pub fn revive_empty_nodes(&mut self, per_node: usize) {
        for node in self.entries.chunks_mut(per_node.max(1)) {
            if node.iter().all(|entry| entry.deleted) {
                node[0].deleted = false;
            }
        }
    }

    /// The stream as stored, in nodes of at most so many entries.
    pub fn store(&self, per_node: usize) -> value::Stream {
        let nodes = self.entries.chunks(per_node.max(1)).map(|chunk| {
            let names = chunk[0].pairs.iter().map(|(name, _)| name);
            let mut node = StreamNode::new(chunk[0].id, names);
            for entry in chunk {
                node.push(entry.id, &entry.pairs, entry.deleted);
            }
            (node.key().to_vec(), node.finish())
        });
        let live = || self.entries.iter().filter(|e| !e.deleted);
        value::Stream {
            nodes: nodes.collect(),
            live: live().count() as u64,
            last_id: self.last_id,
            first_id: live().map(|e| e.id).next().unwrap_or_default(),
            max_deleted_id: self.entries.iter().filter(|e| e.deleted).map(|e| e.id).max().unwrap_or_default(),
            entries_added: self.entries.len() as u64,
            groups: self.groups.clone(),
            idmp: self.idmp.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn one_hash_in_several_encodings() {
        let hash = Value::Hash(vec![HashField::new("a", "1", None)]);
        let mut how = Encoding::of(Magic::Redis(15));
        assert_eq!(hash.encode(4, &how), Some(hex("01 01 61 c0 01")));
        assert_eq!(hash.encode(13, &how), Some(hex("10 10 00 00 00 0d 00 00 00 02 00 00 01 61 03 f2 ff")));
        assert_eq!(hash.encode(16, &how), Some(hex("0c 0c 00 00 00 02 00 81 61 02 01 01 ff")));
        assert_eq!(hash.encode(22, &how), Some(hex("01 00 01 61 c0 01")));
        assert_eq!(hash.encode(32, &how), None);
        how.template = Some(3);
        assert_eq!(hash.encode(32, &how), Some(hex("03 c0 01")));
        how.magic = Magic::Valkey(80);
        assert_eq!(hash.encode(22, &how), Some(hex("01 01 61 c0 01 ff ff ff ff ff ff ff ff")));
        assert_eq!(hash.encode(0, &how), None);
        assert_eq!((hash.type_word(), hash.elements()), ("hash", Some(1)));
    }

    #[test]
    fn large_list_elements_get_plain_nodes() {
        let list = Value::List(vec![b"a".to_vec(), vec![b'x'; 9000], b"b".to_vec()]);
        let how = Encoding { form: StrForm::Plain, ..Encoding::of(Magic::Redis(10)) };
        let bytes = list.encode(18, &how).unwrap_or_default();
        assert_eq!(bytes[..2], hex("03 02"));
        assert_eq!(bytes[13..16], hex("01 63 28"));
    }

    #[test]
    fn zset_entries_ascend_by_score() {
        let zset = Value::Zset(vec![(b"b".to_vec(), 2.0), (b"a".to_vec(), -1.0)]);
        let how = Encoding::of(Magic::Redis(10));
        assert_eq!(
            zset.encode(17, &how),
            Some(hex("12 12 00 00 00 04 00 81 61 02 df ff 02 81 62 02 02 01 ff"))
        );
    }
}
