//! The passages of `bot.py` that follow from the catalogue, formatted as `ruff format` would.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{
    Arg, Avatar, BotType, Kind, Literal, Pictures, Reader, Service, Transport, Turns, Type,
};
use serde::Serialize;

use super::quote::py;
use super::settings::{one_required, setting};
use super::variables::{Reading, Unset};
use super::{PlanError, view};
use crate::config::{Config, Pipeline};
use crate::option_table::Feature;
use crate::resolve::Direction;

pub(super) const LINE_LENGTH: usize = 100;

/// The rate, in Hz, at which a pipeline takes sound unless it is told another.
const PIPELINE_RATE: u32 = 16_000;

/// What a telephone line carries, in Hz.
const TELEPHONE_RATE: u32 = 8000;

/// What the template of `bot.py` gets from the catalogue.
#[derive(Debug, Clone, Serialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own to the template"
)]
pub struct BotCode<'c> {
    /// `telephone`, `voice` or `voice and video`.
    pub medium: &'static str,
    /// The import statements.
    pub imports: String,
    /// `NAME = …`: one statement for each environment variable; `required(…)` alone where a class reads it by itself.
    pub settings: Vec<String>,
    /// Which readers the settings call.
    pub reads_required: bool,
    /// As above.
    pub reads_converted: bool,
    /// As above.
    pub reads_list: bool,
    /// As above.
    pub reads_one_of: bool,
    /// Whether one of several variables is needed.
    pub reads_ways: bool,
    /// One factory for each service, in the order of the pipeline.
    pub services: Vec<ServiceCode>,
    /// One entry for each transport, and one for evals.
    pub transports: Vec<TransportCode>,
    /// The bot's own analyzers find the turns of the user.
    pub vad: bool,
    /// A video service shows a face.
    pub avatar: bool,
    /// The indented lines of the carriers' table: runner key and required variables.
    pub carriers: Vec<String>,
    /// A carrier streams the sound of its calls.
    pub streams: bool,
    /// Browsers and programs open a WebSocket, which the hosting service does not tell from a carrier's.
    pub plain_websocket: bool,
    /// The rate, in Hz, at which a call's sound reaches the services: `8_000`.
    pub call_input_rate: String,
    /// The service that sets it, where it is not the telephone's own.
    pub call_input_of: String,
    /// The same for sound that is no call's, where the pipeline's own rate would not do: `24_000`; or nothing.
    pub input_rate: String,
    /// A service needs an aiohttp session.
    pub session: bool,
    /// The transport that the bot makes by itself: the class, or nothing.
    pub avatar_room: &'c str,
    /// The indented `return` statement that makes it.
    pub avatar_room_body: String,
    /// Somebody may connect who has no client that could say when it is ready.
    pub greets: bool,
    /// Something differs between a developer's machine and the hosting service.
    pub asks_where: bool,
}

/// A rate in Hz as Python writes it: `8_000`.
fn hertz(rate: u32) -> String {
    format!("{}_{:03}", rate / 1000, rate % 1000)
}

/// A service of the pipeline.
#[derive(Debug, Clone, Serialize)]
pub struct ServiceCode {
    /// The variable that holds it in `run_bot`: `stt`.
    pub variable: &'static str,
    /// The function that makes it: `create_stt`.
    pub function: String,
    /// `session: aiohttp.ClientSession` or nothing.
    pub parameter: &'static str,
    /// `session` or nothing.
    pub argument: &'static str,
    /// `DeepgramSTTService`.
    pub class: String,
    /// The function's docstring.
    pub about: String,
    /// The indented `return` statement.
    pub body: String,
}

/// An entry of `TRANSPORT_PARAMS`.
#[derive(Debug, Clone, Serialize)]
pub struct TransportCode {
    /// The indented lines of the entry.
    pub entry: String,
}

