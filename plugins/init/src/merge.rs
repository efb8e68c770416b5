//! Merges three versions of a file, in memory: as it was generated, as its user has it, and as it is generated now.

mod check;
mod entries;
mod layout;
mod lines;
mod requirement;

use self::layout::Layout;
pub(crate) use self::lines::{changes, words};

/// A file's three versions, each with `\n` at the end of its lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Versions<'a> {
    /// As it was generated.
    pub base: &'a str,
    /// As the user has it.
    pub yours: &'a str,
    /// As it is generated now.
    pub new: &'a str,
}

/// A merged file: its parts in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    pub parts: Vec<Part>,
    /// What the user should look at although nothing is in conflict, as sentences without a full stop.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Whole lines on which the versions agree, or that only one of them has changed.
    Text(String),
    Conflict(Conflict),
}

/// Lines that the user and the generator have changed in different ways.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// The first of the user's lines, counted from 1; the line before which they would stand if there is none.
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

    /// One conflict of all lines.
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

    /// The merged text; `None` if something is in conflict.
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

/// Merges the versions of the file at `path`: by lines, and where these are in conflict by what its format consists of.
///
/// `yours` may have CRLF at the ends of its lines, a byte order mark, and no newline at its end; so has the result then.
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
        return settled;
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

#[cfg(test)]
mod matrix;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
