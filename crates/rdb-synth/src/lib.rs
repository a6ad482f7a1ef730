//! Builds valid and deliberately broken RDB bytes for tests and benchmarks.
