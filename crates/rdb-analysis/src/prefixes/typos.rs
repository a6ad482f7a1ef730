//! Prefixes that look like a slip of the pen: few keys, one letter away from a much larger one.

use super::summary::{PrefixNode, PrefixSummary};

/// A shorter name has too many neighbours by chance.
const MIN_LETTERS: usize = 5;
/// How many times larger the other prefix must be.
const TIMES_LARGER: u64 = 20;

/// A prefix that was perhaps meant to be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SuspectedTypo<'a> {
    /// The database.
    pub db: Option<u64>,
    /// The prefix with few keys.
    pub suspect: &'a PrefixNode,
    /// The one with many.
    pub meant: &'a PrefixNode,
}

impl PrefixSummary {
    /// Prefixes of the first level whose name differs by one letter (missing, added, another,
    /// or two swapped) from one with at least twenty times as many keys. Both must lead to keys
    /// below them. A plural is no slip, neither are names that differ in a digit.
    #[must_use]
    pub fn suspected_typos(&self) -> Vec<SuspectedTypo<'_>> {
        let mut found = Vec::new();
        for root in &self.roots {
            let groups: Vec<_> = root.node.children.iter().filter(|node| is_candidate(node)).collect();
            for suspect in &groups {
                let meant = groups
                    .iter()
                    .filter(|meant| is_slip(suspect, meant))
                    .max_by(|a, b| a.tally.keys.cmp(&b.tally.keys).then_with(|| b.path.cmp(&a.path)));
                if let Some(meant) = meant {
                    found.push(SuspectedTypo { db: root.db, suspect, meant });
                }
            }
        }
        found
    }
}

fn is_candidate(node: &PrefixNode) -> bool {
    !node.children.is_empty() && !node.is_sum_of_many() && node.path.len() >= MIN_LETTERS
}

fn is_slip(suspect: &PrefixNode, meant: &PrefixNode) -> bool {
    suspect.tally.keys.saturating_mul(TIMES_LARGER) <= meant.tally.keys
        && one_letter_apart(&suspect.path, &meant.path)
}

/// Whether one edit turns one name into the other, and the edit is about letters.
fn one_letter_apart(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let head = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (Some(short), Some(long)) = (short.get(head..), long.get(head..)) else { return false };
    match (short, long) {
        ([a, rest @ ..], [b, others @ ..]) if rest == others => are_letters(&[*a, *b]),
        ([a, b, rest @ ..], [c, d, others @ ..]) if rest == others => {
            a == d && b == c && are_letters(&[*a, *b])
        }
        (rest, [extra, others @ ..]) if rest == others => {
            are_letters(&[*extra]) && !(rest.is_empty() && matches!(extra, b's' | b'S'))
        }
        _ => false,
    }
}

fn are_letters(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::one_letter_apart;

    #[test]
    fn one_edit_of_a_letter() {
        for (a, b) in [
            ("sesion", "session"),
            ("session", "sesssion"),
            ("seession", "session"),
            ("sassion", "session"),
            ("sessoin", "session"),
            ("ession", "session"),
            ("sessionn", "session"),
        ] {
            assert!(one_letter_apart(a.as_bytes(), b.as_bytes()), "{a}, {b}");
            assert!(one_letter_apart(b.as_bytes(), a.as_bytes()), "{b}, {a}");
        }
    }

    #[test]
    fn anything_else_is_meant() {
        for (a, b) in [
            ("session", "session"),
            ("session", "sessions"),
            ("shard1", "shard2"),
            ("cache", "cache2"),
            ("user", "used-by"),
            ("user", ":user"),
            ("abcd", "badc"),
        ] {
            assert!(!one_letter_apart(a.as_bytes(), b.as_bytes()), "{a}, {b}");
            assert!(!one_letter_apart(b.as_bytes(), a.as_bytes()), "{b}, {a}");
        }
    }
}
