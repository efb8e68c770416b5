//! The table of questions, in the order in which they are asked.
//!
//! A question comes after those that decide whether it applies. A new one is one more row.

use bot_cli_protocol::question::{Answer, Choice, Question};
use bot_cli_templates::catalogue::{BotType, Kind};
use serde_json::json;

use super::choices::{self, explained};
use super::step::{ALL_THE_SAME, Extra, Flag, Step, TARGET, extras};
use super::{Selection, Way, place};
use crate::draft::NONE;
use crate::option_table::{Feature, Setting};
use crate::resolve::{ProjectName, default_name};
use crate::target::Target;

pub(super) static ALL: &[Step] = &[
    Step {
        key: TARGET,
        flag: Flag::Target,
        label: "Folder",
        applies: |_| true,
        value: |selection| {
            selection
                .target
                .as_ref()
                .map(|target| Answer::Text(target.shown.clone()))
        },
        question: |_, _| {
            Question::text("", "Which folder?")
                .help("a new folder such as my-bot, or . for this one")
        },
        store: |selection, answer| {
            let target = line(answer)?;
            if target.is_empty() {
                return Err("name a folder, or . for this one".to_owned());
            }
            let target = place::expanded(&target, selection.home.as_deref())?;
            let found = Target::find(&target, &selection.cwd);
            selection.target = Some(found.map_err(|failure| failure.message)?);
            Ok(())
        },
    },
    Step {
        key: "way",
        flag: Flag::None,
        label: "Way",
        // Once it is known it is no line of the summary.
        applies: |selection| selection.way.is_none(),
        value: |selection| {
            selection
                .way
                .map(|way| Answer::Text(way_name(way).to_owned()))
        },
        question: |_, _| {
            select(
                "How do you want to build the bot?",
                vec![
                    explained(
                        "agent",
                        "With a coding agent",
                        "writes a guide that your agent follows",
                    ),
                    explained(
                        "scaffold",
                        "Scaffold it now",
                        "a few questions, then a bot that runs",
                    ),
                ],
            )
            .default("agent")
        },
        store: |selection, answer| {
            let way = line(answer)?;
            selection.way = Some(if way == way_name(Way::Agent) {
                Way::Agent
            } else {
                Way::Scaffold
            });
            Ok(())
        },
    },
    Step {
        key: ALL_THE_SAME,
        flag: Flag::None,
        label: "Anyway",
        // Once it is agreed to it is no line of the summary.
        applies: |selection| {
            selection.can_ask && !selection.all_the_same && place::doubt(selection).is_some()
        },
        value: |_| None,
        question: |selection, _| {
            confirm("Use this folder anyway?", false)
                .details(place::doubt(selection).unwrap_or_default())
                .help("no: nothing is created there")
        },
        store: |selection, answer| {
            selection.all_the_same = answer.as_bool().ok_or("must be yes or no")?;
            Ok(())
        },
    },
    Step {
        key: "name",
        flag: Flag::Setting(Setting::ProjectName),
        label: "Project name",
        applies: |selection| scaffolding(selection) && selection.target.is_some(),
        value: |selection| text(selection.draft.project_name.as_ref()),
        question: |selection, _| {
            let mut question = Question::text("", "What is the project called?");
            let name = selection
                .target
                .as_ref()
                .and_then(|target| default_name(&target.path))
                .filter(|name| ProjectName::parse(name).is_ok());
            question.default = name.map(|name| json!(name));
            question
        },
        store: |selection, answer| {
            let name = line(answer)?;
            if name.is_empty() {
                return Err("give the project a name".to_owned());
            }
            selection.draft.project_name = Some(ProjectName::parse(&name)?.display);
            Ok(())
        },
    },
    Step {
        key: "bot_type",
        flag: Flag::Setting(Setting::BotType),
        label: "Bot type",
        applies: scaffolding,
        value: |selection| {
            let draft = &selection.draft;
            let known = draft.bot_type.is_some() || draft.transports.is_some();
            let bot_type = match bot_type(selection) {
                BotType::Web => WEB,
                BotType::Telephony => TELEPHONY,
            };
            known.then(|| Answer::Text(bot_type.to_owned()))
        },
        question: |_, _| {
            select(
                "Where do people talk to the bot?",
                vec![
                    explained(WEB, "Web", "in a browser or an app"),
                    explained(TELEPHONY, "Telephone", "they call a number, or are called"),
                ],
            )
            .default(WEB)
        },
        store: |selection, answer| set(&mut selection.draft.bot_type, answer),
    },
    Step {
        key: "transport",
        flag: Flag::Setting(Setting::Transports),
        label: "Transports",
        applies: scaffolding,
        value: |selection| selection.draft.transports.clone().map(Answer::Many),
        question: |selection, _| {
            let choices = choices::transports(bot_type(selection));
            let first = choices.first().map(|first| json!([first.value]));
            let mut question =
                Question::multiselect("", "How do people connect to the bot?", choices);
            question.default = first;
            question
        },
        store: |selection, answer| {
            let transports = many(answer)?;
            if transports.is_empty() {
                return Err("choose at least one".to_owned());
            }
            if let Some([one, other]) = choices::excluding(&transports) {
                return Err(format!("`{one}` and `{other}` can't be combined"));
            }
            selection.draft.transports = Some(transports);
            Ok(())
        },
    },
    Step {
        key: "mode",
        flag: Flag::Setting(Setting::Mode),
        label: "Pipeline",
        applies: scaffolding,
        value: |selection| text(selection.draft.mode.as_ref()),
        question: |_, _| {
            select(
                "How does the bot hear and speak?",
                vec![
                    explained(
                        CASCADE,
                        "Cascade",
                        "speech-to-text, language model, text-to-speech, as you choose",
                    ),
                    explained(REALTIME, "Realtime", "one service that hears and speaks"),
                ],
            )
        },
        store: |selection, answer| set(&mut selection.draft.mode, answer),
    },
    Step {
        key: "stt",
        flag: Flag::Setting(Setting::SttService),
        label: "Speech-to-text",
        applies: cascade,
        value: |selection| text(selection.draft.stt_service.as_ref()),
        question: |_, catalogue| {
            select(
                "Which speech-to-text service?",
                choices::services(Kind::Stt, catalogue),
            )
        },
        store: |selection, answer| set(&mut selection.draft.stt_service, answer),
    },
    Step {
        key: "llm",
        flag: Flag::Setting(Setting::LlmService),
        label: "Language model",
        applies: cascade,
        value: |selection| text(selection.draft.llm_service.as_ref()),
        question: |_, catalogue| {
            select(
                "Which language model?",
                choices::services(Kind::Llm, catalogue),
            )
        },
        store: |selection, answer| set(&mut selection.draft.llm_service, answer),
    },
    Step {
        key: "tts",
        flag: Flag::Setting(Setting::TtsService),
        label: "Text-to-speech",
        applies: cascade,
        value: |selection| text(selection.draft.tts_service.as_ref()),
        question: |_, catalogue| {
            select(
                "Which text-to-speech service?",
                choices::services(Kind::Tts, catalogue),
            )
        },
        store: |selection, answer| set(&mut selection.draft.tts_service, answer),
    },
    Step {
        key: "realtime",
        flag: Flag::Setting(Setting::RealtimeService),
        label: "Realtime service",
        applies: realtime,
        value: |selection| text(selection.draft.realtime_service.as_ref()),
        question: |_, catalogue| {
            select(
                "Which realtime service?",
                choices::services(Kind::Realtime, catalogue),
            )
        },
        store: |selection, answer| set(&mut selection.draft.realtime_service, answer),
    },
    Step {
        key: "video",
        flag: Flag::Setting(Setting::VideoService),
        label: "Video avatar",
        applies: |selection| {
            scaffolding(selection)
                && bot_type(selection) == BotType::Web
                && !choices::with_avatar(&selection.draft)
        },
        value: |selection| {
            let service = selection.draft.video_service.as_deref()?;
            let answer = if service.is_empty() { NONE } else { service };
            Some(Answer::Text(answer.to_owned()))
        },
        question: |_, catalogue| {
            let mut choices = vec![explained(NONE, "None", "a voice without a face")];
            choices.extend(choices::services(Kind::Video, catalogue));
            select("Should the bot show a face?", choices).default(NONE)
        },
        store: |selection, answer| {
            let service = line(answer)?;
            selection.draft.video_service = Some(if service == NONE {
                String::new()
            } else {
                service
            });
            Ok(())
        },
    },
    Step {
        key: "features",
        flag: Flag::Extras,
        label: "Extras",
        applies: scaffolding,
        value: |selection| {
            let said = offered(selection).map(|extra| selection.draft.switch(extra.feature));
            let said: Option<Vec<bool>> = said.collect();
            said.map(|_| Answer::Many(switched_on(selection)))
        },
        question: |selection, _| {
            let choices = offered(selection)
                .map(|extra| explained(extra.feature.row().name, extra.label, extra.about));
            Question::multiselect("", "What else should it do?", choices)
                .default(switched_on(selection))
        },
        store: |selection, answer| {
            let chosen = many(answer)?;
            let offered: Vec<Extra> = offered(selection).collect();
            for Extra { feature, .. } in offered {
                let name = feature.row().name;
                *selection.draft.switches.slot(feature) =
                    Some(chosen.iter().any(|chosen| chosen == name));
            }
            Ok(())
        },
    },
    Step {
        key: "client_framework",
        flag: Flag::Setting(Setting::ClientFramework),
        label: "Web client",
        applies: |selection| {
            scaffolding(selection)
                && bot_type(selection) == BotType::Web
                && choices::reached_by_clients(&selection.draft)
        },
        value: |selection| text(selection.draft.client_framework.as_ref()),
        question: |_, _| {
            select(
                "Add a web client of your own?",
                vec![
                    explained("none", "No", "the bot serves a page for trying it out"),
                    explained("vanilla", "Plain TypeScript", "built with Vite"),
                    explained("react", "React", "built with Vite or Next.js"),
                ],
            )
            .default("none")
        },
        store: |selection, answer| set(&mut selection.draft.client_framework, answer),
    },
    Step {
        key: "client_server",
        flag: Flag::Setting(Setting::ClientServer),
        label: "Client server",
        applies: |selection| {
            scaffolding(selection) && selection.draft.client_framework.as_deref() == Some("react")
        },
        value: |selection| text(selection.draft.client_server.as_ref()),
        question: |_, _| {
            select(
                "What should build and serve it?",
                vec![
                    explained("vite", "Vite", "a folder of files for any web server"),
                    explained("nextjs", "Next.js", "room for pages and routes of your own"),
                ],
            )
            .default("vite")
        },
        store: |selection, answer| set(&mut selection.draft.client_server, answer),
    },
    Step {
        key: "deploy_to_cloud",
        flag: Flag::Feature(Feature::DeployToCloud),
        label: "Cloud deployment",
        applies: |selection| scaffolding(selection) && choices::starts_in_cloud(&selection.draft),
        value: |selection| {
            selection
                .draft
                .switch(Feature::DeployToCloud)
                .map(Answer::Confirm)
        },
        question: |_, _| {
            confirm("Prepare it for cloud deployment?", true)
                .help("adds server/Dockerfile and server/cloud-deploy.toml")
        },
        store: |selection, answer| switch(selection, Feature::DeployToCloud, answer),
    },
    Step {
        key: "enable_noise_cancel",
        flag: Flag::Feature(Feature::NoiseCancel),
        label: "Noise cancellation",
        applies: |selection| {
            scaffolding(selection) && selection.draft.switch(Feature::DeployToCloud) == Some(true)
        },
        value: |selection| {
            selection
                .draft
                .switch(Feature::NoiseCancel)
                .map(Answer::Confirm)
        },
        question: |_, _| {
            confirm("Cancel background noise?", false)
                .help("works in the cloud only, not on your own machine")
        },
        store: |selection, answer| switch(selection, Feature::NoiseCancel, answer),
    },
    Step {
        key: "eval",
        flag: Flag::Feature(Feature::Eval),
        label: "Evals",
        applies: scaffolding,
        value: |selection| selection.draft.switch(Feature::Eval).map(Answer::Confirm),
        question: |_, _| {
            confirm("Add evals?", false)
                .help("scripted conversations in server/evals that test the bot")
        },
        store: |selection, answer| switch(selection, Feature::Eval, answer),
    },
];

