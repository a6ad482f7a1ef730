//! Module values: servers answer what the module's `mem_usage` callback says. For the modules of Redis Stack that is
//! worked out from the parts in the file, as their callbacks do; of others the parts stand in for what they become.
//!
//! Sources: `src/rebloom.c`, `cf.c`, `rm_cms.c`, `rm_topk.c`, `rm_tdigest.c` of RedisBloom 2.8, `src/tsdb.c` of
//! RedisTimeSeries 1.12; measured with Redis Stack 7.4.1. Other releases of a module may count in another way, so that
//! nothing here is better than assumed.

use rdb_format::Encoding;
use rdb_parser::{Fault, Limits, ModuleId, ModulePart, RdbStr};

use super::ValueCost;
use super::json::document_bytes;
use crate::bytes::Bytes;
use crate::{Basis, SizeModel};

/// `sizeof(moduleValue)`: type and pointer. No callback counts it.
const MODULE_VALUE: u64 = 16;
/// Allocated for the matrices of a graph without nodes. Measured with FalkorDB 4.16 in Redis 8.2.3.
const GRAPH: u64 = 464_000;
/// What is allocated around a part of its own.
const PART: u64 = 16;

/// Modules whose callback is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// `SBChain` of 32 bytes, `SBLink` of 64 and its bits for each filter.
    Bloom,
    /// `CuckooFilter` of 40 bytes, 16 and its buckets for each filter.
    Cuckoo,
    /// Eight bytes a counter, of which four are written, and `CMSketch` less its pointer.
    CountMin,
    /// `TopK`, its table of decays, its buckets and its heap; not the items.
    TopK,
    /// Room for 6 nodes and 10 more of two doubles for each unit of compression.
    TDigest,
    /// Chunks, labels and a word.
    TimeSeries,
    /// A tree of values.
    Json,
    /// FalkorDB, which has no callback but takes a lot: see [`GRAPH`].
    Graph,
    Other,
}

/// A module value that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModuleBuilder {
    known: Known,
    bytes: u64,
    /// Parts so far.
    parts: u64,
    /// Texts so far.
    texts: u64,
    /// Labels of a time series that are still to come, name and value each one.
    labels: u64,
    /// Around a chunk of a time series.
    chunk: u64,
}

impl ModuleBuilder {
    /// An empty value of a module.
    pub(crate) fn new(id: ModuleId) -> Self {
        let (known, bytes) = match &id.name() {
            b"MBbloom--" => (Known::Bloom, 32),
            b"MBbloomCF" => (Known::Cuckoo, 40),
            b"CMSk-TYPE" => (Known::CountMin, 8),
            b"TopK-TYPE" => (Known::TopK, 40 + 256 * 8),
            b"TDIS-TYPE" => (Known::TDigest, 8),
            b"TSDB-TYPE" => (Known::TimeSeries, 8),
            b"ReJSON-RL" => (Known::Json, 0),
            b"graphdata" => (Known::Graph, MODULE_VALUE),
            _ => (Known::Other, MODULE_VALUE),
        };
        Self { known, bytes, parts: 0, texts: 0, labels: 0, chunk: 0 }
    }

    /// One more part. `buffer` is for inflating texts.
    pub(crate) fn part(
        &mut self,
        part: ModulePart<'_>,
        model: &SizeModel,
        limits: Limits,
        buffer: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let at = self.parts;
        self.parts = self.parts.saturating_add(1);
        let bytes = match (self.known, part) {
            (Known::Json, ModulePart::Text(text)) => {
                let other = text.len().saturating_add(PART);
                document_bytes(text.bytes(limits, buffer)?).unwrap_or(other)
            }
            (Known::TDigest, ModulePart::Double(compression)) if at == 0 => {
                (6.0 * compression.clamp(0.0, 1e12) + 10.0) as u64 * 16
            }
            (Known::TimeSeries, part) => self.time_series(at, part),
            (Known::Other | Known::Graph, ModulePart::Text(text)) => {
                model.usable(text.len().saturating_add(PART))
            }
            (Known::Other | Known::Graph, _) => 8,
            (_, ModulePart::Text(text)) => self.block(text),
            _ => 0,
        };
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }

