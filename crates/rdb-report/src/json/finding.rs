//! Faults as lines of JSON, and what a server does with the file.

use std::io::{self, Write};

use rdb_analysis::{Answer, Checked, FileFacts, Obstacle, Usage, Verdict, lowest_reader};
use rdb_format::{ServerVersion, Vendor};
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
    refused_by: Vec<&'static str>,
    kind: String,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<u64>,
}

/// Writes a fault of this file as one JSON object on a line of its own, and behind it, where its value has more of
/// the kind than are told, a line that says how many.
///
/// # Errors
///
/// When writing fails.
pub fn finding(file: &str, found: &Finding, keys: KeyEncoding, out: &mut dyn Write) -> io::Result<()> {
    let (error, context) = (&found.error, found.error.context());
    let type_name = context.type_code.zip(context.version).and_then(|(code, version)| code.name(version));
    let row = |message, more| Row {
        file,
        offset: error.offset(),
        db: context.db,
        key: context.key.as_deref().map(|key| keys.text(key)),
        type_name,
        severity: found.severity.as_str(),
        refused_by: found.refusers.names().collect(),
        kind: error.kind().word(),
        message,
        more,
    };
    line(&row(error.kind().to_string(), None), out)?;
    match found.more {
        0 => Ok(()),
        more => line(&row(format!("and {more} more of this kind in this value"), Some(more)), out),
    }
}

fn line(row: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *out, row)?;
    out.write_all(b"\n")
}

#[derive(Serialize)]
struct VerdictRow<'a> {
    file: &'a str,
    verdict: VerdictDoc,
}

#[derive(Serialize)]
struct VerdictDoc {
    server: String,
    reads: bool,
    answer: &'static str,
    faults: u64,
    overlooked: u64,
    obstacles: Vec<ObstacleDoc>,
    format: Option<String>,
    lowest: Lowest,
}

/// The first release of each line that reads such a file.
#[derive(Serialize)]
struct Lowest {
    redis: Option<String>,
    valkey: Option<String>,
}

#[derive(Default, Serialize)]
struct ObstacleDoc {
    kind: &'static str,
    name: Option<String>,
    count: Option<u64>,
    first: Option<First>,
}

#[derive(Serialize)]
struct First {
    db: u64,
    key: String,
    offset: u64,
}

/// Writes what a server does with this file as one JSON object on a line of its own.
///
/// # Errors
///
/// When writing fails.
pub fn verdict(
    file: &str,
    (verdict, facts, checked): (&Verdict, &FileFacts, &Checked),
    keys: KeyEncoding,
    out: &mut dyn Write,
) -> io::Result<()> {
    let release = |server: ServerVersion| format!("{}.{}", server.major, server.minor);
    let lowest = |vendor| lowest_reader(vendor, facts, checked).map(release);
    let row = VerdictRow {
        file,
        verdict: VerdictDoc {
            server: verdict.server.to_string(),
            reads: verdict.answer == Answer::Reads,
            answer: match verdict.answer {
                Answer::Reads => "reads",
                Answer::ReadsIfSetUp => "reads-if-set-up",
                Answer::Refuses => "refuses",
                Answer::ProbablyRefuses => "probably-refuses",
            },
            faults: verdict.faults,
            overlooked: verdict.overlooked,
            obstacles: verdict.obstacles.iter().map(|found| obstacle(found, facts, keys)).collect(),
            format: facts.version.map(|version| version.to_string()),
            lowest: Lowest { redis: lowest(Vendor::Redis), valkey: lowest(Vendor::Valkey) },
        },
    };
    line(&row, out)
}

fn obstacle(obstacle: &Obstacle, facts: &FileFacts, keys: KeyEncoding) -> ObstacleDoc {
    let used = |kind, name: Option<String>, usage: &Usage| {
        let (db, key, offset) = &usage.first;
        ObstacleDoc {
            kind,
            name,
            count: Some(usage.count),
            first: Some(First { db: *db, key: keys.text(key), offset: *offset }),
        }
    };
    let counted = |kind, count| ObstacleDoc { kind, count: Some(count), ..ObstacleDoc::default() };
    let named = |kind, name| ObstacleDoc { kind, name: Some(name), ..ObstacleDoc::default() };
    match obstacle {
        Obstacle::Version(version) => named("version", version.to_string()),
        Obstacle::Type(code, usage) => {
            let name = facts.version.and_then(|version| code.name(version)).unwrap_or("unknown");
            used("type", Some(name.to_owned()), usage)
        }
        Obstacle::Functions(count) => counted("functions", *count),
        Obstacle::Templates(count) => counted("hash-templates", *count),
        Obstacle::Module(name, usage) => used("module", Some(name.clone()), usage),
        Obstacle::ModuleAux(name) => named("module-aux", name.clone()),
        Obstacle::Metadata(usage) => used("metadata", None, usage),
        Obstacle::Databases(count) => counted("databases", *count),
    }
}
