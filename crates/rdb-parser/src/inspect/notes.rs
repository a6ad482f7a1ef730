//! What was found in a value, bounded by kind.

use std::mem::{Discriminant, discriminant};

use super::Inspector;
use crate::{Error, ErrorKind, Fault, RdbStr, Record};

/// Where something was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    /// At the start of these bytes of the value.
    At(&'a [u8]),
    /// So many bytes before the end of this string.
    Within(usize, RdbStr<'a>),
    /// Somewhere in the value.
    Value,
}

impl<'a> Place<'a> {
    /// At the start of this string.
    pub(super) fn start_of(string: RdbStr<'a>) -> Self {
        Self::Within(string.stored().map_or(0, <[u8]>::len), string)
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Found<'a> {
    pub kind: ErrorKind,
    place: Place<'a>,
}

impl<'a> Found<'a> {
    pub(super) fn error(&self, record: &Record<'a>) -> Error {
        match self.place {
            Place::At(bytes) => record.error_at(self.kind, bytes),
            Place::Within(left, string) => record.error_in_string(Fault { kind: self.kind, left }, string),
            Place::Value => record.error_at(self.kind, record.value),
        }
    }
}

/// What was found so far.
///
/// The bound is for each kind, so that many faults of one kind do not hide a worse one of another.
#[derive(Debug, Default)]
pub(super) struct Notes<'a> {
    found: Vec<Found<'a>>,
    /// How many of each kind there were.
    counts: Vec<(Discriminant<ErrorKind>, u64)>,
}

impl<'a> Notes<'a> {
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.counts.clear();
    }

    pub(super) fn add(&mut self, kind: ErrorKind, place: Place<'a>) {
        let of = discriminant(&kind);
        let count = match self.counts.iter_mut().find(|(kind, _)| *kind == of) {
            Some((_, count)) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                self.counts.push((of, 1));
                1
            }
        };
        if count <= Inspector::MAX_FINDINGS {
            self.found.push(Found { kind, place });
        }
    }

    pub(super) fn last(&self) -> Option<ErrorKind> {
        self.found.last().map(|found| found.kind)
    }

    pub(super) fn found(&self) -> &[Found<'a>] {
        &self.found
    }

    /// How many more of this kind there were than are kept.
    pub(super) fn more_of(&self, kind: ErrorKind) -> u64 {
        let of = discriminant(&kind);
        let count = self.counts.iter().find(|(kind, _)| *kind == of).map_or(0, |(_, count)| *count);
        count.saturating_sub(Inspector::MAX_FINDINGS)
    }
}
