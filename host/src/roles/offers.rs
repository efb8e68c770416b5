//! What plugins of other roles bring for a command: values of its arguments, without starting anything.

use std::cell::OnceCell;

use bot_cli_sdk::compat::User;
use bot_cli_sdk::discovery::{
    BACKEND_PREFIX, BackendStanding, FoundBackend, FoundPack, PREFIX, PackStanding, Plugin, Reach,
};
use bot_cli_sdk::pack::{self, Taken};
use bot_cli_sdk::protocol::{ArgumentSpec, CommandSpec, Manifest, Role, ValueSpec};
use bot_cli_sdk::terminal::one_line;

use super::Source;
use crate::environment::Environment;

/// The values that plugins of other roles bring for a command. They are looked for on first use.
pub struct Offers<'a> {
    environment: &'a Environment,
    executable: String,
    manifest: &'a Manifest,
    packs: OnceCell<Vec<FoundPack>>,
    backends: OnceCell<Vec<FoundBackend>>,
}

impl<'a> Offers<'a> {
    /// For `plugin`, which declares `manifest`.
    pub fn new(plugin: &Plugin, manifest: &'a Manifest, environment: &'a Environment) -> Self {
        Self {
            environment,
            executable: plugin.name.file(),
            manifest,
            packs: OnceCell::new(),
            backends: OnceCell::new(),
        }
    }

    /// The command as a user of plugins of `role`, if it is one.
    pub fn user(&self, role: &Role) -> Option<User> {
        let uses = self.manifest.uses.get(role.name())?.clone();
        Some(User::new(&self.executable, &self.manifest.version, uses))
    }

    /// Every provider pack, with what the command can use of it.
    pub fn packs(&self) -> &[FoundPack] {
        self.packs.get_or_init(|| {
            let Some(user) = self.user(&Role::ProviderPack) else {
                return Vec::new();
            };
            let discovery = &self.environment.discovery;
            discovery.packs(Some(&user), || self.taken(), Reach::CacheOnly)
        })
    }

    /// Returns what no service of a pack can have, because the command has it itself.
    pub fn taken(&self) -> Taken {
        let mut taken = Taken::default();
        if let Some(uses) = self.manifest.uses.get(Role::ProviderPack.name()) {
            taken.add_declared(&uses.taken);
        }
        for id in self.own(&Role::ProviderPack) {
            taken.id(id, "a service that is built in");
        }
        taken
    }

    /// Every secrets backend, and whether the command can use it.
    pub fn backends(&self) -> &[FoundBackend] {
        self.backends.get_or_init(|| {
            let Some(user) = self.user(&Role::SecretsBackend) else {
                return Vec::new();
            };
            let mut built_in = self.own(&Role::SecretsBackend);
            built_in.extend(user.uses.names.iter().map(String::as_str));
            self.environment.discovery.backends(Some(&user), &built_in)
        })
    }

    /// The values that plugins bring for an argument with this `values_from`.
    pub fn values(&self, values_from: &str) -> Vec<ValueSpec> {
        let source = Source::read(values_from);
        if source.role == Role::ProviderPack.name() {
            self.services(source.part)
        } else if source.role == Role::SecretsBackend.name() && source.part.is_empty() {
            self.names()
        } else {
            Vec::new()
        }
    }

    fn services(&self, kind: &str) -> Vec<ValueSpec> {
        let mut values = Vec::new();
        for pack in self.packs() {
            let PackStanding::Used(contents) = &pack.standing else {
                continue;
            };
            let services = contents.providers.iter().flat_map(|it| &it.services);
            let fitting = services.filter(|service| service.kind.name() == kind);
            values.extend(fitting.map(|service| ValueSpec::new(&service.id).about(&service.label)));
        }
        values
    }

    fn names(&self) -> Vec<ValueSpec> {
        let usable = self
            .backends()
            .iter()
            .filter_map(|found| match &found.standing {
                BackendStanding::Usable(plugin, _) => Some((&found.name, plugin)),
                BackendStanding::Shadowed(_) | BackendStanding::Refused(_) => None,
            });
        usable
            .map(|(name, plugin)| {
                let about = plugin.manifest.as_ref();
                let about = about.map_or("", |manifest| &manifest.about);
                ValueSpec::new(name).about(about)
            })
            .collect()
    }

    /// Returns how the plugin `name` of `role` is used with the command: the option that takes it, or one of its services.
    pub fn example(&self, role: &Role, name: &str) -> Option<String> {
        let root = self.manifest.command.as_ref()?;
        let mut options = Vec::new();
        options_for(root, role, "", &mut options);
        let of_pack = name.strip_prefix(pack::PREFIX);
        let beginning = of_pack.map(|name| format!("{}_", name.replace('-', "_")));
        let service = |argument: &ArgumentSpec| {
            let beginning = beginning.as_deref()?;
            let mut values = self.values(argument.values_from.as_deref()?).into_iter();
            values.find(|value| value.value.starts_with(beginning))
        };
        let (words, value) = if *role == Role::SecretsBackend {
            let name = name.strip_prefix(BACKEND_PREFIX).unwrap_or(name);
            (&options.first()?.0, name.to_owned())
        } else {
            let known = options
                .iter()
                .find_map(|(words, argument)| Some((words, service(argument)?.value)));
            known.or_else(|| Some((&options.first()?.0, "SERVICE".to_owned())))?
        };
        let executable = self.executable.strip_prefix(PREFIX)?;
        Some(format!("bot-cli {executable}{words} {value}"))
    }

    /// The values that the command has by itself where those of `role` join them.
    fn own(&self, role: &Role) -> Vec<&str> {
        let mut found = Vec::new();
        if let Some(root) = &self.manifest.command {
            own(root, role, &mut found);
        }
        found
    }
}

/// The options below `command` that take what plugins of `role` bring, each with the words that lead to it.
fn options_for<'a>(
    command: &'a CommandSpec,
    role: &Role,
    before: &str,
    found: &mut Vec<(String, &'a ArgumentSpec)>,
) {
    for argument in &command.arguments {
        let source = argument.values_from.as_deref().map(Source::read);
        let fits = source.is_some_and(|source| source.role == role.name());
        if let Some(long) = argument.long.as_deref().filter(|_| fits) {
            found.push((format!("{before} --{}", one_line(long)), argument));
        }
    }
    for below in command.commands.iter().filter(|below| !below.hidden) {
        let before = format!("{before} {}", one_line(&below.name));
        options_for(below, role, &before, found);
    }
}

fn own<'a>(command: &'a CommandSpec, role: &Role, found: &mut Vec<&'a str>) {
    for argument in &command.arguments {
        let source = argument.values_from.as_deref().map(Source::read);
        if source.is_some_and(|source| source.role == role.name()) {
            for value in &argument.values {
                found.push(&value.value);
                found.extend(value.aliases.iter().map(String::as_str));
            }
        }
    }
    for below in &command.commands {
        own(below, role, found);
    }
}
