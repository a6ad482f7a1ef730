//! One sentence for everything that is odd or lost: for the terminal, for stderr, for JSON.

use rdb_analysis::{ChecksumVerdict, Coverage, Extracted, ReferenceSource, Warning};
use rdb_format::FileVersion;
use rdb_parser::Gap;

use crate::names::file_text;
use crate::style::Screen;
use crate::units;

/// What the checksum says, as half a sentence.
#[must_use]
pub fn checksum(verdict: &ChecksumVerdict) -> String {
    match verdict {
        ChecksumVerdict::Ok(value) => {
            format!("the checksum is right ({value:016x}): these are the bytes that were written")
        }
        ChecksumVerdict::Mismatch { stored, computed } => format!(
            "the checksum is wrong: the file says {stored:016x}, its bytes give {computed:016x}, \
             so some byte is not the one that was written"
        ),
        ChecksumVerdict::Disabled => {
            "there is no checksum: the server was told not to write one (rdbchecksum no)".to_owned()
        }
        ChecksumVerdict::Absent => "there is no checksum: files older than RDB 5 have none".to_owned(),
        ChecksumVerdict::NotReached => {
            "the checksum says nothing: it stands at the end of the file, which was not reached".to_owned()
        }
        ChecksumVerdict::NotVerified => "the checksum was not verified".to_owned(),
    }
}

/// What a warning means, as half a sentence.
#[must_use]
pub fn warning(warning: &Warning, version: Option<FileVersion>) -> String {
    match warning {
        Warning::NewerVersion => {
            let (says, newest) = version.map_or((String::new(), String::new()), |version| {
                let newest = FileVersion { number: FileVersion::newest_known(version.dialect), ..version };
                (format!(" {version}"), format!(" ({newest})"))
            });
            format!(
                "format{says} is newer than any that rdblens knows{newest}; what it shares with them was read"
            )
        }
        Warning::TrailingBytes(bytes) => {
            format!(
                "{} the end of the records and {} passed over",
                units::counted(*bytes, "byte follows", "bytes follow"),
                if *bytes == 1 { "was" } else { "were" }
            )
        }
        Warning::AofTail(bytes) => format!(
            "this is the start of an append-only file: {} of commands follow, which change the data and \
             were not read",
            units::bytes(*bytes)
        ),
        Warning::AofIncrements(bytes) => format!(
            "this is the base of an append-only directory: {} of commands stand in its increments, which \
             change the data and were not read",
            units::bytes(*bytes)
        ),
        Warning::ReplicationTail(bytes) => format!(
            "this is what a replica was sent: {} of commands follow the data and were not read",
            units::bytes(*bytes)
        ),
        Warning::CaptureFrame => "this is what a replica was sent, and the data does not end where the \
             capture says"
            .to_owned(),
        Warning::PackedTail(bytes) => format!(
            "{} the compressed data and {} passed over",
            units::counted(*bytes, "byte follows", "bytes follow"),
            if *bytes == 1 { "was" } else { "were" }
        ),
        Warning::PayloadLineBreak => {
            "the line break that redis-cli prints behind an answer was passed over".to_owned()
        }
        Warning::PayloadQuotes => "the answer of DUMP stands in quotes, as redis-cli prints it for a \
             terminal; offsets count in what they stand for"
            .to_owned(),
        Warning::EmptyKeys(keys) => {
            let (keys, them) =
                (units::counted(*keys, "collection", "collections"), if *keys == 1 { "it" } else { "them" });
            format!("{keys} without elements left out: a server drops {them} when it loads the file")
        }
        Warning::DanglingAttributes => {
            "an expiry, idle time or frequency stands at the end, and no key follows it".to_owned()
        }
    }
}

/// Why a compressed input gave no more bytes, as half a sentence.
#[must_use]
pub fn unpacking(reason: &str) -> String {
    format!("not all of the compressed input could be unpacked: {reason}")
}

/// A stretch that could not be read, as half a sentence.
#[must_use]
pub fn gap(gap: &Gap) -> String {
    let (start, end) = (gap.start, gap.end);
    match gap.bytes() {
        0 => format!("the records end at {start} without their mark: {}", gap.error),
        bytes => {
            format!(
                "{} from {start} to {end} could not be read: {}",
                units::counted(bytes, "byte", "bytes"),
                gap.error
            )
        }
    }
}

/// How much was salvaged of a damaged file, as half a sentence.
#[must_use]
pub fn salvaged(coverage: &Coverage) -> String {
    let keys = units::counted(coverage.keys, "key", "keys");
    let lost = format!(
        "{} ({} of the file) lie in {}",
        units::bytes(coverage.gaps.bytes),
        units::percent(coverage.gaps.bytes, coverage.total_bytes),
        units::counted(coverage.gaps.count, "gap", "gaps")
    );
    match (coverage.missing_keys(), coverage.announced_keys) {
        (Some(missing), Some(announced)) => format!(
            "{lost}; read were {} of {} that the databases announced: {} missing",
            units::count(coverage.keys),
            units::counted(announced, "key", "keys"),
            units::count(missing)
        ),
        _ => format!("{lost}; read were {keys}"),
    }
}

