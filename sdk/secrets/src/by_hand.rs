//! A backend started by a person: it says what it is, and who uses it.

use std::marker::PhantomData;

use super::Backend;
use crate::messages::{PREFIX, VERSION};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::{Manifest, Role};
use bot_cli_sdk::plugin::{Command, Declared};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::table;

/// The command of a backend.
#[doc(hidden)]
#[derive(clap::Parser)]
#[command(name = B::NAME, version = version::<B>(), about = B::ABOUT, after_help = uses::<B>())]
pub struct ByHand<B: Backend> {
    #[arg(skip)]
    backend: PhantomData<B>,
}

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

fn version<B: Backend>() -> String {
    let package = Manifest::find(B::MANIFEST.as_bytes());
    package.map(|package| package.version).unwrap_or_default()
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
