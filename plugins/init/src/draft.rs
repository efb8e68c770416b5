//! What the user has said so far, by options, file or answers: nothing is checked yet.

use std::collections::BTreeMap;

/// The scaffold options as given; `None` was not said. Identifiers are the user's own words (aliases included).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// `--name`, `project_name`.
    pub project_name: Option<String>,
    /// `--bot-type`, `bot_type`.
    pub bot_type: Option<String>,
    /// `--transport`, `transports`.
    pub transports: Option<Vec<String>>,
    /// `--mode`, `mode`.
    pub mode: Option<String>,
    /// `--stt`, `stt_service`.
    pub stt_service: Option<String>,
    /// `--llm`, `llm_service`.
    pub llm_service: Option<String>,
    /// `--tts`, `tts_service`.
    pub tts_service: Option<String>,
    /// `--realtime`, `realtime_service`.
    pub realtime_service: Option<String>,
    /// `--video`, `video_service`.
    pub video_service: Option<String>,
    /// `--client-framework`, `client_framework`.
    pub client_framework: Option<String>,
    /// `--client-server`, `client_server`.
    pub client_server: Option<String>,
    /// `--daily-pstn-mode`, `daily_pstn_mode`.
    pub daily_pstn_mode: Option<String>,
    /// `--twilio-daily-sip-mode`, `twilio_daily_sip_mode`.
    pub twilio_daily_sip_mode: Option<String>,
    /// `--recording`, `recording`.
    pub recording: Option<bool>,
    /// `--transcription`, `transcription`.
    pub transcription: Option<bool>,
    /// `--video-input`, `video_input`.
    pub video_input: Option<bool>,
    /// `--video-output`, `video_output`.
    pub video_output: Option<bool>,
    /// `--deploy-to-cloud`, `deploy_to_cloud`.
    pub deploy_to_cloud: Option<bool>,
    /// `--enable-noise-cancel`, `enable_noise_cancel`.
    pub enable_noise_cancel: Option<bool>,
    /// `--observability`, `enable_observability`.
    pub enable_observability: Option<bool>,
    /// `--eval`, `enable_eval`.
    pub enable_eval: Option<bool>,
    /// `packs`: the provider packs that the services came from when the file was made, and their versions. No option says it.
    pub packs: Option<BTreeMap<String, String>>,
}

/// The key of [`Draft::packs`] in a configuration file.
pub const PACKS: &str = "packs";

/// Every key of a configuration that an option sets, and that option, in the order in which they are printed.
pub const FIELDS: [(&str, &str); 21] = [
    ("project_name", "--name"),
    ("bot_type", "--bot-type"),
    ("transports", "--transport"),
    ("mode", "--mode"),
    ("stt_service", "--stt"),
    ("llm_service", "--llm"),
    ("tts_service", "--tts"),
    ("realtime_service", "--realtime"),
    ("video_service", "--video"),
    ("client_framework", "--client-framework"),
    ("client_server", "--client-server"),
    ("daily_pstn_mode", "--daily-pstn-mode"),
    ("twilio_daily_sip_mode", "--twilio-daily-sip-mode"),
    ("recording", "--recording"),
    ("transcription", "--transcription"),
    ("video_input", "--video-input"),
    ("video_output", "--video-output"),
    ("deploy_to_cloud", "--deploy-to-cloud"),
    ("enable_noise_cancel", "--enable-noise-cancel"),
    ("enable_observability", "--observability"),
    ("enable_eval", "--eval"),
];

/// Other names of keys: those that the framework's own tool reads and writes, and the key of each.
pub const ALIASES: [(&str, &str); 10] = [
    ("name", "project_name"),
    ("transport", "transports"),
    ("stt", "stt_service"),
    ("llm", "llm_service"),
    ("tts", "tts_service"),
    ("realtime", "realtime_service"),
    ("video", "video_service"),
    ("enable_krisp", "enable_noise_cancel"),
    ("observability", "enable_observability"),
    ("eval", "enable_eval"),
];

/// A key that the framework's own tool writes and does not read: `client_framework` decides.
pub const GENERATE_CLIENT: &str = "generate_client";

/// The key that `name` stands for, where it is another name of one.
#[must_use]
pub fn key_of(name: &str) -> &str {
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, key)| key)
}

/// The option that sets a key.
#[must_use]
pub fn flag(key: &str) -> Option<&'static str> {
    FIELDS
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, flag)| *flag)
}

