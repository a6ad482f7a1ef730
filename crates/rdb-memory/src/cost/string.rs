//! Strings: integers in the object, short strings in its block, all others in a block of their own.

use rdb_format::Encoding;
use rdb_parser::RdbStr;

use crate::SizeModel;
use crate::bytes::Bytes;
use crate::facts::{EmbedExpiry, EmbedWithKey, Embedding};
use crate::key::OBJECT;

/// Integers up to this are objects that all keys share. Source: `OBJ_SHARED_INTEGERS` in `src/server.h`.
const SHARED_INTEGERS: i64 = 10_000;

/// What a string costs together with its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StringCost {
    pub encoding: Encoding,
    pub whole: Bytes,
}

impl SizeModel {
    /// A key of `key_len` bytes with a string for its value.
    pub(crate) fn string(&self, key_len: u64, expires: bool, value: RdbStr<'_>) -> StringCost {
        let key = self.key(key_len, expires);
        let len = value.len();
        if let Some(number) = value.to_i64() {
            return StringCost { encoding: Encoding::Int, whole: self.integer(key, number) };
        }
        let raw = || StringCost { encoding: Encoding::Raw, whole: key + self.sds(len) };
        match self.facts.embedding {
            Embedding::WithKey(rule) => match self.one_block(&rule, key_len, expires, len) {
                Some(block) => {
                    let block = Bytes::both(self.usable(block));
                    StringCost { encoding: Encoding::Embstr, whole: block }
                }
                None => raw(),
            },
            Embedding::Apart { below, .. } if len >= below => raw(),
            Embedding::Apart { usable, .. } => {
                let block = self.usable(OBJECT + 3 + len + 1);
                let answered = if usable { block } else { OBJECT + len + 2 };
                // The block takes the place of the bare object.
                let whole =
                    Bytes::new(key.answered - OBJECT + answered, key.allocated - self.usable(OBJECT) + block);
                StringCost { encoding: Encoding::Embstr, whole }
            }
        }
    }

    /// Integers take no room, and those that all keys share not even an object.
    fn integer(&self, key: Bytes, number: i64) -> Bytes {
        let apart = !matches!(self.facts.embedding, Embedding::WithKey(_));
        let shared = (0..SHARED_INTEGERS).contains(&number) && self.target().config.shares_integers();
        let saved = if apart && shared { self.usable(OBJECT) } else { 0 };
        Bytes::new(key.answered, key.allocated - saved)
    }

    /// Bytes asked for by a string that stands in one block with its key, if it does.
    fn one_block(&self, rule: &EmbedWithKey, key_len: u64, expires: bool, len: u64) -> Option<u64> {
        if len > rule.longest {
            return None;
        }
        let key = self.embedded_sds(key_len);
        let key_in_test =
            if rule.real_key_header { key.saturating_add(1) } else { key_len.saturating_add(3) };
        let sum = key_in_test.saturating_add(len).saturating_add(rule.header + 4);
        let block =
            key.saturating_add(rule.header + 1).saturating_add((len.saturating_add(4)).max(rule.least_value));
        let fits = |sum: u64| sum <= rule.budget;
        if !expires {
            return fits(sum).then_some(block);
        }
        match rule.expiry {
            EmbedExpiry::Counted => fits(sum.saturating_add(8)).then_some(block + 8),
            EmbedExpiry::Ignored => fits(sum).then_some(block + 8),
            EmbedExpiry::SetLater if !fits(sum) => None,
            EmbedExpiry::SetLater if self.usable(block) >= block + 8 => Some(block),
            EmbedExpiry::SetLater => fits(sum + 8).then_some(block + 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::{Allocator, Target};

    fn string(server: ServerVersion, key: u64, expires: bool, value: &[u8]) -> (u64, Encoding) {
        let cost = SizeModel::new(&Target::new(server)).string(key, expires, RdbStr::Raw(value));
        (cost.whole.answered, cost.encoding)
    }

    #[test]
    fn numeric_looking_strings_on_redis_7_0_of_debian() {
        // Redis 7.0.15 with the distribution's jemalloc: MEMORY USAGE n1 SAMPLES 0 and so on.
        let target =
            Target { allocator: Allocator::Jemalloc16, ..Target::new(ServerVersion::redis(7, 0, 15)) };
        let model = SizeModel::new(&target);
        let nines = [b'9'; 300];
        for (value, want, encoding) in [
            (&b"123"[..], 48, Encoding::Int),
            (b"007", 64, Encoding::Embstr),
            (b"+5", 64, Encoding::Embstr),
            (b"1_000", 64, Encoding::Embstr),
            (&nines, 368, Encoding::Raw),
            (b"9223372036854775807", 48, Encoding::Int),
            (b"-0", 64, Encoding::Embstr),
            (b" 12 ", 64, Encoding::Embstr),
            (b"9223372036854775808", 80, Encoding::Embstr),
        ] {
            let cost = model.string(2, false, RdbStr::Raw(value));
            assert_eq!((cost.whole.answered, cost.encoding), (want, encoding), "{value:?}");
        }
    }

    #[test]
    fn shared_integers_allocate_nothing_up_to_8_0() {
        let cost =
            |server, value| SizeModel::new(&Target::new(server)).string(2, false, RdbStr::Int(value)).whole;
        let redis_7 = ServerVersion::redis(7, 2, 6);
        assert_eq!(cost(redis_7, 9999).allocated + 16, cost(redis_7, 10_000).allocated);
        assert_eq!(cost(redis_7, 9999).answered, cost(redis_7, 10_000).answered);
        let redis_8 = ServerVersion::redis(8, 2, 3);
        assert_eq!(cost(redis_8, 9999), cost(redis_8, 10_000));
    }

    #[test]
    fn short_strings_share_a_block_with_their_keys() {
        let redis = ServerVersion::redis(8, 2, 3);
        assert_eq!(string(redis, 7, false, b""), (32, Encoding::Embstr));
        assert_eq!(string(redis, 10, false, &[b'v'; 31]).1, Encoding::Embstr);
        assert_eq!(string(redis, 10, false, &[b'v'; 32]).1, Encoding::Raw);
        assert_eq!(string(redis, 10, true, &[b'v'; 24]).1, Encoding::Raw);
        assert_eq!(string(ServerVersion::redis(8, 6, 2), 10, true, &[b'v'; 24]).1, Encoding::Embstr);
        assert_eq!(string(ServerVersion::valkey(9, 1, 2), 10, false, &[b'v'; 80]).1, Encoding::Embstr);
    }
}
