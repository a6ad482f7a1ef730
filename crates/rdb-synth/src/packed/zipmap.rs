//! Zipmaps, the small hashes of Redis 2.4.

/// Collects pairs and puts count and end around them.
#[derive(Debug, Clone, Default)]
pub struct Zipmap {
    body: Vec<u8>,
    pairs: usize,
}

impl Zipmap {
    /// Without pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// A zipmap of these pairs, without unused bytes.
    pub fn of<K: AsRef<[u8]>, V: AsRef<[u8]>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        pairs.into_iter().fold(Self::new(), |zm, (key, value)| zm.pair(key.as_ref(), value.as_ref()))
    }

    /// Adds a pair.
    pub fn pair(self, key: &[u8], value: &[u8]) -> Self {
        self.pair_with_free(key, value, 0)
    }

    /// Adds a pair whose value is followed by unused bytes, as after a value became shorter.
    pub fn pair_with_free(mut self, key: &[u8], value: &[u8], free: u8) -> Self {
        self.put_len(key.len(), false);
        self.body.extend_from_slice(key);
        self.put_len(value.len(), false);
        self.put_value(value, free);
        self
    }

    /// Adds a pair with both lengths in five bytes; below 254 that is not canonical and servers refuse it.
    pub fn pair_with_long_lengths(mut self, key: &[u8], value: &[u8]) -> Self {
        self.put_len(key.len(), true);
        self.body.extend_from_slice(key);
        self.put_len(value.len(), true);
        self.put_value(value, 0);
        self
    }

    /// The zipmap; its first byte is 254, "walk to count", if there are so many pairs or more.
    pub fn finish(&self) -> Vec<u8> {
        self.finish_with_count(self.pairs.min(254) as u8)
    }

    /// The zipmap with a count byte of the caller's choice.
    pub fn finish_with_count(&self, count: u8) -> Vec<u8> {
        [&[count], self.body.as_slice(), &[0xff]].concat()
    }

    fn put_value(&mut self, value: &[u8], free: u8) {
        self.body.push(free);
        self.body.extend_from_slice(value);
        self.body.resize(self.body.len() + usize::from(free), b'?');
        self.pairs += 1;
    }

    fn put_len(&mut self, len: usize, long: bool) {
        if len < 254 && !long {
            self.body.push(len as u8);
        } else {
            self.body.push(0xfe);
            self.body.extend_from_slice(&(len as u32).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn hash_of_a_real_server() {
        assert_eq!(
            Zipmap::of([("f1", "v1"), ("num", "12345"), ("neg", "-1")]).finish(),
            hex("03 02 66 31 02 00 76 31 03 6e 75 6d 05 00 31 32 33 34 35 03 6e 65 67 02 00 2d 31 ff")
        );
    }

    #[test]
    fn free_bytes_and_long_lengths() {
        let zm = Zipmap::new().pair_with_free(b"k", b"v", 2).pair(b"l", &[b'x'; 254]);
        let bytes = zm.finish();
        assert_eq!(bytes[..8], hex("02 01 6b 01 02 76 3f 3f"));
        assert_eq!(bytes[8..16], hex("01 6c fe fe 00 00 00 00"));
        assert_eq!(Zipmap::of((0..300).map(|n| (n.to_string(), ""))).finish()[0], 254);
    }
}
