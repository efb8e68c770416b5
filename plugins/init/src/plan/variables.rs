//! A project's environment variables, grouped and deduplicated for `.env.example`, the README and the code.

use bot_cli_templates::catalogue::{
    Arg, Direction, Provider, Reader, SelfHost, Service, Transport, Type,
};
use serde::Serialize;

use super::{PlanError, quote};
use crate::catalogue::Pack;
use crate::config::Config;
use crate::option_table::{Feature, FeatureQuestion};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VariableGroup {
    /// The heading, such as `Deepgram`.
    pub title: String,
    pub site: Option<String>,
    /// The run options for the transport that needs these variables, such as `-t livekit`. `None` means that the bot always needs them.
    pub only_for: Option<String>,
    /// The variables in the order in which the bot reads them.
    pub variables: Vec<VariableView>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct VariableView {
    pub name: String,
    /// A description of the value, such as `API key`.
    pub about: String,
    pub about_markdown: String,
    /// Whether the bot or the transport needs the variable or one of its alternatives.
    pub required: bool,
    pub alternatives: Vec<String>,
    /// The variable that this variable can replace.
    pub instead_of: Option<String>,
    pub default: Option<String>,
    /// The value in `.env.example`: the default as a dotenv value, or empty.
    pub example: String,
}

/// An environment variable that the generated code or a service class reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Reading {
    pub name: String,
    pub kind: Type,
    pub choices: Vec<String>,
    #[serde(flatten)]
    pub unset: Unset,
    /// Whether the value is passed as an argument. Otherwise, the service class reads the variable itself.
    #[serde(rename = "used")]
    pub is_argument: bool,
    /// The class's default, for display only.
    #[serde(skip)]
    class_default: Option<String>,
}

impl Reading {
    /// Returns the functions of `settings.py` that read the variable.
    pub(super) fn readers(&self) -> &'static [&'static str] {
        match (&self.unset, self.kind) {
            (Unset::Required, _) => &["required"],
            (_, Type::Str) => &["optional"],
            (_, Type::List) => &["converted", "split"],
            (_, Type::Choice) => &["one_of"],
            (_, Type::Int | Type::Float) => &["converted"],
        }
    }
}

/// The behavior if a variable is unset or empty. If a variable is read with different behaviors, the variant declared last takes
/// precedence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "unset", content = "default", rename_all = "snake_case")]
pub(crate) enum Unset {
    /// Pass `NOT_GIVEN`, so that the class uses its own default.
    NotGiven,
    None,
    Default(String),
    Required,
}

/// Returns the variables for each service: first those passed as arguments, then those that the service class reads itself.
pub(crate) fn readings(services: &[&Service]) -> Result<Vec<Reading>, PlanError> {
    let mut found = Vec::new();
    for service in services {
        for arg in &service.args {
            collect(arg, arg.name.starts_with("settings."), &mut found)?;
        }
        for read in &service.reads {
            let reading = Reading {
                name: read.name.clone(),
                kind: Type::Str,
                choices: Vec::new(),
                unset: if read.optional {
                    Unset::None
                } else {
                    Unset::Required
                },
                is_argument: false,
                class_default: None,
            };
            unite(reading, &mut found)?;
        }
    }
    Ok(found)
}

pub(super) fn all_readings(config: &Config) -> Result<Vec<Reading>, PlanError> {
    let services: Vec<&Service> = config.services().collect();
    let mut found = readings(&services)?;
    let transports = config.transports.iter();
    let avatars = transports.filter_map(|one| one.avatar.as_ref());
    for arg in avatars.flat_map(|avatar| &avatar.args) {
        collect(arg, false, &mut found)?;
    }
    Ok(found)
}