impl<'c> BotCode<'c> {
    pub(super) fn new(config: &Config<'c>, readings: &[Reading]) -> Result<Self, PlanError> {
        let services: Vec<ServiceCode> = view::services(config)
            .into_iter()
            .map(|service| service_code(service, readings))
            .collect::<Result<_, _>>()?;
        // Calls in rooms and people in rooms come through one entry.
        let mut keys = BTreeSet::new();
        let mut transports: Vec<TransportCode> = config
            .transports
            .iter()
            .filter(|transport| transport.avatar.is_none() && keys.insert(&transport.runner_key))
            .map(|transport| transport_code(transport, config, readings))
            .collect::<Result<_, _>>()?;
        if config.has(Feature::Eval) {
            transports.push(eval_code());
        }
        let fixed = view::services(config)
            .into_iter()
            .find_map(|service| Some((service.input_rate?, service.label.clone())));
        let input_rate = fixed.as_ref().map(|(rate, _)| *rate);
        let input_rate = input_rate.filter(|rate| *rate != PIPELINE_RATE);
        let (call_input_rate, call_input_of) = fixed.unwrap_or((TELEPHONE_RATE, String::new()));
        let ways: BTreeSet<&[String]> = view::services(config)
            .into_iter()
            .map(|service| service.one_of.as_slice())
            .filter(|ways| !ways.is_empty())
            .collect();
        let avatar = config
            .transports
            .iter()
            .find_map(|transport| Some((*transport, transport.avatar.as_ref()?)));
        let reads = |kinds: &[Type]| readings.iter().any(|reading| kinds.contains(&reading.kind));
        Ok(Self {
            medium: if config.bot_type == BotType::Telephony {
                "telephone"
            } else if config.has(Feature::VideoInput) || config.has(Feature::VideoOutput) {
                "voice and video"
            } else {
                "voice"
            },
            imports: String::new(),
            settings: readings
                .iter()
                .filter(|reading| reading.is_argument || reading.unset == Unset::Required)
                .map(setting)
                .chain(ways.iter().map(|ways| Ok(one_required(ways))))
                .collect::<Result<_, _>>()?,
            reads_ways: !ways.is_empty(),
            reads_required: readings
                .iter()
                .any(|reading| reading.unset == Unset::Required),
            reads_converted: reads(&[Type::Int, Type::Float, Type::List]),
            reads_list: reads(&[Type::List]),
            reads_one_of: reads(&[Type::Choice]),
            avatar: config.video.is_some(),
            carriers: config
                .transports
                .iter()
                .filter_map(|transport| carrier_line(transport))
                .collect(),
            streams: config
                .transports
                .iter()
                .any(|transport| transport.is_carrier()),
            plain_websocket: config
                .transports
                .iter()
                .any(|transport| transport.runner_key == "websocket"),
            call_input_rate: hertz(call_input_rate),
            input_rate: input_rate.map_or_else(String::new, hertz),
            call_input_of,
            session: services.iter().any(|service| !service.argument.is_empty()),
            avatar_room: avatar.map_or("", |(_, avatar)| avatar.class.as_str()),
            avatar_room_body: avatar
                .map(|(transport, avatar)| avatar_code(transport, avatar, config, readings))
                .transpose()?
                .unwrap_or_default(),
            greets: config
                .transports
                .iter()
                .any(|transport| transport.no_client),
            asks_where: asks_where(config),
            services,
            transports,
            vad: match &config.pipeline {
                Pipeline::Cascade { .. } => true,
                Pipeline::Realtime(service) => service.turns != Some(Turns::Service),
            },
        })
    }
}

/// Whether the bot reads the variable `ENV`.
pub(super) fn asks_where(config: &Config) -> bool {
    let calls_out = |transport: &&Transport| Direction::of(transport) == Some(Direction::DialOut);
    config.has(Feature::NoiseCancel)
        || config.has(Feature::Observability)
        || config.transports.iter().any(calls_out)
}

fn service_code(service: &Service, readings: &[Reading]) -> Result<ServiceCode, PlanError> {
    let mut call = Call::new(&service.class);
    for arg in &service.args {
        call.place(
            service,
            &arg.name,
            expression(arg, arg.name.starts_with("settings."), readings)?,
        )?;
    }
    if let Some(prompt) = &service.prompt {
        call.place(
            service,
            prompt,
            Expression::Text("SYSTEM_PROMPT".to_owned()),
        )?;
    }
    let (variable, about) = match service.kind {
        Kind::Stt => (
            "stt",
            format!("Turn speech into text with {}.", service.label),
        ),
        Kind::Llm => ("llm", format!("Think of an answer with {}.", service.label)),
        Kind::Tts => (
            "tts",
            format!("Turn text into speech with {}.", service.label),
        ),
        Kind::Realtime => (
            "llm",
            format!("Hear, think and speak with {}.", service.label),
        ),
        Kind::Video => ("video", format!("Show a face with {}.", service.label)),
    };
    let session = service.args.iter().any(uses_session);
    Ok(ServiceCode {
        variable,
        function: format!("create_{variable}"),
        parameter: if session {
            "session: aiohttp.ClientSession"
        } else {
            ""
        },
        argument: if session { "session" } else { "" },
        class: service.class.clone(),
        about,
        body: format!(
            "    return {}",
            Expression::Call(call).render(4, "return ".len(), 0)
        ),
    })
}

