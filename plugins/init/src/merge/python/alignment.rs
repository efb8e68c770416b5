//! How the items of three versions stand to one another.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::regions::Hunk;
use super::items::{Block, Item, Kind, Order};

/// The place behind the docstring and the imports of a module.
pub(super) fn behind_imports(yours: &Block, of_new: &HashMap<&str, &Item>) -> usize {
    let is_code = |item: &Item| item.key != "docstring" && of_new.contains_key(item.key.as_str());
    let code = yours.items.iter().position(is_code);
    let before = yours.items.get(..code.unwrap_or(yours.items.len()));
    let is_above = |item: &Item| item.kind == Kind::Import || item.key == "docstring";
    let last = before.unwrap_or_default().iter().rposition(is_above);
    last.map_or(0, |last| last + 1)
}

/// Whether items of different versions with the same key can be taken for the same.
pub(super) fn are_alike(blocks: [&Block; 3], order: Order) -> bool {
    let [base, yours, new] = blocks.map(|block| keys(block).collect::<Vec<_>>());
    let set =
        |keys: &[&str]| -> HashSet<String> { keys.iter().map(|key| (*key).to_owned()).collect() };
    let ours: HashSet<String> = &set(&base) | &set(&new);
    let are_unique = |keys: &[&str]| set(keys).len() == keys.len();
    let shared: Vec<&str> = yours
        .iter()
        .copied()
        .filter(|key| ours.contains(*key))
        .collect();
    if !are_unique(&base) || !are_unique(&new) || !are_unique(&shared) {
        return false;
    }
    let keep_order = |side: &[&str]| {
        let places: HashMap<&str, usize> = base
            .iter()
            .enumerate()
            .map(|(at, key)| (*key, at))
            .collect();
        side.iter().filter_map(|key| places.get(key)).is_sorted()
    };
    order == Order::Free || keep_order(&yours) && keep_order(&new)
}

pub(super) fn keys<'b>(block: &'b Block) -> impl Iterator<Item = &'b str> {
    block
        .items
        .iter()
        .filter(|item| item.kind != Kind::Import)
        .map(|item| item.key.as_str())
}

pub(super) fn named<'b, 's>(block: &'b Block<'s>) -> HashMap<&'b str, &'b Item<'s>> {
    let items = block.items.iter().filter(|item| item.kind != Kind::Import);
    items.map(|item| (item.key.as_str(), item)).collect()
}

pub(super) fn have_one_indent(blocks: [&Block; 3]) -> bool {
    let columns = blocks.iter().flat_map(|block| &block.items);
    let columns: HashSet<usize> = columns
        .map(|item| item.node.start_position().column)
        .collect();
    columns.len() <= 1
}

/// Whether one of these may as well stand before the other: functions do nothing where they are defined.
pub(super) fn have_free_order(yours: &[Item], new: &[Item]) -> bool {
    let are_functions = |items: &[Item]| items.iter().all(|item| item.kind == Kind::Function);
    are_functions(yours) || are_functions(new)
}

/// The rows of these items; where they would be if there is none.
pub(super) fn rows_of(block: &Block, range: &Range<usize>) -> Range<usize> {
    let items = block.items.get(range.clone()).unwrap_or_default();
    let next = || {
        let next = block.items.get(range.start);
        let at = next.map_or(block.tail.start, |item| item.lead.start);
        at..at
    };
    let rows = |first: &Item| first.lead.start..items.last().unwrap_or(first).core.end;
    items.first().map_or_else(next, rows)
}

/// Returns the items that a side has added and removed; common ones have the same order on both sides.
pub(super) fn hunks(base: &Block, side: &Block) -> Vec<Hunk> {
    let places: HashMap<&str, usize> = keys(base).zip(0..).collect();
    let mut hunks = Vec::new();
    let (mut base_at, mut side_at) = (0, 0);
    let common = side.items.iter().enumerate();
    let common = common.filter_map(|(at, item)| Some((*places.get(item.key.as_str())?, at)));
    for (in_base, in_side) in common.chain([(base.items.len(), side.items.len())]) {
        if base_at < in_base || side_at < in_side {
            hunks.push(Hunk {
                base: base_at..in_base,
                side: side_at..in_side,
            });
        }
        (base_at, side_at) = (in_base + 1, in_side + 1);
    }
    hunks
}
