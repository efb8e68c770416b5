//! `secrets run`: a program with a set in its environment.

mod not_started;

use std::collections::BTreeSet;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::process::become_program;
use bot_cli_terminal::shell::quoted;
use serde_json::json;

use super::context::CommandContext;
use super::open::{self, Opened};
use super::{choose, kind, project};
use crate::backend::Ability;
use crate::domain::{Entry, SetKind, SetName};
use crate::input::wrong;
use crate::options::Run;
use crate::platform::{self, interrupt, interruptible, shell_status};
use crate::scope::{Scope, Wanted};
use crate::source::Source;
use crate::words::failed;

/// The consequence of a backend that returns no values.
const NO_PROGRAM: &str = "no program can be started with them";

/// The interval at which the program and the user's requests are checked.
const TICK: Duration = Duration::from_millis(20);

/// The time between the user's request to stop and the kill of the program. The host gives us 5 seconds.
const GRACE: Duration = Duration::from_secs(4);

pub(super) fn run(context: &CommandContext<'_>, options: &Run) -> Result<Reply, Failure> {
    let named = named(context, options)?;
    let scope = readable(context, &options.scope.wanted(None))?;
    let opened = open::open_scope(context, scope)?;
    let reader = opened.reader(NO_PROGRAM)?;
    let (name, template) = match named {
        Some(named) => named,
        None => (chosen(context, &opened)?, None),
    };
    let values = reader.values(&name);
    let Some(entries) = values? else {
        if let Some(other) = opened.backend.get(&name)? {
            return Err(no_secret_set(&name, other.summary.kind, &opened.scope));
        }
        let failure = not_there(&opened, &name, &[SetKind::Secret]);
        return Err(match template {
            Some(template) => failure.hint(project::filled(&template, &opened.scope)),
            None => failure,
        });
    };
    drop(opened);
    let Some((program, arguments)) = options.program.split_first() else {
        return Err(wrong("program", "missing"));
    };
    warn_of_powers(context, &name, &entries);
    let mut command = Command::new(platform::program(program));
    command
        .args(arguments)
        .current_dir(context.cwd())
        .env_remove("BOT_CLI_TOKEN")
        .envs(environment(&entries));
    if context.environment.own_streams {
        // The user's terminal and streams are ours to hand on.
        let error = become_program(&mut command);
        return Err(not_started::failure(program, &entries, error));
    }
    let shown = context.format() == Format::Text;
    command.stdin(Stdio::null()).stdout(if shown {
        Stdio::piped()
    } else {
        Stdio::inherit()
    });
    interruptible(&mut command);
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Err(not_started::failure(program, &entries, error)),
    };
    drop(command);
    let status = attend(context, child, program)?;
    Ok(ended(context, &name, status))
}

/// The set that the command line or the project names, and the project's template of it; `None` where the user can be asked.
fn named(
    context: &CommandContext<'_>,
    options: &Run,
) -> Result<Option<(SetName, Option<PathBuf>)>, Failure> {
    let parsed =
        |name: &str| SetName::parse_existing(name).map_err(|problem| wrong("name", problem));
    if let Some(name) = &options.name {
        return Ok(Some((parsed(name)?, None)));
    }
    if let Some(deploy) = project::find(&context.cwd(), "run")? {
        let name = deploy.secret_set.clone();
        context.note(&deploy.used(&name));
        return Ok(Some((name, deploy.template(&context.cwd()))));
    }
    if context.can_choose(choose::KEY) {
        return Ok(None);
    }
    Err(Failure::invalid_input(vec![project::no_name()]))
}

/// Returns the scope for reading values: that of the options or, if its backend returns no values and was not named here, the
/// vault of this machine.
fn readable(context: &CommandContext<'_>, wanted: &Wanted) -> Result<Scope, Failure> {
    let scope = open::scope(context, wanted)?;
    let kind = kind::of(&context.environment, &scope.backend)?;
    let profile = kind.profile();
    let gives_values = profile.can(Ability::Values);
    if scope.backend.source == Source::Default || (!gives_values && wanted.backend.is_none()) {
        return open::vault_scope(context, wanted.organization.as_deref());
    }
    if gives_values {
        Ok(scope)
    } else {
        Err(open::not_readable(&profile, NO_PROGRAM))
    }
}

/// The set that the user chooses.
fn chosen(context: &CommandContext<'_>, opened: &Opened<'_>) -> Result<SetName, Failure> {
    if let Some(name) = choose::existing(context, opened)? {
        return Ok(name);
    }
    let message = format!("there is no secret set in {}", place(opened));
    let set = opened
        .scope
        .command("secrets set my-bot-secrets --file .env");
    Err(failed("not_found", message).hint(set))
}

