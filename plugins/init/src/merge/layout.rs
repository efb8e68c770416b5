//! Handles line endings, the byte order mark and the final newline separately from the lines of a file.

use super::{Conflict, Merged, Part};

const MARK: char = '\u{feff}';

pub(super) struct Layout {
    has_mark: bool,
    is_crlf: bool,
    ends_with_newline: bool,
}

impl Layout {
    pub fn of(yours: &str) -> Self {
        Self {
            has_mark: yours.starts_with(MARK),
            is_crlf: yours.matches("\r\n").count() * 2 > yours.matches('\n').count(),
            ends_with_newline: yours.is_empty() || yours.ends_with('\n'),
        }
    }

    pub fn restore(&self, mut merged: Merged) -> Merged {
        let parts = &mut merged.parts;
        if let Some(Part::Text(text)) = parts.last_mut()
            && !self.ends_with_newline
            && text.ends_with('\n')
        {
            text.pop();
        }
        if self.is_crlf {
            for part in parts.iter_mut() {
                let texts = match part {
                    Part::Text(text) => vec![text],
                    Part::Conflict(Conflict {
                        base, yours, new, ..
                    }) => vec![base, yours, new],
                };
                for text in texts {
                    *text = text.replace('\n', "\r\n");
                }
            }
        }
        if self.has_mark {
            parts.insert(0, Part::Text(MARK.to_string()));
        }
        merged
    }
}

/// Returns the text with `\n` line endings, a final newline and no byte order mark.
pub(super) fn plain(text: &str) -> String {
    let mut plain = (text.strip_prefix(MARK).unwrap_or(text)).replace("\r\n", "\n");
    if !plain.is_empty() && !plain.ends_with('\n') {
        plain.push('\n');
    }
    plain
}
