//! The `secrets run` command.

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
use super::open;
use super::project::{self, OwnSet};
use super::target::wrong_type;
use crate::domain::{Entry, SetName};
use crate::input::{advice, wrong};
use crate::options::Run;
use crate::platform::{self, interrupt, interruptible};
use crate::text::theirs;

/// The variable with the folders that have programs.
const PATH: &str = "PATH";

/// The interval between checks for cancellation and for the program's exit.
const TICK: Duration = Duration::from_millis(20);

/// The delay between interrupting the program and killing it. The host allows 5 seconds in total.
const GRACE: Duration = Duration::from_secs(4);

pub(super) fn run(context: CommandContext<'_>, options: &Run) -> Result<Reply, Failure> {
    let so = "no program can be started with them";
    let input = project::set(
        context.session,
        options.name.as_ref(),
        SetName::parse_existing,
        "run",
    );
    let (OwnSet { name, template, .. }, opened) =
        open::open_readable(context, &options.scope, input, so)?;
    let Some(entries) = opened.values(&name)? else {
        if let Some(other) = opened.get(&name)? {
            return Err(wrong_type(&name, other.kind));
        }
        let mut failure = opened.not_found(&name);
        failure.hints.extend(template.map(|template| {
            let template = quoted(&template.display().to_string());
            let set = format!("secrets set --from-template {template}");
            opened.scope.command(&set)
        }));
        return Err(failure);
    };
    let unset = opened
        .scope
        .command(&format!("secrets unset {name} {PATH}"));
    drop(opened);
    let (program, arguments) = options
        .program
        .split_first()
        .ok_or_else(|| wrong("program", "missing"))?;
    let variables = entries.iter();
    let variables = variables.map(|entry| (entry.key.as_str(), entry.value.expose()));
    let mut command = Command::new(platform::program(program));
    command
        .args(arguments)
        .current_dir(context.session.cwd())
        .env_remove("BOT_CLI_TOKEN")
        .envs(variables);
    if context.environment.own_streams {
        // The user's terminal and streams can be passed on.
        let error = become_program(&mut command);
        return Err(not_started(program, error, &entries, &unset));
    }
    // In protocol mode, the program's output goes to stderr.
    command.stdin(Stdio::null());
    interruptible(&mut command);
    let child = command.spawn();
    drop(command);
    let child = child.map_err(|error| not_started(program, error, &entries, &unset))?;
    let status = attend(context.session, child, program)?;
    context.session.exit_with(status);
    Ok(Reply::default().data(json!({ "name": name.as_str(), "exit": status })))
}

/// Returns the failure for a program that could not be started. As in a shell, the exit status is 127 if the program doesn't exist,
/// otherwise 126.
fn not_started(program: &OsStr, error: io::Error, entries: &[Entry], unset: &str) -> Failure {
    let kind = error.kind();
    let exit = if kind == ErrorKind::NotFound {
        Exit::NotFound
    } else {
        Exit::NotRunnable
    };
    let could_not = format!("could not start `{}`", program.display());
    let mut failure = Failure::because(exit, "not_started", could_not, error);
    let is_searched_for = Path::new(program).components().count() == 1;
    let replaces_path = entries.iter().any(|entry| entry.key.as_str() == PATH);
    if kind == ErrorKind::NotFound && is_searched_for && replaces_path {
        return failure.hint(format!("the set replaces `{PATH}`; `{unset}` removes it"));
    }
    if kind == ErrorKind::ArgumentListTooLong {
        let long = entries.iter().filter(|entry| advice::is_too_long(entry));
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
