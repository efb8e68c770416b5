//! `plugin new`: generates a small plugin with a test. The plugin passes the checks for its role.

use std::collections::BTreeMap;
use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{
    BACKEND_PREFIX, PREFIX, PluginName, RESERVED, SHIPPED, is_role_name,
};
use bot_cli_protocol::MARKER;
use bot_cli_protocol::failure::{Exit, Failure, OrFail as _};
use bot_cli_protocol::outcome::Reply;
use bot_cli_sdk::libraries::{Library, PYTHON, TYPESCRIPT};
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::pack::{self, SCHEMA};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde_json::json;

use crate::library;
use crate::options::{Language, New, NewRole};
use crate::platform::{STARTS_SCRIPTS, create_program};

static NEW: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/new");

/// The templates, by the name that [`skeleton`] returns.
const SKELETONS: &str = include_str!("new/skeletons.toml");

/// A template for a plugin. Placeholders such as `@NAME@` are replaced in paths, commands and file contents.
#[derive(Deserialize)]
struct Skeleton {
    what: String,
    /// The folders below `new` with the files.
    folders: Vec<String>,
    /// The suggested next commands.
    next: Vec<String>,
}

impl Skeleton {
    fn read(options: &New) -> Result<Self, Failure> {
        let name = skeleton(options)?;
        let all: Result<BTreeMap<String, Self>, _> = toml::from_str(SKELETONS);
        let found = all.map(|mut all| all.remove(name));
        let found = found.or_fail("could not read the skeletons")?;
        found.ok_or_else(|| Failure::new(Exit::Failed, "failed", "there is no such skeleton"))
    }

    /// Returns the path and contents of each file. Files that would have an effect in this repository have another name there.
    fn files(&self) -> Vec<(String, &'static str)> {
        let folders = self.folders.iter();
        let mut folders: Vec<&Dir<'_>> = folders.filter_map(|it| NEW.get_dir(it)).collect();
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            folders.extend(folder.dirs());
            files.extend(folder.files().map(|file| {
                let path: PathBuf = file.path().iter().skip(1).collect();
                let path = path.to_string_lossy().replace("gitignore", ".gitignore");
                let path = path.strip_suffix(".in").unwrap_or(&path).to_owned();
                (path, file.contents_utf8().unwrap_or_default())
            }));
        }
        files.sort();
        files
    }
}

pub fn write(options: &New) -> Result<Reply, Failure> {
    if options.update {
        return library::update(Path::new(&options.name));
    }
    let given = options.name.strip_prefix(PREFIX).unwrap_or(&options.name);
    let prefix = options.role.prefix();
    let short = given.strip_prefix(prefix).unwrap_or(given);
    let name = name(options.role, short)?;
    let (skeleton, sdk) = (Skeleton::read(options)?, sdk(options)?);
    let library = library(options.lang);
    let folder = match options.role {
        NewRole::ProviderPack => short.to_owned(),
        NewRole::Command | NewRole::SecretsBackend => name.file(),
    };
    if fs::symlink_metadata(&folder).is_ok() {
        let message = format!("`{folder}` already exists");
        return Err(Failure::new(Exit::Failed, "exists", message));
    }
    let fill = |text: &str| fill(text, &name, short, &sdk);
    make(&folder, &skeleton, library, &fill).map_err(|error| {
        let could_not = format!("could not create `{folder}`");
        Failure::because(Exit::Failed, "not_written", could_not, error)
    })?;
    let files = skeleton.files();
    let paths = files.iter().map(|(path, _)| fill(path));
    let library = library.map(|library| library.folder.to_owned());
    let paths = paths.chain(library).map(|path| format!("{folder}/{path}"));
    let files: Vec<String> = paths.collect();
    let mut text = format!("Created the {} `{short}`\n", skeleton.what);
    for path in &files {
        text.extend(["  created   ", path, "\n"]);
    }
    let data = json!({ "name": name.as_str(), "files": files });
    let next = skeleton.next.iter();
    let next = next.map(|line| fill(&line.replace("@FOLDER@", &folder)));
    Ok(Reply::text(text).data(data).next_all(next))
}

fn name(role: NewRole, short: &str) -> Result<PluginName, Failure> {
    let is_command = role == NewRole::Command;
    let prefix = role.prefix();
    let name = PluginName::parse(&format!("{prefix}{short}"));
    let name = name.filter(|_| is_command || is_role_name(short));
    let begins = |prefix: &str| is_command && short.starts_with(prefix);
    let most = 32 - prefix.len();
    let form = format!(
        "must be lower-case words with single hyphens between them, such as `acme-speech`, and have at most {most} characters"
    );
    let problem = match name {
        None => &*form,
        Some(name) if RESERVED.contains(&name.as_str()) || SHIPPED.contains(&name.as_str()) => {
            "is that of a command that comes with bot-cli"
        }
        Some(_) if role == NewRole::SecretsBackend && TAKEN_NAMES.contains(&short) => {
            "is that of a built-in backend"
        }
        Some(_) if begins(pack::PREFIX) => "is that of a pack: add `--role provider-pack`",
        Some(_) if begins(BACKEND_PREFIX) => "is that of a backend: add `--role secrets-backend`",
        Some(name) => return Ok(name),
    };
    let message = format!("the name {problem}");
    Err(Failure::new(Exit::Usage, "invalid_input", message).field("name", None, problem))
}

