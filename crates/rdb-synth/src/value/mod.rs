//! The bytes of each value type, as they stand behind the key.
//!
//! Each function makes exactly what it is given, valid or not: counts come from the slices, everything else from
//! the caller. Strings inside are written in the form asked for.

mod array;
mod hash_ttl;
mod module;
mod packed;
mod plain;
mod quicklist;
mod stream;
mod template;
mod vector_set;

pub use array::{ArrayItem, array};
pub use hash_ttl::{
    HashField, Pair, hash_listpack_ex, hash_listpack_ex_pre_ga, hash_metadata, hash_metadata_pre_ga,
    listpack_of_triples, valkey_hash, valkey_path_hash,
};
pub use module::{ModuleValue, class_spec, module, module_id, module_pre_ga, put_module_values};
pub use packed::{
    blob, listpack, pairs_listpack, pairs_ziplist, set_intset, ziplist, zipmap, zset_listpack, zset_ziplist,
};
pub use plain::{gcra, hash, list, set, string, zset, zset_2};
pub use quicklist::{QuicklistNode, quicklist, quicklist_2};
pub use stream::{Consumer, Group, Idmp, PendingEntry, Producer, Stream, StreamVersion};
pub use template::{
    FieldNames, hash_template_array, hash_template_array_ref, hash_template_listpack,
    hash_template_listpack_ref,
};
pub use vector_set::{Quantisation, VectorSet};
