//! Values as people write them: sizes, counts, shares, slots, types.

use std::fmt;

use rdb_analysis::TypeFilter;
use rdb_format::SLOT_COUNT;

/// A size such as `10KB` (1000 bytes each), `1MiB` (1024 × 1024) or a plain number of bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let refuse = || format!("{text:?} is no size; write 4096, 10KB or 1.5MiB");
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "t" | "tb" => 1_000_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => return Err(refuse()),
    };
    let number = number.trim();
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(refuse);
    }
    let number: f64 = number.parse().map_err(|_| refuse())?;
    let bytes = number * factor as f64;
    if (0.0..1.8e19).contains(&bytes) { Ok(bytes as u64) } else { Err(refuse()) }
}

/// A count such as `5000`, `10k` or `1M`.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let (number, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (text.get(..at), 1000),
        Some((at, 'm' | 'M')) => (text.get(..at), 1_000_000),
        _ => (Some(text), 1),
    };
    number
        .and_then(|number| number.parse::<u64>().ok())
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| format!("{text:?} is no count; write 5000, 10k or 1M"))
}

/// A share such as `1%` or `0.01`.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let (number, factor) = match text.strip_suffix('%') {
        Some(number) => (number, 0.01),
        None => (text, 1.0),
    };
    match number.trim().parse::<f64>().map(|number| number * factor) {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err(format!("{text:?} is no share; write 1% or 0.01")),
    }
}

/// A type as `TYPE` answers it.
pub(super) fn type_filter(text: &str) -> Result<TypeFilter, String> {
    TypeFilter::from_word(text).ok_or_else(|| {
        format!(
            "{text:?} is no type; write string, list, set, zset, hash, stream, array, module or the nine letters \
             of a module's type"
        )
    })
}

/// Cluster slots that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SlotRange {
    first: u16,
    last: u16,
}

impl fmt::Display for SlotRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl SlotRange {
    pub(super) fn slots(&self) -> impl Iterator<Item = u16> + use<> {
        self.first..=self.last
    }
}

/// One slot or a range of them.
pub(super) fn slots(text: &str) -> Result<SlotRange, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    match (first.trim().parse(), last.trim().parse()) {
        (Ok(first), Ok(last)) if first <= last && last < SLOT_COUNT => Ok(SlotRange { first, last }),
        _ => Err(format!(
            "{text:?} is no slot or range of slots; write 42 or 0-5460, up to {}",
            SLOT_COUNT - 1
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, want) in [
            ("0", 0),
            ("4096", 4096),
            ("10KB", 10_000),
            ("1MiB", 1 << 20),
            ("1.5 kib", 1536),
            ("2g", 2_000_000_000),
        ] {
            assert_eq!(size(text), Ok(want));
        }
        for text in ["", "x", "-1", "1QB", "99999999999TB", "nan"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn shares_counts_and_slots() {
        assert_eq!(share("1%"), Ok(0.01));
        assert_eq!(share("0.5"), Ok(0.5));
        assert!(share("101%").is_err() && share("-1").is_err());
        assert_eq!((count("10k"), count("7")), (Ok(10_000), Ok(7)));
        assert_eq!(slots("0-5460"), Ok(SlotRange { first: 0, last: 5460 }));
        assert!(slots("16384").is_err() && slots("9-3").is_err());
    }
}
