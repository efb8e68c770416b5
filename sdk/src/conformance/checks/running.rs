//! A run that does no harm, in every way it may go.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ending::GRACE;
use super::{Held, failed, shown, shown_error};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::{Answers, Dialogue, Reply};
use crate::protocol::{ArgumentKind, CommandSpec, Id, Message, RunResult, methods, shape};

/// The delay of an answer, so that a plugin that does not wait for it shows it.
const KEPT_BACK: Duration = Duration::from_millis(300);

/// The reply has the shape that belongs to `run`.
pub fn replied(bench: &Bench) -> Held {
    for offering in [false, true] {
        match run(&mut start(bench, offering)?, bench.argv()?)? {
            Reply::Result(result) => {
                if let Err(problem) = shape::read::<RunResult>("result", result) {
                    return failed(format!("the result has another shape: {problem}"));
                }
            }
            Reply::Error(error) if error.code <= 0 => {
                return failed(format!("`run` got {}", shown_error(&error)));
            }
            Reply::Error(error) if error.message.is_empty() => {
                return failed(format!("the error {} has no message", error.code));
            }
            Reply::Error(_) => {}
        }
    }
    Ok(())
}

/// The result is there for programs.
pub fn data(bench: &Bench) -> Held {
    let mut plugin = start(bench, true)?;
    let mut params = plugin.run_params(bench.argv()?);
    params["context"]["format"] = json!("json");
    match plugin.request(methods::RUN, params)? {
        Reply::Result(result) if result.get("data").is_none() => failed("the result has no `data`"),
        Reply::Result(_) => Ok(()),
        Reply::Error(error) => Err(Stop::NotRun(format!("`run` got {}", shown_error(&error)))),
    }
}

/// A flag `json` that is declared for every command is accepted in front of the words and behind them.
pub fn json_option(bench: &Bench) -> Held {
    let argv = bench.argv()?;
    let command = bench.declared()?.command.as_ref();
    if !command.is_some_and(declares_json) {
        let why = "the manifest declares no flag `json`, so that the host takes `--json` away";
        return Err(Stop::NotRun(why.to_owned()));
    }
    let json = || "--json".to_owned();
    let plain = run(&mut bench.start()?, argv)?;
    // Behind `--` it is a word like any other.
    let end = argv
        .iter()
        .position(|word| word == "--")
        .unwrap_or(argv.len());
    for at in [0, end] {
        let mut words = argv.to_vec();
        words.insert(at, json());
        let with = run(&mut bench.start()?, &words)?;
        let same = match (&plain, &with) {
            (Reply::Result(_), Reply::Result(_)) => true,
            (Reply::Error(one), Reply::Error(other)) => one.code == other.code,
            _ => false,
        };
        if !same {
            return failed(format!(
                "`run` got {}, with `--json` {}",
                shown(&plain),
                shown(&with)
            ));
        }
    }
    Ok(())
}

/// Whether the command and all below it have the flag `json`: such a flag stays in `argv`.
fn declares_json(command: &CommandSpec) -> bool {
    command.arguments.iter().any(|argument| {
        argument.kind == ArgumentKind::Flag
            && argument.long.as_deref() == Some("json")
            && (argument.global || command.commands.is_empty())
    })
}

/// Two runs in one write do not get mixed up.
pub fn not_interleaved(bench: &Bench) -> Held {
    let argv = bench.argv()?;
    let mut plugin = bench.start()?.offering(Answers::Defaults);
    let params = plugin.run_params(argv);
    let lines = [
        plugin.line(methods::RUN, params.clone()),
        plugin.line(methods::RUN, params),
    ];
    plugin.write(lines.concat());
    let first = Id::Number(1);
    while plugin.open().contains(&first) {
        let Some(message) = plugin.next(Instant::now() + bench.patience())? else {
            return failed("no reply to the first of two runs in one write");
        };
        if concerns(&message, 2) {
            return failed("the second of two runs in one write began before the first one ended");
        }
        if let Message::Request { id, method, params } = message {
            // Whoever waits for the answer sends nothing before it.
            while let Some(next) = plugin.next(Instant::now() + KEPT_BACK)? {
                if concerns(&next, 2) || matches!(next, Message::Request { .. }) {
                    return failed(format!(
                        "with two runs in one write, it did not wait for the answer to its `{method}`"
                    ));
                }
            }
            plugin.answer(&id, &method, params);
        }
    }
    plugin.reply(&Id::Number(2)).map(drop)
}

/// Work goes on at the end of the input.
pub fn finished_at_input_end(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let params = plugin.run_params(bench.argv()?);
    let line = plugin.line(methods::RUN, params);
    plugin.write(line);
    let (status, messages) = plugin.finish()?;
    if !plugin.open().is_empty() {
        return failed(format!("it ended with {status} and without a reply"));
    }
    let cancelled =
        |message: &Message| matches!(message, Message::Error { error, .. } if error.code == 130);
    if messages.iter().any(cancelled) {
        return failed("it cancelled the run");
    }
    if status.success() {
        return Ok(());
    }
    failed(format!("after its reply it ended with {status}"))
}

/// Without a reader the work ends.
pub fn lost_output(bench: &Bench) -> Held {
    let argv = bench.argv()?;
    let mut plugin = bench.start_unheard()?;
    let params = plugin.run_params(argv);
    let line = plugin.line(methods::RUN, params);
    plugin.write(line);
    plugin.close_input();
    // It is started first, and that may take time of its own.
    plugin.ended(GRACE + bench.patience() / 2).map(drop)
}

/// A cancelled run is answered, once.
pub fn cancelled(bench: &Bench) -> Held {
    let argv = bench.argv()?;
    let mut plugin = bench.start()?;
    let params = plugin.run_params(argv);
    let line = plugin.line(methods::RUN, params);
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 1, "reason": "user" } });
    let next = plugin.line(super::UNKNOWN, super::version());
    plugin.write(format!("{line}{cancel}\n{next}"));
    let (status, messages) = plugin.finish()?;
    if !plugin.open().is_empty() {
        return failed(format!("it ended with {status} and without a reply"));
    }
    let reply = |message: &&Message| {
        !matches!(message, Message::Notification { .. }) && concerns(message, 1)
    };
    match messages.iter().filter(reply).count() {
        1 => Ok(()),
        more => failed(format!("it replied {more} times to a cancelled run")),
    }
}

fn start<'a>(bench: &'a Bench, offering: bool) -> Result<Dialogue<'a>, Stop> {
    let plugin = bench.start()?;
    Ok(if offering {
        plugin.offering(Answers::Defaults)
    } else {
        plugin
    })
}

/// Runs the words.
pub fn run(plugin: &mut Dialogue, argv: &[String]) -> Result<Reply, Stop> {
    let params = plugin.run_params(argv);
    plugin.request(methods::RUN, params)
}

/// Whether a message belongs to request `id`.
fn concerns(message: &Message, id: i64) -> bool {
    let expected = Id::Number(id);
    match message {
        Message::Result { id, .. } | Message::Error { id: Some(id), .. } => *id == expected,
        Message::Notification { params, .. } => {
            params.get("id").and_then(Value::as_i64) == Some(id)
        }
        Message::Request { .. } | Message::Error { id: None, .. } => false,
    }
}
