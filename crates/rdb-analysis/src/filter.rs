//! Which keys are looked at.

use std::fmt;

use rdb_format::ObjectType;
use regex::bytes::{Regex, RegexBuilder};

use crate::Observation;

/// Whether keys are wanted by whether they expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TtlFilter {
    /// Only keys that never expire.
    None,
    /// Only keys that expire.
    Any,
}

/// Which keys are looked at: those that pass every condition that is set.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only these databases, if there are any.
    pub dbs: Vec<u64>,
    /// Only these types, if there are any. Module types go by their own names.
    pub types: Vec<TypeFilter>,
    /// Only keys whose name one of these globs fits, if there are any.
    pub globs: Vec<NamePattern>,
    /// Only keys whose name one of these regular expressions fits, if there are any.
    pub regexes: Vec<NamePattern>,
    /// Only keys with at least this many bytes of memory.
    pub min_memory: Option<u64>,
    /// Only keys with at least this many elements.
    pub min_elements: Option<u64>,
    /// Only keys that expire, or only keys that do not.
    pub ttl: Option<TtlFilter>,
    /// Only keys that expire before this time (milliseconds since 1970).
    pub expires_before_ms: Option<i64>,
    /// Only keys that expire at this time (milliseconds since 1970) or later.
    pub expires_after_ms: Option<i64>,
    /// Only keys of these cluster slots, if there are any.
    pub slots: Vec<u16>,
}

/// A type that is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeFilter {
    /// One of the server's own types; `Module` stands for all modules.
    Object(ObjectType),
    /// A module type, by its name.
    Module(String),
}

impl TypeFilter {
    /// Reads a type as `TYPE` answers it; a word of nine letters that is none is a module type.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match ObjectType::from_word(word) {
            Some(object_type) => Some(Self::Object(object_type)),
            None if word.len() == 9 => Some(Self::Module(word.to_owned())),
            None => None,
        }
    }
}

impl fmt::Display for TypeFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(object_type) => object_type.fmt(f),
            Self::Module(name) => f.write_str(name),
        }
    }
}

/// A pattern for key names.
#[derive(Clone, Debug)]
pub struct NamePattern {
    typed: String,
    regex: Regex,
}

impl fmt::Display for NamePattern {
    /// The pattern as it was given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.typed)
    }
}

/// A pattern that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

impl NamePattern {
    /// A glob as `KEYS` and `SCAN` take it: `*`, `?`, `[abc]`, `[^a-z]`, and `\` before any of them.
    /// It must fit the whole name. Source: `stringmatchlen_impl` in `src/util.c` of Redis 7.0.
    ///
    /// # Errors
    ///
    /// When the pattern is too large.
    pub fn glob(glob: &str) -> Result<Self, PatternError> {
        Self::compile(glob, &glob_to_regex(glob.as_bytes()))
    }

    /// A regular expression, which may fit anywhere in the name.
    ///
    /// # Errors
    ///
    /// When the expression is none, or too large.
    pub fn regex(regex: &str) -> Result<Self, PatternError> {
        Self::compile(regex, regex)
    }

    fn compile(typed: &str, regex: &str) -> Result<Self, PatternError> {
        // Keys are bytes, and a dot means any of them.
        let built = RegexBuilder::new(regex).dot_matches_new_line(true).build();
        let regex = built.map_err(|error| PatternError(error.to_string()))?;
        Ok(Self { typed: typed.to_owned(), regex })
    }

    /// Whether the pattern fits this name.
    #[must_use]
    pub fn matches(&self, key: &[u8]) -> bool {
        self.regex.is_match(key)
    }
}

fn glob_to_regex(glob: &[u8]) -> String {
    use fmt::Write;
    let mut regex = String::from(r"(?s-u)\A");
    let literal = |regex: &mut String, byte: u8| {
        // Writing to a String never fails.
        let _ = write!(regex, r"\x{byte:02x}");
    };
    let mut rest = glob;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'*' => regex.push_str(".*"),
            b'?' => regex.push('.'),
            b'\\' if !rest.is_empty() => {
                if let [escaped, tail @ ..] = rest {
                    literal(&mut regex, *escaped);
                    rest = tail;
                }
            }
            b'[' => rest = class_to_regex(rest, &mut regex),
            &byte => literal(&mut regex, byte),
        }
    }
    regex.push_str(r"\z");
    regex
}

