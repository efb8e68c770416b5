//! Few combinations in which every pair of values meets: what goes wrong, mostly goes wrong between two choices.
//!
//! Each row is begun with a pair that has not met yet, and every further axis takes the value that meets the most
//! values for the first time. The same axes give the same rows.

use std::collections::BTreeSet;

/// The value that each axis has, by its place.
pub type Row = Vec<usize>;

/// Two axes, the first before the second, and a value of each.
type Pair = [(usize, usize); 2];

/// Rows in which all values of any two axes meet that can.
///
/// `fits` is asked about the values chosen so far, axes from the first to the last; it says whether nothing in them
/// forbids to go on and, once all are chosen, whether they are allowed together. A row only has what `fits`.
pub fn cover(sizes: &[usize], fits: impl Fn(&[Option<usize>]) -> bool) -> Vec<Row> {
    let mut open = reachable(sizes, &fits);
    let mut used = sizes.iter().map(|size| vec![0; *size]).collect::<Vec<_>>();
    let mut rows = Vec::new();
    while let Some(seed) = open.first().copied() {
        let mut chosen = vec![None; sizes.len()];
        for (axis, value) in seed {
            chosen[axis] = Some(value);
        }
        for axis in 0..sizes.len() {
            if chosen[axis].is_some() {
                continue;
            }
            let gain = |value| {
                let met = chosen.iter().enumerate().filter(|(other, chosen)| {
                    chosen
                        .is_some_and(|chosen| open.contains(&pair((axis, value), (*other, chosen))))
                });
                met.count()
            };
            let mut values: Vec<usize> = (0..sizes[axis]).collect();
            values.sort_by_cached_key(|value| (usize::MAX - gain(*value), used[axis][*value]));
            for value in values {
                chosen[axis] = Some(value);
                if complete(sizes, &mut chosen.clone(), &fits) {
                    break;
                }
                chosen[axis] = None;
            }
        }
        let row: Row = chosen.into_iter().flatten().collect();
        // The seed could be completed, and so could every choice after it.
        debug_assert_eq!(row.len(), sizes.len());
        for (axis, value) in row.iter().enumerate() {
            used[axis][*value] += 1;
        }
        for met in pairs(&row) {
            open.remove(&met);
        }
        rows.push(row);
    }
    rows
}

/// Every pair that stands in some allowed combination.
pub fn reachable(sizes: &[usize], fits: &impl Fn(&[Option<usize>]) -> bool) -> BTreeSet<Pair> {
    let mut found = BTreeSet::new();
    for first in 0..sizes.len() {
        for second in first + 1..sizes.len() {
            for value in 0..sizes[first] {
                for other in 0..sizes[second] {
                    if found.contains(&[(first, value), (second, other)]) {
                        continue;
                    }
                    let mut chosen = vec![None; sizes.len()];
                    chosen[first] = Some(value);
                    chosen[second] = Some(other);
                    if complete(sizes, &mut chosen, fits) {
                        let row: Row = chosen.into_iter().flatten().collect();
                        found.extend(pairs(&row));
                    }
                }
            }
        }
    }
    found
}

/// Chooses what is still open, so that all of it fits; `false` if that cannot be.
pub fn complete(
    sizes: &[usize],
    chosen: &mut [Option<usize>],
    fits: &impl Fn(&[Option<usize>]) -> bool,
) -> bool {
    if !fits(chosen) {
        return false;
    }
    let Some(axis) = chosen.iter().position(Option::is_none) else {
        return true;
    };
    for value in 0..sizes[axis] {
        chosen[axis] = Some(value);
        if complete(sizes, chosen, fits) {
            return true;
        }
    }
    // What later axes were given is taken back by their own calls.
    chosen[axis] = None;
    false
}

/// The pairs that meet in a row.
pub fn pairs(row: &[usize]) -> impl Iterator<Item = Pair> {
    let values = row.iter().copied().enumerate();
    values.clone().flat_map(move |first| {
        values
            .clone()
            .skip(first.0 + 1)
            .map(move |second| [first, second])
    })
}

fn pair(one: (usize, usize), other: (usize, usize)) -> Pair {
    if one.0 < other.0 {
        [one, other]
    } else {
        [other, one]
    }
}
