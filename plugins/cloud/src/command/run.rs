//! The `secrets run` command.

use std::env;
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::process::{become_program, shell_status};
use bot_cli_terminal::shell::quoted;
use serde_json::json;

use super::context::CommandContext;
use super::open::{self, Opened};
use super::project::{self, OwnSet};
use super::target::wrong_type;
use crate::domain::{Entry, Key, SetName};
use crate::input::{advice, both, keys, wrong};
use crate::options::Run;
use crate::platform::{self, interrupt, interruptible};
use crate::text::theirs;

/// The variable with the folders that have programs.
const PATH: &str = "PATH";

/// The interval between checks for cancellation and for the program's exit.
const TICK: Duration = Duration::from_millis(20);

/// The delay between interrupting the program and killing it. The host allows 5 seconds in total.
const GRACE: Duration = Duration::from_secs(4);

/// A variable for the program, and the set that it comes from.
struct Variable {
    entry: Entry,
    set: SetName,
}

pub(super) fn run(context: CommandContext<'_>, options: &Run) -> Result<Reply, Failure> {
    let so = "no program can be started with them";
    let input = both(
        sets(context.session, options),
        keys(&options.only, Some("--only")),
    );
    let ((sets, only), opened) = open::open_readable(context, &options.scope, input, so)?;
    let (mut variables, mut known) = (Vec::new(), Vec::new());
    for set in &sets {
        let mut entries = entries(&opened, set)?;
        known.extend(entries.iter().map(|entry| entry.key.clone()));
        entries.retain(|entry| only.is_empty() || only.contains(&entry.key));
        add(context.session, &mut variables, &set.name, entries);
    }
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    if let Some(missing) = only.iter().find(|key| !known.contains(key)) {
        return Err(opened.no_such_key(missing, &names, known.iter().map(Key::as_str)));
    }
    let path = variables.iter().find(|it| it.entry.key.as_str() == PATH);
    let unset = path.map(|it| {
        let unset = format!("secrets unset {} {PATH}", it.set);
        opened.scope.command(&unset)
    });
    drop(opened);
    let (program, arguments) = options
        .program
        .split_first()
        .ok_or_else(|| wrong("program", "missing"))?;
    let mut command = Command::new(platform::program(program));
    if options.no_inherit {
        let needed = platform::NEEDED.iter();
        let needed = needed.filter_map(|name| Some((name, env::var_os(name)?)));
        command.env_clear().envs(needed);
    }
    let pairs = variables.iter();
    let pairs = pairs.map(|it| (it.entry.key.as_str(), it.entry.value.expose()));
    command
        .args(arguments)
        .current_dir(context.session.cwd())
        .env_remove("BOT_CLI_TOKEN")
        .envs(pairs);
    if context.environment.own_streams {
        // The user's terminal and streams can be passed on.
        let error = become_program(&mut command);
        return Err(not_started(program, error, &variables, unset));
    }
    // In protocol mode, the program's output goes to stderr.
    command.stdin(Stdio::null());
    interruptible(&mut command);
    let child = command.spawn();
    drop(command);
    let child = child.map_err(|error| not_started(program, error, &variables, unset))?;
    let status = attend(context.session, child, program)?;
    context.session.exit_with(status);
    Ok(Reply::default().data(json!({ "names": names, "exit": status })))
}

/// Returns the named sets or, without a name, the set of the current project.
fn sets(session: &Session, options: &Run) -> Result<Vec<OwnSet>, Failure> {
    let parse = SetName::parse_existing;
    let set = |name| project::set(session, name, &options.of, parse, "run");
    if options.name.is_empty() {
        return Ok(vec![set(None)?]);
    }
    options.name.iter().try_fold(Vec::new(), |mut sets, name| {
        sets.push(set(Some(name))?);
        Ok(sets)
    })
}

/// Returns the entries of a set. If there is no such set, the failure names the command that creates it.
pub(super) fn entries(opened: &Opened<'_>, set: &OwnSet) -> Result<Vec<Entry>, Failure> {
    let name = &set.name;
    if let Some(entries) = opened.values(name)? {
        return Ok(entries);
    }
    if let Some(other) = opened.get(name)? {
        return Err(wrong_type(name, other.kind));
    }
    let mut failure = opened.not_found(name);
    if let Some(template) = &set.template {
        // The name is right: nobody has typed it.
        let template = quoted(&template.display().to_string());
        let set = format!("secrets set {name} --from-template {template}");
        failure.hints = vec![opened.scope.command(&set)];
    }
    Err(failure)
}

/// Adds the entries of a set, which replace those of sets before it. A note names these.
fn add(session: &Session, variables: &mut Vec<Variable>, set: &SetName, entries: Vec<Entry>) {
    let mut replaced = Vec::new();
    for entry in entries {
        let before = variables.iter_mut().find(|it| it.entry.key == entry.key);
        let set = set.clone();
        match before {
            Some(before) => {
                replaced.push(format!(
                    "{} of `{}`",
                    theirs(entry.key.as_str()),
                    before.set
                ));
                *before = Variable { entry, set };
            }
            None => variables.push(Variable { entry, set }),
        }
    }
    if !replaced.is_empty() {
        session.note(&format!("`{set}` replaces {}", replaced.join(", ")));
    }
}

/// Returns the failure for a program that could not be started. As in a shell, the exit status is 127 if the program doesn't exist,
/// otherwise 126.
fn not_started(
    program: &OsStr,
    error: io::Error,
    variables: &[Variable],
    unset: Option<String>,
) -> Failure {
    let kind = error.kind();
    let exit = if kind == ErrorKind::NotFound {
        Exit::NotFound
    } else {
        Exit::NotRunnable
    };
    let could_not = format!("could not start `{}`", program.display());
    let mut failure = Failure::because(exit, "not_started", could_not, error);
    let is_searched_for = Path::new(program).components().count() == 1;
    if kind == ErrorKind::NotFound
        && is_searched_for
        && let Some(unset) = unset
    {
        return failure.hint(format!("the set replaces `{PATH}`; `{unset}` removes it"));
    }
    if kind == ErrorKind::ArgumentListTooLong {
        let entries = variables.iter().map(|it| &it.entry);
        let long = entries.filter(|entry| advice::is_too_long(entry));
        let long = long.map(|entry| Field::new(theirs(entry.key.as_str()), advice::TOO_LONG));
        failure.fields.extend(long);
        return failure.hint("keep large values in files, and their paths in the set");
    }
    failure
}

/// Waits for the program and interrupts it if the user cancels. Returns the exit status as a shell reports it.
fn attend(session: &Session, mut child: Child, program: &OsStr) -> Result<u8, Failure> {
    let mut asked: Option<Instant> = None;
    let status = loop {
        let ended = child.try_wait().map_err(|error| {
            let lost = format!("lost sight of `{}`", program.display());
            Failure::because(Exit::Failed, "not_run", lost, error)
        })?;
        match (ended, asked) {
            (Some(status), _) => break status,
            (None, None) if session.cancel().requested() => {
                asked = Some(Instant::now());
                interrupt(&child);
            }
            (None, Some(since)) if since.elapsed() > GRACE => drop(child.kill()),
            (None, _) => thread::sleep(TICK),
        }
    };
    if asked.is_some() {
        return Err(Failure::cancelled());
    }
    Ok(u8::try_from(shell_status(status)).unwrap_or(1))
}
