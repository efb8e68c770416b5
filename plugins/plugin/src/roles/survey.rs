//! Which commands use which provider packs and secrets backends, and why the others do not.

use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{
    BackendStanding, Discovery, FoundBackend, PluginFile, Refused, users_of,
};
use bot_cli_protocol::Role;
use bot_cli_templates::packs::{self, Form, FoundPack, PackStanding, Reach};

use super::{taken_by, user};

/// The views that the commands have of the plugins of other roles.
pub struct Survey {
    /// A command, a file or folder, and what that is to the command.
    views: Vec<(String, PathBuf, View)>,
    /// The packs as they are by themselves, without any command.
    packs: Vec<FoundPack>,
    backends: Vec<FoundBackend>,
}

/// The view that a command has of a plugin.
#[derive(Debug, Clone)]
pub enum View {
    /// It is used.
    Used {
        /// The identifiers of its services, as far as it has any and they are known.
        services: Option<Vec<String>>,
        /// The services that are left out, and why.
        left_out: Vec<(String, String)>,
    },
    /// Another has its name.
    Shadowed(PathBuf),
    /// It is not used.
    Refused(Refused),
}

impl Survey {
    /// Looks at every pack and backend as each command in `found` does.
    pub fn make(found: &[PluginFile], discovery: &Discovery) -> Self {
        let mut views = Vec::new();
        for (plugin, manifest) in users_of(&Role::ProviderPack, found) {
            let user = user(plugin, manifest, &Role::ProviderPack);
            let taken = || taken_by(manifest);
            for pack in packs::find(discovery, user.as_ref(), taken, Reach::CacheOnly) {
                let view = View::of_pack(&pack);
                views.push((plugin.name.to_string(), pack.place, view));
            }
        }
        for (plugin, manifest) in users_of(&Role::SecretsBackend, found) {
            let user = user(plugin, manifest, &Role::SecretsBackend);
            let built_in = user.iter().flat_map(|user| &user.uses.names);
            let built_in: Vec<&str> = built_in.map(String::as_str).collect();
            for backend in discovery.backends(user.as_ref(), &built_in) {
                let view = View::of_backend(&backend);
                views.push((plugin.name.to_string(), backend.file, view));
            }
        }
        Self {
            views,
            packs: super::packs(discovery),
            backends: discovery.backends(None, &[]),
        }
    }

    /// Returns what the commands make of the plugin in `place`: those that look at it.
    pub fn of(&self, place: &Path) -> impl Iterator<Item = (&str, &View)> {
        let here = self.views.iter().filter(move |(_, of, _)| of == place);
        here.map(|(command, _, view)| (command.as_str(), view))
    }

    /// Returns what the plugin in `place` is by itself.
    pub fn alone(&self, place: &Path) -> Option<View> {
        let pack = self.packs.iter().find(|pack| pack.place == place);
        let backend = self.backends.iter().find(|found| found.file == place);
        pack.map(View::of_pack)
            .or_else(|| backend.map(View::of_backend))
    }

    /// The packs that are folders.
    pub fn folders(&self) -> impl Iterator<Item = &FoundPack> {
        let is_folder = |pack: &&FoundPack| pack.form == Form::Folder;
        self.packs.iter().filter(is_folder)
    }
}

impl View {
    fn of_pack(pack: &FoundPack) -> Self {
        match &pack.standing {
            PackStanding::Used(contents) => {
                let services = contents.providers.iter().flat_map(|it| &it.services);
                let left_out = contents.left_out.iter();
                Self::Used {
                    services: Some(services.map(|service| service.id.clone()).collect()),
                    left_out: left_out.map(|it| (it.what.clone(), it.reason())).collect(),
                }
            }
            PackStanding::Unasked => Self::Used {
                services: None,
                left_out: Vec::new(),
            },
            PackStanding::Shadowed(winner) => Self::Shadowed(winner.clone()),
            PackStanding::Refused(refused) => Self::Refused(refused.clone()),
        }
    }

    fn of_backend(backend: &FoundBackend) -> Self {
        match &backend.standing {
            BackendStanding::Usable(..) => Self::Used {
                services: None,
                left_out: Vec::new(),
            },
            BackendStanding::Shadowed(winner) => Self::Shadowed(winner.clone()),
            BackendStanding::Refused(refused) => Self::Refused(refused.clone()),
        }
    }
}
