//! The regions of a sequence that has three versions: where they agree, and where which of them differ.

use std::cmp::Reverse;
use std::ops::Range;

/// A part of the base and what one side has in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub base: Range<usize>,
    pub side: Range<usize>,
}

/// The side that differs from the base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changed {
    Neither,
    Yours,
    New,
    Both,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub changed: Changed,
    pub base: Range<usize>,
    pub yours: Range<usize>,
    pub new: Range<usize>,
}

/// Whether changes of different sides without anything between them are one change of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touching {
    One,
    /// They are two, except insertions at the same place.
    Two,
}

/// Returns the regions of a base with `length` elements in order, by the hunks of both sides in order.
pub(super) fn regions(
    length: usize,
    yours: &[Hunk],
    new: &[Hunk],
    touching: Touching,
) -> Vec<Region> {
    let mut sides = [Side::new(yours), Side::new(new)];
    let mut regions = Vec::new();
    let mut at = 0;
    while let Some(first) = next(&sides) {
        let starts = sides.each_ref().map(|side| side.position(first.base.start));
        if at < first.base.start {
            regions.push(unchanged(at..first.base.start, &sides));
        }
        let start = first.base.start;
        let mut end = start;
        let mut takes = [false; 2];
        while let Some((number, hunk)) = sides
            .iter()
            .enumerate()
            .filter_map(|(number, side)| Some((number, side.left.first()?)))
            .find(|(_, hunk)| {
                takes == [false; 2] && **hunk == first || joins(hunk, start..end, takes, touching)
            })
        {
            end = end.max(hunk.base.end);
            takes[number] = true;
            sides[number].take();
        }
        let [yours, new] = [0, 1].map(|number| starts[number]..sides[number].position(end));
        regions.push(Region {
            changed: match takes {
                [true, true] => Changed::Both,
                [true, false] => Changed::Yours,
                _ => Changed::New,
            },
            base: start..end,
            yours,
            new,
        });
        at = end;
    }
    if at < length {
        regions.push(unchanged(at..length, &sides));
    }
    regions
}

fn unchanged(base: Range<usize>, sides: &[Side; 2]) -> Region {
    let [yours, new] = sides
        .each_ref()
        .map(|side| side.position(base.start)..side.position(base.end));
    Region {
        changed: Changed::Neither,
        base,
        yours,
        new,
    }
}

/// The hunk that begins first; at the same place, the one that replaces the least.
fn next(sides: &[Side; 2]) -> Option<Hunk> {
    let firsts = sides.iter().filter_map(|side| side.left.first());
    firsts
        .max_by_key(|hunk| Reverse((hunk.base.start, hunk.base.end)))
        .cloned()
}

fn joins(hunk: &Hunk, region: Range<usize>, takes: [bool; 2], touching: Touching) -> bool {
    if takes == [false; 2] {
        return false;
    }
    let at_the_same_place = hunk.base.is_empty() && region.is_empty();
    match touching {
        Touching::One => hunk.base.start <= region.end,
        Touching::Two => {
            hunk.base.start < region.end || at_the_same_place && hunk.base.start == region.end
        }
    }
}

/// The hunks of a side that are left.
struct Side<'h> {
    left: &'h [Hunk],
    /// The end of the last hunk that was taken.
    end: (usize, usize),
}

impl<'h> Side<'h> {
    fn new(hunks: &'h [Hunk]) -> Self {
        Self {
            left: hunks,
            end: (0, 0),
        }
    }

    fn take(&mut self) {
        if let Some((first, left)) = self.left.split_first() {
            self.left = left;
            self.end = (first.base.end, first.side.end);
        }
    }

    /// The place on this side for a place in the base behind the hunks that were taken.
    fn position(&self, base: usize) -> usize {
        self.end.1 + base.saturating_sub(self.end.0)
    }
}
