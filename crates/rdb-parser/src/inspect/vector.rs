//! Vector sets: the parts in their order, and the graph that links the elements.
//!
//! Source: `VectorSetRdbLoad` in `modules/vector-sets/vset.c`, `hnsw_insert_serialized` and
//! `hnsw_deserialize_index` in `hnsw.c` beside it, Redis 8.2 to 8.10. What 8.10 takes and 8.2 does not, or the
//! other way round, is in `fixtures/faults.json`; here stands what 8.10 does.

use std::hash::{BuildHasher, RandomState};

use super::notes::{Notes, Place};
use super::seen::Seen;
use crate::{ErrorKind, Limits, ModuleId, ModulePart, RdbStr};

/// `VSET_MAX_VECTOR_DIM`.
const MAX_DIM: u64 = 65_536;
/// `HNSW_MAX_LEVEL`.
const LEVELS: u64 = 16;
/// Four times `HNSW_MAX_M`.
const MAX_LINKS: u64 = 4 * 4096;
/// `HNSW_SERIALIZATION_VERSION`.
const MAX_VERSION: u64 = 1;

/// What the next part is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    /// This is no vector set, or it has been given up.
    #[default]
    Nothing,
    Dim,
    Count,
    Config,
    Flags,
    InputDim,
    Matrix,
    Name,
    Attribute,
    Vector,
    NodeLen,
    Node(Graph),
    End,
}

/// What the next number of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Graph {
    Id,
    Level,
    LinkCount,
    MaxLinks,
    Links(u64),
    Worst,
    /// Length and range of the vector, the last number that is read.
    Length,
    /// Numbers that nobody reads.
    Rest,
}

#[derive(Debug, Default)]
pub(super) struct Vectors<'a> {
    next: Next,
    name: Option<RdbStr<'a>>,
    elements: u64,
    dim: u64,
    quantisation: u64,
    flags: u64,
    input_dim: u64,
    ids: Seen,
    names: Seen,
    text: Vec<u8>,
    /// Numbers of the current node that are to come.
    numbers: u64,
    id: u64,
    levels_left: u64,
    level: u64,
    has_worst: bool,
    link_count: u64,
    links: Vec<u64>,
    /// Digests of all links, each under its two ends in order: those of a link and its way back cancel out.
    sum: (u64, u64),
    keys: (RandomState, RandomState),
}

impl<'a> Vectors<'a> {
    pub(super) fn clear(&mut self) {
        self.next = Next::Nothing;
        self.ids.clear();
        self.names.clear();
        self.sum = (0, 0);
        self.name = None;
    }

    pub(super) fn is_full(&self) -> bool {
        self.ids.is_full || self.names.is_full
    }

    pub(super) fn begin(&mut self, id: ModuleId, notes: &mut Notes<'a>) {
        if id.name() != *b"vectorset" {
            return;
        }
        self.next = Next::Dim;
        if id.encoding_version() != 0 {
            self.give_up(ErrorKind::VectorEncoding(id.encoding_version()), notes);
        }
    }

    fn give_up(&mut self, kind: ErrorKind, notes: &mut Notes<'a>) {
        self.next = Next::Nothing;
        notes.add(kind, self.name.map_or(Place::Value, Place::start_of));
    }

    /// The parts have ended.
    pub(super) fn end(&mut self, notes: &mut Notes<'a>) {
        match self.next {
            Next::Nothing => {}
            Next::End if self.sum == (0, 0) => {}
            Next::End => self.give_up(ErrorKind::VectorLinks, notes),
            _ => self.give_up(ErrorKind::VectorParts, notes),
        }
        self.next = Next::Nothing;
    }

    pub(super) fn part(&mut self, part: ModulePart<'a>, limits: Limits, notes: &mut Notes<'a>) {
        let next = match part {
            _ if self.next == Next::Nothing => Ok(Next::Nothing),
            ModulePart::Unsigned(number) => self.number(number, notes),
            ModulePart::Text(text) => self.text(text, limits, notes),
            _ => Err(ErrorKind::VectorParts),
        };
        match next {
            Ok(next) => self.next = next,
            Err(kind) => self.give_up(kind, notes),
        }
    }

    fn number(&mut self, number: u64, notes: &mut Notes<'a>) -> Result<Next, ErrorKind> {
        match self.next {
            Next::Dim if number == 0 || number > MAX_DIM => Err(ErrorKind::VectorDim(number)),
            Next::Dim => {
                self.dim = number;
                Ok(Next::Count)
            }
            Next::Count => {
                self.elements = number;
                Ok(Next::Config)
            }
            Next::Config => {
                self.quantisation = number & 0xff;
                if self.quantisation > 2 {
                    return Err(ErrorKind::VectorQuantisation(self.quantisation));
                }
                Ok(Next::Flags)
            }
            Next::Flags => {
                self.flags = number;
                Ok(if number & 1 == 1 { Next::InputDim } else { self.element() })
            }
            Next::InputDim if number == 0 || number > MAX_DIM => Err(ErrorKind::VectorDim(number)),
            Next::InputDim => {
                self.input_dim = number;
                Ok(Next::Matrix)
            }
            Next::NodeLen if number < 2 => Err(ErrorKind::VectorNode),
            Next::NodeLen => {
                self.numbers = number;
                Ok(Next::Node(Graph::Id))
            }
            Next::Node(graph) => {
                self.numbers = self.numbers.saturating_sub(1);
                let next = self.graph(graph, number, notes)?;
                match (self.numbers, next) {
                    (0, Graph::Rest) => Ok(self.element()),
                    (0, _) => Err(ErrorKind::VectorNode),
                    _ => Ok(Next::Node(next)),
                }
            }
            _ => Err(ErrorKind::VectorParts),
        }
    }

