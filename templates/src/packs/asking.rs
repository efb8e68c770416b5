//! Asks a pack for its providers, and keeps the answer for as long as its file is the same.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::pack::SCHEMA;
use bot_cli_engine::discovery::cache::{self, Identity, Kept};
use bot_cli_engine::discovery::inspect::Plugin;
use bot_cli_engine::discovery::role::Refused;
use bot_cli_engine::discovery::trust::quoted;
use bot_cli_engine::discovery::{Discovery, Trust};
use bot_cli_engine::driver::{self, Patience};
use bot_cli_protocol::failure::reason;
use bot_cli_protocol::{self as protocol, methods};
use bot_cli_sdk::session::Relay;
use bot_cli_terminal::ui::Ui;

/// The time that it may think.
const LIMIT: Duration = Duration::from_secs(10);

/// The time that each step to its end may take.
const STEP: Duration = Duration::from_secs(1);

/// The extent of the search for services.
pub enum Reach<'a> {
    /// To what is in files: nothing is started.
    CacheOnly,
    /// To packs that have to be asked, which are started in the folder `cwd`.
    Start {
        /// Shows what they say.
        relay: &'a Relay,
        /// The folder in which they work.
        cwd: PathBuf,
    },
}

/// Returns the providers of a pack that has them on demand; `None`: they are not known and were not asked for.
pub fn providers(
    plugin: &Plugin,
    discovery: &Discovery,
    reach: &Reach<'_>,
) -> Result<Option<Value>, Refused> {
    let before = identity(&discovery.trust, &plugin.file)?;
    let cache = discovery.cache.as_deref();
    let known = cache.and_then(|folder| cache::get(folder, &before, Kept::Providers));
    let Reach::Start { relay, cwd } = reach else {
        return Ok(known);
    };
    if known.is_some() {
        return Ok(known);
    }
    let providers = ask(plugin, discovery, relay, cwd)?;
    // Another version of the file may have answered.
    let is_same = identity(&discovery.trust, &plugin.file)? == before;
    if let Some(folder) = cache.filter(|_| is_same) {
        cache::put(folder, &before, Kept::Providers, &providers);
    }
    Ok(Some(providers))
}

fn ask(
    plugin: &Plugin,
    discovery: &Discovery,
    relay: &Relay,
    cwd: &Path,
) -> Result<Value, Refused> {
    let patience = Patience {
        reply: Some(LIMIT),
        ..Patience::of(STEP)
    };
    let mend = format!(
        "`bot-cli plugin check {}` shows what is wrong with it",
        quoted(&plugin.file)
    );
    let failed = |failure| Refused::failed(&failure, &mend);
    let mut launch = discovery
        .nesting
        .launch(plugin.name.as_str(), &plugin.file, cwd, patience)
        .map_err(failed)?;
    // What it says depends on its file alone, and the token is for the hosting service.
    launch.env_remove.push("BOT_CLI_TOKEN".into());
    let params = json!({ "protocol": protocol::VERSION, "catalogue": SCHEMA });
    // Its lines begin with its name: they are not the command's, which did not mean to run it.
    let (mut ui, cancel) = (relay.named(plugin.name.as_str()), relay.cancel());
    ui.progress(
        &format!("Asking {} for its services", plugin.name),
        None,
        None,
    );
    let result = driver::call(&launch, methods::PACK_SERVICES, &params, &mut ui, cancel);
    ui.clear_progress();
    let mut result: Value = result.map_err(failed)?;
    result.get_mut("providers").map(Value::take).ok_or_else(|| {
        let reason = format!(
            "its reply to `{}` has no `providers`",
            methods::PACK_SERVICES
        );
        Refused::new(reason, Some(mend))
    })
}

fn identity(trust: &Trust, file: &Path) -> Result<Identity, Refused> {
    let untrusted = |refusal| Refused::untrusted(&refusal, file);
    let real = trust.check(file).map_err(untrusted)?;
    let facts = fs::metadata(&real).map_err(|error| Refused::new(reason(&error), None))?;
    Ok(Identity::new(&real, &facts))
}
