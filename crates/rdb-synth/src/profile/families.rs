//! The tables of the profiles: which keys there are, how often, and what they hold.

use super::kinds::{Kind, Text};
use crate::type_code::types;

/// Keys of one pattern.
#[derive(Debug)]
pub(super) struct Family {
    /// How often, against the others.
    pub(super) weight: u64,
    /// How many of a thousand expire.
    pub(super) expiring: u64,
    /// How they are named.
    pub(super) pattern: &'static str,
    /// What they hold.
    pub(super) kind: Kind,
}

/// The keys of one profile.
#[derive(Debug)]
pub(super) struct FamilySet {
    pub(super) families: &'static [Family],
    /// Databases and how many of a thousand keys each gets.
    pub(super) dbs: &'static [(u64, u64)],
    /// How many of a thousand keys have IDLE, and how many FREQ.
    pub(super) touched: (u64, u64),
}

const fn family(weight: u64, expiring: u64, pattern: &'static str, kind: Kind) -> Family {
    Family { weight, expiring, pattern, kind }
}

pub(super) static SMALL: FamilySet = FamilySet {
    dbs: &[(0, 1000)],
    touched: (0, 0),
    families: &[
        family(280, 0, "user:#i:token", Kind::String(Text::Token, 32, 120)),
        family(150, 0, "user:#i:visits", Kind::String(Text::Number, 1, 9)),
        family(200, 900, "session:#h", Kind::String(Text::Token, 64, 180)),
        family(70, 200, "flag:#w:#i", Kind::String(Text::Number, 1, 2)),
        family(120, 0, "h:#i", Kind::Hash(types::HASH_LISTPACK, 4, 12)),
        family(60, 0, "ids:#i", Kind::Set(types::SET_INTSET, 4, 40)),
        family(60, 0, "q:#i", Kind::List(types::LIST_QUICKLIST_2, 3, 14)),
        family(60, 0, "z:#i", Kind::Zset(types::ZSET_LISTPACK, 3, 12)),
    ],
};

pub(super) static MIXED: FamilySet = FamilySet {
    dbs: &[(0, 820), (1, 110), (3, 50), (9, 20)],
    touched: (150, 100),
    families: &[
        family(900, 0, "user:#i:profile", Kind::Hash(types::HASH_LISTPACK, 5, 24)),
        family(450, 0, "user:#i:settings", Kind::Hash(types::HASH_LISTPACK, 3, 12)),
        family(300, 0, "user:#i:followers", Kind::Set(types::SET_INTSET, 4, 500)),
        family(250, 0, "user:#i:feed", Kind::List(types::LIST_QUICKLIST_2, 5, 250)),
        family(250, 300, "user:#i:cart", Kind::Hash(types::HASH_LISTPACK, 1, 14)),
        family(900, 1000, "session:#h", Kind::String(Text::Json, 180, 900)),
        family(350, 1000, "sess:php:#u", Kind::String(Text::Json, 200, 1200)),
        family(500, 950, "cache:page:/#w/#w/#i", Kind::String(Text::Html, 400, 3500)),
        family(450, 900, "cache:api:v2:#w:#h", Kind::String(Text::Json, 150, 1800)),
        family(300, 900, "cache:fragment:#w:#i", Kind::String(Text::Html, 200, 1500)),
        family(250, 1000, "rate:#e:#i", Kind::String(Text::Number, 1, 3)),
        family(250, 1000, "rl:{#h}:#w", Kind::Zset(types::ZSET_LISTPACK, 1, 40)),
        family(300, 0, "counter:#w:#d:#i", Kind::String(Text::Number, 1, 12)),
        family(200, 0, "product:#i", Kind::Hash(types::HASH, 20, 90)),
        family(150, 0, "product:#i:tags", Kind::Set(types::SET, 2, 60)),
        family(120, 0, "product:#i:reviews", Kind::List(types::LIST_QUICKLIST_2, 1, 120)),
        family(200, 0, "order:#d:#i", Kind::Hash(types::HASH_ZIPLIST, 6, 30)),
        family(120, 0, "order:#d:#i:items", Kind::List(types::LIST_ZIPLIST, 1, 30)),
        family(100, 500, "token:refresh:#u", Kind::String(Text::Token, 40, 200)),
        family(120, 1000, "lock:#w:#u", Kind::String(Text::Token, 20, 36)),
        family(160, 0, "leaderboard:#w:#i", Kind::Zset(types::ZSET_2, 130, 900)),
        family(140, 0, "board:daily:#d:#i", Kind::Zset(types::ZSET_LISTPACK, 10, 120)),
        family(60, 0, "board:old:#i", Kind::Zset(types::ZSET_ZIPLIST, 3, 100)),
        family(30, 0, "board:older:#i", Kind::Zset(types::ZSET, 20, 300)),
        family(120, 0, "online:#w:#i", Kind::Set(types::SET, 20, 700)),
        family(120, 0, "graph:edges:#i", Kind::Set(types::SET_INTSET, 2, 120)),
        family(90, 0, "queue:#w:#i", Kind::List(types::LIST_QUICKLIST, 2, 600)),
        family(30, 0, "queue:legacy:#i", Kind::List(types::LIST, 2, 150)),
        family(60, 0, "bull:#w:#i", Kind::Hash(types::HASH_LISTPACK, 8, 16)),
        family(110, 0, "events:#w:#i", Kind::Stream(types::STREAM_LISTPACKS_2, 1, 500)),
        family(40, 0, "audit.#w.#i", Kind::Stream(types::STREAM_LISTPACKS, 1, 250)),
        family(60, 0, "m:#i", Kind::Hash(types::HASH_ZIPMAP, 1, 40)),
        family(120, 100, "geo/#w/#h", Kind::String(Text::Binary, 16, 400)),
        family(50, 0, "hll:#d:#i", Kind::String(Text::Binary, 100, 3000)),
        family(60, 700, "img|thumb|#h", Kind::String(Text::Binary, 500, 6000)),
        family(80, 0, "cfg.#w.#w.#i", Kind::String(Text::Words, 5, 60)),
        family(80, 0, "#i", Kind::String(Text::Number, 1, 19)),
        family(80, 0, "mail:#e:#i", Kind::Hash(types::HASH_LISTPACK, 2, 6)),
        family(50, 0, "docs:#w:#u", Kind::HashOfDocuments(4, 30)),
        family(30, 0, "chat:#i:messages", Kind::ListOfDocuments(3, 60)),
        family(4, 0, "index:#w:#i", Kind::Set(types::SET, 2000, 12_000)),
        family(4, 0, "inverted:#w:#i", Kind::Zset(types::ZSET_2, 2000, 12_000)),
        family(3, 0, "table:#w:#i", Kind::Hash(types::HASH, 2000, 12_000)),
        family(3, 0, "backlog:#w:#i", Kind::List(types::LIST_QUICKLIST_2, 2000, 12_000)),
    ],
};

