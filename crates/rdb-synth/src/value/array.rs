//! Arrays, type 28.

use crate::enc::{StrForm, put_f64, put_i64, put_len, put_str};

/// What one slot of an array holds.
#[derive(Debug, Clone, PartialEq)]
pub enum ArrayItem {
    /// Tag 0, a text; or tag 3 if it is at most 7 bytes long.
    Text(Vec<u8>),
    /// Tag 1.
    Int(i64),
    /// Tag 2.
    Double(f64),
    /// A tag of the caller's choice with a string behind it.
    Tagged(u64, Vec<u8>),
}

/// Type 28: slots in the order given (servers write ascending indexes), and the last inserted index.
pub fn array(slots: &[(u64, ArrayItem)], cursor: Option<u64>, form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, slots.len() as u64);
    put_len(&mut out, u64::from(cursor.is_some()));
    if let Some(cursor) = cursor {
        put_len(&mut out, cursor);
    }
    for (index, item) in slots {
        put_len(&mut out, *index);
        match item {
            ArrayItem::Text(text) => {
                put_len(&mut out, if text.len() <= 7 { 3 } else { 0 });
                put_str(&mut out, text, form);
            }
            ArrayItem::Int(n) => {
                put_len(&mut out, 1);
                put_i64(&mut out, *n);
            }
            ArrayItem::Double(n) => {
                put_len(&mut out, 2);
                put_f64(&mut out, *n);
            }
            ArrayItem::Tagged(tag, text) => {
                put_len(&mut out, *tag);
                put_str(&mut out, text, form);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn cursor_and_short_texts_of_a_real_server() {
        let slots = [(0, ArrayItem::Text(b"p".to_vec())), (1, ArrayItem::Text(b"q".to_vec()))];
        assert_eq!(array(&slots, Some(1), StrForm::Plain), hex("02 01 01 00 03 01 70 01 03 01 71"));
        let slots = [(5, ArrayItem::Text(b"9223372036854775807".to_vec()))];
        assert_eq!(array(&slots, None, StrForm::Auto)[..6], hex("01 00 05 00 13 39"));
        assert_eq!(
            array(&[(2, ArrayItem::Int(-2))], None, StrForm::Auto),
            hex("01 00 02 01 fe ff ff ff ff ff ff ff")
        );
    }
}
