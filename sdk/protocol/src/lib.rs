//! Wire types for the plugin protocol. This crate performs no I/O of its own. `PROTOCOL.md` is the normative specification.
//!
//! All types tolerate additions in later versions: they ignore unknown fields, use defaults for absent optional fields, and accept messages
//! with unknown methods.

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

/// The conformance checks for `PROTOCOL.md`, as pairs of a name and the contents of a TOML file. Each check lists its steps, such as the
/// messages to send to a plugin, and the expected results.
pub const CHECKS: [(&str, &str); 4] = [
    ("file", include_str!("../checks/file.toml")),
    ("messages", include_str!("../checks/messages.toml")),
    ("command", include_str!("../checks/command.toml")),
    ("whole", include_str!("../checks/whole.toml")),
];

/// The protocol version that this library implements.
pub const VERSION: &str = "1.0";

/// The environment variable that contains the nesting depth of hosts. A host sets it for the programs that it starts.
pub const DEPTH: &str = "BOT_CLI_DEPTH";

/// The environment variable that contains the path of the host's executable. A host sets it for the programs that it starts.
pub const HOST: &str = "BOT_CLI_HOST";

/// The major protocol version that this library implements.
pub const MAJOR: u32 = 1;

/// The maximum length of a line, without its line ending: 8 MiB.
pub const MAX_LINE: usize = 8 * 1024 * 1024;

/// Method names.
pub mod methods {
    /// A host-to-plugin request that runs a command.
    pub const RUN: &str = "run";
    /// A host-to-plugin request for the full manifest.
    pub const DESCRIBE: &str = "describe";
    /// A host-to-plugin request for completions of an argument.
    pub const COMPLETE: &str = "complete";
    /// A notification that cancels a request. Either side can send it.
    pub const CANCEL: &str = "cancel";
    /// A plugin-to-host request that asks the user a question.
    pub const ASK: &str = "ask";
    /// A plugin-to-host request for the user's piped input.
    pub const STDIN: &str = "stdin";
    /// A plugin-to-host notification that reports progress.
    pub const PROGRESS: &str = "progress";
    /// A plugin-to-host notification that writes a log line.
    pub const LOG: &str = "log";
    /// A plugin-to-host notification that shows part of the result.
    pub const OUTPUT: &str = "output";
}

/// Negative error codes: the JSON-RPC codes and one code specific to this protocol. Positive codes are exit statuses.
pub mod codes {
    /// The line is not valid JSON or not valid UTF-8.
    pub const PARSE_ERROR: i64 = -32700;
    /// The line is JSON but not a message, or it is too long.
    pub const INVALID_REQUEST: i64 = -32600;
    /// The method is unknown.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The method is known, but its parameters are invalid.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The receiver failed because of a bug.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// The protocol version is not supported. `data.supported` lists the supported versions.
    pub const UNSUPPORTED_PROTOCOL: i64 = -32022;
}

/// Reports whether this library supports the protocol version `version`.
pub fn serves(version: &str) -> bool {
    major_minor(version).is_some_and(|(major, _)| major == MAJOR)
}

/// Parses a `MAJOR.MINOR` version, the format used by the protocol and the schemas. Unlike semver, this format has no patch version.
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
