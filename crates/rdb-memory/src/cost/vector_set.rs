//! Vector sets (Redis 8.0): a graph of nodes with a vector each.
//!
//! What the server answers is not measured there either but worked out from a few numbers:
//! `VectorSetMemUsage` in `modules/vector-sets/vset.c` of Redis 8.2, with the structs of `hnsw.h` beside it.

use rdb_format::Encoding;
use rdb_parser::ModulePart;

use super::ValueCost;
use crate::bytes::Bytes;
use crate::key::OBJECT;
use crate::{Basis, SizeModel};

/// `sizeof(struct vsetObject)` and `sizeof(HNSW)`, whose locks are those of glibc.
const STRUCTS: u64 = 112 + 1672;
/// `sizeof(hnswNode)` without layers.
const NODE: u64 = 312;
/// `sizeof(hnswNodeLayer)`.
const LAYER: u64 = 24;
/// What is counted for an element in the dictionary of names.
const NAME_ENTRY: u64 = 16;
/// How many elements the answer looks at, from the last one on, to tell the size of names and attributes.
const SAMPLED: usize = 20;
/// What it takes for the size of an attribute when none of those has one.
const ATTRIBUTE_GUESS: u64 = 64;
/// Allocated for an element beside what is answered: slack of its node, the pair of name and attribute, and
/// more of the dictionary. The mean over two sets of Redis 8.2.3.
const UNANSWERED: u64 = 180;

/// What comes next in the module data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Dimensions,
    Len,
    Quantisation,
    Flags,
    InputDimensions,
    Projection,
    Name,
    Attribute,
    Vector,
    LinkCount,
    Links(u64),
}

/// A vector set that is being read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorSetBuilder {
    next: Next,
    dimensions: u64,
    vector_bytes: u64,
    /// Most links of a node on the lowest layer.
    links: u64,
    attributed: bool,
    projection: u64,
    len: u64,
    attributes: u64,
    /// Sizes of the last names and attributes, and how many of either there are.
    names: [u64; SAMPLED],
    values: [u64; SAMPLED],
    unexpected: bool,
}

impl VectorSetBuilder {
    /// A vector set of which nothing is read.
    pub(crate) fn new() -> Self {
        Self {
            next: Next::Dimensions,
            dimensions: 0,
            vector_bytes: 0,
            links: 0,
            attributed: false,
            projection: 0,
            len: 0,
            attributes: 0,
            names: [0; SAMPLED],
            values: [0; SAMPLED],
            unexpected: false,
        }
    }

    /// One more part.
    pub(crate) fn part(&mut self, part: ModulePart<'_>, model: &SizeModel) {
        self.next = match (self.next, part) {
            (Next::Dimensions, ModulePart::Unsigned(dimensions)) => {
                self.dimensions = dimensions;
                Next::Len
            }
            (Next::Len, ModulePart::Unsigned(_)) => Next::Quantisation,
            (Next::Quantisation, ModulePart::Unsigned(config)) => {
                self.vector_bytes = match config & 0xff {
                    0 => self.dimensions.saturating_mul(4),
                    1 => self.dimensions,
                    _ => self.dimensions.div_ceil(64).saturating_mul(8),
                };
                self.links = (config >> 8 & 0xffff) * 2;
                Next::Flags
            }
            (Next::Flags, ModulePart::Unsigned(flags)) => {
                self.attributed = flags & 2 != 0;
                if flags & 1 != 0 { Next::InputDimensions } else { Next::Name }
            }
            (Next::InputDimensions, ModulePart::Unsigned(_)) => Next::Projection,
            (Next::Projection, ModulePart::Text(matrix)) => {
                self.projection = matrix.len();
                Next::Name
            }
            (Next::Name, ModulePart::Text(name)) => {
                self.push_name(model.string_object(name.len()));
                if self.attributed { Next::Attribute } else { Next::Vector }
            }
            (Next::Attribute, ModulePart::Text(attribute)) => {
                if !attribute.is_empty() {
                    self.attributes += 1;
                    self.set_last_attribute(model.string_object(attribute.len()));
                }
                Next::Vector
            }
            (Next::Vector, ModulePart::Text(_)) => Next::LinkCount,
            (Next::LinkCount, ModulePart::Unsigned(count)) => Next::Links(count).or_name(),
            (Next::Links(left), ModulePart::Unsigned(_)) => Next::Links(left - 1).or_name(),
            (next, _) => {
                self.unexpected = true;
                next
            }
        };
    }

