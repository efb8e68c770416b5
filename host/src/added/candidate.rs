//! A plugin in a private folder: whether it can be added, from what its files say.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_sdk::backend::TAKEN_NAMES;
use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::discovery::{
    BACKEND_PREFIX, BackendStanding, Discovery, Named, PREFIX, PackStanding, PluginName, Reach,
    Refused,
};
use bot_cli_sdk::failure::Failure;
use bot_cli_sdk::pack::{self, Taken};
use bot_cli_sdk::protocol::{Manifest, Role};
use bot_cli_sdk::terminal::one_line;
use tempfile::TempDir;

use super::changes::Installed;
use super::copying::{Copying, Staged};
use super::given::{Request, word};
use super::home::Form;
use super::members::{refused, unreadable};
use super::put::{Found, Replace};
use super::record::{Entry, kind};
use super::sum;
use crate::arguments;
use crate::environment::Environment;
use crate::inventory;

/// A plugin that can be added.
pub struct Candidate {
    /// The name.
    pub name: PluginName,
    /// The form.
    pub form: Form,
    manifest: Manifest,
    services: Vec<String>,
    left_out: Vec<String>,
    request: Request,
    from_sha256: Option<String>,
    sha256: String,
    place: PathBuf,
    /// Goes away with it.
    _staging: TempDir,
}

impl Candidate {
    /// Copies what was asked for into `staging`, and judges it there. Nothing is started.
    pub fn judge(
        request: Request,
        staging: TempDir,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let copying = Copying {
            given: &request.path,
            staging: staging.path(),
            cancel,
        };
        let facts = fs::metadata(&request.path);
        let facts = facts.map_err(|error| unreadable(&request.path, error))?;
        let (staged, from_sha256) = if facts.is_dir() {
            (copying.folder()?, None)
        } else if facts.is_file() {
            let sum = copying.file()?;
            request.check_sum(&sum)?;
            (copying.choose()?, Some(sum))
        } else {
            return Err(refused(&request.path, "it is neither a file nor a folder"));
        };
        let sha256 = sum::of(&staged.place).map_err(|error| unreadable(&request.path, error))?;
        if from_sha256.is_none() {
            request.check_sum(&sha256)?;
        }
        let judged = judged(&staged, &request.path, environment)?;
        Ok(Self {
            name: staged.name,
            form: staged.form,
            manifest: judged.manifest,
            services: judged.services,
            left_out: judged.left_out,
            request,
            from_sha256,
            sha256,
            place: staged.place,
            _staging: staging,
        })
    }

    /// What is in `place` now. The copy replaces a link to what can't be used.
    pub fn found(&self, place: &Path, environment: &Environment) -> Found {
        let mut found = Found::look(place, &self.sha256, &self.request.path);
        if let Found::Same(sum, replace @ Replace::Keep) = &mut found
            && *sum == self.sha256
            && !is_usable(&self.name, self.form, place, environment)
        {
            *replace = Replace::Old;
        }
        found
    }

    /// The staged file or folder.
    pub fn staged(&self) -> &Path {
        &self.place
    }

    /// The role in a sentence.
    pub fn kind(&self) -> String {
        kind(&self.manifest.role)
    }

    /// The plugin in a sentence.
    pub fn title(&self) -> String {
        let version = one_line(&self.manifest.version);
        let space = if version.is_empty() { "" } else { " " };
        format!("the {} `{}`{space}{version}", self.kind(), self.name)
    }

    /// The entry for the record.
    pub fn entry(&self) -> Entry {
        Entry {
            name: self.name.to_string(),
            role: self.manifest.role.clone(),
            version: one_line(&self.manifest.version),
            form: self.form,
            from: self.request.path.to_string_lossy().into_owned(),
            from_sha256: self.from_sha256.clone(),
            sha256: self.sha256.clone(),
            pending: false,
        }
    }

