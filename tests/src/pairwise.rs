//! Pairwise testing: a small number of combinations in which every pair of values occurs. Most faults involve only two choices.
//!
//! Each row starts with a pair that is not yet covered. Every further axis takes the value that covers the most new pairs. The same axes
//! always give the same rows.

use std::collections::BTreeSet;

/// The index of the value on each axis.
pub type Row = Vec<usize>;

/// A value on each of two axes, in axis order.
type Pair = [(usize, usize); 2];

/// Returns rows that cover every possible pair of values on any two axes.
///
/// `fits` takes the values chosen so far, in axis order. It returns `false` if those values already exclude each other. Every returned row
/// satisfies `fits`.
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

/// Returns every pair that occurs in an allowed combination.
fn reachable(sizes: &[usize], fits: &impl Fn(&[Option<usize>]) -> bool) -> BTreeSet<Pair> {
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

/// Chooses the remaining values so that `fits` returns `true`. Returns `false` if that is impossible.
fn complete(
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

/// Returns the pairs of values in a row.
fn pairs(row: &[usize]) -> impl Iterator<Item = Pair> {
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
