//! Server releases: who writes a file, and whose memory is being asked about.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::{Dialect, FileVersion};

/// Whose server it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vendor {
    /// Redis.
    Redis,
    /// Valkey, a fork of Redis 7.2.
    Valkey,
}

/// A server release, such as Redis 7.0.15 or Valkey 9.1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServerVersion {
    /// Whose server it is.
    pub vendor: Vendor,
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number.
    pub patch: u16,
}

impl ServerVersion {
    /// A Redis release.
    #[must_use]
    pub const fn redis(major: u16, minor: u16, patch: u16) -> Self {
        Self { vendor: Vendor::Redis, major, minor, patch }
    }

    /// A Valkey release.
    #[must_use]
    pub const fn valkey(major: u16, minor: u16, patch: u16) -> Self {
        Self { vendor: Vendor::Valkey, major, minor, patch }
    }

    /// The three numbers, comparable within one vendor.
    #[must_use]
    pub const fn numbers(self) -> (u16, u16, u16) {
        (self.major, self.minor, self.patch)
    }

    /// Whether this is that vendor's release `major.minor.patch` or a later one.
    #[must_use]
    pub const fn is_at_least(self, other: Self) -> bool {
        matches!(
            (self.vendor, other.vendor),
            (Vendor::Redis, Vendor::Redis) | (Vendor::Valkey, Vendor::Valkey)
        ) && (self.major > other.major
            || (self.major == other.major
                && (self.minor > other.minor || (self.minor == other.minor && self.patch >= other.patch))))
    }

    /// The release that this is, or that it is a candidate for.
    ///
    /// Release candidates carry the numbers of the line before and a patch level from 200 up: 6.9.241
    /// is 7.0-rc1, 7.3.241 is 7.4-rc1. Builds of a development branch call themselves 255.255.255; for
    /// them there is no release. Source: `src/version.h` of the tags of Redis and Valkey.
    #[must_use]
    pub const fn release(self) -> Option<Self> {
        match self {
            Self { major: 255, .. } => None,
            Self { vendor, major, minor: 9, patch: 200.. } => {
                Some(Self { vendor, major: major + 1, minor: 0, patch: 0 })
            }
            Self { vendor, major, minor, patch: 200.. } => {
                Some(Self { vendor, major, minor: minor + 1, patch: 0 })
            }
            release => Some(release),
        }
    }

    /// The newest release that writes files of this version: the best guess for a file that does
    /// not name its writer (RDB before 7 never does).
    #[must_use]
    pub const fn newest_writer_of(version: FileVersion) -> Self {
        match (version.dialect, version.number) {
            (Dialect::Valkey, _) => Self::valkey(9, 1, 2),
            (Dialect::Redis, 0 | 1) => Self::redis(2, 2, 15),
            (Dialect::Redis, 2) => Self::redis(2, 4, 18),
            (Dialect::Redis, 3..=5) => Self::redis(2, 6, 0),
            (Dialect::Redis, 6) => Self::redis(3, 0, 7),
            (Dialect::Redis, 7) => Self::redis(3, 2, 13),
            (Dialect::Redis, 8) => Self::redis(4, 0, 14),
            (Dialect::Redis, 9) => Self::redis(6, 2, 16),
            (Dialect::Redis, 10) => Self::redis(7, 0, 15),
            (Dialect::Redis, 11) => Self::redis(7, 2, 6),
            (Dialect::Redis, 12) => Self::redis(8, 2, 3),
            (Dialect::Redis, 13) => Self::redis(8, 6, 2),
            (Dialect::Redis, 14) => Self::redis(8, 8, 0),
            (Dialect::Redis, _) => Self::redis(8, 10, 2),
        }
    }
}

impl PartialOrd for ServerVersion {
    /// Releases of different vendors do not compare.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self.vendor == other.vendor).then(|| self.numbers().cmp(&other.numbers()))
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vendor = match self.vendor {
            Vendor::Redis => "Redis",
            Vendor::Valkey => "Valkey",
        };
        write!(f, "{vendor} {}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// A text that is no server version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseServerVersionError(String);

impl fmt::Display for ParseServerVersionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no server version; write redis-7.0, 8.2.3 or valkey-9.1", self.0)
    }
}

impl std::error::Error for ParseServerVersionError {}

impl FromStr for ServerVersion {
    type Err = ParseServerVersionError;

    /// Reads `7.0`, `redis-8.2.3`, `valkey-9.1` or `valkey 9.1.2`; a plain number is Redis.
    /// What follows the numbers (`7.4-rc1`, `255.255.255`) is kept out; missing numbers are 0.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || ParseServerVersionError(text.to_owned());
        let lower = text.trim().to_ascii_lowercase();
        let (vendor, rest) = if let Some(rest) = lower.strip_prefix("valkey") {
            (Vendor::Valkey, rest)
        } else {
            (Vendor::Redis, lower.strip_prefix("redis").unwrap_or(&lower))
        };
        let rest = rest.trim_start_matches(['-', ' ', '=', ':', '@', 'v']);
        let mut numbers = [0u16; 3];
        let mut parts = rest.split('.');
        for (i, slot) in numbers.iter_mut().enumerate() {
            let Some(part) = parts.next() else { break };
            let digits_end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (digits, tail) = part.split_at(digits_end);
            if digits.is_empty() && i > 0 {
                break;
            }
            *slot = digits.parse().map_err(|_| refuse())?;
            if !tail.is_empty() {
                break;
            }
        }
        let [major, minor, patch] = numbers;
        if major == 0 {
            return Err(refuse());
        }
        Ok(Self { vendor, major, minor, patch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_versions_as_people_and_aux_fields_write_them() {
        for (text, want) in [
            ("7.0.15", ServerVersion::redis(7, 0, 15)),
            ("redis-8.2", ServerVersion::redis(8, 2, 0)),
            ("Redis 8.10.2", ServerVersion::redis(8, 10, 2)),
            ("valkey-9.1.2", ServerVersion::valkey(9, 1, 2)),
            ("7.4-rc1", ServerVersion::redis(7, 4, 0)),
            ("255.255.255", ServerVersion::redis(255, 255, 255)),
            ("8", ServerVersion::redis(8, 0, 0)),
        ] {
            assert_eq!(text.parse(), Ok(want), "{text}");
        }
        for text in ["", "redis", "x.1", "-", "valkey-"] {
            assert!(text.parse::<ServerVersion>().is_err(), "{text}");
        }
    }

    #[test]
    fn candidates_and_development_builds() {
        assert_eq!(ServerVersion::redis(6, 9, 241).release(), Some(ServerVersion::redis(7, 0, 0)));
        assert_eq!(ServerVersion::redis(7, 3, 241).release(), Some(ServerVersion::redis(7, 4, 0)));
        assert_eq!(ServerVersion::redis(8, 10, 2).release(), Some(ServerVersion::redis(8, 10, 2)));
        assert_eq!(ServerVersion::valkey(255, 255, 255).release(), None);
    }

    #[test]
    fn vendors_do_not_compare() {
        assert!(!ServerVersion::valkey(9, 0, 0).is_at_least(ServerVersion::redis(7, 0, 0)));
        assert!(ServerVersion::redis(8, 10, 0).is_at_least(ServerVersion::redis(8, 2, 3)));
        assert_eq!(ServerVersion::valkey(9, 0, 0).partial_cmp(&ServerVersion::redis(7, 0, 0)), None);
    }
}
