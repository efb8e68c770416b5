//! Merges by lines, for what has no better structure.

use imara_diff::{Algorithm, Diff, InternedInput};

use super::regions::{Changed, Hunk, Touching, regions};
use super::{Conflict, Merged, Part, Versions};

/// The most pairs of lines that are compared; generated files have a few hundred lines.
const MOST_PAIRS: usize = 25_000_000;

pub(super) fn merge(versions: &Versions) -> Merged {
    Merged {
        parts: parts(versions, None, 1),
        notes: Vec::new(),
    }
}

/// Merges whole lines of a `declaration`, of which the first is this `line` of the user's file.
///
/// As in git, changes of both sides that touch are a conflict unless they are equal.
pub(super) fn parts(versions: &Versions, declaration: Option<&str>, line: usize) -> Vec<Part> {
    let split = |text| str::split_inclusive(text, '\n').collect::<Vec<&str>>();
    let [base, yours, new] = [versions.base, versions.yours, versions.new].map(split);
    let hunks = [&yours, &new].map(|side| hunks(&base, side));
    let mut parts = Vec::new();
    for region in regions(base.len(), &hunks[0], &hunks[1], Touching::One) {
        let first = line + region.yours.start;
        let [base, yours, new] = [
            (&base, region.base),
            (&yours, region.yours),
            (&new, region.new),
        ]
        .map(|(lines, range)| lines.get(range).unwrap_or_default().concat());
        match region.changed {
            Changed::Neither | Changed::Yours => push_text(&mut parts, &yours),
            Changed::New => push_text(&mut parts, &new),
            Changed::Both if yours == new => push_text(&mut parts, &yours),
            Changed::Both => parts.push(Part::Conflict(Conflict {
                declaration: declaration.map(str::to_owned),
                line: first,
                base,
                yours,
                new,
            })),
        }
    }
    parts
}

/// Adds text to the last part if that is text as well.
pub(super) fn push_text(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(last)) => last.push_str(text),
        Some(Part::Conflict(_)) | None => parts.push(Part::Text(text.to_owned())),
    }
}

/// Returns the lines of the base that a side has changed.
fn hunks(base: &[&str], side: &[&str]) -> Vec<Hunk> {
    if base.len().saturating_mul(side.len()) > MOST_PAIRS {
        return hunk(base, side).into_iter().collect();
    }
    let mut input = InternedInput::default();
    input.update_before(base.iter().copied());
    input.update_after(side.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    diff.hunks()
        .map(|hunk| {
            let range = |range: std::ops::Range<u32>| range.start as usize..range.end as usize;
            Hunk {
                base: range(hunk.before),
                side: range(hunk.after),
            }
        })
        .collect()
}

/// Returns everything between the first and the last change as one.
fn hunk(base: &[&str], side: &[&str]) -> Option<Hunk> {
    let shorter = base.len().min(side.len());
    let same = |(one, other): &(&&str, &&str)| one == other;
    let start = base.iter().zip(side).take_while(same).count();
    let end = base.iter().rev().zip(side.iter().rev());
    let end = end.take(shorter - start).take_while(same).count();
    (base.len() != side.len() || start < shorter).then(|| Hunk {
        base: start..base.len() - end,
        side: start..side.len() - end,
    })
}