const WEB: &str = "web";
const TELEPHONY: &str = "telephony";
const CASCADE: &str = "cascade";
const REALTIME: &str = "realtime";

/// The extras that have a meaning: a telephone has no picture, and an avatar always sends one.
fn offered(selection: &Selection) -> impl Iterator<Item = Extra> {
    let web = bot_type(selection) == BotType::Web;
    let avatar = (selection.draft.video_service.as_deref()).is_some_and(|id| !id.is_empty());
    extras().filter(move |Extra { feature, .. }| {
        (web || !feature.row().web_only) && !(avatar && *feature == Feature::VideoOutput)
    })
}

fn switched_on(selection: &Selection) -> Vec<String> {
    offered(selection)
        .filter(|extra| selection.draft.switch(extra.feature) == Some(true))
        .map(|extra| extra.feature.row().name.to_owned())
        .collect()
}

fn scaffolding(selection: &Selection) -> bool {
    selection.way == Some(Way::Scaffold)
}

fn bot_type(selection: &Selection) -> BotType {
    let named = selection.draft.bot_type.as_deref();
    let transports = selection.draft.transports.as_deref().unwrap_or_default();
    let calls = transports.iter().any(|name| choices::is_telephony(name));
    if named == Some(TELEPHONY) || named.is_none() && calls {
        BotType::Telephony
    } else {
        BotType::Web
    }
}

