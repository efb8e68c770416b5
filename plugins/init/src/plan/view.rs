//! The variables available in project templates. `templates/README.md` documents them.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{BotType, Kind, Pictures, Service, Transport};
use bot_cli_templates::languages::languages;
use bot_cli_templates::project::{self, Environment};
use serde_json::{Value, json};

use super::variables::{self, Reading, Unset};
use super::{PlanError, arguments, bot, imports, manifest, python};
use crate::config::{Config, Pipeline};
use crate::option_table::Feature;

/// The model of Ollama that the framework judges evals with.
const JUDGE: &str = "gemma4:12b";

const PLAIN_README: &str = "partials/readme/plain.md";

pub(super) fn of_project(config: &Config) -> Result<Value, PlanError> {
    let transports = || config.transports.iter().copied();
    let brings_calls = transports().any(|transport| transport.bot_type == BotType::Telephony);
    let calls = transports().find(|transport| transport.call_server.is_some());
    let readings = variables::all_readings(config)?;
    let services = config.services();
    let services = services.map(|service| self::service(config, service, &readings));
    let needs_session = bot::needs_session(config) || transports().any(|it| it.avatar.is_some());
    let env = variables::groups(config, &readings)?;
    let variables = || env.iter().flat_map(|group| &group.variables);
    let needs_keys = variables().any(|variable| variable.required);
    let mut meanings = variables().filter_map(|it| config.catalogue.variable(&it.name));
    let takes_keys = needs_keys || meanings.any(|variable| variable.secret);
    let served = transports().filter_map(|it| Some(&it.self_host.as_ref()?.partial));
    let mut view = json!({
        "name": config.project_name,
        "slug": config.slug,
        "environments": config.environments.iter().map(ToString::to_string).collect::<Value>(),
        "bot_type": if brings_calls { "telephony" } else { "web" },
        "mode": match config.pipeline {
            Pipeline::Cascade { .. } => "cascade",
            Pipeline::Realtime(_) => "realtime",
        },
        "language": config.language,
        "words": languages().get(config.language),
        "transports": transports().map(transport).collect::<Value>(),
        "served": served.collect::<Vec<_>>(),
        "call_server": calls.map_or("", |transport| &transport.id),
        "room_call": calls.and_then(|it| it.call_server.as_ref()).map(|server| json!({
            "direction": server.direction.name(),
            "partial": server.partial,
        })),
        "services": services.collect::<Result<Value, _>>()?,
        "client": config.client.template_name(),
        "web_client": project::web_clients().get(&config.client.template_name()),
        "client_transports": transports().filter_map(client_transport).collect::<Value>(),
        "ci": config.ci,
        "typed": config.services().all(takes_typed_text),
        "eval_variables": eval_variables(config, &readings)?,
        "releases": env!("CARGO_PKG_HOMEPAGE"),
        "env": env,
        "needs_keys": needs_keys,
        "takes_keys": takes_keys,
        "server_variables": variables::of_the_call_server_alone(config),
        "python": python::variable(config, needs_session),
        "settings": settings(config, &readings),
        "bot": bot::variable(config),
        "camera": manifest::looks(config),
        "screen": manifest::draws(config),
        "local_models": manifest::loads_models(config),
        "downloads": config.services().any(|service| service.downloads.is_some()),
        "model_server": model_server(config),
        "judge_model": judge_model(config),
        "files": manifest::files_of(config),
    });
    for feature in Feature::ALL {
        view[feature.row().name] = config.has(feature).into();
    }
    let features = Feature::ALL.into_iter().filter(|it| config.has(*it));
    let known_by = features.map(|feature| feature.row().known_by);
    view["feature_imports"] = known_by.filter(|it| it.starts_with("from ")).collect();
    Ok(of_agent(view, config, None))
}

/// Returns the data with the names of the agent in this environment.
pub(super) fn of_agent(
    mut view: Value,
    config: &Config,
    environment: Option<&Environment>,
) -> Value {
    let agent = project::agent_of(&config.slug, environment);
    view["secret_set"] = project::secret_set_of(&agent).into();
    view["agent"] = agent.into();
    view
}

fn transport(transport: &Transport) -> Value {
    json!({
        "id": transport.id,
        "label": transport.label,
        "run_options": transport.run_options(),
        "note": transport.note,
        "stays_behind": transport.stays_behind,
        "readme": transport.readme.as_deref().unwrap_or(PLAIN_README),
    })
}

/// Returns the template data for the user's own server of a language model, and the model that it must have.
fn model_server(config: &Config) -> Option<Value> {
    let service = config.services().find(|service| service.pull.is_some())?;
    let arg = |name| service.args.iter().find(|arg| arg.name == name);
    let model = arg("settings.model")?;
    Some(json!({
        "label": service.label,
        "site": variables::provider_of(config, service).ok()?.site,
        "pull": service.pull,
        "base_url": arg("base_url")?.env,
        "model": model.env,
    }))
}

