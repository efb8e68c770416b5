//! Lists every plugin with its path and status.
//!
//! The status of a pack or backend depends on the command that uses it. A command's manifest declares the roles of the plugins that the
//! command uses, and the supported versions.

use std::path::{Path, PathBuf};

use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::{
    BACKEND_PREFIX, BackendStanding, Discovery, FoundBackend, Plugin, PluginFile, Refused,
    Standing, users_of,
};
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::{Manifest, Role, suggest};
use bot_cli_templates::catalogue::Catalogue;
use bot_cli_templates::pack::{self, Effects, Taken};
use bot_cli_templates::packs::{self, FoundPack, PackStanding};
use bot_cli_terminal::one_line;
use serde_json::{Value, json};

pub struct Row {
    /// The plugin's entry in the JSON output.
    pub entry: Value,
    /// The manifest, if it can be used.
    pub manifest: Option<Manifest>,
    /// The plugin's effects, as far as they can be determined without starting the plugin.
    pub effects: Effects,
}

/// The status, reason and hint for a plugin that is not used.
type Unused = (&'static str, String, Option<String>);

/// The status of a pack or backend, either for one command or in general.
#[derive(Default)]
struct View {
    place: PathBuf,
    /// The command's name, or `None` for the general status.
    by: Option<String>,
    unused: Option<Unused>,
    /// The usable services of a pack, if they are known. `left_out` contains the unusable services.
    services: Option<Vec<String>>,
    left_out: Vec<String>,
    effects: Effects,
}

/// Returns every plugin, sorted by name.
pub fn rows(discovery: &Discovery) -> Vec<Row> {
    let found = discovery.all();
    let alone = packs::find(discovery, None, Taken::default);
    let views = views(&found, &alone, discovery);
    let folders = alone.iter().filter(|pack| pack.place.is_dir());
    let mut rows: Vec<Row> = folders
        .map(|pack| {
            let name = format!("{}{}", pack::PREFIX, pack.name);
            let mut row = Row::new(&name, &pack.place);
            row.entry["role"] = json!(Role::ProviderPack.name());
            if let Some(manifest) = &pack.manifest {
                row.declare(manifest);
            }
            row.seen(&Role::ProviderPack, &views)
        })
        .collect();
    rows.extend(found.iter().map(|it| row(it, &found, &views)));
    // A folder precedes the executables of the same name.
    rows.sort_by(|one, other| one.name().cmp(other.name()));
    rows
}

/// Returns the file or folder that is used under this name.
pub fn used(name: &str, discovery: &Discovery) -> Option<PathBuf> {
    let mut rows = rows(discovery).into_iter();
    let row = rows.find(|row| row.name() == name && row.is_used())?;
    Some(row.place().to_owned())
}

/// Returns the plugin at `place`, without the help of the cache, which has no entry for a folder that this process created.
pub fn at(place: &Path, discovery: &Discovery) -> Option<Row> {
    let discovery = Discovery {
        cache: None,
        ..discovery.clone()
    };
    let mut rows = rows(&discovery).into_iter();
    rows.find(|row| row.place() == place)
}

/// Reports whether the plugin at `place` can be used, or could be if nothing preceded it.
pub fn is_usable(place: &Path, discovery: &Discovery) -> bool {
    at(place, discovery).is_some_and(|row| row.entry["status"] != "refused")
}

pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let mut rows = rows(discovery);
    rows.retain(|row| row.entry["status"] != "refused");
    let text = |row: &Row, key: &str| row.entry[key].as_str().unwrap_or_default().to_owned();
    let names = rows.iter();
    names
        .map(|row| (text(row, "name"), text(row, "about")))
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
    fn new(name: &str, place: &Path) -> Self {
        Self {
            entry: json!({ "name": name, "file": place.to_string_lossy() }),
            manifest: None,
            effects: Effects::new(),
        }
    }

    pub fn name(&self) -> &str {
        self.entry["name"].as_str().unwrap_or_default()
    }

    pub fn place(&self) -> &Path {
        Path::new(self.entry["file"].as_str().unwrap_or_default())
    }

    /// Reports whether this is the plugin that runs under its name.
    fn is_used(&self) -> bool {
        !["refused", "shadowed"].contains(&self.entry["status"].as_str().unwrap_or_default())
    }

    fn declare(&mut self, manifest: &Manifest) {
        self.entry["version"] = json!(manifest.version);
        self.entry["about"] = json!(manifest.about);
        self.entry["role"] = json!(manifest.role.name());
        self.entry["protocol"] = json!(manifest.protocol);
        self.manifest = Some(manifest.clone());
    }

    fn because(mut self, (status, reason, hint): Unused) -> Self {
        self.entry["status"] = json!(status);
        self.entry["reason"] = Value::from(reason);
        if let Some(hint) = hint {
            self.entry["hint"] = Value::from(hint);
        }
        self
    }

    fn used_by(mut self, users: &[&str]) -> Self {
        self.entry["status"] = json!("used");
        self.entry["used_by"] = json!(users);
        self
    }

    /// Completes the row of a pack or backend from the commands' views, or from the view independent of any command.
    fn seen(mut self, role: &Role, views: &[View]) -> Self {
        let mut here = views.iter().filter(|view| view.place == self.place());
        let used = here
            .clone()
            .filter(|it| it.by.is_some() && it.unused.is_none());
        let users: Vec<&str> = used.clone().filter_map(|it| it.by.as_deref()).collect();
        let Some(view) = used.chain(here.by_ref()).next() else {
            return self;
        };
        self.effects.clone_from(&view.effects);
        if *role == Role::ProviderPack && !matches!(view.unused, Some(("refused" | "shadowed", ..)))
        {
            self.entry["services"] = json!(view.services);
            self.entry["left_out"] = json!(view.left_out);
        }
        if users.is_empty() {
            let unused = view.unused.clone().unwrap_or_else(|| {
                let reason = format!("no plugin here uses a {}", role.words());
                ("unused", reason, None)
            });
            return self.because(unused);
        }
        self.used_by(&users)
    }
}

