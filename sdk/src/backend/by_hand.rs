//! A backend started by a person: it says what it is, and who uses it.

use std::marker::PhantomData;

use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::Backend;
use crate::failure::Failure;
use crate::outcome::Reply;
use crate::plugin::{Command, Declared};
use crate::protocol::secrets::{PREFIX, VERSION};
use crate::protocol::{Manifest, Role};
use crate::session::Session;
use crate::terminal::table;

/// The command of a backend.
#[doc(hidden)]
pub struct ByHand<B>(PhantomData<B>);

impl<B: Backend> Declared for ByHand<B> {
    const MANIFEST: &'static str = B::MANIFEST;
}

impl<B: Backend> Command for ByHand<B> {
    const ROLE: Role = Role::SecretsBackend;
    const ENVIRONMENT: &'static [(&'static str, &'static str)] = B::ENVIRONMENT;

    fn run(self, _session: &mut Session) -> Result<Reply, Failure> {
        Ok(Reply::text(format!(
            "{}: {}\n\n{}\n",
            B::NAME,
            B::ABOUT,
            uses::<B>()
        )))
    }

    fn described(manifest: Manifest) -> Manifest {
        let requires = B::REQUIRES.iter();
        Manifest {
            command: None,
            secrets: Some(VERSION.to_owned()),
            settings: B::settings(),
            requires: requires
                .map(|(executable, range)| ((*executable).to_owned(), (*range).to_owned()))
                .collect(),
            ..manifest
        }
    }
}

impl<B: Backend> clap::Parser for ByHand<B> {}

impl<B: Backend> CommandFactory for ByHand<B> {
    fn command() -> clap::Command {
        let package = Manifest::find(B::MANIFEST.as_bytes());
        clap::Command::new(B::NAME)
            .version(package.map(|package| package.version).unwrap_or_default())
            .about(B::ABOUT)
            .after_help(uses::<B>())
    }

    fn command_for_update() -> clap::Command {
        Self::command()
    }
}

impl<B: Backend> FromArgMatches for ByHand<B> {
    fn from_arg_matches(_matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(PhantomData))
    }

    fn update_from_arg_matches(&mut self, _matches: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

/// Returns who uses it, and its settings.
fn uses<B: Backend>() -> String {
    let name = B::NAME.strip_prefix(PREFIX).unwrap_or(B::NAME);
    let used =
        format!("A secrets backend: `bot-cli cloud secrets` starts it with `--backend {name}`.");
    let settings = B::settings();
    if settings.is_empty() {
        return used;
    }
    let rows: Vec<Vec<String>> = settings
        .into_iter()
        .map(|setting| {
            let required = if setting.required { " (required)" } else { "" };
            vec![
                format!("  bot-cli cloud config set {name}.{} VALUE", setting.name),
                format!("{}{required}", setting.about),
            ]
        })
        .collect();
    format!("{used}\n\nSettings:\n{}", table(&rows).trim_end())
}
