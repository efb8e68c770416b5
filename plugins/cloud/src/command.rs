//! The commands of `bot-cli cloud`.

mod agent;
mod agents;
mod ask;
mod auth;
mod builds;
mod change;
mod complete;
mod config;
mod context;
mod copy;
mod deploy;
mod diff;
mod export;
mod image_pull_secret;
mod keys;
mod kind;
mod list;
mod open;
mod plan;
mod project;
mod run;
mod set;
mod target;
mod token;
mod vault;

use bot_cli_protocol::failure::{ChangeState, Failure};
use bot_cli_protocol::{Candidate, Role, UseSpec};
use bot_cli_sdk::plugin::{Command as Plugin, Reply};
use bot_cli_sdk::session::{Context, Session};

use crate::backend::hosted::SIGN_IN;
use crate::environment::{self, Environment};
use crate::options::{
    AuthCommand, Command, ConfigCommand, Options, OrganizationsCommand, RegionsCommand,
    SecretsCommand, VaultCommand,
};
use context::CommandContext;

impl Plugin for Options {
    const COMPLETES: &'static [&'static str] = complete::ARGUMENTS;
    const ENVIRONMENT: &'static [(&'static str, &'static str)] = &environment::VARIABLES;
    const DIRECT: &'static [&'static str] = &["secrets run", "secrets export"];

    fn uses() -> Vec<(Role, UseSpec)> {
        vec![(Role::SecretsBackend, kind::uses())]
    }

    fn complete(
        argument: &str,
        words: &[String],
        context: &Context,
    ) -> Result<Vec<Candidate>, Failure> {
        let environment = Environment::read()?;
        Ok(complete::complete(
            argument,
            words,
            &environment,
            &context.cwd,
        ))
    }

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        // The guard lasts until the reply: every command checks for a request to stop, and reading may renew the sign-in.
        std::mem::forget(session.guard());
        run(self, session, &Environment::read()?)
    }
}

/// Runs a command in the given environment, which may differ from the process environment.
pub fn run(
    options: Options,
    session: &Session,
    environment: &Environment,
) -> Result<Reply, Failure> {
    let context = CommandContext {
        session,
        environment,
    };
    let changes = options.command.changes();
    carry_out(options, context).map_err(|mut failure| {
        let can_sign_in = failure.hints.iter().any(|hint| hint == SIGN_IN);
        if can_sign_in && context.environment.token.is_some() {
            failure = failure.hint("BOT_CLI_TOKEN is set and wins over that: replace or unset it");
        }
        // A failure during or after a change already has its own outcome.
        if changes && failure.outcome.is_none() {
            failure = failure.outcome(ChangeState::NotDone);
        }
        failure
    })
}

fn carry_out(options: Options, context: CommandContext<'_>) -> Result<Reply, Failure> {
    match options.command {
        Command::Deploy(options) => deploy::deploy(context, &options),
        Command::Agents(command) => agents::run(context, &command),
        Command::Builds(command) => builds::run(context, &command),
        Command::Keys(command) => keys::run(context, &command),
        Command::Secrets(command) => match command {
            SecretsCommand::List(options) => list::list(context, &options),
            SecretsCommand::Set(options) => set::set(context, options),
            SecretsCommand::Copy(options) => copy::copy(context, &options),
            SecretsCommand::Diff(options) => diff::diff(context, &options),
            SecretsCommand::Unset(options) => set::unset(context, options),
            SecretsCommand::Delete(options) => set::delete(context, &options),
            SecretsCommand::ImagePullSecret(options) => image_pull_secret::put(context, &options),
            SecretsCommand::Run(options) => run::run(context, &options),
            SecretsCommand::Export(options) => export::export(context, &options),
            SecretsCommand::Reference(options) => list::reference(context, &options),
        },
        Command::Vault(command) => match command {
            VaultCommand::Verify => vault::verify(context),
            VaultCommand::Rekey => vault::rekey(context),
            VaultCommand::Backup(options) => vault::backup(context, &options),
            VaultCommand::Restore(options) => vault::restore(context, &options),
        },
        Command::Auth(command) => match command {
            AuthCommand::Login(options) => auth::login(context, &options),
            AuthCommand::Logout => auth::logout(context),
            AuthCommand::Status => auth::status(context),
        },
        Command::Organizations(command) => match command {
            OrganizationsCommand::List(options) => list::organizations(context, &options),
            OrganizationsCommand::Use { name } => list::use_organization(context, &name),
            OrganizationsCommand::DefaultRegion { region, account } => {
                list::default_region(context, &region, &account)
            }
        },
        Command::Regions(RegionsCommand::List(options)) => list::regions(context, &options),
        Command::Config(command) => match command {
            ConfigCommand::Show => config::show(context),
            ConfigCommand::Set { key, value } => config::set(context, &key, &value),
        },
    }
}
