//! Every plugin, where it is, and whether it is used.
//!
//! Which command uses a role, and in which version, is in that command's manifest.

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

/// A plugin in the list.
pub struct Row {
    /// The members, for programs.
    pub entry: Value,
    /// The remarks for people, each with a hint if there is something to do.
    pub notes: Vec<(String, Option<String>)>,
    /// The declaration, if it can be used.
    pub manifest: Option<Manifest>,
    /// The pack's services, if they can be read.
    pub services: Option<Vec<String>>,
    /// Why services are left out.
    pub left_out: Vec<String>,
    /// Effects of the pack's services.
    pub effects: Effects,
}

/// A pack or backend as a command sees it, or by itself.
struct View {
    place: PathBuf,
    /// The command.
    by: Option<String>,
    /// Why it is not used: the status, the reason and a hint.
    unused: Option<(&'static str, String, Option<String>)>,
    /// The services of a pack, if they are known, and those that are left out.
    services: Option<Vec<String>>,
    left_out: Vec<(String, String)>,
    effects: Effects,
}

/// Returns every plugin, by name.
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
    // A folder comes before the executables of its name.
    rows.sort_by(|one, other| one.name().cmp(other.name()));
    rows
}

/// Returns the names of the plugins that can be used, and what they are, for completion.
pub fn names(discovery: &Discovery) -> Vec<(String, String)> {
    let rows = rows(discovery).into_iter();
    rows.filter(|row| row.entry["status"] != "refused")
        .map(|row| {
            let about = row.entry["about"].as_str().unwrap_or_default();
            (row.name().to_owned(), about.to_owned())
        })
        .collect()
}

/// Returns the effects of a pack's services as rows of a table.
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
            notes: Vec::new(),
            manifest: None,
            services: None,
            left_out: Vec::new(),
            effects: Effects::new(),
        }
    }

    pub fn name(&self) -> &str {
        self.entry["name"].as_str().unwrap_or_default()
    }

    /// The file or folder.
    pub fn place(&self) -> &Path {
        Path::new(self.entry["file"].as_str().unwrap_or_default())
    }

    fn declare(&mut self, manifest: &Manifest) {
        self.entry["version"] = json!(manifest.version);
        self.entry["about"] = json!(manifest.about);
        self.entry["role"] = json!(manifest.role.name());
        self.entry["protocol"] = json!(manifest.protocol);
        self.manifest = Some(manifest.clone());
    }

    fn because(mut self, status: &str, reason: String, hint: Option<String>) -> Self {
        self.entry["status"] = json!(status);
        self.entry["reason"] = json!(reason);
        if let Some(hint) = &hint {
            self.entry["hint"] = json!(hint);
        }
        self.notes.push((reason, hint));
        self
    }

    fn used_by(mut self, users: &[&str]) -> Self {
        self.entry["status"] = json!("used");
        self.entry["used_by"] = json!(users);
        self
    }

    /// Completes the row of a pack or backend by what the commands make of it.
    fn seen(mut self, role: &Role, views: &[View]) -> Self {
        let here = views.iter().filter(|view| view.place == self.place());
        let (by_commands, alone): (Vec<&View>, Vec<&View>) = here.partition(|it| it.by.is_some());
        let mut users = Vec::new();
        let mut refusals = Vec::new();
        let mut about_services = Vec::new();
        for view in &by_commands {
            let command = view.by.as_deref().unwrap_or_default();
            match &view.unused {
                None => users.push(command),
                Some(("refused", reason, hint)) => {
                    let note = format!("not used by `{command}`: {reason}");
                    refusals.push((note, hint.clone()));
                }
                Some(_) => {}
            }
            let is_offered = !matches!(view.unused, Some(("refused" | "shadowed", ..)));
            if *role == Role::ProviderPack && is_offered {
                self.entry["services"] = json!(view.services);
                let left_out = view.left_out.iter();
                self.entry["left_out"] = left_out
                    .map(|(what, reason)| json!({ "what": what, "reason": reason }))
                    .collect();
                about_services = view.remarks();
            }
        }
        if let Some(view) = alone.first() {
            self.services.clone_from(&view.services);
            self.left_out = view.remarks_left_out().collect();
            self.effects.clone_from(&view.effects);
        }
        if !users.is_empty() {
            self.notes
                .extend(about_services.into_iter().chain(refusals));
            return self.used_by(&users);
        }
        let unused = by_commands
            .iter()
            .chain(&alone)
            .find_map(|it| it.unused.clone());
        let (status, reason, hint) = unused.unwrap_or_else(|| {
            let reason = format!("no plugin here uses a {}", role.words());
            ("unused", reason, None)
        });
        let mut row = self.because(status, reason, hint);
        if !about_services.is_empty() {
            row.notes = about_services;
        }
        row
    }
}

