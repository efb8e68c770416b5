//! What a host does for a plugin that works: it asks, reads, shows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::process::{Outgoing, outgoing};
use crate::failure::{Exit, Failure};
use crate::protocol::{
    AskAction, AskResult, ErrorObject, Id, LogLevel, LogParams, MAX_LINE, Message, OutputParams,
    ProgressParams, StdinResult, codes, methods, shape,
};
use crate::question::{Answer, Question};
use crate::secret::Secret;
use crate::ui::{Level, Ui};

/// What a request of the plugin is answered.
#[derive(Debug)]
pub struct Served {
    /// The reply.
    pub line: Outgoing,
    /// Whether it holds a password.
    pub secret: bool,
}

/// Serves a request of the plugin.
pub fn reply(id: Id, method: &str, params: Value, ui: &mut dyn Ui) -> Served {
    let served = match method {
        methods::ASK => match ask(params, ui) {
            Ok(Answered::Secret(secret)) => {
                return Served {
                    line: secret_line(&id, &secret),
                    secret: true,
                };
            }
            Ok(Answered::Other(result)) => Ok(json!(result)),
            Err(error) => Err(error),
        },
        methods::STDIN => stdin(ui),
        _ => Err(ErrorObject::protocol(
            codes::METHOD_NOT_FOUND,
            format!("the host has no method `{method}`"),
        )),
    };
    let message = match served {
        Ok(result) => Message::Result { id, result },
        Err(error) => Message::Error {
            id: Some(id),
            error,
        },
    };
    Served {
        line: outgoing(&message),
        secret: false,
    }
}

/// Shows a notification of the plugin. Unknown and malformed ones are later versions' business.
pub fn show(method: &str, params: Value, ui: &mut dyn Ui) {
    match method {
        methods::PROGRESS => {
            if let Ok(ProgressParams {
                message,
                current,
                total,
                ..
            }) = decode(params)
            {
                ui.progress(&message, current, total);
            }
        }
        methods::LOG => {
            if let Ok(LogParams { level, message, .. }) = decode(params) {
                let level = match level {
                    LogLevel::Debug => Level::Debug,
                    LogLevel::Info => Level::Info,
                    LogLevel::Note => Level::Note,
                    LogLevel::Warn => Level::Warn,
                };
                ui.log(level, &message);
            }
        }
        methods::OUTPUT => {
            if let Ok(OutputParams { text, .. }) = decode(params) {
                ui.output(&text);
            }
        }
        _ => ui.log(
            Level::Debug,
            &format!("ignored the notification `{}`", method.escape_debug()),
        ),
    }
}

fn ask(params: Value, ui: &mut dyn Ui) -> Result<Answered, ErrorObject> {
    let mut question: Question = decode(params)?;
    if !ui.capabilities().ask.contains(&question.kind) {
        return Err(ErrorObject::from(
            Failure::new(
                Exit::Usage,
                "input_required",
                format!(
                    "`{}` must be answered and nobody can be asked",
                    question.key
                ),
            )
            .field(&question.key, question.flag.as_deref(), "missing"),
        ));
    }
    loop {
        let value = match ui.ask(&question) {
            // Any text may be a password: there is nothing to check.
            Ok(Answer::Secret(secret)) => return Ok(Answered::Secret(secret)),
            Ok(Answer::Back) => return Ok(Answered::without_value(AskAction::Back)),
            Ok(Answer::Text(text)) => Value::String(text),
            Ok(Answer::Confirm(yes)) => Value::Bool(yes),
            Ok(Answer::Many(values)) => json!(values),
            Err(failure) if failure.exit == Exit::Cancelled => {
                return Ok(Answered::without_value(AskAction::Cancel));
            }
            Err(failure) => return Err(failure.into()),
        };
        match question.check(&value) {
            Ok(_) => {
                return Ok(Answered::Other(AskResult {
                    action: AskAction::Accept,
                    value,
                }));
            }
            Err(problem) => question.problem = Some(problem),
        }
    }
}

/// What the user did.
enum Answered {
    Secret(Secret),
    Other(AskResult),
}

impl Answered {
    fn without_value(action: AskAction) -> Self {
        Self::Other(AskResult {
            action,
            value: Value::Null,
        })
    }
}

/// The reply with a password, written at once to where it is wiped: growing would leave parts of it behind.
fn secret_line(id: &Id, secret: &Secret) -> Outgoing {
    #[derive(Serialize)]
    struct Reply<'a> {
        jsonrpc: &'a str,
        id: &'a Id,
        result: Accepted<'a>,
    }
    #[derive(Serialize)]
    struct Accepted<'a> {
        action: AskAction,
        value: &'a str,
    }
    let reply = Reply {
        jsonrpc: "2.0",
        id,
        result: Accepted {
            action: AskAction::Accept,
            value: secret.expose(),
        },
    };
    // JSON writes a character in at most six bytes for each of its own.
    let room = 6 * secret.expose().len() + json!(id).to_string().len() + 100;
    let mut line = Zeroizing::new(Vec::with_capacity(room));
    // Texts always have a JSON form, and memory takes every byte.
    let _ = serde_json::to_writer(&mut *line, &reply);
    line.push(b'\n');
    line
}

fn stdin(ui: &mut dyn Ui) -> Result<Value, ErrorObject> {
    if !ui.capabilities().stdin {
        let failure = Failure::new(Exit::Usage, "no_stdin", "there is no piped input to read");
        return Err(failure.into());
    }
    let bytes = ui.stdin()?;
    let result = match String::from_utf8(bytes) {
        Ok(text) => StdinResult {
            text: Some(text),
            base64: None,
        },
        Err(not_utf8) => StdinResult {
            text: None,
            base64: Some(BASE64.encode(not_utf8.as_bytes())),
        },
    };
    let result = json!(result);
    // The envelope needs a little room too.
    if result.to_string().len() > MAX_LINE - 1024 {
        let failure = Failure::new(
            Exit::Usage,
            "input_too_large",
            format!(
                "the piped input does not fit into {} MiB",
                MAX_LINE / (1024 * 1024)
            ),
        );
        return Err(failure.into());
    }
    Ok(result)
}

fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ErrorObject> {
    shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))
}
