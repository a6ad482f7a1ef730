//! Integers as digits, straight into the row: millions of rows have a dozen of them each.

/// Appends a number.
pub(crate) fn push_number(out: &mut Vec<u8>, number: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
