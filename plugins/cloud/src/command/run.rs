//! `secrets run`: a program with a set of the vault in its environment.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use bot_cli_sdk::failure::{Exit, Failure, reason};
use bot_cli_sdk::outcome::Format;
use bot_cli_sdk::plugin::Reply;
use serde_json::json;

use super::context::CommandContext;
use super::open;
use crate::domain::{Entry, SetName};
use crate::input::invalid;
use crate::options::Run;
use crate::scope::Wanted;
use crate::words;

/// How often the program and the user are looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long the program has from the user's wish to stop until it is killed. The host has 5 seconds for us.
const GRACE: Duration = Duration::from_secs(4);

pub(super) fn run(context: &CommandContext<'_>, options: &Run) -> Result<Reply, Failure> {
    let name = SetName::parse_existing(&options.name)
        .map_err(|problem| invalid(vec![("name".to_owned(), None, problem)]))?;
    let wanted = Wanted {
        organization: options.organization.clone(),
        region: None,
        backend: Some("local".to_owned()),
    };
    let mut scope = open::scope(context, &wanted)?;
    let vault = open::vault(context, &mut scope)?;
    let entries = vault
        .values(&name)
        .map_err(|error| words::failure(&error.into()))?;
    drop(vault);
    let Some(entries) = entries else {
        let hint = scope.command("secrets list");
        let place = scope.organization.map_or_else(String::new, |organization| {
            format!(" (organization {})", organization.value)
        });
        let message =
            format!("there is no secret set `{name}` in the vault of this machine{place}");
        return Err(Failure::new(Exit::Failed, "not_found", message).hint(hint));
    };
    let Some((program, arguments)) = options.program.split_first() else {
        return Err(invalid(vec![(
            "program".to_owned(),
            None,
            "missing".to_owned(),
        )]));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(context.cwd())
        .env_remove("BOT_CLI_TOKEN")
        .envs(environment(&entries));
    if context.environment.own_streams {
        // The user's terminal and streams are ours to hand on.
        let error = command.exec();
        return Ok(not_started(context, &name, program, &error));
    }
    let shown = context.format() == Format::Text;
    command.stdin(Stdio::null()).stdout(if shown {
        Stdio::piped()
    } else {
        Stdio::inherit()
    });
    let child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(not_started(context, &name, program, &error)),
    };
    drop(command);
    let status = attend(context, child, program)?;
    Ok(ended(context, &name, status))
}

/// The program's status is ours.
fn ended(context: &CommandContext<'_>, name: &SetName, status: u8) -> Reply {
    context.exit_with(status);
    Reply {
        text: String::new(),
        data: json!({ "name": name.as_str(), "exit": status }),
        next: Vec::new(),
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
    let lost = |error: &std::io::Error| {
        Failure::new(
            Exit::Failed,
            "not_run",
            format!("lost sight of `{program}`: {}", reason(error)),
        )
    };
    let status = loop {
        match heard.recv_timeout(TICK) {
            Ok(bytes) => pass_on(context, &mut rest, &bytes),
            Err(RecvTimeoutError::Disconnected) => thread::sleep(TICK),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(status) = child.try_wait().map_err(|error| lost(&error))? {
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
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
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

fn interrupt(child: &Child) {
    let process = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    if let Some(process) = process {
        // It may have ended this moment.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::INT);
    }
}

/// The statuses that a shell has for it: 127 when there is no such program, else 126.
fn not_started(
    context: &CommandContext<'_>,
    name: &SetName,
    program: &str,
    error: &std::io::Error,
) -> Reply {
    context.warn(&format!("could not start `{program}`: {}", reason(error)));
    let missing = error.kind() == std::io::ErrorKind::NotFound;
    ended(context, name, if missing { 127 } else { 126 })
}
