//! The commands that a user runs, drawn at random.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use serde_json::json;

use crate::service::{
    BuildEnd, Building, ListForm, ORGANIZATION, OTHER_ORGANIZATION, Outcome, Provisioning, Rollout,
    RolloutEnd, Service,
};

/// The agent that the operations affect.
pub(super) const AGENT: &str = "my-bot";

/// The names of the sets. There are only a few, so that operations often affect the same set.
const SETS: [&str; 4] = ["prod", "staging", "my-bot-secrets", "pull-x"];

const KEYS: [&str; 5] = ["A", "B", "OPENAI_API_KEY", "lower", "C-1"];

/// A command with its arguments.
#[derive(Debug, Clone)]
pub enum Operation {
    /// `secrets set`, with `--prune` if there is a file.
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
    /// `deploy` with an image.
    DeployImage { image: String, no_wait: bool },
    /// `deploy` with a folder, from which the service builds the image.
    DeployFolder { folder: PathBuf },
    /// `agents scale`.
    Scale { max: usize },
    /// `agents start`.
    Start,
    /// `agents delete`.
    DeleteAgent,
    /// `secrets list`, for all sets or one.
    List { name: Option<String> },
}

impl Operation {
    /// Returns the arguments after `bot-cli cloud`.
    pub fn arguments(&self) -> Vec<String> {
        if let Some(line) = self.of_an_agent() {
            return line.split_whitespace().map(str::to_owned).collect();
        }
        let line = match self {
            Self::DeployImage { .. }
            | Self::DeployFolder { .. }
            | Self::Scale { .. }
            | Self::Start
            | Self::DeleteAgent => String::new(),
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

    fn of_an_agent(&self) -> Option<String> {
        let deploy = format!("deploy --skip --timeout 1 --agent {AGENT} --region us-west");
        Some(match self {
            Self::DeployImage { image, no_wait } => {
                let no_wait = if *no_wait { "--no-wait" } else { "" };
                format!("{deploy} --image {image} {no_wait}")
            }
            Self::DeployFolder { folder } => format!("{deploy} {}", folder.display()),
            Self::Scale { max } => format!("agents scale {AGENT} --skip --max-agents {max}"),
            Self::Start => format!("agents start {AGENT}"),
            Self::DeleteAgent => format!("agents delete {AGENT} --skip"),
            Self::Set { .. }
            | Self::Unset { .. }
            | Self::Delete { .. }
            | Self::Pull { .. }
            | Self::List { .. } => return None,
        })
    }
}

fn lines(pairs: &[(String, String)]) -> String {
    let lines = pairs.iter().map(|(key, value)| format!("{key}={value}\n"));
    lines.collect()
}

/// Draws an operation on an agent. Every image and folder is new.
fn on_an_agent(random: &mut Rng, number: usize, folder: &Path) -> io::Result<Operation> {
    Ok(match random.u8(..10) {
        0..=3 => Operation::DeployImage {
            image: format!("me/bot:{number}-{:08x}", random.u32(..)),
            no_wait: random.bool(),
        },
        4..=5 => {
            let folder = folder.join("project");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("Dockerfile"), "FROM scratch\n")?;
            let code = format!("# {number}-{:08x}\n", random.u32(..));
            fs::write(folder.join("bot.py"), code)?;
            Operation::DeployFolder { folder }
        }
        6 => Operation::Scale { max: number + 2 },
        7 => Operation::Start,
        _ => Operation::DeleteAgent,
    })
}

/// Draws an operation. Every value is unique, so the stored state shows whether the value arrived.
pub fn draw(random: &mut Rng, number: usize, folder: &Path) -> io::Result<Operation> {
    if random.u8(..3) == 0 {
        return on_an_agent(random, number, folder);
    }
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

/// Puts the service into a random state in which operations can have an effect.
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
    world.rollout = Rollout {
        pending_reads: random.u32(..3),
        end: match random.u8(..12) {
            0 => RolloutEnd::Never,
            1 => RolloutEnd::CrashLoop {
                logs: vec!["KeyError".to_owned()],
            },
            2 => RolloutEnd::Refused {
                code: "PCC-1105".to_owned(),
                message: "exec format error".to_owned(),
            },
            _ => RolloutEnd::Ready,
        },
    };
    world.building = Building {
        pending_reads: random.u32(..3),
        end: match random.u8(..6) {
            0 => BuildEnd::Timeout,
            1 => BuildEnd::Failed {
                message: "COPY failed".to_owned(),
                logs: vec!["Step 1/2".to_owned()],
            },
            _ => BuildEnd::Success,
        },
    };
    if random.u8(..3) == 0 {
        world.deploy(ORGANIZATION, AGENT, &json!({"image": "me/bot:before"}));
    }
    if world.keys(ORGANIZATION).is_empty() {
        world.add_key(ORGANIZATION, "key");
    }
}