/// How many keys a file gave that was cut short, and how many it had announced.
#[must_use]
pub fn keys_of(coverage: &Coverage) -> String {
    let keys = units::counted(coverage.keys, "key", "keys");
    match coverage.announced_keys {
        Some(announced) if announced > coverage.keys => format!(
            "{} of {} that its databases had announced by then",
            units::count(coverage.keys),
            units::counted(announced, "key", "keys")
        ),
        _ => keys,
    }
}

/// Where a reference time comes from, as it stands behind the time.
#[must_use]
pub const fn reference(source: ReferenceSource) -> &'static str {
    match source {
        ReferenceSource::Given => "as given",
        ReferenceSource::SavedAt => "when the file was saved",
        ReferenceSource::FileModified => "when the file was last changed; it does not say when it was saved",
        ReferenceSource::Clock => "the time of this report; nothing says when the file was saved",
    }
}

/// Lines for stderr about a file that was written from an input.
#[must_use]
pub fn extracted(name: &str, extracted: &Extracted) -> Vec<String> {
    let name = file_text(name, &Screen::PIPE);
    let line = |text: String| format!("rdblens: {name}: {text}");
    let mut lines = Vec::new();
    if extracted.unchecked > 0 {
        let keys = units::counted(extracted.unchecked, "key was", "keys were");
        lines.push(line(format!(
            "{keys} not compared with those before: one that stands twice makes servers refuse the file"
        )));
    }
    let guessed = if extracted.version_is_guessed { " (a guess: the header is lost)" } else { "" };
    let version = extracted.version.map_or_else(String::new, |version| format!(" as {version}{guessed}"));
    let left_out: Vec<String> = [
        (extracted.damaged, "damaged"),
        (extracted.duplicates, "with a name that its database has already"),
        (extracted.empty, "without elements"),
    ]
    .into_iter()
    .filter(|(keys, _)| *keys > 0)
    .map(|(keys, why)| format!("{} {why}", units::count(keys)))
    .collect();
    let left_out =
        if left_out.is_empty() { String::new() } else { format!("; left out were {}", left_out.join(", ")) };
    let keys = units::counted(extracted.keys, "key", "keys");
    lines.push(line(format!("wrote {keys}{version}{left_out}")));
    lines
}

/// Lines for stderr about one input: what was lost, then what is odd; at most `max`, and how many more.
///
/// Each is one line, such as `rdblens: dump.rdb: offset 0x1f3a (7994): …`. Empty for a file that is
/// whole and ordinary.
#[must_use]
pub fn coverage(name: &str, version: Option<FileVersion>, coverage: &Coverage, max: usize) -> Vec<String> {
    let name = file_text(name, &Screen::PIPE);
    let line = |text: String| format!("rdblens: {name}: {text}");
    let mut lines = Vec::new();
    if let Some(reason) = &coverage.unpacking {
        lines.push(line(unpacking(reason)));
        if coverage.total_bytes == 0 {
            return lines;
        }
    }
    let stopped = coverage.stopped_by.as_ref();
    let damaged: Vec<_> = coverage.errors.iter().filter(|error| Some(*error) != stopped).collect();
    lines.extend(damaged.iter().take(max).map(|error| line(format!("{error}; this key is left out"))));
    // Each damaged key has one error, of which the first are kept.
    let told = damaged.len().min(max) as u64;
    let all = coverage.damaged_keys.max(damaged.len() as u64);
    if all > told {
        lines.push(line(format!(
            "and {}",
            units::counted(all - told, "more damaged key", "more damaged keys")
        )));
    }
    if let (Some(error), true) = (stopped, coverage.is_cut_short()) {
        lines.push(line(format!("{error}; {} read", keys_of(coverage))));
    } else if let Some(error) = stopped {
        let lost = coverage.total_bytes.saturating_sub(coverage.read_bytes);
        // Of what is no RDB file nothing can be salvaged.
        let hint = if coverage.read_bytes > 0 { "; --salvage goes on behind it" } else { "" };
        lines.push(line(format!(
            "{error}; {} of {} not read{hint}",
            units::bytes(lost),
            units::bytes(coverage.total_bytes)
        )));
    }
    if coverage.is_salvaged() {
        lines.extend(coverage.gaps.first.iter().take(max).map(|found| line(gap(found))));
        let more = coverage.gaps.count.saturating_sub(coverage.gaps.first.len().min(max) as u64);
        if more > 0 {
            lines.push(line(format!("and {}", units::counted(more, "more gap", "more gaps"))));
        }
        lines.push(line(salvaged(coverage)));
    }
    if matches!(coverage.checksum, ChecksumVerdict::Mismatch { .. }) {
        lines.push(line(checksum(&coverage.checksum)));
    }
    lines.extend(coverage.warnings.iter().map(|odd| line(warning(odd, version))));
    lines
}
