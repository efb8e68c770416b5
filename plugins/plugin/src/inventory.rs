//! Lists every plugin with its path and status.
//!
//! The status of a pack or backend depends on the command that uses it. A command's manifest declares the roles of the plugins that the
//! command uses, and the supported versions.

use std::path::{Path, PathBuf};

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::added::Entry;
use bot_cli_engine::discovery::{
    BACKEND_PREFIX, Discovery, Found, Plugin, Refused, Search, Standing, users_of,
};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Manifest, Role, suggest};
use bot_cli_templates::catalogue::Catalogue;
use bot_cli_templates::pack::{self, Effects, Taken};
use bot_cli_templates::packs::{self, FoundPack};
use bot_cli_terminal::one_line;
use serde::Serialize;
use serde_json::{Value, json};

use crate::origin::origin;

/// A plugin, pack or backend, and what the listings show of it.
pub struct Row {
    pub name: String,
    pub place: PathBuf,
    is_folder: bool,
    /// The manifest, if it can be used.
    pub manifest: Option<Manifest>,
    /// The contents of a pack, which is read and not started.
    pub brought: Option<Brought>,
    pub status: Status,
    /// The reason why the plugin isn't used.
    pub unused: Option<Refused>,
    pub used_by: Vec<String>,
    /// What `plugin add` has recorded, if it added the plugin, and whether the plugin has changed since.
    pub added: Option<(Entry, bool)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Used,
    Unused,
    Undeclared,
    Shadowed,
    Refused,
}

/// The services and effects that a pack brings. `left_out` contains the unusable services.
#[derive(Debug, Clone)]
pub struct Brought {
    pub services: Vec<String>,
    pub left_out: Vec<String>,
    pub effects: Effects,
}

/// A pack or backend as the command of this name sees it, or in general.
type View = (Option<String>, Row);

/// Returns every plugin, sorted by name.
pub fn rows(discovery: &Discovery) -> Vec<Row> {
    let search = discovery.search();
    let found = search.all();
    let alone = packs::find(&search, None, Taken::default);
    let views = views(&found, &alone, &search);
    let folders = alone.into_iter().filter(|pack| pack.found.place.is_dir());
    let mut rows: Vec<Row> = folders
        .map(|pack| Row {
            name: format!("{}{}", pack::PREFIX, pack.found.name),
            is_folder: true,
            manifest: pack.manifest,
            ..Row::new(&pack.found)
        })
        .map(|row| row.seen(&Role::ProviderPack, &views))
        .collect();
    rows.extend(found.iter().map(|it| row(it, &found, &views)));
    // A folder precedes the executables of the same name.
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows
}

/// Returns the file or folder that is used under this name.
pub fn used(name: &str, discovery: &Discovery) -> Option<PathBuf> {
    let mut rows = rows(discovery).into_iter();
    let is_used = |row: &Row| ![Status::Refused, Status::Shadowed].contains(&row.status);
    let row = rows.find(|row| row.name == name && is_used(row))?;
    Some(row.place)
}

/// Returns the plugin at `place`, without the help of the cache, which has no entry for a folder that this process created.
pub fn at(place: &Path, discovery: &Discovery) -> Option<Row> {
    let discovery = Discovery {
        cache: None,
        ..discovery.clone()
    };
    let mut rows = rows(&discovery).into_iter();
    rows.find(|row| row.place == place)
}

/// Reports whether the plugin at `place` can be used, or could be if nothing preceded it.
pub fn is_usable(place: &Path, discovery: &Discovery) -> bool {
    at(place, discovery).is_some_and(|row| row.status != Status::Refused)
}

pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let mut rows = rows(discovery);
    rows.retain(|row| row.status != Status::Refused);
    let names = rows.into_iter();
    names
        .map(|row| (row.name, row.manifest.unwrap_or_default().about))
        .collect()
}

