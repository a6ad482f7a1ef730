//! An aggregate of one's own: what do long key names cost?
//!
//! ```sh
//! cargo run --release -p rdb-analysis --example my_own_aggregate -- fixtures/shop.rdb
//! ```
//!
//! Everything else comes with the pass: threads, damage, the server's memory model, filters. To be sure that
//! an aggregate keeps the laws of its trait, put it through `rdb_analysis::laws::check_laws` in a test.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::process::ExitCode;

use rayon::ThreadPoolBuilder;
use rdb_analysis::{Aggregate, Aggregates, Filter, Observation, Plan, Source, prologue, run};
use rdb_memory::{SizeModel, Target};
use rdb_parser::{Depth, Limits};

/// Sums keys by the length of their names.
#[derive(Debug, Default)]
struct NameLengths {
    // Integers in an ordered map: whichever thread sees which key, the sums are the same.
    by_power_of_two: BTreeMap<u32, Sum>,
}

/// Keys of names of about the same length.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    keys: u64,
    name_bytes: u64,
    memory_bytes: u64,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.keys += other.keys;
        self.name_bytes += other.name_bytes;
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
    }
}

impl Aggregate for NameLengths {
    /// By the least length of each row: 0, 1, 2, 4, 8 …
    type Summary = Vec<(u64, Sum)>;

    fn observe(&mut self, seen: &Observation<'_>) {
        let bytes = seen.key.len() as u64;
        let row = bytes.checked_ilog2().map_or(0, |power| power + 1);
        let sum = Sum { keys: 1, name_bytes: bytes, memory_bytes: seen.memory_bytes };
        self.by_power_of_two.entry(row).or_default().add(sum);
    }

    fn merge(&mut self, other: Self) {
        for (row, sum) in other.by_power_of_two {
            self.by_power_of_two.entry(row).or_default().add(sum);
        }
    }

    fn finish(self) -> Self::Summary {
        let least = |row: u32| if row == 0 { 0 } else { 1 << (row - 1) };
        self.by_power_of_two.into_iter().map(|(row, sum)| (least(row), sum)).collect()
    }
}

fn main() -> ExitCode {
    match my_own_aggregate() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(3),
        Err(error) => {
            eprintln!("my_own_aggregate: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the table, and returns whether it rests on the whole file.
fn my_own_aggregate() -> Result<bool, Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("name an RDB file")?;
    let file = fs::read(path)?;

    // The records in front of the first key say which server wrote the file: its memory is asked about.
    let facts = prologue(&mut Source::Whole(&file), Limits::default())?;
    let model = SizeModel::new(&Target::new(facts.writer()));

    let plan = Plan {
        file: 0,
        model: &model,
        loaded: None,
        filter: &Filter::default(),
        depth: Depth::Count,
        limits: Limits::default(),
        batch_bytes: Plan::BATCH_BYTES,
    };
    let pool = ThreadPoolBuilder::new().build()?;
    let aggregates = Aggregates::default();
    let (_, coverage) =
        run(&pool, &mut Source::Whole(&file), plan, &aggregates, &NameLengths::default, None, &())?;

    println!("{:>11}  {:>10}  {:>12}  {:>14}", "name bytes", "keys", "in names", "memory bytes");
    for (least, sum) in aggregates.merge(NameLengths::default).finish() {
        println!("{least:>10}+  {:>10}  {:>12}  {:>14}", sum.keys, sum.name_bytes, sum.memory_bytes);
    }

    // Damage is no error of the pass. A result that hides it would be one of ours.
    for error in coverage.errors.iter().chain(&coverage.stopped_by) {
        eprintln!("{error}");
    }
    Ok(coverage.is_whole())
}
