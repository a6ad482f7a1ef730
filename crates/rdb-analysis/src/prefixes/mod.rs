//! What the keys of a snapshot cost, by the prefixes of their names.
//!
//! # How a key becomes a path
//!
//! A key is cut at its separators: `:`, `/`, `|` and control bytes, and the dot in keys whose first
//! separator is a dot ([`Separators`] can say otherwise). Separators that follow each other
//! cut once. Each segment, with the separators in front of it, is the label of one level, so the
//! labels of a path joined together read like the key. The key `user` and the keys `user:1` and
//! `user::2` meet in one node `user`: the first is counted as the node's own, the others below it.
//!
//! Identifiers in a segment fold: `{int}`, `{hex}`, `{uuid}`, `{ulid}`, `{date}`, `{datetime}`,
//! `{ip}`, `{ip6}`, `{email}`, `{json}`, and `{base64}` or `{alnum}` for text that looks random. A
//! brace that is in the key is doubled, so `{{shop}}:orders` is the key `{shop}:orders`.
//! All of this looks at one key at a time; valid UTF-8 outside ASCII is letters.
//!
//! An identifier may reach over separators: `2001:db8::7`, `2026/11/30`, base64 with a slash where
//! the length is that of a usual token. Numbers that belong to a name stay: `v2`, `v1beta1`, `sha256`,
//! `rl6` in front of an IP address.
//!
//! ## Random text
//!
//! A word is random if its letters and digits follow each other as they hardly ever do in words, by a
//! table of how often they do in three languages and in the names of programs. The shorter the word,
//! the more surprising it must be: below 8 bytes only a word with two runs of digits can be random,
//! below 12 one with a digit, and below 20 some random text stays. From 20 bytes on that is about one
//! token in a thousand with digits, and up to two in a hundred of letters alone. Words of a dictionary never
//! fold; of identifiers and package names one in a thousand does, those like `c2pnb272w1` and
//! `m3u8tomp4`. The letters in front of a digest, or of a token of 32 small letters and digits,
//! stay: `cache{alnum}`.
//!
//! ## Binary data
//!
//! Where a key goes on with bytes that are not text, the rest of the key is `{bytes}`, whatever
//! separators are in it. Between two printable separators, that is what is not valid UTF-8, has three
//! control bytes in a row, or three different ones. A name in front of it stays if it has three
//! letters and ends in a mark or a control byte: `cache_{bytes}`. Fewer control bytes separate:
//! `default\x06\x16{int}`.
//!
//! # What is kept
//!
//! A node keeps its children apart as long as they are not too many
//! ([`PrefixOptions::max_children`], and [`PrefixOptions::max_first`] at the top), those that are
//! keys and those that lead deeper counted each for itself. Beyond that they are summed in one
//! child `{*}` that has nothing below it.
//! [`PrefixOptions::max_nodes`] bounds the tree as a whole. Both rules depend on the data alone, never
//! on the order of the keys or on how they were split over threads.
//!
//! Two things cut a name short: the levels beyond [`PrefixOptions::max_depth`] (or beyond a path of
//! 1 KiB) are counted at the last node, and a label longer than 384 bytes is shortened and
//! ends in `{...}`.
//!
//! # Memory
//!
//! While it grows, a tree holds at most `2 * max_nodes` nodes and a few. A node takes about 300
//! bytes and the names it keeps: its label and its largest key, of which at most
//! [`MAX_KEY_EXCERPT`] bytes are kept. With the default limits that is about 10 MiB for names of usual
//! length and less than 60 MiB for any keys whatever. Merging holds two trees for a moment. The
//! path of one key is built in a buffer of a few KiB, however long the key is.

mod arena;
mod binary;
mod budget;
mod build;
mod bytes;
mod close;
mod cut;
mod fit;
mod fold;
mod identifiers;
mod identity;
mod largest;
mod letters;
mod options;
mod random;
mod rows;
mod summary;
mod tree;
mod typos;

pub use close::CARRY_LABEL;
pub use cut::MAX_DEPTH;
pub use largest::{LargestKey, MAX_KEY_EXCERPT};
pub use options::{PrefixOptions, Separators};
pub use rows::{PrefixRow, RowKind, RowLimits};
pub use summary::{PrefixNode, PrefixRoot, PrefixSummary};
pub use tree::{MAX_DATABASES, PrefixTree};
pub use typos::SuspectedTypo;
