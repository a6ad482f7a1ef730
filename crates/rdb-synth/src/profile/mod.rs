//! Large files by seed, for benchmarks and load tests.
//!
//! Every file is of RDB version 10 and loads completely in Redis 7.0. Equal plans make equal bytes. Memory is bounded by
//! one record (or, in giant collections, by a small piece of one), whatever the size of the file.

mod families;
mod huge;
mod keyed;
mod kinds;
mod manifest;
mod names;
mod text;

use std::io::{self, Write};
use std::str::FromStr;

use crate::builder::RdbWriter;
use crate::record::Magic;

pub use manifest::{DbCounts, Manifest, TypeCounts};

/// The kinds of data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Many short keys with tiny values.
    Small,
    /// Tens of prefixes; every type and encoding that Redis 7.0 reads.
    Mixed,
    /// A few dozen giant collections.
    Huge,
    /// Documents that compress.
    Lzf,
    /// Long names with many separators.
    Deep,
}

impl Profile {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Small, Self::Mixed, Self::Huge, Self::Lzf, Self::Deep];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Mixed => "mixed",
            Self::Huge => "huge",
            Self::Lzf => "lzf",
            Self::Deep => "deep",
        }
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|profile| profile.name() == name);
        found.ok_or_else(|| format!("no profile `{name}`: there are small, mixed, huge, lzf and deep"))
    }
}

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The kind of data.
    pub profile: Profile,
    /// The size to aim at; files come within a few per cent of it.
    pub bytes: u64,
    /// Decides everything else.
    pub seed: u64,
    /// The time of saving, in seconds. All expiries lie behind it.
    pub ctime: u64,
}

impl Plan {
    /// A plan that saves at the beginning of 2030.
    pub fn new(profile: Profile, bytes: u64, seed: u64) -> Self {
        Self { profile, bytes, seed, ctime: 1_893_456_000 }
    }
}

/// Writes the file of a plan. Give it a buffered writer.
pub fn generate<W: Write>(plan: &Plan, out: W) -> io::Result<(W, Manifest)> {
    let mut writer = RdbWriter::new(out, Magic::Redis(10))?;
    writer.aux("redis-ver", "7.0.15")?;
    writer.aux("redis-bits", "64")?;
    writer.aux("ctime", &plan.ctime.to_string())?;
    writer.aux("used-mem", &(plan.bytes * 2).to_string())?;
    writer.aux("aof-base", "0")?;
    let mut manifest = match plan.profile {
        Profile::Huge => huge::write(plan, &mut writer)?,
        Profile::Small => keyed::write(plan, &families::SMALL, &mut writer)?,
        Profile::Mixed => {
            writer.function2(FUNCTION.as_bytes())?;
            keyed::write(plan, &families::MIXED, &mut writer)?
        }
        Profile::Lzf => keyed::write(plan, &families::LZF, &mut writer)?,
        Profile::Deep => keyed::write(plan, &families::DEEP, &mut writer)?,
    };
    manifest.bytes = writer.written() + 9;
    Ok((writer.finish()?, manifest))
}

const FUNCTION: &str = "#!lua name=synthlib
local function touch(keys, args)
  return redis.call('HSET', keys[1], '_last_modified_', redis.call('TIME')[1], unpack(args))
end
redis.register_function('touch', touch)";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn made(plan: &Plan) -> (Vec<u8>, Manifest) {
        generate(plan, Vec::new()).unwrap()
    }

    #[test]
    fn sizes_come_close_and_seeds_repeat() {
        for profile in Profile::ALL {
            let plan = Plan::new(profile, 3_000_000, 1);
            let (bytes, manifest) = made(&plan);
            assert_eq!(bytes.len() as u64, manifest.bytes, "{profile:?}");
            assert!((2_700_000..3_300_000).contains(&bytes.len()), "{profile:?} {}", bytes.len());
            assert_eq!(made(&plan).0, bytes, "{profile:?}");
            assert_ne!(made(&Plan { seed: 2, ..plan }).0, bytes, "{profile:?}");
        }
    }

    #[test]
    fn manifest_sums_agree() {
        for profile in Profile::ALL {
            let (_, manifest) = made(&Plan::new(profile, 1_000_000, 3));
            assert_eq!(manifest.keys(), manifest.types.values().map(|t| t.keys).sum::<u64>(), "{profile:?}");
            assert!(manifest.expires() <= manifest.keys());
        }
    }

    #[test]
    fn mixed_has_every_type_of_redis_7() {
        let (_, manifest) = made(&Plan::new(Profile::Mixed, 3_000_000, 1));
        let seen: BTreeSet<u8> = manifest.types.keys().copied().collect();
        assert_eq!(seen, BTreeSet::from([0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]));
        assert!(manifest.dbs.len() > 1);
    }
}
