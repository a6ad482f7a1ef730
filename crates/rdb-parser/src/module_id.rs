//! The names that modules sign their data with.

use std::fmt;

/// A module data type: nine letters and an encoding version in 64 bits.
///
/// Source: `moduleTypeNameByID` in `src/module.c` of Redis 7.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModuleId(pub u64);

impl ModuleId {
    const ALPHABET: &'static [u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    /// The name, such as `ReJSON-RL`.
    #[must_use]
    pub fn name(self) -> [u8; 9] {
        let mut shift = 64;
        [(); 9].map(|()| {
            shift -= 6;
            let index = (self.0 >> shift) & 63;
            Self::ALPHABET.get(index as usize).copied().unwrap_or(b'?')
        })
    }

    /// The module's own version of its format.
    #[must_use]
    pub const fn encoding_version(self) -> u16 {
        (self.0 & 1023) as u16
    }
}

impl fmt::Display for ModuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for letter in self.name() {
            write!(f, "{}", char::from(letter))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_real_modules() {
        assert_eq!(ModuleId(0xbde7_2da2_bb1e_b400).to_string(), "vectorset");
        assert_eq!(ModuleId(0xb5eb_2dff_ffdd_b401).to_string(), "test___dt");
        assert_eq!(ModuleId(0xb5eb_2dff_ffdd_b401).encoding_version(), 1);
    }
}
