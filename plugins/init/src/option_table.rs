//! The table of scaffold options, with one row per option. The rows define the command line, configuration files and their schema,
//! `--dry-run`, the equivalent command, the wizard's extras and the template variables.
//!
//! A new feature needs a row and support in the templates. A new setting also needs a field in the draft and a value in the configuration;
//! the compiler enforces both.

mod sets;

use bot_cli_templates::catalogue::Kind;

pub use sets::{Features, Switches};

macro_rules! table {
    ($(#[$about:meta])* $name:ident: $row:ident { $($(#[$doc:meta])* $variant:ident = $value:expr;)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// All variants, in display order.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];

            /// Returns the variant's row.
            pub const fn row(self) -> &'static $row {
                match self { $(Self::$variant => const { &$value }),+ }
            }
        }
    };
}

/// An option that takes a value.
#[derive(Debug, Clone, Copy)]
pub struct SettingRow {
    pub key: &'static str,
    pub flag: &'static str,
    pub short: Option<char>,
    pub about: &'static str,
    /// The section heading in the help text. Sections appear in row order.
    pub heading: &'static str,
    pub value_name: &'static str,
    pub values: Values,
    pub form: Form,
    /// The key that the framework's own CLI uses in configuration files, if different.
    pub alias: Option<&'static str>,
}

/// An option that turns a feature on or off, such as `--recording` or `--no-recording`.
#[derive(Debug, Clone, Copy)]
pub struct FeatureRow {
    /// The feature's variable name in templates.
    pub name: &'static str,
    pub key: &'static str,
    pub flag: &'static str,
    pub about: &'static str,
    pub heading: &'static str,
    pub web_only: bool,
    /// The default value, which other options may override.
    pub default: bool,
    pub question: FeatureQuestion,
    /// The key that the framework's own CLI uses in configuration files, if different.
    pub alias: Option<&'static str>,
    /// The option name in the framework's own CLI, if different.
    pub flag_alias: Option<&'static str>,
    pub packages: &'static [&'static str],
    /// The optional environment variables, under the feature's name in capitals, each with a description.
    pub variables: &'static [(&'static str, &'static str)],
    /// Further ones, which only matter where clients, not only carriers, reach the bot.
    pub client_variables: &'static [(&'static str, &'static str)],
    /// The import in the bot's code, other text in it, or the path of a file. It identifies projects with the feature. What begins with
    /// `from` is also written into `bot.py`.
    pub known_by: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureQuestion {
    /// An entry in the multiple-choice question for extras, with a label and a description.
    Extra(&'static str, &'static str),
    /// A separate question in `questions.toml`.
    Own,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Any,
    Words(&'static [&'static str]),
    Transports,
    Service(Kind),
    /// The call direction for this transport family.
    Direction(&'static str),
}

impl Values {
    /// Returns the allowed values, or an empty slice if the set of values isn't fixed.
    pub const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Words(words) => words,
            Self::Direction(_) => &["dial-in", "dial-out"],
            Self::Any | Self::Transports | Self::Service(_) => &[],
        }
    }
}

/// The type of a value in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Text,
    /// A string or `null`.
    OptionalText,
    List,
}

const FEATURES: &str = "Features (each is off by default; --no-… turns it off)";

impl SettingRow {
    const USUAL: Self = Self {
        key: "",
        flag: "",
        short: None,
        about: "",
        heading: "Bot",
        value_name: "",
        values: Values::Any,
        form: Form::OptionalText,
        alias: None,
    };

    const SERVICE: Self = Self {
        heading: "Services",
        value_name: "SERVICE",
        ..Self::USUAL
    };
}

impl Setting {
    /// Returns the settings for call directions, each with the transport family that it is for.
    pub fn directions() -> impl Iterator<Item = (Self, &'static str)> {
        let all = Self::ALL.into_iter();
        all.filter_map(|setting| match setting.row().values {
            Values::Direction(family) => Some((setting, family)),
            Values::Any | Values::Words(_) | Values::Transports | Values::Service(_) => None,
        })
    }

    /// Returns the setting for services of this kind.
    pub fn of_service(kind: Kind) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|setting| setting.row().values == Values::Service(kind))
    }
}

