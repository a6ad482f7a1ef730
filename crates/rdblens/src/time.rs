//! Times as people write them.

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A time, or a distance from the reference time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeArg {
    /// Milliseconds since 1970.
    At(i64),
    /// Milliseconds from the reference time.
    FromNow(i64),
}

/// Unix times from here on are milliseconds: in seconds this is the year 5138.
const FIRST_MS: i64 = 100_000_000_000;

impl TimeArg {
    /// The time in milliseconds since 1970, for this reference time.
    pub(crate) fn ms(self, now_ms: i64) -> i64 {
        match self {
            Self::At(ms) => ms,
            Self::FromNow(ms) => now_ms.saturating_add(ms),
        }
    }
}

impl fmt::Display for TimeArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(ms) => match Timestamp::from_millisecond(*ms) {
                Ok(time) => write!(f, "{time}"),
                Err(_) => write!(f, "{ms}"),
            },
            Self::FromNow(ms) => write!(f, "{:+}s", ms / 1000),
        }
    }
}

impl FromStr for TimeArg {
    type Err = String;

    /// Reads an ISO 8601 time (UTC unless it says otherwise), a date, Unix seconds or milliseconds,
    /// `now`, or a distance such as `+7d` or `-90m`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text == "now" {
            return Ok(Self::At(Timestamp::now().as_millisecond()));
        }
        if let Some(distance) = text.strip_prefix('+') {
            return distance_ms(distance).map(Self::FromNow).ok_or_else(|| refuse(text));
        }
        if let Ok(number) = text.parse::<i64>() {
            let ms = if number < FIRST_MS { number.checked_mul(1000) } else { Some(number) };
            return ms.map(Self::At).ok_or_else(|| refuse(text));
        }
        if let Some(distance) = text.strip_prefix('-') {
            return distance_ms(distance).map(|ms| Self::FromNow(-ms)).ok_or_else(|| refuse(text));
        }
        if let Ok(time) = text.parse::<Timestamp>() {
            return Ok(Self::At(time.as_millisecond()));
        }
        let civil =
            text.parse::<DateTime>().or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)));
        civil
            .and_then(|civil| TimeZone::UTC.to_timestamp(civil))
            .map(|time| Self::At(time.as_millisecond()))
            .map_err(|_| refuse(text))
    }
}

/// A number and a unit: `90s`, `15m`, `36h`, `7d`, `2w`.
fn distance_ms(text: &str) -> Option<i64> {
    let at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(at);
    let seconds: i64 = match unit.trim() {
        "s" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return None,
    };
    let seconds = number.parse::<i64>().ok()?.checked_mul(seconds)?;
    i64::try_from(SignedDuration::from_secs(seconds).as_millis()).ok()
}

fn refuse(text: &str) -> String {
    format!("{text:?} is no time; write 2026-11-30T12:00:00Z, 2026-11-30, 1796040000 or +7d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_every_form() {
        for (text, want) in [
            ("1796040000", TimeArg::At(1_796_040_000_000)),
            ("1796040000123", TimeArg::At(1_796_040_000_123)),
            ("2026-11-30T12:00:00Z", TimeArg::At(1_796_040_000_000)),
            ("2026-11-30T12:00:00", TimeArg::At(1_796_040_000_000)),
            ("2026-11-30", TimeArg::At(1_795_996_800_000)),
            ("+7d", TimeArg::FromNow(604_800_000)),
            ("-90m", TimeArg::FromNow(-5_400_000)),
        ] {
            assert_eq!(text.parse(), Ok(want), "{text}");
        }
        for text in ["", "x", "+", "+7y", "2026-13-01", "99999999999999999999", "+9999999999999999w"] {
            assert!(text.parse::<TimeArg>().is_err(), "{text}");
        }
    }
}
