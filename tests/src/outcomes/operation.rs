//! The commands that a user runs, drawn at random.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fastrand::Rng;
use serde_json::json;

use super::settings::{self, AGENT, LOST, Wanted};
use crate::service::{
    BuildEnd, Building, ListForm, ORGANIZATION, OTHER_ORGANIZATION, Outcome, Provisioning, Rollout,
    RolloutEnd, Service,
};

/// The names of the sets. There are only a few, so that operations often affect the same set.
const SETS: [&str; 4] = ["prod", "staging", "my-bot-secrets", "pull-x"];

/// The environments of the project in which the operations run. The agent of the first is [`AGENT`]; their sets have their names.
const ENVIRONMENTS: [&str; 2] = ["prod", "staging"];

/// The agent of the second environment.
pub(super) const OTHER_AGENT: &str = "my-bot-staging";

const KEYS: [&str; 5] = ["A", "B", "OPENAI_API_KEY", "lower", "C-1"];

/// A command, and the change that it makes.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The command line after `bot-cli cloud`.
    pub line: String,
    pub change: Change,
    /// The values that must not be shown.
    pub secrets: Vec<String>,
}

/// A change, or a listing of all sets or one.
#[derive(Debug, Clone)]
pub enum Change {
    List {
        name: Option<String>,
    },
    /// Sets keys.
    Set {
        name: String,
        pairs: Vec<(String, String)>,
    },
    Unset {
        name: String,
        keys: Vec<String>,
    },
    Delete {
        name: String,
    },
    /// Stores an image pull secret with these encoded credentials.
    Pull {
        name: String,
        credentials: String,
    },
    OfAgent(AgentChange),
}

/// A change of the agent.
#[derive(Debug, Clone)]
pub enum AgentChange {
    Image(String),
    /// Deploys an image that the service builds from a folder.
    Build,
    /// Deploys the build that the other environment runs.
    Promote,
    Settings(Wanted),
    Start,
    Delete,
}

impl Operation {
    fn new(line: String, change: Change) -> Self {
        Self {
            line,
            change,
            secrets: Vec::new(),
        }
    }

    /// Returns the arguments after `bot-cli cloud`.
    pub fn arguments(&self) -> impl Iterator<Item = String> {
        self.line.split_whitespace().map(str::to_owned)
    }
}

/// Writes the project of the operations into `folder`, without a deployment file for no environment.
pub fn write_project(folder: &Path) -> io::Result<PathBuf> {
    let project = folder.join("project");
    fs::create_dir_all(&project)?;
    fs::write(project.join("Dockerfile"), "FROM scratch\n")?;
    for (environment, agent) in ENVIRONMENTS.iter().zip([AGENT, OTHER_AGENT]) {
        let file = project.join(format!("cloud-deploy.{environment}.toml"));
        let text = format!("agent_name = \"{agent}\"\nsecret_set = \"{environment}\"\n");
        fs::write(file, text)?;
    }
    Ok(project)
}

/// Returns the words for a set on a command line: often the environment that has it, else its name.
fn named(name: &str, random: &mut Rng) -> String {
    if ENVIRONMENTS.contains(&name) && random.bool() {
        format!("--environment {name}")
    } else {
        name.to_owned()
    }
}

/// Draws an operation on an agent. Every image and folder is new.
fn on_an_agent(
    random: &mut Rng,
    number: usize,
    folder: &Path,
    only_settings: bool,
) -> io::Result<Operation> {
    let in_environment = !only_settings && random.bool();
    let (agent, option) = match ENVIRONMENTS {
        [environment, _] if in_environment => {
            let words = format!("--environment {environment}");
            (words.clone(), words)
        }
        _ => (AGENT.to_owned(), format!("--agent {AGENT}")),
    };
    let deploy = format!("deploy --skip --timeout 1 {option} --region us-west");
    let drawn = if only_settings { 6 } else { random.u8(..12) };
    let (line, change) = match drawn {
        0..=3 => {
            let image = format!("me/bot:{number}-{:08x}", random.u32(..));
            let no_wait = if random.bool() { "--no-wait" } else { "" };
            let line = format!("{deploy} --image {image} {no_wait}");
            (line, AgentChange::Image(image))
        }
        4..=5 => {
            let folder = folder.join("project");
            let code = format!("# {number}-{:08x}\n", random.u32(..));
            fs::write(folder.join("bot.py"), code)?;
            let line = format!("{deploy} {}", folder.display());
            (line, AgentChange::Build)
        }
        6 => {
            let (line, wanted) = settings::draw(random, folder)?;
            (line, AgentChange::Settings(wanted))
        }
        7 => (format!("agents start {agent}"), AgentChange::Start),
        8..=9 => {
            let line = format!("agents delete {agent} --skip");
            (line, AgentChange::Delete)
        }
        _ => {
            let [to, from] = ENVIRONMENTS;
            let line = format!("deploy --skip --timeout 1 --environment {to} --from {from}");
            (line, AgentChange::Promote)
        }
    };
    let mut operation = Operation::new(line, Change::OfAgent(change));
    operation.secrets.push("pk_publickey".to_owned());
    Ok(operation)
}

