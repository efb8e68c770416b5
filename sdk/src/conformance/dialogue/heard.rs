//! Everything that a plugin says, and what is wrong with it.

use serde_json::Value;

use super::{Dialogue, Offer};
use crate::conformance::bench::{Fault, Stop};
use crate::conformance::process::Event;
use crate::conformance::transcript::{CANARY, shown};
use crate::line::Line;
use crate::protocol::{LogParams, Message, OutputParams, ProgressParams, methods, shape};
use crate::question::Question;

impl Dialogue<'_> {
    /// Keeps the books of what the plugin says.
    pub(super) fn hear(&mut self, event: Event) -> Result<Option<Message>, Stop> {
        let bytes = match event {
            Event::Stderr(lines) => {
                self.transcript.complained(&lines);
                self.look_for_password(&lines, "standard error");
                return Ok(None);
            }
            Event::OutputEnded => return Ok(None),
            Event::Line(Line::TooLong { .. }) => {
                let what = "it sent a line of more than 8 MiB".to_owned();
                self.faults.push((Fault::NoMessage, what.clone()));
                return Err(Stop::Failed(what));
            }
            Event::Line(Line::Complete(bytes)) => bytes,
        };
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        self.transcript.received(&bytes);
        self.look_for_password(&bytes, "standard output");
        let Ok(message) = Message::from_line(&bytes) else {
            let what = format!(
                "it printed a line that is not a message: `{}`",
                shown(&bytes)
            );
            self.faults.push((Fault::NoMessage, what));
            return Ok(None);
        };
        self.judge(&message);
        Ok(Some(message))
    }

    fn judge(&mut self, message: &Message) {
        match message {
            Message::Result { id, .. } | Message::Error { id: Some(id), .. } => {
                if let Some(at) = self.open.iter().position(|open| open == id) {
                    self.open.remove(at);
                } else {
                    let what = format!("it replied to {id}, which no open request has as its id");
                    self.faults.push((Fault::Reply, what));
                }
            }
            Message::Error { id: None, error } => self.refused.push(error.clone()),
            Message::Request { method, params, .. } => {
                let known = [methods::ASK, methods::STDIN].contains(&method.as_str());
                if known && self.offer == Offer::Nothing {
                    let what = format!("it sent `{method}`, which the host did not offer");
                    self.faults.push((Fault::NotOffered, what));
                }
                if method == methods::ASK {
                    self.check_shape::<Question>(method, params);
                }
            }
            Message::Notification { method, params } => match method.as_str() {
                methods::OUTPUT if self.offer == Offer::Nothing => {
                    let what = "it sent `output`, which the host did not offer".to_owned();
                    self.faults.push((Fault::NotOffered, what));
                }
                methods::OUTPUT => self.check_shape::<OutputParams>(method, params),
                methods::PROGRESS => self.check_shape::<ProgressParams>(method, params),
                methods::LOG => self.check_shape::<LogParams>(method, params),
                _ => {}
            },
        }
    }

    fn check_shape<T: serde::de::DeserializeOwned>(&mut self, method: &str, params: &Value) {
        if let Err(problem) = shape::read::<T>("params", params.clone()) {
            let what = format!("its `{method}` has another shape: {problem}");
            self.faults.push((Fault::Shape, what));
        }
    }

    fn look_for_password(&mut self, bytes: &[u8], place: &str) {
        let canary = CANARY.as_bytes();
        if bytes.windows(canary.len()).any(|part| part == canary) {
            let what = format!("it repeated a password in {place}");
            self.faults.push((Fault::Password, what));
        }
    }
}
