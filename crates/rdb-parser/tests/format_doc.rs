//! The byte examples of `docs/FORMAT.md` are what stands in the fixtures.

use std::fs;
use std::num::ParseIntError;
use std::path::Path;

/// An example: the fixture and offset that its block names, and the bytes that it shows.
struct Example {
    fixture: String,
    offset: usize,
    bytes: Vec<u8>,
}

/// The blocks that start with a line like "```text fixtures/a.rdb @ 85".
///
/// In each line the bytes end at three spaces; what follows explains them.
fn examples(doc: &str) -> Result<Vec<Example>, ParseIntError> {
    let mut examples = Vec::new();
    let mut lines = doc.lines();
    while let Some(line) = lines.next() {
        let block = line.strip_prefix("```text fixtures/").and_then(|rest| rest.split_once(" @ "));
        let Some((fixture, offset)) = block else { continue };
        let mut bytes = Vec::new();
        for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
            for byte in line.split("   ").next().unwrap_or_default().split_whitespace() {
                bytes.push(u8::from_str_radix(byte, 16)?);
            }
        }
        examples.push(Example { fixture: fixture.to_owned(), offset: offset.parse()?, bytes });
    }
    Ok(examples)
}

#[test]
fn examples_are_what_servers_wrote() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let doc = fs::read_to_string(root.join("docs/FORMAT.md")).unwrap();
    let examples = examples(&doc).unwrap();
    assert!(examples.len() >= 15, "{} examples", examples.len());
    for Example { fixture, offset, bytes } in examples {
        let file = fs::read(root.join("fixtures").join(&fixture)).unwrap();
        assert_eq!(file.get(offset..offset + bytes.len()), Some(&bytes[..]), "{fixture} at {offset}");
    }
}
