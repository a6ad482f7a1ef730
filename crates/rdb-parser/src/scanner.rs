//! The step machine that finds where each record starts and ends.
//!
//! It has no buffer of its own: the caller hands it bytes, and it says how many it is done with. What
//! it finds goes to a [`Sink`], and nothing large is returned, which is what makes it fast.

use nom::Needed;
use rdb_format::{Dialect, FileVersion, OpCode, TypeCode};

use crate::hash_templates::HashTemplates;
use crate::header::header;
use crate::primitive::{Parsed, byte, bytes, int32, int64, length, string, uint32};
use crate::value::{self, Surroundings, module};
use crate::{
    Context, Error, ErrorKind, Fault, Item, KeyAttrs, KeyHead, Limits, ModuleAuxWhen, ModuleId, Payload,
    RdbStr, Reach, Record, ValueVisitor,
};

/// Who is told what the scanner finds.
#[allow(unused_variables)]
pub trait Sink<'a> {
    /// Who hears the pieces of a value. `()` to skip values.
    type Visitor: ValueVisitor<'a>;

    /// A key was read; its value is walked next, with the visitor that this returns.
    ///
    /// In a window that ends inside the value, the same key is told again with more bytes.
    fn key(&mut self, head: &KeyHead<'a>) -> &mut Self::Visitor;

    /// The value of the key told last is walked to its end.
    fn record(&mut self, record: &Record<'a>);

    /// Something that is no key, of `bytes` bytes at `offset`.
    #[inline]
    fn item(&mut self, item: Item<'a>, offset: u64, bytes: u64) {}
}

/// Why the scanner stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The input ends inside something; this many more bytes at least are needed to go on.
    NeedMore(u64),
    /// A key ended at or behind the position asked for.
    Cut,
    /// The end of the records was read, checksum included.
    End,
}

/// How far the scanner came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// How many bytes of the input are done with. The next call's input starts behind them.
    pub consumed: usize,
    /// Why it stopped there.
    pub stop: Stop,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Header,
    Body,
    /// Behind the value of a payload.
    Footer,
    Done,
}

/// The scanner: a file's version, the current database and the attributes of the next key.
///
/// Cloning one keeps a point from which the same bytes can be read again.
#[derive(Clone, Debug)]
pub struct Scanner {
    state: State,
    version: FileVersion,
    db: u64,
    db_selected: bool,
    attrs: KeyAttrs,
    attr_bytes: u64,
    meta_pending: bool,
    templates: HashTemplates,
    replays: bool,
    /// What is read, if it is no file.
    payload: Option<Payload>,
    limits: Limits,
    offset: u64,
}

/// Where a step is, for errors.
#[derive(Default)]
struct Place<'a> {
    head: Option<KeyHead<'a>>,
    type_code: Option<TypeCode>,
}

