//! What one key of a dump costs on a server of the caller's choice.
//!
//! ```text
//! $ cargo run -q -p rdb-memory --example size_of_one_key -- fixtures/shop.rdb leaderboard:loyalty valkey-9.1
//! ```
//!
//! Without a third argument the key is priced for the newest server that writes files of this version.

use std::error::Error;

use rdb_format::ServerVersion;
use rdb_memory::{Pricer, SizeModel, Target};
use rdb_parser::{Frames, Limits};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(wanted)) = (arguments.next(), arguments.next()) else {
        return Err("usage: size_of_one_key FILE KEY [SERVER]".into());
    };
    let server = arguments.next().map(|text| text.parse::<ServerVersion>()).transpose()?;

    let file = std::fs::read(path)?;
    let limits = Limits::default();
    let mut name = Vec::new();
    let mut frames = Frames::new(&file);
    while let Some(record) = frames.next() {
        let record = record?;
        let head = record.head;
        if head.key.bytes(limits, &mut name) != Ok(wanted.as_bytes()) {
            continue;
        }
        let server = server.unwrap_or(ServerVersion::newest_writer_of(head.version));
        let model = SizeModel::new(&Target::new(server));
        let mut pricer = Pricer::new(&model, limits);

        // The name, the value as the walk tells it, the estimate.
        pricer.start(wanted.as_bytes(), head.attrs.expire_at_ms, head.version);
        record.walk(frames.scanner().templates(), &mut pricer)?;
        let estimate = pricer.finish();

        println!("{wanted} in db {} on {server}, encoding {}", head.db, estimate.encoding);
        println!("  MEMORY USAGE    {:>12} bytes ({})", estimate.memory_bytes, estimate.basis.as_str());
        println!("    key           {:>12}", estimate.parts.key_bytes);
        println!("    value         {:>12}", estimate.parts.value_bytes);
        println!("  allocated       {:>12} bytes", estimate.allocated_bytes);
        println!("  in the file     {:>12} bytes", record.serialized_bytes);
        return Ok(());
    }
    Err(format!("no key {wanted:?} in this file").into())
}
