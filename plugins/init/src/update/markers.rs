//! Conflicts as text: the markers that version control and editors know.

use std::collections::BTreeSet;
use std::path::Path;

use bot_cli_protocol::failure::Failure;

use super::walk::ending;
use crate::merge::{Merged, Part};
use crate::target::compare::{PathState, find, unreadable};

/// The text of a merged file, in which each conflict stands between markers, and the line of each, counted from 1.
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
            // A side of which the last line has no end must not swallow the marker.
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

/// Returns the places of the conflicts that stand between markers in `target`, the first of each file: `server/bot.py:41`. `generated` are the
/// paths of generated files. In prose, which may show some, only the markers of an update count.
pub(crate) fn standing(target: &Path, generated: &BTreeSet<&str>) -> Result<Vec<String>, Failure> {
    let mut places = Vec::new();
    for path in generated {
        let there = find(target, path).map_err(|error| unreadable(&target.join(path), error))?;
        let PathState::File(bytes) = there else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let is_prose = ending(path) == "md";
        if let Some(line) = own(&text).or_else(|| first(&text).filter(|_| !is_prose)) {
            places.push(format!("{path}:{line}"));
        }
    }
    Ok(places)
}

/// The line of the first marker of an update, counted from 1. One that is left over counts, too.
fn own(text: &str) -> Option<usize> {
    let is_own = |line: &str| [YOURS, BASE, NEW].contains(&line.trim_end());
    text.lines().position(is_own).map(|index| index + 1)
}

/// The line of the first conflict that stands between markers, whoever wrote them, counted from 1.
fn first(text: &str) -> Option<usize> {
    let mut begun = None;
    let mut divided = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("<<<<<<< ") {
            (begun, divided) = (Some(index + 1), false);
        } else if line.trim_end() == "=======" {
            divided = begun.is_some();
        } else if line.starts_with(">>>>>>> ") && divided {
            return begun;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{first, own, write};
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
            assert_eq!(first(&text.replace('\n', ending)), Some(2));
        }
    }

    #[test]
    fn a_marker_that_is_left_over_counts() {
        for (text, line) in [
            ("a\n||||||| base\n", Some(2)),
            (">>>>>>> new\r\n", Some(1)),
            ("<<<<<<< HEAD\n>>>>>>> newer\n", None),
        ] {
            assert_eq!(own(text), line, "{text}");
        }
    }

    #[test]
    fn a_rule_below_a_heading_is_no_conflict() {
        for text in [
            "",
            "Title\n=======\n",
            "<<<<<<< x\n",
            "=======\n>>>>>>> new\n",
        ] {
            assert_eq!(first(text), None, "{text}");
        }
    }
}
