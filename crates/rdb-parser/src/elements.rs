//! Values element by element, decoded.

use rdb_format::TypeCode;

use crate::hash_templates::HashTemplates;
use crate::packed::Entry;
use crate::packed::intset::Intset;
use crate::packed::listpack::Listpack;
use crate::packed::stream::{StreamEntry, StreamNode};
use crate::packed::ziplist::Ziplist;
use crate::packed::zipmap::Zipmap;
use crate::{
    ArrayValue, Container, Error, ErrorKind, Fault, Limits, ModuleId, ModulePart, RdbStr, Record,
    StreamConsumer, StreamGroup, StreamId, StreamMeta, ValueVisitor, decimal_len, write_decimal,
};

/// A piece of a decoded value. Bytes live until the next piece.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Element<'e> {
    /// A string value, an element of a list, or a member of a set.
    Item(&'e [u8]),
    /// A member of a sorted set and its score.
    Scored(&'e [u8], f64),
    /// A field of a hash, its value, and when the field expires (milliseconds since 1970).
    Field(&'e [u8], &'e [u8], Option<i64>),
    /// The value of a field whose name stands in a template of the file.
    TemplateValue(&'e [u8]),
    /// A live entry of a stream.
    StreamEntry(StreamEntry<'e>),
    /// A stream's length and identifiers.
    StreamMeta(StreamMeta),
    /// The name of a consumer group, and how many entries are pending in it.
    StreamGroup(&'e [u8], u64),
    /// The name of a consumer, and how many entries are pending for it.
    StreamConsumer(&'e [u8], u64),
    /// A slot of an array.
    Slot(u64, &'e [u8]),
    /// The type of a module value, before its parts.
    Module(ModuleId),
    /// A tagged part of a module value.
    ModulePart(ModulePart<'e>),
}

impl<'a> Record<'a> {
    /// Reads the value, telling `each` about its elements one by one in the order of the file.
    ///
    /// Nothing is collected: memory is needed for one packed node at the most, and only where LZF
    /// data must be inflated.
    ///
    /// # Errors
    ///
    /// The first damage met inside the value. What was told before it stands.
    pub fn for_each_element(
        &self,
        templates: &HashTemplates,
        limits: Limits,
        each: impl FnMut(Element<'_>),
    ) -> Result<(), Error> {
        let mut decoder = Decoder {
            each,
            limits,
            type_code: self.head.type_code,
            template_names: Vec::new(),
            next_name: 0,
            fault: None,
            record: self,
            scratch: [const { Vec::new() }; 3],
        };
        self.walk(templates, &mut decoder)?;
        decoder.fault.map_or(Ok(()), Err)
    }
}

struct Decoder<'a, 'r, F> {
    each: F,
    limits: Limits,
    type_code: TypeCode,
    template_names: Vec<Vec<u8>>,
    next_name: usize,
    fault: Option<Error>,
    record: &'r Record<'a>,
    scratch: [Vec<u8>; 3],
}

impl<'a, F: FnMut(Element<'_>)> Decoder<'a, '_, F> {
    /// Decodes one string and hands it on.
    fn one(&mut self, string: RdbStr<'a>, tell: impl FnOnce(&mut F, &[u8])) {
        match string.bytes(self.limits, &mut self.scratch[0]) {
            Ok(bytes) => tell(&mut self.each, bytes),
            Err(fault) => self.note(fault, string),
        }
    }

    #[cold]
    fn note(&mut self, fault: Fault, string: RdbStr<'a>) {
        let record = self.record;
        self.fault.get_or_insert_with(|| record.error_in_string(fault, string));
    }

    /// Runs `read` over the decoded bytes of a packed value.
    fn blob(
        &mut self,
        blob: RdbStr<'a>,
        read: impl FnOnce(&mut F, &[u8], &mut [Vec<u8>; 2]) -> Result<(), Fault>,
    ) {
        let [inflated, first, second] = &mut self.scratch;
        let mut texts = [std::mem::take(first), std::mem::take(second)];
        let done =
            blob.bytes(self.limits, inflated).and_then(|bytes| read(&mut self.each, bytes, &mut texts));
        [self.scratch[1], self.scratch[2]] = texts;
        if let Err(fault) = done {
            self.note(fault, blob);
        }
    }

    fn template_value(&mut self, value: &[u8]) {
        match self.template_names.get(self.next_name) {
            Some(name) => (self.each)(Element::Field(name, value, None)),
            None => (self.each)(Element::TemplateValue(value)),
        }
        self.next_name += 1;
    }
}

/// Entries two by two.
fn pairs<'b>(
    mut entries: impl Iterator<Item = Result<Entry<'b>, Fault>>,
    mut tell: impl FnMut(Entry<'b>, Entry<'b>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut count = 0;
    while let Some(first) = entries.next() {
        count += 2;
        let Some(second) = entries.next() else {
            return Err(Fault::at(ErrorKind::UnevenEntries { entries: count - 1, group: 2 }, &[]));
        };
        tell(first?, second?)?;
    }
    Ok(())
}

/// The score that a packed entry holds as integer or text.
fn score_of(entry: Entry<'_>) -> Result<f64, Fault> {
    match entry {
        Entry::Int(value) => Ok(value as f64),
        Entry::Str(text) => std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| Fault::at(ErrorKind::BadScore, text)),
    }
}

impl<'a, F: FnMut(Element<'_>)> ValueVisitor<'a> for Decoder<'a, '_, F> {
    fn fault(&mut self, kind: ErrorKind, at: &'a [u8]) {
        let record = self.record;
        self.fault.get_or_insert_with(|| record.error_at(kind, at));
    }

    fn string(&mut self, value: RdbStr<'a>) {
        self.one(value, |each, bytes| each(Element::Item(bytes)));
    }

    fn element(&mut self, element: RdbStr<'a>) {
        if !matches!(self.type_code, TypeCode::HASH_TMPL_ARRAY | TypeCode::HASH_TMPL_ARRAY_REF) {
            return self.one(element, |each, bytes| each(Element::Item(bytes)));
        }
        let mut scratch = std::mem::take(&mut self.scratch[0]);
        match element.bytes(self.limits, &mut scratch) {
            Ok(bytes) => self.template_value(bytes),
            Err(fault) => self.note(fault, element),
        }
        self.scratch[0] = scratch;
    }

    fn scored(&mut self, member: RdbStr<'a>, score: f64) {
        self.one(member, |each, bytes| each(Element::Scored(bytes, score)));
    }

    fn field(&mut self, field: RdbStr<'a>, value: RdbStr<'a>, expire_at_ms: Option<i64>) {
        let [first, second, _] = &mut self.scratch;
        match (field.bytes(self.limits, first), value.bytes(self.limits, second)) {
            (Ok(field), Ok(value)) => (self.each)(Element::Field(field, value, expire_at_ms)),
            (Err(fault), _) => self.note(fault, field),
            (_, Err(fault)) => self.note(fault, value),
        }
    }

    fn packed(&mut self, blob: RdbStr<'a>) {
        let code = self.type_code;
        if matches!(code, TypeCode::HASH_TMPL_LP | TypeCode::HASH_TMPL_LP_REF) {
            let mut values = Vec::new();
            self.blob(blob, |_, bytes, [text, _]| {
                // The first entry is the template's identifier.
                for entry in Listpack::new(bytes)?.skip(1) {
                    values.push(entry?.bytes(text).to_vec());
                }
                Ok(())
            });
            return values.iter().for_each(|value| self.template_value(value));
        }
        self.blob(blob, |each, bytes, [text, other]| match code {
            TypeCode::HASH_ZIPMAP => Zipmap::new(bytes)?.try_for_each(|pair| {
                let (field, value) = pair?;
                each(Element::Field(field, value, None));
                Ok(())
            }),
            TypeCode::SET_INTSET => {
                for value in Intset::new(bytes)?.iter() {
                    text.clear();
                    write_decimal(value, text);
                    each(Element::Item(text));
                }
                Ok(())
            }
            TypeCode::LIST_ZIPLIST => Ziplist::new(bytes)?.try_for_each(|entry| {
                each(Element::Item(entry?.bytes(text)));
                Ok(())
            }),
            TypeCode::HASH_ZIPLIST => pairs(Ziplist::new(bytes)?, |field, value| {
                each(Element::Field(field.bytes(text), value.bytes(other), None));
                Ok(())
            }),
            TypeCode::HASH_LISTPACK => pairs(Listpack::new(bytes)?, |field, value| {
                each(Element::Field(field.bytes(text), value.bytes(other), None));
                Ok(())
            }),
            TypeCode::ZSET_ZIPLIST => pairs(Ziplist::new(bytes)?, |member, score| {
                each(Element::Scored(member.bytes(text), score_of(score)?));
                Ok(())
            }),
            TypeCode::ZSET_LISTPACK => pairs(Listpack::new(bytes)?, |member, score| {
                each(Element::Scored(member.bytes(text), score_of(score)?));
                Ok(())
            }),
            TypeCode::HASH_LISTPACK_EX_PRE_GA | TypeCode::HASH_LISTPACK_EX => {
                let mut entries = Listpack::new(bytes)?;
                while let Some(field) = entries.next() {
                    let (Some(value), Some(expiry)) = (entries.next(), entries.next()) else {
                        return Err(Fault::at(ErrorKind::UnevenEntries { entries: 1, group: 3 }, &[]));
                    };
                    let expiry = expiry?.int()?;
                    let expiry = (expiry != 0).then_some(expiry);
                    each(Element::Field(field?.bytes(text), value?.bytes(other), expiry));
                }
                Ok(())
            }
            _ => Listpack::new(bytes)?.try_for_each(|entry| {
                each(Element::Item(entry?.bytes(text)));
                Ok(())
            }),
        });
    }

    fn node(&mut self, container: Container, blob: RdbStr<'a>) {
        if container == Container::Plain {
            return self.one(blob, |each, bytes| each(Element::Item(bytes)));
        }
        let ziplist = self.type_code == TypeCode::LIST_QUICKLIST;
        self.blob(blob, |each, bytes, [text, _]| {
            let mut tell = |entry: Entry<'_>| each(Element::Item(entry.bytes(text)));
            if ziplist {
                Ziplist::new(bytes)?.try_for_each(|entry| entry.map(&mut tell))
            } else {
                Listpack::new(bytes)?.try_for_each(|entry| entry.map(&mut tell))
            }
        });
    }

    fn stream_node(&mut self, master_id: StreamId, listpack: RdbStr<'a>) {
        self.blob(listpack, |each, bytes, _| {
            for entry in StreamNode::new(master_id, bytes)? {
                let entry = entry?;
                if !entry.deleted {
                    each(Element::StreamEntry(entry));
                }
            }
            Ok(())
        });
    }

    fn stream_meta(&mut self, meta: &StreamMeta) {
        (self.each)(Element::StreamMeta(*meta));
    }

    fn stream_group(&mut self, group: &StreamGroup<'a>) {
        let pending = group.pending;
        self.one(group.name, |each, name| each(Element::StreamGroup(name, pending)));
    }

    fn stream_consumer(&mut self, consumer: &StreamConsumer<'a>) {
        let pending = consumer.pending.len() as u64 / 16;
        self.one(consumer.name, |each, name| each(Element::StreamConsumer(name, pending)));
    }

    fn array_slot(&mut self, index: u64, value: ArrayValue<'a>) {
        match value {
            ArrayValue::Text(text) | ArrayValue::ShortText(text) => {
                self.one(text, |each, bytes| each(Element::Slot(index, bytes)));
            }
            ArrayValue::Int(value) => {
                let mut text = Vec::with_capacity(decimal_len(value) as usize);
                write_decimal(value, &mut text);
                (self.each)(Element::Slot(index, &text));
            }
            ArrayValue::Float(value) => (self.each)(Element::Slot(index, value.to_string().as_bytes())),
        }
    }

    fn template_names(&mut self, listpack: RdbStr<'a>) {
        let mut names = Vec::new();
        self.blob(listpack, |_, bytes, [text, _]| {
            for name in Listpack::new(bytes)? {
                names.push(name?.bytes(text).to_vec());
            }
            Ok(())
        });
        self.template_names = names;
    }

    fn template_name(&mut self, name: RdbStr<'a>) {
        let mut bytes = Vec::new();
        match name.bytes(self.limits, &mut bytes) {
            Ok(name) => self.template_names.push(name.to_vec()),
            Err(fault) => self.note(fault, name),
        }
    }

    fn module(&mut self, id: ModuleId) {
        (self.each)(Element::Module(id));
    }

    fn module_part(&mut self, part: ModulePart<'a>) {
        (self.each)(Element::ModulePart(part));
    }
}
