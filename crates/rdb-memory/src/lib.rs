//! What the keys of a snapshot cost in the memory of a given Redis or Valkey server.
