//! Listpacks.

use crate::enc::canonical_int;

/// One way to write a listpack entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LpForm {
    /// 0..=127 in one byte.
    Uint7,
    /// -4096..=4095 in two bytes.
    Int13,
    /// A byte `F1` and an i16.
    Int16,
    /// A byte `F2` and three bytes.
    Int24,
    /// A byte `F3` and an i32.
    Int32,
    /// A byte `F4` and an i64.
    Int64,
    /// A string below 64 bytes.
    Str6,
    /// A string below 4096 bytes.
    Str12,
    /// A string with a 32-bit length.
    Str32,
}

/// Collects entries and puts header and end around them.
#[derive(Debug, Clone, Default)]
pub struct Listpack {
    body: Vec<u8>,
    len: usize,
}

impl Listpack {
    /// Without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// A listpack of these entries, each in the form a server would choose.
    pub fn of<T: AsRef<[u8]>>(entries: impl IntoIterator<Item = T>) -> Self {
        let mut lp = Self::new();
        for entry in entries {
            lp.push(entry.as_ref());
        }
        lp
    }

    /// The number of entries so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes the finished listpack would have.
    pub fn bytes(&self) -> usize {
        self.body.len() + 7
    }

    /// Forgets all entries and keeps the memory.
    pub fn clear(&mut self) {
        self.body.clear();
        self.len = 0;
    }

    /// Adds bytes: as an integer if they are its canonical text, else as a string.
    pub fn push(&mut self, entry: &[u8]) {
        match canonical_int(entry) {
            Some(n) => self.push_int(n),
            None => self.push_str(entry),
        }
    }

    /// Adds an integer in the narrowest form.
    pub fn push_int(&mut self, n: i64) {
        let form = match n {
            0..=127 => LpForm::Uint7,
            -4096..=4095 => LpForm::Int13,
            -0x8000..=0x7fff => LpForm::Int16,
            -0x80_0000..=0x7f_ffff => LpForm::Int24,
            -0x8000_0000..=0x7fff_ffff => LpForm::Int32,
            _ => LpForm::Int64,
        };
        self.push_int_as(n, form);
    }

    /// Adds an integer in this form, cut to what the form holds. A string form writes its text.
    pub fn push_int_as(&mut self, n: i64, form: LpForm) {
        let start = self.body.len();
        let le = n.to_le_bytes();
        match form {
            LpForm::Uint7 => self.body.push(n as u8 & 0x7f),
            LpForm::Int13 => self.body.extend_from_slice(&[0xc0 | ((n >> 8) as u8 & 0x1f), n as u8]),
            LpForm::Int16 => self.tagged(0xf1, &le[..2]),
            LpForm::Int24 => self.tagged(0xf2, &le[..3]),
            LpForm::Int32 => self.tagged(0xf3, &le[..4]),
            LpForm::Int64 => self.tagged(0xf4, &le),
            LpForm::Str6 | LpForm::Str12 | LpForm::Str32 => {
                return self.push_str_as(n.to_string().as_bytes(), form);
            }
        }
        self.end_entry(start);
    }

    /// Adds a string in the narrowest form, even if it is the text of an integer.
    pub fn push_str(&mut self, text: &[u8]) {
        let form = match text.len() {
            0..64 => LpForm::Str6,
            64..4096 => LpForm::Str12,
            _ => LpForm::Str32,
        };
        self.push_str_as(text, form);
    }

    /// Adds a string in this form. One that is too long for it gets a wrong length; an integer form means `Str32`.
    pub fn push_str_as(&mut self, text: &[u8], form: LpForm) {
        let start = self.body.len();
        let len = text.len();
        match form {
            LpForm::Str6 => self.body.push(0x80 | (len as u8 & 0x3f)),
            LpForm::Str12 => self.body.extend_from_slice(&[0xe0 | ((len >> 8) as u8 & 0x0f), len as u8]),
            _ => self.tagged(0xf0, &(len as u32).to_le_bytes()),
        }
        self.body.extend_from_slice(text);
        self.end_entry(start);
    }

