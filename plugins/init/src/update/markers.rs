//! Conflicts as text: the markers that version control and editors know.

use crate::merge::{Merged, Part};

/// The text of a merged file, in which each conflict stands between markers.
pub(crate) fn write(merged: &Merged) -> String {
    let mut text = String::new();
    for part in &merged.parts {
        match part {
            Part::Text(lines) => text.push_str(lines),
            Part::Conflict(conflict) => {
                let sides = [&conflict.yours, &conflict.base, &conflict.new];
                let ending =
                    if text.contains("\r\n") || sides.iter().any(|side| side.contains("\r\n")) {
                        "\r\n"
                    } else {
                        "\n"
                    };
                let mut line = |line: &str| {
                    // A side of which the last line has no end must not swallow the marker.
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push_str(ending);
                    }
                    text.push_str(line);
                };
                line(&format!("<<<<<<< yours{ending}"));
                line(&conflict.yours);
                line(&format!("||||||| base{ending}"));
                line(&conflict.base);
                line(&format!("======={ending}"));
                line(&conflict.new);
                line(&format!(">>>>>>> new{ending}"));
            }
        }
    }
    text
}

/// The line of the first conflict that stands between markers, counted from 1.
pub(crate) fn first(text: &str) -> Option<usize> {
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
    use super::{first, write};
    use crate::merge::{Conflict, Merged, Part};

    fn merged(ending: &str) -> Merged {
        let lines = |text: &str| text.replace('\n', ending);
        Merged {
            parts: vec![
                Part::Text(lines("a\n")),
                Part::Conflict(Conflict {
                    declaration: None,
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
            assert_eq!(write(&merged(ending)), text.replace('\n', ending));
            assert_eq!(first(&text.replace('\n', ending)), Some(2));
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