fn skeleton(options: &New) -> Result<&'static str, Failure> {
    let problem = match (options.role, options.lang) {
        (_, Some(Language::Sh | Language::Python | Language::Typescript)) if !STARTS_SCRIPTS => {
            "that would be a script, and Windows starts only programs"
        }
        (NewRole::Command, Some(Language::Sh)) => return Ok("sh"),
        (NewRole::Command, Some(Language::Python)) => return Ok("python"),
        (NewRole::Command, Some(Language::Typescript)) => return Ok("typescript"),
        (NewRole::Command, Some(Language::Go)) => return Ok("go"),
        (NewRole::Command, Some(Language::Rust)) => return Ok("rust"),
        (NewRole::ProviderPack, None) => return Ok("pack"),
        (NewRole::SecretsBackend, Some(Language::Python)) => return Ok("python_backend"),
        (NewRole::SecretsBackend, Some(Language::Typescript)) => return Ok("typescript_backend"),
        _ => {
            "a command is written in sh, python, typescript, go or rust, a secrets backend in python or typescript, a provider pack in no language"
        }
    };
    Err(invalid("--lang", problem))
}

/// Returns the library that a plugin in this language has a copy of.
const fn library(language: Option<Language>) -> Option<&'static Library> {
    match language {
        Some(Language::Python) => Some(&PYTHON),
        Some(Language::Typescript) => Some(&TYPESCRIPT),
        Some(Language::Sh | Language::Go | Language::Rust) | None => None,
    }
}

/// Returns the SDK dependency in `Cargo.toml` syntax, or an empty string if the plugin isn't written in Rust.
fn sdk(options: &New) -> Result<String, Failure> {
    let folder = match (&options.sdk, options.lang) {
        (Some(folder), Some(Language::Rust)) => folder,
        (None, Some(Language::Rust)) => {
            let problem = "a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli";
            return Err(invalid("--sdk", problem));
        }
        (_, Some(Language::Sh | Language::Python | Language::Typescript | Language::Go) | None) => {
            return Ok(String::new());
        }
    };
    let real = folder.canonicalize().ok();
    let real = real.filter(|folder| folder.join("Cargo.toml").is_file());
    match real.as_ref().and_then(|folder| folder.to_str()) {
        // A JSON string is also a valid TOML string.
        Some(path) => Ok(format!("path = {}", json!(path))),
        None => Err(invalid("--sdk", "there is no package in that folder")),
    }
}

/// Creates the folder with all files, or nothing. The folder has a temporary name until it is complete.
fn make(
    folder: &str,
    skeleton: &Skeleton,
    library: Option<&Library>,
    fill: &dyn Fn(&str) -> String,
) -> io::Result<()> {
    let mut staging = tempfile::Builder::new();
    let staging = staging.prefix(".new-").tempdir_in(".")?;
    let made = staging.path().join("made");
    for (path, text) in skeleton.files() {
        let path = made.join(fill(&path));
        fs::create_dir_all(path.parent().unwrap_or(&made))?;
        let mut open = if text.starts_with("#!") {
            create_program(&path)?
        } else {
            File::create_new(&path)?
        };
        open.write_all(fill(text).as_bytes())?;
    }
    if let Some(library) = library {
        library::copy(library, &made.join(library.folder))?;
    }
    fs::rename(made, folder)
}

fn fill(text: &str, name: &PluginName, short: &str, sdk: &str) -> String {
    let id = short.replace('-', "_");
    let words = short.split('-').filter(|word| !word.is_empty());
    let label: Vec<String> = words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect();
    // The executable contains these texts. A marker in them would be mistaken for the executable's own.
    text.replace("@MANIFEST@", MARKER)
        .replace("@NAME@", name.as_str())
        .replace("@SHORT@", short)
        .replace("@ID@", &id)
        .replace("@VARIABLE@", &id.to_uppercase())
        .replace("@LABEL@", &label.join(" "))
        .replace("@SDK@", sdk)
        .replace("@CATALOGUE@", SCHEMA)
        .replace("@EXE@", EXE_SUFFIX)
}

fn invalid(flag: &str, problem: &str) -> Failure {
    let message = format!("`{flag}`: {problem}");
    let field = flag.trim_start_matches('-');
    Failure::new(Exit::Usage, "invalid_input", message).field(field, Some(flag), problem)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{NEW, SKELETONS, Skeleton};

    #[test]
    fn every_skeleton_has_its_folders() {
        let all: BTreeMap<String, Skeleton> = toml::from_str(SKELETONS).unwrap();
        let names = "go pack python python_backend rust sh typescript typescript_backend";
        assert!(all.keys().map(String::as_str).eq(names.split(' ')));
        for folder in all.values().flat_map(|it| &it.folders) {
            assert!(NEW.get_dir(folder).is_some(), "{folder}");
        }
    }

    #[test]
    fn the_files_of_new_plugins_are_text() {
        let mut folders: Vec<_> = NEW.dirs().collect();
        while let Some(folder) = folders.pop() {
            folders.extend(folder.dirs());
            for file in folder.files() {
                let text = file.contents_utf8();
                assert!(text.is_some_and(|it| !it.is_empty()), "{file:?}");
            }
        }
    }
}
