//! Asks a pack for its providers, and keeps the answer for as long as its file is the same. A failure is kept, too: lists show it, and
//! a pack that takes its time to fail is not asked again for a while.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::pack::{self, SCHEMA};
use bot_cli_engine::discovery::cache::{self, Identity, Kept};
use bot_cli_engine::discovery::inspect::Plugin;
use bot_cli_engine::discovery::role::Refused;
use bot_cli_engine::discovery::trust::quoted;
use bot_cli_engine::discovery::{Discovery, Trust};
use bot_cli_engine::driver::{self, Patience};
use bot_cli_protocol::{self as protocol, methods};
use bot_cli_sdk::session::Relay;
use bot_cli_terminal::ui::Ui;

/// The time that it may think.
const LIMIT: Duration = Duration::from_secs(10);

/// The time that each step to its end may take.
const STEP: Duration = Duration::from_secs(1);

/// The time that a pack that has failed slowly is not asked again.
const PAUSE: Duration = Duration::from_secs(5 * 60);

/// A failure that took less is worth another try at once.
const SLOW: Duration = Duration::from_secs(2);

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

/// A pack's failure to say what it brings.
#[derive(Debug, Serialize, Deserialize)]
struct Failed {
    reason: String,
    remedy: Option<String>,
    /// When, in seconds since 1970.
    at: u64,
    /// Whether somebody had to wait for it.
    slow: bool,
}

/// The providers of a pack that has them on demand; `None`: they are not known and were not asked for.
pub fn providers(
    plugin: &Plugin,
    discovery: &Discovery,
    reach: &mut Reach<'_>,
) -> Result<Option<Value>, Refused> {
    let before = identity(&discovery.trust, &plugin.file)?;
    let cache = discovery.cache.as_deref();
    let known = cache.and_then(|folder| cache::get(folder, &before, Kept::Providers));
    if known.is_some() {
        return Ok(known);
    }
    let failed: Option<Failed> =
        cache.and_then(|folder| cache::get(folder, &before, Kept::Failure));
    let Reach::Start { relay, cwd } = reach else {
        return failed.map_or(Ok(None), |failed| Err(failed.into()));
    };
    if let Some(failed) = failed.filter(Failed::is_not_to_be_repeated) {
        return Err(failed.again(&plugin.file));
    }
    let started = SystemTime::now();
    let asked = ask(plugin, discovery, relay, cwd);
    // Another version of the file may have answered, and a request to stop is no answer.
    let Some(folder) = cache else {
        return asked.map(Some);
    };
    if relay.cancel().requested() || identity(&discovery.trust, &plugin.file)? != before {
        return asked.map(Some);
    }
    match &asked {
        Ok(providers) if providers.is_array() && pack::size(providers) <= pack::MOST_DATA => {
            cache::put(folder, &before, Kept::Providers, providers);
            cache::remove(folder, &before, Kept::Failure);
        }
        Ok(_) => {}
        Err(refused) => keep(folder, &before, refused, started),
    }
    asked.map(Some)
}

/// Keeps why a pack can't be used that has just answered something else than providers.
pub fn keep_failure(plugin: &Plugin, discovery: &Discovery, refused: &Refused) {
    if let Some(folder) = &discovery.cache
        && let Ok(identity) = identity(&discovery.trust, &plugin.file)
    {
        keep(folder, &identity, refused, SystemTime::now());
    }
}

fn keep(folder: &Path, identity: &Identity, refused: &Refused, started: SystemTime) {
    let failed = Failed {
        reason: refused.reason.clone(),
        remedy: refused.remedy.clone(),
        at: seconds(SystemTime::now()),
        slow: started.elapsed().is_ok_and(|took| took >= SLOW),
    };
    cache::put(folder, identity, Kept::Failure, &failed);
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

impl Failed {
    /// Whether it cost time, and not long ago. A time in the future is that of a clock that was set.
    fn is_not_to_be_repeated(&self) -> bool {
        let now = seconds(SystemTime::now());
        let since = now.checked_sub(self.at);
        self.slow && since.is_some_and(|since| since < PAUSE.as_secs())
    }

    /// The failure where the pack was not asked again.
    fn again(self, file: &Path) -> Refused {
        let remedy = format!(
            "it is asked again {} minutes after that, or after `touch {}`",
            PAUSE.as_secs() / 60,
            quoted(file)
        );
        Refused::new(format!("{} a moment ago", self.reason), Some(remedy))
    }
}

impl From<Failed> for Refused {
    fn from(failed: Failed) -> Self {
        Self::new(failed.reason, failed.remedy)
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

fn identity(trust: &Trust, file: &Path) -> Result<Identity, Refused> {
    let untrusted = |refusal| Refused::untrusted(&refusal, file);
    let real = trust.check(file).map_err(untrusted)?;
    let facts = fs::metadata(&real);
    let facts =
        facts.map_err(|error| Refused::new(bot_cli_protocol::failure::reason(&error), None))?;
    Ok(Identity::new(&real, &facts))
}
