//! The command line of rdblens.

fn main() {}
