//! A plugin that somebody wants to have added: whether it can be, from what its files say. Nothing is started.

use std::fs;
use std::path::Path;

use bot_cli_engine::discovery::{
    BACKEND_PREFIX, BackendStanding, Discovery, MANAGER, PREFIX, PluginName, RESERVED, Refused,
};
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::{Manifest, Role};
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::pack::{self, Effects, Taken};
use bot_cli_templates::packs::{self, PackStanding, Reach};
use bot_cli_terminal::one_line;
use tempfile::TempDir;

use super::home::Form;
use super::record::{Entry, kind};
use super::refusal::{refused, word};
use super::source::{Source, Staged};
use super::sum;
use crate::inventory;

/// A plugin that can be added.
pub struct Candidate {
    pub source: Source,
    pub staged: Staged,
    pub judged: Judged,
    /// Goes away with it.
    _staging: TempDir,
}

/// The declaration of a plugin, and what a pack brings.
pub struct Judged {
    pub manifest: Manifest,
    pub services: Vec<String>,
    /// What the services of a pack do.
    pub effects: Effects,
    left_out: Vec<String>,
}

/// What is in the place of a plugin.
#[derive(Debug)]
pub enum Found {
    Nothing,
    /// The same plugin; `is_kept`: it is what was given, and can be used as it is.
    Same {
        is_kept: bool,
        sha256: String,
    },
    /// Something else, with its sum if it can be read.
    Other(Option<String>),
}

impl Candidate {
    /// Copies what was given into `staging`, and judges it there.
    pub fn judge(source: Source, staging: TempDir, discovery: &Discovery) -> Result<Self, Failure> {
        let staged = source.stage(staging.path())?;
        let judged = judge(
            &staged.name,
            staged.form,
            &staged.place,
            &source.path,
            discovery,
        )?;
        Ok(Self {
            source,
            staged,
            judged,
            _staging: staging,
        })
    }

    /// What is in `place` now.
    pub fn found(&self, place: &Path, discovery: &Discovery) -> Found {
        if fs::symlink_metadata(place).is_err() {
            return Found::Nothing;
        }
        let Ok(sha256) = sum::of(place) else {
            return Found::Other(None);
        };
        let real = |path: &Path| fs::canonicalize(path).ok();
        let is_given = real(place).is_some() && real(place) == real(&self.source.path);
        if !is_given && sha256 != self.staged.sha256 {
            return Found::Other(Some(sha256));
        }
        let (name, form) = (&self.staged.name, self.staged.form);
        let is_kept = is_given && is_usable(name, form, place, discovery);
        Found::Same { is_kept, sha256 }
    }

    /// The role in a sentence.
    pub fn kind(&self) -> String {
        kind(&self.judged.manifest.role)
    }

    /// The plugin in a sentence.
    pub fn title(&self) -> String {
        let version = one_line(&self.judged.manifest.version);
        let space = if version.is_empty() { "" } else { " " };
        format!("the {} `{}`{space}{version}", self.kind(), self.staged.name)
    }

    /// The entry for the record.
    pub fn entry(&self) -> Entry {
        let manifest = &self.judged.manifest;
        Entry {
            name: self.staged.name.to_string(),
            role: manifest.role.clone(),
            version: one_line(&manifest.version),
            form: self.staged.form,
            from: self.source.path.to_string_lossy().into_owned(),
            from_sha256: self.staged.from_sha256.clone(),
            sha256: self.staged.sha256.clone(),
            replaces: None,
        }
    }

    /// Whether it is used now that it is in `place`, and what somebody should know of that.
    pub fn standing(&self, place: &Path, discovery: &Discovery) -> (bool, Vec<String>) {
        let mut warnings = self.judged.left_out.clone();
        let mut is_used = true;
        let mut discovery = discovery.clone();
        // A folder that was made by this command was not looked at before.
        discovery.cache = None;
        let name = &self.staged.name;
        for entry in inventory::entries(&discovery) {
            let text = |key: &str| one_line(entry[key].as_str().unwrap_or_default());
            let status = text("status");
            if entry["name"] != name.as_str() {
                continue;
            }
            if entry["file"].as_str().map(Path::new) == Some(place) {
                if ["refused", "unused", "shadowed"].contains(&&*status) {
                    is_used = false;
                    warnings.push(format!("`{name}` is not used: {}", text("reason")));
                }
            } else if status == "shadowed" {
                warnings.push(format!("it comes before `{}`", text("file")));
            }
        }
        (is_used, warnings)
    }
}