pub fn effect_rows(effects: &Effects, indent: &str) -> Vec<Vec<String>> {
    let rows = effects.iter().map(|(what, values)| {
        let values: Vec<String> = values.iter().map(|it| one_line(it)).collect();
        vec![format!("{indent}{what}"), values.join(", ")]
    });
    rows.collect()
}

impl Row {
    fn new<T>(found: &Found<T>) -> Self {
        let (status, unused) = match &found.standing {
            Standing::Used(_) => (Status::Used, None),
            Standing::Shadowed(reason) => (Status::Shadowed, Some(reason)),
            Standing::Refused(reason) => (Status::Refused, Some(reason)),
        };
        Self {
            name: found.name.clone(),
            place: found.place.clone(),
            is_folder: false,
            manifest: None,
            brought: None,
            status,
            unused: unused.cloned(),
            used_by: Vec::new(),
            added: None,
        }
    }

    /// Returns the role's name, or an empty string if it is unknown.
    pub fn role(&self) -> &str {
        match &self.manifest {
            Some(manifest) => manifest.role.name(),
            None if self.is_folder => Role::ProviderPack.name(),
            None if self.status == Status::Undeclared => Role::Command.name(),
            None => "",
        }
    }

    pub fn effects(&self) -> Effects {
        let brought = self.brought.as_ref();
        brought.map_or_else(Effects::new, |it| it.effects.clone())
    }

    /// Returns the plugin's entry in the JSON output.
    pub fn document(&self) -> Value {
        let mut entry = json!({ "name": self.name, "file": self.place.to_string_lossy() });
        let mut add = |key: &str, value: Value| entry[key] = value;
        if self.is_folder {
            add("role", json!(self.role()));
        }
        if let Some(manifest) = &self.manifest {
            add("version", json!(manifest.version));
            add("about", json!(manifest.about));
            add("role", json!(self.role()));
            add("protocol", json!(manifest.protocol));
        }
        if let Some(brought) = &self.brought {
            add("services", json!(brought.services));
            add("left_out", json!(brought.left_out));
        }
        add("status", json!(self.status));
        if self.status == Status::Undeclared {
            add("role", json!(self.role()));
        }
        if let Some(Refused { reason, remedy }) = &self.unused {
            add("reason", json!(reason));
            if let Some(hint) = remedy {
                add("hint", json!(hint));
            }
        }
        if !self.used_by.is_empty() {
            add("used_by", json!(self.used_by));
        }
        if let Some((entry, changed)) = &self.added {
            let (from, sha256, forced) = (origin(&entry.from), entry.sum(), entry.forced);
            let added =
                json!({ "from": from, "sha256": sha256, "changed": changed, "forced": forced });
            add("added", added);
        }
        entry
    }

    fn because(mut self, status: Status, reason: String, remedy: Option<String>) -> Self {
        self.status = status;
        self.unused = Some(Refused { reason, remedy });
        self
    }

    /// Adds the commands that use the plugin. Without any, the plugin is `unused`.
    fn used_by(mut self, users: Vec<String>, role: &str) -> Self {
        if users.is_empty() {
            return self.because(Status::Unused, format!("no plugin here uses {role}"), None);
        }
        self.used_by = users;
        self
    }

    /// Completes the row of a pack or backend from the commands' views, or from the view independent of any command.
    fn seen(mut self, role: &Role, views: &[View]) -> Self {
        let here = views.iter().filter(|(_, it)| it.place == self.place);
        let used = here
            .clone()
            .filter(|(by, it)| by.is_some() && it.unused.is_none());
        let users = used.clone().filter_map(|(by, _)| by.clone()).collect();
        if let Some((_, view)) = used.chain(here).next() {
            self.status = view.status;
            self.unused.clone_from(&view.unused);
            self.brought.clone_from(&view.brought);
        }
        if self.unused.is_some() {
            return self;
        }
        self.used_by(users, &format!("a {}", role.words()))
    }
}

