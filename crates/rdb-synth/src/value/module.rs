//! Module values, types 6 and 7, and the tagged values that opcodes 243 and 247 share with them.

use crate::enc::{LenForm, StrForm, put_f64, put_len, put_len_as, put_str};

/// One tagged value.
#[derive(Debug, Clone, PartialEq)]
pub enum ModuleValue {
    /// Tag 1.
    Signed(i64),
    /// Tag 2, which the module API uses for signed numbers too.
    Unsigned(u64),
    /// Tag 3.
    Float(f32),
    /// Tag 4.
    Double(f64),
    /// Tag 5.
    Text(Vec<u8>),
}

const MODULE_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CLASS_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

fn six_bits(name: &str, alphabet: &[u8; 64]) -> u64 {
    name.bytes().fold(0, |id, c| (id << 6) | alphabet.iter().position(|a| *a == c).unwrap_or(0) as u64)
}

/// The number of a module type: nine characters of `A-Z a-z 0-9 - _` and an encoding version below 1024.
pub fn module_id(name: &str, encver: u16) -> u64 {
    (six_bits(name, MODULE_ALPHABET) << 10) | u64::from(encver & 0x3ff)
}

/// The number of a class of key metadata: four characters of `A-Z a-z 0-9 _ -`, a version below 32 and three flags.
pub fn class_spec(name: &str, version: u8, flags: u8) -> u32 {
    ((six_bits(name, CLASS_ALPHABET) as u32) << 8) | (u32::from(version & 31) << 3) | u32::from(flags & 7)
}

/// Appends tagged values and the 0 that ends them.
pub fn put_module_values(out: &mut Vec<u8>, values: &[ModuleValue], form: StrForm) {
    for value in values {
        match value {
            ModuleValue::Signed(n) => {
                put_len(out, 1);
                put_len(out, *n as u64);
            }
            ModuleValue::Unsigned(n) => {
                put_len(out, 2);
                put_len(out, *n);
            }
            ModuleValue::Float(n) => {
                put_len(out, 3);
                out.extend_from_slice(&n.to_le_bytes());
            }
            ModuleValue::Double(n) => {
                put_len(out, 4);
                put_f64(out, *n);
            }
            ModuleValue::Text(text) => {
                put_len(out, 5);
                put_str(out, text, form);
            }
        }
    }
    put_len(out, 0);
}

/// Type 7: the id of [`module_id`] and tagged values.
pub fn module(id: u64, values: &[ModuleValue], form: StrForm) -> Vec<u8> {
    let mut out = Vec::new();
    put_len_as(&mut out, id, LenForm::SixtyFour);
    put_module_values(&mut out, values, form);
    out
}

/// Type 6: an id and bytes that nobody but the module can frame.
pub fn module_pre_ga(id: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_len_as(&mut out, id, LenForm::SixtyFour);
    out.extend_from_slice(bytes);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn names_of_real_modules() {
        assert_eq!(module_id("vectorset", 0), 0xbde7_2da2_bb1e_b400);
        assert_eq!(module_id("test__rdb", 1), 0xb5eb_2dff_fadd_6c01);
        assert_eq!(class_spec("kmt1", 3, 1), 0x926b_7519);
        assert_eq!(class_spec("Z-_9", 31, 0), 0x67ff_bdf8);
    }

    #[test]
    fn value_of_a_real_module() {
        let values = [ModuleValue::Unsigned(-5i64 as u64), ModuleValue::Text(b"hello".to_vec())];
        assert_eq!(
            module(module_id("test___dt", 1), &values, StrForm::Auto),
            hex("81 b5 eb 2d ff ff dd b4 01 02 81 ff ff ff ff ff ff ff fb 05 05 68 65 6c 6c 6f 00")
        );
    }
}
