//! The vocabulary of Redis and Valkey snapshot files: versions, opcodes, type codes, encodings.