fn row(found: &Found<Plugin>, all: &[Found<Plugin>], views: &[View]) -> Row {
    let mut row = Row::new(found);
    let Standing::Used(plugin) = &found.standing else {
        return row;
    };
    let Some(manifest) = &plugin.manifest else {
        row.status = Status::Undeclared;
        return row;
    };
    row.manifest = Some(manifest.clone());
    let role = &manifest.role;
    let prefix = match role {
        Role::Command => return row,
        Role::Other(name) => {
            let users = users_of(role, all).map(|(plugin, _)| plugin.name.to_string());
            return row.used_by(users.collect(), &format!("the role `{name}`"));
        }
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
    };
    if !plugin.name.as_str().starts_with(prefix) {
        let reason = format!("the name of a {} begins with `{prefix}`", role.words());
        let hint = format!(
            "name the file `bot-cli-{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        );
        return row.because(Status::Refused, reason, Some(hint));
    }
    row.seen(role, views)
}

/// Returns the views of every pack and backend: one for each command, followed by one that is independent of any command.
fn views(found: &[Found<Plugin>], alone: &[FoundPack], search: &Search<'_>) -> Vec<View> {
    let mut views = Vec::new();
    for (plugin, manifest) in users_of(&Role::ProviderPack, found) {
        let user = user(plugin, manifest, &Role::ProviderPack);
        let taken = || Catalogue::get().taken();
        let packs = packs::find(search, user.as_ref(), taken);
        let by = || Some(plugin.name.to_string());
        views.extend(packs.iter().map(|it| (by(), view_of_pack(it))));
    }
    for (plugin, manifest) in users_of(&Role::SecretsBackend, found) {
        let user = user(plugin, manifest, &Role::SecretsBackend);
        let built_in = user.iter().flat_map(|user| &user.uses.names);
        let built_in: Vec<&str> = built_in.map(String::as_str).collect();
        let backends = search.backends(user.as_ref(), &built_in);
        let by = || Some(plugin.name.to_string());
        views.extend(backends.iter().map(|it| (by(), Row::new(it))));
    }
    views.extend(alone.iter().map(|pack| (None, view_of_pack(pack))));
    let backends = search.backends(None, &[]);
    views.extend(backends.iter().map(|it| (None, Row::new(it))));
    views
}

fn view_of_pack(pack: &FoundPack) -> Row {
    let mut view = Row::new(&pack.found);
    let Standing::Used(contents) = &pack.found.standing else {
        return view;
    };
    let services = contents.providers.iter().flat_map(|it| &it.services);
    let services: Vec<String> = services.map(|it| it.id.clone()).collect();
    let left_out = contents.left_out.iter();
    let left_out = left_out.map(|it| format!("{} is left out: {}", it.what, it.reason()));
    let left_out: Vec<String> = left_out.collect();
    if services.is_empty() {
        let reason = left_out.first().cloned();
        let reason = reason.unwrap_or_else(|| "it brings no service".to_owned());
        view = view.because(Status::Unused, reason, None);
    }
    let effects = pack::effects(&contents.providers, &Catalogue::get().taken());
    view.brought = Some(Brought {
        services,
        left_out,
        effects,
    });
    view
}

/// Returns the [`User`] for a command that uses plugins of `role`, or `None` if the command's manifest doesn't declare the role.
fn user(plugin: &Plugin, manifest: &Manifest, role: &Role) -> Option<User> {
    let uses = manifest.uses.get(role.name())?.clone();
    Some(User::new(plugin.name.file(), &manifest.version, uses))
}

pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Failure {
    let message = if suggest::is_plain(name) {
        format!("there is no plugin `{name}`")
    } else {
        "there is no such plugin".to_owned()
    };
    let mut near = suggest::near(name, known.clone());
    near.extend(known.filter(|known| known.split_once('-').is_some_and(|(_, it)| it == name)));
    near.dedup();
    let mut failure = Failure::new(Exit::Failed, "not_found", message);
    if !near.is_empty() {
        failure = failure.hint(suggest::did_you_mean(&near));
    }
    failure.hint("bot-cli plugin list")
}
