//! Fuzzes project generation with random provider packs that try to break out of the text around them. Every byte that reaches a generated
//! project is compared with what is allowed.
//!
//! Each pack is generated as an author would write it, then spoiled: changed in several random places. The parts that pass validation go
//! into a project. The project must have the same structure as its twin, which is generated from the same pack with harmless text.

mod draw;
mod grammar;
mod project;
mod python;
mod twin;

use bot_cli_init::{Catalogue, Pack, PackSource};
use bot_cli_templates::pack::{self, Provider};
use fastrand::Rng;

use crate::tally::{Tally, drawn};

/// Tests `packs` random packs on `hands` threads.
pub fn run(seed: u64, packs: usize, hands: usize) -> Tally {
    drawn(seed, packs, hands, |seed, share| Ok(alone(seed, share))).unwrap_or_default()
}

fn alone(seed: u64, packs: usize) -> Tally {
    let mut random = Rng::with_seed(seed);
    let built_in = bot_cli_templates::catalogue::Catalogue::get().taken();
    let mut tally = Tally::default();
    for number in 0..packs {
        let (sound, drawn) = draw::pack(&mut random);
        tally.count("packs", 1);
        let Ok(contents) = pack::read(draw::NAME, drawn.clone(), &mut built_in.clone()) else {
            tally.count("packs refused", 1);
            continue;
        };
        tally.count("services left out", contents.left_out.len());
        let mut wrong: Vec<String> = (contents.left_out.iter())
            .flat_map(|left_out| [left_out.what.clone(), left_out.reason()])
            .filter(|words| !grammar::is_line(words))
            .map(|words| format!("a reason is no printable line: {words:?}"))
            .collect();
        let sound = pack::read(draw::NAME, sound, &mut built_in.clone());
        if !sound.as_ref().is_ok_and(|sound| sound.left_out.is_empty()) {
            wrong.push(format!("it is refused as its author wrote it: {sound:?}"));
        }
        wrong.extend(look(&contents.providers, &mut random, &mut tally));
        if !wrong.is_empty() {
            tally.wrong.push(format!(
                "seed {seed}, pack {number}:\n  {}\n  {drawn}",
                wrong.join("\n  ")
            ));
        }
    }
    tally
}

/// Returns the problems with the accepted services and with the project generated from them.
fn look(providers: &[Provider], random: &mut Rng, tally: &mut Tally) -> Vec<String> {
    let mut wrong: Vec<String> = providers.iter().flat_map(grammar::breaches).collect();
    let services = providers
        .iter()
        .map(|provider| provider.services.len())
        .sum();
    tally.count("services taken", services);
    if services == 0 {
        return wrong;
    }
    let spoiled = catalogue(providers.to_vec());
    let twin = catalogue(twin::of(providers));
    match project::compare(&spoiled, &twin, random) {
        Ok(found) => {
            tally.count("projects", 1);
            wrong.extend(found);
        }
        // Two of its services that can't be in one bot.
        Err(project::Refused) => tally.count("projects refused", 1),
    }
    wrong
}

fn catalogue(providers: Vec<Provider>) -> Catalogue {
    let pack = Pack {
        name: draw::NAME.to_owned(),
        source: PackSource {
            version: "1.2.0".to_owned(),
            from: None,
            sha256: None,
        },
        about: String::new(),
        providers,
    };
    Catalogue::with(vec![pack], Vec::new())
}
