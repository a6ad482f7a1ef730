//! Ziplists.

use crate::enc::canonical_int;

/// One way to write a ziplist entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ZlForm {
    /// 0..=12 inside the encoding byte.
    Imm4,
    /// A byte `FE` and an i8.
    Int8,
    /// A byte `C0` and an i16.
    Int16,
    /// A byte `F0` and three bytes.
    Int24,
    /// A byte `D0` and an i32.
    Int32,
    /// A byte `E0` and an i64.
    Int64,
    /// A string below 64 bytes.
    Str6,
    /// A string below 16384 bytes.
    Str14,
    /// A string with a 32-bit length.
    Str32,
}

/// Collects entries and puts header and end around them.
#[derive(Debug, Clone, Default)]
pub struct Ziplist {
    body: Vec<u8>,
    len: usize,
    last_start: usize,
    last_size: usize,
    wide_prevlen: bool,
    old_integers: bool,
}

impl Ziplist {
    /// Without entries.
    pub fn new() -> Self {
        Self::default()
    }

    /// A ziplist of these entries, each in the form a server would choose.
    pub fn of<T: AsRef<[u8]>>(entries: impl IntoIterator<Item = T>) -> Self {
        let mut zl = Self::new();
        for entry in entries {
            zl.push(entry.as_ref());
        }
        zl
    }

    /// As Redis 2.4 wrote: without 8-bit, 24-bit and immediate integers.
    pub fn old() -> Self {
        Self { old_integers: true, ..Self::default() }
    }

    /// From now on write the size of the previous entry in five bytes even where one would do.
    pub fn wide_prevlen(mut self, yes: bool) -> Self {
        self.wide_prevlen = yes;
        self
    }

    /// The number of entries so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes the finished ziplist would have.
    pub fn bytes(&self) -> usize {
        self.body.len() + 11
    }

    /// Adds bytes: as an integer if they are its canonical text (below 32 bytes), else as a string.
    pub fn push(&mut self, entry: &[u8]) {
        match canonical_int(entry) {
            Some(n) => self.push_int(n),
            None => self.push_str(entry),
        }
    }

    /// Adds an integer in the narrowest form.
    pub fn push_int(&mut self, n: i64) {
        let form = match n {
            0..=12 if !self.old_integers => ZlForm::Imm4,
            -0x80..=0x7f if !self.old_integers => ZlForm::Int8,
            -0x8000..=0x7fff => ZlForm::Int16,
            -0x80_0000..=0x7f_ffff if !self.old_integers => ZlForm::Int24,
            -0x8000_0000..=0x7fff_ffff => ZlForm::Int32,
            _ => ZlForm::Int64,
        };
        self.push_int_as(n, form);
    }

    /// Adds an integer in this form, cut to what the form holds. A string form writes its text.
    pub fn push_int_as(&mut self, n: i64, form: ZlForm) {
        let le = n.to_le_bytes();
        match form {
            ZlForm::Imm4 => self.entry(&[0xf1 + (n as u8).min(12)], &[]),
            ZlForm::Int8 => self.entry(&[0xfe], &le[..1]),
            ZlForm::Int16 => self.entry(&[0xc0], &le[..2]),
            ZlForm::Int24 => self.entry(&[0xf0], &le[..3]),
            ZlForm::Int32 => self.entry(&[0xd0], &le[..4]),
            ZlForm::Int64 => self.entry(&[0xe0], &le),
            ZlForm::Str6 | ZlForm::Str14 | ZlForm::Str32 => self.push_str_as(n.to_string().as_bytes(), form),
        }
    }

    /// Adds a string in the narrowest form, even if it is the text of an integer.
    pub fn push_str(&mut self, text: &[u8]) {
        let form = match text.len() {
            0..64 => ZlForm::Str6,
            64..16384 => ZlForm::Str14,
            _ => ZlForm::Str32,
        };
        self.push_str_as(text, form);
    }

