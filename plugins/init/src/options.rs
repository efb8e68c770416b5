//! The options of the command line, and what they say.

pub(crate) mod listing;
mod offered;
pub(crate) mod schema;

use std::path::PathBuf;

use bot_cli_templates::catalogue::Kind;
use clap::{Parser, ValueHint};

use crate::draft::Draft;
use offered::{Offered, OfferedPath};

const EXAMPLES: &str = "\
Examples:
  Be asked for everything:
    bot-cli init

  Write the guides for a coding agent into ./my-bot:
    bot-cli init my-bot

  A bot that runs at once, in ./quickstart-project:
    bot-cli init quickstart

  Scaffold a web bot with a client:
    bot-cli init my-bot --transport p2p_webrtc --mode cascade \\
      --stt deepgram_stt --llm openai_llm --tts cartesia_tts \\
      --client-framework react

  The same from a file; options win over it:
    bot-cli init my-bot --config bot.json --eval

  See what would be scaffolded, and what there is to choose from:
    bot-cli init my-bot --config bot.json --dry-run
    bot-cli init --list-options

  A schema with which an editor completes and checks such a file:
    bot-cli init --config-schema";

/// Start a bot project: guides for a coding agent, or a complete bot.
///
/// With any scaffold option a complete bot is written into the directory, and nothing is asked. Without one, at a terminal, a wizard asks; without a terminal, guides for a coding agent are written.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "bot-cli-init", bin_name = "bot-cli init", version, after_help = EXAMPLES, max_term_width = 100)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[expect(clippy::doc_markdown, reason = "the words are shown in a terminal")]
pub struct Options {
    /// Directory to initialize; `quickstart` makes a fixed bot in ./quickstart-project
    #[arg(value_name = "TARGET_DIR", value_hint = ValueHint::DirPath, value_parser = OfferedPath, hide_possible_values = true)]
    pub target_dir: Option<PathBuf>,

    /// Replace existing AGENTS.md, ASSISTANT.md and GETTING_STARTED.md
    #[arg(long, help_heading = "Guide")]
    pub overwrite_guide: bool,
    /// Name the commands that give coding agents the documentation of the framework
    #[arg(long, help_heading = "Guide", overrides_with = "no_context_hub")]
    pub context_hub: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Guide", overrides_with = "context_hub")]
    pub no_context_hub: bool,

    /// Project name (default: the directory's name)
    #[arg(short, long, help_heading = "Bot", value_hint = ValueHint::Other)]
    pub name: Option<String>,
    /// Whom the bot serves: web or telephony (default: by the transports)
    #[arg(short, long, value_name = "TYPE", help_heading = "Bot", value_parser = Offered::words(&["web", "telephony"]), hide_possible_values = true)]
    pub bot_type: Option<String>,
    /// How audio reaches the bot; can be given several times
    #[arg(short, long = "transport", value_name = "TRANSPORT", help_heading = "Bot", value_parser = Offered::transports(), hide_possible_values = true, help = offered::transports_help())]
    pub transports: Vec<String>,
    /// Pipeline: cascade (speech-to-text, language model, text-to-speech) or realtime (speech-to-speech)
    #[arg(short, long, help_heading = "Bot", value_parser = Offered::words(&["cascade", "realtime"]), hide_possible_values = true)]
    pub mode: Option<String>,

    /// Speech-to-text service (cascade)
    #[arg(long, value_name = "SERVICE", help_heading = "Services", value_parser = Offered::services(Kind::Stt), hide_possible_values = true)]
    pub stt: Option<String>,
    /// Language model service (cascade)
    #[arg(long, value_name = "SERVICE", help_heading = "Services", value_parser = Offered::services(Kind::Llm), hide_possible_values = true)]
    pub llm: Option<String>,
    /// Text-to-speech service (cascade)
    #[arg(long, value_name = "SERVICE", help_heading = "Services", value_parser = Offered::services(Kind::Tts), hide_possible_values = true)]
    pub tts: Option<String>,
    /// Speech-to-speech service (realtime)
    #[arg(long, value_name = "SERVICE", help_heading = "Services", value_parser = Offered::services(Kind::Realtime), hide_possible_values = true)]
    pub realtime: Option<String>,
    /// Video avatar service (web bots)
    #[arg(long, value_name = "SERVICE", help_heading = "Services", value_parser = Offered::services(Kind::Video), hide_possible_values = true)]
    pub video: Option<String>,

    /// Web client to generate: react, vanilla or none (default: none)
    #[arg(long, value_name = "FRAMEWORK", help_heading = "Web client", value_parser = Offered::words(&["react", "vanilla", "none"]), hide_possible_values = true)]
    pub client_framework: Option<String>,
    /// Development server of a react client: vite or nextjs (default: vite)
    #[arg(long, value_name = "SERVER", help_heading = "Web client", value_parser = Offered::words(&["vite", "nextjs"]), hide_possible_values = true)]
    pub client_server: Option<String>,