fn row(found: &PluginFile, all: &[PluginFile], views: &[View]) -> Row {
    let mut row = Row::new(&found.name, &found.file);
    let Standing::Usable(plugin) = &found.standing else {
        return row.because(found.unused().unwrap_or_default());
    };
    let Some(manifest) = &plugin.manifest else {
        row.entry["status"] = json!("undeclared");
        row.entry["role"] = json!("command");
        return row;
    };
    row.declare(manifest);
    let role = &manifest.role;
    let prefix = match role {
        Role::Command => {
            row.entry["status"] = json!("used");
            return row;
        }
        Role::Other(_) => {
            let users = users_of(role, all).map(|(plugin, _)| plugin.name.as_str());
            let users: Vec<&str> = users.collect();
            if users.is_empty() {
                let reason = format!("no plugin here uses the role `{}`", role.name());
                return row.because(("unused", reason, None));
            }
            return row.used_by(&users);
        }
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
    };
    if !plugin.name.as_str().starts_with(prefix) {
        let reason = format!("the name of a {} begins with `{prefix}`", role.words());
        let hint = format!(
            "name the file `bot-cli-{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        );
        return row.because(("refused", reason, Some(hint)));
    }
    row.seen(role, views)
}

/// Returns the views of every pack and backend: one for each command, followed by one that is independent of any command.
fn views(found: &[PluginFile], alone: &[FoundPack], discovery: &Discovery) -> Vec<View> {
    let mut views = Vec::new();
    for (plugin, manifest) in users_of(&Role::ProviderPack, found) {
        let user = user(plugin, manifest, &Role::ProviderPack);
        let taken = || Catalogue::get().taken();
        let packs = packs::find(discovery, user.as_ref(), taken);
        views.extend(packs.iter().map(|it| view_of_pack(it, Some(plugin))));
    }
    for (plugin, manifest) in users_of(&Role::SecretsBackend, found) {
        let user = user(plugin, manifest, &Role::SecretsBackend);
        let built_in = user.iter().flat_map(|user| &user.uses.names);
        let built_in: Vec<&str> = built_in.map(String::as_str).collect();
        let backends = discovery.backends(user.as_ref(), &built_in).into_iter();
        views.extend(backends.map(|it| view_of_backend(it, Some(plugin))));
    }
    views.extend(alone.iter().map(|pack| view_of_pack(pack, None)));
    let backends = discovery.backends(None, &[]).into_iter();
    views.extend(backends.map(|it| view_of_backend(it, None)));
    views
}

fn view_of_pack(pack: &FoundPack, by: Option<&Plugin>) -> View {
    let mut view = View {
        place: pack.place.clone(),
        by: by.map(|plugin| plugin.name.to_string()),
        ..View::default()
    };
    match &pack.standing {
        PackStanding::Used(contents) => {
            let services = contents.providers.iter().flat_map(|it| &it.services);
            let services: Vec<String> = services.map(|it| it.id.clone()).collect();
            let left_out = contents.left_out.iter();
            let left_out = left_out.map(|it| format!("{} is left out: {}", it.what, it.reason()));
            view.left_out = left_out.collect();
            if services.is_empty() {
                let reason = view.left_out.first().cloned();
                let reason = reason.unwrap_or_else(|| "it brings no service".to_owned());
                view.unused = Some(("unused", reason, None));
            }
            view.services = Some(services);
            view.effects = pack::effects(&contents.providers, &Catalogue::get().taken());
        }
        PackStanding::Shadowed(winner) => view.unused = Some(shadowed(winner)),
        PackStanding::Refused(refused) => view.unused = Some(refusal(refused)),
    }
    view
}

fn view_of_backend(backend: FoundBackend, by: Option<&Plugin>) -> View {
    View {
        place: backend.file,
        by: by.map(|plugin| plugin.name.to_string()),
        unused: match &backend.standing {
            BackendStanding::Usable(..) => None,
            BackendStanding::Shadowed(winner) => Some(shadowed(winner)),
            BackendStanding::Refused(refused) => Some(refusal(refused)),
        },
        ..View::default()
    }
}

fn shadowed(winner: &Path) -> Unused {
    let reason = format!("`{}` comes first", winner.display());
    ("shadowed", reason, None)
}

fn refusal(refused: &Refused) -> Unused {
    ("refused", refused.reason.clone(), refused.remedy.clone())
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