/// The name is that of something else, which no program can be started with.
fn no_secret_set(name: &SetName, kind: SetKind, scope: &Scope) -> Failure {
    let is = match kind {
        SetKind::ImagePullSecret => "an image pull secret",
        SetKind::Secret | SetKind::Unknown => "of an unknown kind",
    };
    let message = format!("`{name}` is {is}, not a secret set");
    failed("wrong_type", message).hint(scope.command("secrets list --sets"))
}

/// There is no such set; perhaps there is one of these `kinds` in another organization.
pub fn not_there(opened: &Opened<'_>, name: &SetName, kinds: &[SetKind]) -> Failure {
    let message = format!("there is no secret set `{name}` in {}", place(opened));
    let failure = failed("not_found", message);
    match opened.backend.elsewhere(name, kinds) {
        Some(organization) => failure.hint(format!(
            "the organization `{organization}` of {} has one: `-o {}`",
            opened.profile().subject,
            quoted(organization.as_str())
        )),
        None => failure.hint(opened.scope.command("secrets list")),
    }
}

fn place(opened: &Opened<'_>) -> String {
    let (keeper, place) = (&opened.profile().keeper, opened.place());
    if *keeper == place {
        return place;
    }
    format!("{keeper} ({place})")
}

/// The program's status is ours.
fn ended(context: &CommandContext<'_>, name: &SetName, status: u8) -> Reply {
    context.exit_with(status);
    Reply::default().data(json!({ "name": name.as_str(), "exit": status }))
}

/// Says which keys of the set change how programs run, whoever wrote them. They are handed on all the same: the vault's and those of every
/// other backend.
fn warn_of_powers(context: &CommandContext<'_>, name: &SetName, entries: &[Entry]) {
    let keys = entries.iter().map(|entry| entry.key.as_str());
    let powers: BTreeSet<String> = keys.filter_map(power).collect();
    if !powers.is_empty() {
        let powers: Vec<String> = powers.into_iter().collect();
        let powers = powers.join(", ");
        context.warn(&format!(
            "`{name}` sets {powers}: not only values for a bot, but what programs run or how"
        ));
    }
}

/// The name, as far as it is ours to show, of a variable that the loader, shells, interpreters or bot-cli read, and not only the program
/// that is started.
fn power(key: &str) -> Option<String> {
    const NAMES: [&str; 10] = [
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "NODE_OPTIONS",
        "PYTHONPATH",
        "PYTHONHOME",
        "PYTHONSTARTUP",
        "PERL5OPT",
    ];
    const BEGINNINGS: [&str; 4] = ["LD_", "DYLD_", "GIT_", "BOT_CLI_"];
    let mut beginnings = BEGINNINGS.iter();
    match beginnings.find(|start| key.starts_with(**start)) {
        Some(start) => Some(format!("`{start}…`")),
        None => NAMES.contains(&key).then(|| format!("`{key}`")),
    }
}

fn environment(entries: &[Entry]) -> impl Iterator<Item = (&str, &str)> {
    entries
        .iter()
        .map(|entry| (entry.key.as_str(), entry.value.expose()))
}

/// Passes on what the program says until it ends; its exit status, as a shell has it.
fn attend(context: &CommandContext<'_>, mut child: Child, program: &str) -> Result<u8, Failure> {
    let (said, heard) = mpsc::channel();
    let reader = child.stdout.take().map(|mut stdout| {
        thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(length @ 1..) = stdout.read(&mut buffer) {
                if said.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        })
    });
    let mut rest = Vec::new();
    let mut asked: Option<Instant> = None;
    let lost = |error: std::io::Error| {
        let lost = format!("lost sight of `{program}`");
        Failure::because(Exit::Failed, "not_run", lost, error)
    };
    let status = loop {
        match heard.recv_timeout(TICK) {
            Ok(bytes) => pass_on(context, &mut rest, &bytes),
            Err(RecvTimeoutError::Disconnected) => thread::sleep(TICK),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait().map_err(lost)? {
            break status;
        }
        match asked {
            None if context.cancel.requested() => {
                asked = Some(Instant::now());
                interrupt(&child);
            }
            Some(since) if since.elapsed() > GRACE => drop(child.kill()),
            Some(_) | None => {}
        }
    };
    // What the program said last; a child of it that keeps the stream open is not waited for.
    while let Ok(bytes) = heard.recv_timeout(TICK * 5) {
        pass_on(context, &mut rest, &bytes);
    }
    context.output(&String::from_utf8_lossy(&rest));
    drop(reader);
    if asked.is_some() {
        return Err(Failure::cancelled());
    }
    let code = shell_status(status);
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Shows whole characters; half of one waits for its other half.
fn pass_on(context: &CommandContext<'_>, rest: &mut Vec<u8>, bytes: &[u8]) {
    rest.extend_from_slice(bytes);
    let whole = match std::str::from_utf8(rest) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        Ok(_) | Err(_) => rest.len(),
    };
    let text: Vec<u8> = rest.drain(..whole).collect();
    if !text.is_empty() {
        context.output(&String::from_utf8_lossy(&text));
    }
}
