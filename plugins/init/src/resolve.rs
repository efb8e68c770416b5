//! Resolves a draft to a configuration, or to a list of all missing and invalid fields.

mod client;
mod name;
mod services;
mod transports;

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_templates::catalogue::{BotType, Direction, Service, Transport};
use bot_cli_templates::languages::ENGLISH;
use bot_cli_templates::project::{Environment, LONGEST_AGENT, agent_of};

use crate::catalogue::Catalogue;
use crate::config::{Config, Pipeline};
use crate::draft::{self, Draft, NONE};
use crate::option_table::{self, Feature, Features, Setting};
use crate::wording::{did_you_mean, quoted};

pub use name::{ProjectName, default_name};
pub(crate) use services::missing_packs;

/// Validates the draft against the services in `catalogue`. `default_name` is the project name to use if the draft has none.
pub fn resolve<'c>(
    draft: &Draft,
    default_name: Option<&str>,
    catalogue: &'c Catalogue,
) -> Result<Config<'c>, Vec<Field>> {
    let mut problems = Problems::default();
    let name = name::resolve(draft, default_name, &mut problems);
    let transports = transports::resolve(draft, catalogue, &mut problems);
    let bot_type = bot_type(draft, &transports, &mut problems);
    let pipeline = services::pipeline(draft, catalogue, &mut problems);
    let language = word(Setting::Language, draft, &mut problems);
    let video = services::video(draft, catalogue, bot_type, &mut problems);
    let ci = word(Setting::Ci, draft, &mut problems);
    let client = client::resolve(draft, bot_type, &transports, &mut problems);
    let mut services = pipeline.as_ref().map_or_else(Vec::new, Pipeline::services);
    services.extend(video);
    services::together(&services, catalogue, &mut problems);
    let deploy_to_cloud = deploys(draft, &transports, &services, &mut problems);
    let environments = environments(draft, name.as_ref(), deploy_to_cloud, &mut problems);
    for feature in Feature::ALL {
        let row = feature.row();
        let asked = draft.switch(feature) == Some(true);
        if row.web_only && asked && bot_type == Some(BotType::Telephony) {
            problems.add(row.key, "only for web bots");
        }
    }
    let mut directions = transports.iter().map(|one| one.direction());
    let calls_people = transports.is_empty() || directions.any(|it| it == Some(Direction::DialOut));
    let is_realtime = draft.text(Setting::Mode).map(str::trim) == Some("realtime");
    if draft.switch(Feature::Voicemail) == Some(true) && (is_realtime || !calls_people) {
        let problem =
            "only for cascade bots that call people: Daily PSTN or Twilio + Daily SIP, dial-out";
        problems.add(Feature::Voicemail.row().key, problem);
    }
    let avatar = transports.iter().find(|one| one.avatar.is_some());
    if let (Some(_), Some(transport)) = (video, avatar) {
        let problem = format!("`{}` shows a face of its own", transport.id);
        problems.add("video_service", problem);
    }
    if video.is_some() && draft.switch(Feature::VideoOutput) == Some(false) {
        problems.add("video_output", "a video service needs video output");
    }
    let video_output = draft
        .switch(Feature::VideoOutput)
        .unwrap_or(video.is_some());
    match (problems.0.is_empty(), name, bot_type, pipeline, client) {
        (true, Some(name), Some(bot_type), Some(pipeline), Some(client)) => Ok(Config {
            catalogue,
            project_name: name.display,
            slug: name.slug,
            bot_type,
            transports,
            language: language.ok().flatten().unwrap_or(ENGLISH),
            pipeline,
            video,
            client,
            environments,
            ci: ci.ok().flatten().unwrap_or(NONE),
            features: Features::which(|feature| {
                let usual = feature.row().default;
                draft.switch(feature).unwrap_or(usual)
            })
            .with(Feature::DeployToCloud, deploy_to_cloud)
            .with(Feature::VideoOutput, video_output),
            recorded_packs: draft.packs.clone().unwrap_or_default(),
        }),
        _ => Err(problems.sorted()),
    }
}

pub fn invalid_input(fields: Vec<Field>) -> Failure {
    Failure::invalid_input(fields)
        .hint("`bot-cli init --list-options` prints every service and transport, `bot-cli init --help` every option")
}

#[derive(Debug, Default)]
pub(crate) struct Problems(Vec<Field>);

impl Problems {
    pub(crate) fn add(&mut self, key: &str, problem: impl Into<String>) {
        let mut field = Field::new(key, problem);
        field.flag = draft::flag(key).map(str::to_owned);
        self.0.push(field);
    }

    pub(crate) fn missing(&mut self, key: &str) {
        self.add(key, MISSING);
    }

    /// Reports a field as missing. `more` describes the allowed values or the condition under which the field is required.
    pub(crate) fn missing_with(&mut self, key: &str, more: &str) {
        self.add(key, format!("{MISSING}; {more}"));
    }

    fn sorted(mut self) -> Vec<Field> {
        self.0.sort_by_key(|problem| {
            option_table::fields().position(|(key, _)| key == problem.field)
        });
        self.0
    }
}

