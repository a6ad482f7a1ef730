//! Writes pieces in the order of their numbers, however they come.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

/// Pieces of output that are made out of order and written in order.
pub(crate) struct OrderedWriter<'w> {
    inner: Mutex<Inner<'w>>,
}

struct Inner<'w> {
    out: &'w mut (dyn Write + Send),
    next: usize,
    waiting: BTreeMap<usize, Vec<u8>>,
    failed: Option<io::Error>,
}

impl<'w> OrderedWriter<'w> {
    pub(crate) fn new(out: &'w mut (dyn Write + Send)) -> Self {
        Self { inner: Mutex::new(Inner { out, next: 0, waiting: BTreeMap::new(), failed: None }) }
    }

    /// Takes piece `number`, and writes every piece whose turn it is.
    pub(crate) fn put(&self, number: usize, piece: Vec<u8>) {
        let mut guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let inner = &mut *guard;
        inner.waiting.insert(number, piece);
        while let Some(piece) = inner.waiting.remove(&inner.next) {
            inner.next += 1;
            if inner.failed.is_none() {
                inner.failed = inner.out.write_all(&piece).err();
            }
        }
    }

    /// How many pieces wait for an earlier one.
    pub(crate) fn waiting(&self) -> usize {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).waiting.len()
    }

    /// Whether writing has failed: then no more output is wanted.
    pub(crate) fn has_failed(&self) -> bool {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).failed.is_some()
    }

    /// The error of the first write that failed.
    pub(crate) fn finish(self) -> io::Result<()> {
        let inner = self.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        inner.failed.map_or(Ok(()), Err)
    }
}
