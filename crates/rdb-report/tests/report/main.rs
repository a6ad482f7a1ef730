//! Everything that is printed, checked as a whole.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::panic,
    reason = "a test that is wrong may fail loudly"
)]

mod documents;
mod rows;
mod screens;
mod support;
