//! Draws any number of hostile provider packs, and names every byte of one that got out: `hostile-packs [PACKS] [SEED]`.

use std::process::ExitCode;
use std::thread;

use bot_cli_tests::hostile;

#[expect(clippy::print_stdout, reason = "for a person who runs it by hand")]
fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let packs: usize = words
        .next()
        .and_then(|word| word.parse().ok())
        .unwrap_or(100_000);
    let seed: u64 = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let hands = thread::available_parallelism().map_or(2, usize::from);
    let tally = hostile::run(seed, packs, hands);
    for escape in &tally.wrong {
        println!("{escape}\n");
    }
    println!("seed {seed}: {tally}");
    ExitCode::from(u8::from(!tally.wrong.is_empty()))
}
