//! The grammar of values: where each one ends, and what it is made of.
//!
//! One walk serves everybody: with a visitor it tells what it passes, without one it skips. All
//! parsers here are streaming, so the same code frames a value in a window that may be cut anywhere.

mod array;
mod collection;
mod hash_template;
pub(crate) mod module;
mod stream;

use rdb_format::{FileVersion, TypeCode};

use crate::hash_templates::HashTemplates;
use crate::primitive::{self, Parsed};
use crate::{ErrorKind, Fault, Limits, ValueVisitor};

/// What the walk of a value needs to know about the file it stands in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'s> {
    /// The file's dialect and version.
    pub version: FileVersion,
    /// The hash templates defined so far.
    pub templates: &'s HashTemplates,
    /// How far LZF data may be inflated, where a length stands inside it.
    pub limits: Limits,
}

/// Walks the value of type `code` at the start of `input`, telling `visitor` what it passes.
///
/// Returns what is left of the input behind the value.
#[inline]
pub(crate) fn walk<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    code: TypeCode,
    around: Surroundings<'_>,
    visitor: &mut V,
) -> Parsed<'a, ()> {
    visitor.begin(code);
    if code == TypeCode::STRING {
        let (rest, value) = primitive::string(input)?;
        visitor.string(value);
        return Ok((rest, ()));
    }
    walk_other(input, code, around, visitor)
}

/// Everything but strings, kept apart so that the path of strings stays small.
#[inline(never)]
fn walk_other<'a, V: ValueVisitor<'a>>(
    input: &'a [u8],
    code: TypeCode,
    around: Surroundings<'_>,
    visitor: &mut V,
) -> Parsed<'a, ()> {
    if code.object_type(around.version).is_none() {
        // The type byte stands before the key, so the caller has checked it before coming here.
        return Fault::fail(ErrorKind::UnknownType(code.0), input);
    }
    let valkey = matches!(around.version.dialect, rdb_format::Dialect::Valkey);
    match code {
        TypeCode::LIST | TypeCode::SET => collection::elements(input, visitor),
        TypeCode::ZSET => collection::text_scores(input, visitor),
        TypeCode::ZSET_2 => collection::binary_scores(input, visitor),
        TypeCode::HASH => collection::fields(input, visitor),
        TypeCode::MODULE_PRE_GA => Fault::fail(ErrorKind::UnframedModule, input),
        TypeCode::MODULE_2 => module::value(input, visitor),
        TypeCode::HASH_ZIPMAP
        | TypeCode::LIST_ZIPLIST
        | TypeCode::SET_INTSET
        | TypeCode::ZSET_ZIPLIST
        | TypeCode::HASH_ZIPLIST
        | TypeCode::HASH_LISTPACK
        | TypeCode::ZSET_LISTPACK
        | TypeCode::SET_LISTPACK => collection::packed(input, visitor),
        TypeCode::LIST_QUICKLIST => collection::ziplist_nodes(input, visitor),
        TypeCode::LIST_QUICKLIST_2 => collection::container_nodes(input, visitor),
        TypeCode::HASH_2 if valkey => collection::fields_with_absolute_expiry(input, visitor),
        TypeCode::HASH_METADATA_PRE_GA => collection::fields_behind_absolute_expiry(input, visitor),
        TypeCode::PATH_HASH if valkey => collection::paths(input, visitor),
        TypeCode::HASH_LISTPACK_EX_PRE_GA => collection::packed(input, visitor),
        TypeCode::HASH_METADATA => collection::fields_behind_relative_expiry(input, visitor),
        TypeCode::HASH_LISTPACK_EX => {
            // The least expiry of all fields stands in front. It may be stale and is not used.
            let (rest, _) = primitive::int64(input)?;
            collection::packed(rest, visitor)
        }
        TypeCode::STREAM_LISTPACKS => stream::stream(input, stream::Form::V1, visitor),
        TypeCode::STREAM_LISTPACKS_2 => stream::stream(input, stream::Form::V2, visitor),
        TypeCode::STREAM_LISTPACKS_3 => stream::stream(input, stream::Form::V3, visitor),
        TypeCode::STREAM_LISTPACKS_4 => stream::stream(input, stream::Form::V4, visitor),
        TypeCode::STREAM_LISTPACKS_5 => stream::stream(input, stream::Form::V5, visitor),
        TypeCode::ARRAY => array::array(input, visitor),
        TypeCode::HASH_TMPL_LP => hash_template::own_listpack(input, visitor),
        TypeCode::HASH_TMPL_LP_REF => collection::packed(input, visitor),
        TypeCode::HASH_TMPL_ARRAY => hash_template::own_array(input, around, visitor),
        TypeCode::HASH_TMPL_ARRAY_REF => hash_template::array_of_template(input, around, visitor),
        TypeCode::GCRA => primitive::length(input).map(|(rest, _)| (rest, ())),
        _ => Fault::fail(ErrorKind::UnknownType(code.0), input),
    }
}