pub const MISSING: &str = "missing";

/// Reports whether a field is missing rather than invalid.
pub fn is_missing(problem: &Field) -> bool {
    let rest = problem.problem.strip_prefix(MISSING);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("; "))
}

/// Returns the trimmed value, or `None` if the value is blank.
fn said(draft: &Draft, setting: Setting) -> Option<&str> {
    let text = draft.text(setting).map(str::trim);
    text.filter(|text| !text.is_empty())
}

/// The error for a value that a setting does not allow. The problem has already been recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wrong;

fn word(
    setting: Setting,
    draft: &Draft,
    problems: &mut Problems,
) -> Result<Option<&'static str>, Wrong> {
    let Some(raw) = said(draft, setting) else {
        return Ok(None);
    };
    let words = setting.row().values.words();
    if let Some(known) = words.iter().find(|word| **word == raw) {
        return Ok(Some(known));
    }
    let server = Setting::ClientServer.row().values.words();
    let bare = raw.replace('.', "");
    let near = match server.iter().find(|word| word.starts_with(&*bare)) {
        Some(server) if setting == Setting::ClientFramework => {
            format!("; did you mean `--client-framework react --client-server {server}`?")
        }
        _ => did_you_mean(raw, words.iter().copied()),
    };
    let words = words.join("`, `");
    let problem = format!("{} is none of `{words}`{near}", quoted(raw));
    problems.add(setting.row().key, problem);
    Err(Wrong)
}

fn bot_type(
    draft: &Draft,
    transports: &[&'static Transport],
    problems: &mut Problems,
) -> Option<BotType> {
    let mut telephony = transports.iter();
    let telephony = telephony.find(|transport| transport.bot_type == BotType::Telephony);
    let said = word(Setting::BotType, draft, problems).ok()?;
    if let (Some("web"), Some(transport)) = (said, telephony) {
        let problem = format!("`web`, but `{}` is a telephony transport", transport.id);
        problems.add("bot_type", problem);
    }
    Some(match said {
        // Without a telephony transport, the user can try the bot in a browser.
        Some("telephony") => BotType::Telephony,
        None if telephony.is_some() => BotType::Telephony,
        _ => BotType::Web,
    })
}

/// Reports whether a bot has deployment files by default: if the hosting service can start it, and it can reach its services from there.
pub(crate) fn usually_deploys(transports: &[&Transport], services: &[&Service]) -> bool {
    let starts = transports.is_empty() || transports.iter().any(|one| one.starts_in_cloud());
    starts && !services.iter().any(|service| service.is_at_localhost())
}

/// Reports whether to create deployment files.
fn deploys(
    draft: &Draft,
    transports: &[&Transport],
    services: &[&Service],
    problems: &mut Problems,
) -> bool {
    let starts = transports.is_empty() || transports.iter().any(|one| one.starts_in_cloud());
    let said = draft.switch(Feature::DeployToCloud);
    let mut reasons = transports
        .iter()
        .filter_map(|one| one.stays_behind.as_ref());
    if let (Some(true), false, Some(reason)) = (said, starts, reasons.next()) {
        let mend = "add another transport, or leave this out";
        problems.add("deploy_to_cloud", format!("{reason}: {mend}"));
    }
    let deploys = said.unwrap_or_else(|| usually_deploys(transports, services));
    if draft.switch(Feature::NoiseCancel) == Some(true) && !deploys {
        let problem = "needs `--deploy-to-cloud`; `--no-enable-noise-cancel` turns it off";
        problems.add("enable_noise_cancel", problem);
    }
    deploys
}

/// Returns the environments in which the bot is deployed. `name` is the project's.
fn environments(
    draft: &Draft,
    name: Option<&ProjectName>,
    deploys: bool,
    problems: &mut Problems,
) -> Vec<Environment> {
    let words = draft.said(Setting::Environments).unwrap_or_default();
    let words = words.iter().map(|word| word.trim());
    let words = words.filter(|word| *word != NONE);
    let mut environments = Vec::new();
    for word in words {
        let key = Setting::Environments.row().key;
        let parsed = word.parse::<Environment>();
        match parsed.map(|it| (name.map(|name| agent_of(&name.slug, Some(&it)).len()), it)) {
            Err(problem) => problems.add(key, format!("{} {problem}", quoted(word))),
            Ok((Some(length), _)) if length > LONGEST_AGENT => {
                let problem = format!(
                    "{} makes the agent's name longer than {LONGEST_AGENT} characters; give a shorter `--name`",
                    quoted(word)
                );
                problems.add(key, problem);
            }
            Ok((_, it)) if environments.contains(&it) => {}
            Ok((_, it)) => environments.push(it),
        }
    }
    if !environments.is_empty() && !deploys {
        let problem = "needs `--deploy-to-cloud`; `--environment none` leaves them out";
        problems.add(Setting::Environments.row().key, problem);
    }
    environments
}

#[cfg(test)]
mod tests;
