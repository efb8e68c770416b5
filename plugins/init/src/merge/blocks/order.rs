//! The order of merged blocks.

use std::collections::BTreeSet;

use super::Block;

/// Returns the keys of all blocks: those of one side in its order, and each of the others behind the one that it is behind there.
///
/// The user's order counts, unless only the generator has another one than before.
pub(in crate::merge) fn of<'a>(
    base: &[Block],
    yours: &'a [Block],
    new: &'a [Block],
) -> Vec<&'a str> {
    let (first, second) = if is_kept(base, new) || !is_kept(base, yours) {
        (yours, new)
    } else {
        (new, yours)
    };
    let known = |key: &str| second.iter().any(|block| block.key == key);
    let mut order: Vec<&Block> = first.iter().collect();
    for (index, block) in second.iter().enumerate() {
        let place = |key: &str| order.iter().position(|other| other.key == key);
        if place(&block.key).is_some() {
            continue;
        }
        let (before, after) = (&second[..index], &second[index + 1..]);
        let behind = before.iter().rev().find_map(|other| place(&other.key));
        let at = match behind {
            Some(behind) => {
                let follows = order[behind + 1..]
                    .iter()
                    .take_while(|other| !known(&other.key) && belongs(other, block));
                behind + 1 + follows.count()
            }
            None => after
                .iter()
                .find_map(|other| place(&other.key))
                .unwrap_or(order.len()),
        };
        order.insert(at, block);
    }
    order.into_iter().map(|block| block.key.as_str()).collect()
}

/// Tells whether a block belongs to what is above it, so that nothing like `inserted` goes between.
fn belongs(block: &Block, inserted: &Block) -> bool {
    if inserted.level > 0 {
        block.level > inserted.level
    } else {
        inserted.lead.starts_with('\n') && !block.lead.starts_with('\n')
    }
}

/// Tells whether the blocks that both have are in the same order.
fn is_kept(base: &[Block], other: &[Block]) -> bool {
    let keys = |blocks: &[Block]| -> BTreeSet<String> {
        blocks.iter().map(|block| block.key.clone()).collect()
    };
    let both: BTreeSet<String> = keys(base).intersection(&keys(other)).cloned().collect();
    let common = |blocks: &[Block]| -> Vec<String> {
        let keys = blocks.iter().map(|block| block.key.clone());
        keys.filter(|key| both.contains(key)).collect()
    };
    common(base) == common(other)
}