/// Where the value of a key goes, by its type.
#[derive(Debug)]
pub enum Slot<'a> {
    /// Text that must be there.
    Text(&'a mut Option<String>),
    /// Text that may be said not to be there: `null`.
    OptionalText(&'a mut Option<String>),
    /// A list of texts.
    List(&'a mut Option<Vec<String>>),
    /// Yes or no.
    Switch(&'a mut Option<bool>),
    /// Versions by name.
    Versions(&'a mut Option<BTreeMap<String, String>>),
}

impl Draft {
    /// The place of a key's value; `None`: there is no such key.
    pub fn slot(&mut self, key: &str) -> Option<Slot<'_>> {
        Some(match key {
            "project_name" => Slot::OptionalText(&mut self.project_name),
            "bot_type" => Slot::OptionalText(&mut self.bot_type),
            "transports" => Slot::List(&mut self.transports),
            "mode" => Slot::Text(&mut self.mode),
            "stt_service" => Slot::OptionalText(&mut self.stt_service),
            "llm_service" => Slot::OptionalText(&mut self.llm_service),
            "tts_service" => Slot::OptionalText(&mut self.tts_service),
            "realtime_service" => Slot::OptionalText(&mut self.realtime_service),
            "video_service" => Slot::OptionalText(&mut self.video_service),
            "client_framework" => Slot::OptionalText(&mut self.client_framework),
            "client_server" => Slot::OptionalText(&mut self.client_server),
            "daily_pstn_mode" => Slot::OptionalText(&mut self.daily_pstn_mode),
            "twilio_daily_sip_mode" => Slot::OptionalText(&mut self.twilio_daily_sip_mode),
            "recording" => Slot::Switch(&mut self.recording),
            "transcription" => Slot::Switch(&mut self.transcription),
            "video_input" => Slot::Switch(&mut self.video_input),
            "video_output" => Slot::Switch(&mut self.video_output),
            "deploy_to_cloud" => Slot::Switch(&mut self.deploy_to_cloud),
            "enable_noise_cancel" => Slot::Switch(&mut self.enable_noise_cancel),
            "enable_observability" => Slot::Switch(&mut self.enable_observability),
            "enable_eval" => Slot::Switch(&mut self.enable_eval),
            PACKS => Slot::Versions(&mut self.packs),
            _ => return None,
        })
    }

    /// The services that were named, by identifier or alias, and the key of each.
    pub fn services(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("stt_service", &self.stt_service),
            ("llm_service", &self.llm_service),
            ("tts_service", &self.tts_service),
            ("realtime_service", &self.realtime_service),
            ("video_service", &self.video_service),
        ]
        .into_iter()
        .filter_map(|(key, said)| Some((key, said.as_deref()?.trim())))
        .filter(|(_, said)| !said.is_empty())
    }

    /// What was said here, and below that what `file` says. A value of the file that means nothing any more after
    /// what was said here gives way: `--mode realtime` silences the file's cascade services.
    #[must_use]
    pub fn over(self, mut file: Self) -> Self {
        match self.mode.as_deref() {
            Some("realtime") => {
                file.stt_service = None;
                file.llm_service = None;
                file.tts_service = None;
            }
            Some("cascade") => file.realtime_service = None,
            _ => {}
        }
        if self
            .client_framework
            .as_deref()
            .is_some_and(|framework| framework != "react")
        {
            file.client_server = None;
        }
        if self.transports.is_some() {
            file.daily_pstn_mode = None;
            file.twilio_daily_sip_mode = None;
        }
        Self {
            project_name: self.project_name.or(file.project_name),
            bot_type: self.bot_type.or(file.bot_type),
            transports: self.transports.or(file.transports),
            mode: self.mode.or(file.mode),
            stt_service: self.stt_service.or(file.stt_service),
            llm_service: self.llm_service.or(file.llm_service),
            tts_service: self.tts_service.or(file.tts_service),
            realtime_service: self.realtime_service.or(file.realtime_service),
            video_service: self.video_service.or(file.video_service),
            client_framework: self.client_framework.or(file.client_framework),
            client_server: self.client_server.or(file.client_server),
            daily_pstn_mode: self.daily_pstn_mode.or(file.daily_pstn_mode),
            twilio_daily_sip_mode: self.twilio_daily_sip_mode.or(file.twilio_daily_sip_mode),
            recording: self.recording.or(file.recording),
            transcription: self.transcription.or(file.transcription),
            video_input: self.video_input.or(file.video_input),
            video_output: self.video_output.or(file.video_output),
            deploy_to_cloud: self.deploy_to_cloud.or(file.deploy_to_cloud),
            enable_noise_cancel: self.enable_noise_cancel.or(file.enable_noise_cancel),
            enable_observability: self.enable_observability.or(file.enable_observability),
            enable_eval: self.enable_eval.or(file.enable_eval),
            packs: self.packs.or(file.packs),
        }
    }
}
