//! Merges three versions of a file in memory: the originally generated version, the user's version and the newly generated version.

mod check;
mod entries;
mod layout;
mod lines;
mod lists;
mod requirement;

use self::layout::Layout;
pub(crate) use self::lines::{changes, words};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Versions<'a> {
    pub base: &'a str,
    pub yours: &'a str,
    pub new: &'a str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    pub parts: Vec<Part>,
    /// Notes for the user to review, even after a clean merge. Each note is a sentence without a final period.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole lines that the versions agree on, or that only one side changed.
    Text(String),
    Conflict(Conflict),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The line number of the user's first conflicting line, starting at 1. If the conflict contains no lines from the user, the number of
    /// the next line.
    pub line: usize,
    pub base: String,
    pub yours: String,
    pub new: String,
}

impl Merged {
    fn agreed(text: &str) -> Self {
        Self {
            parts: vec![Part::Text(text.to_owned())],
            notes: Vec::new(),
        }
    }

    /// Returns a merge with a single conflict that spans all lines.
    pub(crate) fn contested(versions: &Versions) -> Self {
        Self {
            parts: vec![Part::Conflict(Conflict {
                line: 1,
                base: versions.base.to_owned(),
                yours: versions.yours.to_owned(),
                new: versions.new.to_owned(),
            })],
            notes: Vec::new(),
        }
    }

    /// Returns the merged text, or `None` if the merge has conflicts.
    pub(crate) fn text(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => Some(text.as_str()),
                Part::Conflict(_) => None,
            })
            .collect()
    }

    pub(crate) fn conflicts(&self) -> impl Iterator<Item = &Conflict> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Conflict(conflict) => Some(conflict),
        })
    }
}

/// Merges the versions of the file at `path` line by line, then resolves conflicting lines according to the file's format.
///
/// If `yours` has CRLF line endings, a byte order mark or no final newline, so does the result.
pub(crate) fn merge(path: &str, versions: &Versions) -> Merged {
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(layout::plain);
    if new == base || new == yours {
        return Merged::agreed(versions.yours);
    }
    let layout = Layout::of(versions.yours);
    if yours == base {
        return layout.restore(Merged::agreed(&new));
    }
    let versions = Versions {
        base: &base,
        yours: &yours,
        new: &new,
    };
    layout.restore(checked(path, &versions))
}

fn checked(path: &str, versions: &Versions) -> Merged {
    let by_lines = lines::merge(versions);
    let mut settled = entries::settled(path, &by_lines);
    let Some(text) = settled.text() else {
        return with_lists(path, versions).unwrap_or(settled);
    };
    let Some(fault) = check::fault(path, versions, &text) else {
        return settled;
    };
    settled.parts = if by_lines.text().is_none() {
        by_lines.parts
    } else {
        check::conflict(versions, &text, &fault).parts
    };
    settled.notes = vec![fault.reason];
    settled
}

/// Merges the versions after their lists, which lines can't do. Returns `None` if that leaves a conflict or makes a fault.
fn with_lists(path: &str, versions: &Versions) -> Option<Merged> {
    let is_python = entries::is_python(path);
    let [base, yours, new] = &is_python.then(|| lists::agreed(versions))?;
    let merged = entries::settled(path, &lines::merge(&Versions { base, yours, new }));
    let text = merged.text()?;
    check::fault(path, versions, &text)
        .is_none()
        .then_some(merged)
}

#[cfg(test)]
mod matrix;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
