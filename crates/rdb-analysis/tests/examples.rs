//! The examples run and say what they promise.

// A test that fails may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::path::Path;
use std::process::Command;

/// Runs an example that `cargo test` has built beside this test.
fn run(example: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("examples").join(example);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let output = Command::new(program).current_dir(fixtures).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn my_own_aggregate() {
    let lines = run("my_own_aggregate", &["shop.rdb"]);
    assert!(lines.lines().count() > 3, "{lines}");
}