impl Feature {
    /// Returns the option that turns the feature on.
    pub const fn flag(self) -> &'static str {
        self.row().flag
    }

    /// Returns the option that turns the feature off.
    pub fn flag_off(self) -> String {
        self.row().flag.replacen("--", "--no-", 1)
    }
}

impl FeatureRow {
    const USUAL: Self = Self {
        name: "",
        key: "",
        flag: "",
        about: "",
        heading: FEATURES,
        web_only: false,
        default: false,
        question: FeatureQuestion::Own,
        alias: None,
        flag_alias: None,
        packages: &[],
        variables: &[],
        client_variables: &[],
        known_by: "",
    };
}

table! {
    /// A scaffold option that takes a value.
    Setting: SettingRow {
        /// The project name (`--name`).
        ProjectName = SettingRow {
            key: "project_name",
            flag: "--name",
            short: Some('n'),
            about: "Project name (default: the directory's name)",
            value_name: "NAME",
            alias: Some("name"),
            ..SettingRow::USUAL
        };
        /// The bot type (`--bot-type`).
        BotType = SettingRow {
            key: "bot_type",
            flag: "--bot-type",
            short: Some('b'),
            about: "web or telephony (default: from the transports)",
            value_name: "TYPE",
            values: Values::Words(&["web", "telephony"]),
            ..SettingRow::USUAL
        };
        /// The transports (`--transport`).
        Transports = SettingRow {
            key: "transports",
            flag: "--transport",
            short: Some('t'),
            about: "How audio reaches the bot, such as p2p_webrtc, hosted_rtc (Daily) or carrier_a (Twilio); repeatable; --list-options prints all",
            value_name: "TRANSPORT",
            values: Values::Transports,
            form: Form::List,
            alias: Some("transport"),
            ..SettingRow::USUAL
        };
        /// The pipeline mode (`--mode`).
        Mode = SettingRow {
            key: "mode",
            flag: "--mode",
            short: Some('m'),
            about: "cascade (--stt, --llm, --tts) or realtime (--realtime)",
            value_name: "MODE",
            values: Values::Words(&["cascade", "realtime"]),
            form: Form::Text,
            ..SettingRow::USUAL
        };
        /// The bot's language (`--language`).
        Language = SettingRow {
            key: "language",
            flag: "--language",
            about: "What the bot speaks: en, de, es, fr, hi, it, ja, nl, pl, pt or tr (default: en)",
            value_name: "CODE",
            values: Values::Words(&["en", "de", "es", "fr", "hi", "it", "ja", "nl", "pl", "pt", "tr"]),
            ..SettingRow::USUAL
        };
        /// The speech-to-text service (`--stt`).
        SttService = SettingRow {
            key: "stt_service",
            flag: "--stt",
            about: "Speech-to-text service (cascade)",
            values: Values::Service(Kind::Stt),
            alias: Some("stt"),
            ..SettingRow::SERVICE
        };
        /// The language model service (`--llm`).
        LlmService = SettingRow {
            key: "llm_service",
            flag: "--llm",
            about: "Language model service (cascade)",
            values: Values::Service(Kind::Llm),
            alias: Some("llm"),
            ..SettingRow::SERVICE
        };
        /// The text-to-speech service (`--tts`).
        TtsService = SettingRow {
            key: "tts_service",
            flag: "--tts",
            about: "Text-to-speech service (cascade)",
            values: Values::Service(Kind::Tts),
            alias: Some("tts"),
            ..SettingRow::SERVICE
        };
        /// The realtime service (`--realtime`).
        RealtimeService = SettingRow {
            key: "realtime_service",
            flag: "--realtime",
            about: "Speech-to-speech service (realtime)",
            values: Values::Service(Kind::Realtime),
            alias: Some("realtime"),
            ..SettingRow::SERVICE
        };
        /// The video service (`--video`).
        VideoService = SettingRow {
            key: "video_service",
            flag: "--video",
            about: "Video avatar service (web bots)",
            values: Values::Service(Kind::Video),
            alias: Some("video"),
            ..SettingRow::SERVICE
        };
        /// The web client's framework (`--client-framework`).
        ClientFramework = SettingRow {
            key: "client_framework",
            flag: "--client-framework",
            about: "Web client to generate: react, vanilla or none (default: none)",
            heading: "Web client",
            value_name: "FRAMEWORK",
            values: Values::Words(&["react", "vanilla", "none"]),
            ..SettingRow::USUAL
        };
        /// The web client's development server.
        ClientServer = SettingRow {
            key: "client_server",
            flag: "--client-server",
            about: "Development server of a react client: vite or nextjs (default: vite)",
            heading: "Web client",
            value_name: "SERVER",
            values: Values::Words(&["vite", "nextjs"]),
            ..SettingRow::USUAL
        };
        /// The call direction for the hosting service's phone numbers.
        DailyPstnMode = SettingRow {
            key: "daily_pstn_mode",
            flag: "--daily-pstn-mode",
            about: "dial-in or dial-out, for hosted_rtc_pstn (Daily PSTN)",
            heading: "Telephony",
            value_name: "MODE",
            values: Values::Direction("hosted_rtc_pstn"),
            ..SettingRow::USUAL
        };
        /// The call direction for SIP calls through a carrier.
        TwilioDailySipMode = SettingRow {
            key: "twilio_daily_sip_mode",
            flag: "--twilio-daily-sip-mode",
            about: "dial-in or dial-out, for carrier_a_hosted_rtc_sip (Twilio + Daily SIP)",
            heading: "Telephony",
            value_name: "MODE",
            values: Values::Direction("carrier_a_hosted_rtc_sip"),
            ..SettingRow::USUAL
        };
        /// The environments in which the bot is deployed.
        Environments = SettingRow {
            key: "environments",
            flag: "--environment",
            about: "Also generate cloud-deploy.NAME.toml, such as for `staging`; repeatable; an update adds it, `none` leaves all out",
            heading: "Deployment",
            value_name: "NAME",
            form: Form::List,
            ..SettingRow::USUAL
        };
        /// The CI service that checks the project (`--ci`).
        Ci = SettingRow {
            key: "ci",
            flag: "--ci",
            about: "Workflow that checks the project in CI: github or none (default: none)",
            heading: "Deployment",
            values: Values::Words(&["github", "none"]),
            ..SettingRow::USUAL
        };
    }
}

