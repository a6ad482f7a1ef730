//! Writes a random file and, beside it, one line per key with the answers a server must give.
//!
//!     cargo run -p rdb-synth --example random -- [--redis N | --valkey N] [--seed N] [--keys N] [--types N,N]
//!         [--everything] [--odd] [--vectors] [--meta] --out FILE --expected FILE
//!
//! The lines hold, between tabs: db, key in hexadecimal, TYPE, elements, expiry in ms, type code.

use std::error::Error;
use std::fmt::Write;
use std::str::FromStr;

use rdb_synth::{Magic, RandomOptions, random_dump};

fn number<T: FromStr<Err: Error + 'static>>(text: Option<String>) -> Result<T, Box<dyn Error>> {
    Ok(text.ok_or("a number is missing")?.parse::<T>()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut magic = Magic::Redis(15);
    let (mut seed, mut keys, mut types) = (1, 400, String::new());
    let (mut everything, mut odd, mut vectors, mut meta) = (false, false, false, false);
    let (mut out, mut expected) = (None, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--redis" => magic = Magic::Redis(number(args.next())?),
            "--valkey" => magic = Magic::Valkey(number(args.next())?),
            "--seed" => seed = number(args.next())?,
            "--keys" => keys = number(args.next())?,
            "--types" => types = args.next().unwrap_or_default(),
            "--everything" => everything = true,
            "--odd" => odd = true,
            "--vectors" => vectors = true,
            "--meta" => meta = true,
            "--out" => out = args.next(),
            "--expected" => expected = args.next(),
            _ => return Err(format!("unknown argument {arg}").into()),
        }
    }
    let mut options =
        if everything { RandomOptions::everything(magic) } else { RandomOptions::loadable(magic) };
    options.keys = keys;
    options.odd_forms |= odd;
    options.vector_sets |= vectors;
    options.key_meta |= meta;
    for code in types.split(',').filter(|code| !code.is_empty()) {
        options.only.push(code.parse()?);
    }
    let (bytes, answers) = random_dump(seed, &options);
    std::fs::write(out.ok_or("--out is missing")?, bytes)?;
    let mut lines = String::new();
    for key in &answers {
        let name = key.key.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let elements = key.elements.map_or(String::new(), |n| n.to_string());
        let expire = key.expire_ms.map_or(String::new(), |ms| ms.to_string());
        writeln!(lines, "{}\t{name}\t{}\t{elements}\t{expire}\t{}", key.db, key.type_word, key.type_code)?;
    }
    std::fs::write(expected.ok_or("--expected is missing")?, lines)?;
    Ok(())
}
