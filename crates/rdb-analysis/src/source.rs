//! Where the bytes of a file come from: all there, or read piece by piece.

use std::io::{self, Read};

use rdb_parser::{Limits, Payload, Scanner};

use crate::Coverage;

/// The bytes of one input.
pub enum Source<'s> {
    /// All of them, such as a mapped file.
    Whole(&'s [u8]),
    /// All of them, and reading goes on behind damage.
    Salvage(&'s [u8]),
    /// The answer of a DUMP command, all of it.
    Payload(&'s [u8], Payload),
    /// Read piece by piece.
    Stream(Window<'s>),
}

/// A reader, and the bytes that were read and not yet used.
///
/// Memory: the size of a batch, or of the largest record if that is larger.
pub struct Window<'s> {
    reader: Box<dyn Read + Send + 's>,
    buffer: Vec<u8>,
    ended: bool,
}

impl<'s> Source<'s> {
    /// A source that reads piece by piece.
    #[must_use]
    pub fn stream(reader: impl Read + Send + 's) -> Self {
        Self::Stream(Window { reader: Box::new(reader), buffer: Vec::new(), ended: false })
    }

    /// How many bytes there are, if that is known before reading them.
    #[must_use]
    pub fn len(&self) -> Option<u64> {
        match self {
            Self::Whole(bytes) | Self::Salvage(bytes) | Self::Payload(bytes, _) => Some(bytes.len() as u64),
            Self::Stream(_) => None,
        }
    }

    /// A scanner at its start.
    pub(crate) fn scanner(&self, limits: Limits) -> Scanner {
        match self {
            Self::Whole(_) | Self::Salvage(_) | Self::Stream(_) => Scanner::new(limits),
            Self::Payload(_, payload) => Scanner::of_payload(*payload, limits),
        }
    }

    /// Passes over the first bytes, which were peeked at. Offsets count from behind them.
    pub fn skip(&mut self, len: usize) {
        match self {
            Self::Whole(bytes) | Self::Salvage(bytes) | Self::Payload(bytes, _) => {
                *bytes = bytes.get(len..).unwrap_or_default()
            }
            Self::Stream(window) => drop(window.take(len)),
        }
    }

    /// Whether it is known that there are no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// The first bytes, at least `want` of them if there are as many.
    ///
    /// # Errors
    ///
    /// When reading fails.
    pub fn peek(&mut self, want: usize) -> io::Result<&[u8]> {
        match self {
            Self::Whole(bytes) | Self::Salvage(bytes) | Self::Payload(bytes, _) => {
                Ok(bytes.get(..want).unwrap_or(bytes))
            }
            Self::Stream(window) => {
                window.fill(want)?;
                Ok(&window.buffer)
            }
        }
    }
}

/// What follows the part of an input that was framed.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// How long it is.
    pub bytes: u64,
    /// Its first bytes, as many as a coverage keeps.
    pub start: Vec<u8>,
}

impl Tail {
    /// What stands behind the first `read` of these bytes.
    pub(crate) fn behind(bytes: &[u8], read: u64) -> Self {
        let rest = usize::try_from(read).ok().and_then(|read| bytes.get(read..)).unwrap_or_default();
        Self { bytes: rest.len() as u64, start: rest.iter().copied().take(Coverage::MAX_TAIL).collect() }
    }
}

impl Window<'_> {
    /// Reads until the window holds `want` bytes or the input ends.
    pub(crate) fn fill(&mut self, want: usize) -> io::Result<()> {
        let missing = want.saturating_sub(self.buffer.len());
        if missing == 0 || self.ended {
            return Ok(());
        }
        // A declared length may be a lie: grow with the bytes that really come.
        let got = self.reader.by_ref().take(missing as u64).read_to_end(&mut self.buffer)?;
        self.ended = got < missing;
        Ok(())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Takes the first `len` bytes out of the window.
    pub(crate) fn take(&mut self, len: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(len.min(self.buffer.len()));
        std::mem::replace(&mut self.buffer, rest)
    }

    /// Reads to the end of the input, counting bytes and keeping the first only.
    pub(crate) fn drain(&mut self) -> io::Result<Tail> {
        self.fill(Coverage::MAX_TAIL)?;
        let mut tail = Tail::behind(&self.buffer, 0);
        self.buffer = Vec::new();
        tail.bytes += io::copy(&mut self.reader, &mut io::sink())?;
        Ok(tail)
    }
}