    /// Direction of the transport hosted_rtc_pstn (Daily PSTN): dial-in or dial-out
    #[arg(long, value_name = "MODE", help_heading = "Telephony", value_parser = Offered::words(&["dial-in", "dial-out"]), hide_possible_values = true)]
    pub daily_pstn_mode: Option<String>,
    /// Direction of the transport carrier_a_hosted_rtc_sip (Twilio + Daily SIP): dial-in or dial-out
    #[arg(long, value_name = "MODE", help_heading = "Telephony", value_parser = Offered::words(&["dial-in", "dial-out"]), hide_possible_values = true)]
    pub twilio_daily_sip_mode: Option<String>,

    /// Record the conversation's audio
    #[arg(long, help_heading = "Features", overrides_with = "no_recording")]
    pub recording: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Features", overrides_with = "recording")]
    pub no_recording: bool,
    /// Log what is said
    #[arg(long, help_heading = "Features", overrides_with = "no_transcription")]
    pub transcription: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Features", overrides_with = "transcription")]
    pub no_transcription: bool,
    /// Receive the user's video (web bots)
    #[arg(long, help_heading = "Features", overrides_with = "no_video_input")]
    pub video_input: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Features", overrides_with = "video_input")]
    pub no_video_input: bool,
    /// Send video to the user (web bots)
    #[arg(long, help_heading = "Features", overrides_with = "no_video_output")]
    pub video_output: bool,
    /// Don't (default, unless --video is given)
    #[arg(long, help_heading = "Features", overrides_with = "video_output")]
    pub no_video_output: bool,
    /// Add a live view of the pipeline
    #[arg(long, help_heading = "Features", overrides_with = "no_observability")]
    pub observability: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Features", overrides_with = "observability")]
    pub no_observability: bool,
    /// Add eval scenarios and what runs them
    #[arg(long, help_heading = "Features", overrides_with = "no_eval")]
    pub eval: bool,
    /// Don't (default)
    #[arg(long, help_heading = "Features", overrides_with = "eval")]
    pub no_eval: bool,

    /// Generate the container image build file and cloud-deploy.toml (default, where the hosting service can start the bot)
    #[arg(
        long,
        help_heading = "Deployment",
        overrides_with = "no_deploy_to_cloud"
    )]
    pub deploy_to_cloud: bool,
    /// Don't
    #[arg(long, help_heading = "Deployment", overrides_with = "deploy_to_cloud")]
    pub no_deploy_to_cloud: bool,
    /// Use the hosting service's noise cancellation; needs cloud deployment
    #[arg(
        long,
        visible_alias = "enable-krisp",
        help_heading = "Deployment",
        overrides_with = "no_enable_noise_cancel"
    )]
    pub enable_noise_cancel: bool,
    /// Don't (default)
    #[arg(
        long,
        visible_alias = "no-enable-krisp",
        help_heading = "Deployment",
        overrides_with = "enable_noise_cancel"
    )]
    pub no_enable_noise_cancel: bool,

    /// Read the configuration from a JSON file, `-` for stdin; options win over it
    #[arg(short, long, value_name = "FILE", help_heading = "Input and output", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Leave out `.bot-cli`, the record of how the project was made
    #[arg(long, help_heading = "Input and output")]
    pub no_record: bool,
    /// Print the resolved configuration as JSON and write nothing
    #[arg(long, help_heading = "Input and output")]
    pub dry_run: bool,
    /// Print all transports and services and exit: a table at a terminal, JSON elsewhere and with --json
    #[arg(long, help_heading = "Input and output")]
    pub list_options: bool,
    /// Print the JSON Schema of the configuration file and exit
    #[arg(long, help_heading = "Input and output")]
    pub config_schema: bool,
}

impl Options {
    /// What the scaffold options say.
    #[must_use]
    pub fn draft(&self) -> Draft {
        Draft {
            project_name: self.name.clone(),
            bot_type: self.bot_type.clone(),
            transports: (!self.transports.is_empty()).then(|| self.transports.clone()),
            mode: self.mode.clone(),
            stt_service: self.stt.clone(),
            llm_service: self.llm.clone(),
            tts_service: self.tts.clone(),
            realtime_service: self.realtime.clone(),
            video_service: self.video.clone(),
            client_framework: self.client_framework.clone(),
            client_server: self.client_server.clone(),
            daily_pstn_mode: self.daily_pstn_mode.clone(),
            twilio_daily_sip_mode: self.twilio_daily_sip_mode.clone(),
            recording: switch(self.recording, self.no_recording),
            transcription: switch(self.transcription, self.no_transcription),
            video_input: switch(self.video_input, self.no_video_input),
            video_output: switch(self.video_output, self.no_video_output),
            deploy_to_cloud: switch(self.deploy_to_cloud, self.no_deploy_to_cloud),
            enable_noise_cancel: switch(self.enable_noise_cancel, self.no_enable_noise_cancel),
            enable_observability: switch(self.observability, self.no_observability),
            enable_eval: switch(self.eval, self.no_eval),
            packs: None,
        }
    }
}

fn switch(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}
