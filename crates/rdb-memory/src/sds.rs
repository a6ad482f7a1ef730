//! Strings: sds, the strings of hash fields (`mstr`), and the headers of both.

use crate::SizeModel;
use crate::bytes::Bytes;
use crate::facts::SdsCount;

/// Header of an sds of `len` bytes that stands inside another block. Source: `sdsReqType` in `src/sds.c`.
///
/// `spare`: since Redis 8.2 and Valkey 8.0 the type must describe the whole block, so that the bounds
/// of the two middle types leave room for header and terminator.
#[inline]
pub(crate) const fn header(len: u64, spare: bool) -> u64 {
    let (type8, type16, type32) = if spare { (253, 65_531, (1 << 32) - 9) } else { (256, 65_536, 1 << 32) };
    match len {
        0..32 => 1,
        _ if len < type8 => 3,
        _ if len < type16 => 5,
        _ if len < type32 => 9,
        _ => 17,
    }
}

impl SizeModel {
    /// Header, text and terminator of an sds that stands inside another block.
    #[inline]
    pub(crate) fn embedded_sds(&self, len: u64) -> u64 {
        len.saturating_add(self.sds_header(len) + 1)
    }

    /// Header of an sds inside another block.
    #[inline]
    pub(crate) fn sds_header(&self, len: u64) -> u64 {
        header(len, self.facts.sds_spare_bounds)
    }

    /// Header of an sds of its own: an empty one is expected to grow. Source: `sdsnewlen`.
    #[inline]
    fn own_header(&self, len: u64) -> u64 {
        if len == 0 { 3 } else { self.sds_header(len) }
    }

    /// Bytes asked for by an sds of its own.
    #[inline]
    pub(crate) fn sds_request(&self, len: u64) -> u64 {
        len.saturating_add(self.own_header(len) + 1)
    }

    /// An sds in a block of its own.
    #[inline]
    pub(crate) fn sds(&self, len: u64) -> Bytes {
        let request = self.sds_request(len);
        let usable = self.usable(request);
        let answered = match self.facts.sds_count {
            SdsCount::Requested => request,
            SdsCount::Usable => usable,
            SdsCount::UsableFrom32 => {
                if (1..32).contains(&len) {
                    request
                } else {
                    usable
                }
            }
        };
        Bytes::new(answered, usable)
    }

    /// Header of a key's sds after its type was widened to describe all usable bytes of its block.
    ///
    /// Source: `adjustTypeIfNeeded` in `src/sds.c` of Valkey 8.0; the entry then embeds that type.
    pub(crate) fn widened_header(&self, len: u64) -> u64 {
        let own = self.own_header(len);
        let usable = self.usable(len.saturating_add(own + 1)).saturating_sub(own + 1);
        let most = match own {
            1 => return own,
            3 => 255,
            5 => 65_535,
            _ => (1 << 32) - 1,
        };
        if usable > most { self.sds_header(usable) } else { own }
    }

    /// Bytes asked for by a hash field with `metadata` bytes in front. Source: `src/mstr.h` of Redis 7.4.
    #[inline]
    pub(crate) fn mstr_request(&self, len: u64, metadata: u64) -> u64 {
        let header = match len {
            0..32 => 1,
            32..65_536 => 3,
            _ => 9,
        };
        len.saturating_add(metadata + header + 1)
    }
}

#[cfg(test)]
mod tests {
    use rdb_format::ServerVersion;

    use super::*;
    use crate::Target;

    fn model(server: ServerVersion) -> SizeModel {
        SizeModel::new(&Target::new(server))
    }

    #[test]
    fn headers_grow_with_the_text() {
        for (len, plain, spare) in [
            (0, 1, 1),
            (31, 1, 1),
            (32, 3, 3),
            (252, 3, 3),
            (253, 3, 5),
            (255, 3, 5),
            (256, 5, 5),
            (65_530, 5, 5),
        ] {
            assert_eq!((header(len, false), header(len, true)), (plain, spare), "{len}");
        }
        assert_eq!((header(65_535, false), header(65_535, true)), (5, 9));
        assert_eq!(header(1 << 32, false), 17);
    }

    #[test]
    fn each_release_counts_its_own_way() {
        assert_eq!(model(ServerVersion::redis(5, 0, 14)).sds(10), Bytes::new(12, 16));
        assert_eq!(model(ServerVersion::redis(6, 2, 5)).sds(10), Bytes::both(16));
        assert_eq!(model(ServerVersion::redis(8, 6, 2)).sds(10), Bytes::new(12, 16));
        assert_eq!(model(ServerVersion::redis(8, 6, 2)).sds(33), Bytes::both(40));
        assert_eq!(model(ServerVersion::redis(7, 0, 15)).sds(0), Bytes::both(8));
    }

    #[test]
    fn keys_just_under_253_bytes_are_widened() {
        let valkey = model(ServerVersion::valkey(8, 0, 1));
        assert_eq!(valkey.widened_header(252), 3, "256 bytes describe themselves");
        assert_eq!(valkey.widened_header(253), 5);
        assert_eq!(valkey.widened_header(10), 1);
    }
}
