//! Lines of the user's that a merge has lost.

use std::collections::HashMap;

use super::super::Versions;

/// Returns the number and the text of a line that the user has added and the merged text lacks. Merges write some lines in another
/// way, such as requirements and import statements: what counts then are the words of the line.
pub(super) fn line<'t>(versions: &Versions<'t>, merged: &str) -> Option<(usize, &'t str)> {
    let Versions { base, yours, new } = *versions;
    let lines = Count::of([base, yours, new, merged].map(|text| text.lines().map(str::trim)));
    let mut missing = yours
        .lines()
        .enumerate()
        .filter(|(_, line)| lines.lacks(line.trim()))
        .peekable();
    missing.peek()?;
    let words = Count::of([base, yours, new, merged].map(words));
    let (index, line) =
        missing.find(|(_, line)| self::words(line).any(|word| words.lacks(word)))?;
    Some((index + 1, line))
}

/// How often something is in the base, in the user's text, in the new text and in the merged one.
struct Count<'t>(HashMap<&'t str, [usize; 4]>);

impl<'t> Count<'t> {
    fn of(texts: [impl Iterator<Item = &'t str>; 4]) -> Self {
        let mut count: HashMap<&str, [usize; 4]> = HashMap::new();
        for (side, items) in texts.into_iter().enumerate() {
            for item in items {
                count.entry(item).or_default()[side] += 1;
            }
        }
        Self(count)
    }

    /// Whether the user has added more than are left after what the new version has removed.
    fn lacks(&self, item: &str) -> bool {
        let [base, yours, new, merged] = self.0.get(item).copied().unwrap_or_default();
        yours > base && merged + base.saturating_sub(new) < yours
    }
}

/// The words and numbers of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}
