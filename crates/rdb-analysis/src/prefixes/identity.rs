//! What a path is recognised by: two independent hashes of its text.
//!
//! The seeds are drawn once per process, so trees of different threads agree and nobody can
//! prepare keys that collide. Nothing that is printed depends on them.

use std::hash::{BuildHasher, Hasher};
use std::sync::LazyLock;

use foldhash::quality::RandomState;

static SEEDS: LazyLock<Seeds> = LazyLock::new(|| Seeds(RandomState::default(), RandomState::default()));

/// The two seeded hash functions.
#[derive(Clone, Debug)]
pub(super) struct Seeds(RandomState, RandomState);

/// 128 bits that stand for the text of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Identity {
    pub(super) hash: u64,
    check: u64,
}

impl Seeds {
    /// The seeds of this process.
    pub(super) fn of_process() -> Self {
        SEEDS.clone()
    }

    #[inline]
    pub(super) fn identify(&self, path: &[u8]) -> Identity {
        let mut hash = self.0.build_hasher();
        hash.write(path);
        let mut check = self.1.build_hasher();
        check.write(path);
        Identity { hash: hash.finish(), check: check.finish() }
    }
}
