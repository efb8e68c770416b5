//! Help, version, and the plugin as an ordinary command.

use serde_json::{Value, json};

use super::{Held, failed, shown};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::conformance::process::Reader;
use crate::process::shell_status;
use crate::protocol::methods;

/// The statuses that a command ends with.
const STATUSES: [i32; 8] = [0, 1, 2, 3, 4, 7, 130, 143];

/// `--help` is answered.
pub fn help(bench: &Bench) -> Held {
    let result = result(bench, "--help")?;
    if result["data"] == json!({ "help": result["text"] }) {
        return Ok(());
    }
    failed("`data` of `--help` is not `{\"help\"}` with the text")
}

/// `--version` is answered.
pub fn version(bench: &Bench) -> Held {
    let manifest = bench.declared()?;
    let result = result(bench, "--version")?;
    if result["data"] == json!({ "name": manifest.name, "version": manifest.version }) {
        return Ok(());
    }
    failed("`data` of `--version` is not the name and the version of the manifest")
}

/// With arguments it is a command like any other.
pub fn ordinary(bench: &Bench) -> Held {
    let mut command = bench.start_with(&["--help"], Reader::Stays)?;
    // What a command prints is not for this check to judge.
    let (status, messages) = command.ended_as_command(bench.patience())?;
    if messages > 0 {
        return failed("started with `--help`, it speaks the protocol");
    }
    if STATUSES.contains(&shell_status(status)) {
        return Ok(());
    }
    failed(format!("started with `--help`, it ended with {status}"))
}

fn result(bench: &Bench, word: &str) -> Result<Value, Stop> {
    let mut plugin = bench.start()?;
    let params = plugin.run_params(&[word]);
    let reply = plugin.request(methods::RUN, params)?;
    let Reply::Result(result) = reply else {
        return failed(format!("a `run` of `{word}` got {}", shown(&reply)));
    };
    match result["text"].as_str() {
        Some(text) if !text.is_empty() => Ok(result),
        _ => failed(format!("a `run` of `{word}` got no `text`")),
    }
}