/// Translates what stands behind `[` and returns what stands behind `]`. As in the server, a class
/// that is not closed ends with the pattern, and an empty one fits nothing.
fn class_to_regex<'g>(glob: &'g [u8], regex: &mut String) -> &'g [u8] {
    use fmt::Write;
    let (negated, mut rest) = match glob {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut members = String::new();
    loop {
        let (low, high, tail) = match rest {
            [] => break,
            [b']', tail @ ..] => {
                rest = tail;
                break;
            }
            [b'\\', escaped, tail @ ..] => (*escaped, *escaped, tail),
            [low, b'-', high, tail @ ..] => (*low.min(high), *low.max(high), tail),
            [byte, tail @ ..] => (*byte, *byte, tail),
        };
        let _ = write!(members, r"\x{low:02x}-\x{high:02x}");
        rest = tail;
    }
    match (negated, members.is_empty()) {
        (false, true) => regex.push_str(r"[^\x00-\xff]"),
        (true, true) => regex.push('.'),
        (false, false) => regex.extend(["[", &members, "]"]),
        (true, false) => regex.extend(["[^", &members, "]"]),
    }
    rest
}

impl Filter {
    /// Whether every key passes.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.dbs.is_empty()
            && self.types.is_empty()
            && self.globs.is_empty()
            && self.regexes.is_empty()
            && self.min_memory.is_none()
            && self.min_elements.is_none()
            && self.ttl.is_none()
            && self.expires_before_ms.is_none()
            && self.expires_after_ms.is_none()
            && self.slots.is_empty()
    }

    /// Whether a key passes.
    #[must_use]
    pub fn passes(&self, seen: &Observation<'_>) -> bool {
        let expires = seen.expire_at_ms;
        (self.dbs.is_empty() || self.dbs.contains(&seen.db))
            && (self.types.is_empty() || self.types.iter().any(|wanted| wanted.is_type_of(seen)))
            && match self.ttl {
                None => true,
                Some(TtlFilter::None) => expires.is_none(),
                Some(TtlFilter::Any) => expires.is_some(),
            }
            && self.min_memory.is_none_or(|least| seen.memory_bytes >= least)
            && self.min_elements.is_none_or(|least| seen.elements.is_some_and(|elements| elements >= least))
            && self.expires_before_ms.is_none_or(|end| expires.is_some_and(|at| at < end))
            && self.expires_after_ms.is_none_or(|start| expires.is_some_and(|at| at >= start))
            && (self.globs.is_empty() || self.globs.iter().any(|pattern| pattern.matches(seen.key)))
            && (self.regexes.is_empty() || self.regexes.iter().any(|pattern| pattern.matches(seen.key)))
            && (self.slots.is_empty() || seen.slot().is_some_and(|slot| self.slots.contains(&slot)))
    }
}

impl TypeFilter {
    fn is_type_of(&self, seen: &Observation<'_>) -> bool {
        match self {
            Self::Object(object_type) => seen.object_type == *object_type,
            Self::Module(name) => seen.module.is_some_and(|module| module.as_str() == name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_as_in_the_server() {
        for (glob, fits, misses) in [
            ("*", &["", "a", "a:b\n"][..], &[][..]),
            ("user:*", &["user:", "user:1:x"], &["xuser:1", "user"]),
            ("h?llo", &["hello", "h.llo"], &["hllo", "heello"]),
            ("h[ae]llo", &["hallo", "hello"], &["hillo"]),
            ("h[^e]llo", &["hallo"], &["hello"]),
            ("h[a-c]llo", &["hbllo"], &["hdllo"]),
            ("h[c-a]llo", &["hbllo"], &["hdllo"]),
            (r"a\*b", &["a*b"], &["axb"]),
            (r"a[\]]b", &["a]b"], &["axb"]),
            ("a[bc", &["ab", "ac"], &["a", "ad"]),
            ("a{b,c}", &["a{b,c}"], &["ab"]),
            ("a.b", &["a.b"], &["axb"]),
        ] {
            let pattern = NamePattern::glob(glob).unwrap();
            fits.iter().for_each(|key| assert!(pattern.matches(key.as_bytes()), "{glob} fits {key}"));
            misses.iter().for_each(|key| assert!(!pattern.matches(key.as_bytes()), "{glob} misses {key}"));
        }
        assert!(NamePattern::glob("*\u{e9}*").unwrap().matches("caf\u{e9}s".as_bytes()));
        assert!(NamePattern::glob("a*").unwrap().matches(b"a\xff\xfe"));
    }
}
