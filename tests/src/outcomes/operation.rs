//! What a user does: one command, drawn at random.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use crate::service::{ListForm, ORGANIZATION, OTHER_ORGANIZATION, Outcome, Provisioning, Service};

/// The names that operations are about: few, so that they meet.
const SETS: [&str; 4] = ["prod", "staging", "my-bot-secrets", "pull-x"];

/// The keys of secret sets.
const KEYS: [&str; 5] = ["A", "B", "OPENAI_API_KEY", "lower", "C-1"];

/// A command and what it is to do.
#[derive(Debug, Clone)]
pub enum Operation {
    /// `secrets set`, with a file also `--prune`.
    Set {
        name: String,
        pairs: Vec<(String, String)>,
        wait: bool,
        file: Option<PathBuf>,
    },
    /// `secrets unset`.
    Unset { name: String, keys: Vec<String> },
    /// `secrets delete`.
    Delete { name: String },
    /// `secrets image-pull-secret`.
    Pull { name: String, credentials: String },
    /// `secrets list`, of all or of one.
    List { name: Option<String> },
}

impl Operation {
    /// The arguments behind `bot-cli cloud`.
    pub fn arguments(&self) -> Vec<String> {
        let line = match self {
            Self::Set {
                name,
                pairs,
                wait,
                file,
            } => {
                let wait = if *wait { "--wait" } else { "" };
                let input = match file {
                    Some(file) => format!("--prune --file {}", file.display()),
                    None => lines(pairs),
                };
                format!("set {name} --skip {wait} {input}")
            }
            Self::Unset { name, keys } => format!("unset --skip {name} {}", keys.join(" ")),
            Self::Delete { name } => format!("delete --skip {name}"),
            Self::Pull { name, credentials } => {
                format!("image-pull-secret --skip {name} ghcr.io {credentials}")
            }
            Self::List { name } => format!("list {}", name.as_deref().unwrap_or_default()),
        };
        let words = ["secrets"].into_iter().chain(line.split_whitespace());
        words.map(str::to_owned).collect()
    }
}

fn lines(pairs: &[(String, String)]) -> String {
    let lines = pairs.iter().map(|(key, value)| format!("{key}={value}\n"));
    lines.collect()
}

/// Draws an operation. Every value is one that was never there before, so that one look tells whether it arrived.
pub fn draw(random: &mut Rng, number: usize, folder: &Path) -> io::Result<Operation> {
    let name = SETS[random.usize(..3)].to_owned();
    let mut keys = KEYS.map(str::to_owned);
    random.shuffle(&mut keys);
    let keys = keys[..[1, 1, 2, 3][random.usize(..4)]].to_vec();
    // Now and then a name is one of the other kind of set.
    let any = SETS[random.usize(..SETS.len())].to_owned();
    let value = format!("canary-{number}-{:08x}", random.u32(..));
    let values = keys.iter().enumerate();
    let pairs: Vec<_> = values
        .map(|(index, key)| (key.clone(), format!("{value}{index}")))
        .collect();
    Ok(match random.u8(..20) {
        drawn @ 0..=7 => {
            let file = folder.join("pairs.env");
            fs::write(&file, lines(&pairs))?;
            Operation::Set {
                name,
                pairs,
                wait: random.u8(..4) == 0,
                file: (drawn > 5).then_some(file),
            }
        }
        8..=10 => Operation::Unset { name, keys },
        11..=13 => Operation::Delete { name: any },
        14..=16 => Operation::Pull {
            credentials: format!("user:{value}"),
            name: if random.u8(..4) == 0 {
                any
            } else {
                SETS[3].to_owned()
            },
        },
        17 => Operation::List { name: None },
        _ => Operation::List { name: Some(any) },
    })
}

/// Puts the service into a state in which something can be done.
pub fn prepare(service: &Service, random: &mut Rng) {
    let mut world = service.world();
    world.provisioning = Provisioning {
        pending_reads: random.u32(..3),
        outcome: match random.u8(..8) {
            0 => Outcome::Failed("no room in the cluster"),
            _ => Outcome::Ready,
        },
    };
    world.list_form = if random.bool() {
        ListForm::Published
    } else {
        ListForm::Everywhere
    };
    world.deletes_say_nothing = random.bool();
    world.empty_list_is_missing = random.bool();
    if random.u8(..2) == 0 {
        let name = SETS[random.usize(..2)];
        let values = KEYS.map(|key| (key, "before"));
        world.store(ORGANIZATION, name, "us-west", &values);
    }
    world.store(OTHER_ORGANIZATION, "prod", "ap-south", &[("A", "other")]);
}
