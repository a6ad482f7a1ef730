//! The one trait that everything which sums, ranks or counts implements.

use crate::Observation;

/// Something that sees keys and ends in a summary.
///
/// Keys reach an aggregate in pieces: each worker thread has its own, and they are merged at the
/// end. So the summary must depend on the set of keys alone. Two laws say so, and
/// [`crate::laws`] checks them for every aggregate of this crate:
///
/// * a fresh aggregate is neutral: merging it changes nothing;
/// * any split of the keys over any number of aggregates, merged in any grouping and order, gives
///   the same summary as one aggregate that saw them all.
///
/// Hence integers until `finish`, a total order wherever something is ranked, and nothing pruned
/// by a rule that looks at the order of arrival.
pub trait Aggregate: Sized + Send {
    /// What comes out at the end.
    type Summary;

    /// Takes note of one key.
    fn observe(&mut self, seen: &Observation<'_>);

    /// Takes over everything that another aggregate of the same settings has seen.
    fn merge(&mut self, other: Self);

    /// Turns what was seen into the summary.
    fn finish(self) -> Self::Summary;
}

impl<A: Aggregate> Aggregate for Option<A> {
    type Summary = Option<A::Summary>;

    fn observe(&mut self, seen: &Observation<'_>) {
        if let Some(aggregate) = self {
            aggregate.observe(seen);
        }
    }

    fn merge(&mut self, other: Self) {
        match (self.as_mut(), other) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (None, theirs) => *self = theirs,
            (Some(_), None) => {}
        }
    }

    fn finish(self) -> Self::Summary {
        self.map(A::finish)
    }
}

impl<A: Aggregate, B: Aggregate> Aggregate for (A, B) {
    type Summary = (A::Summary, B::Summary);

    #[inline]
    fn observe(&mut self, seen: &Observation<'_>) {
        self.0.observe(seen);
        self.1.observe(seen);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }

    fn finish(self) -> Self::Summary {
        (self.0.finish(), self.1.finish())
    }
}