    /// Notes a name in the ring of the last ones.
    fn push_name(&mut self, bytes: u64) {
        let place = self.len as usize % SAMPLED;
        if let (Some(name), Some(value)) = (self.names.get_mut(place), self.values.get_mut(place)) {
            (*name, *value) = (bytes, 0);
        }
        self.len += 1;
    }

    fn set_last_attribute(&mut self, bytes: u64) {
        let place = (self.len as usize).wrapping_sub(1) % SAMPLED;
        if let Some(value) = self.values.get_mut(place) {
            *value = bytes;
        }
    }

    /// The vector set.
    pub(crate) fn finish(self, model: &SizeModel) -> ValueCost {
        let len = self.len;
        let mut bytes = STRUCTS.saturating_add(self.projection);
        if len > 0 {
            let links = self.links.saturating_mul(8);
            let node = (NODE + NAME_ENTRY).saturating_add(self.vector_bytes).saturating_add(links);
            let upper_links = (links / 2).saturating_mul(len) / 3;
            let attributes = average(&self.values).unwrap_or(ATTRIBUTE_GUESS);
            bytes = bytes
                .saturating_add(node.saturating_mul(len))
                .saturating_add(LAYER.saturating_mul(len).saturating_mul(4) / 3)
                .saturating_add(upper_links)
                .saturating_add(average(&self.names).unwrap_or(0).saturating_mul(len))
                .saturating_add(attributes.saturating_mul(self.attributes));
        }
        let allocated =
            bytes.saturating_add(UNANSWERED.saturating_mul(len)).saturating_add(model.usable(OBJECT));
        let known = model.facts.vector_sets && !self.unexpected;
        ValueCost::fixed(Encoding::Raw, Bytes::new(bytes, allocated)).based_on(if known {
            Basis::Exact
        } else {
            Basis::Assumed
        })
    }
}

impl Next {
    /// The next name once all links are passed.
    fn or_name(self) -> Self {
        if self == Self::Links(0) { Self::Name } else { self }
    }
}

/// The average of those that are there, in whole bytes.
fn average(sizes: &[u64; SAMPLED]) -> Option<u64> {
    let there = sizes.iter().filter(|&&size| size > 0).count() as u64;
    sizes.iter().sum::<u64>().checked_div(there)
}

impl SizeModel {
    /// A string object of a module. Source: `RM_MallocSizeString` in `src/module.c`.
    fn string_object(&self, len: u64) -> u64 {
        if len <= 44 {
            self.usable(OBJECT + 3 + len + 1)
        } else {
            self.usable(self.sds_request(len)).saturating_add(OBJECT)
        }
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;
    use rdb_parser::RdbStr;

    use super::*;
    use crate::Target;

    #[test]
    fn answers_as_redis_8_2_does() {
        let model = SizeModel::new(&Target::new(ServerVersion::redis(8, 2, 3)));
        let mut set = VectorSetBuilder::new();
        // Four elements of three unquantised dimensions, with an attribute of eleven bytes each.
        for number in [3, 4, 16 << 8, 2] {
            set.part(ModulePart::Unsigned(number), &model);
        }
        for _ in 0..4 {
            for text in [&b"item-0"[..], b"{\"shelf\":0}", &[0; 12]] {
                set.part(ModulePart::Text(RdbStr::Raw(text)), &model);
            }
            for number in [2, 7, 7] {
                set.part(ModulePart::Unsigned(number), &model);
            }
        }
        let cost = set.finish(&model);
        assert_eq!((cost.answer(0), cost.basis), (4722, Basis::Exact));
    }
}