fn collect(arg: &Arg, is_setting: bool, found: &mut Vec<Reading>) -> Result<(), PlanError> {
    for inner in &arg.args {
        collect(inner, false, found)?;
    }
    let Some(name) = &arg.env else { return Ok(()) };
    let unset = match &arg.default {
        Some(default) => Unset::Default(as_python(default, arg.r#type)),
        None if !arg.optional && arg.class_default.is_none() => Unset::Required,
        None if is_setting => Unset::NotGiven,
        None => Unset::None,
    };
    let reading = Reading {
        name: name.clone(),
        kind: arg.r#type,
        choices: arg.choices.clone(),
        unset,
        is_argument: true,
        class_default: arg.class_default.clone(),
    };
    unite(reading, found)
}

/// Normalizes a numeric default for Python, where numbers can't have leading zeros. Other defaults are returned unchanged.
fn as_python(default: &str, kind: Type) -> String {
    let number = match kind {
        Type::Int => default.parse::<i64>().ok().map(|it| it.to_string()),
        Type::Float => default.parse::<f64>().ok().map(|it| format!("{it:?}")),
        Type::Str | Type::List | Type::Choice => None,
    };
    number.unwrap_or_else(|| default.to_owned())
}

fn unite(new: Reading, found: &mut Vec<Reading>) -> Result<(), PlanError> {
    let Some(known) = found.iter_mut().find(|reading| reading.name == new.name) else {
        found.push(new);
        return Ok(());
    };
    // A number or choice of another service has its own default.
    if !new.is_argument && known.kind != Type::Str {
        return Ok(());
    }
    let differs = |what: &str| {
        let reason = format!("{} has two {what}", new.name);
        Err(PlanError::broken("server/services.py", &reason))
    };
    let are_arguments = known.is_argument && new.is_argument;
    if are_arguments && (known.kind, &known.choices) != (new.kind, &new.choices) {
        return differs("types");
    }
    if let (Unset::Default(one), Unset::Default(other)) = (&known.unset, &new.unset)
        && one != other
    {
        return differs("defaults");
    }
    known.unset = known.unset.clone().max(new.unset);
    if new.is_argument {
        known.is_argument = true;
        known.kind = new.kind;
        known.choices = new.choices;
    }
    Ok(())
}

/// Groups the variables by owner: services in pipeline order, then transports, then features.
pub(super) fn groups(
    config: &Config,
    readings: &[Reading],
) -> Result<Vec<VariableGroup>, PlanError> {
    let mut groups: Vec<VariableGroup> = Vec::new();
    for service in config.services() {
        let provider = provider_of(config, service)?;
        let heading = VariableGroup {
            title: provider.label.clone(),
            site: Some(provider.site.clone()),
            ..VariableGroup::default()
        };
        for reading in self::readings(&[service])? {
            if let Some(merged) = readings.iter().find(|other| other.name == reading.name) {
                let variable = of_service(config, service, provider, merged);
                add(&mut groups, &heading, variable);
            }
        }
    }
    for transport in &config.transports {
        // The bot itself reads an avatar's variables, so every way to run the bot needs them.
        let only_sometimes = config.transports.len() > 1 && transport.avatar.is_none();
        let served = self_host(config, transport).map(|it| &it.env);
        for variable in transport.env.iter().chain(served.into_iter().flatten()) {
            let owner = variable.owner.as_ref();
            let heading = VariableGroup {
                title: owner.map_or(&transport.label, |it| &it.label).clone(),
                site: owner.map_or_else(|| transport.site.clone(), |it| Some(it.site.clone())),
                only_for: only_sometimes.then(|| transport.run_options()),
                variables: Vec::new(),
            };
            let default = variable.default.clone();
            let variable = VariableView {
                required: default.is_none() && !variable.optional,
                ..VariableView::new(&variable.name, &variable.about, default)
            };
            add(&mut groups, &heading, variable);
        }
    }
    for feature in Feature::ALL.into_iter().filter(|it| config.has(*it)) {
        let row = feature.row();
        let for_clients = config.transports.iter().any(|it| !it.carrier);
        let further = row.client_variables.iter().filter(|_| for_clients);
        let variables = row.variables.iter().chain(further);
        let variables: Vec<VariableView> = variables
            .map(|(name, about)| VariableView::new(name, about, None))
            .collect();
        let title = match row.question {
            FeatureQuestion::Extra(label, _) => label,
            FeatureQuestion::Own => row.heading,
        };
        if !variables.is_empty() {
            groups.push(VariableGroup {
                title: title.to_owned(),
                variables,
                ..VariableGroup::default()
            });
        }
    }
    if reads_where(config) {
        let about = "`local` on your machine, where the runner sets it";
        groups.push(VariableGroup {
            title: "Where the bot runs".to_owned(),
            variables: vec![VariableView {
                example: "local".to_owned(),
                ..VariableView::new("ENV", about, None)
            }],
            ..VariableGroup::default()
        });
    }
    Ok(groups)
}

/// Returns how a server of the user's own serves the transport, if the project has one.
pub(super) fn self_host<'t>(config: &Config, transport: &'t Transport) -> Option<&'t SelfHost> {
    let served = transport.self_host.as_ref();
    served.filter(|_| config.has(Feature::SelfHost))
}

