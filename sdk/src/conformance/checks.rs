//! The checks, by what they look at.

pub mod asking;
pub mod backend;
pub mod command;
pub mod completing;
pub mod ending;
pub mod file;
pub mod lines;
pub mod pack;
pub mod running;
pub mod services;
pub mod versions;
pub mod whole;

pub use backend::wrong_place;
use serde_json::{Value, json};

use super::bench::Stop;
use super::dialogue::Reply;
use crate::protocol::ErrorObject;

/// A method that no version of the protocol has.
const UNKNOWN: &str = "no-such-method";

/// A check's result.
type Held = Result<(), Stop>;

fn failed<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Failed(reason.into()))
}

/// Parameters that every method takes.
fn version() -> Value {
    json!({ "protocol": "1.0" })
}

/// A reply in a few words.
fn shown(reply: &Reply) -> String {
    match reply {
        Reply::Result(_) => "a result".to_owned(),
        Reply::Error(error) => shown_error(error),
    }
}

fn shown_error(error: &ErrorObject) -> String {
    let message = super::transcript::shown(error.message.as_bytes());
    format!("the error {} (`{message}`)", error.code)
}
