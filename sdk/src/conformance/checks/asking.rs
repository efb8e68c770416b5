//! Questions of a run that does no harm.

use std::time::Instant;

use serde_json::Value;

use super::ending::GRACE;
use super::running::run;
use super::{Held, failed, shown, shown_error};
use crate::conformance::bench::{Bench, Fault, Stop};
use crate::conformance::dialogue::{Answers, Dialogue, Reply};
use crate::process::{StopSignal, shell_status};
use crate::protocol::{Id, Message, methods, shape};
use crate::question::{Question, QuestionKind};

/// Without anybody to ask, every open question is named.
pub fn inputs(bench: &Bench) -> Held {
    check_asks(bench)?;
    let Reply::Error(error) = run(&mut bench.start()?, bench.argv()?)? else {
        return Ok(());
    };
    let data = error.data.clone().unwrap_or_default();
    if data["code"] != "input_required" {
        // It may have failed for a reason of its own, after its defaults.
        return if error.code > 0 {
            Ok(())
        } else {
            failed(format!("without `ask`, `run` got {}", shown_error(&error)))
        };
    }
    if error.code != 2 {
        return failed(format!("`input_required` came with code {}", error.code));
    }
    let questions = data["inputs"].as_array().map_or(&[][..], Vec::as_slice);
    if questions.is_empty() {
        return failed("`input_required` came without `inputs`");
    }
    let problem = |question: &Value| shape::read::<Question>("inputs", question.clone()).err();
    match questions.iter().find_map(problem) {
        Some(problem) => failed(format!("an open question has another shape: {problem}")),
        None => Ok(()),
    }
}

/// A cancelled question cancels the run.
pub fn cancelled(bench: &Bench) -> Held {
    cancels(bench, Answers::Cancel, "`cancel`")
}

/// Checks that an answer of a later version cancels the run.
pub fn unknown_action(bench: &Bench) -> Held {
    cancels(bench, Answers::Unknown, "an unknown action")
}

/// At the end of the input nobody will answer.
pub fn input_end(bench: &Bench) -> Held {
    let mut plugin = at_question(bench)?;
    let (status, _) = plugin.finish()?;
    if !plugin.open().is_empty() {
        return failed(format!("it ended with {status} and without a reply"));
    }
    if status.success() {
        return Ok(());
    }
    failed(format!("after its reply it ended with {status}"))
}

/// A signal ends the run, and then the plugin.
pub fn signal(bench: &Bench) -> Held {
    bench.argv()?;
    if StopSignal::Terminate.is_ignored() {
        return Err(Stop::NotRun("TERM is ignored here".to_owned()));
    }
    let mut plugin = at_question(bench)?;
    plugin.signal(StopSignal::Terminate, "TERM");
    let (status, _) = plugin.ended(GRACE)?;
    if shell_status(status) != i32::from(StopSignal::Terminate.status()) {
        return failed(format!("at TERM it ended with {status}"));
    }
    if plugin.open().is_empty() {
        return Ok(());
    }
    failed("at TERM it ended without a reply to the open run")
}

/// A question can be answered.
pub fn answerable(bench: &Bench) -> Held {
    let plugin = asked(bench)?;
    for question in plugin.asked() {
        let key = &question.key;
        let chosen = matches!(
            question.kind,
            QuestionKind::Select | QuestionKind::Multiselect
        );
        if chosen && question.choices.is_empty() {
            return failed(format!("the question `{key}` has no `choices`"));
        }
        if key.is_empty() || question.message.is_empty() {
            return failed(format!("the question `{key}` has no key or no message"));
        }
        if let Some(default) = &question.default
            && question.check(default).is_err()
        {
            return failed(format!("the `default` of `{key}` is not a possible answer"));
        }
    }
    Ok(())
}

/// A password is not repeated.
pub fn password(bench: &Bench) -> Held {
    let mut plugin = asked(bench)?;
    if !plugin.told_password() {
        return Err(Stop::NotRun(
            "the run of `--argv` asks for no password".to_owned(),
        ));
    }
    plugin.finish()?;
    drop(plugin);
    bench.check_unseen(Fault::Password)
}

fn cancels(bench: &Bench, answers: Answers, what: &str) -> Held {
    check_asks(bench)?;
    let mut plugin = bench.start()?.offering(answers);
    match run(&mut plugin, bench.argv()?)? {
        Reply::Error(error) if error.code == 130 => Ok(()),
        reply @ (Reply::Result(_) | Reply::Error(_)) => {
            failed(format!("after {what}, `run` got {}", shown(&reply)))
        }
    }
}

/// Whether the run asks something, which is tried once.
fn check_asks(bench: &Bench) -> Held {
    match bench.asks() {
        Some(true) => Ok(()),
        Some(false) => Err(no_question()),
        None => asked(bench).map(drop),
    }
}

/// The plugin after a run that has asked something.
fn asked<'a>(bench: &'a Bench) -> Result<Dialogue<'a>, Stop> {
    let argv = bench.argv()?;
    if bench.asks() == Some(false) {
        return Err(no_question());
    }
    let mut plugin = bench.start()?.offering(Answers::Defaults);
    run(&mut plugin, argv)?;
    bench.set_asks(!plugin.asked().is_empty());
    if plugin.asked().is_empty() {
        return Err(no_question());
    }
    Ok(plugin)
}

/// The plugin while it waits for an answer.
fn at_question<'a>(bench: &'a Bench) -> Result<Dialogue<'a>, Stop> {
    let argv = bench.argv()?;
    check_asks(bench)?;
    let mut plugin = bench.start()?.offering(Answers::Cancel);
    let params = plugin.run_params(argv);
    let line = plugin.line(methods::RUN, params);
    plugin.write(line);
    let deadline = Instant::now() + bench.patience();
    loop {
        match plugin.next(deadline)? {
            Some(Message::Request { method, .. }) if method == methods::ASK => return Ok(plugin),
            Some(Message::Result { id, .. } | Message::Error { id: Some(id), .. })
                if id == Id::Number(1) =>
            {
                return Err(no_question());
            }
            Some(Message::Request { id, method, params }) => plugin.answer(&id, &method, params),
            Some(_) => {}
            None => return failed("no reply and no question in time"),
        }
    }
}

fn no_question() -> Stop {
    Stop::NotRun("the run of `--argv` asks nothing".to_owned())
}