    /// A text of the probabilistic types.
    fn block(&mut self, text: RdbStr<'_>) -> u64 {
        let len = text.len();
        self.texts = self.texts.saturating_add(1);
        match self.known {
            Known::Bloom => len.saturating_add(64),
            Known::Cuckoo => len.saturating_add(16),
            Known::CountMin => len.saturating_mul(2),
            // The items of its heap come behind buckets and heap.
            Known::TopK if self.texts > 2 => 0,
            Known::TDigest => 0,
            _ => len,
        }
    }

    /// Name, retention, chunk size, options, last sample, … number of labels, labels, rules, chunks.
    fn time_series(&mut self, at: u64, part: ModulePart<'_>) -> u64 {
        const OPTIONS: u64 = 3;
        const LABELS: u64 = 11;
        const UNCOMPRESSED: u64 = 1;
        match part {
            ModulePart::Unsigned(options) if at == OPTIONS => {
                self.chunk = if options & UNCOMPRESSED != 0 { 32 } else { 80 };
                0
            }
            ModulePart::Unsigned(labels) if at == LABELS => {
                self.labels = labels.saturating_mul(2);
                0
            }
            // Half of the pair of pointers, and the text with its end.
            ModulePart::Text(text) if self.labels > 0 => {
                self.labels -= 1;
                text.len().saturating_add(8 + 1)
            }
            ModulePart::Text(text) if at > LABELS => text.len().saturating_add(self.chunk),
            _ => 0,
        }
    }

    /// The value.
    pub(crate) fn finish(self, model: &SizeModel) -> ValueCost {
        let allocated = match self.known {
            Known::Other => self.bytes,
            Known::Graph => self.bytes.saturating_add(GRAPH),
            _ => model.usable(self.bytes).saturating_add(MODULE_VALUE),
        };
        ValueCost::fixed(Encoding::Raw, Bytes::new(self.bytes, allocated)).based_on(Basis::Assumed)
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn bytes(name: &[u8; 9], parts: &[ModulePart<'_>]) -> u64 {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let letter = |byte: &u8| alphabet.iter().position(|of| of == byte).unwrap() as u64;
        let id = name.iter().fold(0, |id, byte| id << 6 | letter(byte)) << 10;
        let model = SizeModel::new(&Target::new(ServerVersion::redis(7, 4, 1)));
        let mut module = ModuleBuilder::new(ModuleId(id));
        for &part in parts {
            module.part(part, &model, Limits::default(), &mut Vec::new()).unwrap();
        }
        module.finish(&model).answer(0)
    }

    /// Answers of Redis Stack 7.4.1, less their keys.
    #[test]
    fn answers_as_the_modules_do() {
        use ModulePart::{Double, Text, Unsigned};
        let zeros = [0; 4096];
        let text = |len: usize| Text(RdbStr::Raw(&zeros[..len]));
        let bloom = [Unsigned(1), Unsigned(10), Double(0.005), text(16), Unsigned(1)];
        assert_eq!(bytes(b"MBbloom--", &bloom), 152 - 40);
        assert_eq!(bytes(b"MBbloomCF", &[Unsigned(1), text(16)]), 112 - 40);
        assert_eq!(bytes(b"CMSk-TYPE", &[Unsigned(100), Unsigned(5), Unsigned(0), text(2000)]), 4048 - 40);
        let topk = [Unsigned(10), Unsigned(50), Unsigned(4), Double(0.9), text(1600), text(240), text(8)];
        assert_eq!(bytes(b"TopK-TYPE", &topk), 3968 - 40);
        assert_eq!(bytes(b"TDIS-TYPE", &[Double(100.0), Double(0.5), Unsigned(610)]), 9800 - 32);
        assert_eq!(bytes(b"ReJSON-RL", &[Text(RdbStr::Raw(b"[1,2]"))]), 72);
        let mut series = vec![text(17), Unsigned(0), Unsigned(4096), Unsigned(2)];
        series.extend([Unsigned(0); 7]);
        series.extend([Unsigned(3), text(6), text(6), text(6), text(6), text(6), text(6)]);
        series.extend([Unsigned(0), Unsigned(1), Unsigned(4096), Unsigned(3), text(4096)]);
        assert_eq!(bytes(b"TSDB-TYPE", &series), 4322 - 48);
    }

    #[test]
    fn unknown_modules_are_never_free() {
        assert!(bytes(b"AAAAAAAAA", &[]) > 0);
        assert!(bytes(b"AAAAAAAAA", &[ModulePart::Text(RdbStr::Raw(&[0; 100]))]) > 100);
    }
}
