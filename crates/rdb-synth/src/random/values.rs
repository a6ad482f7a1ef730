//! Random values that a given type code can hold.

use super::{RandomOptions, strings};
use crate::model::{StreamEntry, StreamModel, Value};
use crate::packed::StreamId;
use crate::prng::Prng;
use crate::type_code::{type_word, types};
use crate::value::{
    ArrayItem, Consumer, Group, HashField, Idmp, ModuleValue, PendingEntry, Producer, Quantisation, VectorSet,
};

/// A value for this type code. For types 30 and 32 the caller replaces the fields by those of a template.
pub(super) fn random_value(type_code: u8, options: &RandomOptions, rng: &mut Prng) -> Value {
    let n = if rng.chance(50) { rng.size(100, 700) } else { rng.size(1, 40) };
    match type_code {
        types::STRING => Value::String(strings::any(rng)),
        types::SET_INTSET => {
            let most = *rng.pick(&[0x7fff, 0x7fff_ffff, i64::MAX]);
            let mut numbers: Vec<i64> = (0..n).map(|_| strings::integer(rng) % most).collect();
            numbers.sort_unstable();
            numbers.dedup();
            Value::Set(numbers.iter().map(|n| n.to_string().into_bytes()).collect())
        }
        types::ARRAY => array(n, rng),
        types::GCRA => Value::Gcra(rng.next_u64()),
        types::MODULE_2 if options.vector_sets && (options.loadable || rng.chance(500)) => vector_set(rng),
        types::MODULE_2 => module(rng),
        types::HASH_METADATA | types::HASH_LISTPACK_EX | 22 | 23 => {
            let expiring =
                type_code != types::VALKEY_PATH_HASH || !matches!(options.magic, super::Magic::Valkey(_));
            let mut fields = hash(n, rng);
            for field in fields.iter_mut().filter(|_| expiring) {
                field.expire_ms =
                    rng.chance(400).then(|| options.now_ms as u64 + rng.between(60_000, 3_000_000_000));
            }
            Value::Hash(fields)
        }
        types::HASH_TMPL_LP | types::HASH_TMPL_ARRAY => {
            let mut names: Vec<Vec<u8>> = strings::distinct(rng, n.min(20));
            names.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
            Value::Hash(fields_named(&names, rng))
        }
        _ => match type_word(type_code) {
            "list" => Value::List(list(n, rng)),
            "set" => Value::Set(strings::distinct(rng, n)),
            "zset" => Value::Zset(strings::distinct(rng, n).into_iter().map(|m| (m, score(rng))).collect()),
            "stream" => Value::Stream(stream(n, type_code, options, rng)),
            _ => Value::Hash(hash(n, rng)),
        },
    }
}

/// A field with a random value for each name.
pub(super) fn fields_named(names: &[Vec<u8>], rng: &mut Prng) -> Vec<HashField> {
    names.iter().map(|name| HashField::new(name.clone(), strings::any(rng), None)).collect()
}

fn hash(n: usize, rng: &mut Prng) -> Vec<HashField> {
    let names = strings::distinct(rng, n);
    fields_named(&names, rng)
}

fn list(n: usize, rng: &mut Prng) -> Vec<Vec<u8>> {
    let mut items: Vec<Vec<u8>> = (0..n.max(1)).map(|_| strings::any(rng)).collect();
    if rng.chance(100) {
        items[0] = vec![b'P'; rng.size(8193, 20_000)];
    }
    items
}

fn score(rng: &mut Prng) -> f64 {
    match rng.below(20) {
        0 => f64::INFINITY,
        1 => f64::NEG_INFINITY,
        2 => *rng.pick(&[0.0, 0.1, 1e100, -1e-9, 9_007_199_254_740_992.0, f64::MAX]),
        3..=10 => rng.unit() * 1000.0 - 100.0,
        _ => (rng.below(2_000_000) as f64) - 1000.0,
    }
}

fn array(n: usize, rng: &mut Prng) -> Value {
    let mut index = 0;
    let mut slots = Vec::new();
    for _ in 0..n {
        let item = match rng.below(4) {
            0 => ArrayItem::Int(rng.between(0, 1 << 40) as i64 - (1 << 39)),
            1 => ArrayItem::Double(rng.unit() * 1e6),
            _ => ArrayItem::Text(strings::any(rng)),
        };
        slots.push((index, item));
        index += 1 + if rng.chance(100) { rng.below(1 << 30) } else { 0 };
    }
    let cursor = rng.chance(300).then(|| slots[slots.len() - 1].0);
    Value::Array(slots, cursor)
}

