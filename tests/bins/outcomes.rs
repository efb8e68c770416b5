//! Runs random operations against a faulty service and prints every false claim about their outcomes. Usage: `outcomes [OPERATIONS]
//! [SEED]`. As many operations again change only the settings of an agent.

use std::process::ExitCode;

use anyhow::Context as _;
use bot_cli_tests::outcomes::{Runner, run};

#[expect(clippy::print_stdout, reason = "for a person who runs it by hand")]
fn main() -> anyhow::Result<ExitCode> {
    let mut words = std::env::args().skip(1);
    let operations: usize = words
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(10_000);
    let seed: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mut untrue = 0;
    for (with_key, only_settings) in [(true, false), (false, false), (true, true), (false, true)] {
        let library = Runner {
            with_key,
            only_settings,
        };
        let tally = run(seed, operations / 2, 16, &library).context("could not start a service")?;
        for one in &tally.wrong {
            println!("{one}\n");
        }
        println!(
            "seed {seed}, {}{}: {tally}",
            if only_settings { "settings, " } else { "" },
            if with_key {
                "published paths"
            } else {
                "organization paths"
            }
        );
        untrue += tally.wrong.len();
    }
    Ok(ExitCode::from(u8::from(untrue > 0)))
}