    /// The command that may come next.
    pub fn next_command(&self, standing: &Standing) -> String {
        match self.manifest.role {
            Role::Command if standing.is_used => format!("bot-cli {} --help", self.name),
            Role::Command | Role::ProviderPack | Role::SecretsBackend | Role::Other(_) | _ => {
                format!("bot-cli plugin info {}", self.name)
            }
        }
    }

    /// The abilities, to compare them with those of another version.
    pub fn installed(&self) -> Installed {
        Installed::new(&self.manifest, self.services.clone())
    }

    /// Whether it is used now that it is in `place`.
    pub fn standing(&self, place: &Path, environment: &Environment) -> Standing {
        let mut warnings = self.left_out.clone();
        let mut is_used = true;
        let mut environment = environment.clone();
        // A folder that was made by this command was not looked at before.
        environment.discovery.cache = None;
        for entry in inventory::entries(&environment) {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            if entry["name"] != self.name.as_str() {
                continue;
            }
            if Path::new(&text("file")) == place {
                if ["refused", "unused", "shadowed"].contains(&text("status").as_str()) {
                    is_used = false;
                    let reason = one_line(&text("reason"));
                    warnings.push(format!("`{}` is not used: {reason}", self.name));
                }
            } else if text("status") == "shadowed" {
                let file = one_line(&text("file"));
                warnings.push(format!("it comes before `{file}`"));
            }
        }
        Standing { is_used, warnings }
    }
}

/// Whether a plugin is used.
#[derive(Debug)]
pub struct Standing {
    /// It is.
    pub is_used: bool,
    /// Why it is not, or not all of it, and what it comes before.
    pub warnings: Vec<String>,
}

struct Judged {
    manifest: Manifest,
    services: Vec<String>,
    left_out: Vec<String>,
}

/// A search that knows nothing but the private folder.
fn only(folder: &Path, environment: &Environment) -> Discovery {
    let mut discovery = environment.discovery.clone();
    discovery.folders = vec![folder.to_owned()];
    discovery.pack_folders = vec![folder.to_owned()];
    discovery.cache = None;
    discovery
}

