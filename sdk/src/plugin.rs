//! For authors: a plugin is a clap command tree and a function for what it does.

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

use serde_json::Value;

pub use crate::session::{Context, Level, Session};
pub use bot_cli_protocol::Candidate;
pub use bot_cli_protocol::failure::{Exit, Failure, OrFail};
pub use bot_cli_protocol::outcome::Reply;
pub use bot_cli_protocol::question::{Choice, Question};
use bot_cli_protocol::{self as protocol, ErrorObject, Manifest, Role, UseSpec};
use bot_cli_terminal::Look;
pub use bot_cli_terminal::cancel::Guard;
#[doc(hidden)]
pub use describe::{spec_of, tree};
#[doc(hidden)]
pub use embed::beside;
pub use embed::{Declared, manifest_is_up_to_date};

/// A clap command tree that can be run. [`manifest!`](crate::manifest) declares it to hosts.
pub trait Command: clap::Parser + Declared {
    /// The role of the plugin.
    const ROLE: Role = Role::Command;

    /// Does what the user asked for.
    fn run(self, session: &mut Session) -> Result<Reply, Failure>;

    /// Returns what a value may become that only the plugin knows: `argument` is the name of the argument, `words` are all of
    /// the user's words, of which the last is to be completed. It is called for [`COMPLETES`](Self::COMPLETES) only, must
    /// be quick and must change nothing. Candidates that don't begin with the last word are left out.
    fn complete(
        _argument: &str,
        _words: &[String],
        _context: &Context,
    ) -> Result<Vec<Candidate>, Failure> {
        Ok(Vec::new())
    }

    /// The names of the arguments that [`complete`](Self::complete) knows values for.
    const COMPLETES: &'static [&'static str] = &[];

    /// The roles of the plugins that this one uses, and what it can use of them.
    fn uses() -> Vec<(Role, UseSpec)> {
        Vec::new()
    }

    /// The commands that work on the user's own terminal and streams, such as one that becomes another program:
    /// `secrets run`. A host starts the plugin for them as a shell would.
    const DIRECT: &'static [&'static str] = &[];

    /// The variables of the environment that the plugin reads, each with a few words about it, for `help environment`.
    const ENVIRONMENT: &'static [(&'static str, &'static str)] = &[];

    /// The manifest of the command tree, with what a role adds to it.
    #[doc(hidden)]
    fn described(manifest: Manifest) -> Manifest {
        manifest
    }

    /// Serves a method of the plugin's role, such as `secrets/list`. `None`: there is no such method.
    fn request(
        _method: &str,
        _params: Value,
        _session: &mut Session,
    ) -> Option<Result<Value, Failure>> {
        None
    }
}

/// The whole `main` of a plugin: an ordinary command when started with arguments or at a terminal, the protocol otherwise.
///
/// No core dump is written of it. A plugin that starts another program does so in [`core_dump::as_found`](bot_cli_terminal::core_dump::as_found).
pub fn main<C: Command>() -> ExitCode {
    main_with::<C>(&mut |method, params, session| {
        session.cancel().begin();
        let result = C::request(method, params, session)?;
        Some(result.map_err(ErrorObject::from))
    })
}

/// The same for a plugin whose `role` serves the methods with a `/`.
pub fn main_with<C: Command>(role: &mut serve::Methods<'_>) -> ExitCode {
    bot_cli_terminal::core_dump::prevent();
    bot_cli_terminal::file_size::fail_writes();
    // The manifest is for those who read the file; the use keeps it in there.
    std::hint::black_box(C::MANIFEST);
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let cwd = std::env::current_dir();
    if arguments.is_empty() && !std::io::stdin().is_terminal() {
        // A host names the folder; a plugin that is started in none still serves requests that do.
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

/// Returns what `describe` answers.
pub fn manifest<C: Command>() -> Manifest {
    describe::manifest::<C>()
}
