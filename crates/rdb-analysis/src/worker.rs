//! What a worker does with a run of records: each becomes an observation, each observation is folded.

use rdb_format::ObjectType;
use rdb_memory::{Pricer, SizeModel};
use rdb_parser::{Depth, Error, Fault, KeyHead, Limits, RdbStr, Record, Scanner, Shape, Sink, Stop};

use crate::{Aggregate, Coverage, Filter, ModuleName, Observation};

/// Makes the text of a row for each key.
pub trait RowWriter: Sync {
    /// Appends the row of this key to `out`.
    fn row(&self, seen: &Observation<'_>, out: &mut Vec<u8>);
}

/// The most bytes that the name of a key is inflated to: each worker keeps a buffer of that size.
const MAX_DECODED_NAME: u64 = 1 << 20;

/// How the keys of one file are looked at.
#[derive(Clone, Copy)]
pub(crate) struct Job<'p> {
    /// Which input it is.
    pub file: u32,
    pub model: &'p SizeModel,
    pub loaded: Option<&'p SizeModel>,
    pub filter: &'p Filter,
    pub depth: Depth,
    pub limits: Limits,
    pub rows: Option<&'p dyn RowWriter>,
}

/// What came of a run of records beside the aggregate.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    pub keys: u64,
    pub empty_keys: u64,
    pub damaged_keys: u64,
    pub errors: Vec<Error>,
    pub rows: Vec<u8>,
}

/// Reads `bytes` again from where `scanner` stood, observing every key.
pub(crate) fn work<A: Aggregate>(job: Job<'_>, mut scanner: Scanner, bytes: &[u8], state: &mut A) -> Harvest {
    let mut observer = Observer {
        job,
        visitor: (
            Shape::new(job.depth, job.limits),
            (
                Pricer::new(job.model, job.limits.for_packed()),
                job.loaded.map(|model| Pricer::of_differences(model, job.limits.for_packed())),
            ),
        ),
        state,
        harvest: Harvest::default(),
        key: Vec::new(),
        key_error: None,
    };
    // The scanner has been here before: what stopped it then is told by it, not by the worker.
    let scanned = scanner.scan(bytes, usize::MAX, &mut observer);
    debug_assert!(
        scanned.as_ref().is_ok_and(|scanned| scanned.consumed == bytes.len() || scanned.stop == Stop::End),
        "a run of records ends where it was cut: {scanned:?}"
    );
    observer.harvest
}

/// What walks a value: its shape, its price, and its price after a load.
type Visitor<'a, 'w> = (Shape<'a>, (Pricer<'w>, Option<Pricer<'w>>));

struct Observer<'a, 'w, A> {
    job: Job<'w>,
    visitor: Visitor<'a, 'w>,
    state: &'w mut A,
    harvest: Harvest,
    /// The decoded name of the key, where it does not stand in the file as it is.
    key: Vec<u8>,
    key_error: Option<Fault>,
}

/// The name of a key: in the file, or decoded before into `decoded`.
fn name_of<'k>(key: RdbStr<'k>, decoded: &'k [u8]) -> &'k [u8] {
    match key {
        RdbStr::Raw(name) => name,
        _ => decoded,
    }
}

impl<A> Observer<'_, '_, A> {
    /// Decodes a name, or its start if it is absurdly long.
    fn decode_name(&mut self, name: RdbStr<'_>) -> Result<(), Fault> {
        let limits = self.job.limits;
        match name.len() {
            0..=MAX_DECODED_NAME => name.bytes(limits, &mut self.key).map(drop),
            _ => name.prefix(MAX_DECODED_NAME, limits, &mut self.key).map(drop),
        }
    }

    #[cold]
    fn lose(&mut self, error: Error) {
        self.harvest.damaged_keys += 1;
        if self.harvest.errors.len() < Coverage::MAX_ERRORS {
            self.harvest.errors.push(error);
        }
    }
}

impl<'a, 'w, A: Aggregate> Sink<'a> for Observer<'a, 'w, A> {
    type Visitor = Visitor<'a, 'w>;

    #[inline]
    fn key(&mut self, head: &KeyHead<'a>) -> &mut Self::Visitor {
        if !matches!(head.key, RdbStr::Raw(_)) {
            self.key_error = self.decode_name(head.key).err();
        }
        let (_, (pricer, loaded)) = &mut self.visitor;
        let len = head.key.len();
        pricer.start_with_len(len, head.attrs.expire_at_ms, head.version);
        if let Some(loaded) = loaded {
            loaded.start_with_len(len, head.attrs.expire_at_ms, head.version);
        }
        &mut self.visitor
    }

    #[inline]
    fn record(&mut self, record: &Record<'a>) {
        let (shape, (pricer, loaded)) = &mut self.visitor;
        if let Some(fault) = self.key_error.take() {
            let error = record.error_in_string(fault, record.head.key);
            return self.lose(error);
        }
        if let Some(error) = shape.error(record) {
            return self.lose(error);
        }
        if shape.is_empty_key() {
            self.harvest.empty_keys += 1;
            return;
        }
        let estimate = pricer.finish();
        if let Some(fault) = pricer.fault() {
            let error = record.error_at(fault.kind, record.value);
            return self.lose(error);
        }
        // What only the second one stumbles over is no damage: its figure rests on lengths then.
        let loaded_bytes =
            loaded.as_mut().and_then(Pricer::difference).map(|estimate| estimate.allocated_bytes);
        let head = &record.head;
        let seen = Observation {
            file: self.job.file,
            db: head.db,
            key: name_of(head.key, &self.key),
            key_len: head.key.len(),
            type_code: head.type_code,
            object_type: head.type_code.object_type(head.version).unwrap_or(ObjectType::Module),
            module: shape.module().map(|id| ModuleName(id.name())),
            encoding: estimate.encoding,
            elements: shape.elements(),
            memory_bytes: estimate.memory_bytes,
            allocated_bytes: estimate.allocated_bytes,
            loaded_bytes,
            basis: estimate.basis,
            serialized_bytes: record.serialized_bytes,
            largest_element_bytes: shape.largest_element_bytes(),
            expire_at_ms: head.attrs.expire_at_ms,
            idle_seconds: head.attrs.idle_seconds,
            freq: head.attrs.freq,
            offset: head.offset,
        };
        self.harvest.keys += 1;
        if self.job.filter.passes(&seen) {
            self.state.observe(&seen);
            if let Some(rows) = self.job.rows {
                rows.row(&seen, &mut self.harvest.rows);
            }
        }
    }
}
