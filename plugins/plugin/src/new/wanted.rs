//! What somebody wants to have written: a role, a language and a name that fit each other.

use std::path::Path;

use bot_cli_engine::discovery::{
    BACKEND_PREFIX, PREFIX, PluginName, RESERVED, SHIPPED, is_role_name,
};
use bot_cli_protocol::Role;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_secrets::TAKEN_NAMES;
use bot_cli_templates::pack;
use serde_json::json;

use crate::options::{Language, New, NewRole};
use crate::platform::STARTS_SCRIPTS;

/// A plugin to write.
pub struct Wanted {
    /// The name: `pack-acme`.
    pub name: PluginName,
    /// The name without that of its role: `acme`.
    pub short: String,
    /// What it is.
    pub kind: Kind,
}

/// The files to write.
pub enum Kind {
    /// A command in sh.
    Sh,
    /// A command in Python.
    Python,
    /// A command in Rust, with its dependency on the library.
    Rust(String),
    /// A provider pack without an executable.
    Pack,
    /// A secrets backend in Python.
    Backend,
}

impl Wanted {
    /// Reads what `arguments` want.
    pub fn parse(arguments: &New) -> Result<Self, Failure> {
        let prefix = arguments.role.prefix();
        // Who gives the name of the file means the plugin in it.
        let given = arguments.name.strip_prefix(PREFIX);
        let given = given.unwrap_or(&arguments.name);
        let short = given.strip_prefix(prefix).unwrap_or(given).to_owned();
        let name = name(prefix, &short)?;
        if arguments.role == NewRole::SecretsBackend && TAKEN_NAMES.contains(&short.as_str()) {
            return Err(refused("is that of a built-in backend"));
        }
        let kind = kind(arguments)?;
        Ok(Self { name, short, kind })
    }
}

fn kind(arguments: &New) -> Result<Kind, Failure> {
    let given = &arguments.name;
    let wants_script = matches!(arguments.lang, Some(Language::Sh | Language::Python));
    if wants_script && !STARTS_SCRIPTS {
        let failure = invalid(
            "--lang",
            "that would be a script, and Windows starts only programs",
        );
        return Err(match arguments.role {
            NewRole::Command => failure.hint(in_rust(given)),
            NewRole::ProviderPack => failure.hint(as_folder(given)),
            NewRole::SecretsBackend => {
                failure.hint("`sdk/secrets/BACKENDS.md` specifies what a program has to do")
            }
        });
    }
    let kind = match (arguments.role, arguments.lang) {
        (NewRole::Command, Some(Language::Sh)) => Kind::Sh,
        (NewRole::Command, Some(Language::Python)) => Kind::Python,
        (NewRole::Command, Some(Language::Rust)) => {
            return match &arguments.sdk {
                Some(folder) => Ok(Kind::Rust(sdk(folder)?)),
                None => Err(sdk_missing(given)),
            };
        }
        (NewRole::Command, None) => {
            return Err(
                missing("--lang", "sh, python or rust").hint(if STARTS_SCRIPTS {
                    format!("bot-cli plugin new {given} --lang sh")
                } else {
                    in_rust(given)
                }),
            );
        }
        (NewRole::ProviderPack, None) => Kind::Pack,
        (NewRole::ProviderPack, Some(_)) => {
            return Err(invalid(
                "--lang",
                "a provider pack is written as a folder of TOML files, without a program",
            )
            .hint(as_folder(given)));
        }
        (NewRole::SecretsBackend, Some(Language::Python)) => Kind::Backend,
        (NewRole::SecretsBackend, Some(_)) => {
            return Err(invalid(
                "--lang",
                "a secrets backend is written in python only",
            ));
        }
        (NewRole::SecretsBackend, None) => {
            return Err(missing("--lang", "python").hint(format!(
                "bot-cli plugin new {given} --role secrets-backend --lang python"
            )));
        }
    };
    if arguments.sdk.is_some() {
        return Err(invalid("--sdk", "only a plugin in Rust uses the library"));
    }
    Ok(kind)
}

fn in_rust(name: &str) -> String {
    format!("bot-cli plugin new {name} --lang rust --sdk ../bot-cli/sdk")
}

fn as_folder(name: &str) -> String {
    format!("bot-cli plugin new {name} --role provider-pack")
}

fn refused(problem: &str) -> Failure {
    Failure::new(Exit::Usage, "invalid_input", format!("the name {problem}"))
        .field("name", None, problem)
}

fn name(prefix: &str, short: &str) -> Result<PluginName, Failure> {
    let most = 32 - prefix.len();
    let full = PluginName::parse(&format!("{prefix}{short}"));
    match full {
        None => Err(refused(&format!(
            "must consist of lower-case letters, digits and hyphens, begin with a letter, and have at most {most} characters"
        ))),
        // Identifiers begin with it.
        Some(_) if !prefix.is_empty() && !is_role_name(short) => Err(refused(
            "must be lower-case words with single hyphens between them, such as `acme-speech`, and begin with a letter",
        )),
        Some(name) if RESERVED.contains(&name.as_str()) => {
            Err(refused("is a built-in command of bot-cli"))
        }
        Some(name) if SHIPPED.contains(&name.as_str()) => {
            Err(refused("is that of a plugin that comes with bot-cli"))
        }
        Some(name) => match role_of(&name).filter(|_| prefix.is_empty()) {
            None => Ok(name),
            Some(role) => {
                let problem = format!("is that of a {}", role.words());
                let create = format!(
                    "to create one: bot-cli plugin new NAME --role {}",
                    role.name()
                );
                Err(refused(&problem).hint(create))
            }
        },
    }
}

/// The role whose plugins have names that begin as this one does.
fn role_of(name: &PluginName) -> Option<Role> {
    let prefixes = [
        (pack::PREFIX, Role::ProviderPack),
        (BACKEND_PREFIX, Role::SecretsBackend),
    ];
    let mut prefixes = prefixes.into_iter();
    let (_, role) = prefixes.find(|(prefix, _)| name.as_str().starts_with(prefix))?;
    Some(role)
}

/// Returns the dependency on the library in `folder`, as `Cargo.toml` has it.
fn sdk(folder: &Path) -> Result<String, Failure> {
    let absolute = folder.canonicalize().ok();
    let manifest = absolute.as_ref().map(|folder| folder.join("Cargo.toml"));
    match absolute.as_ref().and_then(|folder| folder.to_str()) {
        Some(path) if manifest.is_some_and(|manifest| manifest.is_file()) => {
            // A string of JSON is one of TOML, too.
            Ok(format!("path = {}", json!(path)))
        }
        _ => Err(invalid("--sdk", "there is no package in that folder")),
    }
}

/// No registry has the library, so a dependency on its version could not be built.
fn sdk_missing(name: &str) -> Failure {
    let message = "`--sdk` is missing: a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli";
    Failure::new(Exit::Usage, "invalid_input", message)
        .field("sdk", Some("--sdk"), "missing")
        .hint(in_rust(name))
}

fn missing(flag: &str, possible: &str) -> Failure {
    let message = format!("`{flag}` is missing: it can be {possible}");
    Failure::new(Exit::Usage, "invalid_input", message).field(
        flag.trim_start_matches('-'),
        Some(flag),
        "missing",
    )
}

/// A failure that names what is wrong with the value of `flag`.
pub fn invalid(flag: &str, problem: &str) -> Failure {
    let message = format!("`{flag}`: {problem}");
    let field = flag.trim_start_matches('-');
    Failure::new(Exit::Usage, "invalid_input", message).field(field, Some(flag), problem)
}
