//! The arguments of `dev`.

use std::path::PathBuf;

use bot_cli_templates::project::{Environment, is_secret_set};
use clap::builder::NonEmptyStringValueParser;
use clap::{Parser, ValueHint};

/// Run the bot of a project, and its web client, on this machine.
///
/// Installs what is missing, starts both, says where to talk to the bot, shows their logs, and restarts the bot when its code changes.
/// Ctrl-C ends everything. The keys come from the project's secret set, if there is one, then from the environment, then from `.env`.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "bot-cli-dev",
    bin_name = "bot-cli dev",
    version,
    after_help = include_str!("options/examples.txt").trim_end(),
    max_term_width = 100
)]
pub struct Options {
    /// Project folder, or any folder inside it
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: PathBuf,
    /// Serve only this transport of the bot, such as `webrtc`
    #[arg(short, long, value_name = "NAME")]
    pub transport: Option<String>,
    /// Port of the bot
    #[arg(short, long, value_name = "PORT", default_value_t = 7860)]
    pub port: u16,
    /// Host name of a tunnel to the bot's port, for calls
    #[arg(short = 'x', long, value_name = "HOST")]
    pub proxy: Option<String>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Leave the bot running when its code changes, and end when it ends
    #[arg(long)]
    pub no_reload: bool,
    /// Run scenarios against the bot, and end with their status: those of files, and of folders (default: `evals`) those that can run here
    #[arg(long, value_name = "PATH", num_args = 0.., value_hint = ValueHint::AnyPath)]
    pub eval: Option<Vec<PathBuf>>,
    /// Type this to the bot, show its answer and its calls, and end; repeat for a conversation
    #[arg(long, value_name = "TEXT", conflicts_with = "eval", value_parser = NonEmptyStringValueParser::new())]
    pub say: Vec<String>,
    /// Environment of the project, whose secret set the bot gets
    #[arg(long, value_name = "NAME")]
    pub environment: Option<Environment>,
    /// Secret set of the bot (default: the project's own)
    #[arg(long, value_name = "NAME", conflicts_with = "environment", value_parser = secret_set)]
    pub secret_set: Option<String>,
    /// Backend with the secret set: `local` is the vault of this machine
    #[arg(long, value_name = "NAME", default_value = "local")]
    pub backend: String,
}

fn secret_set(name: &str) -> Result<String, &'static str> {
    let is_name = !name.is_empty() && is_secret_set(name);
    is_name
        .then(|| name.to_owned())
        .ok_or("can't be the name of a set")
}

impl Options {
    /// Reports whether a program talks to the bot, rather than users.
    pub fn has_program(&self) -> bool {
        self.eval.is_some() || !self.say.is_empty()
    }
}
