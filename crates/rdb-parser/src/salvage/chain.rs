//! What makes a place in a damaged file believable: a chain of records that begins there.
//!
//! A few bytes that happen to look like a record are common, so each record has to bring evidence, counted in bits:
//! about how much less likely it would be in random bytes. A chain is believed at [`ENOUGH`].

use std::collections::HashSet;

use rdb_format::{FileVersion, OpCode, TypeCode};

use super::trail::Names;
use crate::{
    ArrayValue, Container, Depth, Item, KeyHead, Limits, ModulePart, PendingEntry, RdbStr, Record, Scanned,
    Scanner, Shape, Sink, Stop, StreamId, ValueVisitor,
};

/// Evidence that makes a chain believable: one wrong guess in 10^12 places.
const ENOUGH: u32 = 40;
/// And the least number of records or items that it must come from.
const LEAST_LINKS: u32 = 3;
/// The most links of a chain that are looked at.
const MOST_LINKS: u32 = 64;
/// Records without a believable key that are let go at the start of a chain.
const MOST_LET_GO: u32 = 3;
/// How many bytes are looked at first, and at the most. A record that does not fit is not found by itself; it
/// is read when it follows others.
const WINDOW: (usize, usize) = (4 << 10, 64 << 20);
/// The longest name that a chain may start with.
const LONGEST_NAME: usize = 64 << 10;
/// How many places are remembered that lead nowhere.
const MOST_DOOMED: usize = 1 << 16;
/// Expiries that are believed, in milliseconds since 1970: from 2001 to 2128.
const BELIEVABLE_MS: std::ops::Range<i64> = 978_307_200_000..5_000_000_000_000;

/// Whether a name is what people call keys: UTF-8 without control characters.
pub(super) fn is_readable(name: &[u8]) -> bool {
    // The start that errors keep may end inside a character.
    let text = match std::str::from_utf8(name) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            let valid = name.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(valid).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty() && !text.contains(char::is_control)
}

/// Looks for believable chains.
#[derive(Debug)]
pub(super) struct Prober<'a> {
    bytes: &'a [u8],
    visitor: (Shape<'a>, Effort),
    /// Links of chains that were not believed: a chain that comes there ends the same way.
    doomed: HashSet<u64>,
    /// How much more [`Effort`] may be spent, so that no file can make the search endless.
    budget: u64,
}

impl<'a> Prober<'a> {
    pub(super) fn new(bytes: &'a [u8], limits: Limits) -> Self {
        let budget = (bytes.len() as u64).saturating_mul(4).saturating_add(1 << 28);
        let visitor = (Shape::new(Depth::Elements, limits), Effort(0));
        Self { bytes, visitor, doomed: HashSet::new(), budget }
    }

