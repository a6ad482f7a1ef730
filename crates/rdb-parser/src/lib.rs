//! A zero-copy parser for Redis and Valkey snapshot (RDB) files.
