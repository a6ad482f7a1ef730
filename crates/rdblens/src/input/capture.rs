//! Replication captures: what a replica was sent, with a snapshot in the middle.

use std::io;

use rdb_analysis::{Coverage, Source, Warning};

/// How the end of the snapshot is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// By its length.
    Length(u64),
    /// By a mark that follows it.
    Mark(Vec<u8>),
}

/// Within how many bytes the snapshot must start: a master sends a line break every second meanwhile.
const PREFIX_BYTES: usize = 64 << 10;

/// Passes over what a master sends in front of a snapshot, if this is how the source starts.
pub(crate) fn enter(source: &mut Source<'_>) -> io::Result<Option<Frame>> {
    if !matches!(source.peek(1)?.first(), Some(b'\n' | b'+' | b'$')) {
        return Ok(None);
    }
    let start = source.peek(PREFIX_BYTES)?;
    let Some((len, frame)) = prefix(start.get(..PREFIX_BYTES).unwrap_or(start)) else { return Ok(None) };
    source.skip(len);
    Ok(Some(frame))
}

/// Line breaks, replies, and the frame of the snapshot: how long they are, and the frame.
fn prefix(start: &[u8]) -> Option<(usize, Frame)> {
    let mut rest = start;
    loop {
        match rest {
            [b'\n', after @ ..] => rest = after,
            [b'+', ..] => (_, rest) = line(rest)?,
            [b'$', ..] => break,
            _ => return None,
        }
    }
    let (head, rest) = line(rest)?;
    let frame = match head.strip_prefix(b"$EOF:") {
        Some(mark) if mark.len() == Coverage::MAX_TAIL => Frame::Mark(mark.to_vec()),
        Some(_) => return None,
        None => {
            let digits = head.get(1..).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
            Frame::Length(std::str::from_utf8(digits).ok()?.parse().ok()?)
        }
    };
    Some((start.len() - rest.len(), frame))
}

fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\r')?;
    let rest = bytes.get(end..)?.strip_prefix(b"\r\n")?;
    Some((bytes.get(..end)?, rest))
}

impl Frame {
    /// Says of what follows the records what it is.
    pub(crate) fn judge(&self, coverage: &mut Coverage) {
        let is_read = coverage.read_bytes > 0 && coverage.stopped_by.is_none() && !coverage.is_salvaged();
        if !is_read {
            return;
        }
        coverage.warnings.retain(|odd| !matches!(odd, Warning::TrailingBytes(_) | Warning::AofTail(_)));
        let tail = coverage.total_bytes.saturating_sub(coverage.read_bytes);
        let commands = match self {
            Self::Length(len) if *len == coverage.read_bytes => Some(tail),
            Self::Mark(mark) if *mark == coverage.tail_start => Some(tail.saturating_sub(mark.len() as u64)),
            Self::Length(_) | Self::Mark(_) => None,
        };
        match commands {
            Some(0) => {}
            Some(bytes) => coverage.warnings.push(Warning::ReplicationTail(bytes)),
            None => {
                coverage.warnings.push(Warning::CaptureFrame);
                if tail > 0 {
                    coverage.warnings.push(Warning::TrailingBytes(tail));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_captures() {
        let mark = "0123456789abcdef0123456789abcdef01234567";
        for (text, want) in [
            ("$12\r\nREDIS".to_owned(), Some((5, Frame::Length(12)))),
            ("\n\n$12\r\n".to_owned(), Some((7, Frame::Length(12)))),
            ("+FULLRESYNC abc 0\r\n\n$7\r\nREDIS".to_owned(), Some((24, Frame::Length(7)))),
            (format!("$EOF:{mark}\r\nR"), Some((47, Frame::Mark(mark.as_bytes().to_vec())))),
            ("$EOF:short\r\nR".to_owned(), None),
            ("$-1\r\n".to_owned(), None),
            ("$\r\n".to_owned(), None),
            ("$12".to_owned(), None),
            ("$99999999999999999999999\r\n".to_owned(), None),
            ("\nREDIS0011".to_owned(), None),
        ] {
            assert_eq!(prefix(text.as_bytes()), want, "{text}");
        }
    }
}