fn uses_session(arg: &Arg) -> bool {
    arg.expr.as_deref() == Some("session") || arg.args.iter().any(uses_session)
}

fn transport_code(
    transport: &Transport,
    config: &Config,
    readings: &[Reading],
) -> Result<TransportCode, PlanError> {
    let params = params(transport, config, readings)?;
    Ok(entry(&transport.runner_key, params))
}

/// The statement that makes the transport of an avatar, with all that the bot sends and takes.
fn avatar_code(
    transport: &Transport,
    avatar: &Avatar,
    config: &Config,
    readings: &[Reading],
) -> Result<String, PlanError> {
    let mut call = Call::new(&avatar.class);
    for arg in &avatar.args {
        call.args
            .push((arg.name.clone(), expression(arg, false, readings)?));
    }
    let params = Expression::Call(params(transport, config, readings)?);
    call.args.push(("params".to_owned(), params));
    let made = Expression::Call(call).render(4, "return ".len(), 0);
    Ok(format!("    return {made}"))
}

/// An object of a transport's parameter class.
fn params(transport: &Transport, config: &Config, readings: &[Reading]) -> Result<Call, PlanError> {
    let mut args = vec![("audio_in_enabled".to_owned(), text("True"))];
    if config.has(Feature::NoiseCancel) {
        args.push(("audio_in_filter".to_owned(), text("noise_filter()")));
    }
    args.push(("audio_out_enabled".to_owned(), text("True")));
    if transport.pictures != Pictures::None {
        if config.has(Feature::VideoInput) {
            args.push(("video_in_enabled".to_owned(), text("True")));
            args.extend(match transport.pictures {
                Pictures::Subscribed => vec![
                    ("video_in_auto_subscribe".to_owned(), text("True")),
                    ("video_in_preferred_framerate".to_owned(), text("1")),
                ],
                Pictures::Captured | Pictures::None => vec![(
                    "video_in_sources".to_owned(),
                    text("{\"camera\": VideoInSourceParams(framerate=1)}"),
                )],
            });
        }
        if config.has(Feature::VideoOutput) {
            args.push(("video_out_enabled".to_owned(), text("True")));
        }
        if let Some([width, height]) = config.video.and_then(|video| video.video_size) {
            args.push(("video_out_is_live".to_owned(), text("True")));
            args.push(("video_out_width".to_owned(), text(&width.to_string())));
            args.push(("video_out_height".to_owned(), text(&height.to_string())));
        }
    }
    for arg in &transport.args {
        args.push((arg.name.clone(), expression(arg, false, readings)?));
    }
    Ok(Call {
        callee: transport.class.clone(),
        args,
    })
}

/// `"twilio": ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"],`: none of them is longer than a line. A carrier that streams has
/// one in any case, since its name is looked up there.
fn carrier_line(transport: &Transport) -> Option<String> {
    let needed: Vec<String> = transport
        .env
        .iter()
        .filter(|variable| variable.default.is_none() && !variable.optional)
        .filter(|variable| variable.reader != Reader::Server)
        .map(|variable| py(&variable.name))
        .collect();
    let has_line = transport.is_carrier() || transport.has_call_server() && !needed.is_empty();
    has_line.then(|| {
        format!(
            "    {}: [{}],",
            py(&transport.runner_key),
            needed.join(", ")
        )
    })
}

/// What the eval harness talks to.
fn eval_code() -> TransportCode {
    let args = vec![
        ("audio_in_enabled".to_owned(), text("True")),
        ("audio_out_enabled".to_owned(), text("True")),
    ];
    let callee = "EvalTransportParams".to_owned();
    entry("eval", Call { callee, args })
}

