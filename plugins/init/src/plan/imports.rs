//! The import statements of `bot.py` and `server.py`: what its code uses decides, so none is missing and none too many.

use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::catalogue::{Avatar, Service, Transport};
use tree_sitter::{Node, Parser};

use super::{PlanError, view};
use crate::config::Config;

const LINE_LENGTH: usize = 100;

/// Modules of Python's own library among those that templates and catalogue use.
const STANDARD: &[&str] = &[
    "asyncio",
    "base64",
    "collections",
    "datetime",
    "hmac",
    "json",
    "os",
    "pathlib",
    "re",
    "socket",
    "sys",
    "time",
    "typing",
    "urllib",
    "uuid",
    "wave",
];

/// Modules that are imported whole.
const MODULES: &[&str] = &[
    "aiohttp", "asyncio", "base64", "hmac", "json", "os", "re", "socket", "sys", "time", "uuid",
    "uvicorn", "wave",
];

/// Where the names come from that templates use.
const NAMES: &[(&str, &[&str])] = &[
    ("collections.abc", &["Callable"]),
    ("datetime", &["datetime"]),
    ("pathlib", &["Path"]),
    ("typing", &["Any", "Literal"]),
    ("urllib.parse", &["parse_qsl"]),
    ("dotenv", &["load_dotenv"]),
    (
        "fastapi",
        &[
            "FastAPI",
            "HTTPException",
            "Request",
            "Response",
            "WebSocket",
        ],
    ),
    ("loguru", &["logger"]),
    (
        "pipecat.audio.filters.base_audio_filter",
        &["BaseAudioFilter"],
    ),
    ("pipecat.audio.vad.silero", &["SileroVADAnalyzer"]),
    ("pipecat.evals.transport", &["EvalTransportParams"]),
    ("pipecat.frames.frames", &["LLMRunFrame"]),
    ("pipecat.pipeline.pipeline", &["Pipeline"]),
    (
        "pipecat.pipeline.worker",
        &["PipelineParams", "PipelineWorker"],
    ),
    (
        "pipecat.processors.aggregators.llm_context",
        &["LLMContext"],
    ),
    (
        "pipecat.processors.aggregators.llm_response_universal",
        &[
            "AssistantTurnStoppedMessage",
            "LLMContextAggregatorPair",
            "LLMUserAggregatorParams",
            "UserTurnMessageAddedMessage",
        ],
    ),
    (
        "pipecat.processors.audio.audio_buffer_processor",
        &["AudioBufferProcessor"],
    ),
    (
        "pipecat.runner.types",
        &[
            "DailyRunnerArguments",
            "EvalRunnerArguments",
            "LiveKitRunnerArguments",
            "MOQRunnerArguments",
            "RunnerArguments",
            "SmallWebRTCRunnerArguments",
            "VonageRunnerArguments",
            "WebSocketRunnerArguments",
        ],
    ),
    ("pipecat.runner.utils", &["create_transport"]),
    (
        "pipecat.transports.base_transport",
        &["BaseTransport", "TransportParams", "VideoInSourceParams"],
    ),
    (
        "pipecat.transports.daily.utils",
        &[
            "DailyRESTHelper",
            "DailyRoomParams",
            "DailyRoomProperties",
            "DailyRoomSipParams",
        ],
    ),
    ("pipecat.utils.types", &["NOT_GIVEN", "NotGiven"]),
    ("pipecat.workers.runner", &["WorkerRunner"]),
    ("pipecat_whisker", &["WhiskerServer"]),
    ("starlette.requests", &["ClientDisconnect"]),
    ("starlette.types", &["Message"]),
    ("starlette.websockets", &["WebSocketState"]),
    ("twilio.request_validator", &["RequestValidator"]),
    ("twilio.rest", &["Client"]),
    ("twilio.twiml.voice_response", &["Dial", "VoiceResponse"]),
];