impl Scanner {
    /// A scanner at the start of a file.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            state: State::Header,
            version: FileVersion { dialect: Dialect::Redis, number: 0 },
            db: 0,
            db_selected: false,
            attrs: KeyAttrs::default(),
            attr_bytes: 0,
            meta_pending: false,
            templates: HashTemplates::default(),
            replays: false,
            payload: None,
            limits,
            offset: 0,
        }
    }

    /// A scanner at the start of an answer of DUMP. It tells of a header, one key in database 0, and an end.
    #[must_use]
    pub fn of_payload(payload: Payload, limits: Limits) -> Self {
        Self { payload: Some(payload), ..Self::new(limits) }
    }

    /// A copy for reading again what this scanner is about to read, on another thread.
    #[must_use]
    pub fn replay(&self) -> Self {
        Self { replays: true, ..self.clone() }
    }

    /// Where the next byte of input stands, from the start of the RDB data.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// A copy that goes on elsewhere: at `offset`, in `db`, with nothing in front of the next key.
    ///
    /// For reading behind a damaged stretch. `version` stands in where the header was damaged too.
    pub(crate) fn resumed_at(&self, offset: u64, db: u64, version: FileVersion) -> Self {
        Self {
            state: State::Body,
            version: self.version().unwrap_or(version),
            db,
            db_selected: true,
            attrs: KeyAttrs::default(),
            attr_bytes: 0,
            meta_pending: false,
            offset,
            ..self.clone()
        }
    }

    /// Where the record that is being read starts, its attributes included.
    pub(crate) fn record_start(&self) -> u64 {
        self.offset.saturating_sub(self.attr_bytes)
    }

    /// The database of the next key.
    #[must_use]
    pub fn db(&self) -> u64 {
        self.db
    }

    /// The file's version, once the header is read.
    #[must_use]
    pub fn version(&self) -> Option<FileVersion> {
        (self.state != State::Header).then_some(self.version)
    }

    /// The hash templates defined so far.
    #[must_use]
    pub fn templates(&self) -> &HashTemplates {
        &self.templates
    }

    /// Reads records until the input ends, the records end, or a key ends at or behind `cut`.
    ///
    /// # Errors
    ///
    /// When the framing is lost: what was told to `sink` before stands, nothing behind can be read.
    pub fn scan<'a, S: Sink<'a>>(
        &mut self,
        input: &'a [u8],
        cut: usize,
        sink: &mut S,
    ) -> Result<Scanned, Error> {
        let base = self.offset;
        let mut rest = input;
        let mut place = Place::default();
        loop {
            if self.state == State::Done {
                return Ok(Scanned { consumed: input.len() - rest.len(), stop: Stop::End });
            }
            match self.step(rest, &mut place, sink) {
                Ok((after, is_key)) => {
                    rest = after;
                    let consumed = input.len() - rest.len();
                    self.offset = base + consumed as u64;
                    if is_key && consumed >= cut {
                        return Ok(Scanned { consumed, stop: Stop::Cut });
                    }
                }
                Err(nom::Err::Incomplete(needed)) => {
                    let missing = match needed {
                        Needed::Size(size) => size.get() as u64,
                        Needed::Unknown => 1,
                    };
                    let consumed = input.len() - rest.len();
                    return Ok(Scanned { consumed, stop: Stop::NeedMore(missing) });
                }
                Err(nom::Err::Error(fault) | nom::Err::Failure(fault)) => {
                    let offset = base + input.len().saturating_sub(fault.left) as u64;
                    return Err(self.error(fault.kind, offset, &place));
                }
            }
        }
    }

    /// The error for an input that ended although the scanner needs more.
    ///
    /// `leftover` is what the scanner was not done with; it is read once more to tell how far it goes.
    #[cold]
    #[must_use]
    pub fn truncated(&mut self, leftover: &[u8]) -> Error {
        struct Deaf(());
        impl<'a> Sink<'a> for Deaf {
            type Visitor = ();
            fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
                &mut self.0
            }
            fn record(&mut self, _: &Record<'a>) {}
        }
        let mut place = Place::default();
        let missing = match self.step(leftover, &mut place, &mut Deaf(())) {
            Err(nom::Err::Incomplete(Needed::Size(size))) => size.get() as u64,
            _ => 1,
        };
        let kind = if leftover.is_empty() && self.state == State::Header {
            ErrorKind::NotRdb { looks_like: "it is empty" }
        } else {
            ErrorKind::Truncated { missing }
        };
        self.error(kind, self.offset + leftover.len() as u64, &place)
    }

    #[cold]
    fn error(&self, kind: ErrorKind, offset: u64, place: &Place<'_>) -> Error {
        let reach = if self.state == State::Header { Reach::File } else { Reach::Framing };
        let context = match &place.head {
            Some(head) => head.context(),
            None => Context {
                db: self.db_selected.then_some(self.db),
                type_code: place.type_code,
                version: self.version(),
                ..Context::default()
            },
        };
        Error::new(kind, offset, reach, context)
    }

    /// One record, attribute or other item. Returns whether it was a key.
    #[inline]
    fn step<'a, S: Sink<'a>>(
        &mut self,
        input: &'a [u8],
        place: &mut Place<'a>,
        sink: &mut S,
    ) -> Parsed<'a, bool> {
        place.head = None;
        place.type_code = None;
        if self.state != State::Body {
            return self.outside_body(input, sink);
        }
        let (rest, first) = byte(input)?;
        match OpCode(first) {
            OpCode::EXPIRETIME_MS if !self.meta_pending => {
                let (rest, at) = int64(rest)?;
                // Servers mark keys that never expire with -1 themselves. Source: `rdbLoadRio` in `src/rdb.c`.
                self.attribute(input, rest).expire_at_ms = (at != -1).then_some(at);
                Ok((rest, false))
            }
            OpCode(0..=33) => self.key(input, rest, TypeCode(first), place, sink),
            opcode => self.opcode(input, rest, opcode, sink),
        }
    }

    /// What stands in front of all records, and what behind the value of a payload.
    #[cold]
    fn outside_body<'a, S: Sink<'a>>(&mut self, input: &'a [u8], sink: &mut S) -> Parsed<'a, bool> {
        let (rest, version) = match self.payload {
            Some(payload) if self.state == State::Footer => {
                let (at_checksum, _) = bytes(input, 2)?;
                payload.check_end(self.offset, input)?;
                return self.end(input, at_checksum, sink);
            }
            Some(payload) => (input, payload.version_in_front_of(input)?),
            None => header(input)?,
        };
        self.version = version;
        self.state = State::Body;
        sink.item(Item::Header(version), self.offset, (input.len() - rest.len()) as u64);
        Ok((rest, false))
    }

    #[inline]
    fn key<'a, S: Sink<'a>>(
        &mut self,
        input: &'a [u8],
        rest: &'a [u8],
        type_code: TypeCode,
        place: &mut Place<'a>,
        sink: &mut S,
    ) -> Parsed<'a, bool> {
        if type_code.object_type(self.version).is_none() {
            return Fault::fail(ErrorKind::UnknownType(type_code.0), input);
        }
        place.type_code = Some(type_code);
        let (at_value, key) = match &self.payload {
            None => string(rest)?,
            Some(payload) => (rest, RdbStr::Raw(payload.key)),
        };
        let offset = self.offset.saturating_sub(self.attr_bytes);
        let head = KeyHead { db: self.db, key, type_code, attrs: self.attrs, version: self.version, offset };
        place.head = Some(head);
        let around = Surroundings { version: self.version, templates: &self.templates, limits: self.limits };
        let (rest, ()) = value::walk(at_value, type_code, around, sink.key(&head))?;
        let value = at_value.get(..at_value.len() - rest.len()).unwrap_or_default();
        let serialized_bytes = self.attr_bytes + (input.len() - rest.len()) as u64;
        let value_offset = offset + serialized_bytes - value.len() as u64;
        self.attrs = KeyAttrs::default();
        self.attr_bytes = 0;
        self.meta_pending = false;
        if self.payload.is_some() {
            self.state = State::Footer;
        }
        sink.record(&Record { head, value, value_offset, serialized_bytes });
        Ok((rest, true))
    }

    #[inline]
    fn attribute(&mut self, input: &[u8], rest: &[u8]) -> &mut KeyAttrs {
        self.attr_bytes += (input.len() - rest.len()) as u64;
        &mut self.attrs
    }

    /// Everything that is neither a key nor its expiry, kept apart so that the path of keys stays small.
    #[inline(never)]
    fn opcode<'a, S: Sink<'a>>(
        &mut self,
        input: &'a [u8],
        rest: &'a [u8],
        opcode: OpCode,
        sink: &mut S,
    ) -> Parsed<'a, bool> {
        if self.meta_pending {
            return Fault::fail(ErrorKind::DanglingKeyMeta(opcode.0), input);
        }
        let redis_12 = self.version.is_redis_12_or_later();
        let valkey = self.version.dialect == Dialect::Valkey;
        let (rest, item) = match opcode {
            OpCode::EXPIRETIME => {
                let (rest, seconds) = int32(rest)?;
                self.attribute(input, rest).expire_at_ms = Some(i64::from(seconds) * 1000);
                return Ok((rest, false));
            }
            OpCode::IDLE => {
                let (rest, seconds) = length(rest)?;
                self.attribute(input, rest).idle_seconds = Some(seconds);
                return Ok((rest, false));
            }
            OpCode::FREQ => {
                let (rest, freq) = byte(rest)?;
                self.attribute(input, rest).freq = Some(freq);
                return Ok((rest, false));
            }
            OpCode::KEY_META if redis_12 => {
                let (rest, (classes, needed)) = key_meta(rest)?;
                let attrs = self.attribute(input, rest);
                attrs.meta_classes = classes;
                attrs.meta_needed = needed;
                self.meta_pending = true;
                return Ok((rest, false));
            }
            OpCode::EOF => return self.end(input, rest, sink),
            OpCode::SELECTDB => {
                let (rest, db) = length(rest)?;
                self.db = db;
                self.db_selected = true;
                (rest, Item::SelectDb(db))
            }
            OpCode::RESIZEDB => {
                let (rest, keys) = length(rest)?;
                let (rest, expires) = length(rest)?;
                (rest, Item::ResizeDb { keys, expires })
            }
            OpCode::AUX => {
                let (rest, name) = string(rest)?;
                let (rest, value) = string(rest)?;
                (rest, Item::Aux { name, value })
            }
            OpCode::MODULE_AUX => module_aux(rest)?,
            OpCode::FUNCTION2 => {
                let (rest, code) = string(rest)?;
                (rest, Item::Function { code })
            }
            OpCode::FUNCTION_PRE_GA => function_pre_ga(rest)?,
            OpCode::SLOT_INFO if redis_12 || valkey => {
                let (rest, slot) = length(rest)?;
                let (rest, keys) = length(rest)?;
                let (rest, expires) = length(rest)?;
                (rest, Item::SlotInfo { slot, keys, expires })
            }
            OpCode::SLOT_IMPORT if valkey => slot_import(rest)?,
            OpCode::HASH_TEMPLATE if redis_12 => self.hash_template(input, rest)?,
            unknown => return Fault::fail(ErrorKind::UnknownType(unknown.0), input),
        };
        // An attribute before such an item still belongs to the next key, but no longer touches it.
        self.attr_bytes = 0;
        sink.item(item, self.offset, (input.len() - rest.len()) as u64);
        Ok((rest, false))
    }

    fn hash_template<'a>(&self, input: &'a [u8], rest: &'a [u8]) -> Parsed<'a, Item<'a>> {
        let (rest, id) = length(rest)?;
        let (at_names, fields) = length(rest)?;
        let mut rest = at_names;
        for _ in 0..fields {
            rest = string(rest)?.0;
        }
        let names = at_names.get(..at_names.len() - rest.len()).unwrap_or_default();
        if !self.replays && !self.templates.define(id, fields) {
            return Fault::fail(ErrorKind::DuplicateTemplate(id), input);
        }
        Ok((rest, Item::HashTemplate { id, fields, names }))
    }

    fn end<'a, S: Sink<'a>>(&mut self, input: &'a [u8], rest: &'a [u8], sink: &mut S) -> Parsed<'a, bool> {
        let summed_bytes = self.offset + (input.len() - rest.len()) as u64;
        let (rest, checksum) = if self.version.has_checksum() {
            let (rest, checksum) = int64(rest)?;
            (rest, Some(checksum as u64))
        } else {
            (rest, None)
        };
        self.state = State::Done;
        let dangling_attributes = self.attrs != KeyAttrs::default();
        let item = Item::End { checksum, summed_bytes, dangling_attributes };
        sink.item(item, self.offset, (input.len() - rest.len()) as u64);
        Ok((rest, false))
    }
}

