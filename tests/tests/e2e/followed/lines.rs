//! What is printed, read as a person reads it.

/// A line to type, and the remarks below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Counted from 1.
    pub(super) terminal: usize,
    pub(super) command: String,
    pub(super) remarks: Vec<String>,
}

impl Line {
    pub(super) fn remarks(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().map(String::as_str)
    }

    /// The first address in the remarks.
    pub(super) fn address(&self) -> Option<&str> {
        self.remarks()
            .filter_map(|remark| remark.strip_prefix("open "))
            .flat_map(str::split_whitespace)
            .map(|word| word.trim_end_matches(','))
            .find(|word| word.starts_with("http"))
    }

    /// The keys that the remarks name.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.remarks()
            .filter_map(|remark| remark.strip_prefix("  ")?.split_once(": "))
            .map(|(name, _)| name)
            .collect()
    }
}

/// The lines, in order.
pub(super) fn lines(printed: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut terminal = 1;
    for line in printed.lines() {
        if let Some(command) = line.strip_prefix("next: ") {
            lines.push(Line {
                terminal,
                command: command.to_owned(),
                remarks: Vec::new(),
            });
        } else if let Some(remark) = line.strip_prefix("      # ") {
            let ordinal = remark
                .strip_prefix("in a ")
                .and_then(|rest| rest.strip_suffix(" terminal:"));
            match ordinal {
                Some("second") => terminal = 2,
                Some("third") => terminal = 3,
                Some(other) => panic!("a {other} terminal"),
                None => lines.last_mut().unwrap().remarks.push(remark.to_owned()),
            }
        }
    }
    assert!(!lines.is_empty(), "{printed}");
    lines
}
