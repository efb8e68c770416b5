//! Line ends, the byte order mark and the newline at the end of a file, which are merged apart from its lines.

use super::{Conflict, Merged, Part, Versions};

const MARK: char = '\u{feff}';

/// The ends of a file's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    Lf,
    CrLf,
}

/// The layout of a merged file.
pub(super) struct Layout {
    has_mark: bool,
    line_end: LineEnd,
    ends_with_newline: bool,
    /// The user's file has line ends of both kinds.
    is_mixed: bool,
}

impl Layout {
    /// The user's, except where only the generator has changed it.
    pub fn of(versions: &Versions) -> Self {
        let Versions { base, yours, new } = *versions;
        let ends = yours.matches('\n').count();
        let with_return = yours.matches("\r\n").count();
        Self {
            has_mark: of_three(versions, |text| text.starts_with(MARK)),
            line_end: [yours, base, new]
                .into_iter()
                .find_map(line_end)
                .unwrap_or(LineEnd::Lf),
            ends_with_newline: of_three(versions, |text| text.is_empty() || text.ends_with('\n')),
            is_mixed: with_return != 0 && with_return != ends,
        }
    }

    /// Puts a merge of plain versions into this layout.
    pub fn restore(&self, merged: Merged) -> Merged {
        let Merged {
            mut parts,
            mut notes,
        } = merged;
        if let Some(Part::Text(text)) = parts.last_mut()
            && !self.ends_with_newline
            && text.ends_with('\n')
        {
            text.pop();
        }
        if self.line_end == LineEnd::CrLf {
            let with_return = |text: &str| text.replace('\n', "\r\n");
            for part in &mut parts {
                match part {
                    Part::Text(text) => *text = with_return(text),
                    Part::Conflict(Conflict {
                        base, yours, new, ..
                    }) => {
                        for text in [base, yours, new] {
                            *text = with_return(text);
                        }
                    }
                }
            }
        }
        if self.is_mixed {
            let name = match self.line_end {
                LineEnd::Lf => "LF",
                LineEnd::CrLf => "CRLF",
            };
            notes.push(format!(
                "some of its lines ended with LF, others with CRLF; now all end with {name}"
            ));
        }
        if self.has_mark {
            match parts.first_mut() {
                Some(Part::Text(text)) => text.insert(0, MARK),
                Some(Part::Conflict(_)) | None => parts.insert(0, Part::Text(MARK.to_string())),
            }
        }
        Merged { parts, notes }
    }
}

/// Returns the text with `\n` at the end of each line, and without a byte order mark.
pub(super) fn plain(text: &str) -> String {
    let mut plain = text
        .strip_prefix(MARK)
        .unwrap_or(text)
        .replace("\r\n", "\n");
    if !plain.is_empty() && !plain.ends_with('\n') {
        plain.push('\n');
    }
    plain
}

/// The line end that most lines have; `None` without any.
fn line_end(text: &str) -> Option<LineEnd> {
    let ends = text.matches('\n').count();
    let with_return = text.matches("\r\n").count();
    (ends > 0).then_some(if with_return * 2 > ends {
        LineEnd::CrLf
    } else {
        LineEnd::Lf
    })
}

/// Returns what the user has if the user has changed it, and otherwise what is new.
fn of_three(versions: &Versions, has: impl Fn(&str) -> bool) -> bool {
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(has);
    if yours == base { new } else { yours }
}
