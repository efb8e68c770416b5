//! Serves a host's requests, one at a time, until the input ends.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::open_requests::{HostReply, OpenRequests};
use super::output::Output;
use super::peer::{Incoming, Listener, Peer, Work, refuse};
use super::work::carry_out;
use super::{Command, describe, surface, usage};
use crate::session::{Capabilities, Context, Session};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::{
    self as protocol, Candidate, CompleteParams, CompleteResult, ErrorObject, Message, RunParams,
    codes, methods, shape, suggest,
};
use bot_cli_terminal::background::{no_thread, spawn};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::platform::output::{Reader, take_stdout};
use bot_cli_terminal::process::HeedfulInput;

/// The time limit for work after the host exits or a signal arrives, slightly below the protocol's limit of 5 seconds.
const GRACE: Duration = Duration::from_millis(4_800);

struct Host {
    output: Output,
    answers: Rc<Receiver<HostReply>>,
    cwd: PathBuf,
}

/// A function that serves the methods of the plugin's role. Returns `None` for an unknown method.
pub type Methods<'a> = dyn FnMut(&str, Value, &Session) -> Option<Result<Value, ErrorObject>> + 'a;

/// Serves requests until the input ends. `role` serves the role's methods, and `cwd` is the default working directory for requests.
pub fn serve<C: Command>(cwd: PathBuf, role: &mut Methods<'_>) -> ExitCode {
    let Ok((output, reader)) = take_stdout() else {
        return ExitCode::from(Exit::Failed.status());
    };
    let output = Output::new(Box::new(output));
    let (work, queue) = mpsc::channel();
    let (replies, answers) = mpsc::channel();
    let open_requests = OpenRequests::new(replies.clone(), output.clone());
    let input = match open_requests.heedful_input(GRACE) {
        Ok(input) => input,
        Err(failure) => return not_started(failure, &output),
    };
    let mut listener = Listener {
        input: BufReader::new(input),
        open_requests: open_requests.clone(),
        work,
        replies,
    };
    // The first line is read without a thread, because a thread takes longer to start than a waiting line to read.
    let mut more = listener.hear();
    let listening = spawn(move || {
        while more {
            more = listener.hear();
            // Input that arrives together with a cancellation may contain another request.
            if listener.input.buffer().is_empty() {
                listener.open_requests.end_unwanted();
            }
        }
        end_without_host(listener, &reader);
    });
    if let Err(failure) = listening.map_err(no_thread) {
        return not_started(failure, &output);
    }
    let host = Host {
        output,
        answers: Rc::new(answers),
        cwd,
    };
    while let Ok(work) = queue.recv() {
        let request = match work {
            Work::Request(request) => request,
            Work::Refusal => {
                for reply in host.answers.try_iter() {
                    if let HostReply::Refusal(error) = reply {
                        refuse(error, &host.output);
                    }
                }
                continue;
            }
        };
        let (id, cancel) = (request.id.clone(), request.cancel.clone());
        let of_role = !of_commands(&request.method);
        let mut reply = match respond::<C>(request, &host, role) {
            Ok(result) => Message::Result {
                id: id.clone(),
                result,
            },
            Err(error) => Message::Error {
                id: Some(id.clone()),
                error,
            },
        };
        cancel.settle();
        open_requests.close(&id);
        let sent = if of_role {
            // The reply of a secrets backend may contain values.
            host.output.send_wiped(&mut reply)
        } else {
            host.output.send(&reply)
        };
        if !sent {
            let (id, error) = (Some(id), too_large().into());
            host.output.send(&Message::Error { id, error });
        }
        if let Some(status) = open_requests.replied() {
            return ExitCode::from(status);
        }
    }
    open_requests
        .status()
        .map_or(ExitCode::SUCCESS, ExitCode::from)
}

fn too_large() -> Failure {
    let most = protocol::MAX_LINE / (1024 * 1024);
    let message =
        format!("the result is larger than the {most} MiB that fit into a line of the protocol");
    Failure::new(Exit::Failed, "result_too_large", message)
        .hint("without bot-cli, the plugin itself has no such limit")
}

fn not_started(failure: Failure, output: &Output) -> ExitCode {
    let status = failure.exit.status();
    let (id, error) = (None, failure.into());
    output.send(&Message::Error { id, error });
    ExitCode::from(status)
}

/// Handles the end of the input. Requests that have already been read are still served as long as another process reads the replies.
fn end_without_host(listener: Listener<BufReader<HeedfulInput>>, output: &Reader) {
    let Listener {
        input,
        open_requests,
        work,
        replies,
    } = listener;
    drop((work, replies));
    open_requests.input_ended();
    if input.into_inner().wait_until_gone(output) {
        open_requests.cancel_all();
        open_requests.end_unwanted();
        thread::sleep(GRACE);
        std::process::exit(Exit::Failed.status().into());
    }
}

