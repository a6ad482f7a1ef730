//! Writes a large file for benchmarks, and prints what it holds.
//!
//!     cargo run --release -p rdb-synth --example generate -- --profile mixed --size 1GB --seed 1 --out FILE
//!         [--ctime SECONDS] [--manifest FILE]
//!
//! Profiles: small, mixed, huge, lzf, deep. Sizes: 100KB, 1GB, 1GiB or plain bytes.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use rdb_synth::profile::{Plan, Profile, generate};

fn size(text: &str) -> Result<u64, Box<dyn Error>> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.trim_start_matches(digits).to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        unit => return Err(format!("unknown unit {unit}").into()),
    };
    Ok(digits.parse::<u64>()?.saturating_mul(unit))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut plan = Plan::new(Profile::Mixed, 100_000_000, 1);
    let (mut out, mut manifest) = (None, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let value = args.next().ok_or_else(|| format!("{arg} wants a value"))?;
        match arg.as_str() {
            "--profile" => plan.profile = value.parse()?,
            "--size" => plan.bytes = size(&value)?,
            "--seed" => plan.seed = value.parse()?,
            "--ctime" => plan.ctime = value.parse()?,
            "--out" => out = Some(value),
            "--manifest" => manifest = Some(value),
            _ => return Err(format!("unknown argument {arg}").into()),
        }
    }
    let file = File::create(out.ok_or("--out is missing")?)?;
    let (_, made) = generate(&plan, BufWriter::with_capacity(1 << 20, file))?;
    match manifest {
        Some(path) => std::fs::write(path, made.to_string())?,
        None => print!("{made}"),
    }
    Ok(())
}