    /// The first place at or behind `from` where a believable chain begins. One that begins in front of `lost` must
    /// lead across, and counts from there.
    pub(super) fn find(
        &mut self,
        lead: &Scanner,
        version: FileVersion,
        names: &Names,
        from: u64,
        lost: u64,
    ) -> Option<u64> {
        self.doomed.clear();
        let mut at = usize::try_from(from).ok()?;
        // A record that happens to fit may jump over others, so those are looked for as well.
        let mut best = u64::MAX;
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let offset = at as u64;
            if offset >= best || self.budget == 0 {
                break;
            }
            // The place where the framing was lost has been tried.
            if offset != lost && may_start(rest, version) && !self.doomed.remove(&offset) {
                let scanner = lead.resumed_at(offset, lead.db(), version).replay();
                match self.chain(scanner, names, at, lost) {
                    Some(start) if start == offset => return Some(start),
                    Some(start) if offset > lost => best = best.min(start),
                    _ => {}
                }
            }
            at = at.checked_add(1)?;
        }
        (best != u64::MAX).then_some(best)
    }

    /// Follows the chain that begins at `at`, and returns where it is believed from.
    fn chain(&mut self, mut scanner: Scanner, names: &Names, at: usize, lost: u64) -> Option<u64> {
        let bytes = self.bytes;
        let mut links = Links::new(&mut self.visitor, names, lost);
        let mut places = Vec::new();
        let (mut at, mut window) = (at, WINDOW.0);
        let believed = loop {
            let upto = at.saturating_add(window).min(bytes.len());
            let scanned = scanner.scan(bytes.get(at..upto).unwrap_or_default(), 0, &mut links);
            let Ok(Scanned { consumed, stop }) = scanned else { break None };
            at = at.saturating_add(consumed);
            self.budget = self.budget.saturating_sub(links.visitor.1.take());
            if links.is_broken || links.count > MOST_LINKS || self.budget == 0 {
                break None;
            }
            match stop {
                Stop::Cut => {
                    places.push(at as u64);
                    window = WINDOW.0;
                }
                Stop::End if is_last(bytes.get(at..).unwrap_or_default()) => break links.begin,
                Stop::End => break None,
                Stop::NeedMore(_) if upto == bytes.len() || window >= WINDOW.1 => break None,
                Stop::NeedMore(_) => window = window.saturating_mul(16).min(WINDOW.1),
            }
            if links.is_enough() {
                break links.begin;
            }
        };
        if believed.is_none() && self.doomed.len() < MOST_DOOMED {
            self.doomed.extend(places);
        }
        believed
    }
}

/// How much work a value takes: about one unit for each piece, and one for each byte that is decoded.
#[derive(Clone, Copy, Debug)]
struct Effort(u64);

impl Effort {
    /// What a step takes that finds nothing.
    const STEP: u64 = 64;

    fn take(&mut self) -> u64 {
        Self::STEP.saturating_add(std::mem::take(&mut self.0))
    }

    fn piece(&mut self) {
        self.0 = self.0.saturating_add(1);
    }

    fn string(&mut self, string: RdbStr<'_>) {
        let bytes = if let RdbStr::Lzf(lzf) = string { lzf.packed.len() } else { 0 };
        self.0 = self.0.saturating_add(1 + bytes as u64);
    }

    fn decoded(&mut self, string: RdbStr<'_>) {
        // A declared length counts as far as the bytes can make it: that is checked before they are inflated.
        let bytes = string.stored().unwrap_or_default().len() as u64;
        self.0 = self.0.saturating_add(1 + string.len().min(bytes.saturating_mul(88)));
    }
}

impl<'a> ValueVisitor<'a> for Effort {
    fn string(&mut self, value: RdbStr<'a>) {
        Self::string(self, value);
    }

    fn element(&mut self, element: RdbStr<'a>) {
        Self::string(self, element);
    }

    fn scored(&mut self, member: RdbStr<'a>, _: f64) {
        Self::string(self, member);
    }

    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, _: Option<i64>) {
        Self::string(self, field);
        Self::string(self, value);
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        self.decoded(blob);
    }

    fn node(&mut self, _: Container, blob: RdbStr<'a>) {
        self.decoded(blob);
    }

    fn stream_node(&mut self, _: StreamId, listpack: RdbStr<'a>) {
        self.decoded(listpack);
    }

    fn stream_pending(&mut self, _: &PendingEntry) {
        self.piece();
    }

    fn array_slot(&mut self, _: u64, _: ArrayValue<'a>) {
        self.piece();
    }

    fn module_part(&mut self, _: ModulePart<'a>) {
        self.piece();
    }
}

/// Whether nothing follows the end of the records, or what may follow: the commands of an append-only file, and the
/// mark of a replication capture.
fn is_last(tail: &[u8]) -> bool {
    const CAPTURE_MARK: usize = 40;
    tail.is_empty() || tail.len() == CAPTURE_MARK || is_command(tail)
}

fn is_command(tail: &[u8]) -> bool {
    matches!(tail, [b'*', b'1'..=b'9', ..]) && tail.iter().take(12).any(|byte| *byte == b'\r')
}