/// Returns the model of Ollama that judges evals. A bot that uses Ollama is judged by its own model.
fn judge_model<'c>(config: &Config<'c>) -> &'c str {
    let ollama = config.services().find(|service| service.id == "ollama_llm");
    let mut args = ollama.into_iter().flat_map(|service| &service.args);
    let model = args.find(|arg| arg.name == "settings.model");
    model
        .and_then(|arg| arg.default.as_deref())
        .unwrap_or(JUDGE)
}

fn client_transport(transport: &Transport) -> Option<Value> {
    let client = transport.client.as_ref()?;
    Some(json!({
        "label": transport.label,
        "runner_key": transport.runner_key,
        "pictures": transport.pictures != Pictures::None,
        "package": client.package,
        "version": client.version,
        "class": client.class,
        "module": client.module(),
        "start": client.start,
        "unused": client.unused,
        "note": client.note,
    }))
}

fn service(config: &Config, service: &Service, readings: &[Reading]) -> Result<Value, PlanError> {
    let provider = variables::provider_of(config, service)?;
    let pack = config.catalogue.pack_of(service);
    let markdown = |text: &Option<String>| {
        let text = text.as_deref();
        text.map(|text| variables::markdown(text, pack))
    };
    let arguments = arguments::of_service(service, config.language, readings);
    let session = service.args.iter().any(arguments::uses_session);
    let names = service.names();
    let mut imports: Vec<String> = names
        .map(|(module, name)| imports::line(module, name))
        .collect();
    imports.extend(session.then(|| "import aiohttp".to_owned()));
    if service.language_list.is_some() && service.language(config.language).is_some() {
        imports.push(imports::line("pipecat.transcriptions.language", "Language"));
    }
    if arguments.iter().any(arguments::Argument::may_be_not_given) {
        imports.push(imports::line("pipecat.utils.types", "NOT_GIVEN"));
    }
    let (variable, role) = match service.kind {
        Kind::Stt => ("stt", "Speech-to-text"),
        Kind::Llm => ("llm", "Language model"),
        Kind::Tts => ("tts", "Text-to-speech"),
        Kind::Realtime => ("llm", "Speech-to-speech"),
        Kind::Video => ("video", "Video avatar"),
    };
    Ok(json!({
        "id": service.id,
        "kind": service.kind,
        "role": role,
        "label": service.label,
        "provider": provider.label,
        "site": provider.site,
        "pack": pack.map_or_else(String::new, |it| format!("{} {}", it.name, it.source.version)),
        "note": markdown(&service.advice()),
        "downloads": service.downloads,
        "downloads_to": service.downloads_to.as_deref().unwrap_or_default(),
        "functions": markdown(&service.functions),
        "pictures": service.pictures,
        "deprecated": markdown(&service.deprecated),
        "variable": variable,
        "class": service.class,
        "arguments": arguments,
        "imports": imports,
        "session": session,
    }))
}

/// Returns the variables that `services.py` reads, along with each set of alternatives in which at least one variable must be set.
fn settings(config: &Config, readings: &[Reading]) -> Value {
    let is_read = |it: &&Reading| it.is_argument || it.unset == Unset::Required;
    let variables: Vec<&Reading> = readings.iter().filter(is_read).collect();
    let ways = config.services().map(|service| &service.one_of);
    let ways: BTreeSet<&Vec<String>> = ways.filter(|ways| !ways.is_empty()).collect();
    let mut readers: BTreeSet<&str> = variables
        .iter()
        .flat_map(|it| it.readers())
        .copied()
        .collect();
    readers.extend((!ways.is_empty()).then_some("one_required"));
    json!({ "variables": variables, "ways": ways, "readers": readers })
}

fn takes_typed_text(service: &Service) -> bool {
    let note = service.note.as_deref().unwrap_or_default();
    !note.contains("typed text gets no answer")
}

/// Returns the variables with which evals run in CI. They need those that the bot requires, the addresses of servers on the user's machine,
/// and a key of the language model even if that machine has other credentials. Other keys are optional.
fn eval_variables(config: &Config, readings: &[Reading]) -> Result<Value, PlanError> {
    let is_secret = |it: &&Reading| {
        let meaning = config.catalogue.variable(&it.name);
        meaning.is_some_and(|variable| variable.secret)
    };
    let mut services = config.services();
    let model = services.find(|it| matches!(it.kind, Kind::Llm | Kind::Realtime));
    let of_model = variables::readings(model.as_slice())?;
    let key = of_model.iter().find(is_secret).map(|it| &it.name);
    let is_needed = |it: &&Reading| match &it.unset {
        Unset::Required => true,
        Unset::Default(text) if text.contains("://localhost") => true,
        Unset::Default(_) | Unset::None | Unset::NotGiven => {
            let mut services = config.services();
            key == Some(&it.name) || services.any(|one| one.one_of.first() == Some(&it.name))
        }
    };
    let (needed, others): (Vec<_>, Vec<_>) = readings.iter().partition(is_needed);
    let optional = others.into_iter().filter(is_secret);
    let name = |it: &Reading| it.name.clone();
    Ok(json!({
        "needed": needed.into_iter().map(name).collect::<Value>(),
        "optional": optional.map(name).collect::<Value>(),
    }))
}
