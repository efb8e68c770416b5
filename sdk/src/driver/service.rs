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
use crate::ui::{self, Capabilities, Level, Ui};

/// The answer to a request of the plugin.
#[derive(Debug)]
pub struct Served {
    /// The reply.
    pub line: Outgoing,
    /// Whether it holds a password.
    pub secret: bool,
    /// Whether the user rather wants to stop.
    pub cancelled: bool,
}

/// Serves a request of the plugin for as long as it is `wanted`; `None` if it was not any more.
pub fn reply(
    id: Id,
    method: &str,
    params: Value,
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Option<Served> {
    let mut cancelled = false;
    let served = match method {
        methods::ASK => match ask(params, offered, ui, wanted) {
            Ok(Answered::Withdrawn) => return None,
            Ok(Answered::Secret(secret)) => {
                return Some(Served {
                    line: secret_line(&id, &secret),
                    secret: true,
                    cancelled,
                });
            }
            Ok(Answered::Other(result)) => {
                cancelled = result.action == AskAction::Cancel;
                Ok(json!(result))
            }
            Err(error) => Err(error),
        },
        methods::STDIN => match stdin(offered, ui, wanted) {
            Ok(Some(result)) => Ok(result),
            Ok(None) => return None,
            Err(error) => Err(error),
        },
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
    Some(Served {
        line: outgoing(&message),
        secret: false,
        cancelled,
    })
}

/// A notification of the plugin.
#[derive(Debug)]
pub enum Notice {
    /// The progress of the work.
    Progress(ProgressParams),
    /// A line beside the result.
    Log(LogParams),
    /// A part of the result.
    Output(OutputParams),
    /// It belongs to a later version.
    Unknown,
    /// It can't be read; why.
    Unreadable(String),
}

impl Notice {
    /// Reads a notification.
    pub fn read(method: &str, params: Value) -> Self {
        let read = match method {
            methods::PROGRESS => shape::read("params", params).map(Self::Progress),
            methods::LOG => shape::read("params", params).map(Self::Log),
            methods::OUTPUT => shape::read("params", params).map(Self::Output),
            _ => Ok(Self::Unknown),
        };
        read.unwrap_or_else(Self::Unreadable)
    }

    /// The request that it belongs to.
    pub fn request(&self) -> Option<&Id> {
        match self {
            Self::Progress(ProgressParams { id, .. })
            | Self::Log(LogParams { id, .. })
            | Self::Output(OutputParams { id, .. }) => Some(id),
            Self::Unknown | Self::Unreadable(_) => None,
        }
    }
}

/// The level of a log line in its form for the user interface.
pub fn level(level: LogLevel) -> Level {
    match level {
        LogLevel::Debug => Level::Debug,
        LogLevel::Info => Level::Info,
        LogLevel::Note => Level::Note,
        LogLevel::Warn => Level::Warn,
    }
}

fn ask(
    params: Value,
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Answered, ErrorObject> {
    let mut question: Question = decode(params)?;
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
                    "`{}` must be answered and nobody can be asked",
                    question.key
                ),
            )
            .field(&question.key, question.flag.as_deref(), "missing"),
        ));
    }
    loop {
        let value = match ui.ask_while(&question, wanted) {
            // Any text may be a password: there is nothing to check.
            Ok(Answer::Secret(secret)) => return Ok(Answered::Secret(secret)),
            Ok(Answer::Back) => return Ok(Answered::without_value(AskAction::Back)),
            Ok(Answer::Text(text)) => Value::String(text),
            Ok(Answer::Confirm(yes)) => Value::Bool(yes),
            Ok(Answer::Many(values)) => json!(values),
            Err(failure) if failure.code == ui::withdrawn().code => return Ok(Answered::Withdrawn),
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

/// The user's action.
enum Answered {
    Secret(Secret),
    Other(AskResult),
    /// Nobody waits for the answer any more.
    Withdrawn,
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

fn stdin(
    offered: &Capabilities,
    ui: &mut dyn Ui,
    wanted: &mut dyn FnMut() -> bool,
) -> Result<Option<Value>, ErrorObject> {
    if !offered.stdin {
        let failure = Failure::new(Exit::Usage, "no_stdin", "there is no piped input to read");
        return Err(failure.into());
    }
    let bytes = match ui.stdin_while(wanted) {
        Err(failure) if failure.code == ui::withdrawn().code => return Ok(None),
        read => read?,
    };
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
    Ok(Some(result))
}

fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ErrorObject> {
    shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))
}
