//! A first look at when keys expire: fixed spans, and the fullest minutes and hours.

use crate::{Aggregate, Observation};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Minutes that are counted one by one: a week.
const MINUTES: usize = 7 * 24 * 60;

/// A span of time until a key expires, seen from the reference time of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Span {
    /// Its time is over, and it is still in the file.
    Expired,
    /// Less than an hour.
    Hour,
    /// Less than a day.
    Day,
    /// Less than a week.
    Week,
    /// Less than 30 days.
    Month,
    /// Less than 365 days.
    Year,
    /// Later than that.
    Later,
    /// Never.
    Never,
}

impl Span {
    /// Every span, soonest first.
    pub const ALL: [Self; 8] =
        [Self::Expired, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year, Self::Later, Self::Never];

    /// The span of a key that expires `left_ms` milliseconds after the reference time.
    ///
    /// A key whose time is exactly now is expired. Source: `keyIsExpired` in `src/db.c` compares
    /// with `>`, but a load that takes no time at all does not exist.
    #[must_use]
    pub fn of(left_ms: Option<i64>) -> Self {
        match left_ms {
            None => Self::Never,
            Some(i64::MIN..=0) => Self::Expired,
            Some(1..HOUR_MS) => Self::Hour,
            Some(HOUR_MS..DAY_MS) => Self::Day,
            Some(left) if left < 7 * DAY_MS => Self::Week,
            Some(left) if left < 30 * DAY_MS => Self::Month,
            Some(left) if left < 365 * DAY_MS => Self::Year,
            Some(_) => Self::Later,
        }
    }
}

/// Keys and their memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Released {
    /// Number of keys.
    pub keys: u64,
    /// What `MEMORY USAGE key SAMPLES 0` answers for them, in bytes.
    pub memory_bytes: u64,
}

impl Released {
    fn add(&mut self, other: Self) {
        self.keys = self.keys.saturating_add(other.keys);
        self.memory_bytes = self.memory_bytes.saturating_add(other.memory_bytes);
    }
}

/// Counts keys by when they expire. Memory: fixed, about 160 KiB.
#[derive(Clone, Debug)]
pub struct Expiry {
    now_ms: Vec<i64>,
    spans: [Released; Span::ALL.len()],
    minutes: Vec<Released>,
}

/// When keys expire.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpirySummary {
    /// Keys and memory by span, in the order of [`Span::ALL`].
    pub spans: [(Span, Released); Span::ALL.len()],
    /// The minute of the coming week in which most keys expire: minutes after the reference time.
    pub fullest_minute: Option<(u64, Released)>,
    /// Keys that expire within the coming week.
    pub within_week: Released,
}

impl Expiry {
    /// Counts from these reference times, one for each file, in milliseconds since 1970.
    #[must_use]
    pub fn new(now_ms: &[i64]) -> Self {
        Self { now_ms: now_ms.to_vec(), spans: Default::default(), minutes: Vec::new() }
    }
}

impl Aggregate for Expiry {
    type Summary = ExpirySummary;

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        let now = self.now_ms.get(seen.file as usize).copied().unwrap_or(0);
        // Files may say any time at all; far ends are as good as each other.
        let left = seen.expire_at_ms.map(|at| at.saturating_sub(now));
        let span = Span::of(left);
        let released = Released { keys: 1, memory_bytes: seen.memory_bytes };
        if let Some(sum) = self.spans.get_mut(span as usize) {
            sum.add(released);
        }
        if let (Some(left), Span::Hour | Span::Day | Span::Week) = (left, span) {
            self.minutes.resize(MINUTES, Released::default());
            let minute = usize::try_from(left / MINUTE_MS).unwrap_or(usize::MAX);
            if let Some(sum) = self.minutes.get_mut(minute) {
                sum.add(released);
            }
        }
    }

    fn merge(&mut self, other: Self) {
        for (sum, more) in self.spans.iter_mut().zip(other.spans) {
            sum.add(more);
        }
        if self.minutes.is_empty() {
            self.minutes = other.minutes;
        } else {
            for (sum, more) in self.minutes.iter_mut().zip(other.minutes) {
                sum.add(more);
            }
        }
    }

    fn finish(self) -> Self::Summary {
        let mut sums = self.spans.into_iter();
        let spans = Span::ALL.map(|span| (span, sums.next().unwrap_or_default()));
        let mut within_week = Released::default();
        let mut fullest: Option<(u64, Released)> = None;
        for (minute, released) in self.minutes.into_iter().enumerate() {
            within_week.add(released);
            if released.keys > fullest.map_or(0, |(_, most)| most.keys) {
                fullest = Some((minute as u64, released));
            }
        }
        ExpirySummary { spans, fullest_minute: fullest, within_week }
    }
}
