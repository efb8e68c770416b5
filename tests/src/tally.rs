//! What was drawn from a seed, counted, and what was wrong with it.

use std::collections::BTreeMap;
use std::{fmt, io, panic, thread};

/// The outcome of a number of draws.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of draws by their end, or of the things in them by their kind.
    pub counts: BTreeMap<String, usize>,
    /// What was wrong, each with all that is needed to see why.
    pub wrong: Vec<String>,
}

impl Tally {
    /// Adds to the number of a kind.
    pub fn count(&mut self, kind: &str, number: usize) {
        *self.counts.entry(kind.to_owned()).or_default() += number;
    }

    /// The number of a kind.
    pub fn of(&self, kind: &str) -> usize {
        self.counts.get(kind).copied().unwrap_or_default()
    }

    /// All that were counted.
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

/// Has `number` drawn on `hands` threads, each with a seed and a share of its own.
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
