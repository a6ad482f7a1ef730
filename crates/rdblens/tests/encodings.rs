//! As saved, encodings are what the servers that wrote the samples answered before they saved them.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

mod support;

use serde_json::Value as Json;
use support::{dumps, fixtures, json, keys_of};

#[test]
fn encodings_as_saved_are_the_writers() {
    let mut compared = 0;
    for dump in dumps() {
        let answers = dump.with_extension("json");
        if !dump.starts_with(fixtures().join("format")) || !answers.exists() {
            continue;
        }
        let mine = keys_of(&dump, &[]);
        for theirs in json(answers)["keys"].as_array().unwrap() {
            let key = theirs["key_hex"].as_str().unwrap();
            let name: Vec<u8> =
                (0..key.len() / 2).map(|n| u8::from_str_radix(&key[2 * n..2 * n + 2], 16).unwrap()).collect();
            let Some(encoding) = theirs["encoding"].as_str() else { continue };
            let found = &mine[&(theirs["db"].as_u64().unwrap(), name)];
            // A string that was appended to stays raw however short it is, and no file tells. Redis 2.8 had
            // no embedded strings; a file of RDB 6 may as well come from 3.0, which had.
            let is_grown = encoding == "raw" && found.encoding == "embstr";
            if !is_grown {
                assert_eq!(found.encoding, encoding, "{}: {}", dump.display(), theirs["key"]);
            }
            compared += 1;
        }
    }
    assert!(compared > 1000, "{compared}");
    assert!(
        json("format/redis-5.0.0/streams.json")["keys"]
            .as_array()
            .is_some_and(|keys: &Vec<Json>| !keys.is_empty())
    );
}
