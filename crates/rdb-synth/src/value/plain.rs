//! Types without nested structures: 0, 1, 2, 3, 4, 5 and 33.

use crate::enc::{StrForm, put_ascii_f64, put_f64, put_len, put_str};

/// Type 0: one string.
pub fn string(text: &[u8], form: StrForm) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 9);
    put_str(&mut out, text, form);
    out
}

/// Type 1: a list of strings.
pub fn list<T: AsRef<[u8]>>(elements: &[T], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, elements.len() as u64);
    for element in elements {
        put_str(&mut out, element.as_ref(), form);
    }
    out
}

/// Type 2: a set of strings, the same layout as [`list`].
pub fn set<T: AsRef<[u8]>>(members: &[T], form: StrForm) -> Vec<u8> {
    list(members, form)
}

/// Type 3: members with scores as text.
pub fn zset<T: AsRef<[u8]>>(members: &[(T, f64)], form: StrForm) -> Vec<u8> {
    scored(members, form, put_ascii_f64)
}

/// Type 5: members with binary scores.
pub fn zset_2<T: AsRef<[u8]>>(members: &[(T, f64)], form: StrForm) -> Vec<u8> {
    scored(members, form, put_f64)
}

fn scored<T: AsRef<[u8]>>(members: &[(T, f64)], form: StrForm, put_score: fn(&mut Vec<u8>, f64)) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, members.len() as u64);
    for (member, score) in members {
        put_str(&mut out, member.as_ref(), form);
        put_score(&mut out, *score);
    }
    out
}

/// Type 4: pairs of strings.
pub fn hash<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: &[(K, V)], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, pairs.len() as u64);
    for (field, value) in pairs {
        put_str(&mut out, field.as_ref(), form);
        put_str(&mut out, value.as_ref(), form);
    }
    out
}

/// Type 33: one time stamp as a length. Released servers do not know it.
pub fn gcra(time: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, time);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn zset_scores_of_real_servers() {
        let members = [("ninf", f64::NEG_INFINITY), ("one", 1.0), ("pinf", f64::INFINITY), ("x", 2.5)];
        assert_eq!(
            zset(&members, StrForm::Auto),
            hex("04 04 6e 69 6e 66 ff 03 6f 6e 65 01 31 04 70 69 6e 66 fe 01 78 03 32 2e 35")
        );
        assert_eq!(zset_2(&members[1..2], StrForm::Auto), hex("01 03 6f 6e 65 00 00 00 00 00 00 f0 3f"));
    }

    #[test]
    fn hash_counts_pairs() {
        assert_eq!(
            hash(&[("f1", "v1"), ("n", "22")], StrForm::Auto),
            hex("02 02 66 31 02 76 31 01 6e c0 16")
        );
    }
}
