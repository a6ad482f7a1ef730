//! Hashes that share their field names: 29, 30, 31 and 32.

use crate::enc::{StrForm, put_len, put_str};
use crate::packed::Listpack;

/// How types 29 and 31 carry the names themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldNames {
    /// Format 0: in a listpack.
    Listpack,
    /// Format 1: as strings.
    Strings,
}

fn put_names<T: AsRef<[u8]>>(out: &mut Vec<u8>, names: &[T], format: FieldNames, form: StrForm) {
    match format {
        FieldNames::Listpack => {
            put_len(out, 0);
            put_str(out, &Listpack::of(names).finish(), form);
        }
        FieldNames::Strings => {
            put_len(out, 1);
            out.extend_from_slice(&super::list(names, form));
        }
    }
}

fn put_values_listpack<T: AsRef<[u8]>>(out: &mut Vec<u8>, id: u64, values: &[T], form: StrForm) {
    let mut lp = Listpack::new();
    lp.push_int(id as i64);
    for value in values {
        lp.push(value.as_ref());
    }
    put_str(out, &lp.finish(), form);
}

/// Type 30: a listpack of the template's id and the values.
pub fn hash_template_listpack_ref<T: AsRef<[u8]>>(id: u64, values: &[T], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_values_listpack(&mut out, id, values, form);
    out
}

/// Type 32: the template's id and the values as strings.
pub fn hash_template_array_ref<T: AsRef<[u8]>>(id: u64, values: &[T], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, id);
    for value in values {
        put_str(&mut out, value.as_ref(), form);
    }
    out
}

/// Type 29: the names, then a listpack of an id nobody reads and the values.
pub fn hash_template_listpack<N: AsRef<[u8]>, T: AsRef<[u8]>>(
    names: &[N],
    format: FieldNames,
    values: &[T],
    form: StrForm,
) -> Vec<u8> {
    let mut out = Vec::new();
    put_names(&mut out, names, format, form);
    put_values_listpack(&mut out, 0, values, form);
    out
}

/// Type 31: the names, then the values as strings.
pub fn hash_template_array<N: AsRef<[u8]>, T: AsRef<[u8]>>(
    names: &[N],
    format: FieldNames,
    values: &[T],
    form: StrForm,
) -> Vec<u8> {
    let mut out = Vec::new();
    put_names(&mut out, names, format, form);
    for value in values {
        put_str(&mut out, value.as_ref(), form);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn references_of_a_real_server() {
        assert_eq!(
            hash_template_listpack_ref(0, &["42", "bob", "b@x.y"], StrForm::Plain),
            hex("17 17 00 00 00 04 00 00 01 2a 01 83 62 6f 62 04 85 62 40 78 2e 79 06 ff")
        );
        assert_eq!(
            hash_template_array_ref(0, &["42", "b@x.y"], StrForm::Auto),
            hex("00 c0 2a 05 62 40 78 2e 79")
        );
    }

    #[test]
    fn both_formats_of_names() {
        assert_eq!(
            hash_template_array(&["a", "b"], FieldNames::Strings, &["1", "x"], StrForm::Auto),
            hex("01 02 01 61 01 62 c0 01 01 78")
        );
        assert_eq!(
            hash_template_listpack(&["a"], FieldNames::Listpack, &["1"], StrForm::Plain),
            hex("00 0a 0a 00 00 00 01 00 81 61 02 ff 0b 0b 00 00 00 02 00 00 01 01 01 ff")
        );
    }
}
