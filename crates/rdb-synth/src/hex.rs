//! Reading bytes that tests state as text.

/// The bytes of pairs of hexadecimal digits; everything else is skipped. An odd digit at the end is dropped.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|d| d as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
}
