//! The `vault` commands.

use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::standard_input;
use bot_cli_vault::files::Overwrite;
use bot_cli_vault::{Size, Vault, open_backup};
use serde_json::json;

use super::ask::{ask_all_or, confirm_by_name};
use super::context::CommandContext;
use super::{kind, open};
use crate::domain::BackendName;
use crate::input::{self, text};
use crate::options::{Backup, Restore};
use crate::scope::Wanted;

/// The minimum length of a new backup's passphrase, in characters.
const SHORTEST: usize = 8;

pub(super) fn verify(context: CommandContext<'_>) -> Result<Reply, Failure> {
    let vault = vault(context)?;
    let Some(found) = vault.verify(context.session)? else {
        return Ok(Reply::text(format!(
            "There is no vault yet: {}\n",
            context.environment.vault_folder()?.display()
        ))
        .data(json!({ "vault": null })));
    };
    let key = found
        .key
        .words(&context.environment.vault_folder()?.join("vault.key"));
    Ok(Reply::text(format!(
        "{} opened in {} and {} of {}\nEverything in it is authentic\nVault: {}\nKey: {key}\n",
        count(found.values, "value"),
        count(found.secret_sets, "secret set"),
        count(found.image_pull_secrets, "image pull secret"),
        count(found.organizations, "organization"),
        found.path.display()
    ))
    .data(json!({
        "vault": found.path,
        "key": found.key.name(),
        "organizations": found.organizations,
        "secret_sets": found.secret_sets,
        "image_pull_secrets": found.image_pull_secrets,
        "values": found.values,
    })))
}

pub(super) fn rekey(context: CommandContext<'_>) -> Result<Reply, Failure> {
    let session = context.session;
    let vault = vault(context)?;
    session.progress("Sealing everything with a new key", None, None);
    let place = vault.rekey(session)?;
    let path = context.environment.vault_folder()?.join("vault.key");
    let shown = place.words(&path);
    Ok(Reply::text(format!(
        "The vault has a new key, kept in {shown}; the old key opens only older copies\n"
    ))
    .data(json!({ "key": place.name(), "path": path })))
}

pub(super) fn backup(context: CommandContext<'_>, options: &Backup) -> Result<Reply, Failure> {
    let path = file(context.session, &options.file)?;
    let overwrite = if options.force {
        Overwrite::Allow
    } else {
        Overwrite::Refuse
    };
    let vault = vault(context)?;
    vault.check_place(&path, overwrite)?;
    let passphrase = match &options.passphrase_file {
        Some(file) => {
            let read = read_passphrase(context.session, file)?;
            long_enough(read).map_err(wrong)?
        }
        None => ask_for_new_passphrase(context.session)?,
    };
    context.session.progress("Sealing the backup", None, None);
    let size = vault.backup(&path, &passphrase, overwrite, context.session)?;
    Ok(Reply::text(format!(
        "Saved {} to {}; without the passphrase it can't be read\n",
        words(size),
        path.display()
    ))
    .data(json!({ "path": path, "sets": size.sets, "values": size.values })))
}

pub(super) fn restore(context: CommandContext<'_>, options: &Restore) -> Result<Reply, Failure> {
    let path = file(context.session, &options.file)?;
    open_backup(&path)?;
    let vault = vault(context)?;
    let before = vault.size(context.session)?;
    let passphrase = if let Some(file) = &options.passphrase_file {
        read_passphrase(context.session, file)?
    } else {
        let question = Question::password("passphrase", "Passphrase of the backup");
        let question = question.flag("--passphrase-file");
        context.session.ask_until(&question, typed)?
    };
    context.session.progress("Opening the backup", None, None);
    let opened = bot_cli_vault::Backup::read(&path, &passphrase)?;
    if before.sets > 0 && !options.skip {
        let about = format!(
            "Replace everything in the vault ({}, of every organization) with the backup {}\nThis can't be undone\n",
            words(before),
            path.display()
        );
        confirm_by_name(context.session, "restore", "replace", about)?;
    }
    let size = vault.restore(opened, context.session)?;
    Ok(Reply::text(format!(
        "Restored {} from {}; {} replaced\n",
        words(size),
        path.display(),
        words(before)
    ))
    .data(json!({
        "path": path,
        "sets": size.sets,
        "values": size.values,
        "replaced": { "sets": before.sets, "values": before.values },
    }))
    .next("bot-cli cloud secrets list --backend local"))
}

/// Returns the path of a backup. Fails for `-`, which means standard input in other commands.
pub(super) fn file(session: &Session, file: &Path) -> Result<PathBuf, Failure> {
    if standard_input::is_named_by(file) {
        return Err(input::wrong("file", "must be a file"));
    }
    Ok(session.cwd().join(file))
}

/// Opens the local vault, regardless of the configured backend.
pub(super) fn vault(context: CommandContext<'_>) -> Result<Vault, Failure> {
    let wanted = Wanted::of(BackendName::LOCAL.as_str(), None);
    kind::vault(context, &mut open::scope(context, &wanted)?)
}

/// Formats a size, such as "3 sets with 4 values".
fn words(size: Size) -> String {
    format!(
        "{} with {}",
        count(size.sets, "set"),
        count(size.values, "value")
    )
}

/// Reads the passphrase from a file, or from standard input if the path is `-`.
fn read_passphrase(session: &Session, file: &Path) -> Result<Secret, Failure> {
    let bytes = input::read(session, file)?.map_err(wrong)?;
    without_line_end(&text(bytes).map_err(wrong)?).map_err(wrong)
}

fn wrong(problem: impl Into<String>) -> Failure {
    let field = Field::new("passphrase", problem).flag("--passphrase-file");
    Failure::invalid_input(vec![field])
}

fn long_enough(passphrase: Secret) -> Result<Secret, String> {
    if passphrase.expose().chars().count() < SHORTEST {
        return Err(format!("needs at least {SHORTEST} characters"));
    }
    Ok(passphrase)
}

/// Prompts for the passphrase twice, because a mistyped passphrase makes a backup worthless.
fn ask_for_new_passphrase(session: &Session) -> Result<Secret, Failure> {
    let again = "passphrase_again";
    let questions = [
        Question::password("passphrase", "Passphrase for the backup").flag("--passphrase-file"),
        Question::password(again, "The same passphrase again").flag("--passphrase-file"),
    ];
    let mut first = None;
    let instead = "give a file with `--passphrase-file`, or `-` there and the passphrase on stdin";
    let mut answers = ask_all_or(session, &questions, instead, |question, answer| {
        let passphrase = typed(answer)?;
        if question.key != again {
            first = Some(passphrase.clone());
            return long_enough(passphrase);
        }
        if first.as_ref() == Some(&passphrase) {
            return Ok(passphrase);
        }
        Err("is not the same as before; go back to type that again".to_owned())
    })?;
    Ok(answers.swap_remove(0))
}

fn typed(answer: &Answer) -> Result<Secret, String> {
    Ok(without_line_end(
        answer.as_secret().ok_or("must be a text")?,
    )?)
}

/// Removes the final line break, which is not part of a passphrase. Fails if the passphrase is empty.
fn without_line_end(text: &Secret) -> Result<Secret, &'static str> {
    let line = text.expose();
    let line = line.strip_suffix('\n').unwrap_or(line);
    match line.strip_suffix('\r').unwrap_or(line) {
        "" => Err("is empty"),
        line => Ok(Secret::new(line.to_owned())),
    }
}
