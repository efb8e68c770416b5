//! Implements `bot-cli init DIR --adopt`, which writes the missing record for a project so that the project can be updated. No other files
//! change.
//!
//! The `--json` document is an object:
//!
//! - `target`: the absolute path of the directory.
//! - `config`: the recorded configuration.
//! - `written`: whether the record was written.
//! - `same`, `missing`: the paths of generated files that are unchanged or missing.
//! - `different`: a list of `{path, changes}`, with the lines that the user removed from and added to each generated file.
//! - `unmerged`: by the key of each further feature, the files that its update would leave to the user, each as `conflict` or `missing`.
//! - `next`: suggested commands.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};

use super::job::{unplanned, unrecorded};
use super::origins::Origins;
use super::recovery;
use super::{file, note_name, packs, resolved};
use crate::catalogue::Catalogue;
use crate::config::{Config, parse_file};
use crate::digest::sha256;
use crate::draft::Draft;
use crate::equivalent::directory;
use crate::merge::changes;
use crate::option_table::Feature;
use crate::options::Options;
use crate::plan::{self, PlannedFile};
use crate::record::{self, PROJECT};
use crate::resolve::{is_missing, resolve};
use crate::target::Target;
use crate::target::compare::{PathState, find};
use crate::transaction::{self, Change, Old};
use crate::update::{About, Base, Update, differences, reading};
use crate::wizard::{self, Selection, Way};

pub(super) fn run(options: &Options, session: &Session) -> Result<Reply, Failure> {
    let given = options.target_dir.as_deref().unwrap_or(Path::new("."));
    let target = Target::find(given, session.cwd())?;
    if !options.dry_run {
        recovery::recover(&target, session)?;
    }
    recovery::refuse_unfinished(&target, None)?;
    let shown = quoted(&directory(&target.shown));
    if target.path.join(PROJECT).symlink_metadata().is_ok() {
        let message = format!("{shown} has a record, `{PROJECT}`");
        return Err(Failure::new(Exit::Usage, "recorded", message).hint(format!(
            "`bot-cli init {shown} --update` changes the project; if the record can't be used, remove it first"
        )));
    }
    if !target.path.join("server/bot.py").is_file() {
        let message = format!("{shown} has no `server/bot.py`, the program of a bot");
        let failure = Failure::new(Exit::Usage, "no_bot", message).hint(
            "nothing was changed; `--adopt` needs the bot in `server`, with its `pyproject.toml`",
        );
        return Err(into_server(&target)
            .into_iter()
            .fold(failure, Failure::hint));
    }
    let read = file::read(options.config.as_deref(), session)?;
    let asked = options.draft.clone().over(read.draft.clone());
    let shown_by_code = reading::read(&target.path);
    let draft = asked.over(shown_by_code.clone());
    let origins = Origins {
        options: options.draft.clone(),
        file: read,
        below: Some((shown_by_code, "the code".to_owned())),
    };
    let catalogue = OnceCell::new();
    let config = config(draft, origins, &target, &catalogue, session)?;
    note_name(&config, session);
    let next = format!("bot-cli init {shown} --update --dry-run");
    let (record, mut reply) = adopted(&target, &config, options.dry_run, &shown)?;
    if !options.dry_run {
        let cancelled = || session.cancelled();
        transaction::write(&target.path, &record, Old::Given, &cancelled)?;
        reply.data["next"] = json!([next]);
        reply = reply.next(next);
    }
    Ok(reply)
}

/// Returns a hint with the command that moves a bot from the project's root into `server`, if the bot is there.
pub(super) fn into_server(target: &Target) -> Option<String> {
    const STAYS: [&str; 6] = [".bot-cli", ".git", ".venv", "LICENSE", "README", "server"];
    if !target.path.join("bot.py").is_file() {
        return None;
    }
    let entries = target.path.read_dir().ok()?.flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let stays = |name: &String| STAYS.iter().any(|it| name.starts_with(it));
    let mut names: Vec<String> = names.filter(|name| !stays(name)).collect();
    names.sort();
    let folder = Path::new(&target.shown);
    let path = |name: &String| quoted(&folder.join(name).display().to_string());
    let moved: Vec<String> = names.iter().map(path).collect();
    let server = path(&"server".to_owned());
    let make = if target.path.join("server").is_dir() {
        String::new()
    } else {
        format!("mkdir {server} && ")
    };
    let line = format!("{make}mv {} {server}", moved.join(" "));
    let directory = quoted(&directory(&target.shown));
    Some(format!(
        "move what it consists of: `{line}`; then `bot-cli init {directory} --adopt`"
    ))
}

/// Resolves the draft, prompting for missing options if possible.
fn config<'c>(
    draft: Draft,
    mut origins: Origins,
    target: &Target,
    catalogue: &'c OnceCell<Catalogue>,
    session: &Session,
) -> Result<Config<'c>, Failure> {
    let failure = match resolved(&draft, &mut origins, target, catalogue) {
        Ok(config) => return Ok(config),
        Err(failure) => failure,
    };
    let can_ask = session.interactive() || session.has_answers();
    if !can_ask || !failure.fields.iter().all(is_missing) {
        return Err(failure.hint("the code does not show these options: add them to the command"));
    }
    let given = Selection {
        cwd: session.cwd().to_owned(),
        target: Some(target.clone()),
        way: Some(Way::Scaffold),
        draft,
        ..Selection::default()
    };
    let draft = wizard::ask_rest(session, &given, catalogue.get_or_init(packs::find))?;
    resolved(&draft, &mut origins, target, catalogue)
}

