//! What the user has said so far, by options, file or answers: nothing is checked yet.

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
}