/// Describes a service's variable. `reading` is merged across all services.
fn of_service(
    config: &Config,
    service: &Service,
    provider: &Provider,
    reading: &Reading,
) -> VariableView {
    let name = &reading.name;
    let meaning = provider.env.get(name).or(config.catalogue.variable(name));
    let mut about = meaning.map(|it| it.about.clone()).unwrap_or_default();
    if let Some((_, hint)) = (config.voice_variable(service)).filter(|(it, _)| it == name) {
        about = format!("{about}; {hint}");
    }
    let is_required = reading.unset == Unset::Required;
    let is_way = !is_required && service.one_of.contains(name);
    let first = service.one_of.first().filter(|_| is_way);
    let is_first = first == Some(name);
    let default = match &reading.unset {
        Unset::Default(default) => Some(default.clone()),
        Unset::NotGiven | Unset::None => reading.class_default.clone(),
        Unset::Required => None,
    };
    VariableView {
        about_markdown: markdown(&about, config.catalogue.pack_of(service)),
        required: is_required || is_first,
        alternatives: match service.one_of.split_first() {
            Some((_, others)) if is_first => others.to_vec(),
            _ => Vec::new(),
        },
        instead_of: first.filter(|_| !is_first).cloned(),
        ..VariableView::new(name, &about, default)
    }
}

/// Reports whether the bot reads the `ENV` variable.
fn reads_where(config: &Config) -> bool {
    let mut directions = config.transports.iter().map(|it| it.direction());
    config.has(Feature::NoiseCancel)
        || config.has(Feature::Observability)
        || directions.any(|direction| direction == Some(Direction::DialOut))
}

pub(super) fn provider_of<'c>(
    config: &Config<'c>,
    service: &Service,
) -> Result<&'c Provider, PlanError> {
    let missing = || format!("`{}` has no provider", service.id);
    let provider = config.catalogue.provider_of(service);
    provider.ok_or_else(|| PlanError::broken("server/services.py", &missing()))
}

/// Converts catalogue text to a line of Markdown. Built-in text may contain markup, but text from packs is plain and must be escaped.
pub(super) fn markdown(text: &str, pack: Option<&Pack>) -> String {
    match pack {
        None => text.to_owned(),
        Some(_) => quote::md(text),
    }
}

pub(super) fn of_the_call_server_alone<'a>(config: &'a Config) -> Vec<&'a str> {
    let transports = config.transports.iter();
    let (server, bot): (Vec<_>, Vec<_>) = transports
        .flat_map(|transport| &transport.env)
        .partition(|one| one.reader == Reader::Server);
    let names = server.iter().map(|one| one.name.as_str());
    names
        .filter(|name| bot.iter().all(|other| other.name != *name))
        .collect()
}

/// Adds a variable to the group with this heading, unless some group already contains the variable.
fn add(groups: &mut Vec<VariableGroup>, heading: &VariableGroup, variable: VariableView) {
    let has_it = |group: &&mut VariableGroup| {
        let mut names = group.variables.iter().map(|known| &known.name);
        names.any(|name| *name == variable.name)
    };
    if let Some(group) = groups.iter_mut().find(has_it) {
        // More than one way to run the bot needs the variable.
        if group.only_for != heading.only_for {
            group.only_for = None;
        }
        return;
    }
    match groups.iter_mut().find(|group| group.title == heading.title) {
        Some(group) => group.variables.push(variable),
        None => groups.push(VariableGroup {
            variables: vec![variable],
            ..heading.clone()
        }),
    }
}

impl VariableView {
    fn new(name: &str, about: &str, default: Option<String>) -> Self {
        Self {
            name: name.to_owned(),
            about: about.to_owned(),
            about_markdown: about.to_owned(),
            example: default.as_deref().map(dotenv).unwrap_or_default(),
            default,
            ..Self::default()
        }
    }
}

/// Formats a value so that python-dotenv reads it back unchanged.
fn dotenv(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@+%".contains(c);
    if value.chars().all(plain) {
        return value.to_owned();
    }
    format!("'{}'", value.replace('\\', r"\\").replace('\'', r"\'"))
}
