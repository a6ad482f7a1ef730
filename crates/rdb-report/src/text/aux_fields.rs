//! What the named fields of a file mean.

use rdb_analysis::AuxField;
use rdb_parser::parse_i64;

use crate::units;

/// What a field says, in words, where its value alone does not. `now_ms`: the time of the report.
pub(crate) fn meaning(field: &AuxField, now_ms: Option<i64>) -> Option<String> {
    let number = parse_i64(&field.value);
    match field.name.as_slice() {
        b"redis-ver" | b"valkey-ver" => Some("the release that wrote the file".to_owned()),
        b"redis-bits" => number.map(|bits| format!("a {bits}-bit server")),
        b"ctime" => {
            let ms = number?.checked_mul(1000)?;
            Some(format!("{}{}", units::time(ms), age(ms, now_ms)))
        }
        b"used-mem" => {
            let bytes = u64::try_from(number?).ok()?;
            Some(format!("{} used by the server when it saved", units::bytes(bytes)))
        }
        b"aof-base" | b"aof-preamble" => Some(match number {
            Some(0) => "a snapshot of its own, not the base of an append-only file".to_owned(),
            _ => "the base of an append-only file: newer commands follow in others".to_owned(),
        }),
        b"repl-stream-db" => Some(match number {
            Some(db @ 0..) => format!("the replication stream goes on in db {db}"),
            _ => "the replication stream has no database selected".to_owned(),
        }),
        b"repl-id" => Some("the history that replicas follow".to_owned()),
        b"repl-offset" => {
            let bytes = u64::try_from(number?).ok()?;
            Some(format!("{} into that history", units::bytes(bytes)))
        }
        _ => None,
    }
}

fn age(ms: i64, now_ms: Option<i64>) -> String {
    match now_ms {
        Some(now) if now >= ms => format!(", {} ago", units::duration(now.abs_diff(ms))),
        Some(now) => format!(", {} from now: some clock is wrong", units::duration(now.abs_diff(ms))),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_explained_and_absurd_ones_left_alone() {
        let field = |name: &str, value: &str| AuxField { name: name.into(), value: value.into() };
        let said = |name: &str, value: &str| meaning(&field(name, value), Some(1_700_000_090_000));
        assert_eq!(said("ctime", "1700000000").unwrap(), "2023-11-14 22:13:20 UTC, 1 min 30 s ago");
        assert!(said("ctime", "1800000000").unwrap().ends_with("from now: some clock is wrong"));
        assert_eq!(said("ctime", "9223372036854775807"), None);
        assert_eq!(
            said("ctime", "99999999999999").unwrap(),
            "99999999999999000 ms after 1970, >1000 y from now: some clock is wrong"
        );
        assert_eq!(said("used-mem", "-5"), None);
        assert_eq!(said("repl-stream-db", "-1").unwrap(), "the replication stream has no database selected");
        assert_eq!(said("my-own", "x"), None);
    }
}
