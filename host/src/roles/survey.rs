//! Which commands use which provider packs and secrets backends, and why the others do not.

use std::path::{Path, PathBuf};

use bot_cli_sdk::discovery::{
    BackendStanding, FoundBackend, FoundPack, PackStanding, PluginFile, Reach, Refused,
};
use bot_cli_sdk::pack::Taken;
use bot_cli_sdk::protocol::Role;

use super::{Offers, consumers};
use crate::environment::Environment;

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
    pub fn make(found: &[PluginFile], environment: &Environment) -> Self {
        let mut views = Vec::new();
        for (plugin, manifest) in consumers(&Role::ProviderPack, found) {
            let offers = Offers::new(plugin, manifest, environment);
            let packs = offers.packs().iter();
            let name = plugin.name.to_string();
            views.extend(packs.map(|pack| (name.clone(), pack.place.clone(), View::of_pack(pack))));
        }
        for (plugin, manifest) in consumers(&Role::SecretsBackend, found) {
            let offers = Offers::new(plugin, manifest, environment);
            let backends = offers.backends().iter();
            let name = plugin.name.to_string();
            views.extend(
                backends.map(|found| (name.clone(), found.file.clone(), View::of_backend(found))),
            );
        }
        let discovery = &environment.discovery;
        Self {
            views,
            packs: discovery.packs(None, Taken::default, Reach::CacheOnly),
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
        let is_folder = |pack: &&FoundPack| pack.form == bot_cli_sdk::discovery::Form::Folder;
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