/// Whether the plugin `name` in `place` can be used as it is.
pub fn is_usable(name: &PluginName, form: Form, place: &Path, discovery: &Discovery) -> bool {
    sum::of(place).is_ok() && judge(name, form, place, place, discovery).is_ok()
}

/// Reads what the plugin in `place` declares, and refuses what could not be used by anybody. It was given as `given`.
pub fn judge(
    name: &PluginName,
    form: Form,
    place: &Path,
    given: &Path,
    discovery: &Discovery,
) -> Result<Judged, Failure> {
    // A search that knows nothing but the folder of the plugin.
    let folder = place.parent().unwrap_or(place).to_owned();
    let discovery = Discovery {
        folders: vec![folder.clone()],
        pack_folders: vec![folder],
        cache: None,
        ..discovery.clone()
    };
    let refused = |problem: &str| refused(given, problem);
    if form == Form::Folder {
        return judge_pack(name, given, &discovery);
    }
    if RESERVED.contains(&name.as_str()) || name.as_str() == MANAGER {
        let problem = format!("`{name}` is a command of bot-cli itself");
        return Err(refused(&problem).hint("its author gives it another name"));
    }
    let found = discovery.by_name(name);
    if let Some((file, unusable)) = found.refused.first() {
        let failure = refused(&unusable.reason());
        return Err(unusable
            .remedy(file)
            .into_iter()
            .fold(failure, Failure::hint));
    }
    let Some(manifest) = found.plugin.and_then(|plugin| plugin.manifest) else {
        return Err(refused("it has no manifest").hint(
            "get a version that was made for bot-cli, or write one: bot-cli plugin new --help",
        ));
    };
    let prefix = match manifest.role {
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
        Role::Command | Role::Other(_) => "",
    };
    let Some(short) = name.as_str().strip_prefix(prefix) else {
        let kind = kind(&manifest.role);
        let problem = format!("the name of a {kind} begins with `{prefix}`, and this is `{name}`");
        return Err(refused(&problem).hint(format!(
            "its author calls the file `{PREFIX}{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        )));
    };
    if manifest.role == Role::ProviderPack {
        return judge_pack(name, given, &discovery);
    }
    if manifest.role == Role::SecretsBackend {
        if TAKEN_NAMES.contains(&short) {
            let problem = format!("`{short}` is the name of a backend that needs no plugin");
            return Err(refused(&problem).hint("its author gives it another name"));
        }
        let mut backends = discovery.backends(None, &[]);
        backends.retain(|backend| backend.name == short);
        for backend in backends {
            if let BackendStanding::Refused(why) = backend.standing {
                return Err(refused_by(given, &why));
            }
        }
    }
    Ok(Judged {
        manifest,
        services: Vec::new(),
        effects: Effects::new(),
        left_out: Vec::new(),
    })
}

/// A pack that is asked for its services is judged by its manifest.
fn judge_pack(name: &PluginName, given: &Path, discovery: &Discovery) -> Result<Judged, Failure> {
    let short = name.as_str().strip_prefix(pack::PREFIX).unwrap_or_default();
    let mut found = packs::find(discovery, None, Taken::default, Reach::CacheOnly).into_iter();
    let pack = found.find(|pack| pack.name == short);
    let Some((manifest, standing)) = pack.and_then(|pack| Some((pack.manifest?, pack.standing)))
    else {
        return Err(refused(given, "it is no provider pack"));
    };
    let mut judged = Judged {
        manifest,
        services: Vec::new(),
        effects: Effects::new(),
        left_out: Vec::new(),
    };
    match standing {
        PackStanding::Refused(why) => return Err(refused_by(given, &why)),
        PackStanding::Used(contents) => {
            let services = contents.providers.iter().flat_map(|it| &it.services);
            judged.services = services.map(|service| service.id.clone()).collect();
            judged.effects = pack::effects(&contents.providers);
            let left_out = contents.left_out.iter();
            judged.left_out = left_out
                .map(|it| format!("{} is left out: {}", it.what, it.reason()))
                .collect();
            if judged.services.is_empty() {
                let reason = judged.left_out.first();
                let reason = reason.map_or("it brings no service", String::as_str);
                let check = format!("bot-cli plugin check {}", word(given));
                return Err(refused(given, reason).hint(check));
            }
        }
        PackStanding::Unasked | PackStanding::Shadowed(_) => {}
    }
    Ok(judged)
}

fn refused_by(given: &Path, why: &Refused) -> Failure {
    let failure = refused(given, &why.reason);
    why.remedy.iter().fold(failure, Failure::hint)
}
