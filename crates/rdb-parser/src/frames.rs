//! Records as an iterator, for those who want ease before speed.

use crate::{Error, KeyHead, Limits, Record, Scanner, Sink, Stop};

/// The records of a whole file in memory, one after the other.
///
/// The same grammar as [`Scanner::scan`], which it calls once per key. After an error it is empty.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = std::fs::read("dump.rdb")?;
/// for record in rdb_parser::Frames::new(&file) {
///     let record = record?;
///     println!("db {} at {}: {} bytes", record.head.db, record.head.offset, record.serialized_bytes);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Frames<'a> {
    scanner: Scanner,
    rest: &'a [u8],
    done: bool,
}

impl<'a> Frames<'a> {
    /// The records of `file`, which starts with the magic.
    #[must_use]
    pub fn new(file: &'a [u8]) -> Self {
        Self { scanner: Scanner::new(Limits::default()), rest: file, done: false }
    }

    /// The scanner behind it: version, templates and offset of what was read so far.
    #[must_use]
    pub fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    fn step(&mut self) -> Result<Option<Record<'a>>, Error> {
        let mut last = Last { visitor: (), record: None };
        let scanned = self.scanner.scan(self.rest, 0, &mut last)?;
        let leftover = self.rest.get(scanned.consumed..).unwrap_or_default();
        match scanned.stop {
            Stop::Cut => {
                self.rest = leftover;
                Ok(last.record)
            }
            Stop::End => Ok(None),
            Stop::NeedMore(_) => Err(self.scanner.truncated(leftover)),
        }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Record<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let step = self.step();
        self.done = !matches!(step, Ok(Some(_)));
        step.transpose()
    }
}

struct Last<'a> {
    visitor: (),
    record: Option<Record<'a>>,
}

impl<'a> Sink<'a> for Last<'a> {
    type Visitor = ();

    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    fn record(&mut self, record: &Record<'a>) {
        self.record = Some(*record);
    }
}
