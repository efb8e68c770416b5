//! The wire types of the plugin protocol, without any input or output. `PROTOCOL.md` is their normative text.
//!
//! Everything here tolerates what later versions may add: unknown fields are ignored, absent optional ones take their
//! default, and unknown methods decode like known ones.

mod command;
pub mod complete;
mod context;
#[cfg(test)]
mod document;
#[cfg(test)]
mod examples;
pub mod failure;
pub mod line;
mod manifest;
mod message;
mod method;
pub mod outcome;
pub mod question;
#[cfg(test)]
mod schema;
pub mod secret;
pub mod shape;
pub mod suggest;
mod twice;
pub mod wording;
pub mod words;

pub use command::{ArgumentKind, ArgumentSpec, CommandSpec, Completion, ValueSpec};
pub use context::{Capabilities, Context};
pub use manifest::{
    MARKER, Manifest, ManifestError, Role, SCRIPT_HEAD, SCRIPT_MANIFEST, SettingSpec, UseSpec,
    VariableSpec,
};
pub use message::wiped_json;
pub use message::{ChangeState, ErrorData, ErrorObject, Field, Id, Message, NotAMessage};
pub use method::{
    AskAction, AskResult, CancelParams, Candidate, CompleteParams, CompleteResult, DescribeParams,
    HostName, Level, LogParams, OutputParams, ProgressParams, RunParams, RunResult, StdinResult,
};
pub use question::{Choice, Question, QuestionKind};
pub use twice::unique_members;

/// The checks of `PROTOCOL.md`, in files by their name: what a plugin is sent, and what it must reply.
pub const CHECKS: [(&str, &str); 4] = [
    ("file", include_str!("../checks/file.toml")),
    ("messages", include_str!("../checks/messages.toml")),
    ("command", include_str!("../checks/command.toml")),
    ("whole", include_str!("../checks/whole.toml")),
];

/// The version that this library speaks.
pub const VERSION: &str = "1.0";

/// The variable in which a host tells what it starts how many hosts stand above.
pub const DEPTH: &str = "BOT_CLI_DEPTH";

/// The variable in which a host tells what it starts where the host's own executable is.
pub const HOST: &str = "BOT_CLI_HOST";

/// The major version that this library speaks.
pub const MAJOR: u32 = 1;

/// The longest line, its end not counted: 8 MiB.
pub const MAX_LINE: usize = 8 * 1024 * 1024;

/// The names of the methods.
pub mod methods {
    /// Host to plugin: do the work.
    pub const RUN: &str = "run";
    /// Host to plugin: the full manifest.
    pub const DESCRIBE: &str = "describe";
    /// Host to plugin: what a word may become.
    pub const COMPLETE: &str = "complete";
    /// Host to plugin, a notification: the user wants to stop.
    pub const CANCEL: &str = "cancel";
    /// Plugin to host: a question to the user.
    pub const ASK: &str = "ask";
    /// Plugin to host: the user's own piped input.
    pub const STDIN: &str = "stdin";
    /// Plugin to host, a notification: how far the work is.
    pub const PROGRESS: &str = "progress";
    /// Plugin to host, a notification: a line beside the result.
    pub const LOG: &str = "log";
    /// Plugin to host, a notification: a part of the result.
    pub const OUTPUT: &str = "output";
}

/// The negative codes of errors, those of JSON-RPC and one of our own. Positive codes are exit statuses.
pub mod codes {
    /// The line is not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is not a message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is unknown.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The method is known, its parameters are not usable.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A defect of the answering side.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The protocol version cannot be served; `data.supported` lists those that can.
    pub const UNSUPPORTED_PROTOCOL: i64 = -32022;
}

/// Whether this library can serve a request that names protocol version `version`.
pub fn serves(version: &str) -> bool {
    major_minor(version).is_some_and(|(major, _)| major == MAJOR)
}

/// Reads `MAJOR.MINOR`, the form of the versions of the protocol and of the schemas. It is not that of semver, which has a third
/// number.
pub fn major_minor(version: &str) -> Option<(u32, u32)> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    let (major, minor) = version.split_once('.')?;
    Some((number(major)?, number(minor)?))
}

#[cfg(test)]
mod tests {
    #[test]
    fn serves_every_minor_version_of_its_major() {
        for (version, served) in [
            ("1.0", true),
            ("1.7", true),
            ("2.0", false),
            ("0.9", false),
            ("1", false),
            ("1.x", false),
            ("1.0.0", false),
            ("", false),
        ] {
            assert_eq!(super::serves(version), served, "{version}");
        }
    }
}
