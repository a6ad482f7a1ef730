//! Figures for people: sizes, counts, shares and times, in forms that align.
//!
//! Machine formats never come here: they print plain integers.

use jiff::Timestamp;

const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];

/// A size in binary units with one decimal: `980 B`, `1.5 MiB`.
#[must_use]
pub fn bytes(bytes: u64) -> String {
    let (figure, unit) = bytes_parts(bytes);
    format!("{figure} {unit}")
}

/// The same, with the unit padded so that figures and units line up when set flush right.
#[must_use]
pub fn bytes_aligned(bytes: u64) -> String {
    let (figure, unit) = bytes_parts(bytes);
    format!("{figure} {unit:<3}")
}

fn bytes_parts(bytes: u64) -> (String, &'static str) {
    let mut scale = 1u128;
    let mut units = UNITS.iter().copied();
    let mut unit = units.next().unwrap_or("B");
    // 1023.95 KiB would read 1024.0 KiB: the next unit takes over where the rounded figure would.
    while u128::from(bytes) * 20 >= scale * 1024 * 20 - scale {
        let Some(next) = units.next() else { break };
        unit = next;
        scale *= 1024;
    }
    if scale == 1 {
        return (bytes.to_string(), unit);
    }
    let tenths = (u128::from(bytes) * 20 + scale) / (2 * scale);
    (format!("{}.{}", tenths / 10, tenths % 10), unit)
}

/// A count with thousands separators: `1,284,113`.
#[must_use]
pub fn count(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted: `1 key`, `3,000 keys`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// The share that `part` has of `whole`: `12.3 %`. Nothing but nothing is `0 %`, nothing but all is `100 %`.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if part == 0 || whole == 0 {
        return "0 %".to_owned();
    }
    if part == whole {
        return "100 %".to_owned();
    }
    let permille = (u128::from(part) * 2000 + u128::from(whole)) / (2 * u128::from(whole));
    match permille {
        0 => "<0.1 %".to_owned(),
        1000 if part < whole => ">99.9 %".to_owned(),
        _ => format!("{}.{} %", permille / 10, permille % 10),
    }
}

const SECOND: u64 = 1000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

/// A span of time in its two largest units: `3 d 4 h`, `45 s`. Years have 365 days.
#[must_use]
pub fn duration(ms: u64) -> String {
    const STEPS: [(u64, &str, u64, &str); 4] = [
        (YEAR, "y", DAY, "d"),
        (DAY, "d", HOUR, "h"),
        (HOUR, "h", MINUTE, "min"),
        (MINUTE, "min", SECOND, "s"),
    ];
    if ms >= 1000 * YEAR {
        return ">1000 y".to_owned();
    }
    for (large, large_unit, small, small_unit) in STEPS {
        if ms >= large {
            let (whole, rest) = (ms / large, ms % large / small);
            return match rest {
                0 => format!("{whole} {large_unit}"),
                _ => format!("{whole} {large_unit} {rest} {small_unit}"),
            };
        }
    }
    match ms {
        0 => "0 s".to_owned(),
        1..SECOND => "<1 s".to_owned(),
        _ => format!("{} s", ms / SECOND),
    }
}

/// What is left from `now_ms` to `at_ms`, as a duration, or `None` when that time is over.
#[must_use]
pub fn time_left(at_ms: i64, now_ms: i64) -> Option<String> {
    (at_ms > now_ms).then(|| duration(at_ms.abs_diff(now_ms)))
}

/// A time for people, to the second: `2026-11-29 03:00:12 UTC`.
///
/// Files may say any time at all: one that no calendar knows is printed as the number it is.
#[must_use]
pub fn time(ms: i64) -> String {
    formatted(ms, "%Y-%m-%d %H:%M:%S UTC")
}

/// A time as the command line takes it, to the second: `2026-11-29T03:00:12Z`.
#[must_use]
pub fn time_iso(ms: i64) -> String {
    formatted(ms, "%Y-%m-%dT%H:%M:%SZ")
}

fn formatted(ms: i64, format: &str) -> String {
    calendar(ms).map_or_else(|| format!("{ms} ms after 1970"), |time| time.strftime(format).to_string())
}

/// The time as a calendar has it, where one does.
pub(crate) fn calendar(ms: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(ms).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_round_to_one_decimal_and_never_read_1024() {
        for (size, want) in [
            (0, "0 B"),
            (980, "980 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (1536, "1.5 KiB"),
            (1_048_524, "1023.9 KiB"),
            (1_048_525, "1.0 MiB"),
            (1 << 20, "1.0 MiB"),
            (432_329_933, "412.3 MiB"),
            (u64::MAX, "16.0 EiB"),
        ] {
            assert_eq!(bytes(size), want, "{size}");
        }
        assert_eq!(bytes_aligned(5), "5 B  ");
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(counted(1, "key", "keys"), "1 key");
        assert_eq!(counted(0, "key", "keys"), "0 keys");
    }

    #[test]
    fn shares_say_nothing_and_all_only_when_it_is_so() {
        for (part, whole, want) in [
            (0, 0, "0 %"),
            (0, 5, "0 %"),
            (5, 5, "100 %"),
            (1, 1_000_000, "<0.1 %"),
            (999_999, 1_000_000, ">99.9 %"),
            (123, 1000, "12.3 %"),
            (1, 3, "33.3 %"),
            (u64::MAX - 1, u64::MAX, ">99.9 %"),
        ] {
            assert_eq!(percent(part, whole), want, "{part} of {whole}");
        }
    }

    #[test]
    fn durations_name_their_two_largest_units() {
        for (ms, want) in [
            (0, "0 s"),
            (1, "<1 s"),
            (45_000, "45 s"),
            (MINUTE, "1 min"),
            (HOUR + 5 * MINUTE, "1 h 5 min"),
            (3 * DAY + 4 * HOUR + 1, "3 d 4 h"),
            (2 * YEAR + 30 * DAY, "2 y 30 d"),
            (u64::MAX, ">1000 y"),
        ] {
            assert_eq!(duration(ms), want, "{ms}");
        }
        assert_eq!(time_left(i64::MAX, i64::MIN), Some(">1000 y".to_owned()));
        assert_eq!(time_left(5, 5), None);
    }

    #[test]
    fn times_no_calendar_knows_are_numbers() {
        assert_eq!(time(1_795_921_212_573), "2026-11-29 03:00:12 UTC");
        assert_eq!(time(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(time_iso(-1), "1969-12-31T23:59:59Z");
        assert_eq!(time(i64::MAX), "9223372036854775807 ms after 1970");
        assert_eq!(time(i64::MIN), "-9223372036854775808 ms after 1970");
    }
}
