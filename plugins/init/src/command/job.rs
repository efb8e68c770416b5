//! Writes a project, or only the guides, and reports the result.
//!
//! The `--json` document is an object:
//!
//! - `target`: the absolute path of the directory.
//! - `created`, `changed`, `unchanged`: lists of paths relative to `target`.
//! - `kept`: the guides that were not replaced, each as `{path, guide}`, where `guide` is a description.
//! - `config`: the configuration as printed by `--dry-run`, or null if only guides were written.
//! - `next`: suggested commands, in order.
//!
//! If existing files conflict with the project, the command fails with the code `conflict` and lists each file as a field.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::Question;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_terminal::shell;
use serde_json::{Value, json};

use super::next;
use super::recovery;
use crate::config::Config;
use crate::equivalent::directory;
use crate::guides::{self, Guide, Path as GuidePath};
use crate::plan::{self, PlanError, PlannedFile};
use crate::record::{self, RecordFile};
use crate::target::Target;
use crate::target::compare::{Comparison, Guides, compare};
use crate::transaction::{self, Old};

pub(super) struct Job<'c> {
    pub(super) target: Target,
    /// The configuration, or `None` to write only the guides.
    pub(super) config: Option<Config<'c>>,
    pub(super) guides: Guides,
    pub(super) asks: Asks,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Terminal,
    Never,
}

impl Job<'_> {
    pub(super) fn run(&self, session: &Session) -> Result<Reply, Failure> {
        let (files, record) = self.plan()?;
        recovery::recover(&self.target, session)?;
        let project = record.iter().find(|file| file.path == record::PROJECT);
        recovery::refuse_unfinished(&self.target, project.map(|it| it.bytes.as_slice()))?;
        if self.target.path.join(record::PROJECT).exists()
            && transaction::begun(&self.target.path).is_some()
        {
            let message = "an update of this project was interrupted";
            let update = updating(&self.target);
            return Err(Failure::new(Exit::Failed, "interrupted", message)
                .hint(format!("nothing was changed; `{update}` finishes it")));
        }
        let mut found = compare(&self.target.path, &files, record, self.guides)?;
        let way_out = self.config.as_ref().and_then(|_| way_out(&self.target));
        found.refuse_conflicts(&self.target.shown, way_out.as_deref())?;
        self.refresh(&mut found, session)?;
        let cancelled = || session.cancelled();
        transaction::write(&self.target.path, &found.changes, Old::Given, &cancelled)?;
        if let Some(config) = &self.config {
            warn_of_deprecated(config, session);
        }
        self.reply(&found, session.cwd(), session.context().quiet)
    }

    fn plan(&self) -> Result<(Vec<PlannedFile>, Vec<RecordFile>), Failure> {
        let path = if self.config.is_some() {
            GuidePath::Scaffold
        } else {
            GuidePath::CodingAgent
        };
        let mut files = guides::planned(path)?;
        let mut record = Vec::new();
        if let Some(config) = &self.config {
            let project = plan::scaffold(config).map_err(unplanned)?;
            record.extend(record::files(config, &project.files).map_err(unrecorded)?);
            files.extend(project.files);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok((files, record))
    }

    /// Offers to replace outdated guides, or only warns about them if prompts are disabled.
    fn refresh(&self, found: &mut Comparison, session: &Session) -> Result<(), Failure> {
        let stale = found.stale();
        if stale.is_empty() {
            return Ok(());
        }
        if self.asks == Asks::Never {
            warn_of_stale(&stale, session);
        } else if session.confirm(
            &Question::confirm("refresh_guide", format!("Refresh {}?", stale.join(", ")))
                .default(false)
                .flag("--overwrite-guide")
                .help("Changes made by hand are lost"),
        )? {
            found.refresh(Guide::is_stale);
        }
        Ok(())
    }

    fn reply(
        &self,
        found: &Comparison,
        cwd: &std::path::Path,
        quiet: bool,
    ) -> Result<Reply, Failure> {
        let steps = match &self.config {
            Some(config) => {
                let needed = plan::needed(config).map_err(unplanned)?;
                next::of_project(&self.target, config, &needed, &next::Programs::find(cwd))
            }
            None => next::of_guides(&self.target),
        };
        let kept = found.kept.iter();
        let kept =
            kept.map(|kept| json!({ "path": kept.change.path, "guide": kept.guide.words() }));
        let document = json!({
            "target": self.target.path,
            "created": written(found, "created"),
            "changed": written(found, "changed"),
            "unchanged": found.unchanged,
            "kept": kept.collect::<Value>(),
            "config": self.config.as_ref().map(Config::to_json),
            "next": steps.iter().map(|step| &step.command).collect::<Vec<_>>(),
        });
        let reply = Reply::text(self.text(found, quiet)).data(document);
        Ok(reply.next_all(next::shown(&steps)))
    }

    fn text(&self, found: &Comparison, quiet: bool) -> String {
        let shown = shell::quoted(&self.target.shown);
        let mut text = match &self.config {
            _ if found.changes.is_empty() => format!("Nothing to do: {shown} is up to date\n"),
            Some(_) => format!("Created a bot project in {shown}\n"),
            None => format!("Prepared {shown} for a coding agent\n"),
        };
        let line = |word: &str, what: &str| format!("  {word:<9} {what}\n");
        for word in ["created", "changed"].into_iter().filter(|_| !quiet) {
            text.extend(written(found, word).iter().map(|path| line(word, path)));
        }
        let mut changes = found.changes.iter();
        if !quiet && changes.any(|change| change.path == record::PROJECT) {
            text.extend([
                "  `",
                record::FOLDER,
                "` records how the project was made: commit it with the rest\n",
            ]);
        }
        for kept in &found.kept {
            let what = format!("{} ({})", kept.change.path, kept.guide.words());
            text += &line("kept", &what);
        }
        text
    }
}

pub(super) fn warn_of_stale(stale: &[String], session: &Session) {
    let stale = stale.join(", ");
    let message = format!("kept: {stale}; to refresh, add `--overwrite-guide` to the command");
    session.warn(&message);
}

fn written<'f>(found: &'f Comparison, how: &str) -> Vec<&'f str> {
    let changes = found.changes.iter();
    changes
        .filter(|change| change.replaces.is_some() == (how == "changed"))
        .map(|change| change.path.as_str())
        .collect()
}

fn updating(target: &Target) -> String {
    let shown = shell::quoted(&directory(&target.shown));
    format!("bot-cli init {shown} --update")
}

/// Returns a hint to use `--update` if the folder already contains a project.
pub(super) fn way_out(target: &Target) -> Option<String> {
    let update = updating(target);
    target.path.join(record::PROJECT).is_file().then(|| {
        format!(
            "nothing was changed; a project is there already: `{update}` with the options that change keeps your edits"
        )
    })
}

pub(super) fn warn_of_deprecated(config: &Config, session: &Session) {
    for service in config.services() {
        if let Some(instead) = &service.deprecated {
            let message = format!("`{}` is deprecated: {instead}", service.id);
            session.warn(&message);
        }
    }
}

pub(super) fn unplanned(error: PlanError) -> Failure {
    Failure::new(Exit::Failed, "broken_template", error.to_string())
        .caused_by(error)
        .hint("this is a defect of bot-cli; nothing was written: report it with the output of `--dry-run`")
}

pub(super) fn unrecorded(error: std::io::Error) -> Failure {
    let message = "could not create the record of the project";
    Failure::because(Exit::Failed, "internal", message, error).hint("nothing was written")
}
