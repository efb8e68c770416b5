//! Runs the commands of `plugin`.

use bot_cli_engine::discovery::Discovery;
use bot_cli_protocol::failure::Failure;
use bot_cli_sdk::plugin::{Candidate, Command as Plugin, Context, Reply};
use bot_cli_sdk::session::Session;

use crate::options::{Command, Options};
use crate::{added, check, inventory, listing, new};

impl Plugin for Options {
    const COMPLETES: &'static [&'static str] = &["installed", "added"];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let discovery = Discovery::here();
        match self.command {
            Command::List => Ok(listing::list(&discovery, session)),
            Command::Info { installed } => listing::info(&installed, &discovery, session),
            Command::Add(options) => added::add(&options, &discovery, session),
            Command::Upgrade(options) => added::upgrade(&options, &discovery, session),
            Command::Remove(options) => added::remove(&options, &discovery, session),
            Command::Check(options) => check::check(&options, session),
            Command::New(options) => new::write(&options),
        }
    }

    fn complete(
        argument: &str,
        _words: &[String],
        _context: &Context,
    ) -> Result<Vec<Candidate>, Failure> {
        let names = match argument {
            "installed" => inventory::names(&Discovery::here()),
            _ => added::names(&Discovery::here()),
        };
        let names = names.into_iter();
        Ok(names
            .map(|(name, about)| Candidate::new(name).about(about))
            .collect())
    }
}
