//! The project that is to be changed, as its record says.

use std::collections::BTreeSet;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::shell::quoted;
use serde_json::{Map, Value};

use crate::catalogue::Catalogue;
use crate::digest::sha256;
use crate::draft::Draft;
use crate::equivalent::{directory, update_command};
use crate::plan;
use crate::record::{self, BASE, PROJECT, RecordFile, Recorded, Unusable};
use crate::resolve::{default_name, resolve};
use crate::target::Target;
use crate::target::compare::{PathState, find, unreadable};
use crate::transaction;
use crate::update::differences::Difference;
use crate::update::{Base, Review, brought, markers};

/// The code of the failure that names conflicts which stand between markers.
pub(super) const UNRESOLVED: &str = "unresolved";

/// A record that is made again.
pub(super) struct Merged {
    pub(super) project: Vec<u8>,
    pub(super) base: Vec<u8>,
}

/// The record of a project.
pub(super) struct Found {
    pub(super) recorded: Recorded,
    /// The configuration as it is recorded, and [`Found::complete`].
    pub(super) config: Map<String, Value>,
    /// The bytes of `project.json`.
    project: Vec<u8>,
    /// Whether it is made from those of two branches.
    pub(super) is_merged: bool,
    /// What the code has and the record lacks, once it is [complete](Found::complete).
    pub(super) unrecorded: Draft,
    /// Whether the archive of the generated files is whole.
    is_whole: bool,
    pub(super) base: Base,
    /// The choices of an update that was interrupted, which this one goes on with.
    pub(super) begun: Option<Draft>,
    /// The names of the variables that the bot needed before, once it is [complete](Found::complete).
    pub(super) variables: BTreeSet<String>,
}

impl Found {
    /// Reads the record in `target`; `merged` takes its place.
    pub(super) fn read(
        target: &Target,
        merged: Option<&Merged>,
        session: &mut Session,
    ) -> Result<Self, Failure> {
        let project = match look(target, PROJECT)? {
            PathState::File(project) => project,
            PathState::Nothing => return Err(no_record(target)),
            PathState::Link => return Err(damaged("it is a symbolic link")),
            PathState::Obstacle(reason) => return Err(damaged(&reason)),
        };
        let is_merged = merged.is_some();
        let (current, packed) = match merged {
            Some(merged) => (&merged.project, Some(merged.base.as_slice())),
            None => (&project, None),
        };
        let recorded = recorded(current)?;
        if !recorded.config.problems.is_empty() {
            return Err(unknown(&recorded));
        }
        let begun = transaction::begun(&target.path);
        let begun = begun.and_then(|project| record::read(&project).ok());
        let begun = begun.map(|recorded| recorded.config.draft);
        if begun.is_some() {
            session.log(
                Level::Warn,
                "an earlier update was interrupted; this one goes on with it",
            );
        }
        let config = members(current);
        let (base, is_whole) = base(&recorded, packed, target, session);
        Ok(Self {
            recorded,
            config: config.unwrap_or_default(),
            is_merged,
            unrecorded: Draft::default(),
            project,
            is_whole,
            base,
            begun,
            variables: BTreeSet::new(),
        })
    }

    /// Finds the variables, and gives the configuration the keys that are younger than the record, with the values that they have by default.
    pub(super) fn complete(&mut self, target: &Target, catalogue: &Catalogue) {
        let name = default_name(&target.path);
        let Ok(config) = resolve(&self.recorded.config.draft, name.as_deref(), catalogue) else {
            return;
        };
        self.unrecorded = brought::unrecorded(&target.path, &config);
        let needed = plan::needed(&config).unwrap_or_default().into_iter();
        let variables = needed.flat_map(|group| group.variables);
        self.variables = variables.map(|variable| variable.name).collect();
        if let Value::Object(whole) = config.to_json() {
            for (key, value) in whole {
                self.config.entry(key).or_insert(value);
            }
        }
    }

    /// Refuses a project in which conflicts of an earlier update, or of a merge of branches, are not resolved.
    pub(super) fn refuse_markers(&self, target: &Target) -> Result<(), Failure> {
        let generated = self.recorded.hashes.keys().map(String::as_str).collect();
        let standing = markers::standing(&target.path, &generated)?;
        if standing.is_empty() {
            return Ok(());
        }
        let (count, has) = match standing.len() {
            1 => ("1 file".to_owned(), "has"),
            several => (format!("{several} files"), "have"),
        };
        let mut failure = Failure::new(
            Exit::Failed,
            UNRESOLVED,
            format!("{count} {has} conflicts between markers"),
        )
        .hint("nothing was changed; edit what stands between the markers, and remove them");
        for place in standing {
            failure = failure.field(&place, None, "a conflict begins here");
        }
        Err(failure)
    }

    /// Names what keeps the record from saying what the project is, but for the `differences` that are made now.
    pub(super) fn disagrees(&self, target: &Target, differences: &[Difference]) -> Option<Review> {
        let mut lacking = self.unrecorded.clone();
        for one in differences {
            lacking.forget(one.key);
        }
        let note = if self.is_merged {
            "two branches have changed it; an update makes it again from both".to_owned()
        } else if lacking != Draft::default() {
            let command = update_command(&target.shown, &lacking, None, &self.config);
            format!("the code has what the record lacks: `{command}` records it")
        } else {
            return None;
        };
        Some(Review {
            path: Some(PROJECT.to_owned()),
            line: None,
            note,
        })
    }

