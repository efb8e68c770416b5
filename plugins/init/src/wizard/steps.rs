//! The table of questions, in the order in which they are asked.
//!
//! A question comes after those that decide whether it applies. A new one is one more row.

use bot_cli_protocol::question::{Answer, Choice, Question};
use bot_cli_templates::catalogue::{BotType, Kind};
use serde_json::json;

use super::{Selection, Way, choices, place};
use crate::catalogue::Catalogue;
use crate::draft::{NONE, Slot};
use crate::option_table::{Feature, FeatureQuestion, Setting};
use crate::resolve::{ProjectName, default_name};
use crate::target::Target;

/// One question of the table.
pub(super) struct Step {
    /// Names the question and its scripted answer: the option's name in `snake_case` where there is one.
    pub(super) key: &'static str,
    pub(super) sets: Sets,
    /// The name in the summary.
    pub(super) label: &'static str,
    /// Whether it has a meaning, by what the steps above it have settled.
    pub(super) applies: fn(&Selection) -> bool,
    /// The question; the walk fills in `key`, `flag`, `back` and earlier answers.
    pub(super) question: fn(&Selection, &Catalogue) -> Question,
}

/// The part of a selection that an answer sets.
#[derive(Clone, Copy)]
pub(super) enum Sets {
    Target,
    Way,
    Setting(Setting),
    Feature(Feature),
    Extras,
}

