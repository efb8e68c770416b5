//! Makes random changes against a service with random faults. Every message, member and status is then compared with what the service
//! actually stores.
//!
//! The operations run in this process, with short timeouts and delays.

mod claims;
mod operation;
mod runner;
mod settings;
mod weather;

use std::io;

use fastrand::Rng;

use crate::service::{ORGANIZATION, Service};
use crate::tally::{Tally, drawn};
use runner::LONGEST;
pub use runner::{Ran, Runner};

/// Runs `operations` random operations on `hands` threads. Each thread has its own service.
pub fn run(seed: u64, operations: usize, hands: usize, runner: &Runner) -> io::Result<Tally> {
    drawn(seed, operations, hands, |seed, share| {
        alone(seed, share, runner)
    })
}

fn alone(seed: u64, operations: usize, runner: &Runner) -> io::Result<Tally> {
    let mut random = Rng::with_seed(seed);
    let service = Service::start()?;
    let folder = tempfile::tempdir()?;
    let project = operation::write_project(folder.path())?;
    let mut tally = Tally::default();
    for number in 0..operations {
        operation::prepare(&service, &mut random);
        if runner.only_settings {
            let mut world = service.world();
            world.store_pull(ORGANIZATION, "pull-x", "us-west");
        }
        let operation = operation::draw(&mut random, number, folder.path(), runner.only_settings)?;
        let before = service.stored();
        let weather = weather::draw(&mut random, LONGEST);
        service.follow(weather.script.clone());
        service.world().sent.clear();
        let ran = runner.run(&service, (&project, &operation), weather.stop)?;
        service.heal();
        service.settle();
        let after = service.stored();
        let wrong = claims::untrue(&operation, &before, &after, &ran, runner.with_key);
        let ending = claims::ending(&ran);
        tally.count(&ending, 1);
        if !wrong.is_empty() {
            let sent: Vec<String> = service.take_sent();
            tally.wrong.push(format!(
                "seed {seed}, operation {number}: {operation:?}\n  untrue: {wrong:?}\n  weather: {weather:?}\n  sent: {sent:?}\n  before: {before}\n  after: {after}\n  said: {ran:#?}"
            ));
        }
    }
    Ok(tally)
}
