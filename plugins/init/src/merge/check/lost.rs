//! Lines of the user's that a merge has lost.

use std::collections::HashMap;
use std::hash::Hash;

use super::super::{Versions, formats, lines::words};

/// Returns the number and the text of a line that the user has added and the merged text lacks. Merges write some lines in another
/// way, such as requirements and import statements: what counts then are the words of the line. In a file of blocks, a line is only lost
/// where the user has it: its like in another block may have gone.
pub(super) fn line<'t>(
    path: &str,
    versions: &Versions<'t>,
    merged: &str,
) -> Option<(usize, &'t str)> {
    let Versions { base, yours, new } = *versions;
    let texts = [base, yours, new, merged];
    let lines = Count::of(texts.map(|text| text.lines().map(str::trim)));
    let mut missing = yours
        .lines()
        .enumerate()
        .filter(|(_, line)| lines.lacks(&line.trim()))
        .peekable();
    missing.peek()?;
    let of_words = Count::of(texts.map(words));
    let places = texts.map(|text| formats::places(path, text));
    let in_place = match &places {
        [Some(base), Some(yours), Some(new), Some(merged)] => {
            let places = [base, yours, new, merged];
            Some(InPlace::of(texts, places.map(Vec::as_slice)))
        }
        _ => None,
    };
    let (index, line) = missing.find(|(index, line)| {
        words(line).any(|word| {
            let lacks = |in_place: &InPlace| in_place.lacks(*index, line, word);
            of_words.lacks(&word) && in_place.as_ref().is_none_or(lacks)
        })
    })?;
    Some((index + 1, line))
}

/// How often something is in the base, in the user's text, in the new text and in the merged one.
struct Count<T>(HashMap<T, [usize; 4]>);

impl<T: Eq + Hash> Count<T> {
    fn of(texts: [impl Iterator<Item = T>; 4]) -> Self {
        let mut count: HashMap<T, [usize; 4]> = HashMap::new();
        for (side, items) in texts.into_iter().enumerate() {
            for item in items {
                count.entry(item).or_default()[side] += 1;
            }
        }
        Self(count)
    }

    /// Whether the user has added more than are left after what the new version has removed.
    fn lacks(&self, item: &T) -> bool {
        let [base, yours, new, merged] = self.0.get(item).copied().unwrap_or_default();
        yours > base && merged + base.saturating_sub(new) < yours
    }
}

/// The lines and the words of each block.
struct InPlace<'t> {
    lines: Count<(&'t str, &'t str)>,
    words: Count<(&'t str, &'t str)>,
    /// The blocks of the user's lines.
    of_yours: &'t [String],
}

impl<'t> InPlace<'t> {
    fn of(texts: [&'t str; 4], places: [&'t [String]; 4]) -> Self {
        let lines = |side: usize| {
            let places = places[side].iter().map(String::as_str);
            places.zip(texts[side].lines().map(str::trim))
        };
        let words_of = |side: usize| {
            lines(side).flat_map(|(place, line)| words(line).map(move |word| (place, word)))
        };
        Self {
            lines: Count::of([0, 1, 2, 3].map(lines)),
            words: Count::of([0, 1, 2, 3].map(words_of)),
            of_yours: places[1],
        }
    }

    fn lacks(&self, index: usize, line: &'t str, word: &'t str) -> bool {
        let place = self.of_yours.get(index);
        place.is_none_or(|place| {
            self.lines.lacks(&(place, line.trim())) && self.words.lacks(&(place, word))
        })
    }
}
