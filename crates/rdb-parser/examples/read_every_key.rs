//! Prints every key of a dump: its database, type, number of elements, name, and a taste of its value.
//!
//! ```sh
//! cargo run -p rdb-parser --example read_every_key -- fixtures/format/redis-8.10.2/hashes.rdb
//! ```

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::{env, fs};

use rdb_parser::{Depth, Element, EscapedKey, Frames, KeyExcerpt, Limits, Shape};

fn main() -> ExitCode {
    match read_every_key() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("read_every_key: {error}");
            ExitCode::FAILURE
        }
    }
}

fn read_every_key() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("name an RDB file")?;
    let file = fs::read(path)?;
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "{:>3}  {:<9}  {:>8}  key", "db", "type", "elements")?;

    let limits = Limits::default();
    let mut shape = Shape::new(Depth::Count, limits);
    let mut name = Vec::new();
    let mut damaged = 0;

    let frames = Frames::new(&file);
    // Clones share one registry, so templates that the file defines later on appear in this one too.
    let templates = frames.scanner().templates().clone();
    for record in frames {
        // An error here means that nobody knows where the next record starts. What was printed stands.
        let record = record?;
        let head = &record.head;
        record.walk(&templates, &mut shape)?;
        let type_word = match (shape.module(), head.type_code.object_type(head.version)) {
            (Some(module), _) => module.to_string(),
            (None, Some(object_type)) => object_type.to_string(),
            (None, None) => format!("{:?}", head.type_code),
        };
        let elements = shape.elements().map_or("?".to_owned(), |elements| elements.to_string());

        let key =
            head.key.bytes(limits, &mut name).map_err(|fault| record.error_in_string(fault, head.key))?;
        write!(out, "{:>3}  {type_word:<9}  {elements:>8}  {}", head.db, EscapedKey(key))?;

        // An error here is about this value alone: the records behind it are read exactly.
        let mut taste = None;
        match record.for_each_element(&templates, limits, |element| {
            taste.get_or_insert_with(|| first_bytes(&element));
        }) {
            Ok(()) => writeln!(out, "{}", taste.flatten().unwrap_or_default())?,
            Err(error) => {
                damaged += 1;
                writeln!(out, "  !! {error}")?;
            }
        }
    }
    out.flush()?;
    if damaged > 0 { Err(format!("{damaged} values are damaged").into()) } else { Ok(()) }
}

/// The first element of a value, made safe for a terminal.
fn first_bytes(element: &Element<'_>) -> Option<String> {
    Some(match element {
        Element::Item(item) | Element::TemplateValue(item) => format!("  {}", KeyExcerpt(item)),
        Element::Scored(member, score) => format!("  {} scores {score}", KeyExcerpt(member)),
        Element::Field(field, value, _) => format!("  {} = {}", KeyExcerpt(field), KeyExcerpt(value)),
        Element::Slot(index, value) => format!("  [{index}] = {}", KeyExcerpt(value)),
        Element::StreamEntry(entry) => format!("  from {}-{}", entry.id.ms, entry.id.seq),
        _ => return None,
    })
}