fn adopted(
    target: &Target,
    config: &Config,
    dry_run: bool,
    shown: &str,
) -> Result<(Vec<Change>, Reply), Failure> {
    let generated = plan::scaffold(config).map_err(unplanned)?.files;
    let mut record = Vec::new();
    for file in record::files(config, &generated).map_err(unrecorded)? {
        match find(&target.path, file.path)? {
            PathState::Nothing => record.push(Change::create(file.path, file.bytes)),
            PathState::File(there) => record.push(Change::replace(file.path, there, file.bytes)),
            PathState::Obstacle(reason) => {
                let message = format!("`{}` {reason}", file.path);
                return Err(Failure::new(Exit::Failed, "conflict", message)
                    .hint("nothing was changed; move it away"));
            }
        }
    }
    let mut text = if dry_run {
        format!("The record of {shown} would say this; nothing was written\n")
    } else {
        format!("Wrote the record of {shown}\n")
    };
    let whole = config.to_json();
    for (key, value) in whole.as_object().into_iter().flatten() {
        if *value != Value::Null && *value != Value::Bool(false) {
            text.extend(["  ", key, ": ", &differences::shown(value), "\n"]);
        }
    }
    text += "\nYour files beside what bot-cli would generate, which count as your edits:\n";
    let unmerged = unmerged(target, config, &generated)?;
    let (mut same, mut different, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    for file in generated {
        let path = file.path;
        let PathState::File(there) = find(&target.path, &path)? else {
            text.extend(["  missing   ", &path, " (an update leaves it so)\n"]);
            missing.push(path);
            continue;
        };
        let there = String::from_utf8_lossy(&there).replace("\r\n", "\n");
        let changes = changes(&file.text, &there);
        if changes.is_empty() {
            text.extend(["  same      ", &path, "\n"]);
            same.push(path);
        } else {
            let added = changes.iter().filter(|line| line.starts_with('+')).count();
            let gone = changes.len() - added;
            let lines = format!(" (+{added} -{gone} lines)\n");
            text.extend(["  different ", &path, &lines]);
            different.push(json!({ "path": path, "changes": changes }));
        }
    }
    if !unmerged.is_empty() {
        text += "\nFiles that updates with further options would leave to you:\n";
    }
    for (key, left) in &unmerged {
        let left = left.iter().map(|(path, why)| format!("{path} ({why})"));
        let left = left.collect::<Vec<_>>().join(", ");
        text.extend(["  ", key, ": ", &left, "\n"]);
    }
    let reply = Reply::text(text).data(json!({
        "target": target.path,
        "config": whole,
        "written": !dry_run,
        "same": same,
        "different": different,
        "missing": missing,
        "unmerged": unmerged,
        "next": [],
    }));
    Ok((record, reply))
}

/// Tries the update with each further feature, and returns the files that it would leave to the user, each with the reason.
fn unmerged(
    target: &Target,
    config: &Config,
    generated: &[PlannedFile],
) -> Result<BTreeMap<&'static str, BTreeMap<String, &'static str>>, Failure> {
    let hash = |file: &PlannedFile| (file.path.clone(), sha256(file.text.as_bytes()));
    let text = |file: &PlannedFile| (file.path.clone(), file.text.clone());
    let base = Base {
        hashes: generated.iter().map(hash).collect(),
        texts: generated.iter().map(text).collect(),
    };
    let mut unmerged = BTreeMap::new();
    for feature in Feature::ALL.into_iter().filter(|it| !config.has(*it)) {
        let read = parse_file(&config.to_json().to_string());
        let mut draft = read.unwrap_or_default().draft;
        *draft.switches.slot(feature) = Some(true);
        // Other options may exclude the feature.
        let Ok(with) = resolve(&draft, None, config.catalogue) else {
            continue;
        };
        let mut planned = plan::scaffold(&with).map_err(unplanned)?.files;
        // The other files are as they would be without the feature.
        planned.retain(|file| base.texts.get(&file.path) != Some(&file.text));
        let update = Update::plan(&target.path, &base, &planned, "")?;
        let missing = update.paths(About::Deleted).into_iter();
        let conflicts = update.conflicts.iter();
        let conflicts = conflicts.map(|it| (it.path.clone(), "conflict"));
        let left = missing.map(|path| (path.to_owned(), "missing"));
        let left: BTreeMap<_, _> = left.chain(conflicts).collect();
        if !left.is_empty() {
            unmerged.insert(feature.row().key, left);
        }
    }
    Ok(unmerged)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use bot_cli_sdk::testing::Run;

    use crate::options::Options;

    #[test]
    fn what_the_code_does_not_show_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let server = folder.path().join("server");
        fs::create_dir(&server).unwrap();
        let code = "DeepgramSTTService OpenAILLMService SmallWebRTCTransport";
        fs::write(server.join("bot.py"), code).unwrap();
        let ran = Run::of::<Options>([".", "--adopt", "--name", "Clerk"])
            .answer("tts", "cartesia_tts")
            .cwd(folder.path())
            .run();
        assert_eq!(ran.failure, None);
        let keys: Vec<_> = ran.asked.iter().map(|asked| asked.key.as_str()).collect();
        assert_eq!(keys, ["tts"]);
        assert!(folder.path().join(".bot-cli/project.json").exists());
    }
}