/// Draws an operation. Every value is unique, so the stored state shows whether the value arrived.
pub fn draw(
    random: &mut Rng,
    number: usize,
    folder: &Path,
    only_settings: bool,
) -> io::Result<Operation> {
    if only_settings || random.u8(..3) == 0 {
        return on_an_agent(random, number, folder, only_settings);
    }
    let name = SETS[random.usize(..3)].to_owned();
    let mut keys = KEYS.map(str::to_owned);
    random.shuffle(&mut keys);
    let keys = keys[..[1, 1, 2, 3][random.usize(..4)]].to_vec();
    // Now and then a name is one of the other kind of set.
    let any = SETS[random.usize(..SETS.len())].to_owned();
    let value = format!("canary-{number}-{:08x}", random.u32(..));
    let mut operation = match random.u8(..20) {
        drawn @ 0..=7 => {
            let wait = if random.u8(..4) == 0 { "--wait" } else { "" };
            let values = keys.into_iter().enumerate();
            let pairs: Vec<_> = values
                .map(|(index, key)| (key, format!("{value}{index}")))
                .collect();
            let lines = pairs.iter().map(|(key, value)| format!("{key}={value}\n"));
            let lines: String = lines.collect();
            let input = if drawn > 5 {
                let file = folder.join("pairs.env");
                fs::write(&file, lines)?;
                format!("--file {}", file.display())
            } else {
                lines
            };
            let named = named(&name, random);
            let line = format!("secrets set {named} --skip {wait} {input}");
            Operation::new(line, Change::Set { name, pairs })
        }
        8..=10 => {
            let named = named(&name, random);
            let line = format!("secrets unset --skip {named} {}", keys.join(" "));
            Operation::new(line, Change::Unset { name, keys })
        }
        11..=13 => {
            let line = format!("secrets delete --skip {}", named(&any, random));
            Operation::new(line, Change::Delete { name: any })
        }
        14..=16 => {
            let is_any = random.u8(..4) == 0;
            let name = if is_any { any } else { SETS[3].to_owned() };
            let line = format!("secrets image-pull-secret --skip {name} ghcr.io user:{value}");
            let credentials = STANDARD.encode(format!("user:{value}"));
            Operation::new(line, Change::Pull { name, credentials })
        }
        17 => Operation::new("secrets list".to_owned(), Change::List { name: None }),
        _ => {
            let line = format!("secrets list {}", named(&any, random));
            Operation::new(line, Change::List { name: Some(any) })
        }
    };
    operation.secrets.push(value);
    if let Change::Pull { credentials, .. } = &operation.change {
        operation.secrets.push(credentials.clone());
    }
    Ok(operation)
}

/// Puts the service into a random state in which operations can have an effect.
pub fn prepare(service: &Service, random: &mut Rng) {
    let built = service.stored()[ORGANIZATION]["/agents"][AGENT]["buildId"].clone();
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
    world.shows_little = random.u8(..4) == 0;
    world.drops = match random.u8(..8) {
        // What is neither kept nor shown can't be told.
        0 => LOST[random.usize(usize::from(world.shows_little)..LOST.len())],
        _ => "",
    };
    world.self_hosted_regions = match random.u8(..3) {
        0 => vec!["us-west".to_owned()],
        _ => Vec::new(),
    };
    if random.u8(..3) == 0 {
        world.deploy(ORGANIZATION, AGENT, &json!({"image": "me/bot:before"}));
    }
    if !built.is_null() && random.bool() {
        let image = json!({"image": "me/bot:before"});
        world.deploy(ORGANIZATION, OTHER_AGENT, &json!({"buildId": built}));
        world.deploy(ORGANIZATION, AGENT, &image);
    }
    if world.keys(ORGANIZATION).is_empty() {
        world.add_key(ORGANIZATION, "key");
    }
}