    /// Tells whether the record in place says what a new one would. Another version of this program alone is no news.
    pub(super) fn is_recorded(&self, new: &[RecordFile]) -> bool {
        let contents = |project: &[u8]| {
            let mut members: Map<String, Value> =
                serde_json::from_slice(project).unwrap_or_default();
            members.remove("tool");
            members
        };
        let mut recorded = contents(&self.project);
        recorded.insert("config".to_owned(), self.config.clone().into());
        let project = new.iter().find(|file| file.path == PROJECT);
        self.is_whole && project.is_some_and(|new| contents(&new.bytes) == recorded)
    }
}

/// The configuration in a `project.json`.
pub(super) fn members(project: &[u8]) -> Option<Map<String, Value>> {
    let whole: Value = serde_json::from_slice(project).ok()?;
    Some(whole["config"].as_object()?.clone())
}

/// Reads a `project.json`.
pub(super) fn recorded(project: &[u8]) -> Result<Recorded, Failure> {
    record::read(project).map_err(|unusable| match unusable {
        Unusable::Later(tool) => Failure::new(
            Exit::Failed,
            "later_record",
            format!("`{PROJECT}` {}", record::later(&tool)),
        )
        .hint("nothing was changed; update the project with that version, or a later one"),
        Unusable::Damaged(reason) => damaged(&reason),
    })
}

/// The generated files as they were, as far as that can be told, and whether the archive has them all.
fn base(
    recorded: &Recorded,
    packed: Option<&[u8]>,
    target: &Target,
    session: &mut Session,
) -> (Base, bool) {
    let hashes = recorded.hashes.clone();
    let packed = match (packed, look(target, BASE)) {
        (Some(packed), _) => packed.to_owned(),
        (None, Ok(PathState::File(packed))) => packed,
        (None, Ok(PathState::Nothing | PathState::Link | PathState::Obstacle(_)) | Err(_)) => {
            Vec::new()
        }
    };
    let mut texts = record::unpack(&packed, &hashes);
    let is_whole = texts.len() == hashes.len();
    if !is_whole {
        // The same configuration gives the same files, if this version is the one that wrote them.
        let config = resolve(&recorded.config.draft, None, Catalogue::built_in());
        let again = config.ok().and_then(|config| plan::scaffold(&config).ok());
        for file in again.into_iter().flat_map(|plan| plan.files) {
            if hashes.get(&file.path) == Some(&sha256(file.text.as_bytes())) {
                texts.insert(file.path, file.text);
            }
        }
        if texts.len() < hashes.len() {
            session.log(
                Level::Warn,
                &format!(
                    "`{BASE}` is missing or damaged, so files that you have edited can't be merged: restore it from version control"
                ),
            );
        }
    }
    (Base { hashes, texts }, is_whole)
}

pub(super) fn look(target: &Target, path: &str) -> Result<PathState, Failure> {
    find(&target.path, path).map_err(|error| unreadable(&target.path.join(path), error))
}

fn no_record(target: &Target) -> Failure {
    let shown = crate::wording::quoted(&target.shown);
    let is_recorded = |folder: &&Path| folder.join(PROJECT).is_file();
    let mut failure = Failure::new(
        Exit::Usage,
        "no_record",
        format!("{shown} has no `{PROJECT}`, the record of how a project was made"),
    );
    if let Some(folder) = target.path.ancestors().skip(1).find(is_recorded) {
        let folder = quoted(&directory(&folder.display().to_string()));
        failure = failure.hint(format!(
            "it is in a project that has one: `bot-cli init {folder} --update`"
        ));
    }
    failure
        .hint("name the directory of a project that bot-cli made: `bot-cli init my-bot --update`")
        .hint("`--adopt` in the place of `--update` writes the record of a project that was made otherwise")
}

/// The failure for a configuration that this version can't read.
fn unknown(recorded: &Recorded) -> Failure {
    let problems = recorded.config.problems.iter();
    // The places are those in the configuration alone.
    let words = problems.map(|field| {
        let (problem, _) = field
            .problem
            .rsplit_once(" (line ")
            .unwrap_or((&field.problem, ""));
        format!("`{}`: {problem}", field.field)
    });
    Failure::new(
        Exit::Failed,
        "damaged_record",
        format!(
            "can't use the configuration in `{PROJECT}`: {}",
            words.collect::<Vec<_>>().join(", ")
        ),
    )
    .hint("if a later version of bot-cli wrote it, update the project with that version; otherwise restore it from version control")
}

fn damaged(reason: &str) -> Failure {
    Failure::new(
        Exit::Failed,
        "damaged_record",
        format!("can't use `{PROJECT}`: {reason}"),
    )
    .hint("nothing was changed; restore it from version control (of two branches, either one's will do), and run the same command again")
}
