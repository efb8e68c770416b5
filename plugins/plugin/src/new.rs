//! `plugin new`: writes a small plugin that passes the check of its role, and a test of it.

mod templates;

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{
    BACKEND_PREFIX, PREFIX, PluginName, RESERVED, SHIPPED, is_role_name,
};
use bot_cli_protocol::MARKER;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::pack::{self, SCHEMA};
use bot_cli_terminal::shell::quoted;
use serde_json::json;

use crate::options::{Language, New, NewRole};
use crate::platform::{STARTS_SCRIPTS, create_program};
use templates::{BACKEND, PACK, PYTHON, RUST, SH, Skeleton};

/// Writes a new plugin.
pub fn write(options: &New) -> Result<Reply, Failure> {
    let given = options.name.strip_prefix(PREFIX).unwrap_or(&options.name);
    let prefix = options.role.prefix();
    let short = given.strip_prefix(prefix).unwrap_or(given);
    let name = name(options.role, short)?;
    let skeleton = skeleton(options)?;
    let sdk = sdk(options)?;
    let folder = folder(options, short, &name)?;
    if fs::symlink_metadata(&folder).is_ok() {
        let message = format!("`{}` already exists", folder.display());
        let failure = Failure::new(Exit::Failed, "exists", message);
        return Err(failure.hint("choose another folder with `--dir`"));
    }
    let fill = |text: &str| fill(text, &name, short, &sdk);
    make(&folder, skeleton, &fill).map_err(|error| {
        let could_not = format!("could not create `{}`", folder.display());
        Failure::because(Exit::Failed, "not_written", could_not, error)
    })?;
    let mut text = format!("Created the {} `{short}`\n", skeleton.what);
    let mut files = Vec::new();
    for file in skeleton.files {
        let path = folder.join(fill(file.path)).display().to_string();
        text.extend(["  created   ", &path, "\n"]);
        files.push(path);
    }
    let data = json!({ "name": name.as_str(), "files": files });
    let next = skeleton.next.iter().map(|(before, path, after)| {
        let mut whole = dotted(&folder);
        if !path.is_empty() {
            whole.push(fill(path));
        }
        format!("{before}{}{after}", quoted(&whole.display().to_string()))
    });
    Ok(Reply::text(text).data(data).next_all(next))
}

fn name(role: NewRole, short: &str) -> Result<PluginName, Failure> {
    let is_command = role == NewRole::Command;
    let prefix = role.prefix();
    let name = PluginName::parse(&format!("{prefix}{short}"));
    let name = name.filter(|_| is_command || is_role_name(short));
    let begins = |prefix: &str| is_command && short.starts_with(prefix);
    let problem = match name {
        None => {
            let most = 32 - prefix.len();
            &*format!(
                "must be lower-case words with single hyphens between them, such as `acme-speech`, and have at most {most} characters"
            )
        }
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

fn skeleton(options: &New) -> Result<&'static Skeleton, Failure> {
    let problem = match (options.role, options.lang) {
        (_, Some(Language::Sh | Language::Python)) if !STARTS_SCRIPTS => {
            "that would be a script, and Windows starts only programs"
        }
        (NewRole::Command, Some(Language::Sh)) => return Ok(&SH),
        (NewRole::Command, Some(Language::Python)) => return Ok(&PYTHON),
        (NewRole::Command, Some(Language::Rust)) => return Ok(&RUST),
        (NewRole::ProviderPack, None) => return Ok(&PACK),
        (NewRole::SecretsBackend, Some(Language::Python)) => return Ok(&BACKEND),
        (NewRole::Command, None) => "a command is written in sh, python or rust",
        (NewRole::ProviderPack, Some(_)) => "a provider pack is a folder of TOML files",
        (NewRole::SecretsBackend, _) => "a secrets backend is written in python",
    };
    Err(invalid("--lang", problem))
}

/// Returns the dependency on the library, as `Cargo.toml` has it.
fn sdk(options: &New) -> Result<String, Failure> {
    let problem = match (&options.sdk, options.lang) {
        (None, Some(Language::Rust)) => {
            "a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli"
        }
        (Some(folder), Some(Language::Rust)) => {
            let real = folder.canonicalize().ok();
            let real = real.filter(|folder| folder.join("Cargo.toml").is_file());
            if let Some(path) = real.as_ref().and_then(|folder| folder.to_str()) {
                // A string of JSON is one of TOML, too.
                return Ok(format!("path = {}", json!(path)));
            }
            "there is no package in that folder"
        }
        (Some(_), _) => "only a plugin in Rust uses the library",
        (None, _) => return Ok(String::new()),
    };
    Err(invalid("--sdk", problem))
}

fn folder(options: &New, short: &str, name: &PluginName) -> Result<PathBuf, Failure> {
    let is_pack = options.role == NewRole::ProviderPack;
    match &options.dir {
        Some(folder) if is_pack && folder.file_name() != Some(short.as_ref()) => {
            let problem = format!("the folder of a pack has the pack's name, `{short}`");
            Err(invalid("--dir", &problem))
        }
        Some(folder) => Ok(folder.clone()),
        None if is_pack => Ok(PathBuf::from(short)),
        None => Ok(PathBuf::from(name.file())),
    }
}

/// Writes all files, or none: the folder is complete before it gets its name.
fn make(folder: &Path, skeleton: &Skeleton, fill: &dyn Fn(&str) -> String) -> io::Result<()> {
    let folder = std::path::absolute(folder)?;
    let mut above = folder.ancestors().skip(1);
    let existing = above.find(|it| it.is_dir()).unwrap_or(&folder);
    let staging = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(existing)?;
    let made = staging.path().join("made");
    for template in skeleton.files {
        let path = made.join(fill(template.path));
        fs::create_dir_all(path.parent().unwrap_or(&made))?;
        let mut open = if template.is_program {
            create_program(&path)?
        } else {
            File::create_new(&path)?
        };
        open.write_all(fill(template.text).as_bytes())?;
    }
    fs::create_dir_all(folder.parent().unwrap_or(&folder))?;
    fs::rename(made, folder)
}

/// Fills in what a template leaves open.
fn fill(text: &str, name: &PluginName, short: &str, sdk: &str) -> String {
    let id = short.replace('-', "_");
    let words = short.split('-').filter(|word| !word.is_empty());
    let label: Vec<String> = words
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect();
    // A marker would be taken for that of the executable that contains these texts.
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

/// The path as a shell finds a command by it.
fn dotted(path: &Path) -> PathBuf {
    if path.is_absolute() || path.starts_with(".") || path.starts_with("..") {
        return path.to_owned();
    }
    Path::new(".").join(path)
}

fn invalid(flag: &str, problem: &str) -> Failure {
    let message = format!("`{flag}`: {problem}");
    let field = flag.trim_start_matches('-');
    Failure::new(Exit::Usage, "invalid_input", message).field(field, Some(flag), problem)
}
