//! Every aggregate keeps the laws of aggregates.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rdb_analysis::laws::check_laws;
use rdb_analysis::{
    Aggregate, Basis, Breakdown, Expiry, Loaded, ModuleName, Observation, PrefixOptions, Ranking, Report,
    ReportOptions, SlotCounts, TopKeys,
};
use rdb_format::{Encoding, ObjectType, TypeCode};

const NOW: i64 = 1_796_040_000_000;

/// Keys with many ties, several files, databases and types, absurd times and binary names.
fn with_keys(test: impl Fn(&[Observation<'_>])) {
    let names: Vec<Vec<u8>> = (0..300u32)
        .map(|n| match n % 5 {
            0 => format!("user:{}:cart", n / 3).into_bytes(),
            1 => format!("session:{:032x}", u128::from(n) * 0x9e37_79b9_7f4a_7c15).into_bytes(),
            2 => vec![0xff, (n % 251) as u8, b':', b'\n'],
            3 => format!("page:{}", n % 7).into_bytes(),
            _ => Vec::new(),
        })
        .collect();
    let keys: Vec<Observation<'_>> = names
        .iter()
        .zip(0u64..)
        .map(|(key, n)| Observation {
            file: (n % 2) as u32,
            db: n % 3,
            key,
            key_len: key.len() as u64,
            type_code: TypeCode::STRING,
            object_type: ObjectType::ALL[(n % 9) as usize],
            module: (n % 9 == 8).then_some(ModuleName(*b"ReJSON-RL")),
            encoding: Encoding::ALL[(n % 7) as usize],
            elements: (n % 11 != 0).then_some(n % 13),
            memory_bytes: 48 + 8 * (n % 6),
            allocated_bytes: 56 + 8 * (n % 5),
            loaded_bytes: (n % 3 == 0).then_some(40 + n % 7),
            basis: [Basis::Exact, Basis::Expected, Basis::Assumed][(n % 3) as usize],
            serialized_bytes: 10 + n % 4,
            largest_element_bytes: (n % 2 == 0).then_some(n % 17),
            expire_at_ms: match n % 6 {
                0 => None,
                1 => Some(i64::MIN),
                2 => Some(i64::MAX),
                _ => Some(NOW + (n as i64 - 100) * 45_000_000),
            },
            idle_seconds: (n % 4 == 0).then_some(n % 5),
            freq: (n % 4 == 1).then_some((n % 256) as u8),
            offset: 100 * n,
        })
        .collect();
    test(&[]);
    test(&keys[..1]);
    test(&keys);
}

#[test]
fn breakdown() {
    with_keys(|keys| check_laws(Breakdown::default, keys));
}

#[test]
fn breakdown_of_more_databases_and_modules_than_are_kept_apart() {
    with_keys(|keys| {
        let Some(first) = keys.first() else { return };
        let many: Vec<_> = (0..3000u64)
            .map(|n| {
                let mut name = *b"module000";
                name[5..].copy_from_slice(format!("{:04}", n % 1100).as_bytes());
                Observation {
                    db: n % 1500,
                    object_type: ObjectType::Module,
                    module: Some(ModuleName(name)),
                    offset: n,
                    ..*first
                }
            })
            .collect();
        check_laws(Breakdown::default, &many);
        check_laws(Breakdown::default, &many[..1030]);
        let mut breakdown = Breakdown::default();
        many.iter().for_each(|key| breakdown.observe(key));
        let groups = breakdown.finish();
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].1.keys, 3000);
        assert_eq!((groups[0].0.db_number(), groups[0].0.module), (None, None));
    });
}

#[test]
fn top_keys_by_anything() {
    for ranking in [
        Ranking::Memory,
        Ranking::Allocated,
        Ranking::Elements,
        Ranking::Largest,
        Ranking::Serialized,
        Ranking::Idle,
        Ranking::Freq,
    ] {
        for limit in [0, 1, 7, 1000] {
            with_keys(|keys| check_laws(|| TopKeys::new(ranking, limit, false), keys));
            with_keys(|keys| check_laws(|| TopKeys::new(ranking, limit, true), keys));
        }
    }
}

#[test]
fn expiry() {
    with_keys(|keys| check_laws(|| Expiry::new(&[NOW, NOW + 1]), keys));
}

#[test]
fn loaded() {
    with_keys(|keys| check_laws(|| Loaded::new(&[NOW, NOW + 1]), keys));
}

#[test]
fn slots() {
    with_keys(|keys| check_laws(SlotCounts::default, keys));
}

#[test]
fn a_whole_report() {
    let options = ReportOptions {
        measure: rdb_analysis::Measure::Memory,
        top_keys: 10,
        prefixes: PrefixOptions { max_children: 20, ..PrefixOptions::default() },
        now_ms: vec![NOW, NOW],
        count_slots: true,
    };
    with_keys(|keys| check_laws(|| Report::new(&options), keys));
}

#[test]
fn the_first_keys_are_the_largest_with_ties_in_order() {
    with_keys(|keys| {
        let mut top = TopKeys::new(Ranking::Memory, 20, false);
        keys.iter().for_each(|key| top.observe(key));
        let found = top.finish();
        let mut sorted: Vec<_> = keys.iter().collect();
        sorted
            .sort_by_key(|key| (std::cmp::Reverse(key.memory_bytes), key.file, key.db, key.key, key.offset));
        let found: Vec<_> = found.iter().map(|row| row.offset).collect();
        let want: Vec<_> = sorted.iter().take(20).map(|key| key.offset).collect();
        assert_eq!(found, want);
    });
}
