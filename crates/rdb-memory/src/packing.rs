//! Packing elements into a listpack or ziplist, of which only the length is kept.

use rdb_parser::packed::Entry;
use rdb_parser::packed::listpack::{self as listpacks, Listpack};
use rdb_parser::packed::ziplist::{self as ziplists, Ziplist};
use rdb_parser::{Fault, Limits, RdbStr};

use crate::{listpack, ziplist};

/// The two forms of packed values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Ziplist,
    Listpack,
}

/// A text that may be an integer.
pub(crate) trait Text: Copy {
    /// Its length in bytes.
    fn len(self) -> u64;
    /// The integer that it is, as servers decide it.
    fn to_i64(self) -> Option<i64>;
}

impl Text for RdbStr<'_> {
    #[inline]
    fn len(self) -> u64 {
        RdbStr::len(self)
    }

    #[inline]
    fn to_i64(self) -> Option<i64> {
        RdbStr::to_i64(self)
    }
}

impl Text for Entry<'_> {
    #[inline]
    fn len(self) -> u64 {
        Entry::len(self)
    }

    #[inline]
    fn to_i64(self) -> Option<i64> {
        Entry::to_i64(self)
    }
}

/// The length of a packed value to which elements are appended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packing {
    form: Form,
    bytes: u64,
    /// Bytes of the last element, which the next element of a ziplist names.
    last: u64,
}

impl Packing {
    /// An empty value.
    pub(crate) fn new(form: Form) -> Self {
        let bytes = match form {
            Form::Ziplist => ziplist::EMPTY,
            Form::Listpack => listpack::EMPTY,
        };
        Self { form, bytes, last: 0 }
    }

    /// Its form.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    /// Its length so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Appends an integer.
    #[inline]
    pub(crate) fn push_integer(&mut self, value: i64) {
        self.last = match self.form {
            Form::Listpack => listpack::integer(value),
            Form::Ziplist => ziplist::integer(value, self.last),
        };
        self.bytes = self.bytes.saturating_add(self.last);
    }

    /// Appends a text of `len` bytes, which is an integer if that is given.
    #[inline]
    pub(crate) fn push(&mut self, len: u64, integer: Option<i64>) {
        match (integer, self.form) {
            (Some(value), Form::Listpack) => return self.push_integer(value),
            (Some(value), Form::Ziplist) if len <= ziplist::LONGEST_INTEGER => {
                return self.push_integer(value);
            }
            _ => {}
        }
        self.last = match self.form {
            Form::Listpack => listpack::text(len),
            Form::Ziplist => ziplist::text(len, self.last),
        };
        self.bytes = self.bytes.saturating_add(self.last);
    }

    /// Appends a string of the file, or an entry of another packed value.
    #[inline]
    pub(crate) fn push_text(&mut self, text: impl Text) {
        self.push(text.len(), text.to_i64());
    }
}

/// The entries of a packed value of either form.
#[derive(Debug)]
pub(crate) enum Entries<'b> {
    Ziplist(Ziplist<'b>),
    Listpack(Listpack<'b>),
}

impl<'b> Entries<'b> {
    /// Opens a packed value.
    pub(crate) fn new(form: Form, blob: &'b [u8]) -> Result<Self, Fault> {
        Ok(match form {
            Form::Ziplist => Self::Ziplist(Ziplist::new(blob)?),
            Form::Listpack => Self::Listpack(Listpack::new(blob)?),
        })
    }
}

impl<'b> Iterator for Entries<'b> {
    type Item = Result<Entry<'b>, Fault>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Ziplist(entries) => entries.next(),
            Self::Listpack(entries) => entries.next(),
        }
    }
}

/// How many entries a packed value has: what its header says, or counted when it does not say.
pub(crate) fn count_entries(
    form: Form,
    blob: RdbStr<'_>,
    limits: Limits,
    scratch: &mut Vec<u8>,
) -> Result<u64, Fault> {
    let declared = match form {
        Form::Ziplist => ziplists::declared_count(blob.prefix(ziplists::HEADER_BYTES, limits, scratch)?)?,
        Form::Listpack => {
            listpacks::declared_count(blob.prefix(listpacks::HEADER_BYTES, limits, scratch)?)?
        }
    };
    if let Some(count) = declared {
        return Ok(u64::from(count));
    }
    let mut count = 0;
    for entry in Entries::new(form, blob.bytes(limits, scratch)?)? {
        entry?;
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repacking_a_value_gives_its_own_length() {
        // Redis 6.2.5: a ziplist of 300 bytes of text and an "x" behind it.
        let long = [b'w'; 300];
        let mut blob = vec![0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0x00, 0x41, 0x2c];
        blob.extend_from_slice(&long);
        blob.extend_from_slice(&[0xfe, 0x2f, 0x01, 0, 0, 0x01, b'x', 0xff]);
        let size = blob.len() as u32;
        blob[..4].copy_from_slice(&size.to_le_bytes());
        let mut packing = Packing::new(Form::Ziplist);
        let mut as_listpack = Packing::new(Form::Listpack);
        for entry in Entries::new(Form::Ziplist, &blob).unwrap() {
            packing.push_text(entry.unwrap());
            as_listpack.push_text(entry_again(&blob, &packing));
        }
        assert_eq!(packing.bytes(), blob.len() as u64);
        assert_eq!(as_listpack.bytes(), 7 + 304 + 3);
        let count = count_entries(Form::Ziplist, RdbStr::Raw(&blob), Limits::default(), &mut Vec::new());
        assert_eq!(count, Ok(2));
    }

    /// The entry that was pushed last, judged by the length so far.
    fn entry_again<'b>(blob: &'b [u8], packing: &Packing) -> Entry<'b> {
        let index = usize::from(packing.bytes() == blob.len() as u64);
        Entries::new(Form::Ziplist, blob).unwrap().nth(index).unwrap().unwrap()
    }

    #[test]
    fn integers_of_more_than_31_characters_do_not_exist() {
        let mut packing = Packing::new(Form::Ziplist);
        packing.push(20, Some(i64::MIN));
        assert_eq!(packing.bytes(), 11 + 10);
    }
}
