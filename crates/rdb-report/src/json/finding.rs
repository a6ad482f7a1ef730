//! A fault as one line of JSON.

use std::io::{self, Write};

use rdb_parser::Finding;
use serde::Serialize;

use crate::csv::KeyEncoding;

#[derive(Serialize)]
struct Row<'a> {
    file: &'a str,
    offset: u64,
    db: Option<u64>,
    key: Option<String>,
    #[serde(rename = "type")]
    type_name: Option<&'static str>,
    severity: &'static str,
    kind: String,
    message: String,
}

/// Writes a fault of this file as one JSON object on a line of its own.
///
/// # Errors
///
/// When writing fails.
pub fn finding(file: &str, found: &Finding, keys: KeyEncoding, out: &mut dyn Write) -> io::Result<()> {
    let (error, context) = (&found.error, found.error.context());
    let type_name = context.type_code.zip(context.version).and_then(|(code, version)| code.name(version));
    let row = Row {
        file,
        offset: error.offset(),
        db: context.db,
        key: context.key.as_deref().map(|key| keys.text(key)),
        type_name,
        severity: found.severity.as_str(),
        kind: error.kind().word(),
        message: error.kind().to_string(),
    };
    serde_json::to_writer(&mut *out, &row)?;
    out.write_all(b"\n")
}
