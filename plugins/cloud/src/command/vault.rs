//! `vault verify`, `vault rekey`, `vault backup` and `vault restore`.

use std::path::Path;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use bot_cli_terminal::standard_input;
use serde_json::json;
use zeroize::Zeroizing;

use super::context::CommandContext;
use super::{confirm, kind, open};
use crate::backend::local::{Backup as Opened, Size, Vault, open_backup};
use crate::files::Overwrite;
use crate::input::given;
use crate::options::{Backup, Restore};
use crate::secret_file::Storage;

/// The shortest passphrase of a new backup, in characters.
const SHORTEST: usize = 8;

pub(super) fn verify(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let vault = vault(context)?;
    let Some(found) = vault.verify()? else {
        return Ok(Reply::text(format!(
            "There is no vault yet: {}\n",
            context.vault_folder()?.display()
        ))
        .data(json!({ "vault": null })));
    };
    for path in &found.leftovers {
        context.warn(&format!(
            "`{}` is left over from an interrupted change; the next change removes it",
            path.display()
        ));
    }
    let kept = match found.key {
        Storage::File => "in a file",
        Storage::Keyring => "in the keyring",
    };
    Ok(Reply::text(format!(
        "{} opened in {} and {} of {}\nEverything in it is authentic\nVault: {}\nKey: {kept}\n",
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
        "leftovers": found.leftovers,
    })))
}

pub(super) fn rekey(context: &CommandContext<'_>) -> Result<Reply, Failure> {
    let vault = vault(context)?;
    context.progress("Sealing everything with a new key");
    let place = vault.rekey()?;
    let path = context.vault_folder()?.join("vault.key");
    let shown = place.words(&path);
    Ok(Reply::text(format!(
        "The vault has a new key, kept in {shown}; the old key opens only older copies\n"
    ))
    .data(json!({ "key": place.name(), "path": path })))
}

pub(super) fn backup(context: &CommandContext<'_>, options: &Backup) -> Result<Reply, Failure> {
    let path = context.cwd().join(&options.file);
    let overwrite = if options.force {
        Overwrite::Allow
    } else {
        Overwrite::Refuse
    };
    no_stream(
        &options.file,
        "must be a file; a backup that fails halfway would leave a part of itself on stdout",
    )?;
    let vault = vault(context)?;
    vault.check_place(&path, overwrite)?;
    let passphrase = match &options.passphrase_file {
        Some(file) => read_passphrase(context, file).and_then(long_enough)?,
        None => ask_for_new_passphrase(context)?,
    };
    context.progress("Sealing the backup");
    let size = vault.backup(&path, &passphrase, overwrite)?;
    Ok(Reply::text(format!(
        "Saved {} to {}; without the passphrase it can't be read\n",
        words(size),
        path.display()
    ))
    .data(json!({ "path": path, "sets": size.sets, "values": size.values })))
}

pub(super) fn restore(context: &CommandContext<'_>, options: &Restore) -> Result<Reply, Failure> {
    let path = context.cwd().join(&options.file);
    no_stream(
        &options.file,
        "must be a file; stdin is for the passphrase and for your answers",
    )?;
    open_backup(&path)?;
    let vault = vault(context)?;
    let before = vault.size()?;
    let passphrase = match &options.passphrase_file {
        Some(file) => read_passphrase(context, file)?,
        None => ask_for_passphrase(context)?,
    };
    context.progress("Opening the backup");
    let opened = Opened::read(&path, &passphrase)?;
    if before.sets > 0 && !options.skip {
        let about = format!(
            "Replace everything in the vault ({}, of every organization) with the backup {}\nThis can't be undone\n",
            words(before),
            path.display()
        );
        let message = "Type `restore` to replace it:".to_owned();
        confirm::by_name(context, "restore", message, about)?;
    }
    let size = vault.restore(opened)?;
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

/// Refuses `-`, which other programs take for a stream.
fn no_stream(file: &Path, problem: &str) -> Result<(), Failure> {
    if standard_input::is_named_by(file) {
        return Err(crate::input::wrong("file", problem));
    }
    Ok(())
}

/// The vault of this machine, whatever backend is configured.
fn vault<'a>(context: &'a CommandContext<'_>) -> Result<Vault<'a>, Failure> {
    kind::vault(context, &mut open::vault_scope(context, None)?)
}

/// "3 sets with 4 values".
fn words(size: Size) -> String {
    format!(
        "{} with {}",
        count(size.sets, "set"),
        count(size.values, "value")
    )
}

/// The passphrase in a file, without the line end behind it; `-` is standard input.
fn read_passphrase(context: &CommandContext<'_>, file: &Path) -> Result<Secret, Failure> {
    let bytes = if standard_input::is_named_by(file) {
        context.stdin()?
    } else {
        given::read(&context.cwd().join(file)).map_err(|error| wrong(&given::unreadable(&error)))?
    };
    let bytes = Zeroizing::new(bytes);
    if bytes.len() > given::LONGEST {
        return Err(wrong("is longer than 1 MiB"));
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| wrong("is not UTF-8"))?;
    let line = text.strip_suffix('\n').unwrap_or(text);
    let line = line.strip_suffix('\r').unwrap_or(line);
    match line {
        "" => Err(wrong("is empty")),
        line => Ok(Secret::new(line.to_owned())),
    }
}

fn wrong(problem: &str) -> Failure {
    let field = Field::new("passphrase", problem).flag("--passphrase-file");
    Failure::invalid_input(vec![field])
}

fn long_enough(passphrase: Secret) -> Result<Secret, Failure> {
    check_length(&passphrase).map_err(|problem| wrong(&problem))?;
    Ok(passphrase)
}

fn check_length(passphrase: &Secret) -> Result<(), String> {
    if passphrase.expose().chars().count() < SHORTEST {
        return Err(format!("needs at least {SHORTEST} characters"));
    }
    Ok(())
}

fn question(key: &str, message: &str) -> Question {
    Question::password(key, message).flag("--passphrase-file")
}

fn ask_for_passphrase(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    context.ask_until(&question("passphrase", "Passphrase of the backup"), secret)
}

/// Asks twice: nobody sees what is typed, and a mistyped passphrase makes a backup worthless.
fn ask_for_new_passphrase(context: &CommandContext<'_>) -> Result<Secret, Failure> {
    let mut first = question("passphrase", "Passphrase for the backup");
    let again = question("passphrase_again", "The same passphrase again");
    let is_fixed = [&first, &again]
        .iter()
        .any(|asked| context.has_answer(&asked.key));
    loop {
        let typed = context.ask_all(&[first.clone(), again.clone()], |question, answer| {
            let passphrase = secret(answer)?;
            if question.key == first.key {
                check_length(&passphrase)?;
            }
            Ok(passphrase)
        })?;
        if let Ok([passphrase, again]) = <[Secret; 2]>::try_from(typed)
            && passphrase == again
        {
            return Ok(passphrase);
        }
        let problem = "was not the same the second time".to_owned();
        if is_fixed {
            return Err(crate::input::wrong(&again.key, problem));
        }
        // Either of the two may have been mistyped.
        first.problem = Some(problem);
    }
}

fn secret(answer: &Answer) -> Result<Secret, String> {
    let secret = answer.as_secret().ok_or("must be a text")?;
    if secret.expose().is_empty() {
        return Err("is empty".to_owned());
    }
    // A file of several lines has no line end behind its passphrase, either.
    Ok(match secret.expose().strip_suffix('\n') {
        Some(text) => Secret::new(text.to_owned()),
        None => secret.clone(),
    })
}
