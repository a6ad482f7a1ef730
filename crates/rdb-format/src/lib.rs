//! The vocabulary of Redis and Valkey snapshot (RDB) files.
//!
//! Three things never share a name here:
//!
//! * [`TypeCode`] is the byte on disk that says how a value is written;
//! * [`ObjectType`] is what the command `TYPE` answers;
//! * [`Encoding`] is what `OBJECT ENCODING` answers.
//!
//! The same number can mean different things to Redis and to Valkey (type code 22, opcode 243),
//! so every lookup takes the [`Dialect`] of the file. This crate knows words, not bytes: it parses
//! nothing and depends on nothing.
//!
//! Sources: `src/rdb.h` and `src/object.c` of Redis 5.0 to 8.10 and Valkey 7.2 to 9.1.

mod dialect;
mod object;
mod opcode;
mod server;
mod slot;
mod type_code;

pub use dialect::{Dialect, FileVersion};
pub use object::{Encoding, ObjectType};
pub use opcode::OpCode;
pub use server::{ParseServerVersionError, ServerVersion, Vendor};
pub use slot::{SLOT_COUNT, key_hash_slot};
pub use type_code::TypeCode;
