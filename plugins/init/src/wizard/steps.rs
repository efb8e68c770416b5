//! The questions from `questions.toml`, with their conditions, their choices and the settings that they change.

use std::sync::OnceLock;

use bot_cli_protocol::question::{Answer, Choice, Question};
use bot_cli_templates::catalogue::{BotType, Direction, Service};
use serde::Deserialize;
use serde_json::json;

use super::{Selection, Way, choices, place};
use crate::catalogue::Catalogue;
use crate::option_table::{Feature, FeatureQuestion, Setting, Values};
use crate::resolve::{ProjectName, default_name, usually_deploys};
use crate::target::Target;

#[derive(Deserialize)]
pub(super) struct Step {
    /// The question's name in the summary.
    pub(super) label: String,
    /// The fixed part of the question. The wizard adds `back` and earlier answers at run time.
    #[serde(flatten)]
    form: Question,
}

#[derive(Clone, Copy)]
pub(super) enum Sets {
    Target,
    Way,
    Setting(Setting),
    Feature(Feature),
    Extras,
}

/// Returns the questions. If the table can't be parsed, the list is empty, but tests ensure that the table is valid.
pub(super) fn all() -> &'static [Step] {
    #[derive(Default, Deserialize)]
    struct Table {
        step: Vec<Step>,
    }
    static ALL: OnceLock<Table> = OnceLock::new();
    &ALL.get_or_init(|| toml::from_str(include_str!("questions.toml")).unwrap_or_default())
        .step
}

impl Step {
    /// Returns the key for the question and its scripted answer. For a command-line option, the key is the option's name in `snake_case`.
    pub(super) fn key(&self) -> &str {
        &self.form.key
    }

    pub(super) fn sets(&self) -> Sets {
        let flag = format!("--{}", self.key().replace('_', "-"));
        let mut settings = Setting::ALL.into_iter();
        let mut features = Feature::ALL.into_iter();
        match self.key() {
            "target" => Sets::Target,
            "way" => Sets::Way,
            _ => {
                let setting = settings.find(|setting| setting.row().flag == flag);
                let feature = features.find(|feature| feature.row().flag == flag);
                (setting.map(Sets::Setting).or(feature.map(Sets::Feature))).unwrap_or(Sets::Extras)
            }
        }
    }

    pub(super) fn applies(&self, selection: &Selection) -> bool {
        let draft = &selection.draft;
        let is_web = || bot_type(selection) == BotType::Web;
        let mut transports = choices::chosen(draft).into_iter();
        match self.key() {
            "target" => true,
            // A settled `way` has no line in the summary.
            "way" => selection.way.is_none(),
            _ if selection.way != Some(Way::Scaffold) => false,
            "name" => selection.target.is_some(),
            "stt" | "llm" | "tts" => draft.text(Setting::Mode) == Some("cascade"),
            "realtime" => draft.text(Setting::Mode) == Some("realtime"),
            "video" => is_web() && !transports.any(|transport| transport.avatar.is_some()),
            "client_framework" => {
                is_web() && transports.any(|transport| transport.client.is_some())
            }
            "voicemail" => {
                let is_cascade = draft.text(Setting::Mode) == Some("cascade");
                is_cascade && transports.any(|it| it.direction() == Some(Direction::DialOut))
            }
            "client_server" => draft.text(Setting::ClientFramework) == Some("react"),
            "deploy_to_cloud" => choices::starts_in_cloud(draft),
            "enable_noise_cancel" => draft.switch(Feature::DeployToCloud) == Some(true),
            _ => true,
        }
    }

    pub(super) fn question(&self, selection: &Selection, catalogue: &Catalogue) -> Question {
        let mut question = self.form.clone();
        question.flag = self.flag();
        match self.sets() {
            Sets::Setting(Setting::ProjectName) => {
                let target = selection.target.as_ref();
                let name = target.and_then(|target| default_name(&target.path));
                let name = name.filter(|name| ProjectName::parse(name).is_ok());
                question.default = name.map(|name| json!(name));
            }
            Sets::Setting(Setting::Transports) => {
                question.choices = choices::transports(bot_type(selection));
                let offered = question.choices.iter().map(|it| it.value.clone());
                let mut usual: Vec<String> = offered.collect();
                // The first of each type: a telephony bot can be tried in a browser.
                usual.dedup_by_key(|name| choices::is_telephony(name));
                question.default = Some(json!(usual));
            }
            Sets::Setting(setting) => {
                if let Values::Service(kind) = setting.row().values {
                    question.choices.extend(choices::services(kind, catalogue));
                }
            }
            Sets::Extras => {
                let choices = offered(selection).filter_map(|feature| {
                    let (label, about) = extra(feature)?;
                    Some(Choice::new(feature.row().name, label).about(about))
                });
                question.choices = choices.collect();
                question.default = Some(json!(switched_on(selection)));
            }
            Sets::Feature(Feature::DeployToCloud) => {
                let services = selection.draft.services();
                let services = services.filter_map(|(_, id)| catalogue.service(id));
                let services: Vec<&Service> = services.collect();
                question.default = Some(json!(usually_deploys(&[], &services)));
            }
            Sets::Target | Sets::Way | Sets::Feature(_) => {}
        }
        question
    }

