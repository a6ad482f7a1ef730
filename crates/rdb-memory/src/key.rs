//! What a key costs beside its value: object header, name, and entry of the main table.

use crate::SizeModel;
use crate::bytes::Bytes;
use crate::facts::{KeyCount, KeyPlace};

/// `sizeof(robj)`.
pub(crate) const OBJECT: u64 = 16;
/// `sizeof(dictEntry)` with key, value and next.
const ENTRY: u64 = 24;
/// Keys of this length get room for an expiry at once. Source: `KEY_SIZE_TO_INCLUDE_EXPIRE_THRESHOLD`.
const ROOM_FOR_EXPIRY: u64 = 128;
/// Longest argument of a command that is an embedded string, of which the server measures all but the object.
const EMBEDDED_ARGUMENT: u64 = 44;

impl SizeModel {
    /// Bytes asked for by an object that holds its key.
    fn object_with_key(&self, len: u64, expires: bool) -> u64 {
        let expiry = if expires || len >= ROOM_FOR_EXPIRY { 8 } else { 0 };
        self.embedded_sds(len).saturating_add(OBJECT + 1 + expiry)
    }

    /// A key of `len` bytes and the object header of its value.
    pub(crate) fn key(&self, len: u64, expires: bool) -> Bytes {
        let facts = &self.facts;
        match facts.key_place {
            KeyPlace::Sds => {
                let [extra, extra_allocated] = if self.clustered() {
                    [facts.cluster_entry, facts.cluster_entry_allocated]
                } else {
                    [0, 0]
                };
                let name = self.sds(len);
                let counted = match facts.key_count {
                    KeyCount::Argument if len <= EMBEDDED_ARGUMENT => len + 4,
                    _ => name.answered,
                };
                Bytes::new(counted, name.allocated)
                    + Bytes::new(ENTRY + extra, self.usable(ENTRY + extra_allocated))
                    + Bytes::new(OBJECT, self.usable(OBJECT))
            }
            KeyPlace::Entry => {
                let request = len.saturating_add(17 + self.widened_header(len) + 1);
                Bytes::both(self.usable(request)) + Bytes::new(OBJECT, self.usable(OBJECT))
            }
            KeyPlace::Object => {
                let request = self.object_with_key(len, expires);
                let usable = self.usable(request);
                match facts.key_count {
                    KeyCount::HeaderOnly => Bytes::new(OBJECT, usable),
                    KeyCount::WholeRequested => Bytes::new(request, usable),
                    _ => Bytes::both(usable),
                }
            }
        }
    }

    /// A key as module values count it: without the object header, unless that holds the key.
    pub(crate) fn module_key(&self, key: Bytes) -> Bytes {
        match self.facts.key_place {
            KeyPlace::Object if self.facts.module_key_usable => Bytes::both(key.allocated),
            KeyPlace::Object => key,
            KeyPlace::Sds | KeyPlace::Entry => Bytes::new(key.answered.saturating_sub(OBJECT), key.allocated),
        }
    }

    /// What of the key's answer is part of the sum that is cut to whole bytes after a sampled average was
    /// added: the whole object where it holds the key, else its header.
    pub(crate) fn key_in_sum(&self, key: Bytes) -> u64 {
        if self.facts.key_place == KeyPlace::Object { key.answered } else { OBJECT }
    }

    /// The entry of a key in the expires table, where there is one.
    pub(crate) fn expires_entry(&self) -> u64 {
        if self.facts.expires_entry { self.usable(ENTRY) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn key(server: ServerVersion, len: u64, expires: bool) -> u64 {
        SizeModel::new(&Target::new(server)).key(len, expires).answered
    }

    #[test]
    fn each_family_counts_its_own_way() {
        assert_eq!(key(ServerVersion::redis(4, 0, 14), 10, false), 14 + 24 + 16);
        assert_eq!(key(ServerVersion::redis(5, 0, 14), 10, false), 12 + 24 + 16);
        assert_eq!(key(ServerVersion::redis(7, 2, 6), 10, false), 16 + 24 + 16);
        assert_eq!(key(ServerVersion::valkey(8, 0, 1), 10, false), 32 + 16);
        assert_eq!(key(ServerVersion::redis(8, 2, 3), 10, true), 40);
        assert_eq!(key(ServerVersion::redis(8, 10, 2), 10, true), 37);
        assert_eq!(key(ServerVersion::valkey(8, 1, 1), 10, true), 16);
        assert_eq!(
            key(ServerVersion::redis(8, 10, 2), 128, false),
            key(ServerVersion::redis(8, 10, 2), 128, true)
        );
    }

    #[test]
    fn cluster_mode_makes_entries_larger() {
        let mut target = Target::new(ServerVersion::redis(7, 0, 15));
        let plain = SizeModel::new(&target).key(10, false);
        target.config.cluster_enabled = true;
        assert_eq!(SizeModel::new(&target).key(10, false).answered, plain.answered + 16);
    }
}
