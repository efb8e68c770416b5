//! What a host does for a plugin that works: it asks, reads, shows.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::failure::{Exit, Failure};
use crate::protocol::{
    AskAction, AskResult, ErrorObject, Id, LogLevel, LogParams, MAX_LINE, Message, OutputParams,
    ProgressParams, StdinResult, codes, methods,
};
use crate::question::{Answer, Question};
use crate::ui::{Level, Ui};

/// Serves a request of the plugin.
pub fn reply(id: Id, method: &str, params: Value, ui: &mut dyn Ui) -> Message {
    let served = match method {
        methods::ASK => ask(params, ui),
        methods::STDIN => stdin(ui),
        _ => Err(ErrorObject::protocol(
            codes::METHOD_NOT_FOUND,
            format!("the host has no method `{method}`"),
        )),
    };
    match served {
        Ok(result) => Message::Result { id, result },
        Err(error) => Message::Error {
            id: Some(id),
            error,
        },
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

fn ask(params: Value, ui: &mut dyn Ui) -> Result<Value, ErrorObject> {
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
        let answer = match ui.ask(&question) {
            Ok(answer) => answer,
            Err(failure) if failure.exit == Exit::Cancelled => {
                return Ok(json!(AskResult {
                    action: AskAction::Cancel,
                    value: Value::Null
                }));
            }
            Err(failure) => return Err(failure.into()),
        };
        let value = match answer {
            Answer::Back => {
                return Ok(json!(AskResult {
                    action: AskAction::Back,
                    value: Value::Null
                }));
            }
            Answer::Text(text) => Value::String(text),
            Answer::Secret(secret) => Value::String(secret.expose().to_owned()),
            Answer::Confirm(yes) => Value::Bool(yes),
            Answer::Many(values) => json!(values),
        };
        match question.check(&value) {
            Ok(_) => {
                return Ok(json!(AskResult {
                    action: AskAction::Accept,
                    value
                }));
            }
            Err(problem) => question.problem = Some(problem),
        }
    }
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
    serde_json::from_value(params)
        .map_err(|error| ErrorObject::protocol(codes::INVALID_PARAMS, error.to_string()))
}
