//! Hashes whose fields expire: Redis' 22, 23, 24, 25 and Valkey's 22; and Valkey's path hash, 23.

use crate::enc::{StrForm, put_i64, put_len, put_str};
use crate::packed::Listpack;

/// One field of a hash.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HashField {
    /// Its name.
    pub name: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
    /// When it expires, in milliseconds since the epoch.
    pub expire_ms: Option<u64>,
}

impl HashField {
    /// A field.
    pub fn new(name: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>, expire_ms: Option<u64>) -> Self {
        Self { name: name.into(), value: value.into(), expire_ms }
    }
}

fn earliest(fields: &[HashField]) -> u64 {
    fields.iter().filter_map(|f| f.expire_ms).min().unwrap_or(0)
}

fn put_pair(out: &mut Vec<u8>, field: &HashField, form: StrForm) {
    put_str(out, &field.name, form);
    put_str(out, &field.value, form);
}

/// Redis type 24: the earliest expiry, then each field behind its distance from that.
pub fn hash_metadata(fields: &[HashField], form: StrForm) -> Vec<u8> {
    let min = earliest(fields);
    let mut out = Vec::new();
    put_i64(&mut out, min as i64);
    put_len(&mut out, fields.len() as u64);
    for field in fields {
        put_len(&mut out, field.expire_ms.map_or(0, |at| at - min + 1));
        put_pair(&mut out, field, form);
    }
    out
}

/// Redis type 22: each field behind its expiry, 0 for none.
pub fn hash_metadata_pre_ga(fields: &[HashField], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, fields.len() as u64);
    for field in fields {
        put_len(&mut out, field.expire_ms.unwrap_or(0));
        put_pair(&mut out, field, form);
    }
    out
}

/// A listpack of field, value, expiry (0 for none), in the order servers keep: the earliest first, none last.
pub fn listpack_of_triples(fields: &[HashField]) -> Listpack {
    let mut sorted: Vec<&HashField> = fields.iter().collect();
    sorted.sort_by_key(|f| f.expire_ms.unwrap_or(u64::MAX));
    let mut lp = Listpack::new();
    for field in sorted {
        lp.push(&field.name);
        lp.push(&field.value);
        lp.push_int(field.expire_ms.unwrap_or(0) as i64);
    }
    lp
}

/// Redis type 25: the earliest expiry, then a listpack of triples.
pub fn hash_listpack_ex(fields: &[HashField], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_i64(&mut out, earliest(fields) as i64);
    put_str(&mut out, &listpack_of_triples(fields).finish(), form);
    out
}

/// Redis type 23: a listpack of triples.
pub fn hash_listpack_ex_pre_ga(fields: &[HashField], form: StrForm) -> Vec<u8> {
    super::blob(&listpack_of_triples(fields).finish(), form)
}

/// Valkey type 22: each pair before its expiry, -1 for none.
pub fn valkey_hash(fields: &[HashField], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, fields.len() as u64);
    for field in fields {
        put_pair(&mut out, field, form);
        put_i64(&mut out, field.expire_ms.map_or(-1, |at| at as i64));
    }
    out
}

/// A field and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

/// Valkey type 23: pairs under paths. Only unreleased servers know it.
pub fn valkey_path_hash(paths: &[(Vec<u8>, Vec<Pair>)], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, paths.len() as u64);
    for (path, pairs) in paths {
        put_str(&mut out, path, form);
        out.extend_from_slice(&super::hash(pairs, form));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    fn fields() -> Vec<HashField> {
        vec![
            HashField::new("f3", "v3", Some(4_102_444_801_123)),
            HashField::new("f1", "v1", None),
            HashField::new("f2", "22", Some(4_102_444_800_123)),
        ]
    }

    #[test]
    fn plain_forms_of_real_servers() {
        assert_eq!(
            hash_metadata(&fields(), StrForm::Auto),
            hex("7b d8 c3 2c bb 03 00 00 03 43 e9 02 66 33 02 76 33 00 02 66 31 02 76 31 01 02 66 32 c0 16")
        );
        assert_eq!(
            hash_metadata_pre_ga(&fields()[..2], StrForm::Auto),
            hex("02 81 00 00 03 bb 2c c3 dc 63 02 66 33 02 76 33 00 02 66 31 02 76 31")
        );
        assert_eq!(
            valkey_hash(&fields()[1..], StrForm::Auto),
            hex("02 02 66 31 02 76 31 ff ff ff ff ff ff ff ff 02 66 32 c0 16 7b d8 c3 2c bb 03 00 00")
        );
    }

    #[test]
    fn listpack_form_of_a_real_server() {
        let one = [HashField::new("f", "v", Some(4_102_444_800_123))];
        assert_eq!(
            hash_listpack_ex(&one, StrForm::Plain),
            hex(
                "7b d8 c3 2c bb 03 00 00 17 17 00 00 00 03 00 81 66 02 81 76 02 f4 7b d8 c3 2c bb 03 00 00 09 ff"
            )
        );
        let lp = listpack_of_triples(&fields()).finish();
        assert_eq!(lp[6..10], hex("82 66 32 03"));
        assert_eq!(lp[lp.len() - 3..], hex("00 01 ff"));
    }
}
