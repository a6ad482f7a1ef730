//! Hand-made summaries: a small shop on shards, and everything that is hard to print.

use rdb_analysis::{
    Account, Aggregate, AuxField, Basis, Breakdown, ChecksumVerdict, Coverage, DbHint, Expiry, FileFacts,
    FileSummary, Function, Gaps, KeyRow, LoadedTally, Measure, ModuleAux, ModuleName, PrefixOptions,
    PrefixTree, Ranking, ReferenceSource, ReferenceTime, Summary, TableSizes, TargetSummary, TopKeys,
    TypeShare, Warning, notes,
};
use rdb_format::{Dialect, Encoding, FileVersion, ObjectType, ServerVersion, TypeCode};
use rdb_parser::{Context, Error, ErrorKind, ModuleAuxWhen, Reach};

/// 2026-11-27 19:30:00 UTC.
pub(crate) const NOW: i64 = 1_795_807_800_000;
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// A key of some type, to be changed where it matters.
pub(crate) fn key(
    name: impl AsRef<[u8]>,
    object_type: ObjectType,
    encoding: Encoding,
    memory_bytes: u64,
) -> KeyRow {
    KeyRow {
        file: 0,
        db: 0,
        key: name.as_ref().to_vec(),
        key_len: name.as_ref().len() as u64,
        object_type,
        module: None,
        encoding,
        elements: Some(memory_bytes / 16),
        memory_bytes,
        allocated_bytes: memory_bytes.saturating_add(24),
        basis: Basis::Exact,
        serialized_bytes: memory_bytes / 2,
        largest_element_bytes: Some(64),
        expire_at_ms: None,
        idle_seconds: None,
        freq: None,
        offset: 1000,
        type_code: TypeCode::STRING,
    }
}

/// A whole file of Redis 7.2.
pub(crate) fn file(name: &str) -> FileSummary {
    let aux = |name: &str, value: &str| AuxField { name: name.into(), value: value.into() };
    let facts = FileFacts {
        version: Some(FileVersion { dialect: Dialect::Redis, number: 11 }),
        aux: vec![
            aux("redis-ver", "7.2.4"),
            aux("redis-bits", "64"),
            aux("ctime", "1795807800"),
            aux("used-mem", "9437184"),
            aux("aof-base", "0"),
        ],
        checksum: Some(0xdead_beef_0000_0001),
        ended: true,
        ..FileFacts::default()
    };
    FileSummary {
        name: name.into(),
        facts,
        is_stdin: false,
        coverage: Coverage {
            announced_keys: None,
            total_bytes: 4_194_304,
            read_bytes: 4_194_304,
            keys: 0,
            damaged_keys: 0,
            errors: Vec::new(),
            stopped_by: None,
            gaps: Gaps::default(),
            unpacking: None,
            tail_start: Vec::new(),
            checksum: ChecksumVerdict::Ok(0xdead_beef_0000_0001),
            warnings: Vec::new(),
        },
        target: TargetSummary {
            server: ServerVersion::redis(7, 2, 4),
            is_writer: true,
            is_known: true,
            allocator: "jemalloc",
            allocator_is_given: false,
            mode: "saved",
        },
        now: ReferenceTime { ms: NOW, source: ReferenceSource::SavedAt },
        account: Some(account()),
    }
}

/// Where the memory of a server with several types went.
fn account() -> Account {
    let share = |object_type, module, basis, keys, allocated_bytes| TypeShare {
        object_type,
        module,
        basis,
        keys,
        allocated_bytes,
    };
    Account {
        used_mem: Some(9_437_184),
        data: vec![
            share(ObjectType::Hash, None, Basis::Expected, 12_000, 5_000_000),
            share(ObjectType::Module, Some(ModuleName(*b"ReJSON-RL")), Basis::Assumed, 1, 1_600_000),
            share(ObjectType::String, None, Basis::Exact, 7123, 400_000),
        ],
        tables: TableSizes { main_bytes: 400_000, expires_bytes: 124_288, bucket_bytes: 500_000 },
        databases: 3,
        slots: 0,
        libraries: 1,
        functions_bytes: 2048,
        base_bytes: 915_000,
        loaded: LoadedTally { bytes: 6_800_000, expired_keys: 12, expired_bytes: 4321 },
    }
}

/// A file that ends in the middle, with two damaged values before.
pub(crate) fn damaged_file(name: &str) -> FileSummary {
    let mut file = file(name);
    let context = |key: &str| Context {
        db: Some(0),
        key: Some(key.as_bytes().into()),
        type_code: Some(TypeCode::HASH_LISTPACK),
        version: file.facts.version,
        ..Context::default()
    };
    let bad = Error::new(ErrorKind::EntryPastEnd, 7994, Reach::Value, context("user:17"));
    let worse = Error::new(ErrorKind::BadTerminator, 9001, Reach::Value, context("user:\x1b[31m18"));
    let end =
        Error::new(ErrorKind::Truncated { missing: 412 }, 2_000_000, Reach::Framing, context("user:9000"));
    file.coverage.read_bytes = 1_999_000;
    file.coverage.damaged_keys = 2;
    file.coverage.errors = vec![bad, worse, end.clone()];
    file.coverage.stopped_by = Some(end);
    file.coverage.checksum = ChecksumVerdict::NotReached;
    file.coverage.warnings = vec![Warning::EmptyKeys(3)];
    file.facts.ended = false;
    file.facts.checksum = None;
    file
}

