//! The state of a project before an update: its record, and what it lacks.

use std::collections::BTreeMap;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell;
use serde_json::{Map, Value};

use crate::catalogue::Catalogue;
use crate::command::adopt::into_server;
use crate::config::Config;
use crate::digest::sha256;
use crate::draft::Draft;
use crate::equivalent::directory;
use crate::equivalent::update_command;
use crate::option_table::fields;
use crate::plan::{self, PlannedFile};
use crate::record::{self, BASE, FOLDER, PROJECT, Recorded, Unusable};
use crate::resolve::{default_name, resolve};
use crate::target::Target;
use crate::target::compare::{PathState, find};
use crate::transaction;
use crate::update::{Base, brought, differences};

pub(super) struct Found {
    pub(super) recorded: Recorded,
    pub(super) config: Map<String, Value>,
    /// Whether the archive contains every generated file.
    is_whole: bool,
    pub(super) base: Base,
    /// The options chosen in an interrupted update, if this run continues one.
    pub(super) begun: Option<Draft>,
}

impl Found {
    pub(super) fn read(target: &Target, session: &Session) -> Result<Self, Failure> {
        let recorded = recorded(target)?;
        let packed = match find(&target.path, BASE) {
            Ok(PathState::File(packed)) => packed,
            _ => Vec::new(),
        };
        let begun = transaction::begun(&target.path);
        let begun = begun.and_then(|project| record::read(&project).ok());
        if begun.is_some() {
            session.warn("an earlier update was interrupted; `--update` goes on with it");
        }
        let (base, is_whole) = base(&recorded, &packed, session);
        Ok(Self {
            config: recorded.members.clone(),
            recorded,
            is_whole,
            base,
            begun: begun.map(|recorded| recorded.config.draft),
        })
    }

    /// Resolves the recorded configuration, adding defaults for options introduced after the record was written.
    pub(super) fn resolved<'c>(
        &mut self,
        target: &Target,
        catalogue: &'c Catalogue,
    ) -> Option<Config<'c>> {
        let name = default_name(&target.path);
        let config = resolve(&self.recorded.config.draft, name.as_deref(), catalogue).ok()?;
        if let Value::Object(whole) = config.to_json() {
            for (key, value) in whole {
                self.config.entry(key).or_insert(value);
            }
        }
        Some(config)
    }

    /// Describes how the record differs from the project's code, ignoring options that this update changes. `before` is the recorded
    /// configuration.
    pub(super) fn disagrees(
        &self,
        target: &Target,
        before: &Config,
        config: &Config,
    ) -> Option<String> {
        let mut lacking = brought::unrecorded(&target.path, before, &self.recorded.config.draft);
        for one in differences::between(&self.config, config) {
            lacking.forget(one.key);
        }
        let command = update_command(&target.shown, &lacking, &self.config);
        fields()
            .any(|(key, _)| lacking.says(key))
            .then(|| format!("the code has what the record lacks: `{command}` records it"))
    }

    /// Reports whether the record on disk equals that of a new project, ignoring the version of this program.
    pub(super) fn is_current(&self, config: &Config, files: &[PlannedFile]) -> bool {
        let hashes = files
            .iter()
            .map(|file| (file.path.clone(), sha256(file.text.as_bytes())));
        self.is_whole
            && hashes.collect::<BTreeMap<_, _>>() == self.base.hashes
            && config.to_json() == Value::Object(self.config.clone())
    }
}

/// Reads the record of the project in `target`.
pub(in crate::command) fn recorded(target: &Target) -> Result<Recorded, Failure> {
    let project = match find(&target.path, PROJECT)? {
        PathState::File(project) => project,
        PathState::Nothing => return Err(no_record(target)),
        PathState::Obstacle(reason) => return Err(damaged(&format!("it {reason}"))),
    };
    let read = record::read(&project);
    let recorded = read.map_err(|unusable| match unusable {
        Unusable::Later(tool) => Failure::new(
            Exit::Failed,
            "later_record",
            format!("`{PROJECT}` {}", record::later(&tool)),
        )
        .hint("nothing was changed; update the project with that version, or a later one"),
        Unusable::Damaged(reason) if record::has_markers(&project) => {
            let directory = shell::quoted(&directory(&target.shown));
            damaged(&reason).hint(format!("while git merges two branches, keep the record with the later `tool`: `git -C {directory} checkout --ours -- {FOLDER}`, or `--theirs`; then give the update the options that the other branch has changed"))
        }
        Unusable::Damaged(reason) => damaged(&reason),
    })?;
    if !recorded.config.problems.is_empty() {
        return Err(unknown(&recorded));
    }
    Ok(recorded)
}

/// Returns the generated files that can be recovered, and whether the archive contains all generated files.
fn base(recorded: &Recorded, packed: &[u8], session: &Session) -> (Base, bool) {
    let hashes = recorded.hashes.clone();
    let mut texts = record::unpack(packed, &hashes);
    let is_whole = texts.len() == hashes.len();
    if !is_whole {
        // The version that wrote the record generates the same files from the same configuration.
        let config = resolve(&recorded.config.draft, None, Catalogue::built_in());
        let again = config.ok().and_then(|config| plan::scaffold(&config).ok());
        let files = again.into_iter().flat_map(|plan| plan.files);
        let is_recorded =
            |file: &PlannedFile| hashes.get(&file.path) == Some(&sha256(file.text.as_bytes()));
        texts.extend(files.filter(is_recorded).map(|file| (file.path, file.text)));
    }
    if texts.len() < hashes.len() {
        let message = format!(
            "`{BASE}` is missing or damaged, so files that you have edited can't be merged: restore it from version control"
        );
        session.warn(&message);
    }
    (Base { hashes, texts }, is_whole)
}

fn no_record(target: &Target) -> Failure {
    let shown = crate::wording::quoted(&target.shown);
    let message = format!("{shown} has no `{PROJECT}`, the record of how a project was made");
    let failure = Failure::new(Exit::Usage, "no_record", message);
    let mut above = target.path.ancestors().skip(1);
    if let Some(root) = above.find(|it| it.join(PROJECT).is_file()) {
        let root = shell::quoted(&root.display().to_string());
        return failure.hint(format!(
            "it is in a project: `bot-cli init {root} --update`"
        ));
    }
    let directory = shell::quoted(&directory(&target.shown));
    if target.path.join("server/bot.py").is_file() {
        return failure.hint(format!("`bot-cli init {directory} --adopt` writes it"));
    }
    failure.hint(
        into_server(target)
            .unwrap_or_else(|| format!("`bot-cli init {directory}` makes a project there")),
    )
}

/// Returns the error for a recorded configuration that this version can't read.
fn unknown(recorded: &Recorded) -> Failure {
    let problems = recorded.config.problems.iter();
    let words = problems.map(|field| format!("`{}`: {}", field.field, field.problem));
    damaged(&words.collect::<Vec<_>>().join(", "))
}

fn damaged(reason: &str) -> Failure {
    let message = format!("can't use `{PROJECT}`: {reason}");
    Failure::new(Exit::Failed, "damaged_record", message).hint(
        "nothing was changed; restore it from version control, and run the same command again",
    )
}
