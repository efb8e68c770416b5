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
    /// `secrets set`.
    Set {
        /// The set.
        name: String,
        /// Keys with values.
        pairs: Vec<(String, String)>,
        /// Whether it waits until the set is ready.
        wait: bool,
    },
    /// `secrets set --file … --prune`.
    Prune {
        /// The set.
        name: String,
        /// Keys with values; all others go.
        pairs: Vec<(String, String)>,
        /// The file that has them.
        file: PathBuf,
    },
    /// `secrets unset`.
    Unset {
        /// The set.
        name: String,
        /// The keys.
        keys: Vec<String>,
    },
    /// `secrets delete`.
    Delete {
        /// The set.
        name: String,
    },
    /// `secrets image-pull-secret`.
    Pull {
        /// The name.
        name: String,
        /// User and token.
        credentials: String,
    },
    /// `secrets list`.
    List,
    /// `secrets list NAME`.
    Show {
        /// The set.
        name: String,
    },
}

impl Operation {
    /// The arguments behind `bot-cli cloud`.
    pub fn arguments(&self) -> Vec<String> {
        let mut words = vec!["secrets".to_owned()];
        let mut add = |more: &[&str]| words.extend(more.iter().map(|word| (*word).to_owned()));
        match self {
            Self::Set { name, pairs, wait } => {
                add(&["set", name, "--skip"]);
                if *wait {
                    add(&["--wait"]);
                }
                for (key, value) in pairs {
                    add(&[&format!("{key}={value}")]);
                }
            }
            Self::Prune { name, file, .. } => {
                let file = file.display().to_string();
                add(&["set", name, "--file", &file, "--prune", "--skip"]);
            }
            Self::Unset { name, keys } => {
                add(&["unset", "--skip", name]);
                for key in keys {
                    add(&[key]);
                }
            }
            Self::Delete { name } => add(&["delete", "--skip", name]),
            Self::Pull { name, credentials } => {
                add(&["image-pull-secret", "--skip", name, "ghcr.io", credentials]);
            }
            Self::List => add(&["list"]),
            Self::Show { name } => add(&["list", name]),
        }
        words
    }
}

/// Draws an operation. Every value is one that was never there before, so that one look tells whether it arrived.
pub fn draw(random: &mut Rng, number: usize, folder: &Path) -> io::Result<Operation> {
    let name = SETS[random.usize(..3)].to_owned();
    let keys = |random: &mut Rng| {
        let mut keys = KEYS.map(str::to_owned);
        random.shuffle(&mut keys);
        keys[..[1, 1, 2, 3][random.usize(..4)]].to_vec()
    };
    // Now and then a name is one of the other kind of set.
    let any = SETS[random.usize(..SETS.len())].to_owned();
    let pairs = |random: &mut Rng| -> Vec<(String, String)> {
        let keys = keys(random).into_iter();
        keys.map(|key| (key, format!("canary-{number}-{:08x}", random.u32(..))))
            .collect()
    };
    Ok(match random.u8(..20) {
        0..=5 => Operation::Set {
            pairs: pairs(random),
            wait: random.u8(..4) == 0,
            name,
        },
        6..=7 => {
            let pairs = pairs(random);
            let file = folder.join("pairs.env");
            let lines: Vec<String> = pairs
                .iter()
                .map(|(key, value)| format!("{key}={value}\n"))
                .collect();
            fs::write(&file, lines.concat())?;
            Operation::Prune { name, pairs, file }
        }
        8..=10 => Operation::Unset {
            keys: keys(random),
            name,
        },
        11..=13 => Operation::Delete { name: any },
        14..=16 => Operation::Pull {
            credentials: format!("user:canary-{number}-{:08x}", random.u32(..)),
            name: if random.u8(..4) == 0 {
                any
            } else {
                SETS[3].to_owned()
            },
        },
        17 => Operation::List,
        _ => Operation::Show { name: any },
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
