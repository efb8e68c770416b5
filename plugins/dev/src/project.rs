//! Reads a generated project's files to determine the programs to run.

use std::fs;
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure, OrFail as _, reason};
use bot_cli_templates::catalogue::{BotType, Catalogue, Service, Transport};
use bot_cli_templates::project::{self, RECORD, update_command};
use bot_cli_terminal::shell::quoted;

use crate::options::Options;

const QUICKSTART: &str = "make one: bot-cli init quickstart";

#[derive(Debug)]
pub struct Project {
    pub root: PathBuf,
    pub server: PathBuf,
    pub client: Option<Client>,
    pub transports: Vec<&'static Transport>,
    pub services: Vec<&'static Service>,
    /// Whether the bot sees or shows pictures, which telephone bots can't.
    has_video: bool,
    /// The name of the secret set. The set may not exist.
    pub secret_set: String,
}

#[derive(Debug)]
pub struct Client {
    pub folder: PathBuf,
    pub port: u16,
    /// The name of the environment variable for the bot's URL.
    pub bot_url: String,
}

impl Project {
    /// Finds the project that contains the given folder, which may be relative to `cwd`, with its secret set.
    pub fn find(cwd: &Path, options: &Options) -> Result<Self, Failure> {
        let given = &options.dir;
        let folder = fs::canonicalize(cwd.join(given)).or_fail_with(
            Exit::Usage,
            "no_folder",
            could_not("open", given),
        );
        let folder = folder.map_err(|failure| failure.hint(QUICKSTART))?;
        let found = project::Project::find(&folder);
        let Some(place) = found.filter(project::Project::is_recorded) else {
            let message = format!("`{}` is in no project of `bot-cli init`", folder.display());
            return Err(Failure::new(Exit::Usage, "no_project", message).hint(QUICKSTART));
        };
        let place = place.within(options.environment.as_ref(), cwd)?;
        let read = |file: &Path| fs::read_to_string(file).map_err(|error| reason(&error));
        let unreadable = |path: &Path, reason| {
            let message = format!("could not read `{}`: {reason}", path.display());
            Failure::new(Exit::Failed, "invalid_project", message)
                .hint("restore it from version control")
        };
        let recorded = place.recorded(read);
        let config = recorded.map_err(|why| unreadable(&place.root.join(RECORD), why))?;
        // Keys that are asked for are saved there.
        place.check_apart("secret set", |it| Ok(Some(it.secret_set(read)?.name)))?;
        let own = || place.secret_set(read).map(|set| set.name);
        let set = options.secret_set.clone().map_or_else(own, Ok);
        let set = set.map_err(|(file, why)| unreadable(&file, why))?;
        let catalogue = Catalogue::get();
        let transports = config.transports.iter().map(|id| {
            catalogue.transport(id).ok_or_else(|| {
                let message = format!("the project has an unknown transport, `{id}`");
                Failure::new(Exit::Usage, "invalid_project", message)
                    .hint("a later version of bot-cli may know it")
            })
        });
        Ok(Self {
            transports: transports.collect::<Result<_, _>>()?,
            client: config.client().map(|client| Client {
                folder: place.root.join("client"),
                port: client.port,
                bot_url: format!("{}BOT_URL", client.prefix),
            }),
            services: config
                .services()
                .filter_map(|id| catalogue.service(id))
                .collect(),
            has_video: config.video_input || config.video_output,
            secret_set: set,
            root: place.root,
            server: place.bot,
        })
    }

    /// Returns the project's transport with this identifier, alias or `-t` option value.
    pub fn transport(&self, name: &str, cwd: &Path) -> Result<&'static Transport, Failure> {
        let is_meant = |one: &&'static Transport| {
            let mut names = [&one.id, &one.runner_key].into_iter().chain(&one.alias);
            names.any(|it| it == name)
        };
        let mut own = self.transports.iter().copied();
        if let Some(found) = own.find(is_meant) {
            return Ok(found);
        }
        let message = format!("the bot has no transport `{name}`");
        let mut failure = Failure::new(Exit::Usage, "invalid_input", message);
        let fits = |one: &&Transport| {
            let is_plain = one.bot_type == BotType::Web && one.avatar.is_none();
            (is_plain || !self.has_video) && self.transports.iter().all(|own| !own.excludes(one))
        };
        let mut all = Catalogue::get().all_transports().iter();
        if let Some(lacking) = all.find(|one| is_meant(one) && fits(one)) {
            // The option replaces the list.
            let list = self.transports.iter().chain([&lacking]);
            let list: String = list.flat_map(|one| [" --transport ", &one.id]).collect();
            let add = update_command(&self.root, cwd, &list);
            failure = failure.hint(format!("add it: {add}"));
        }
        let known = self.transports.iter().map(|one| &one.runner_key);
        Err(known.fold(failure, |failure, key| {
            failure.hint(format!("it has: bot-cli dev --transport {key}"))
        }))
    }
}

/// Returns the path as a command in `cwd` names it.
pub fn shown_from(cwd: &Path, path: &Path) -> String {
    let below = path.strip_prefix(cwd).unwrap_or(path);
    let guard = if below.as_os_str().as_encoded_bytes().starts_with(b"-") {
        "./"
    } else {
        ""
    };
    quoted(&format!("{guard}{}", below.display()))
}

fn could_not(open: &str, path: &Path) -> String {
    format!("could not {open} `{}`", path.display())
}
