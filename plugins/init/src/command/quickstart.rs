//! `bot-cli init quickstart`: a bot with nothing to decide.

use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;

use super::job::{Asks, Job};
use super::{document, update};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::{Feature, Switches};
use crate::options::Options;
use crate::resolve::{invalid_input, resolve};
use crate::target::Target;

const DIRECTORY: &str = "quickstart-project";

pub(super) fn run(
    options: &Options,
    scaffolds: bool,
    session: &mut Session,
) -> Result<Reply, Failure> {
    if scaffolds {
        return Err(Failure::new(Exit::Usage, "usage", "`quickstart` is a fixed bot and takes no scaffold options")
            .hint("name a directory instead: `bot-cli init my-bot …`, or `./quickstart` for a directory of that name"));
    }
    let config = resolve(&draft(), None, Catalogue::built_in()).map_err(invalid_input)?;
    if options.dry_run {
        return document(config.to_json());
    }
    let target = Target::find(Path::new(DIRECTORY), session.cwd())?;
    let instead = |target: &Target| {
        let draft = Draft::default();
        update::instead(target, &draft, None, &draft, Catalogue::built_in())
    };
    let job = options.job(target, Some(config), Asks::Never);
    Job {
        instead: Box::new(instead),
        ..job
    }
    .run(session)
}

fn draft() -> Draft {
    let text = |text: &str| Some(text.to_owned());
    Draft {
        project_name: text(DIRECTORY),
        transports: Some(vec!["p2p_webrtc".to_owned(), "hosted_rtc".to_owned()]),
        mode: text("cascade"),
        stt_service: text("deepgram_stt"),
        llm_service: text("openai_llm"),
        tts_service: text("cartesia_tts"),
        switches: Switches::of([(Feature::Eval, true)]),
        ..Draft::default()
    }
}