/// Whether a chain may begin here: cheap, and true for few places, since it is asked of every byte of a gap.
#[inline]
fn may_start(bytes: &[u8], version: FileVersion) -> bool {
    let [first, rest @ ..] = bytes else { return false };
    match OpCode(*first) {
        OpCode(0..=33) => may_be_name(rest) && TypeCode(*first).object_type(version).is_some(),
        OpCode::EXPIRETIME_MS => match rest.first_chunk() {
            Some(ms) => BELIEVABLE_MS.contains(&i64::from_le_bytes(*ms)),
            None => false,
        },
        // Only files up to RDB 2 have it, and four bytes say too little.
        OpCode::EXPIRETIME => version.number <= 3,
        OpCode::SELECTDB => rest.first().is_some_and(|db| *db < 0x80),
        OpCode::AUX => matches!(rest, [1..=0x3f, b'a'..=b'z', ..]),
        OpCode::EOF => is_last(rest.get(if version.has_checksum() { 8 } else { 0 }..).unwrap_or(b"?")),
        OpCode::IDLE | OpCode::FREQ => true,
        OpCode::KEY_META
        | OpCode::MODULE_AUX
        | OpCode::FUNCTION2
        | OpCode::SLOT_INFO
        | OpCode::HASH_TEMPLATE => true,
        _ => false,
    }
}

/// Whether a name of a believable length follows.
#[inline]
fn may_be_name(bytes: &[u8]) -> bool {
    match *bytes {
        [len @ 1..=0x3f, ref rest @ ..] => rest.len() >= usize::from(len),
        [high @ 0x40..=0x7f, low, ref rest @ ..] => {
            rest.len() >= (usize::from(high & 0x3f) << 8 | usize::from(low))
        }
        [0x80, a, b, c, d, ref rest @ ..] => {
            let len = u32::from_be_bytes([a, b, c, d]) as usize;
            len <= LONGEST_NAME && rest.len() >= len
        }
        [0xc0..=0xc3, ..] => true,
        _ => false,
    }
}

/// The links of a chain as they are found.
struct Links<'a, 'p> {
    visitor: &'p mut (Shape<'a>, Effort),
    names: &'p Names,
    /// Links that end before this place bring no evidence.
    lost: u64,
    /// In bits.
    evidence: u32,
    count: u32,
    /// Where the first believable link starts.
    begin: Option<u64>,
    let_go: u32,
    is_broken: bool,
    last_key: Option<RdbStr<'a>>,
    /// Whether the first record has an idle time or a frequency: then all have.
    has_attributes: Option<bool>,
}

impl<'a, 'p> Links<'a, 'p> {
    fn new(visitor: &'p mut (Shape<'a>, Effort), names: &'p Names, lost: u64) -> Self {
        Self {
            visitor,
            names,
            lost,
            evidence: 0,
            count: 0,
            begin: None,
            let_go: 0,
            is_broken: false,
            last_key: None,
            has_attributes: None,
        }
    }

    fn is_enough(&self) -> bool {
        self.evidence >= ENOUGH && self.count >= LEAST_LINKS && self.begin.is_some()
    }

    fn link(&mut self, end: u64, evidence: u32) {
        if end > self.lost {
            self.count += 1;
            self.evidence = self.evidence.saturating_add(evidence);
        }
    }

    /// The evidence that a name brings; `None` for one that no chain has.
    fn name(key: RdbStr<'_>) -> Option<u32> {
        match key {
            RdbStr::Raw([]) => None,
            RdbStr::Raw(name) if is_readable(name) => Some(name.len().min(12) as u32),
            RdbStr::Raw(_) => Some(0),
            RdbStr::Int(_) => Some(2),
            RdbStr::Lzf(lzf) => lzf.check().ok().map(|()| 8),
        }
    }
}