fn row(found: &PluginFile, all: &[PluginFile], views: &[View]) -> Row {
    let mut row = Row::new(&found.name, &found.file);
    let Standing::Usable(plugin) = &found.standing else {
        let (status, reason, hint) = found.unused().unwrap_or_default();
        return row.because(status, reason, hint);
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
                return row.because("unused", reason, None);
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
        return row.because("refused", reason, Some(hint));
    }
    row.seen(role, views)
}

/// Looks at every pack and backend as each command does, and by itself.
fn views(found: &[PluginFile], alone: &[FoundPack], discovery: &Discovery) -> Vec<View> {
    let mut views: Vec<View> = alone.iter().map(|pack| View::of_pack(pack, None)).collect();
    let backends = discovery.backends(None, &[]);
    views.extend(backends.iter().map(|it| View::of_backend(it, None)));
    for (plugin, manifest) in users_of(&Role::ProviderPack, found) {
        let user = user(plugin, manifest, &Role::ProviderPack);
        let taken = || Catalogue::get().taken();
        let packs = packs::find(discovery, user.as_ref(), taken);
        views.extend(packs.iter().map(|it| View::of_pack(it, Some(plugin))));
    }
    for (plugin, manifest) in users_of(&Role::SecretsBackend, found) {
        let user = user(plugin, manifest, &Role::SecretsBackend);
        let built_in = user.iter().flat_map(|user| &user.uses.names);
        let built_in: Vec<&str> = built_in.map(String::as_str).collect();
        let backends = discovery.backends(user.as_ref(), &built_in);
        views.extend(backends.iter().map(|it| View::of_backend(it, Some(plugin))));
    }
    views
}

impl View {
    fn new(place: &Path, by: Option<&Plugin>) -> Self {
        Self {
            place: place.to_owned(),
            by: by.map(|plugin| plugin.name.to_string()),
            unused: None,
            services: None,
            left_out: Vec::new(),
            effects: Effects::new(),
        }
    }

    fn of_pack(pack: &FoundPack, by: Option<&Plugin>) -> Self {
        let mut view = Self::new(&pack.place, by);
        match &pack.standing {
            PackStanding::Used(contents) => {
                let services = contents.providers.iter().flat_map(|it| &it.services);
                let services: Vec<String> = services.map(|it| it.id.clone()).collect();
                let left_out = contents.left_out.iter();
                view.left_out = left_out.map(|it| (it.what.clone(), it.reason())).collect();
                if services.is_empty() && by.is_some() {
                    let reason = view.remarks_left_out().next();
                    let reason = reason.unwrap_or_else(|| "it brings no service".to_owned());
                    view.unused = Some(("unused", reason, None));
                }
                view.services = Some(services);
                view.effects = pack::effects(&contents.providers);
            }
            PackStanding::Shadowed(winner) => view.unused = Some(shadowed(winner)),
            PackStanding::Refused(refused) => view.unused = Some(refusal(refused)),
        }
        view
    }

    fn of_backend(backend: &FoundBackend, by: Option<&Plugin>) -> Self {
        let unused = match &backend.standing {
            BackendStanding::Usable(..) => None,
            BackendStanding::Shadowed(winner) => Some(shadowed(winner)),
            BackendStanding::Refused(refused) => Some(refusal(refused)),
        };
        Self {
            unused,
            ..Self::new(&backend.file, by)
        }
    }

    fn remarks_left_out(&self) -> impl Iterator<Item = String> {
        let left_out = self.left_out.iter();
        left_out.map(|(what, reason)| format!("{what} is left out: {reason}"))
    }

    fn remarks(&self) -> Vec<(String, Option<String>)> {
        let remarks = self.remarks_left_out();
        remarks.map(|remark| (remark, None)).collect()
    }
}

fn shadowed(winner: &Path) -> (&'static str, String, Option<String>) {
    let reason = format!("`{}` comes first", winner.display());
    ("shadowed", reason, None)
}

fn refusal(refused: &Refused) -> (&'static str, String, Option<String>) {
    ("refused", refused.reason.clone(), refused.remedy.clone())
}

/// A command as a user of plugins of `role`, if it is one.
fn user(plugin: &Plugin, manifest: &Manifest, role: &Role) -> Option<User> {
    let uses = manifest.uses.get(role.name())?.clone();
    Some(User::new(plugin.name.file(), &manifest.version, uses))
}

/// The failure where no plugin is called `name`.
pub fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Failure {
    let message = if suggest::is_plain(name) {
        format!("there is no plugin `{name}`")
    } else {
        "there is no such plugin".to_owned()
    };
    let mut near = suggest::near(name, known.clone());
    for known in known {
        let short = known.split_once('-').map(|(_, short)| short);
        if short == Some(name) && !near.contains(&known) {
            near.push(known);
        }
    }
    let mut failure = Failure::new(Exit::Failed, "not_found", message);
    if !near.is_empty() {
        failure = failure.hint(suggest::did_you_mean(&near));
    }
    failure.hint("bot-cli plugin list")
}