/// The sorted import statements for the names that `code` uses.
pub(super) fn used_by(code: &str, config: &Config) -> Result<String, PlanError> {
    let used = names(code)?;
    let mut modules: BTreeSet<String> = BTreeSet::new();
    let mut from: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for module in MODULES {
        if used.contains(*module) {
            modules.insert((*module).to_owned());
        }
    }
    for (module, name) in known(config) {
        if used.contains(name) {
            from.entry(module.to_owned())
                .or_default()
                .insert(name.to_owned());
        }
    }
    let mut sections = Vec::new();
    for standard in [true, false] {
        let mut lines: Vec<String> = modules
            .iter()
            .filter(|module| is_standard(module) == standard)
            .map(|module| format!("import {module}"))
            .collect();
        lines.extend(
            from.iter()
                .filter(|(module, _)| is_standard(module) == standard)
                .map(|(module, names)| statement(module, names)),
        );
        if !lines.is_empty() {
            sections.push(lines.join("\n"));
        }
    }
    Ok(sections.join("\n\n"))
}

/// The module and the name of what templates import.
pub(crate) fn names_of_templates<'c>() -> impl Iterator<Item = (&'c str, &'c str)> {
    NAMES
        .iter()
        .flat_map(|(module, names)| names.iter().map(|name| (*module, *name)))
}

fn known<'c>(config: &'c Config<'_>) -> impl Iterator<Item = (&'c str, &'c str)> {
    let templates = names_of_templates();
    let services = view::services(config)
        .into_iter()
        .flat_map(|service: &Service| {
            std::iter::once((service.module.as_str(), service.class.as_str()))
                .chain(listed(&service.imports))
        });
    let transports = config.transports.iter().flat_map(|transport| {
        std::iter::once((transport.module.as_str(), transport.class.as_str()))
            .chain(listed(&transport.imports))
            .chain(avatar_names(transport))
    });
    templates.chain(services).chain(transports)
}

fn avatar_names(transport: &Transport) -> impl Iterator<Item = (&str, &str)> {
    let names = transport.avatar.iter().flat_map(Avatar::names);
    names.map(|(module, name)| (module.as_str(), name.as_str()))
}

fn listed(imports: &BTreeMap<String, Vec<String>>) -> impl Iterator<Item = (&str, &str)> {
    imports
        .iter()
        .flat_map(|(module, names)| names.iter().map(|name| (module.as_str(), name.as_str())))
}

fn is_standard(module: &str) -> bool {
    let top = module.split('.').next().unwrap_or(module);
    STANDARD.contains(&top)
}

fn statement(module: &str, names: &BTreeSet<String>) -> String {
    let mut names: Vec<&String> = names.iter().collect();
    names.sort_by_key(|name| (rank(name), name.as_str()));
    let names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    let one_line = format!("from {module} import {}", names.join(", "));
    if one_line.chars().count() <= LINE_LENGTH {
        return one_line;
    }
    format!("from {module} import (\n    {},\n)", names.join(",\n    "))
}

/// Constants, classes, others: the order of isort.
fn rank(name: &str) -> u8 {
    let is_upper = |c: char| c.is_ascii_uppercase();
    if name.len() > 1 && !name.chars().any(|c| c.is_ascii_lowercase()) {
        0
    } else if name.starts_with(is_upper) {
        1
    } else {
        2
    }
}

/// The identifiers that `code` looks up: not attributes, not keywords of calls, nothing in strings or comments.
pub(super) fn names(code: &str) -> Result<BTreeSet<String>, PlanError> {
    let broken = |reason: &dyn ToString| PlanError::broken("server/bot.py", reason.to_string());
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .map_err(|error| broken(&error))?;
    let tree = parser
        .parse(code, None)
        .ok_or_else(|| broken(&"it can't be parsed"))?;
    let mut found = BTreeSet::new();
    let mut open: Vec<Node> = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier" && !is_label(node) {
            found.insert(code.get(node.byte_range()).unwrap_or_default().to_owned());
        }
        let mut cursor = node.walk();
        open.extend(node.children(&mut cursor));
    }
    Ok(found)
}

fn is_label(node: Node) -> bool {
    let field = match node.parent() {
        Some(parent) if parent.kind() == "attribute" => parent.child_by_field_name("attribute"),
        Some(parent) if parent.kind() == "keyword_argument" => parent.child_by_field_name("name"),
        _ => None,
    };
    field.is_some_and(|field| field.id() == node.id())
}
