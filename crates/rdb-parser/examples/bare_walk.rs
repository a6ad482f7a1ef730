//! Frames every record of a file and counts keys: the floor that everything else is measured against.
//!
//! `cargo run --release -p rdb-parser --example bare_walk -- dump.rdb`

use std::error::Error;
use std::time::Instant;

use rdb_parser::{KeyHead, Limits, Record, Scanner, Sink};

struct Count {
    visitor: (),
    keys: u64,
}

impl<'a> Sink<'a> for Count {
    type Visitor = ();

    fn key(&mut self, _: &KeyHead<'a>) -> &mut () {
        &mut self.visitor
    }

    fn record(&mut self, _: &Record<'a>) {
        self.keys += 1;
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let file = std::fs::read(&path)?;
        for _ in 0..5 {
            let mut sink = Count { visitor: (), keys: 0 };
            let start = Instant::now();
            Scanner::new(Limits::default()).scan(&file, usize::MAX, &mut sink)?;
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "{path}: {} keys, {seconds:.3} s, {:.2} GB/s",
                sink.keys,
                file.len() as f64 / seconds / 1e9
            );
        }
    }
    Ok(())
}
