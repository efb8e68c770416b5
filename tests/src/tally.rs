//! Counts random tests by outcome and collects the failures.

use std::collections::BTreeMap;
use std::{fmt, io, panic, thread};

/// The results of a number of random tests.
#[derive(Debug, Default)]
pub struct Tally {
    /// The counts by kind, such as an outcome or a tested item.
    pub counts: BTreeMap<String, usize>,
    /// The failures, each with everything needed to diagnose it.
    pub wrong: Vec<String>,
}

impl Tally {
    /// Adds `number` to the count for a kind.
    pub fn count(&mut self, kind: &str, number: usize) {
        *self.counts.entry(kind.to_owned()).or_default() += number;
    }

    /// Returns the count for a kind.
    pub fn of(&self, kind: &str) -> usize {
        self.counts.get(kind).copied().unwrap_or_default()
    }

    /// Returns the sum of all counts.
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, number) in &self.counts {
            write!(f, "{number} {kind}, ")?;
        }
        write!(f, "{} wrong", self.wrong.len())
    }
}

/// Splits `number` random tests among `hands` threads, each with its own seed, and returns the combined results.
pub fn drawn(
    seed: u64,
    number: usize,
    hands: usize,
    alone: impl Fn(u64, usize) -> io::Result<Tally> + Sync,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let alone = &alone;
        let running: Vec<_> = (0..hands)
            .map(|hand| {
                let share = number / hands + usize::from(hand < number % hands);
                scope.spawn(move || alone(seed.wrapping_add(hand as u64), share))
            })
            .collect();
        for hand in running {
            let one = hand
                .join()
                .unwrap_or_else(|problem| panic::resume_unwind(problem))?;
            for (kind, number) in one.counts {
                tally.count(&kind, number);
            }
            tally.wrong.extend(one.wrong);
        }
        Ok(tally)
    })
}