fn cascade(selection: &Selection) -> bool {
    scaffolding(selection) && selection.draft.mode.as_deref() == Some(CASCADE)
}

fn realtime(selection: &Selection) -> bool {
    scaffolding(selection) && selection.draft.mode.as_deref() == Some(REALTIME)
}

fn way_name(way: Way) -> &'static str {
    match way {
        Way::Agent => "agent",
        Way::Scaffold => "scaffold",
    }
}

fn select(message: &str, choices: Vec<Choice>) -> Question {
    Question::select("", message, choices)
}

fn confirm(message: &str, default: bool) -> Question {
    Question::confirm("", message).default(default)
}

fn text(value: Option<&String>) -> Option<Answer> {
    value.cloned().map(Answer::Text)
}

fn set(slot: &mut Option<String>, answer: &Answer) -> Result<(), String> {
    *slot = Some(line(answer)?);
    Ok(())
}

fn switch(selection: &mut Selection, feature: Feature, answer: &Answer) -> Result<(), String> {
    *selection.draft.switches.slot(feature) = Some(answer.as_bool().ok_or("must be yes or no")?);
    Ok(())
}

fn line(answer: &Answer) -> Result<String, String> {
    let text = answer.as_text().ok_or("must be text")?;
    Ok(text.trim().to_owned())
}

fn many(answer: &Answer) -> Result<Vec<String>, String> {
    Ok(answer.as_many().ok_or("must be a list")?.to_vec())
}
