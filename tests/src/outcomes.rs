//! Random changes against a service whose faults are drawn from a seed, and every sentence, member and status compared with
//! what the service really holds afterwards.
//!
//! The same operations run inside this process, with short pauses, and through the real executable, with real signals.

mod claims;
mod operation;
mod runner;
mod weather;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::thread;

use fastrand::Rng;

use crate::service::Service;
pub use runner::{Executable, InProcess, Ran, Runner};

/// The outcome of a number of operations.
#[derive(Debug, Default)]
pub struct Tally {
    /// The number of operations by their end.
    pub endings: BTreeMap<String, usize>,
    /// Operations that said something untrue, each with all that is needed to see why.
    pub untrue: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Self) {
        for (ending, count) in other.endings {
            *self.endings.entry(ending).or_default() += count;
        }
        self.untrue.extend(other.untrue);
    }

    /// Returns how many operations there were.
    pub fn operations(&self) -> usize {
        self.endings.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} operations", self.operations())?;
        for (ending, count) in &self.endings {
            write!(f, ", {count} {ending}")?;
        }
        write!(f, "; {} untrue", self.untrue.len())
    }
}

/// Runs `operations` of them on `hands` threads, each with a service of its own.
pub fn run<R: Runner>(
    seed: u64,
    operations: usize,
    hands: usize,
    runner: impl Fn() -> R + Sync,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let running: Vec<_> = (0..hands)
            .map(|hand| {
                let share = operations / hands + usize::from(hand < operations % hands);
                let runner = &runner;
                scope.spawn(move || alone(seed.wrapping_add(hand as u64), share, &runner()))
            })
            .collect();
        for hand in running {
            match hand.join() {
                Ok(one) => tally.add(one?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(tally)
    })
}

fn alone(seed: u64, operations: usize, runner: &impl Runner) -> io::Result<Tally> {
    let mut random = Rng::with_seed(seed);
    let service = Service::start()?;
    let folder = tempfile::tempdir()?;
    let mut tally = Tally::default();
    for number in 0..operations {
        operation::prepare(&service, &mut random);
        let operation = operation::draw(&mut random, number, folder.path())?;
        let before = service.stored();
        let weather = weather::draw(&mut random, runner.longest(), runner.stops());
        service.follow(weather.script.clone());
        service.world().sent.clear();
        let ran = runner.run(&service, &operation, weather.stop)?;
        service.heal();
        service.settle();
        let after = service.stored();
        let wrong = claims::untrue(&operation, &before, &after, &ran);
        let ending = claims::ending(&ran);
        *tally.endings.entry(ending).or_default() += 1;
        if !wrong.is_empty() {
            let sent: Vec<String> = service.take_sent();
            tally.untrue.push(format!(
                "seed {seed}, operation {number}: {operation:?}\n  untrue: {wrong:?}\n  weather: {weather:?}\n  sent: {sent:?}\n  before: {before}\n  after: {after}\n  said: {ran:#?}"
            ));
        }
    }
    Ok(tally)
}