/// A file without keys.
pub(crate) fn empty_file(name: &str) -> FileSummary {
    let mut file = file(name);
    file.coverage.total_bytes = 88;
    file.coverage.read_bytes = 88;
    file.coverage.checksum = ChecksumVerdict::Disabled;
    file.account = None;
    file.facts.aux.retain(|field| field.name == b"redis-ver");
    file
}

/// The keys of the shop, in files `0..files`.
pub(crate) fn shop_keys(files: u32) -> Vec<KeyRow> {
    let mut rows = Vec::new();
    for n in 0..900u64 {
        let mut row = key(
            format!("session:{:032x}", u128::from(n) << 64 | 0xfeed),
            ObjectType::Hash,
            Encoding::Listpack,
            400,
        );
        row.expire_at_ms = Some(NOW + 30 * MINUTE + n as i64 * 10);
        rows.push(row);
        let mut row = key(
            format!("user:{}:profile", 1000 + n),
            ObjectType::Hash,
            Encoding::Hashtable,
            900 + n % 7 * 64,
        );
        row.basis = Basis::Expected;
        rows.push(row);
        if n % 2 == 0 {
            let mut row = key(format!("user:{}:cart", 1000 + n), ObjectType::List, Encoding::Quicklist, 300);
            row.expire_at_ms = Some(NOW + (n as i64 % 20 - 1) * DAY);
            rows.push(row);
        }
        if n % 3 == 0 {
            rows.push(key(format!("cache:page:/p/{n}"), ObjectType::String, Encoding::Raw, 2048));
        }
        if n % 10 == 0 {
            let mut row = key(format!("job.{n}"), ObjectType::String, Encoding::Int, 56);
            row.db = 3;
            rows.push(row);
        }
    }
    rows.push(key("leaderboard:global", ObjectType::Zset, Encoding::Skiplist, 1_234_567));
    rows.push(key("events", ObjectType::Stream, Encoding::Stream, 345_678));
    rows.push(key("cache:index", ObjectType::Set, Encoding::Intset, 98_304));
    let mut json = key("catalog", ObjectType::Module, Encoding::Raw, 65_536);
    json.module = Some(ModuleName(*b"ReJSON-RL"));
    json.elements = None;
    json.basis = Basis::Assumed;
    rows.push(json);
    for (at, row) in rows.iter_mut().enumerate() {
        row.file = at as u32 % files;
        row.offset = 100 + at as u64 * 321;
    }
    rows
}

/// Keys that are hard to print.
pub(crate) fn hard_keys() -> Vec<KeyRow> {
    let mut rows: Vec<KeyRow> = [
        &b"First,Second"[..],
        b"quotes\"are\"valid",
        b"line1\nline2",
        b"\x00\xff\xfe,\"",
        b"plain",
        b"",
        "caf\u{e9}".as_bytes(),
        "\u{202e}evil".as_bytes(),
        b"\x1b]0;owned\x07\x1b[31mred",
        "\u{65e5}\u{672c}\u{8a9e}:\u{30ad}\u{30fc}:\u{1f600}".as_bytes(),
        b"back\\slash",
        b"=1+1",
        b"{tag}:{{x}}",
    ]
    .iter()
    .map(|name| key(name, ObjectType::String, Encoding::Embstr, 64))
    .collect();
    rows.push(key("k".repeat(3000), ObjectType::String, Encoding::Raw, 70_000));
    rows.push(key("\u{6f22}".repeat(300), ObjectType::String, Encoding::Raw, 60_000));
    rows.push(key(vec![0xfe; 500], ObjectType::Hash, Encoding::Hashtable, 50_000));
    rows.push(key("deep:".repeat(60), ObjectType::Set, Encoding::Hashtable, 40_000));
    for (at, expire_at_ms) in [i64::MIN, -1, 0, NOW, i64::MAX].into_iter().enumerate() {
        let mut row = key(format!("absurd:expiry:{at}"), ObjectType::String, Encoding::Int, 30_000);
        row.expire_at_ms = Some(expire_at_ms);
        rows.push(row);
    }
    let mut row = key("absurd:size", ObjectType::Zset, Encoding::Skiplist, u64::MAX);
    row.elements = Some(u64::MAX);
    row.allocated_bytes = u64::MAX;
    row.offset = u64::MAX;
    row.freq = Some(255);
    row.idle_seconds = Some(u64::MAX);
    rows.push(row);
    rows
}