    /// Adds bytes as they are and counts them as one entry.
    pub fn push_raw(&mut self, entry: &[u8]) {
        self.body.extend_from_slice(entry);
        self.len += 1;
    }

    /// Adds all entries of another listpack.
    pub fn append(&mut self, other: &Self) {
        self.body.extend_from_slice(&other.body);
        self.len += other.len;
    }

    /// The listpack; its header says 65535 if there are so many entries or more.
    pub fn finish(&self) -> Vec<u8> {
        self.finish_with_count(self.len.min(0xffff) as u16)
    }

    /// The listpack with a count of the caller's choice; 65535 makes readers walk.
    pub fn finish_with_count(&self, count: u16) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes());
        out.extend_from_slice(&(self.bytes() as u32).to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&self.body);
        out.push(0xff);
        out
    }

    fn tagged(&mut self, tag: u8, rest: &[u8]) {
        self.body.push(tag);
        self.body.extend_from_slice(rest);
    }

    fn end_entry(&mut self, start: usize) {
        let size = self.body.len() - start;
        let groups = match size {
            0..=127 => 1,
            128..16383 => 2,
            16383..2_097_151 => 3,
            2_097_151..268_435_455 => 4,
            _ => 5,
        };
        for group in (0..groups).rev() {
            let bits = (size >> (7 * group)) as u8 & 0x7f;
            self.body.push(if group + 1 == groups { bits } else { bits | 0x80 });
        }
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn hash_of_a_real_server() {
        let lp = Listpack::of(["f1", "v1", "num", "12345", "neg", "-1"]);
        assert_eq!(
            lp.finish(),
            hex(
                "20 00 00 00 06 00 82 66 31 03 82 76 31 03 83 6e 75 6d 04 f1 39 30 03 83 6e 65 67 04 df ff 02 ff"
            )
        );
        assert_eq!((lp.len(), lp.bytes()), (6, 32));
    }

    #[test]
    fn integer_widths_of_a_real_server() {
        let numbers: [i64; 15] = [
            0,
            12,
            13,
            -1,
            127,
            128,
            255,
            -128,
            32767,
            -32768,
            8_388_607,
            -8_388_608,
            2_147_483_647,
            -2_147_483_648,
            i64::MAX,
        ];
        assert_eq!(
            Listpack::of(numbers.iter().map(i64::to_string)).finish(),
            hex("43 00 00 00 0f 00 00 01 0c 01 0d 01 df ff 02 7f 01 c0 80 02 c0 ff 02 df 80 02 f1 ff 7f 03 f1 00 80
                 03 f2 ff ff 7f 04 f2 00 00 80 04 f3 ff ff ff 7f 05 f3 00 00 00 80 05 f4 ff ff ff ff ff ff ff 7f 09 ff")
        );
    }

    #[test]
    fn backlen_grows_at_the_odd_thresholds() {
        let backlen = |text: usize| {
            let mut lp = Listpack::new();
            lp.push_str_as(&vec![b'x'; text], LpForm::Str32);
            lp.bytes() - 7 - 5 - text
        };
        assert_eq!([backlen(122), backlen(123)], [1, 2]);
        assert_eq!([backlen(16377), backlen(16378)], [2, 3]);
        assert_eq!([backlen(2_097_145), backlen(2_097_146)], [3, 4]);
        let mut lp = Listpack::new();
        lp.push_str(&[b'P'; 100]);
        assert_eq!(lp.body[..3], [0xe0, 0x64, b'P']);
        assert_eq!(lp.body[102..], [0x66]);
        lp.clear();
        lp.push_str(&[b'x'; 300]);
        assert_eq!(lp.body[302..], [0x02, 0x80 | 0x2e]);
    }

    #[test]
    fn many_entries_are_not_counted_in_the_header() {
        let mut lp = Listpack::new();
        (0..65534).for_each(|_| lp.push_int(1));
        assert_eq!(lp.finish()[4..6], [0xfe, 0xff]);
        lp.push_int(1);
        lp.push_int(1);
        assert_eq!(lp.finish()[4..6], [0xff, 0xff]);
    }
}
