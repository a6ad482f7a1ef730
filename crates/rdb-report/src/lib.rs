//! Finished summaries as terminal text, CSV and JSON.
//!
//! Renderers are pure: they take what an analysis found and write bytes. Nothing here reads a file,
//! looks at a clock or asks the terminal what it can do; [`Screen`] says what text is laid out for.
//!
//! * [`text`]: the report, the prefix tree, the biggest keys and what a file says about itself,
//!   fitted to a width, with or without colour;
//! * [`csv`]: one row per key, the biggest keys, the prefix tree, and the columns of two other tools;
//! * [`json`]: the whole summary in a documented, versioned schema;
//! * [`messages`]: a sentence for everything that is odd or lost.

pub mod csv;
pub mod json;
mod line;
pub mod messages;
mod names;
mod page;
mod style;
pub mod text;
pub mod units;

pub use style::Screen;