fn module(rng: &mut Prng) -> Value {
    let values = (0..rng.below(8)).map(|_| match rng.below(5) {
        0 => ModuleValue::Signed(strings::integer(rng)),
        1 => ModuleValue::Unsigned(rng.next_u64()),
        2 => ModuleValue::Float(rng.unit() as f32),
        3 => ModuleValue::Double(rng.unit()),
        _ => ModuleValue::Text(strings::any(rng)),
    });
    Value::Module("synthtype".to_owned(), 1, values.collect())
}

fn vector_set(rng: &mut Prng) -> Value {
    let dim = rng.size(2, 70);
    let elements = (0..rng.between(1, 6)).map(|n| {
        let components = (0..dim).map(|_| rng.unit() as f32 - 0.5).collect();
        (format!("element{n}").into_bytes(), components, format!("{{\"n\":{n}}}").into_bytes())
    });
    Value::VectorSet(VectorSet {
        dim,
        elements: elements.collect(),
        quantisation: *rng.pick(&[Quantisation::None, Quantisation::Int8, Quantisation::Binary]),
        links: 16,
        attributes: rng.chance(300),
    })
}

fn stream(n: usize, type_code: u8, options: &RandomOptions, rng: &mut Prng) -> StreamModel {
    let n = if rng.chance(50) { 0 } else { n };
    let mut id = StreamId::new(options.now_ms as u64 - rng.below(1 << 30), rng.below(4));
    let mut entries: Vec<StreamEntry> = Vec::new();
    for _ in 0..n {
        let names: &[&str] = if rng.chance(150) { &["kind", "at", "extra"] } else { &["kind", "at"] };
        let pairs = names.iter().map(|name| (name.as_bytes().to_vec(), strings::any(rng))).collect();
        entries.push(StreamEntry { id, pairs, deleted: rng.chance(60) });
        id = match rng.below(3) {
            0 => StreamId::new(id.ms, id.seq + 1),
            _ => StreamId::new(id.ms + rng.between(1, 5000), rng.below(3)),
        };
    }
    let last_id = entries.last().map_or(id, |e| e.id);
    let groups = (0..rng.below(3)).map(|g| group(g, &entries, last_id, type_code, options, rng)).collect();
    let idmp = if type_code >= types::STREAM_LISTPACKS_4 && rng.chance(600) {
        idmp(&entries, rng)
    } else {
        Idmp::default()
    };
    StreamModel { entries, last_id, groups, idmp }
}

fn group(
    serial: u64,
    entries: &[StreamEntry],
    last_id: StreamId,
    type_code: u8,
    options: &RandomOptions,
    rng: &mut Prng,
) -> Group {
    let seen_ms = options.now_ms - rng.below(1_000_000) as i64;
    let mut consumers: Vec<Consumer> = (0..rng.between(1, 3))
        .map(|c| Consumer {
            name: format!("consumer-{c}").into_bytes(),
            seen_ms,
            active_ms: -1,
            pending: Vec::new(),
        })
        .collect();
    let (mut pending, mut nacked) = (Vec::new(), Vec::new());
    for entry in entries.iter().filter(|e| !e.deleted) {
        if !rng.chance(400) {
            continue;
        }
        let id = entry.id;
        let mut delivery_ms = seen_ms - rng.below(10_000) as i64;
        if type_code == types::STREAM_LISTPACKS_5 && rng.chance(150) {
            delivery_ms = 0;
            nacked.push(id);
        } else {
            let owner = rng.below(consumers.len() as u64) as usize;
            consumers[owner].pending.push(id);
            consumers[owner].active_ms = seen_ms;
        }
        pending.push(PendingEntry { id, delivery_ms, deliveries: rng.between(1, 100) });
    }
    let entries_read = if rng.chance(300) { u64::MAX } else { entries.len() as u64 };
    Group { name: format!("group-{serial}").into_bytes(), last_id, entries_read, pending, consumers, nacked }
}

fn idmp(entries: &[StreamEntry], rng: &mut Prng) -> Idmp {
    let producers = (0..rng.below(3)).map(|p| Producer {
        id: format!("producer-{p}").into_bytes(),
        entries: entries.iter().take(5).map(|e| (rng.bytes(16), e.id)).collect(),
    });
    Idmp {
        producers: producers.collect(),
        duration: rng.between(1, 86_400),
        max_size: rng.between(10, 10_000),
        added: entries.len() as u64,
        duplicates: rng.below(5),
    }
}
