//! `bot-cli init DIR --adopt`: writes the record of a project that has none, so that it can be updated. Nothing else of it is changed.
//!
//! The document of `--json` is an object. `target`: the directory, absolute. `config`: the recorded configuration. `written`: whether the record
//! was written. `same`, `missing`: lists of paths of files that would be generated, and are as they would be, or not there. `different`:
//! `{path, changes}`, with the lines that go and come from the generated text to the user's. `next`: commands.

mod reading;

use std::cell::OnceCell;
use std::fs;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell::quoted;
use serde_json::{Value, json};

use super::job::{unplanned, unrecorded};
use super::{file, note_name, packs, resolved};
use crate::catalogue::Catalogue;
use crate::config::{Config, FromFile};
use crate::draft::Draft;
use crate::equivalent::directory;
use crate::merge::changes;
use crate::options::Options;
use crate::plan::{self, PlannedFile};
use crate::record::{self, PROJECT, RecordFile};
use crate::resolve::is_missing;
use crate::target::Target;
use crate::target::compare::{PathState, find, unreadable};
use crate::transaction::{self, Change, Work};
use crate::update::{differences, walk};
use crate::wizard::{self, Selection, Way};

pub(super) fn run(options: &Options, session: &mut Session) -> Result<Reply, Failure> {
    let given = options.target_dir.as_deref().unwrap_or(Path::new("."));
    let target = Target::find(given, session.cwd())?;
    let shown = quoted(&directory(&target.shown));
    if target.path.join(PROJECT).symlink_metadata().is_ok() {
        return Err(refused("recorded", format!("{shown} has a record, `{PROJECT}`")).hint(format!(
            "`bot-cli init {shown} --update` changes the project; if the record can't be used, remove it first"
        )));
    }
    let python = python(&target)?;
    let read = options
        .config
        .as_deref()
        .map_or_else(|| Ok(FromFile::default()), |path| file::read(path, session))?;
    let asked = options.draft.clone().over(read.draft);
    let draft = asked.over(reading::read(&target.path, &python));
    let catalogue = OnceCell::new();
    let config = config(draft, read.problems, &target, &catalogue, session)?;
    note_name(&config, session);
    let generated = plan::scaffold(&config).map_err(unplanned)?.files;
    let record = record::files(&config, &generated).map_err(unrecorded)?;
    let changes = record_changes(&target, record)?;
    let found = Found::compare(&target, &generated)?;
    if !options.dry_run {
        let cancel = session.cancel().clone();
        transaction::write(&target.path, &changes, Work::Creation, &|| {
            cancel.requested()
        })?;
    }
    let next = format!("bot-cli init {shown} --update --dry-run");
    let reply = Reply::text(found.text(&config, &shown, options, session))
        .data(found.document(&target, &config, options, &next));
    Ok(if options.dry_run {
        reply
    } else {
        reply.next(next)
    })
}

fn refused(code: &str, message: String) -> Failure {
    Failure::new(Exit::Usage, code, message)
}

/// The Python of the bot, and the names of its variables.
fn python(target: &Target) -> Result<String, Failure> {
    if !target.path.join("server/bot.py").is_file() {
        let shown = crate::wording::quoted(&target.shown);
        return Err(refused(
            "no_bot",
            format!("{shown} has no `server/bot.py`, the program of a bot"),
        )
        .hint(
            "nothing was changed; `--adopt` needs the bot in `server`, with its `pyproject.toml`",
        ));
    }
    let server = target.path.join("server");
    let files = walk::python(&server).map_err(|error| unreadable(&server, error))?;
    let python: String = files.into_values().map(|text| text + "\n").collect();
    Ok(python + &fs::read_to_string(server.join(".env.example")).unwrap_or_default())
}

/// Resolves what the code shows and the user has said, and asks for the rest.
fn config<'c>(
    draft: Draft,
    problems: Vec<Field>,
    target: &Target,
    catalogue: &'c OnceCell<Catalogue>,
    session: &mut Session,
) -> Result<Config<'c>, Failure> {
    let failure = match resolved(&draft, problems.clone(), target, catalogue) {
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
    let draft = {
        let found = OnceCell::new();
        wizard::ask_rest(session, &given, &|_| Ok(found.get_or_init(packs::find)))?
    };
    resolved(&draft, problems, target, catalogue)
}

fn record_changes(target: &Target, record: [RecordFile; 3]) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    for file in record {
        let path = target.path.join(file.path);
        match find(&target.path, file.path).map_err(|error| unreadable(&path, error))? {
            PathState::Nothing => changes.push(Change::create(file.path, file.bytes)),
            PathState::File(there) if there == file.bytes => {}
            PathState::File(there) => changes.push(Change::replace(file.path, there, file.bytes)),
            PathState::Link => return Err(in_the_way(file.path, "is a symbolic link")),
            PathState::Obstacle(reason) => return Err(in_the_way(file.path, &reason)),
        }
    }
    Ok(changes)
}

fn in_the_way(path: &str, reason: &str) -> Failure {
    Failure::new(Exit::Failed, "conflict", format!("`{path}` {reason}"))
        .hint("nothing was changed; move it away")
}

/// The project beside what would be generated.
#[derive(Default)]
struct Found {
    same: Vec<String>,
    /// With the lines that the user's has in the place of others.
    different: Vec<(String, Vec<String>)>,
    missing: Vec<String>,
}

impl Found {
    fn compare(target: &Target, generated: &[PlannedFile]) -> Result<Self, Failure> {
        let mut found = Self::default();
        for file in generated {
            let path = target.path.join(&file.path);
            let there = find(&target.path, &file.path).map_err(|error| unreadable(&path, error))?;
            let PathState::File(there) = there else {
                found.missing.push(file.path.clone());
                continue;
            };
            let there = String::from_utf8_lossy(&there).replace("\r\n", "\n");
            let changes = changes(&file.text, &there);
            if changes.is_empty() {
                found.same.push(file.path.clone());
            } else {
                found.different.push((file.path.clone(), changes));
            }
        }
        Ok(found)
    }

    fn text(&self, config: &Config, shown: &str, options: &Options, session: &Session) -> String {
        let mut text = if options.dry_run {
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
        text.push_str(
            "\nYour files beside what bot-cli would generate, which count as your edits:\n",
        );
        for path in &self.same {
            text.extend(["  same      ", path, "\n"]);
        }
        for (path, changes) in &self.different {
            let added = changes.iter().filter(|line| line.starts_with('+')).count();
            let gone = changes.len() - added;
            let lines = format!(" (+{added} -{gone} lines)\n");
            text.extend(["  different ", path, &lines]);
            if session.context().verbosity > 0 {
                let plain = |line: &String| line.escape_debug().to_string();
                let lines = changes
                    .iter()
                    .map(|line| format!("      {}\n", plain(line)));
                text.extend(lines);
            }
        }
        for path in &self.missing {
            text.extend(["  missing   ", path, " (an update leaves it so)\n"]);
        }
        text
    }

    fn document(&self, target: &Target, config: &Config, options: &Options, next: &str) -> Value {
        let different = self.different.iter();
        let different =
            different.map(|(path, changes)| json!({ "path": path, "changes": changes }));
        let next: &[&str] = if options.dry_run { &[] } else { &[next] };
        json!({
            "target": target.path,
            "config": config.to_json(),
            "written": !options.dry_run,
            "same": self.same,
            "different": different.collect::<Value>(),
            "missing": self.missing,
            "next": next,
        })
    }
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