    /// Adds a string in this form. One that is too long for it gets a wrong length; an integer form means `Str32`.
    pub fn push_str_as(&mut self, text: &[u8], form: ZlForm) {
        let len = text.len();
        match form {
            ZlForm::Str6 => self.entry(&[len as u8 & 0x3f], text),
            ZlForm::Str14 => self.entry(&[0x40 | ((len >> 8) as u8 & 0x3f), len as u8], text),
            _ => {
                let [a, b, c, d] = (len as u32).to_be_bytes();
                self.entry(&[0x80, a, b, c, d], text);
            }
        }
    }

    /// Adds an entry of which only the size of the previous one is written for the caller.
    pub fn push_raw(&mut self, encoding_and_data: &[u8]) {
        self.entry(encoding_and_data, &[]);
    }

    /// The ziplist; its header says 65535 if there are so many entries or more.
    pub fn finish(&self) -> Vec<u8> {
        self.finish_with_count(self.len.min(0xffff) as u16)
    }

    /// The ziplist with a count of the caller's choice; 65535 makes readers walk.
    pub fn finish_with_count(&self, count: u16) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes());
        out.extend_from_slice(&(self.bytes() as u32).to_le_bytes());
        out.extend_from_slice(&(10 + self.last_start as u32).to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&self.body);
        out.push(0xff);
        out
    }

    fn entry(&mut self, encoding: &[u8], data: &[u8]) {
        let start = self.body.len();
        if self.last_size < 254 && !self.wide_prevlen {
            self.body.push(self.last_size as u8);
        } else {
            self.body.push(0xfe);
            self.body.extend_from_slice(&(self.last_size as u32).to_le_bytes());
        }
        self.body.extend_from_slice(encoding);
        self.body.extend_from_slice(data);
        self.last_start = start;
        self.last_size = self.body.len() - start;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn list_and_hash_of_real_servers() {
        assert_eq!(
            Ziplist::of(["a", "b", "c"]).finish(),
            hex("14 00 00 00 10 00 00 00 03 00 00 01 61 03 01 62 03 01 63 ff")
        );
        assert_eq!(
            Ziplist::of(["f1", "v1", "num", "12345", "neg", "-1"]).finish(),
            hex("24 00 00 00 20 00 00 00 06 00 00 02 66 31 04 02 76 31 04 03 6e 75 6d 05 c0 39 30 04 03 6e 65 67 05
                 fe ff ff")
        );
        assert_eq!(Ziplist::new().finish(), hex("0b 00 00 00 0a 00 00 00 00 00 ff"));
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
            Ziplist::of(numbers.iter().map(i64::to_string)).finish(),
            hex("4b 00 00 00 40 00 00 00 0f 00 00 f1 02 fd 02 fe 0d 03 fe ff 03 fe 7f 03 c0 80 00 04 c0 ff 00 04 fe
                 80 03 c0 ff 7f 04 c0 00 80 04 f0 ff ff 7f 05 f0 00 00 80 05 d0 ff ff ff 7f 06 d0 00 00 00 80 06 e0 ff
                 ff ff ff ff ff ff 7f ff")
        );
        let mut old = Ziplist::old();
        old.push(b"1");
        assert_eq!(old.finish()[10..], hex("00 c0 01 00 ff"));
    }

    #[test]
    fn long_entries_and_wide_prevlen() {
        let mut zl =
            Ziplist::of(["x".repeat(63), "y".repeat(64), "z".repeat(200), "w".repeat(300), "1".into()]);
        let bytes = zl.finish();
        assert_eq!(bytes.len(), 655);
        assert_eq!(bytes[..10], hex("8f 02 00 00 88 02 00 00 05 00"));
        assert_eq!(bytes[648..], hex("fe 2f 01 00 00 f2 ff"));
        zl = Ziplist::new().wide_prevlen(true);
        zl.push(b"a");
        zl.push(b"b");
        assert_eq!(zl.finish()[10..], hex("fe 00 00 00 00 01 61 fe 07 00 00 00 01 62 ff"));
    }
}