/// Classes of module metadata: a word each, then tagged parts. Source: `rdbLoadKeyMeta` of Redis 8.6.
///
/// Returns how many there are, and how many a server may not leave alone: the lowest bit of the word says so.
fn key_meta(input: &[u8]) -> Parsed<'_, (u8, u8)> {
    let (mut rest, classes) = length(input)?;
    if classes > 7 {
        return Fault::fail(ErrorKind::TooManyKeyMeta(classes), input);
    }
    let mut needed = 0;
    for _ in 0..classes {
        let (after, class) = uint32(rest)?;
        needed += u8::from(class & 1 == 0);
        rest = module::parts(after, |_| {})?.0;
    }
    Ok((rest, (classes as u8, needed)))
}

/// Source: `rdbLoadRioWithLoadingCtx` in `src/rdb.c` of Redis 7.0.
fn module_aux(input: &[u8]) -> Parsed<'_, Item<'_>> {
    let (at_tag, id) = length(input)?;
    let (rest, tag) = length(at_tag)?;
    if tag != 2 {
        return Fault::fail(ErrorKind::BadModuleAux(tag), at_tag);
    }
    let (rest, when) = length(rest)?;
    let when = match when {
        1 => ModuleAuxWhen::BeforeKeys,
        2 => ModuleAuxWhen::AfterKeys,
        other => ModuleAuxWhen::Other(other),
    };
    let (rest, ()) = module::parts(rest, |_| {})?;
    Ok((rest, Item::ModuleAux { id: ModuleId(id), when }))
}

/// Source: `rdbFunctionLoad` in `src/rdb.c` of Redis 7.0-rc1.
fn function_pre_ga(input: &[u8]) -> Parsed<'_, Item<'_>> {
    let (rest, name) = string(input)?;
    let (rest, engine) = string(rest)?;
    let (mut rest, has_description) = length(rest)?;
    let mut description: Option<RdbStr<'_>> = None;
    if has_description != 0 {
        let (after, text) = string(rest)?;
        description = Some(text);
        rest = after;
    }
    let (rest, code) = string(rest)?;
    Ok((rest, Item::FunctionPreGa { name, engine, description, code }))
}

/// Source: `src/cluster_migrateslots.c` of Valkey 9.0.
fn slot_import(input: &[u8]) -> Parsed<'_, Item<'_>> {
    let (rest, job) = string(input)?;
    let (mut rest, ranges) = length(rest)?;
    for _ in 0..ranges {
        let (after, _first) = length(rest)?;
        rest = length(after)?.0;
    }
    Ok((rest, Item::SlotImport { job, ranges }))
}
