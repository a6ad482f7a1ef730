//! Types that are one string holding a nested structure: 9, 10, 11, 12, 13, 16, 17 and 20.

use crate::enc::{StrForm, put_str, score_text};
use crate::packed::{Listpack, Ziplist, Zipmap, intset};

/// Any finished nested structure as a value.
pub fn blob(bytes: &[u8], form: StrForm) -> Vec<u8> {
    super::string(bytes, form)
}

fn wrapped(bytes: Vec<u8>, form: StrForm) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 9);
    put_str(&mut out, &bytes, form);
    out
}

/// Type 9: pairs in a zipmap.
pub fn zipmap<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: &[(K, V)], form: StrForm) -> Vec<u8> {
    wrapped(Zipmap::of(pairs.iter().map(|(k, v)| (k, v))).finish(), form)
}

/// Type 10: a list in a ziplist.
pub fn ziplist<T: AsRef<[u8]>>(elements: &[T], form: StrForm) -> Vec<u8> {
    wrapped(Ziplist::of(elements).finish(), form)
}

/// Type 11: integers in an intset.
pub fn set_intset(numbers: &[i64], form: StrForm) -> Vec<u8> {
    wrapped(intset(numbers), form)
}

/// Type 12: members and scores in a ziplist, in the order given (servers want ascending scores).
pub fn zset_ziplist<T: AsRef<[u8]>>(members: &[(T, f64)], form: StrForm) -> Vec<u8> {
    let mut zl = Ziplist::new();
    for (member, score) in members {
        zl.push(member.as_ref());
        zl.push(score_text(*score).as_bytes());
    }
    wrapped(zl.finish(), form)
}

/// Type 13: pairs in a ziplist.
pub fn pairs_ziplist<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: &[(K, V)], form: StrForm) -> Vec<u8> {
    wrapped(Ziplist::of(pairs.iter().flat_map(|(k, v)| [k.as_ref(), v.as_ref()])).finish(), form)
}

/// Type 16: pairs in a listpack.
pub fn pairs_listpack<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: &[(K, V)], form: StrForm) -> Vec<u8> {
    wrapped(Listpack::of(pairs.iter().flat_map(|(k, v)| [k.as_ref(), v.as_ref()])).finish(), form)
}

/// Type 17: members and scores in a listpack, in the order given (servers want ascending scores).
pub fn zset_listpack<T: AsRef<[u8]>>(members: &[(T, f64)], form: StrForm) -> Vec<u8> {
    let mut lp = Listpack::new();
    for (member, score) in members {
        lp.push(member.as_ref());
        lp.push(score_text(*score).as_bytes());
    }
    wrapped(lp.finish(), form)
}

/// Type 20: members in a listpack.
pub fn listpack<T: AsRef<[u8]>>(members: &[T], form: StrForm) -> Vec<u8> {
    wrapped(Listpack::of(members).finish(), form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn zsets_of_real_servers() {
        let members = [("1", 1.0), ("2", 2.0)];
        assert_eq!(
            zset_ziplist(&members, StrForm::Plain),
            hex("13 13 00 00 00 10 00 00 00 04 00 00 f2 02 f2 02 f3 02 f3 ff")
        );
        assert_eq!(
            zset_listpack(&members, StrForm::Plain),
            hex("0f 0f 00 00 00 04 00 01 01 01 01 02 01 02 01 ff")
        );
    }

    #[test]
    fn set_of_a_real_server() {
        assert_eq!(
            listpack(&["a", "b", "10", "c"], StrForm::Plain),
            hex("12 12 00 00 00 04 00 81 61 02 81 62 02 0a 01 81 63 02 ff")
        );
    }
}
