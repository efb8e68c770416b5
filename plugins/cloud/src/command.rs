//! What the commands do: each has a file of its own.

mod auth;
mod complete;
mod config;
mod confirm;
mod delete;
pub mod desk;
mod image_pull_secret;
mod list;
mod logout;
mod open;
mod organizations;
mod plan;
mod project;
mod ready;
mod regions;
mod run;
mod set;
mod unset;
mod vault;

use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::plugin::{Command as Plugin, Reply};
use bot_cli_sdk::protocol::Candidate;
use bot_cli_sdk::session::Session;

use crate::environment::Environment;
use crate::options::{Auth, Command, Config, Options, Organizations, Regions, Secrets, Vault};
use desk::Desk;

impl Plugin for Options {
    const MANIFEST: &'static str = crate::MANIFEST;
    const COMPLETES: &'static [&'static str] = &["name"];
    const DIRECT: &'static [&'static str] = &["secrets run"];

    fn complete(_argument: &str, words: &[String]) -> Vec<Candidate> {
        complete::sets(words, &Environment::read())
    }

    fn run(self, session: &mut Session) -> Result<Reply, Failure> {
        let desk = Desk::new(session, Environment::read());
        match self.command {
            Command::Secrets { command } => match command {
                Secrets::List(options) => desk.wait(list::list(&desk, &options)),
                Secrets::Set(options) => desk.wait(set::set(&desk, options)),
                Secrets::Unset(options) => desk.wait(unset::unset(&desk, &options)),
                Secrets::Delete(options) => desk.wait(delete::delete(&desk, &options)),
                Secrets::ImagePullSecret(options) => {
                    desk.wait(image_pull_secret::put(&desk, options))
                }
                Secrets::Run(options) => run::run(&desk, &options),
            },
            Command::Vault { command } => match command {
                Vault::Verify => vault::verify(&desk),
                Vault::Rekey => vault::rekey(&desk),
                Vault::Backup(options) => vault::backup(&desk, &options),
                Vault::Restore(options) => vault::restore(&desk, &options),
            },
            Command::Auth { command } => match command {
                Auth::Login(options) => desk.wait(auth::login(&desk, &options)),
                Auth::Logout => logout::logout(&desk),
                Auth::Status => desk.wait(auth::status(&desk)),
            },
            Command::Organizations { command } => match command {
                Organizations::List(options) => {
                    desk.wait(organizations::list(&desk, &options.scope))
                }
                Organizations::Use { name } => desk.wait(organizations::choose(&desk, &name)),
            },
            Command::Regions { command } => match command {
                Regions::List(options) => desk.wait(regions::list(&desk, &options.scope)),
            },
            Command::Config { command } => match command {
                Config::Show => config::show(&desk),
                Config::Set { key, value } => config::set(&desk, &key, &value),
            },
        }
    }
}
