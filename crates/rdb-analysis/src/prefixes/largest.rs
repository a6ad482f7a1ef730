//! The largest key below a node, kept small whatever the keys are.

use std::cmp::Ordering;

use crate::Observation;

/// Bytes of a key's name that are kept.
pub const MAX_KEY_EXCERPT: usize = 1024;

/// The key of a node that costs most.
///
/// Among keys of the same size the first by database, name, file and offset counts as the largest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargestKey {
    /// Its size by the measure of the tree.
    pub bytes: u64,
    /// Its database.
    pub db: u64,
    /// Its name, or the first [`MAX_KEY_EXCERPT`] bytes of it.
    pub key: Vec<u8>,
    /// How long its name really is.
    pub key_len: u64,
    /// Which input it came from.
    pub file: u32,
    /// Where its record starts.
    pub offset: u64,
}

impl LargestKey {
    /// Whether [`key`](Self::key) is only the beginning of the name.
    #[must_use]
    pub const fn is_excerpt(&self) -> bool {
        self.key_len > self.key.len() as u64
    }

    /// `Less` when this key ranks before the other.
    fn rank(&self, other: &Self) -> Ordering {
        let this = (self.db, self.key.as_slice(), self.key_len, self.file, self.offset);
        let that = (other.db, other.key.as_slice(), other.key_len, other.file, other.offset);
        other.bytes.cmp(&self.bytes).then_with(|| this.cmp(&that))
    }

    /// Keeps in `kept` the larger of it and `other`.
    pub(super) fn keep(kept: &mut Option<Self>, other: Option<Self>) {
        if let Some(other) = other
            && kept.as_ref().is_none_or(|kept| other.rank(kept) == Ordering::Less)
        {
            *kept = Some(other);
        }
    }

    /// Keeps in `kept` the larger of it and the key just seen.
    #[inline]
    pub(super) fn keep_seen(kept: &mut Option<Self>, seen: &Observation<'_>, bytes: u64) {
        match kept {
            Some(kept) if kept.bytes > bytes => {}
            Some(kept) if kept.bytes == bytes && !kept.ranks_behind(seen) => {}
            Some(kept) => kept.replace(seen, bytes),
            None => *kept = Some(Self::of(seen, bytes)),
        }
    }

    /// Whether a key of the same size ranks before this one.
    #[inline]
    fn ranks_behind(&self, seen: &Observation<'_>) -> bool {
        let name = excerpt(seen.key);
        let this = (self.db, self.key.as_slice(), self.key_len, self.file, self.offset);
        (seen.db, name, seen.key.len() as u64, seen.file, seen.offset) < this
    }

    fn replace(&mut self, seen: &Observation<'_>, bytes: u64) {
        self.key.clear();
        self.key.extend_from_slice(excerpt(seen.key));
        (self.bytes, self.db, self.key_len) = (bytes, seen.db, seen.key_len);
        (self.file, self.offset) = (seen.file, seen.offset);
    }

    fn of(seen: &Observation<'_>, bytes: u64) -> Self {
        Self {
            bytes,
            db: seen.db,
            key: excerpt(seen.key).to_vec(),
            key_len: seen.key_len,
            file: seen.file,
            offset: seen.offset,
        }
    }
}

fn excerpt(key: &[u8]) -> &[u8] {
    key.get(..MAX_KEY_EXCERPT).unwrap_or(key)
}