    pub(super) fn flag(&self) -> Option<String> {
        match self.sets() {
            Sets::Way => None,
            Sets::Target => Some("TARGET_DIR".to_owned()),
            Sets::Setting(setting) => Some(setting.row().flag.to_owned()),
            Sets::Feature(feature) => Some(feature.flag().to_owned()),
            Sets::Extras => {
                let flags: Vec<_> = extras().map(Feature::flag).collect();
                Some(flags.join(", "))
            }
        }
    }

    /// Returns the answer if the selection already determines it.
    pub(super) fn value(&self, selection: &Selection) -> Option<Answer> {
        let draft = &selection.draft;
        match self.sets() {
            Sets::Target => Some(Answer::Text(selection.target.as_ref()?.shown.clone())),
            Sets::Way => None,
            Sets::Setting(Setting::Transports) => {
                let said = draft.said(Setting::Transports);
                said.map(|said| Answer::Many(said.to_vec()))
            }
            Sets::Setting(setting @ Setting::BotType) => {
                let is_known = [setting, Setting::Transports]
                    .iter()
                    .any(|it| draft.said(*it).is_some());
                let bot_type = match bot_type(selection) {
                    BotType::Web => "web",
                    BotType::Telephony => TELEPHONY,
                };
                is_known.then(|| Answer::Text(bot_type.to_owned()))
            }
            Sets::Setting(setting) => draft.text(setting).map(|it| Answer::Text(it.to_owned())),
            Sets::Feature(feature) => draft.switch(feature).map(Answer::Confirm),
            Sets::Extras => {
                let mut offered = offered(selection);
                let is_settled = offered.all(|feature| draft.switch(feature).is_some());
                is_settled.then(|| Answer::Many(switched_on(selection)))
            }
        }
    }

    /// Stores the answer in the selection, or returns a description of the problem.
    pub(super) fn store(&self, selection: &mut Selection, answer: &Answer) -> Result<(), String> {
        let text = answer.as_text().unwrap_or_default().trim();
        let many = answer.as_many().unwrap_or_default();
        match self.sets() {
            Sets::Target => selection.target = Some(target(text, selection)?),
            Sets::Way if text == "agent" => selection.way = Some(Way::Agent),
            Sets::Way => {
                let target = selection.target.as_ref().filter(|_| selection.can_ask);
                if let Some(in_the_way) = target.and_then(place::in_the_way) {
                    return Err(in_the_way);
                }
                selection.way = Some(Way::Scaffold);
            }
            Sets::Setting(Setting::Transports) => {
                selection.draft.put(Setting::Transports, many);
                let chosen = choices::chosen(&selection.draft);
                if chosen.is_empty() {
                    return Err("choose at least one".to_owned());
                }
                if let Some([one, other]) = choices::excluding(&chosen) {
                    return Err(format!("`{one}` and `{other}` can't be combined"));
                }
            }
            Sets::Setting(setting) => {
                let text = if setting == Setting::ProjectName {
                    ProjectName::parse(text)?.display
                } else {
                    text.to_owned()
                };
                selection.draft.put(setting, [text]);
            }
            Sets::Feature(feature) => *selection.draft.switches.slot(feature) = answer.as_bool(),
            Sets::Extras => {
                for feature in offered(&selection.clone()) {
                    let on = many.iter().any(|name| name == feature.row().name);
                    *selection.draft.switches.slot(feature) = Some(on);
                }
            }
        }
        Ok(())
    }
}

const TELEPHONY: &str = "telephony";

fn target(answer: &str, selection: &Selection) -> Result<Target, String> {
    if answer.is_empty() {
        return Err("name a folder, or . for this one".to_owned());
    }
    let home = selection.home.as_deref();
    let found = Target::find(&place::expanded(answer, home), &selection.cwd);
    let found = found.map_err(|failure| failure.message)?;
    match place::no_place(&found.path, home) {
        Some(no_place) if selection.can_ask => Err(no_place.to_owned()),
        _ => Ok(found),
    }
}

fn extras() -> impl Iterator<Item = Feature> {
    let all = Feature::ALL.into_iter();
    all.filter(|feature| extra(*feature).is_some())
}

fn extra(feature: Feature) -> Option<(&'static str, &'static str)> {
    match feature.row().question {
        FeatureQuestion::Extra(label, about) => Some((label, about)),
        FeatureQuestion::Own => None,
    }
}

/// Returns the extras that apply to the selection. A telephony bot has no video, and a bot with an avatar always sends video.
fn offered(selection: &Selection) -> impl Iterator<Item = Feature> {
    let web = bot_type(selection) == BotType::Web;
    let avatar = selection.draft.video().is_some();
    extras().filter(move |feature| {
        (web || !feature.row().web_only) && !(avatar && *feature == Feature::VideoOutput)
    })
}

fn switched_on(selection: &Selection) -> Vec<String> {
    offered(selection)
        .filter(|feature| selection.draft.switch(*feature) == Some(true))
        .map(|feature| feature.row().name.to_owned())
        .collect()
}

fn bot_type(selection: &Selection) -> BotType {
    let named = selection.draft.text(Setting::BotType);
    let mut transports = selection.draft.transports().iter();
    let calls = transports.any(|name| choices::is_telephony(name));
    if named == Some(TELEPHONY) || named.is_none() && calls {
        BotType::Telephony
    } else {
        BotType::Web
    }
}
