//! What servers answer about a value: `TYPE` and `OBJECT ENCODING`.

use std::fmt;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every value, in the order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The server's own word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The value whose [`Self::as_str`] this is.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

words! {
    /// What `TYPE` answers. Source: `getObjectTypeName` in `src/object.c` of Redis 8.10.
    ObjectType {
        /// A string.
        String = "string",
        /// A list.
        List = "list",
        /// A set.
        Set = "set",
        /// A sorted set.
        Zset = "zset",
        /// A hash.
        Hash = "hash",
        /// A stream.
        Stream = "stream",
        /// An array (Redis 8.8).
        Array = "array",
        /// A rate limiter (only builds of Redis 8.8 with a compile flag).
        Gcra = "gcra",
        /// A module value. `TYPE` answers the module type's own name.
        Module = "module",
    }
}

words! {
    /// What `OBJECT ENCODING` answers. Source: `strEncoding` in `src/object.c` of Redis 4.0 to 8.10.
    Encoding {
        /// A string that is a 64-bit integer.
        Int = "int",
        /// A short string in one block with its object header.
        Embstr = "embstr",
        /// A string in a block of its own; also what module values answer.
        Raw = "raw",
        /// A list of single nodes (Redis up to 3.0).
        Linkedlist = "linkedlist",
        /// A hash as one zipmap (Redis up to 2.4).
        Zipmap = "zipmap",
        /// A packed list of Redis up to 6.2.
        Ziplist = "ziplist",
        /// A packed list of Redis 7.0 and later.
        Listpack = "listpack",
        /// A packed list with field expiries (Redis 7.4).
        ListpackEx = "listpackex",
        /// A list of packed nodes.
        Quicklist = "quicklist",
        /// A hash table.
        Hashtable = "hashtable",
        /// A packed set of integers.
        Intset = "intset",
        /// A sorted set as hash table and skiplist.
        Skiplist = "skiplist",
        /// A stream.
        Stream = "stream",
        /// An array (Redis 8.8).
        SlicedArray = "sliced-array",
        /// A templated hash as one listpack of values (Redis 8.10).
        TemplateListpack = "template-listpack",
        /// A templated hash as an array of values (Redis 8.10).
        TemplateArray = "template-array",
        /// What Redis before 6.0.9 answers for streams, having forgotten to name their encoding.
        Unknown = "unknown",
    }
}