/// The summary of these keys in these files.
pub(crate) fn summary(mut files: Vec<FileSummary>, rows: &[KeyRow]) -> Summary {
    let now: Vec<i64> = files.iter().map(|file| file.now.ms).collect();
    let mut groups = Breakdown::default();
    let mut top = TopKeys::new(Ranking::Memory, 20, false);
    let mut prefixes = PrefixTree::new(PrefixOptions::default());
    let mut expiry = Expiry::new(&now);
    for row in rows {
        let seen = row.observation();
        groups.observe(&seen);
        top.observe(&seen);
        prefixes.observe(&seen);
        expiry.observe(&seen);
        files[row.file as usize].coverage.keys += 1;
    }
    let (groups, top_keys, prefixes, expiry) =
        (groups.finish(), top.finish(), prefixes.finish(), expiry.finish());
    let notes = notes(&groups, &top_keys, &prefixes, &expiry);
    Summary {
        files,
        groups,
        top_keys,
        prefixes,
        expiry,
        notes,
        measure: Measure::Memory,
        filtered: false,
        filter_words: Vec::new(),
        shown_keys: 10,
    }
}

/// One whole file.
pub(crate) fn one() -> Summary {
    summary(vec![file("dump.rdb")], &shop_keys(1))
}

/// Several shards, one damaged, one empty.
pub(crate) fn shards() -> Summary {
    let files = vec![
        file("shard-1.rdb"),
        damaged_file("backup of shard-2.rdb"),
        file("/var/backups/redis/2026-11-27/production/eu-west-1/cluster-a/shard-0003/dump.rdb"),
        empty_file("empty.rdb"),
    ];
    summary(files, &shop_keys(3))
}

/// Everything that is hard to print.
pub(crate) fn hard() -> Summary {
    let mut file = damaged_file("\u{1b}[2Jevil\nname.rdb");
    file.now = ReferenceTime { ms: i64::MAX, source: ReferenceSource::Given };
    file.target.is_known = false;
    file.target.is_writer = false;
    file.target.mode = "loaded";
    file.facts.aux.push(AuxField { name: b"\x1b[31m".to_vec(), value: vec![0xff; 200] });
    file.account = Some(Account {
        used_mem: Some(1000),
        data: vec![TypeShare { allocated_bytes: u64::MAX, keys: u64::MAX, ..account().data[1] }; 2],
        tables: TableSizes { main_bytes: u64::MAX, expires_bytes: u64::MAX, bucket_bytes: u64::MAX },
        databases: u64::MAX,
        slots: u64::MAX,
        libraries: u64::MAX,
        functions_bytes: u64::MAX,
        base_bytes: u64::MAX,
        loaded: LoadedTally { bytes: u64::MAX, expired_keys: u64::MAX, expired_bytes: u64::MAX },
    });
    summary(vec![file], &hard_keys())
}

/// No keys at all.
pub(crate) fn empty() -> Summary {
    summary(vec![empty_file("empty.rdb")], &[])
}

/// A file of which nothing could be read.
pub(crate) fn unreadable() -> Summary {
    let mut file = empty_file("notes.txt");
    let kind = ErrorKind::NotRdb { looks_like: "it starts like gzip data; unpack it first" };
    let error = Error::new(kind, 0, Reach::File, Context::default());
    file.facts = FileFacts::default();
    file.coverage.read_bytes = 0;
    file.coverage.errors = vec![error.clone()];
    file.coverage.stopped_by = Some(error);
    file.coverage.checksum = ChecksumVerdict::NotReached;
    summary(vec![file], &[])
}

/// A file that says a lot about itself.
pub(crate) fn talkative() -> FileSummary {
    let mut file = file("dump.rdb");
    let aux = |name: &str, value: &str| AuxField { name: name.into(), value: value.into() };
    file.facts.aux.extend([
        aux("repl-stream-db", "0"),
        aux("repl-id", "8d1f0b3a9c5e7d2f4a6b8c0d1e2f3a4b5c6d7e8f"),
        aux("repl-offset", "123456789"),
        aux("my-own-field", "a value\nthat breaks its line"),
    ]);
    file.facts.db_hints.insert(0, DbHint { keys: 123_456, expires: 23_456 });
    file.facts.db_hints.insert(12, DbHint { keys: 7, expires: 0 });
    file.facts.functions = vec![
        Function { name: b"stock".to_vec(), engine: b"lua".to_vec(), code_bytes: 5120 },
        Function { name: b"rate_limit".to_vec(), engine: b"lua".to_vec(), code_bytes: 900 },
    ];
    file.facts.module_aux = vec![ModuleAux {
        module: "scdtype00".to_owned(),
        encoding_version: 1,
        when: ModuleAuxWhen::BeforeKeys,
        serialized_bytes: 20,
    }];
    file.facts.slots = 8192;
    file.facts.slot_keys = 123_463;
    file.facts.lua_scripts = 2;
    file.coverage.keys = 123_463;
    file.coverage.warnings = vec![Warning::TrailingBytes(1024)];
    file
}
