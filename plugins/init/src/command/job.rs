//! Something that is to be written: a project, or the guides alone.

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::question::Question;
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::{Level, Session};
use bot_cli_terminal::shell::quoted;

use super::next;
use super::recovery;
use super::report::Report;
use crate::config::Config;
use crate::equivalent::directory;
use crate::guides::{self, Guide, Path as GuidePath};
use crate::plan::{self, Plan, PlanError};
use crate::record::{self, RecordFile};
use crate::target::Target;
use crate::target::compare::{Comparison, Guides, compare};
use crate::transaction;

/// Something that is to be written.
pub(super) struct Job<'c> {
    pub(super) target: Target,
    /// `None`: only the guides.
    pub(super) config: Option<Config<'c>>,
    pub(super) guides: Guides,
    pub(super) asks: Asks,
}

/// Whether the user is there for questions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asks {
    Terminal,
    Never,
}

impl Job<'_> {
    pub(super) fn run(&self, session: &mut Session) -> Result<Reply, Failure> {
        let (plan, record) = self.plan()?;
        recovery::then(&self.target, session, |session| {
            if transaction::begun(&self.target.path).is_some() {
                return Err(self.half_updated());
            }
            self.write(&plan, record, session)
        })
    }

    fn write(
        &self,
        plan: &Plan,
        record: Vec<RecordFile>,
        session: &mut Session,
    ) -> Result<Reply, Failure> {
        let mut found = compare(&self.target.path, &plan.files, record, self.guides)?;
        let way_out = self.config.as_ref().and_then(|_| way_out(&self.target));
        found.refuse_conflicts(&self.target.shown, way_out.as_deref())?;
        self.refresh(&mut found, session)?;
        let cancel = session.cancel().clone();
        let cancelled = || cancel.requested();
        transaction::create(&self.target.path, &found.changes, &cancelled)?;
        if let Some(config) = &self.config {
            warn_of_deprecated(config, session);
        }
        let steps = match &self.config {
            Some(config) => {
                let needed = plan::needed(config).map_err(unplanned)?;
                next::of_project(&self.target, config, &needed, next::has_dev())
            }
            None => next::of_guides(&self.target),
        };
        Ok(Report {
            steps: &steps,
            target: &self.target,
            config: self.config.as_ref(),
            found: &found,
            quiet: session.context().quiet,
        }
        .reply())
    }

    fn half_updated(&self) -> Failure {
        let shown = quoted(&directory(&self.target.shown));
        let message = "an update of this project was interrupted";
        Failure::new(Exit::Failed, "interrupted", message).hint(format!(
            "nothing was changed; `bot-cli init {shown} --update` finishes it"
        ))
    }

    fn plan(&self) -> Result<(Plan, Vec<RecordFile>), Failure> {
        let path = if self.config.is_some() {
            GuidePath::Scaffold
        } else {
            GuidePath::CodingAgent
        };
        let mut files = guides::planned(path)?;
        files.extend(guides::beside(path)?);
        let mut record = Vec::new();
        if let Some(config) = &self.config {
            let project = plan::scaffold(config).map_err(unplanned)?;
            record.extend(record::files(config, &project.files).map_err(unrecorded)?);
            files.extend(project.files);
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok((Plan { files }, record))
    }

    /// Offers newer guides, or says how to get them.
    fn refresh(&self, found: &mut Comparison, session: &mut Session) -> Result<(), Failure> {
        let stale = found.stale();
        if stale.is_empty() {
            return Ok(());
        }
        match self.asks {
            Asks::Terminal => {
                if session.confirm(&refresh_question(&stale.join(", ")))? {
                    found.refresh(Guide::is_stale);
                }
            }
            Asks::Never => warn_of_stale(&stale, session),
        }
        Ok(())
    }
}

/// Says how to replace guides of an older version.
pub(super) fn warn_of_stale(stale: &[String], session: &mut Session) {
    let message = format!(
        "kept: {}; to refresh, add `--overwrite-guide` to the command",
        stale.join(", ")
    );
    session.log(Level::Warn, &message);
}

fn refresh_question(stale: &str) -> Question {
    Question::confirm("refresh_guide", format!("Refresh {stale}?"))
        .default(false)
        .flag("--overwrite-guide")
        .help("Changes made by hand are lost")
}

/// The hint where a project is there already.
pub(super) fn way_out(target: &Target) -> Option<String> {
    let shown = quoted(&directory(&target.shown));
    target.path.join(record::PROJECT).is_file().then(|| {
        format!(
            "nothing was changed; a project is there already: `bot-cli init {shown} --update` with the options that change keeps your edits"
        )
    })
}

pub(super) fn warn_of_deprecated(config: &Config, session: &mut Session) {
    for service in config.services() {
        if let Some(instead) = &service.deprecated {
            session.log(
                Level::Warn,
                &format!("`{}` is deprecated: {instead}", service.id),
            );
        }
    }
}

pub(super) fn unplanned(error: PlanError) -> Failure {
    Failure::new(Exit::Failed, "broken_template", error.to_string())
        .caused_by(error)
        .hint("this is a defect of bot-cli; nothing was written: report it with the output of `--dry-run`")
}

pub(super) fn unrecorded(error: std::io::Error) -> Failure {
    Failure::because(
        Exit::Failed,
        "internal",
        "could not create the record of the project",
        error,
    )
    .hint("nothing was written")
}
