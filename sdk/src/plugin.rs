//! The interface for plugin authors. A plugin is a clap command tree and a function that runs it.

mod describe;
mod direct;
mod embed;
mod open_requests;
mod output;
mod peer;
mod serve;
pub(crate) mod surface;
pub mod usage;
pub(crate) mod work;

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

pub use crate::session::{Context, Level, Session};
pub use bot_cli_protocol::Candidate;
pub use bot_cli_protocol::failure::{Exit, Failure, OrFail};
pub use bot_cli_protocol::outcome::Reply;
pub use bot_cli_protocol::question::{Choice, Question};
use bot_cli_protocol::{self as protocol, Manifest, Role, UseSpec};
use bot_cli_terminal::Look;
pub use bot_cli_terminal::cancel::Guard;
#[doc(hidden)]
pub use describe::{spec_of, tree};
#[doc(hidden)]
pub use embed::beside;
pub use embed::{Declared, manifest_is_up_to_date};
#[doc(hidden)]
pub use surface::{JsonOption, with_forms};

/// A clap command tree that can be run as a plugin. Use [`manifest!`](crate::manifest) to embed its manifest.
///
/// A whole plugin, which asks for what is missing, completes, shows its progress and fails with a hint:
///
/// ```no_run
/// use bot_cli_sdk::plugin::{self, Candidate, Command, Context, Exit, Failure, Question, Reply, Session};
/// use serde_json::json;
///
/// /// Counts the letters of files
/// #[derive(clap::Parser)]
/// #[command(name = "bot-cli-letters", version)]
/// struct Letters {
///     /// Files to read
///     files: Vec<String>,
///     /// Letter to count
///     #[arg(long)]
///     letter: Option<char>,
/// }
///
/// impl Command for Letters {
///     const COMPLETES: &'static [&'static str] = &["files"];
///     const RESULTS: &'static [(&'static str, &'static str)] = &[(
///         "",
///         r#"{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}"#,
///     )];
///
///     fn run(self, session: &Session) -> Result<Reply, Failure> {
///         if self.files.is_empty() {
///             let failure = Failure::new(Exit::Usage, "invalid_input", "no file was given");
///             return Err(failure.hint("bot-cli letters README.md"));
///         }
///         let letter = match self.letter {
///             Some(letter) => letter,
///             None => session.ask_until(
///                 &Question::text("letter", "Which letter").flag("--letter"),
///                 |answer| match answer.as_text().unwrap_or_default().parse() {
///                     Ok(letter) => Ok(letter),
///                     Err(_) => Err("must be one letter".to_owned()),
///                 },
///             )?,
///         };
///         let mut count = 0;
///         for (done, file) in self.files.iter().enumerate() {
///             session.progress(file, Some(done as u64), Some(self.files.len() as u64));
///             count += std::fs::read_to_string(session.cwd().join(file))?.matches(letter).count();
///         }
///         Ok(Reply::text(format!("{count}\n")).data(json!({ "count": count })))
///     }
///
///     fn complete(_: &str, _: &[String], context: &Context) -> Result<Vec<Candidate>, Failure> {
///         let files = std::fs::read_dir(&context.cwd)?;
///         let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
///         Ok(names.map(Candidate::new).collect())
///     }
/// }
///
/// # const _: &str = stringify!(
/// bot_cli_sdk::manifest!(Letters, "../manifest.json");
/// # );
/// # impl plugin::Declared for Letters { const MANIFEST: &'static str = ""; }
///
/// fn main() -> std::process::ExitCode {
///     plugin::main::<Letters>()
/// }
/// ```
pub trait Command: clap::Parser + Declared {
    /// The plugin's role.
    const ROLE: Role = Role::Command;

    /// Runs the command. The caller prints the reply or the failure.
    fn run(self, session: &Session) -> Result<Reply, Failure>;

    /// Returns completions for the value of `argument`. `words` contains the user's arguments, the last of which is the one to complete.
    ///
    /// This function is called only for arguments in [`COMPLETES`](Self::COMPLETES). It must be fast and must not change anything.
    /// Candidates that do not start with the last word are ignored.
    fn complete(
        _argument: &str,
        _words: &[String],
        _context: &Context,
    ) -> Result<Vec<Candidate>, Failure> {
        Ok(Vec::new())
    }

    /// The names of the arguments that [`complete`](Self::complete) supports.
    const COMPLETES: &'static [&'static str] = &[];

    /// Returns the roles of the plugins that this plugin uses, with the requirements for each role.
    fn uses() -> Vec<(Role, UseSpec)> {
        Vec::new()
    }

    /// The commands that use the user's terminal and standard streams directly, such as `secrets run`, which replaces itself with another
    /// program. For these commands, a host starts the plugin as a shell would.
    const DIRECT: &'static [&'static str] = &[];

    /// The commands that declare the form of their `data`, such as `("secrets list", include_str!("list.schema.json"))`: a JSON Schema, which
    /// `plugin check` compares with the results.
    const RESULTS: &'static [(&'static str, &'static str)] = &[];

    /// The environment variables that the plugin reads, with short descriptions for `help environment`.
    const ENVIRONMENT: &'static [(&'static str, &'static str)] = &[];

    /// Adds role-specific fields to the manifest.
    #[doc(hidden)]
    fn described(manifest: Manifest) -> Manifest {
        manifest
    }
}

/// Runs a plugin and returns its exit status. Call this function from `main`.
///
/// With arguments or at a terminal, the plugin is an ordinary command. Otherwise, it serves the protocol.
///
/// This function disables core dumps, because they would contain secrets.
pub fn main<C: Command>() -> ExitCode {
    main_with::<C>(&mut |_, _, _| None)
}

/// Runs a plugin like [`main`], but passes requests for the role's methods to `role`.
pub fn main_with<C: Command>(role: &mut serve::Methods<'_>) -> ExitCode {
    bot_cli_terminal::core_dump::prevent();
    bot_cli_terminal::file_size::fail_writes();
    // Hosts read the manifest from the file. This use keeps it in the executable.
    std::hint::black_box(C::MANIFEST);
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let cwd = std::env::current_dir();
    if arguments.is_empty() && !std::io::stdin().is_terminal() {
        // The current folder may not exist. The plugin still serves requests that name a folder.
        serve::serve::<C>(cwd.unwrap_or_else(|_| PathBuf::from(".")), role)
    } else {
        let command = C::command();
        let name = describe::name(&command);
        let name = match std::env::var_os(protocol::DEPTH) {
            Some(_) => format!("bot-cli {name}"),
            None => format!("bot-cli-{name}"),
        };
        direct::run::<C>(command, &name, &arguments, cwd, Look::detect())
    }
}

/// Returns the plugin's manifest.
pub fn manifest<C: Command>() -> Manifest {
    describe::manifest::<C>()
}
