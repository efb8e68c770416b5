//! Plugins that are no commands: which commands use them, and what they bring.
//!
//! No command is known by heart. Which one uses a role, and in which version, is in that command's manifest.

mod survey;

use std::path::Path;

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::{Discovery, Plugin, users_of};
use bot_cli_protocol::{Manifest, Role};
use bot_cli_templates::pack::{self, Effects, Taken};
use bot_cli_templates::packs::{self, Form, FoundPack, PackStanding, Reach};
use bot_cli_terminal::one_line;

pub use survey::{Survey, View};

/// Returns what the services of packs can't have, because a command that uses packs has it itself.
pub fn taken(discovery: &Discovery) -> Taken {
    let found = discovery.all();
    let mut users = users_of(&Role::ProviderPack, &found);
    users
        .next()
        .map_or_else(Taken::default, |(_, manifest)| taken_by(manifest))
}

fn taken_by(manifest: &Manifest) -> Taken {
    let uses = manifest.uses.get(Role::ProviderPack.name());
    uses.map_or_else(Taken::default, |uses| Taken::from_declared(&uses.taken))
}

/// A command as a user of plugins of `role`, if it is one.
fn user(plugin: &Plugin, manifest: &Manifest, role: &Role) -> Option<User> {
    let uses = manifest.uses.get(role.name())?.clone();
    Some(User::new(plugin.name.file(), &manifest.version, uses))
}

/// Every pack by itself, without a command that uses it.
fn packs(discovery: &Discovery) -> Vec<FoundPack> {
    packs::find(discovery, None, Taken::default, Reach::CacheOnly)
}

/// Returns what the services of a pack do, in rows of a table.
pub fn effect_rows(effects: &Effects, indent: &str) -> Vec<Vec<String>> {
    let rows = effects.iter().map(|(what, values)| {
        let values: Vec<String> = values.iter().map(|it| one_line(it)).collect();
        vec![format!("{indent}{what}"), values.join(", ")]
    });
    rows.collect()
}

/// Returns what the services of the pack in `place` do, as far as that is known without starting it.
pub fn effects(place: &Path, discovery: &Discovery) -> Effects {
    let found = packs(discovery)
        .into_iter()
        .find(|pack| pack.place == place);
    match found.map(|pack| pack.standing) {
        Some(PackStanding::Used(contents)) => pack::effects(&contents.providers),
        _ => Effects::new(),
    }
}

/// The pack that is a folder and is called `name` with `pack-` in front.
pub fn folder(name: &str, discovery: &Discovery) -> Option<FoundPack> {
    let name = name.strip_prefix(pack::PREFIX)?;
    let mut packs = packs(discovery).into_iter();
    packs.find(|pack| pack.form == Form::Folder && pack.name == name)
}
