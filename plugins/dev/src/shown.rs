//! Prints output as lines with a time and a program name, and as data.

use std::time::Instant;

use bot_cli_protocol::outcome::Format;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::printable;
use serde::Serialize;
use serde_json::json;

/// The program name shown for output from `dev` itself.
const OWN: &str = "dev";

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event<'a> {
    /// The keys from one source.
    Keys {
        source: &'a str,
        names: &'a [String],
    },
    /// Required keys that are not set.
    NotSet { names: &'a [String], hint: &'a str },
    /// A problem that doesn't stop the command.
    Warning { message: &'a str },
    /// A program was started.
    Started { name: &'a str, command: &'a str },
    /// A line of output from a program.
    Line { name: &'a str, line: &'a str },
    /// All ports accept connections.
    Ready {
        address: Option<&'a str>,
        message: &'a str,
    },
    /// The bot is being restarted because a file or a key changed.
    Changed { what: &'a str },
    /// A program exited by itself.
    Ended {
        name: &'a str,
        status: Option<i32>,
        waits: bool,
    },
}

/// An event with its time, in seconds since the start.
#[derive(Serialize)]
struct Timed<'a> {
    time: f64,
    #[serde(flatten)]
    event: &'a Event<'a>,
}

pub struct Shown<'a> {
    pub session: &'a Session,
    since: Instant,
}

impl<'a> Shown<'a> {
    pub fn new(session: &'a Session) -> Self {
        Self {
            session,
            since: Instant::now(),
        }
    }

    pub fn event(&mut self, event: &Event<'_>) {
        if self.is_json() && !self.session.shows_output() {
            // The only document is the result, and events would fill the memory until then.
            return;
        }
        let time = self.since.elapsed().as_secs_f64();
        let line = self.text(time, event) + "\n";
        let time = (time * 1000.0).round() / 1000.0;
        self.session
            .output_with(&line, || json!(Timed { time, event }));
    }

    pub fn is_json(&self) -> bool {
        self.session.context().format == Format::Json
    }

    fn text(&self, time: f64, event: &Event<'_>) -> String {
        let (name, text) = if let Event::Line { name, line } = event {
            (*name, printable(line, false))
        } else {
            (OWN, event.words())
        };
        let (begin, end) = if self.session.context().color {
            let colour = match name {
                "bot" => "36",
                "client" => "35",
                "server" => "33",
                OWN => "1;32",
                _ => "2",
            };
            (format!("\u{1b}[{colour}m"), "\u{1b}[0m")
        } else {
            (String::new(), "")
        };
        format!("{begin}{time:>7.1}s {name:<6} |{end} {text}")
    }
}

impl Event<'_> {
    fn words(&self) -> String {
        match self {
            Self::Keys { source, names } => format!("{source}: {}", names.join(", ")),
            Self::NotSet { names, hint } => format!("not set: {} ({hint})", names.join(", ")),
            Self::Warning { message } => format!("warning: {message}"),
            Self::Started { command, .. } => format!("$ {command}"),
            Self::Line { line, .. } => (*line).to_owned(),
            Self::Ready { message, .. } => format!("ready: {message}"),
            Self::Changed { what } => format!("{what} has changed: the bot starts again"),
            Self::Ended {
                name,
                status,
                waits,
            } => {
                let how = status.map_or("was ended by a signal".to_owned(), |status| {
                    format!("ended with status {status}")
                });
                let waits = if *waits {
                    "; it starts again when its code, `.env` or its set changes"
                } else {
                    ""
                };
                format!("the {name} {how}{waits}")
            }
        }
    }
}
