//! Implements `bot-cli init --describe`, which describes a project to other programs.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_engine::project::root_of;
use bot_cli_protocol::failure::{self, Exit, Failure, OrFail as _};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::project;
use bot_cli_sdk::session::Session;
use bot_cli_templates::pack::{Service, address, variables};
use bot_cli_templates::project::Project;

use super::document;
use super::update::recorded;
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::Setting;
use crate::options::Options;
use crate::packs;
use crate::record::PROJECT;
use crate::target::Target;
use crate::wording::quoted;

pub(super) fn run(options: &Options, session: &Session) -> Result<Reply, Failure> {
    let given = options.target_dir.as_deref().unwrap_or(Path::new("."));
    let folder = session.cwd().join(given);
    let folder = fs::canonicalize(&folder).unwrap_or(folder);
    let place = root_of(&folder).and_then(|root| Project::recorded_at(&root));
    let place = place.ok_or_else(|| no_project(&folder))?;
    let record = place.root.join(PROJECT);
    let recorded = recorded(&Target::find(&place.root, session.cwd())?)?;
    let environments = place.in_each_environment();
    let environments: Result<Vec<_>, _> = environments.iter().map(environment).collect();
    let draft = &recorded.config.draft;
    let described = project::Project {
        environments: environments.map_err(|(file, why)| unusable(&file, &why))?,
        name: draft
            .text(Setting::ProjectName)
            .unwrap_or_default()
            .to_owned(),
        transports: draft.said(Setting::Transports).unwrap_or_default().to_vec(),
        services: services(draft),
        options: recorded.members,
        root: place.root,
        bot: place.bot,
        record,
    };
    // Paths that are not UTF-8 can't be written.
    serde_json::to_value(described)
        .map(document)
        .or_fail("could not describe the project")
}

fn no_project(folder: &Path) -> Failure {
    let shown = quoted(&folder.display().to_string());
    let message = format!("{shown} is not in a project of `bot-cli init`");
    Failure::new(Exit::Usage, "no_project", message).hint(
        "`bot-cli init my-bot` creates one; `bot-cli init DIR --adopt` records one that exists",
    )
}

fn unusable(file: &Path, why: &str) -> Failure {
    let message = format!("can't use {}: {why}", quoted(&file.display().to_string()));
    Failure::new(Exit::Failed, "unusable", message)
}

fn environment(place: &Project) -> Result<project::Environment, (PathBuf, String)> {
    let read = |file: &Path| fs::read_to_string(file).map_err(|error| failure::reason(&error));
    Ok(project::Environment {
        name: place.environment.as_ref().map(ToString::to_string),
        file: place.deployment(),
        agent: place.agent(read)?,
        secret_set: place.secret_set(read)?.name,
    })
}

fn services(draft: &Draft) -> Vec<project::Service> {
    let built_in = Catalogue::built_in();
    let is_built_in = |(_, id): (_, &str)| built_in.service(id).is_some();
    let found = (!draft.services().all(is_built_in)).then(packs::find);
    let catalogue = found.as_ref().unwrap_or(built_in);
    let service = |(key, id): (&str, &str)| {
        let known = catalogue.service(id);
        let variables = known.map(variables).into_iter().flatten();
        project::Service {
            id: known.map_or(id, |it| &it.id).to_owned(),
            kind: key.trim_end_matches("_service").to_owned(),
            label: known.map_or(id, |it| &it.label).to_owned(),
            variables: variables.map(str::to_owned).collect(),
            address: known.and_then(address),
            packages: known.map_or_else(Vec::new, Service::requirements),
        }
    };
    draft.services().map(service).collect()
}
