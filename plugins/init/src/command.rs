//! `init`: writes the guides, or scaffolds a project from options, a file or answers.

mod adopt;
mod describe;
mod file;
mod job;
mod next;
mod origins;
mod recovery;
mod update;

use std::cell::OnceCell;
use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Role, UseSpec, suggest};
use bot_cli_sdk::plugin::{Candidate, Command, Context, Reply};
use bot_cli_sdk::session::Session;
use bot_cli_templates::Preset;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::config::{Config, concede};
use crate::draft::Draft;
use crate::equivalent;
use crate::options::{
    Options, QUICKSTART,
    listing::{listing, table},
    schema::schema,
};
use crate::packs;
use crate::resolve::{
    ProjectName, default_name, invalid_input, is_missing, missing_packs, resolve,
};
use crate::target::Target;
use crate::target::compare::Guides;
use crate::wizard::{self, Selection, Way, place};
use crate::wording::quoted;
use job::{Asks, Job};
use origins::Origins;

const QUICKSTART_DIRECTORY: &str = "quickstart-project";
const QUICK: &str = "quick";

impl Command for Options {
    const COMPLETES: &'static [&'static str] = &["stt", "llm", "tts", "realtime", "video"];

    fn complete(
        argument: &str,
        _words: &[String],
        _context: &Context,
    ) -> Result<Vec<Candidate>, Failure> {
        Ok(packs::services(argument))
    }

    fn uses() -> Vec<(Role, UseSpec)> {
        vec![(Role::ProviderPack, packs::uses())]
    }

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        self.refuse_words()?;
        if self.list_options {
            let catalogue = packs::find();
            packs::warn_of_unused(&catalogue, session);
            let document = document(listing(&catalogue));
            return Ok(if session.context().terminal {
                Reply::text(table(&catalogue)).data(document.data)
            } else {
                document
            });
        }
        if self.config_schema {
            return Ok(document(schema(&packs::find())));
        }
        if self.describe {
            return describe::run(&self, session);
        }
        if self.update {
            return update::run(&self, session);
        }
        if self.adopt {
            return adopt::run(&self, session);
        }
        let is_drafted = self.draft != Draft::default() || self.config.is_some();
        let target = self.target_dir.as_deref();
        if target.is_some_and(|target| target.as_os_str() == QUICKSTART) {
            if is_drafted {
                let message = "`quickstart` is a fixed bot and takes no scaffold options but `--preset` and `--local`";
                return Err(Failure::new(Exit::Usage, "usage", message)
                    .hint("name a directory instead: `bot-cli init my-bot …`, or `./quickstart` for a directory of that name"));
            }
            let quick = (!self.local).then(|| QUICK.to_owned());
            let options = Self {
                target_dir: Some(QUICKSTART_DIRECTORY.into()),
                preset: self.preset.clone().or(quick),
                ..self
            };
            return options.scaffold(session);
        }
        if is_drafted || self.preset().is_some() || self.dry_run || self.ask {
            return self.scaffold(session);
        }
        let target = target.map(|given| Target::find(given, session.cwd()));
        let target = target.transpose()?;
        if session.interactive() || session.has_answers() {
            let (given, origins) = <(Selection, Origins)>::default();
            return self.ask(target, given, origins, session);
        }
        let target = target.ok_or_else(nothing_to_go_by)?;
        self.job(target, None, Asks::Never).run(session)
    }
}

impl Options {
    /// Refuses words that users of other tools give instead of a directory, or after it.
    fn refuse_words(&self) -> Result<(), Failure> {
        let target = self.target_dir.as_deref().and_then(Path::to_str);
        let usage = |message: String| Failure::new(Exit::Usage, "usage", message);
        if target == Some("help") {
            return Err(usage("`help` is not a directory to initialize".to_owned())
                .hint("did you mean `bot-cli init --help`?")
                .hint("`./help` is a directory of that name"));
        }
        let Some(rest) = self.rest.as_deref().map(Path::to_string_lossy) else {
            return Ok(());
        };
        if !suggest::is_plain_path(&rest) {
            let message = "unexpected argument, which is not shown because it may be a secret";
            return Err(usage(message.to_owned()).hint("bot-cli init --help"));
        }
        let failure = usage(format!("unexpected argument `{rest}`"));
        Err(if target == Some(QUICKSTART) {
            failure.hint(format!(
                "did you mean `bot-cli init {rest} --preset {QUICK}`?"
            ))
        } else {
            failure
        }
        .hint("bot-cli init --help"))
    }

