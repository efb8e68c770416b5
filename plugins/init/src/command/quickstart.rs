//! `bot-cli init quickstart`: a bot with nothing to decide.

use std::path::Path;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::Reply;
use bot_cli_sdk::session::Session;
use bot_cli_templates::Preset;

use super::job::{Asks, Job};
use super::{document, file, update};
use crate::catalogue::Catalogue;
use crate::config::FromFile;
use crate::draft::Draft;
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
        return Err(Failure::new(Exit::Usage, "usage", "`quickstart` is a fixed bot and takes no scaffold options but `--preset` and `--local`")
            .hint("name a directory instead: `bot-cli init my-bot …`, or `./quickstart` for a directory of that name"));
    }
    let preset = options.preset().or_else(|| Preset::named("quick"));
    let mut draft = preset
        .map_or_else(|| Ok(FromFile::default()), file::preset)?
        .draft;
    draft.project_name = Some(DIRECTORY.to_owned());
    let config = resolve(&draft, None, Catalogue::built_in()).map_err(invalid_input)?;
    if options.dry_run {
        return document(config.to_json());
    }
    let target = Target::find(Path::new(DIRECTORY), session.cwd())?;
    let none = Draft::default();
    let instead = update::instead(&target, &none, None, &none, Catalogue::built_in());
    let job = options.job(target, Some(config), Asks::Never);
    Job { instead, ..job }.run(session)
}
