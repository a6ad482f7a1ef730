//! Looks at records and other items one after the other, and remembers what may stand once only.

use std::collections::HashSet;
use std::io;

use rdb_format::FileVersion;
use rdb_parser::{
    Context, Error, ErrorKind, Finding, Findings, Inspector, Item, KeyHead, Limits, RdbStr, Reach, Record,
    Scanner, Severity, Sink,
};

use super::Checked;
use crate::FileFacts;
use crate::facts::{decoded, shebang};
use crate::key_set::{KeySet, Met};

pub(super) struct Looker<'l> {
    limits: Limits,
    pub checked: Checked,
    keys: KeySet,
    /// Names of function libraries.
    libraries: HashSet<Vec<u8>>,
    pub count: u64,
    pub empty: u64,
    name: Vec<u8>,
    pub failed: Option<io::Error>,
    each: &'l mut dyn FnMut(&Finding) -> io::Result<()>,
}

impl<'l> Looker<'l> {
    pub(super) fn new(limits: Limits, each: &'l mut dyn FnMut(&Finding) -> io::Result<()>) -> Self {
        Self {
            limits,
            checked: Checked::default(),
            keys: KeySet::default(),
            libraries: HashSet::new(),
            count: 0,
            empty: 0,
            name: Vec::new(),
            failed: None,
            each,
        }
    }

    pub(super) fn run(&mut self, mut scanner: Scanner, bytes: &[u8]) {
        let inspector = Inspector::new(self.limits, scanner.templates().clone());
        let mut sink = Look { inspector, version: scanner.version(), looker: self };
        // What stopped the scanner when it was here first is told by it, at the end.
        let scanned = scanner.scan(bytes, usize::MAX, &mut sink);
        debug_assert!(scanned.is_ok(), "{scanned:?}");
    }

    pub(super) fn tell(&mut self, finding: &Finding) {
        self.checked.note(finding);
        if self.failed.is_none() {
            self.failed = (self.each)(finding).err();
        }
    }

    fn key(&mut self, record: &Record<'_>) {
        let version = record.head.version;
        if record.head.attrs.idle_seconds == Some(u64::MAX) {
            // `rdbLoadLen` answers with this number when it cannot read one.
            let error = Error::new(ErrorKind::IdleTime, record.head.offset, Reach::Value, record.context());
            self.tell(&Finding::new(error, version));
        }
        let name = match record.head.key.bytes(self.limits.for_packed(), &mut self.name) {
            Ok(name) => name,
            Err(fault) => {
                let error = record.error_in_string(fault, record.head.key);
                return self.tell(&Finding::new(error, version));
            }
        };
        match self.keys.meet(record.head.db, name) {
            Met::New => {}
            Met::Unknown => self.checked.keys_unchecked += 1,
            Met::Twice => {
                let error =
                    Error::new(ErrorKind::DuplicateKey, record.head.offset, Reach::Value, record.context());
                self.tell(&Finding::new(error, version));
            }
        }
    }

    /// What is wrong with a library's source, as far as it can be told without running it.
    ///
    /// Source: `functionExtractLibMetaData` and `functionsCreateWithLibraryCtx` in `src/functions.c` of
    /// Redis 7.0 to 8.10.
    fn library(&mut self, code: RdbStr<'_>) -> Option<ErrorKind> {
        let source = decoded(code);
        let (engine, name) = shebang(&source);
        let is_named = !name.is_empty() && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
        if engine.is_empty() || !is_named || !source.contains(&b'\n') {
            return Some(ErrorKind::FunctionHeader);
        }
        let is_new = self.libraries.len() >= FileFacts::MAX_LISTED || self.libraries.insert(name);
        (!is_new).then_some(ErrorKind::FunctionTwice)
    }
}

struct Look<'a, 'l, 'k> {
    inspector: Inspector<'a>,
    version: Option<FileVersion>,
    looker: &'k mut Looker<'l>,
}

impl<'a> Sink<'a> for Look<'a, '_, '_> {
    type Visitor = Inspector<'a>;

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Inspector<'a> {
        &mut self.inspector
    }

    fn record(&mut self, record: &Record<'a>) {
        let Findings { findings, is_too_large } = self.inspector.findings(record);
        let looker = &mut *self.looker;
        looker.checked.count_value(record, self.inspector.module_id());
        looker.checked.too_large += u64::from(is_too_large);
        let is_dropped = findings.iter().any(|finding| finding.severity == Severity::Dropped);
        // A key that servers drop may stand again.
        if is_dropped {
            looker.empty += 1;
        } else {
            looker.count += 1;
            looker.key(record);
        }
        findings.iter().for_each(|finding| looker.tell(finding));
    }

    fn item(&mut self, item: Item<'a>, offset: u64, bytes: u64) {
        let (kind, offset) = match item {
            Item::Header(version) => {
                self.version = Some(version);
                return;
            }
            // "Pre-release function format not supported."
            Item::FunctionPreGa { .. } => (ErrorKind::FunctionPreGa, offset),
            Item::Function { code } => match self.looker.library(code) {
                Some(kind) => (kind, offset),
                None => return,
            },
            Item::HashTemplate { fields, names, .. } => {
                match Inspector::fault_in_template(fields, names, self.looker.limits) {
                    // The names are the last thing in it.
                    Some(fault) => (fault.kind, (offset + bytes).saturating_sub(fault.left as u64)),
                    None => return,
                }
            }
            _ => return,
        };
        let Some(version) = self.version else { return };
        let context = Context { version: Some(version), ..Context::default() };
        let error = Error::new(kind, offset, Reach::Value, context);
        self.looker.tell(&Finding::new(error, version));
    }
}
