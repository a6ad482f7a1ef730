//! What a scanner has passed last: where to look again when it is lost.

use std::collections::VecDeque;

use rdb_format::TypeCode;

use crate::{Error, Item, KeyHead, RdbStr, Record, Sink};

/// How many records in front of lost framing are doubted.
const FRAMES: usize = 8;
/// And how many bytes.
const BYTES: u64 = 64 << 10;

/// The last records of a stretch, and its end if it has one.
#[derive(Debug)]
pub(super) struct Trail {
    visitor: (),
    frames: VecDeque<Frame>,
    end: Option<End>,
    /// Where a run of zero bytes begins that reads like records.
    zeros: Option<u64>,
    names: Names,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    start: u64,
    end: u64,
    value_offset: u64,
    code: TypeCode,
    db: u64,
    is_zeros: bool,
}

#[derive(Clone, Copy, Debug)]
struct End {
    mark: u64,
    checksum: Option<u64>,
    summed: u64,
}

/// How names begin that were read: their first two bytes.
#[derive(Clone)]
pub(super) struct Names {
    /// One bit for each pair of bytes.
    seen: Box<[u64; 1024]>,
    count: u64,
}

impl std::fmt::Debug for Names {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Names").field("count", &self.count).finish_non_exhaustive()
    }
}

impl Names {
    /// So many names at least make a file known: before that all are taken for familiar.
    const ENOUGH: u64 = 32;

    pub(super) fn new() -> Self {
        Self { seen: Box::new([0; 1024]), count: 0 }
    }

    fn place(name: &[u8]) -> (usize, u64) {
        let pair = match *name {
            [a, b, ..] => u16::from_be_bytes([a, b]),
            [a] => u16::from(a),
            [] => 0,
        };
        (usize::from(pair >> 6), 1 << (pair & 63))
    }

    #[inline]
    fn note(&mut self, name: &[u8]) {
        let (word, bit) = Self::place(name);
        if let Some(word) = self.seen.get_mut(word) {
            *word |= bit;
        }
        self.count += 1;
    }

    /// Whether another name begins like this one.
    pub(super) fn is_familiar(&self, name: &[u8]) -> bool {
        let (word, bit) = Self::place(name);
        self.count < Self::ENOUGH || self.seen.get(word).is_some_and(|word| word & bit != 0)
    }
}

impl Trail {
    /// `names`: those of earlier stretches.
    pub(super) fn new(names: Names) -> Self {
        Self { visitor: (), frames: VecDeque::with_capacity(FRAMES), end: None, zeros: None, names }
    }

    /// How the names begin that were read so far.
    pub(super) fn into_names(self) -> Names {
        self.names
    }

    /// How the names begin that were read so far.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// Where a run of zero bytes begins. Three of them read like a string without a name and without bytes, but no
    /// database has two keys of one name.
    pub(super) fn zeros(&self) -> Option<u64> {
        self.zeros
    }

    /// The checksum that stands at the end, and how many bytes it is about.
    pub(super) fn checksum(&self) -> Option<(u64, u64)> {
        self.end.and_then(|end| Some((end.checksum?, end.summed)))
    }

    /// Where the mark of the end stands; 0 when there is none.
    pub(super) fn end_mark(&self) -> u64 {
        self.end.map_or(0, |end| end.mark)
    }

    /// Where doubt begins when the framing is lost at `lost`: the records in front may have led there wrongly.
    pub(super) fn doubted_from(&self, lost: u64) -> u64 {
        let near = |frame: &&Frame| lost.saturating_sub(frame.start) <= BYTES;
        self.frames.iter().find(near).map_or(lost, |frame| frame.start)
    }

    /// The start and the database of the record that has `offset` inside of it.
    pub(super) fn frame_around(&self, offset: u64) -> Option<(u64, u64)> {
        let frame = self.frames.iter().find(|frame| (frame.start..frame.end).contains(&offset))?;
        Some((frame.start, frame.db))
    }

    /// Where the trusted part ends when the framing is lost at `lost`.
    ///
    /// That is in front of the last record when its length may be wrong: nothing vouches for it but what follows, and
    /// what follows makes no sense.
    pub(super) fn trusted_end(&self, lost: u64, error: &Error, bytes: &[u8]) -> u64 {
        if has_believable_head(error) {
            return lost;
        }
        let mut end = lost;
        for frame in self.frames.iter().rev() {
            if frame.end != end || (frame.tells_its_end(bytes) && !frame.is_zeros) {
                break;
            }
            end = frame.start;
            if !frame.is_zeros {
                break;
            }
        }
        end
    }
}

impl Frame {
    /// Whether the value itself says where it ends, beside the length or count in front of it: packed data has
    /// its size in its header, LZF data must inflate to its length, modules write a mark.
    fn tells_its_end(&self, bytes: &[u8]) -> bool {
        let first = usize::try_from(self.value_offset).ok().and_then(|at| bytes.get(at));
        match self.code {
            TypeCode::STRING => first.is_some_and(|first| *first >= 0xc0),
            // A count in front of elements. Type 23 is one only in Valkey.
            TypeCode::LIST
            | TypeCode::SET
            | TypeCode::ZSET
            | TypeCode::HASH
            | TypeCode::ZSET_2
            | TypeCode::LIST_QUICKLIST
            | TypeCode::LIST_QUICKLIST_2
            | TypeCode::HASH_2
            | TypeCode::PATH_HASH
            | TypeCode::HASH_METADATA
            | TypeCode::ARRAY => false,
            _ => true,
        }
    }
}

/// Whether the record that the error is in begins like one.
fn has_believable_head(error: &Error) -> bool {
    error.context().key.as_ref().is_some_and(|key| super::chain::is_readable(key))
}

impl<'a> Sink<'a> for Trail {
    type Visitor = ();

    #[inline]
    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    #[inline]
    fn record(&mut self, record: &Record<'a>) {
        let is_zeros =
            record.head.type_code == TypeCode::STRING && record.head.key.is_empty() && record.value == [0];
        if is_zeros && self.frames.back().is_some_and(|last| last.is_zeros && last.db == record.head.db) {
            self.zeros = self.frames.pop_back().map(|last| last.start);
        }
        // What follows is not believed.
        if self.zeros.is_some() {
            return;
        }
        if let RdbStr::Raw(name) = record.head.key {
            self.names.note(name);
        }
        if self.frames.len() == FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back(Frame {
            start: record.head.offset,
            end: record.value_offset.saturating_add(record.value.len() as u64),
            value_offset: record.value_offset,
            code: record.head.type_code,
            db: record.head.db,
            is_zeros,
        });
    }

    fn item(&mut self, item: Item<'a>, offset: u64, _: u64) {
        if let Item::End { checksum, summed_bytes, .. } = item {
            self.end = Some(End { mark: offset, checksum, summed: summed_bytes });
        }
    }
}
