//! Integers as digits, straight into the row: millions of rows have a dozen of them each.

/// Appends a number.
pub(crate) fn push_u64(out: &mut Vec<u8>, mut number: u64) {
    // The longest has twenty digits.
    let mut digits = [b'0'; 20];
    let mut first = digits.len() - 1;
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
        first = at;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(first..).unwrap_or_default());
}

/// Appends a number with its sign.
pub(crate) fn push_i64(out: &mut Vec<u8>, number: i64) {
    if number < 0 {
        out.push(b'-');
    }
    push_u64(out, number.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_of_display() {
        for number in [0, 1, 9, 10, 99, 100, 1_234_567, u64::MAX / 2, u64::MAX] {
            let mut out = Vec::new();
            push_u64(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
        for number in [0, -1, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            push_i64(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