fn respond<C: Command>(
    mut request: Incoming,
    host: &Host,
    role: &mut Methods<'_>,
) -> Result<Value, ErrorObject> {
    check_version(&request.method, &mut request.params)?;
    if request.cancel.requested() {
        return Err(request.cancel.explain(Failure::cancelled()).into());
    }
    match request.method.as_str() {
        methods::RUN => run::<C>(request, host),
        methods::DESCRIBE => Ok(json!(describe::manifest::<C>())),
        methods::COMPLETE => {
            let params: CompleteParams = decode(request.params)?;
            let context = context(params.context, &host.cwd, Format::Text);
            Ok(json!(CompleteResult {
                candidates: complete::<C>(&params.argv, &context)?
            }))
        }
        method => {
            let method = method.to_owned();
            let wire = surroundings(&request.params);
            // The parameters may contain secrets, so they are moved and not copied.
            let params = std::mem::take(&mut request.params);
            let cancel = request.cancel.clone();
            let session = session(request, wire, Format::Json, host);
            match role(&method, params, &session) {
                Some(result) => result.map_err(|error| explained(error, &cancel)),
                None => Err(ErrorObject::protocol(
                    codes::METHOD_NOT_FOUND,
                    if method.split('/').all(suggest::is_plain) {
                        format!("there is no method `{method}`")
                    } else {
                        "there is no such method".to_owned()
                    },
                )),
            }
        }
    }
}

/// Decodes the parameters common to all role methods. Absent or invalid parameters get default values.
fn surroundings(params: &Value) -> RunParams {
    RunParams {
        capabilities: Capabilities::deserialize(&params["capabilities"]).unwrap_or_default(),
        context: Context::deserialize(&params["context"]).unwrap_or_default(),
        answers: Map::deserialize(&params["answers"]).unwrap_or_default(),
        ..RunParams::default()
    }
}

/// If a signal cancelled the request, replaces the error's exit status with the signal's exit status.
fn explained(mut error: ErrorObject, cancel: &Cancel) -> ErrorObject {
    if error.code == i64::from(Exit::Cancelled.status()) {
        error.code = cancel.exit().status().into();
    }
    error
}

/// Reports whether every plugin supports `method`. Any other method belongs to a particular role.
fn of_commands(method: &str) -> bool {
    [methods::RUN, methods::DESCRIBE, methods::COMPLETE].contains(&method)
}

/// Checks the protocol version of a request. A request typed by hand may omit the version, which then defaults to the current one. Role
/// methods may also omit the version, because they may predate this rule.
fn check_version(method: &str, params: &mut Value) -> Result<(), ErrorObject> {
    let ours = of_commands(method);
    match params.get("protocol") {
        Some(Value::String(version)) if protocol::serves(version) => Ok(()),
        Some(Value::String(_)) => Err(ErrorObject::unsupported()),
        None if !ours => Ok(()),
        None if params.is_object() => {
            params["protocol"] = json!(protocol::VERSION);
            Ok(())
        }
        _ => Err(ErrorObject::protocol(
            codes::INVALID_PARAMS,
            "`params.protocol` must be a version such as `1.0`",
        )),
    }
}

fn run<C: Command>(request: Incoming, host: &Host) -> Result<Value, ErrorObject> {
    let mut params: RunParams = decode(request.params.clone())?;
    let caller = params
        .context
        .host
        .as_ref()
        .map_or("bot-cli", |host| host.name.as_str());
    let command = C::command();
    let plugin = describe::name(&command);
    let name = format!("{caller} {plugin}");
    let color = params.context.color;
    let command = surface::of(command, &name).term_width(params.context.width);
    let outcome = match command.try_get_matches_from(&params.argv) {
        Err(error) => usage::outcome(&error, &name, &describe::tree::<C>(), &params.argv, color),
        Ok(matches) => {
            surface::heed(&matches, &mut params.context);
            let format = params.context.format;
            let session = session(request, params, format, host);
            carry_out::<C>(&matches, &name, &session)
        }
    };
    Ok(json!(outcome.on_wire()?))
}

fn session(request: Incoming, params: RunParams, format: Format, host: &Host) -> Session {
    let peer = Peer {
        id: request.id,
        capabilities: params.capabilities,
        cancel: request.cancel.clone(),
        output: host.output.clone(),
        replies: Rc::clone(&host.answers),
        asked: 0,
    };
    let context = context(params.context, &host.cwd, format);
    Session::new(Box::new(peer), context, params.answers, request.cancel)
}

fn context(mut context: Context, cwd: &Path, format: Format) -> Context {
    if context.cwd.as_os_str().is_empty() {
        cwd.clone_into(&mut context.cwd);
    }
    context.format = format;
    context
}

fn complete<C: Command>(words: &[String], context: &Context) -> Result<Vec<Candidate>, Failure> {
    let manifest = describe::manifest::<C>();
    let Some(command) = &manifest.command else {
        return Ok(Vec::new());
    };
    let mut completion = bot_cli_protocol::complete::at_end(command, words);
    let mut candidates = std::mem::take(&mut completion.candidates);
    if let Some(argument) = &completion.dynamic {
        let word = words.last().map_or("", |word| completion.typed(word));
        let known = C::complete(argument, words, context)?;
        let fitting = known
            .into_iter()
            .filter(|candidate| candidate.value.starts_with(word));
        candidates.extend(fitting.map(|candidate| Candidate {
            value: format!("{}{}", completion.prefix, candidate.value),
            about: candidate.about,
        }));
    }
    Ok(candidates)
}

fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ErrorObject> {
    shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))
}