fn entry(key: &str, call: Call) -> TransportCode {
    let before = format!("{}: lambda: ", py(key));
    let value = Expression::Call(call).render(4, before.chars().count(), 1);
    TransportCode {
        entry: format!("    {before}{value},"),
    }
}

fn text(code: &str) -> Expression {
    Expression::Text(code.to_owned())
}

fn expression(arg: &Arg, is_setting: bool, readings: &[Reading]) -> Result<Expression, PlanError> {
    if let Some(name) = &arg.env {
        let reading = readings.iter().find(|reading| reading.name == *name);
        // Two services share the variable and only this one may leave it to its class.
        let fallback = is_setting && reading.is_some_and(|reading| reading.unset == Unset::None);
        return Ok(Expression::Text(if fallback {
            format!("{name} or NOT_GIVEN")
        } else {
            name.clone()
        }));
    }
    if let Some(value) = &arg.value {
        return Ok(Expression::Text(python_value(value)));
    }
    if let Some(code) = &arg.expr {
        return Ok(text(code));
    }
    let Some(callee) = &arg.call else {
        return Err(PlanError::broken(
            "server/bot.py",
            format!("`{}` has no value", arg.name),
        ));
    };
    let mut call = Call::new(callee);
    for inner in &arg.args {
        call.args
            .push((inner.name.clone(), expression(inner, false, readings)?));
    }
    Ok(Expression::Call(call))
}

fn python_value(value: &Literal) -> String {
    match value {
        Literal::Text(text) => py(text),
        Literal::Integer(number) => number.to_string(),
        Literal::Float(number) => format!("{number:?}"),
        Literal::Boolean(true) => "True".to_owned(),
        Literal::Boolean(false) => "False".to_owned(),
        Literal::List(items) => {
            let items: Vec<String> = items.iter().map(python_value).collect();
            format!("[{}]", items.join(", "))
        }
    }
}

#[derive(Debug, Clone)]
enum Expression {
    Text(String),
    Call(Call),
}

#[derive(Debug, Clone)]
struct Call {
    callee: String,
    args: Vec<(String, Expression)>,
}

impl Call {
    fn new(callee: &str) -> Self {
        Self {
            callee: callee.to_owned(),
            args: Vec::new(),
        }
    }

    /// Sets the argument that a dotted name leads to. `settings` is made on the way, every other call has to be there.
    fn place(
        &mut self,
        service: &Service,
        dotted: &str,
        value: Expression,
    ) -> Result<(), PlanError> {
        let Some((first, rest)) = dotted.split_once('.') else {
            self.args.push((dotted.to_owned(), value));
            return Ok(());
        };
        if first == "settings" && !self.args.iter().any(|(name, _)| name == first) {
            let settings = Self::new(&format!("{}.Settings", service.class));
            self.args
                .push((first.to_owned(), Expression::Call(settings)));
        }
        let inner = self.args.iter_mut().find(|(name, _)| name == first);
        let Some((_, Expression::Call(inner))) = inner else {
            return Err(PlanError::broken(
                "server/bot.py",
                format!("`{}` has no call `{first}`", service.id),
            ));
        };
        inner.place(service, rest, value)
    }
}

impl Expression {
    fn one_line(&self) -> String {
        match self {
            Self::Text(code) => code.clone(),
            Self::Call(call) => {
                let args: Vec<String> = call
                    .args
                    .iter()
                    .map(|(name, value)| format!("{name}={}", value.one_line()))
                    .collect();
                format!("{}({})", call.callee, args.join(", "))
            }
        }
    }

    /// The code, on one line where that fits between `before` characters in front and `after` behind it.
    fn render(&self, indent: usize, before: usize, after: usize) -> String {
        let one_line = self.one_line();
        let Self::Call(call) = self else {
            return one_line;
        };
        if call.args.is_empty() || indent + before + one_line.chars().count() + after <= LINE_LENGTH
        {
            return one_line;
        }
        let mut out = format!("{}(\n", call.callee);
        for (name, value) in &call.args {
            let value = value.render(indent + 4, name.chars().count() + 1, 1);
            out.extend([" ".repeat(indent + 4).as_str(), name, "=", &value, ",\n"]);
        }
        out.push_str(&" ".repeat(indent));
        out.push(')');
        out
    }
}
