//! What is worth acting on.

use crate::prefixes::PrefixSummary;
use crate::{Basis, ExpirySummary, GroupKey, KeyRow, Released, Span, Tally, total};

/// Something worth acting on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A few keys hold a large part of the memory.
    BigKeys {
        /// How many of the biggest keys.
        keys: u64,
        /// Their memory in bytes.
        memory_bytes: u64,
        /// Their share of all memory, in thousandths.
        permille: u64,
    },
    /// A prefix with many keys of which none expires, though nearly all of its neighbours do.
    PrefixWithoutTtl {
        /// The database, if the tree tells.
        db: Option<u64>,
        /// The prefix.
        path: Vec<u8>,
        /// Its sums.
        tally: Tally,
    },
    /// Many keys expire within one minute.
    ExpiryBurst {
        /// Minutes after the reference time.
        minute: u64,
        /// How many keys, and their memory.
        released: Released,
    },
    /// Keys whose time was over when the file was saved.
    ExpiredKeys(Released),
    /// A prefix that looks like a misspelt neighbour.
    MistypedPrefix {
        /// The database, if the tree tells.
        db: Option<u64>,
        /// The prefix as it is.
        path: Vec<u8>,
        /// The neighbour that it may have meant.
        meant: Vec<u8>,
        /// How many keys have it.
        keys: u64,
        /// How many keys the neighbour has.
        meant_keys: u64,
    },
    /// Memory figures that are assumed, not derived: module values and the like.
    AssumedMemory {
        /// How many keys.
        keys: u64,
        /// Their memory in bytes, as assumed.
        memory_bytes: u64,
    },
}

/// A few keys are worth a note when they hold this share of all memory, in thousandths.
const BIG_KEYS_PERMILLE: u64 = 100;
/// How many keys are a few.
const FEW_KEYS: usize = 5;
/// A prefix is worth a note when it holds this share of all memory, in thousandths.
const PREFIX_PERMILLE: u64 = 10;
/// A prefix without expiry is odd when this share of its neighbours' keys expires, in thousandths.
const NEIGHBOURS_PERMILLE: u64 = 800;
/// A minute is a burst when this many keys expire in it, and this share of those of a week.
const BURST_KEYS: u64 = 100;
/// See [`BURST_KEYS`], in thousandths.
const BURST_PERMILLE: u64 = 100;
/// How many notes of one kind are made at the most.
const PER_KIND: usize = 3;

fn permille(part: u64, whole: u64) -> u64 {
    if whole == 0 { 0 } else { (u128::from(part) * 1000 / u128::from(whole)) as u64 }
}

/// Looks for what is worth acting on.
#[must_use]
pub fn notes(
    groups: &[(GroupKey, Tally)],
    top_keys: &[KeyRow],
    prefixes: &PrefixSummary,
    expiry: &ExpirySummary,
) -> Vec<Note> {
    let all = total(groups);
    let mut notes = Vec::new();

    let few = top_keys.get(..FEW_KEYS).unwrap_or(top_keys);
    let memory_bytes = few.iter().fold(0u64, |sum, row| sum.saturating_add(row.memory_bytes));
    let share = permille(memory_bytes, all.memory_bytes);
    // In a file of a few dozen keys the first five always hold much: that is no news.
    if share >= BIG_KEYS_PERMILLE && all.keys >= 20 * FEW_KEYS as u64 {
        notes.push(Note::BigKeys { keys: few.len() as u64, memory_bytes, permille: share });
    }

    if let Some((minute, released)) = expiry.fullest_minute
        && released.keys >= BURST_KEYS
        && permille(released.keys, expiry.within_week.keys) >= BURST_PERMILLE
    {
        notes.push(Note::ExpiryBurst { minute, released });
    }

    notes.extend(without_ttl(prefixes, all));
    notes.extend(mistyped(prefixes));

    let expired = expiry.spans.iter().find(|(span, _)| *span == Span::Expired);
    if let Some((_, released)) = expired
        && released.keys > 0
    {
        notes.push(Note::ExpiredKeys(*released));
    }

    let mut assumed = Tally::default();
    groups.iter().filter(|(key, _)| key.basis == Basis::Assumed).for_each(|(_, tally)| assumed += *tally);
    if assumed.keys > 0 {
        notes.push(Note::AssumedMemory { keys: assumed.keys, memory_bytes: assumed.memory_bytes });
    }
    notes
}

/// Prefixes of weight of which no key expires, though nearly all keys of their neighbours do.
fn without_ttl(prefixes: &PrefixSummary, all: Tally) -> Vec<Note> {
    let mut found = Vec::new();
    for root in &prefixes.roots {
        for node in root.node.walk() {
            for child in &node.children {
                let tally = child.tally;
                let neighbours = node.tally.keys.saturating_sub(tally.keys);
                let expiring = node.tally.keys.saturating_sub(node.tally.keys_without_ttl);
                if tally.keys >= BURST_KEYS
                    && tally.keys_without_ttl == tally.keys
                    && permille(tally.memory_bytes, all.memory_bytes) >= PREFIX_PERMILLE
                    && permille(expiring, neighbours) >= NEIGHBOURS_PERMILLE
                {
                    found.push(Note::PrefixWithoutTtl { db: root.db, path: child.path.clone(), tally });
                }
            }
        }
    }
    found.sort_by_key(|note| match note {
        Note::PrefixWithoutTtl { tally, .. } => std::cmp::Reverse(tally.memory_bytes),
        _ => std::cmp::Reverse(0),
    });
    found.truncate(PER_KIND);
    found
}

/// Prefixes that look like a slip of the pen.
fn mistyped(prefixes: &PrefixSummary) -> Vec<Note> {
    let found = prefixes.suspected_typos().into_iter().map(|typo| Note::MistypedPrefix {
        db: typo.db,
        path: typo.suspect.path.clone(),
        meant: typo.meant.path.clone(),
        keys: typo.suspect.tally.keys,
        meant_keys: typo.meant.tally.keys,
    });
    found.take(PER_KIND).collect()
}
