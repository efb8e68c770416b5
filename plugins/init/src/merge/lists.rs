//! Merges lists, tuples and sets in Python code item by item, wherever they are and however they are laid out.

use super::Versions;
use super::entries::{WIDTH, order};
use super::lines::words as names;
use crate::code::{Kind, Word, words};

/// The keywords that may precede a list. Other names before a bracket make it an argument list or an index.
const KEYWORDS: &[&str] = &["import", "in", "return", "yield"];

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
        let is_changed = twins[2].text != list.text;
        let items = is_changed.then(|| merge(twins.map(|it| it.items.as_slice())))??;
        let places = twins.map(|it| (it.start, it.text.len()));
        Some((twins[1].with(items, texts[1])?, places))
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
        if !is_pair || inside.iter().filter(own).any(is_other) || code[start..end].contains('#') {
            continue;
        }
        let inner = &code[start + 1..end];
        let gaps = [inner.trim_start(), inner.trim_end()].map(str::len);
        let gaps = [&inner[..inner.len() - gaps[0]], &inner[gaps[1]..]];
        let own_commas = inside.iter().filter(own).filter(|word| word.text == ",");
        let mut from = start + 1;
        let mut items = Vec::new();
        for to in own_commas.map(place).chain([end]) {
            let item = code[from..to].trim();
            let is_indented = gaps[0].starts_with('\n');
            items.push(if is_indented {
                item.replace(gaps[0], "\n")
            } else {
                item.to_owned()
            });
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
fn merge<'i>([base, yours, new]: [&'i [String]; 3]) -> Option<Vec<&'i str>> {
    let is_once = |side: &[String]| (1..side.len()).all(|at| !side[..at].contains(&side[at]));
    let kept = |one: &'i [String], other: &[String]| -> Vec<&'i String> {
        one.iter().filter(|it| other.contains(it)).collect()
    };
    if ![base, yours, new].into_iter().all(is_once) || kept(base, new) != kept(new, base) {
        return None;
    }
    let added = |side: &'i [String]| side.iter().filter(|it| !base.contains(it));
    let mut gone = base
        .iter()
        .filter(|it| !yours.contains(it) && !new.contains(it));
    let is_variant = |item: &String| {
        added(yours).any(|own| names(own).any(|name| names(item).any(|it| it == name)))
    };
    if gone.any(|item| added(new).next().is_some() || is_variant(item)) {
        return None;
    }
    let sides = [yours, new].map(|side| side.iter().map(String::as_str).collect::<Vec<_>>());
    let has = |side: &[String], item: &str| side.iter().any(|it| it == item);
    let mut items = order(&sides[0], &sides[1]);
    items.retain(|item| !has(base, item) || has(yours, item) && has(new, item));
    Some(items)
}

impl List<'_> {
    /// Returns the list with other items, in the layout that it has in `code`. Returns `None` if its layout is not uniform.
    fn with(&self, mut items: Vec<&str>, code: &str) -> Option<String> {
        let [open, close] = [&self.text[..1], &self.text[self.text.len() - 1..]];
        let is_import = self.head.ends_with("import");
        let least = match open {
            "[" => 0,
            "(" if !is_import => 2,
            _ => 1,
        };
        if is_import && self.items.is_sorted() {
            items.sort_unstable();
        }
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
        let own: Vec<&str> = self.items.iter().map(String::as_str).collect();
        let is_long_text = |item: &&str| item.contains("\"\"\"") || item.contains("'''");
        let is_uniform = written(&own, self.gaps, comma) == self.text;
        if !is_uniform || items.len() < least || items.iter().any(is_long_text) {
            return None;
        }
        if items.is_empty() {
            return Some("[]".to_owned());
        }
        let is_broken = items.iter().any(|item| item.contains('\n'));
        let merged = written(&items, self.gaps, comma);
        let line = code[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = code[self.start + self.text.len()..].lines().next();
        let width = self.start - line + merged.len() + rest.map_or(0, str::len);
        if self.gaps[0].contains('\n') || width <= WIDTH && !is_broken {
            return Some(merged);
        }
        let indent = code[line..].len() - code[line..].trim_start().len();
        let end = format!("\n{}", " ".repeat(indent));
        Some(written(&items, [&format!("{end}    "), &end], ","))
    }
}
