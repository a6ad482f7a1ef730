//! The laws of [`Aggregate`], as a check that any aggregate can be put through.

use std::fmt::Debug;

use crate::{Aggregate, Observation};

/// Checks the laws of [`Aggregate`] for one kind of aggregate and one set of keys.
///
/// `fresh` makes an empty aggregate. The keys are split over 1 to `keys.len()` aggregates in
/// several ways, merged from the left, from the right and as a tree, with fresh ones in between.
///
/// # Panics
///
/// When a law is broken, naming the split that broke it.
pub fn check_laws<A>(fresh: impl Fn() -> A, keys: &[Observation<'_>])
where
    A: Aggregate,
    A::Summary: PartialEq + Debug,
{
    let observe_all = |keys: &mut dyn Iterator<Item = &Observation<'_>>| {
        let mut aggregate = fresh();
        for key in keys {
            aggregate.observe(key);
        }
        aggregate
    };
    let whole = || observe_all(&mut keys.iter());
    let expected = whole().finish();

    let mut with_fresh = fresh();
    with_fresh.merge(whole());
    assert_eq!(with_fresh.finish(), expected, "a fresh aggregate is neutral on the left");
    let mut with_fresh = whole();
    with_fresh.merge(fresh());
    assert_eq!(with_fresh.finish(), expected, "a fresh aggregate is neutral on the right");
    assert_eq!(
        observe_all(&mut keys.iter().rev()).finish(),
        expected,
        "the order of arrival does not matter"
    );

    for parts in [2, 3, 7, keys.len().max(1)] {
        let contiguous = || {
            let size = keys.len().div_ceil(parts).max(1);
            keys.chunks(size).map(|chunk| observe_all(&mut chunk.iter())).collect::<Vec<_>>()
        };
        let interleaved = || {
            (0..parts).map(|part| observe_all(&mut keys.iter().skip(part).step_by(parts))).collect::<Vec<_>>()
        };
        for (split, pieces) in [("contiguous", contiguous()), ("interleaved", interleaved())] {
            let mut left = fresh();
            pieces.into_iter().for_each(|piece| left.merge(piece));
            assert_eq!(left.finish(), expected, "{split}, {parts} parts, merged from the left");
        }
        for (split, pieces) in [("contiguous", contiguous()), ("interleaved", interleaved())] {
            let right = pieces.into_iter().rev().fold(fresh(), |mut later, mut earlier| {
                std::mem::swap(&mut later, &mut earlier);
                later.merge(earlier);
                later
            });
            assert_eq!(right.finish(), expected, "{split}, {parts} parts, merged from the right");
        }
        let mut tree = interleaved();
        while tree.len() > 1 {
            let mut next = Vec::new();
            let mut pieces = tree.into_iter();
            while let Some(mut piece) = pieces.next() {
                if let Some(neighbour) = pieces.next() {
                    piece.merge(neighbour);
                }
                next.push(piece);
            }
            tree = next;
        }
        let merged = tree.pop().unwrap_or_else(&fresh);
        assert_eq!(merged.finish(), expected, "{parts} parts, merged as a tree");
    }
}
