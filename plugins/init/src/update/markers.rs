//! Writes and finds conflict markers in the format that version control and editors use.

use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};

use crate::merge::{Merged, Part};
use crate::target::compare::{PathState, find};

/// Returns the merged text with conflict markers, and the line number of each conflict, starting at 1.
pub(crate) fn write(merged: &Merged) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for part in &merged.parts {
        let conflict = match part {
            Part::Text(lines) => {
                text.push_str(lines);
                continue;
            }
            Part::Conflict(conflict) => conflict,
        };
        let sides = [&conflict.yours, &conflict.base, &conflict.new];
        let is_crlf = text.contains("\r\n") || sides.iter().any(|side| side.contains("\r\n"));
        let ending = if is_crlf { "\r\n" } else { "\n" };
        let mut line = |line: &str| {
            // The marker needs its own line, even after a side without a final newline.
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(ending);
            }
            text.push_str(line);
            text.matches('\n').count()
        };
        places.push(line(&format!("{YOURS}{ending}")));
        line(&conflict.yours);
        line(&format!("{BASE}{ending}"));
        line(&conflict.base);
        line(&format!("======={ending}"));
        line(&conflict.new);
        line(&format!("{NEW}{ending}"));
    }
    (text, places)
}

const YOURS: &str = "<<<<<<< yours";
const BASE: &str = "||||||| base";
const NEW: &str = ">>>>>>> new";

pub(crate) const UNRESOLVED: &str = "unresolved";

/// Returns an error if any `generated` files still contain conflict markers from an earlier update or a branch merge.
pub(crate) fn refuse<'p>(
    target: &Path,
    generated: impl Iterator<Item = &'p String>,
) -> Result<(), Failure> {
    let message = "files have conflicts between markers";
    let mut failure = Failure::new(Exit::Failed, UNRESOLVED, message)
        .hint("nothing was changed; edit the lines between the markers, and remove the markers");
    for path in generated {
        if let PathState::File(bytes) = find(target, path)?
            && let Some(line) = first(path, &String::from_utf8_lossy(&bytes))
        {
            let place = format!("{path}:{line}");
            failure = failure.field(&place, None, "a conflict begins here");
        }
    }
    if failure.fields.is_empty() {
        Ok(())
    } else {
        Err(failure)
    }
}

/// Returns the line number of the first conflict marker, starting at 1, even if the conflict is incomplete. In Markdown, which may quote
/// version control markers, only the markers from an update count.
fn first(path: &str, text: &str) -> Option<usize> {
    let is_prose = Path::new(path).extension().is_some_and(|it| it == "md");
    let is_marker = |line: &str| {
        [YOURS, BASE, NEW].contains(&line.trim_end())
            || !is_prose
                && ["<<<<<<< ", ">>>>>>> "]
                    .iter()
                    .any(|it| line.starts_with(it))
    };
    text.lines().position(is_marker).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::{first, write};
    use crate::merge::{Conflict, Merged, Part};

    fn merged(ending: &str) -> Merged {
        let lines = |text: &str| text.replace('\n', ending);
        Merged {
            parts: vec![
                Part::Text(lines("a\n")),
                Part::Conflict(Conflict {
                    line: 2,
                    base: String::new(),
                    yours: lines("b\nc"),
                    new: lines("d\n"),
                }),
                Part::Text(lines("e\n")),
            ],
            notes: Vec::new(),
        }
    }

    #[test]
    fn each_marker_has_a_line_of_its_own() {
        let text = "a\n<<<<<<< yours\nb\nc\n||||||| base\n=======\nd\n>>>>>>> new\ne\n";
        for ending in ["\n", "\r\n"] {
            assert_eq!(
                write(&merged(ending)),
                (text.replace('\n', ending), vec![2])
            );
        }
    }

    #[test]
    fn a_marker_that_is_left_over_counts() {
        for (path, text, line) in [
            ("a.md", "a\n||||||| base\n", Some(2)),
            ("a.md", ">>>>>>> new\r\n", Some(1)),
            ("a.md", "<<<<<<< HEAD\n>>>>>>> newer\n", None),
            ("a.py", "a\n<<<<<<< HEAD\n", Some(2)),
            ("a.py", "Title\n=======\n", None),
        ] {
            assert_eq!(first(path, text), line, "{text}");
        }
    }
}
