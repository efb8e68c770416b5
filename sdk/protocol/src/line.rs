//! Reads lines up to a maximum length.

use std::io::{self, BufRead, Read};

use crate::MAX_LINE;

/// A line from a stream, without its line ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A complete line. The last line of a stream may lack a line ending.
    Complete(Vec<u8>),
    /// A line longer than [`MAX_LINE`]. If `ended` is false, the rest of the line has not been read yet.
    TooLong {
        /// Whether the line ending was read.
        ended: bool,
    },
}

/// Reads a line. Returns `None` at the end of the stream.
pub fn read(stream: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let limit = u64::try_from(MAX_LINE + 2).unwrap_or(u64::MAX);
    if stream.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let ended = line.last() == Some(&b'\n');
    if ended {
        line.pop();
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(if line.len() > MAX_LINE {
        Line::TooLong { ended }
    } else {
        Line::Complete(line)
    }))
}

#[cfg(test)]
mod tests {
    use super::{Line, MAX_LINE, read};

    #[test]
    fn lines_end_with_or_without_carriage_return() {
        let mut stream = &b"one\r\ntwo\n\nthree"[..];
        for expected in ["one", "two", "", "three"] {
            assert_eq!(
                read(&mut stream).unwrap(),
                Some(Line::Complete(expected.into()))
            );
        }
        assert_eq!(read(&mut stream).unwrap(), None);
    }

    #[test]
    fn the_limit_does_not_count_the_end_of_the_line() {
        for (length, end, fits) in [
            (MAX_LINE, "\n", true),
            (MAX_LINE, "\r\n", true),
            (MAX_LINE, "", true),
            (MAX_LINE + 1, "\n", false),
            (MAX_LINE + 1, "", false),
            (MAX_LINE + 100, "\n", false),
        ] {
            let stream = "x".repeat(length) + end;
            let line = read(&mut stream.as_bytes()).unwrap().unwrap();
            assert_eq!(matches!(line, Line::Complete(_)), fits, "{length} {end:?}");
        }
    }
}
