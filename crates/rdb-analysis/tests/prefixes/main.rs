//! The prefix tree from outside: names in, sums out.

#![allow(clippy::expect_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

mod bounds;
mod families;
mod laws;
mod rows;
mod shape;
mod support;