pub(super) static LZF: FamilySet = FamilySet {
    dbs: &[(0, 1000)],
    touched: (0, 0),
    families: &[
        family(500, 500, "doc:#w:#i", Kind::String(Text::Json, 500, 9000)),
        family(300, 500, "page:/#w/#i", Kind::String(Text::Html, 1000, 20_000)),
        family(150, 0, "docs:#h", Kind::HashOfDocuments(5, 80)),
        family(100, 0, "log:#w:#i", Kind::ListOfDocuments(10, 200)),
        family(80, 0, "events:#i", Kind::Stream(types::STREAM_LISTPACKS_2, 50, 600)),
        family(60, 0, "h:#i", Kind::Hash(types::HASH_LISTPACK, 20, 60)),
    ],
};

pub(super) static DEEP: FamilySet = FamilySet {
    dbs: &[(0, 900), (2, 100)],
    touched: (0, 0),
    families: &[
        family(300, 100, "tenant:#n:region:#w:user:#u:#w:#d:cart:item:#i", Kind::String(Text::Number, 1, 6)),
        family(200, 0, "app:prod:v3:#i:#w:#w:#w:#n:#n:state", Kind::String(Text::Token, 4, 24)),
        family(150, 0, "/srv/#w/#h/#w/#w/#n/#w/#n/data.json", Kind::String(Text::Number, 1, 9)),
        family(150, 0, "org.#w.#w.service.#w.node-#n.#i.metric.#w.p99", Kind::String(Text::Number, 2, 5)),
        family(100, 1000, "a:#n:b:#n:c:#n:d:#n:e:#n:f:#n:g:#n:h:#n:i:#i", Kind::String(Text::Number, 1, 3)),
        family(80, 0, "idx:#w:#e:#d:#w:#u:seen", Kind::String(Text::Number, 10, 10)),
        family(50, 0, "{#h}:#w:#w:#w:#w:members", Kind::Set(types::SET_INTSET, 1, 6)),
        family(40, 0, "acl|#w|#n|#w|#n|#w|#i", Kind::Hash(types::HASH_LISTPACK, 1, 4)),
    ],
};
