//! Merges lists, tuples and sets in Python code item by item, wherever they are and however they are laid out.

use super::Versions;
use super::entries::{QUOTES, WIDTH, order};
use super::lines::words as names;
use crate::code::{Kind, Word, words};

/// The keywords that may precede a list. Other names before a bracket make it an argument list or an index; imports are entries.
const KEYWORDS: &[&str] = &["in", "return", "yield"];

/// The maximum number of lists to merge in a file.
const MOST_LISTS: usize = 50;

struct List<'t> {
    /// The statement before the list.
    head: String,
    start: usize,
    /// The code, with the brackets.
    text: &'t str,
    /// The whitespace after the opening and before the closing bracket.
    gaps: [&'t str; 2],
    /// The items, indented as if the list's own indentation were 0.
    items: Vec<String>,
}

/// Replaces each list that the new version changed with the merged list, in all three versions, unless the result is uncertain.
pub(super) fn agreed(versions: &Versions) -> [String; 3] {
    let mut texts = [versions.base, versions.yours, versions.new].map(str::to_owned);
    for _ in 0..MOST_LISTS {
        let Some((merged, places)) = first(texts.each_ref().map(String::as_str)) else {
            break;
        };
        for (text, (start, length)) in texts.iter_mut().zip(places) {
            text.replace_range(start..start + length, &merged);
        }
    }
    texts
}

fn first(texts: [&str; 3]) -> Option<(String, [(usize, usize); 3])> {
    let [base, yours, new] = texts.map(lists);
    base.iter().find_map(|list| {
        let twins = [list, twin(list, &yours)?, twin(list, &new)?];
        let items = twins.map(|it| it.items.iter().map(String::as_str).collect::<Vec<_>>());
        let is_changed = twins[2].text != list.text;
        let merged = is_changed.then(|| merge(&items[0], &items[1], &items[2]))??;
        let text = twins[1].with(&items[1], &merged, texts[1])?;
        Some((text, twins.map(|it| (it.start, it.text.len()))))
    })
}

/// Returns the lists whose items can be told apart. Comments, arguments, keys and comprehensions are not items.
fn lists(code: &str) -> Vec<List<'_>> {
    let (words, _) = words(code);
    let place = |word: &Word| word.text.as_ptr().addr() - code.as_ptr().addr();
    let mut lists = Vec::new();
    let mut statement = 0;
    for (at, open) in words.iter().enumerate() {
        if open.indent.is_some() {
            statement = at;
        }
        let before = words[statement..at].last();
        let is_list = before.is_none_or(|word| match word.kind {
            Kind::Name => KEYWORDS.contains(&word.text),
            Kind::String => false,
            Kind::Sign => ![")", "]", "}"].contains(&word.text),
        });
        let length = words[at + 1..].iter().position(|it| it.depth <= open.depth);
        let (true, Some(length)) = (is_list && open.kind == Kind::Sign, length) else {
            continue;
        };
        let (inside, close) = (&words[at + 1..][..length], &words[at + 1 + length]);
        let (start, end) = (place(open), place(close));
        let own = |word: &&Word| word.depth == open.depth + 1 && word.kind != Kind::String;
        let is_other = |word: &Word| [":", "=", "for"].contains(&word.text);
        let is_pair = ["()", "[]", "{}"].contains(&[open.text, close.text].concat().as_str());
        let is_odd = |mark: &&str| code[start..end].contains(mark);
        let is_odd = ["#", QUOTES, "'''"].iter().any(is_odd);
        if !is_pair || is_odd || inside.iter().filter(own).any(is_other) {
            continue;
        }
        let inner = &code[start + 1..end];
        let gaps = [inner.trim_start(), inner.trim_end()].map(str::len);
        let gaps = [&inner[..inner.len() - gaps[0]], &inner[gaps[1]..]];
        let own_commas = inside.iter().filter(own).filter(|word| word.text == ",");
        let gap = if gaps[0].is_empty() { "\n" } else { gaps[0] };
        let mut from = start + 1;
        let mut items = Vec::new();
        for to in own_commas.map(place).chain([end]) {
            items.push(code[from..to].trim().replace(gap, "\n"));
            from = to + 1;
        }
        items.pop_if(|last| last.is_empty());
        let head = words[statement..at].iter().map(|word| word.text);
        lists.push(List {
            head: head.collect::<Vec<_>>().join(" "),
            start,
            text: &code[start..=end],
            gaps,
            items,
        });
    }
    lists
}