/// Reads what the staged plugin declares, and refuses what could not be used by anybody.
fn judged(staged: &Staged, given: &Path, environment: &Environment) -> Result<Judged, Failure> {
    let name = &staged.name;
    let folder = staged.place.parent().unwrap_or(&staged.place);
    let discovery = only(folder, environment);
    if staged.form == Form::Folder {
        return of_pack(name, given, &discovery);
    }
    if arguments::RESERVED.contains(&name.as_str()) {
        let problem = format!("`{name}` is a command of bot-cli itself");
        return Err(refused(given, &problem).hint("its author gives it another name"));
    }
    let Named {
        plugin,
        refused: why,
        ..
    } = discovery.by_name(name);
    if let Some((file, unusable)) = why.first() {
        let failure = refused(given, &unusable.reason());
        return Err(match unusable.remedy(file) {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        });
    }
    let Some(manifest) = plugin.and_then(|plugin| plugin.manifest) else {
        let failure = refused(given, "it has no manifest").hint(
            "get a version that was made for bot-cli, or write one: bot-cli plugin new --help",
        );
        return Err(match by_hand(staged, &discovery) {
            Some(hint) => failure.hint(hint),
            None => failure,
        });
    };
    let prefix = match manifest.role {
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
        Role::Command | Role::Other(_) | _ => "",
    };
    let kind = kind(&manifest.role);
    let Some(short) = name.as_str().strip_prefix(prefix) else {
        let problem = format!("the name of a {kind} begins with `{prefix}`, and this is `{name}`");
        return Err(refused(given, &problem).hint(format!(
            "its author calls the file `{PREFIX}{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        )));
    };
    match manifest.role {
        Role::ProviderPack => return of_pack(name, given, &discovery),
        Role::SecretsBackend => {
            if TAKEN_NAMES.contains(&short) {
                let problem = format!("`{short}` is the name of a backend that needs no plugin");
                return Err(refused(given, &problem).hint("its author gives it another name"));
            }
            for backend in discovery.backends(None, &[]) {
                if let BackendStanding::Refused(why) = backend.standing {
                    return Err(refused_by(given, &why));
                }
            }
        }
        Role::Command | Role::Other(_) | _ => {}
    }
    Ok(Judged {
        manifest,
        services: Vec::new(),
        left_out: Vec::new(),
    })
}

/// What puts a program of another kind in place, if nothing is there.
fn by_hand(staged: &Staged, discovery: &Discovery) -> Option<String> {
    let folder = discovery.own_plugins.as_ref()?;
    let place = folder.join(staged.place.file_name()?);
    if fs::symlink_metadata(&place).is_ok() {
        return None;
    }
    let how = match &staged.source {
        Some(source) => format!(
            "mkdir -p {} && cp {} {} && chmod +x {}",
            word(folder),
            word(source),
            word(&place),
            word(&place)
        ),
        None => format!("unpack it, and put the file into {}", word(folder)),
    };
    Some(format!(
        "if it is a program of another kind that you want to run as `bot-cli {}`: {how}",
        staged.name
    ))
}

/// Whether the plugin `name` in `place` can be used as it is.
pub fn is_usable(name: &PluginName, form: Form, place: &Path, environment: &Environment) -> bool {
    let staged = Staged {
        name: name.clone(),
        form,
        place: place.to_owned(),
        source: None,
    };
    sum::of(place).is_ok() && judged(&staged, place, environment).is_ok()
}

/// Nothing is started: a pack that is asked for its services is judged by its manifest.
fn of_pack(name: &PluginName, given: &Path, discovery: &Discovery) -> Result<Judged, Failure> {
    let short = name.as_str().strip_prefix(pack::PREFIX).unwrap_or_default();
    let mut packs = discovery
        .packs(None, Taken::default, Reach::CacheOnly)
        .into_iter();
    let Some(pack) = packs.find(|pack| pack.name == short) else {
        return Err(refused(given, "it is no provider pack"));
    };
    let (services, left_out) = match pack.standing {
        PackStanding::Refused(why) => return Err(refused_by(given, &why)),
        PackStanding::Used(contents) => {
            let services = contents.providers.iter().flat_map(|it| &it.services);
            let services: Vec<String> = services.map(|service| service.id.clone()).collect();
            let left_out: Vec<String> = contents
                .left_out
                .iter()
                .map(|it| format!("{} is left out: {}", it.what, it.reason()))
                .collect();
            if services.is_empty() {
                let reason = left_out
                    .first()
                    .map_or("it brings no service", String::as_str);
                return Err(
                    refused(given, reason).hint(format!("bot-cli plugin check {}", word(given)))
                );
            }
            (services, left_out)
        }
        PackStanding::Unasked | PackStanding::Shadowed(_) => (Vec::new(), Vec::new()),
    };
    let Some(manifest) = pack.manifest else {
        return Err(refused(given, "it has no manifest"));
    };
    Ok(Judged {
        manifest,
        services,
        left_out,
    })
}

fn refused_by(given: &Path, why: &Refused) -> Failure {
    let failure = refused(given, &why.reason);
    match &why.remedy {
        Some(remedy) => failure.hint(remedy),
        None => failure,
    }
}

impl Installed {
    /// What the plugin in `place` can do, as far as it is known.
    pub fn find(entry: &Entry, place: &Path, environment: &Environment) -> Self {
        let found = PluginName::parse(&entry.name).and_then(|name| {
            let staged = Staged {
                name,
                form: entry.form,
                place: place.to_owned(),
                source: None,
            };
            judged(&staged, place, environment).ok()
        });
        match found {
            Some(judged) => Self::new(&judged.manifest, judged.services),
            None => Self::unknown(entry),
        }
    }
}
