//! Merges files line by line, regardless of their format.

use std::collections::VecDeque;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::{Conflict, Merged, Part, Versions};

/// The maximum number of line pairs to compare. Generated files have a few hundred lines, so a larger file may be malicious and is treated
/// as entirely changed.
const MOST_PAIRS: usize = 25_000_000;

/// Merges whole lines. As in git, adjacent changes from both sides conflict unless they are identical.
pub(super) fn merge(versions: &Versions) -> Merged {
    let split = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(split);
    let mut sides = [&yours, &new].map(|side| Side {
        left: hunks(&base, side).into(),
        end: (0, 0),
    });
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let firsts = sides.iter().filter_map(|side| side.left.front());
        let Some(start) = firsts.map(|hunk| hunk.base.start).min() else {
            break;
        };
        push_text(&mut parts, &base[at..start].concat());
        let from = sides.each_ref().map(|side| side.position(start));
        let (mut end, mut changed) = (start, [false; 2]);
        while let Some(number) = (0..2).find(|number| sides[*number].touches(end)) {
            end = end.max(sides[number].take());
            changed[number] = true;
        }
        let [of_yours, of_new] = [(0, &yours), (1, &new)]
            .map(|(number, lines)| lines[from[number]..sides[number].position(end)].concat());
        match changed {
            [true, false] => push_text(&mut parts, &of_yours),
            [false, _] => push_text(&mut parts, &of_new),
            [true, true] if of_yours == of_new => push_text(&mut parts, &of_yours),
            [true, true] => parts.push(Part::Conflict(Conflict {
                line: from[0] + 1,
                base: base[start..end].concat(),
                yours: of_yours,
                new: of_new,
            })),
        }
        at = end;
    }
    push_text(&mut parts, &base[at..].concat());
    Merged {
        parts,
        notes: Vec::new(),
    }
}

/// Returns the removed lines with a `-` prefix and the added lines with a `+` prefix.
pub(crate) fn changes(base: &str, new: &str) -> Vec<String> {
    let [base, new] = [base, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let lines = hunks(&base, &new).into_iter().flat_map(|hunk| {
        let gone = base[hunk.base].iter().map(|line| ["-", line.trim_end()]);
        let came = new[hunk.side].iter().map(|line| ["+", line.trim_end()]);
        gone.chain(came)
            .map(|it| it.concat())
            .collect::<Vec<String>>()
    });
    lines.collect()
}

pub(super) fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(last)) => last.push_str(text),
        Some(Part::Conflict(_)) | None => parts.push(Part::Text(text.to_owned())),
    }
}

/// A range of lines in the base, and the range that replaces it on one side.
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

struct Side {
    left: VecDeque<Hunk>,
    /// The end positions of the last consumed hunk, first in the base and then on this side.
    end: (usize, usize),
}

impl Side {
    fn touches(&self, end: usize) -> bool {
        self.left.front().is_some_and(|hunk| hunk.base.start <= end)
    }

    fn take(&mut self) -> usize {
        if let Some(hunk) = self.left.pop_front() {
            self.end = (hunk.base.end, hunk.side.end);
        }
        self.end.0
    }

    /// Returns the position on this side that corresponds to a base position after the consumed hunks.
    fn position(&self, base: usize) -> usize {
        self.end.1 + base.saturating_sub(self.end.0)
    }
}

fn hunks(base: &[&str], side: &[&str]) -> Vec<Hunk> {
    if base != side && base.len().saturating_mul(side.len()) > MOST_PAIRS {
        return vec![Hunk {
            base: 0..base.len(),
            side: 0..side.len(),
        }];
    }
    let mut input = InternedInput::default();
    input.update_before(base.iter().copied());
    input.update_after(side.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks()
        .map(|hunk| {
            let range = |range: Range<u32>| range.start as usize..range.end as usize;
            Hunk {
                base: range(hunk.before),
                side: range(hunk.after),
            }
        })
        .collect()
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}