impl<'a> Sink<'a> for Links<'a, '_> {
    type Visitor = (Shape<'a>, Effort);

    fn key(&mut self, _: &KeyHead<'a>) -> &mut Self::Visitor {
        self.visitor
    }

    fn record(&mut self, record: &Record<'a>) {
        let head = &record.head;
        let (shape, _) = &self.visitor;
        let has_attributes = head.attrs.idle_seconds.is_some() || head.attrs.freq.is_some();
        let is_like_the_first = *self.has_attributes.get_or_insert(has_attributes) == has_attributes;
        let is_repeated = self.last_key.replace(head.key) == Some(head.key);
        let is_damaged = shape.error(record).is_some() || shape.is_empty_key();
        let Some(name) = Self::name(head.key).filter(|_| is_like_the_first && !is_repeated && !is_damaged)
        else {
            self.is_broken = true;
            return;
        };
        let value = match (head.type_code, record.value.first()) {
            (TypeCode::STRING, Some(0xc3)) => 8,
            (TypeCode::STRING, Some(0xc0..=0xc2)) => 2,
            // Packed data says more than once how long it is and how many entries it has.
            (code, _) if is_packed(code) => 16,
            _ => 0,
        };
        let expiry = match head.attrs.expire_at_ms {
            Some(ms) if !BELIEVABLE_MS.contains(&ms) => {
                self.is_broken = true;
                return;
            }
            Some(_) => 12,
            None => 0,
        };
        let is_familiar = match head.key {
            RdbStr::Raw(name) => self.names.is_familiar(name),
            _ => false,
        };
        // The fields of a hash with field expiries read like strings, and elements of collections like any others.
        let is_vouched_for = is_familiar || value > 2 || expiry > 0;
        if self.begin.is_none() {
            if is_vouched_for && (name > 2 || value > 2) {
                self.begin = Some(head.offset);
            } else {
                // The first record may be no more than a few bytes that happen to fit.
                self.let_go += 1;
                self.is_broken = self.let_go > MOST_LET_GO;
                return;
            }
        }
        let evidence = if is_vouched_for { 2 + name + value + expiry } else { 0 };
        self.link(head.offset.saturating_add(record.serialized_bytes), evidence);
    }

    fn item(&mut self, item: Item<'a>, offset: u64, bytes: u64) {
        let evidence = match item {
            Item::SelectDb(db) if db < 1 << 14 => 2,
            Item::Aux { name: RdbStr::Raw(name), .. } if is_readable(name) => name.len().min(12) as u32,
            Item::ResizeDb { keys, expires } if expires <= keys => 2,
            Item::SlotInfo { slot, keys, expires } if slot < 1 << 14 && expires <= keys => 4,
            Item::Function { code: RdbStr::Raw(code) } if code.starts_with(b"#!") => 16,
            Item::Function { code: RdbStr::Lzf(lzf) } if lzf.check().is_ok() => 8,
            Item::ModuleAux { .. } | Item::HashTemplate { .. } | Item::SlotImport { .. } => 8,
            Item::End { .. } => 8,
            _ => {
                self.is_broken = true;
                return;
            }
        };
        self.begin.get_or_insert(offset);
        self.link(offset.saturating_add(bytes), evidence);
    }
}

/// Whether the value is one packed string.
const fn is_packed(code: TypeCode) -> bool {
    matches!(
        code,
        TypeCode::HASH_ZIPMAP
            | TypeCode::LIST_ZIPLIST
            | TypeCode::SET_INTSET
            | TypeCode::ZSET_ZIPLIST
            | TypeCode::HASH_ZIPLIST
            | TypeCode::HASH_LISTPACK
            | TypeCode::ZSET_LISTPACK
            | TypeCode::SET_LISTPACK
            | TypeCode::HASH_LISTPACK_EX
            | TypeCode::HASH_TMPL_LP
            | TypeCode::HASH_TMPL_LP_REF
    )
}