table! {
    /// A scaffold option that turns a feature on or off.
    Feature: FeatureRow {
        /// Audio recordings in `server/recordings/`.
        Recording = FeatureRow {
            name: "recording",
            key: "recording",
            flag: "--recording",
            about: "Record the conversation's audio",
            question: FeatureQuestion::Extra("Recording", "each conversation as a WAV file"),
            known_by: "from recording import Recorder",
            ..FeatureRow::USUAL
        };
        /// Transcripts in the log.
        Transcription = FeatureRow {
            name: "transcription",
            key: "transcription",
            flag: "--transcription",
            about: "Log what is said",
            question: FeatureQuestion::Extra("Transcription", "what was said, in the log"),
            known_by: "from transcript import log_transcript",
            ..FeatureRow::USUAL
        };
        /// Video from the user.
        VideoInput = FeatureRow {
            name: "video_input",
            key: "video_input",
            flag: "--video-input",
            about: "Let the model see the user's camera (web bots)",
            web_only: true,
            question: FeatureQuestion::Extra("Video input", "the bot sees the user's camera"),
            known_by: "video_in_enabled=True",
            ..FeatureRow::USUAL
        };
        /// Video to the user, enabled implicitly by a video service.
        VideoOutput = FeatureRow {
            name: "video_output",
            key: "video_output",
            flag: "--video-output",
            about: "Send video to the user (web bots; default with --video)",
            web_only: true,
            question: FeatureQuestion::Extra("Video output", "the bot shows whether it listens or speaks"),
            known_by: "video_out_enabled=True",
            ..FeatureRow::USUAL
        };
        /// Deployment files: `server/Dockerfile` and `server/cloud-deploy.toml`.
        DeployToCloud = FeatureRow {
            name: "deploy",
            key: "deploy_to_cloud",
            flag: "--deploy-to-cloud",
            about: "Generate Dockerfile and cloud-deploy.toml (default if the bot can run on the hosting service)",
            heading: "Deployment",
            default: true,
            known_by: "server/cloud-deploy.toml",
            ..FeatureRow::USUAL
        };
        /// A server of the user's own: the files in `self-host/`.
        SelfHost = FeatureRow {
            name: "self_host",
            key: "self_host",
            flag: "--self-host",
            about: "Generate self-host/, which runs the bot on a server of your own",
            heading: "Deployment",
            variables: &[
                ("PUBLIC_HOST", "Name of your server in the DNS, at which carriers and clients reach the bot, without `https://`"),
                ("MAX_SESSIONS", "How many sessions each of the two bots holds at the same time; unset: 10"),
                ("SERVER_NAME", "Name of this bot, `a` or `b`; `self-host/compose.yaml` sets it"),
                ("SERVER_HOST", "Address at which `serve.py` listens; unset: `127.0.0.1`"),
                ("SERVER_PORT", "Port at which `serve.py` listens; unset: 7860"),
            ],
            client_variables: &[
                ("START_KEY", "Key without which `/start` starts no session: `openssl rand -hex 32` makes one; unset: everybody may start sessions"),
                ("ALLOWED_ORIGINS", "Addresses of the pages that may call `/start`, separated by commas, such as `https://example.com`; unset: all pages"),
            ],
            known_by: "self-host/compose.yaml",
            ..FeatureRow::USUAL
        };
        /// Noise cancellation in deployed bots.
        NoiseCancel = FeatureRow {
            name: "noise_cancel",
            key: "enable_noise_cancel",
            flag: "--enable-noise-cancel",
            about: "Cancel noise; requires cloud deployment",
            heading: "Deployment",
            alias: Some("enable_krisp"),
            flag_alias: Some("enable-krisp"),
            known_by: "from noise import noise_filter",
            ..FeatureRow::USUAL
        };
        /// A live view of the pipeline.
        Observability = FeatureRow {
            name: "observability",
            key: "enable_observability",
            flag: "--observability",
            about: "Add a live view of the pipeline",
            question: FeatureQuestion::Extra("Observability", "a live view of the pipeline"),
            alias: Some("observability"),
            packages: &["pipecat-ai-whisker>=2.0.1,<3"],
            known_by: "from watch import watch",
            ..FeatureRow::USUAL
        };
        /// Traces of sessions, for an OpenTelemetry collector.
        Tracing = FeatureRow {
            name: "tracing",
            key: "tracing",
            flag: "--tracing",
            about: "Send traces of the sessions to an OpenTelemetry collector",
            question: FeatureQuestion::Extra("Tracing", "what takes how long, for an OpenTelemetry collector"),
            packages: &["opentelemetry-exporter-otlp-proto-http>=1.33,<2"],
            variables: &[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "Address of the collector, such as `http://localhost:4318`; unset: no traces"),
                ("OTEL_EXPORTER_OTLP_HEADERS", "Headers with the key of the collector, as its documentation gives them"),
                ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "`true`: traces contain what is said; otherwise they don't"),
            ],
            known_by: "from tracing import tracing",
            ..FeatureRow::USUAL
        };
        /// A message for the answering machine that takes the bot's call.
        Voicemail = FeatureRow {
            name: "voicemail",
            key: "voicemail",
            flag: "--voicemail",
            about: "Leave a message where a machine answers (cascade bots that call people)",
            known_by: "from voicemail import Voicemail",
            ..FeatureRow::USUAL
        };
        /// Eval scenarios in `server/evals/`, and an `eval` transport for the bot.
        Eval = FeatureRow {
            name: "eval",
            key: "enable_eval",
            flag: "--eval",
            about: "Add eval scenarios and support for running them",
            alias: Some("eval"),
            known_by: "server/evals/text.yaml",
            ..FeatureRow::USUAL
        };
    }
}

/// Returns each row's key and command-line option, in display order.
pub fn fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    let settings = Setting::ALL.map(|setting| (setting.row().key, setting.row().flag));
    let features = Feature::ALL.map(|feature| (feature.row().key, feature.row().flag));
    settings.into_iter().chain(features)
}

/// Returns the keys used by the framework's own CLI, each with the corresponding key in this table.
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> {
    let settings = Setting::ALL.map(|setting| (setting.row().alias, setting.row().key));
    let features = Feature::ALL.map(|feature| (feature.row().alias, feature.row().key));
    let all = settings.into_iter().chain(features);
    all.filter_map(|(alias, key)| Some((alias?, key)))
}
