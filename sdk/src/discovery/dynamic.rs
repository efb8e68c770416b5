//! Asks a pack for its providers, and keeps the answer for as long as its file is the same.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::cache::{self, Identity, Kept};
use super::inspect::Plugin;
use super::packs::Reach;
use super::role::Refused;
use super::trust::quoted;
use super::{Discovery, Trust};
use crate::driver::{self, Patience};
use crate::pack::{self, SCHEMA};
use crate::protocol::{self, methods};

/// How long it may think.
const LIMIT: Duration = Duration::from_secs(10);

/// How long each step to its end may take.
const STEP: Duration = Duration::from_secs(1);

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
    let Reach::Start { ui, cancel, cwd } = reach else {
        return Ok(None);
    };
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
    ui.progress(
        &format!("Asking {} for its services", plugin.name),
        None,
        None,
    );
    let result = driver::call(&launch, methods::PACK_SERVICES, params, *ui, cancel);
    ui.clear_progress();
    let mut result: Value = result.map_err(failed)?;
    let Some(providers) = result.get_mut("providers").map(Value::take) else {
        let reason = format!(
            "its reply to `{}` has no `providers`",
            methods::PACK_SERVICES
        );
        return Err(Refused::new(reason, Some(mend)));
    };
    // Another version of the file may have answered.
    if let Some(folder) = cache
        && providers.is_array()
        && pack::size(&providers) <= pack::MOST_DATA
        && identity(&discovery.trust, &plugin.file)? == before
    {
        cache::put(folder, &before, Kept::Providers, &providers);
    }
    Ok(Some(providers))
}

fn identity(trust: &Trust, file: &Path) -> Result<Identity, Refused> {
    let untrusted = |refusal| Refused::untrusted(&refusal, file);
    let real = trust.check(file).map_err(untrusted)?;
    let facts = fs::metadata(&real);
    let facts = facts.map_err(|error| Refused::new(crate::failure::reason(&error), None))?;
    Ok(Identity::new(&real, &facts))
}