pub(super) static ALL: &[Step] = &[
    Step {
        key: "target",
        sets: Sets::Target,
        label: "Folder",
        applies: |_| true,
        question: |_, _| {
            Question::text("", "Which folder?")
                .help("a new folder such as my-bot, or . for this one")
        },
    },
    Step {
        key: "way",
        sets: Sets::Way,
        label: "Way",
        // Once it is known it is no line of the summary.
        applies: |selection| selection.way.is_none(),
        question: |_, _| {
            let choices = [
                (
                    AGENT,
                    "With a coding agent",
                    "writes a guide that your agent follows",
                ),
                (
                    "scaffold",
                    "Scaffold it now",
                    "a few questions, then a bot that runs",
                ),
            ];
            select("How do you want to build the bot?", &choices).default(AGENT)
        },
    },
    Step {
        key: "name",
        sets: Sets::Setting(Setting::ProjectName),
        label: "Project name",
        applies: |selection| scaffolding(selection) && selection.target.is_some(),
        question: |selection, _| {
            let mut question = Question::text("", "What is the project called?");
            let target = selection.target.as_ref();
            let name = target.and_then(|target| default_name(&target.path));
            let name = name.filter(|name| ProjectName::parse(name).is_ok());
            question.default = name.map(|name| json!(name));
            question
        },
    },
    Step {
        key: "bot_type",
        sets: Sets::Setting(Setting::BotType),
        label: "Bot type",
        applies: scaffolding,
        question: |_, _| {
            let choices = [
                (WEB, "Web", "in a browser or an app"),
                (TELEPHONY, "Telephone", "they call a number, or are called"),
            ];
            select("Where do people talk to the bot?", &choices).default(WEB)
        },
    },
    Step {
        key: "transport",
        sets: Sets::Setting(Setting::Transports),
        label: "Transports",
        applies: scaffolding,
        question: |selection, _| {
            let choices = choices::transports(bot_type(selection));
            let first = choices.first().map(|first| json!([first.value]));
            let mut question =
                Question::multiselect("", "How do people connect to the bot?", choices);
            question.default = first;
            question
        },
    },
    Step {
        key: "mode",
        sets: Sets::Setting(Setting::Mode),
        label: "Pipeline",
        applies: scaffolding,
        question: |_, _| {
            let choices = [
                (
                    "cascade",
                    "Cascade",
                    "speech-to-text, language model, text-to-speech, as you choose",
                ),
                ("realtime", "Realtime", "one service that hears and speaks"),
            ];
            select("How does the bot hear and speak?", &choices)
        },
    },
    Step {
        key: "stt",
        sets: Sets::Setting(Setting::SttService),
        label: "Speech-to-text",
        applies: cascade,
        question: |_, catalogue| service("Which speech-to-text service?", Kind::Stt, catalogue),
    },
    Step {
        key: "llm",
        sets: Sets::Setting(Setting::LlmService),
        label: "Language model",
        applies: cascade,
        question: |_, catalogue| service("Which language model?", Kind::Llm, catalogue),
    },
    Step {
        key: "tts",
        sets: Sets::Setting(Setting::TtsService),
        label: "Text-to-speech",
        applies: cascade,
        question: |_, catalogue| service("Which text-to-speech service?", Kind::Tts, catalogue),
    },
    Step {
        key: "realtime",
        sets: Sets::Setting(Setting::RealtimeService),
        label: "Realtime service",
        applies: |selection| has_mode(selection, "realtime"),
        question: |_, catalogue| service("Which realtime service?", Kind::Realtime, catalogue),
    },
    Step {
        key: "video",
        sets: Sets::Setting(Setting::VideoService),
        label: "Video avatar",
        applies: |selection| {
            let mut transports = choices::chosen(&selection.draft).into_iter();
            on_the_web(selection) && !transports.any(|transport| transport.avatar.is_some())
        },
        question: |_, catalogue| {
            let mut question = service("Should the bot show a face?", Kind::Video, catalogue);
            let none = Choice::new(NONE, "None").about("a voice without a face");
            question.choices.insert(0, none);
            question.default(NONE)
        },
    },
    Step {
        key: "features",
        sets: Sets::Extras,
        label: "Extras",
        applies: scaffolding,
        question: |selection, _| {
            let choices = offered(selection).filter_map(|feature| {
                let (label, about) = extra(feature)?;
                Some(Choice::new(feature.row().name, label).about(about))
            });
            Question::multiselect("", "What else should it do?", choices)
                .default(switched_on(selection))
        },
    },
    Step {
        key: "client_framework",
        sets: Sets::Setting(Setting::ClientFramework),
        label: "Web client",
        applies: |selection| {
            let mut transports = choices::chosen(&selection.draft).into_iter();
            on_the_web(selection) && transports.any(|transport| transport.client.is_some())
        },
        question: |_, _| {
            let choices = [
                (NONE, "No", "the bot serves a page for trying it out"),
                ("vanilla", "Plain TypeScript", "built with Vite"),
                ("react", "React", "built with Vite or Next.js"),
            ];
            select("Add a web client of your own?", &choices).default(NONE)
        },
    },
    Step {
        key: "client_server",
        sets: Sets::Setting(Setting::ClientServer),
        label: "Client server",
        applies: |selection| {
            scaffolding(selection) && selection.draft.client_framework.as_deref() == Some("react")
        },
        question: |_, _| {
            let choices = [
                ("vite", "Vite", "a folder of files for any web server"),
                ("nextjs", "Next.js", "room for pages and routes of your own"),
            ];
            select("What should build and serve it?", &choices).default("vite")
        },
    },
    Step {
        key: "deploy_to_cloud",
        sets: Sets::Feature(Feature::DeployToCloud),
        label: "Cloud deployment",
        applies: |selection| scaffolding(selection) && choices::starts_in_cloud(&selection.draft),
        question: |_, _| {
            Question::confirm("", "Prepare it for cloud deployment?")
                .default(true)
                .help("adds server/Dockerfile and server/cloud-deploy.toml")
        },
    },
    Step {
        key: "enable_noise_cancel",
        sets: Sets::Feature(Feature::NoiseCancel),
        label: "Noise cancellation",
        applies: |selection| {
            scaffolding(selection) && selection.draft.switch(Feature::DeployToCloud) == Some(true)
        },
        question: |_, _| {
            Question::confirm("", "Cancel background noise?")
                .default(false)
                .help("works in the cloud only, not on your own machine")
        },
    },
    Step {
        key: "eval",
        sets: Sets::Feature(Feature::Eval),
        label: "Evals",
        applies: scaffolding,
        question: |_, _| {
            Question::confirm("", "Add evals?")
                .default(false)
                .help("scripted conversations in server/evals that test the bot")
        },
    },
];