    fn graph(&mut self, graph: Graph, number: u64, notes: &mut Notes<'a>) -> Result<Graph, ErrorKind> {
        match graph {
            Graph::Id => {
                self.id = number;
                if self.ids.is_twice(&number.to_le_bytes()) {
                    notes.add(
                        ErrorKind::VectorIdTwice(number),
                        self.name.map_or(Place::Value, Place::start_of),
                    );
                }
                Ok(Graph::Level)
            }
            Graph::Level => {
                let (level, version) = (number & 0xff, number >> 24 & 0xff);
                if level >= LEVELS || version > MAX_VERSION {
                    return Err(ErrorKind::VectorNode);
                }
                self.levels_left = level + 1;
                self.level = 0;
                self.has_worst = version > 0;
                Ok(Graph::LinkCount)
            }
            Graph::LinkCount => {
                self.link_count = number;
                self.links.clear();
                Ok(Graph::MaxLinks)
            }
            Graph::MaxLinks if self.link_count > number || number > MAX_LINKS => Err(ErrorKind::VectorNode),
            Graph::MaxLinks if self.link_count == 0 => Ok(self.behind_links()),
            Graph::MaxLinks => Ok(Graph::Links(self.link_count)),
            Graph::Links(left) => {
                self.links.push(number);
                match left.saturating_sub(1) {
                    0 => self.close_links().map(|()| self.behind_links()),
                    left => Ok(Graph::Links(left)),
                }
            }
            Graph::Worst if self.link_count > 0 && number & 0xffff_ffff >= self.link_count => {
                Err(ErrorKind::VectorNode)
            }
            Graph::Worst => Ok(self.next_level()),
            Graph::Length | Graph::Rest => Ok(Graph::Rest),
        }
    }

    fn behind_links(&mut self) -> Graph {
        if self.has_worst { Graph::Worst } else { self.next_level() }
    }

    fn next_level(&mut self) -> Graph {
        self.level += 1;
        self.levels_left = self.levels_left.saturating_sub(1);
        if self.levels_left > 0 { Graph::LinkCount } else { Graph::Length }
    }

    /// Takes the links of one level into the sum.
    fn close_links(&mut self) -> Result<(), ErrorKind> {
        self.links.sort_unstable();
        let is_twice = self.links.windows(2).any(|pair| matches!(pair, [one, other] if one == other));
        if is_twice || self.links.binary_search(&self.id).is_ok() {
            return Err(ErrorKind::VectorLinks);
        }
        for link in &self.links {
            let ends = (self.id.min(*link), self.id.max(*link), self.level);
            self.sum.0 ^= self.keys.0.hash_one(ends);
            self.sum.1 ^= self.keys.1.hash_one(ends);
        }
        Ok(())
    }

    /// What comes in front of an element, or behind the last one.
    fn element(&mut self) -> Next {
        match self.elements.checked_sub(1) {
            Some(left) => {
                self.elements = left;
                Next::Name
            }
            None => Next::End,
        }
    }

    fn text(&mut self, text: RdbStr<'a>, limits: Limits, notes: &mut Notes<'a>) -> Result<Next, ErrorKind> {
        let sized = |expected: u64, next: Next| {
            let bytes = text.len();
            if bytes == expected { Ok(next) } else { Err(ErrorKind::VectorSize { bytes, expected }) }
        };
        match self.next {
            // Both are 65536 at the most.
            Next::Matrix => {
                let next = self.element();
                sized(4 * self.dim * self.input_dim, next)
            }
            Next::Name => {
                self.name = Some(text);
                if let Ok(name) = text.bytes(limits, &mut self.text)
                    && self.names.is_twice(name)
                {
                    notes.add(ErrorKind::Duplicate, Place::start_of(text));
                }
                Ok(if self.flags & 2 == 2 { Next::Attribute } else { Next::Vector })
            }
            Next::Attribute => Ok(Next::Vector),
            Next::Vector => {
                let bytes = match self.quantisation {
                    0 => 4 * self.dim,
                    1 => self.dim,
                    _ => 8 * self.dim.div_ceil(64),
                };
                sized(bytes, Next::NodeLen)
            }
            _ => Err(ErrorKind::VectorParts),
        }
    }
}
