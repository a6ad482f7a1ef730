//! What stands in front of the first key: enough to know whose memory is being asked about.

use std::io;

use rdb_format::{FileVersion, ServerVersion};
use rdb_parser::{Item, KeyHead, Limits, Part, Record, Salvage, Sink, Stretch};

use crate::{FileFacts, Source};

/// How far into a stream the prologue is looked for: what is read for it stays in memory until the pass.
/// Large function libraries and module data stand in front of the keys.
const PROLOGUE_BYTES: usize = 64 << 20;

/// Reads the records in front of the first key.
///
/// Nothing is consumed: the run over the file reads them again. Damage is not told here but there.
///
/// # Errors
///
/// When reading fails.
pub fn prologue(source: &mut Source<'_>, limits: Limits) -> io::Result<FileFacts> {
    let mut sink = Prologue { facts: FileFacts::default(), db: 0, ended: false, visitor: () };
    let mut want = 64 << 10;
    let start = source.scanner(limits);
    loop {
        let bytes = source.peek(want)?;
        let all = bytes.len() < want;
        sink.facts = FileFacts::default();
        sink.db = 0;
        sink.ended = false;
        // Stops behind the first key, at the end of these bytes, or at damage.
        let _ = start.clone().scan(bytes, 0, &mut sink);
        if sink.ended || all || want >= PROLOGUE_BYTES {
            break;
        }
        want *= 4;
    }
    if let (Source::Salvage(bytes), None) = (&*source, sink.facts.version) {
        behind_damage(bytes, limits, &mut sink);
    }
    Ok(sink.facts)
}

/// What stands in front of the first key of a file whose header is lost.
fn behind_damage(bytes: &[u8], limits: Limits, sink: &mut Prologue) {
    let stretch = Salvage::new(bytes, limits).find_map(|part| match part {
        Part::Frames(stretch) => Some(stretch),
        Part::Gap(_) => None,
    });
    let Some(Stretch { mut scanner, start, .. }) = stretch else { return };
    sink.facts.version = scanner.version();
    let rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    let _ = scanner.scan(rest, 0, sink);
}

struct Prologue {
    facts: FileFacts,
    db: u64,
    ended: bool,
    visitor: (),
}

impl<'a> Sink<'a> for Prologue {
    type Visitor = ();

    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        self.ended = true;
        &mut self.visitor
    }

    fn record(&mut self, _: &Record<'a>) {}

    fn item(&mut self, item: Item<'a>, _: u64, bytes: u64) {
        self.ended |= matches!(item, Item::End { .. });
        self.facts.note(&item, &mut self.db, bytes);
    }
}

impl FileFacts {
    /// The release that wrote the file, or the best guess from its version.
    #[must_use]
    pub fn writer(&self) -> ServerVersion {
        let version = self.version.unwrap_or(FileVersion { dialect: rdb_format::Dialect::Redis, number: 0 });
        let told = self.server().and_then(ServerVersion::release);
        told.unwrap_or_else(|| ServerVersion::newest_writer_of(version))
    }
}