impl Step {
    /// Returns the words of the options that answer it on a command line.
    pub(super) fn flag(&self) -> Option<String> {
        match self.sets {
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

    /// Returns the settled value.
    pub(super) fn value(&self, selection: &Selection) -> Option<Answer> {
        let draft = &selection.draft;
        match self.sets {
            Sets::Target => Some(Answer::Text(selection.target.as_ref()?.shown.clone())),
            Sets::Way => None,
            Sets::Setting(Setting::Transports) => draft.transports.clone().map(Answer::Many),
            Sets::Setting(Setting::BotType) => {
                let is_known = draft.bot_type.is_some() || draft.transports.is_some();
                let bot_type = match bot_type(selection) {
                    BotType::Web => WEB,
                    BotType::Telephony => TELEPHONY,
                };
                is_known.then(|| Answer::Text(bot_type.to_owned()))
            }
            Sets::Setting(setting) => draft.said(setting)?.pop().map(Answer::Text),
            Sets::Feature(feature) => draft.switch(feature).map(Answer::Confirm),
            Sets::Extras => {
                let mut offered = offered(selection);
                let is_settled = offered.all(|feature| draft.switch(feature).is_some());
                is_settled.then(|| Answer::Many(switched_on(selection)))
            }
        }
    }

    /// Settles it, or says what is wrong with the answer.
    pub(super) fn store(&self, selection: &mut Selection, answer: &Answer) -> Result<(), String> {
        match self.sets {
            Sets::Target => {
                let target = line(answer)?;
                if target.is_empty() {
                    return Err("name a folder, or . for this one".to_owned());
                }
                let target = place::expanded(&target, selection.home.as_deref());
                let found = Target::find(&target, &selection.cwd);
                let found = found.map_err(|failure| failure.message)?;
                let no_place = place::no_place(&found.path, selection.home.as_deref());
                if let Some(no_place) = no_place.filter(|_| selection.can_ask) {
                    return Err(no_place.to_owned());
                }
                selection.target = Some(found);
            }
            Sets::Way if line(answer)? == AGENT => selection.way = Some(Way::Agent),
            Sets::Way => {
                let target = selection.target.as_ref().filter(|_| selection.can_ask);
                if let Some(in_the_way) = target.and_then(place::in_the_way) {
                    return Err(in_the_way);
                }
                selection.way = Some(Way::Scaffold);
            }
            Sets::Setting(Setting::Transports) => {
                selection.draft.transports = Some(many(answer)?);
                let chosen = choices::chosen(&selection.draft);
                if chosen.is_empty() {
                    return Err("choose at least one".to_owned());
                }
                if let Some([one, other]) = choices::excluding(&chosen) {
                    return Err(format!("`{one}` and `{other}` can't be combined"));
                }
            }
            Sets::Setting(setting) => {
                let mut text = line(answer)?;
                if setting == Setting::ProjectName {
                    text = ProjectName::parse(&text)?.display;
                }
                if let Slot::Text(place) | Slot::OptionalText(place) =
                    selection.draft.setting(setting)
                {
                    *place = Some(text);
                }
            }
            Sets::Feature(feature) => {
                let on = answer.as_bool().ok_or("must be yes or no")?;
                *selection.draft.switches.slot(feature) = Some(on);
            }
            Sets::Extras => {
                let chosen = many(answer)?;
                for feature in offered(&selection.clone()) {
                    let on = chosen.iter().any(|name| name == feature.row().name);
                    *selection.draft.switches.slot(feature) = Some(on);
                }
            }
        }
        Ok(())
    }
}

const AGENT: &str = "agent";
const WEB: &str = "web";
const TELEPHONY: &str = "telephony";

/// The features that the question for extras offers.
fn extras() -> impl Iterator<Item = Feature> {
    let all = Feature::ALL.into_iter();
    all.filter(|feature| extra(*feature).is_some())
}

fn extra(feature: Feature) -> Option<(&'static str, &'static str)> {
    match feature.row().question {
        FeatureQuestion::Extra { label, about } => Some((label, about)),
        FeatureQuestion::Own => None,
    }
}

/// The extras that have a meaning: a telephone has no picture, and an avatar always sends one.
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

fn scaffolding(selection: &Selection) -> bool {
    selection.way == Some(Way::Scaffold)
}

fn on_the_web(selection: &Selection) -> bool {
    scaffolding(selection) && bot_type(selection) == BotType::Web
}

fn bot_type(selection: &Selection) -> BotType {
    let named = selection.draft.bot_type.as_deref();
    let mut transports = selection.draft.transports.iter().flatten();
    let calls = transports.any(|name| choices::is_telephony(name));
    if named == Some(TELEPHONY) || named.is_none() && calls {
        BotType::Telephony
    } else {
        BotType::Web
    }
}

fn cascade(selection: &Selection) -> bool {
    has_mode(selection, "cascade")
}

fn has_mode(selection: &Selection, mode: &str) -> bool {
    scaffolding(selection) && selection.draft.mode.as_deref() == Some(mode)
}

/// A question with a few choices: value, label and a few more words.
fn select(message: &str, choices: &[(&str, &str, &str)]) -> Question {
    let choices = choices.iter();
    let choices = choices.map(|(value, label, about)| Choice::new(*value, *label).about(*about));
    Question::select("", message, choices)
}

fn service(message: &str, kind: Kind, catalogue: &Catalogue) -> Question {
    Question::select("", message, choices::services(kind, catalogue))
}

fn line(answer: &Answer) -> Result<String, String> {
    let text = answer.as_text().ok_or("must be text")?;
    Ok(text.trim().to_owned())
}

fn many(answer: &Answer) -> Result<Vec<String>, String> {
    Ok(answer.as_many().ok_or("must be a list")?.to_vec())
}
