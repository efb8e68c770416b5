//! Serves a running plugin's requests for the user's answers and piped input.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde_json::{Value, json};

use super::process::Outgoing;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::{Answer as Given, Question};
use bot_cli_protocol::{
    AskAction, AskResult, ErrorObject, Id, MAX_LINE, Message, StdinResult, codes, methods, shape,
    wiped_json,
};
use bot_cli_terminal::ui::{self, Capabilities, Ui};

#[derive(Debug, Default)]
pub struct Served {
    pub line: Outgoing,
    pub secret: bool,
    pub cancelled: bool,
}

/// Serves a request from the plugin while `wanted` returns `true`. Returns `None` once the request is no longer wanted.
pub fn reply(
    id: &Id,
    method: &str,
    params: Value,
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Option<Served> {
    let served = match method {
        methods::ASK => ask(id, params, offered, ui, wanted),
        methods::STDIN => stdin(id, offered, ui, wanted),
        _ => Err(ErrorObject::protocol(
            codes::METHOD_NOT_FOUND,
            format!("the host has no method `{method}`"),
        )),
    };
    served.unwrap_or_else(|error| {
        let id = Some(id.clone());
        Some(Served {
            line: Message::Error { id, error }.to_wiped_line(),
            ..Served::default()
        })
    })
}

/// The result of a password question. No other copy of the password stays in memory.
#[derive(Serialize)]
struct Accepted<'a> {
    action: AskAction,
    value: &'a str,
}

fn line(id: &Id, result: &impl Serialize) -> Outgoing {
    #[derive(Serialize)]
    struct Reply<'a, T> {
        jsonrpc: &'a str,
        id: &'a Id,
        result: &'a T,
    }
    let mut line = wiped_json(&Reply {
        jsonrpc: "2.0",
        id,
        result,
    });
    line.push(b'\n');
    line
}

fn too_large() -> ErrorObject {
    let most = MAX_LINE / (1024 * 1024);
    let message = format!("the piped input does not fit into {most} MiB");
    Failure::new(Exit::Usage, "input_too_large", message).into()
}

fn ask(
    id: &Id,
    params: Value,
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Option<Served>, ErrorObject> {
    let mut question: Question = shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))?;
    if question.kind.has_choices() && question.choices.is_empty() {
        let problem = "`params.choices` must not be empty";
        return Err(ErrorObject::protocol(codes::INVALID_PARAMS, problem));
    }
    if !offered.ask.contains(&question.kind) {
        return Err(ErrorObject::from(
            Failure::new(
                Exit::Usage,
                "input_required",
                format!(
                    "`{}` is missing, and there is no terminal to ask on",
                    question.flag.as_ref().unwrap_or(&question.key)
                ),
            )
            .field(&question.key, question.flag.as_deref(), "missing"),
        ));
    }
    loop {
        let (action, value) = match ui.ask_while(&question, wanted) {
            // Any text may be a password, so nothing is checked.
            Ok(Given::Secret(secret)) => {
                let (action, value) = (AskAction::Accept, secret.expose());
                return Ok(Some(Served {
                    line: line(id, &Accepted { action, value }),
                    secret: true,
                    ..Served::default()
                }));
            }
            Ok(Given::Back) => (AskAction::Back, Value::Null),
            Ok(Given::Text(text)) => (AskAction::Accept, Value::String(text)),
            Ok(Given::Confirm(yes)) => (AskAction::Accept, Value::Bool(yes)),
            Ok(Given::Many(values)) => (AskAction::Accept, json!(values)),
            Err(failure) if failure.code == ui::withdrawn().code => return Ok(None),
            Err(failure) if failure.exit == Exit::Cancelled => (AskAction::Cancel, Value::Null),
            Err(failure) => return Err(failure.into()),
        };
        if action == AskAction::Accept
            && let Err(problem) = question.check(&value)
        {
            question.problem = Some(problem);
            continue;
        }
        return Ok(Some(Served {
            line: line(id, &AskResult { action, value }),
            secret: false,
            cancelled: action == AskAction::Cancel,
        }));
    }
}

fn stdin(
    id: &Id,
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Option<Served>, ErrorObject> {
    if !offered.stdin {
        let failure = Failure::new(Exit::Usage, "no_stdin", "there is no piped input to read");
        return Err(failure.into());
    }
    let bytes = match ui.stdin_while(wanted) {
        Err(failure) if failure.code == ui::withdrawn().code => return Ok(None),
        read => read?,
    };
    let (text, base64) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(not_utf8) => (None, Some(BASE64.encode(not_utf8.as_bytes()))),
    };
    let line = line(id, &StdinResult { text, base64 });
    if line.len() > MAX_LINE {
        return Err(too_large());
    }
    Ok(Some(Served {
        line,
        ..Served::default()
    }))
}