/// Returns the list that shares most items with `list`, or is in the same statement. Returns `None` if several do so equally.
fn twin<'l, 't>(list: &List, all: &'l [List<'t>]) -> Option<&'l List<'t>> {
    let score = |other: &List| {
        let shared = other
            .items
            .iter()
            .filter(|it| list.items.contains(it))
            .count();
        let is_same = other.head == list.head;
        let is_twin = is_same || shared > 1 && shared * 2 > list.items.len();
        is_twin.then_some(shared * 2 + usize::from(is_same))
    };
    let best = all.iter().filter_map(score).max()?;
    let mut twins = all.iter().filter(|other| score(other) == Some(best));
    let twin = twins.next()?;
    twins.next().is_none().then_some(twin)
}

/// Merges the items in the user's order. Returns `None` if both sides changed the same item, or if the order or repetition of items matters.
fn merge<'i>(base: &[&'i str], yours: &[&'i str], new: &[&'i str]) -> Option<Vec<&'i str>> {
    let is_once = |side: &[&str]| (1..side.len()).all(|at| !side[..at].contains(&side[at]));
    let kept = base.iter().filter(|it| new.contains(it));
    if ![base, yours, new].into_iter().all(is_once)
        || !kept.eq(new.iter().filter(|it| base.contains(it)))
    {
        return None;
    }
    let added = || yours.iter().filter(|it| !base.contains(it));
    let mut gone = (base.iter()).filter(|it| !yours.contains(it) && !new.contains(it));
    let is_variant = |item: &&str| {
        added().any(|own| names(own).any(|name| names(item).any(|it| it == name)))
            || new.iter().any(|it| !base.contains(it))
    };
    if gone.any(is_variant) {
        return None;
    }
    let mut items = order(yours, new);
    items.retain(|item| !base.contains(item) || yours.contains(item) && new.contains(item));
    Some(items)
}

impl List<'_> {
    /// Returns the list with other items, in the layout that it has in `code`. Returns `None` if its layout is not uniform.
    fn with(&self, own: &[&str], items: &[&str], code: &str) -> Option<String> {
        let [open, close] = [&self.text[..1], &self.text[self.text.len() - 1..]];
        let written = |items: &[&str], [first, last]: [&str; 2], comma: &str| {
            let between = if first.is_empty() {
                ", "
            } else {
                &format!(",{first}")
            };
            let rows = items.join("\0").replace('\n', first).replace('\0', between);
            format!("{open}{first}{rows}{comma}{last}{close}")
        };
        let inner = self.text[1..].trim_end_matches(close).trim_end();
        let comma = if inner.ends_with(',') { "," } else { "" };
        let is_uniform = written(own, self.gaps, comma) == self.text;
        // A set or a tuple is written differently if it has less than two items.
        if !is_uniform || items.len() < if open == "[" { 1 } else { 2 } {
            return None;
        }
        let is_broken = items.iter().any(|item| item.contains('\n'));
        let merged = written(items, self.gaps, comma);
        let line = code[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = code[self.start + self.text.len()..].lines().next();
        let width = self.start - line + merged.len() + rest.map_or(0, str::len);
        if self.gaps[0].contains('\n') || width <= WIDTH && !is_broken {
            return Some(merged);
        }
        let indent = code[line..].len() - code[line..].trim_start().len();
        let end = format!("\n{}", " ".repeat(indent));
        Some(written(items, [&format!("{end}    "), &end], ","))
    }
}