    fn preset(&self) -> Option<&'static Preset> {
        let name = if self.local {
            Some("local")
        } else {
            self.preset.as_deref()
        };
        Preset::named(name?)
    }

    fn scaffold(&self, session: &Session) -> Result<Reply, Failure> {
        let read = match self.preset() {
            Some(preset) => file::preset(preset)?,
            None => file::read(self.config.as_deref(), session)?,
        };
        let given = self.target_dir.as_deref().unwrap_or(Path::new("."));
        let target = Target::find(given, session.cwd())?;
        let mut asked = read.draft.clone();
        let mut origins = Origins {
            options: self.draft.clone(),
            file: read,
            below: None,
        };
        for conceded in concede(&mut asked, &self.draft) {
            session.warn(&conceded);
        }
        let draft = self.draft.clone().over(asked);
        if self.ask {
            let given = Selection {
                way: Some(Way::Scaffold),
                draft,
                ..Selection::default()
            };
            let target = self.target_dir.is_some().then_some(target);
            return self.ask(target, given, origins, session);
        }
        let found = OnceCell::new();
        let is_read = origins.file.problems.is_empty();
        let resolved = resolved(&draft, &mut origins, &target, &found);
        let config = resolved.map_err(|failure| match job::way_out(&target) {
            Some(way_out) if is_read => failure.hint(way_out),
            // Invalid values must be fixed before the wizard can ask for the rest.
            _ if failure.fields.iter().all(is_missing) => {
                failure.hint("add `--ask` to the command to be asked for the rest at a terminal")
            }
            _ => failure,
        })?;
        note_name(&config, session);
        if self.dry_run {
            return Ok(document(config.to_json()));
        }
        if self.target_dir.is_none() {
            agree_on_here(&target, session)?;
        }
        self.job(target, Some(config), Asks::Never).run(session)
    }

    fn ask(
        &self,
        target: Option<Target>,
        given: Selection,
        mut origins: Origins,
        session: &Session,
    ) -> Result<Reply, Failure> {
        // Invalid values must be fixed before the wizard can ask for the rest.
        if !origins.file.problems.is_empty() {
            return Err(invalid_input(origins.of_file()));
        }
        let given = Selection {
            cwd: session.cwd().to_owned(),
            home: std::env::home_dir(),
            // Older answer scripts must keep working, so they get no new questions.
            can_ask: session.interactive() && !session.has_answers(),
            target,
            ..given
        };
        let catalogue = packs::find();
        packs::warn_of_unused(&catalogue, session);
        let selection = wizard::ask(session, &given, &catalogue)?;
        let target = selection.target.ok_or_else(nothing_to_go_by)?;
        let (config, command) = if selection.way == Some(Way::Scaffold) {
            let name = default_name(&target.path);
            let resolved = resolve(&selection.draft, name.as_deref(), &catalogue);
            let config = resolved.map_err(|problems| {
                let problems = problems.into_iter().map(|it| origins.explain(it));
                invalid_input(problems.collect())
            })?;
            note_name(&config, session);
            let command = equivalent::command(&target.shown, &config);
            (Some(config), command)
        } else {
            (None, equivalent::guides_command(&target.shown))
        };
        let job = self.job(target, config, Asks::Terminal);
        // A failure must not lose the answers.
        let mut reply = job.run(session).map_err(|failure| {
            if failure.exit == Exit::Failed {
                failure.hint(format!("the same without questions: `{command}`"))
            } else {
                failure
            }
        })?;
        reply
            .text
            .extend(["\nThe same without questions:\n  ", &command, "\n"]);
        Ok(reply)
    }

    fn job<'c>(&self, target: Target, config: Option<Config<'c>>, asks: Asks) -> Job<'c> {
        Job {
            target,
            config,
            guides: self.guides(),
            asks,
        }
    }

    fn guides(&self) -> Guides {
        if self.overwrite_guide {
            Guides::Overwrite
        } else {
            Guides::Keep
        }
    }
}

/// Notifies the user that the project will be created in the current folder. Returns an error if that folder is unsuitable.
fn agree_on_here(target: &Target, session: &Session) -> Result<(), Failure> {
    let shown = quoted(&target.path.display().to_string());
    let Some(doubt) = place::no_place(&target.path, std::env::home_dir().as_deref()) else {
        let message = format!("no folder was given: the project goes into {shown}");
        session.note(&message);
        return Ok(());
    };
    let message = format!("no folder was given, and {shown} is used only where it is: {doubt}");
    Err(Failure::new(Exit::Usage, "invalid_target", message)
        .hint("`bot-cli init my-bot …` creates the project in a folder of its own, `bot-cli init . …` here"))
}

fn resolved<'c>(
    draft: &Draft,
    origins: &mut Origins,
    target: &Target,
    found: &'c OnceCell<Catalogue>,
) -> Result<Config<'c>, Failure> {
    // Built-in services need no packs.
    let built_in = Catalogue::built_in();
    let catalogue = if draft
        .services()
        .all(|(_, id)| built_in.service(id).is_some())
    {
        built_in
    } else {
        found.get_or_init(packs::find)
    };
    let mut problems = origins.of_file();
    match resolve(draft, default_name(&target.path).as_deref(), catalogue) {
        Ok(config) if problems.is_empty() => return Ok(config),
        Ok(_) => {}
        Err(more) => {
            for problem in more {
                if !is_missing(&problem) || !origins.is_invalid(&problem.field) {
                    problems.push(origins.explain(problem));
                }
            }
        }
    }
    let mut failure = invalid_input(problems);
    let hints = missing_packs(draft, catalogue);
    failure.hints.splice(..0, hints);
    Err(failure)
}

fn note_name(config: &Config, session: &Session) {
    let name = ProjectName::parse(&config.project_name).ok();
    if let Some(note) = name.and_then(|name| name.note()) {
        session.note(&note);
    }
}

fn document(data: Value) -> Reply {
    let text = serde_json::to_string_pretty(&data).unwrap_or_default();
    Reply::text(text + "\n").data(data)
}

fn nothing_to_go_by() -> Failure {
    Failure::new(
        Exit::Usage,
        "no_terminal",
        "neither a directory nor a scaffold option was given, and there is no terminal to ask on",
    )
    .hint("`bot-cli init my-bot` writes the guides for a coding agent")
    .hint("`bot-cli init quickstart` creates a bot that runs right away")
    .hint("`bot-cli init --help` shows the options that scaffold a bot of your own")
}
