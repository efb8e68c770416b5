//! `plugin new`: writes a small plugin that keeps the protocol, with a test of its own.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use bot_cli_sdk::discovery::PluginName;
use bot_cli_sdk::failure::{Exit, Failure, reason};
use bot_cli_sdk::outcome::Reply;
use serde_json::json;

use crate::arguments::{self, Language, NewArguments};

/// A file of a new plugin. `@NAME@` and `@SDK@` are replaced, in its path and in its text.
struct Template {
    path: &'static str,
    text: &'static str,
    mode: u32,
}

const PROGRAM: u32 = 0o777;
const TEXT: u32 = 0o666;

const SH: &[Template] = &[
    template("bot-cli-@NAME@", include_str!("new/sh/plugin.sh"), PROGRAM),
    template("test.sh", include_str!("new/sh/test.sh"), PROGRAM),
];

const PYTHON: &[Template] = &[
    template(
        "bot-cli-@NAME@",
        include_str!("new/python/plugin.py"),
        PROGRAM,
    ),
    template("test.py", include_str!("new/python/test.py"), PROGRAM),
];

const RUST: &[Template] = &[
    template("Cargo.toml", include_str!("new/rust/Cargo.toml.in"), TEXT),
    template(
        "manifest.json",
        include_str!("new/rust/manifest.json"),
        TEXT,
    ),
    template("src/main.rs", include_str!("new/rust/main.rs"), TEXT),
    template("tests/plugin.rs", include_str!("new/rust/plugin.rs"), TEXT),
    template(".gitignore", "/target\n", TEXT),
];

const fn template(path: &'static str, text: &'static str, mode: u32) -> Template {
    Template { path, text, mode }
}

/// Writes the plugin that `arguments` want.
pub fn write(arguments: &NewArguments) -> Result<Reply, Failure> {
    let name = name(&arguments.name)?;
    let templates = match arguments.lang {
        Language::Sh => SH,
        Language::Python => PYTHON,
        Language::Rust => RUST,
    };
    let sdk = match (arguments.lang, arguments.sdk.as_deref()) {
        (Language::Rust, Some(folder)) => sdk(folder)?,
        (Language::Rust, None) => return Err(sdk_missing(&name)),
        (Language::Sh | Language::Python, None) => String::new(),
        (Language::Sh | Language::Python, Some(_)) => {
            return Err(invalid_sdk("only a plugin in Rust uses the library"));
        }
    };
    let folder = match &arguments.dir {
        Some(folder) => folder.clone(),
        None => PathBuf::from(name.file()),
    };
    let fill = |text: &str| text.replace("@NAME@", name.as_str()).replace("@SDK@", &sdk);
    let files: Vec<(PathBuf, String, u32)> = templates
        .iter()
        .map(|file| (folder.join(fill(file.path)), fill(file.text), file.mode))
        .collect();
    check_absent(files.iter().map(|(path, ..)| path.as_path()))?;
    for (path, text, mode) in &files {
        put(path, text, *mode).map_err(|error| {
            let message = format!("could not write `{}`: {}", path.display(), reason(&error));
            Failure::new(Exit::Failed, "not_written", message)
        })?;
    }
    Ok(reply(&name, arguments.lang, &folder, &files))
}

fn name(text: &str) -> Result<PluginName, Failure> {
    let problem = match PluginName::parse(text) {
        None => {
            "must consist of lower-case letters, digits and hyphens, begin with a letter, and have at most 32 characters"
        }
        Some(_) if arguments::RESERVED.contains(&text) => "is a command of bot-cli itself",
        Some(name) => return Ok(name),
    };
    Err(
        Failure::new(Exit::Usage, "invalid_input", format!("the name {problem}"))
            .field("name", None, problem),
    )
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
        _ => Err(invalid_sdk("there is no package in that folder")),
    }
}

/// No registry has the library, so a dependency on its version could not be built.
fn sdk_missing(name: &PluginName) -> Failure {
    let message = "`--sdk` is missing: a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli";
    Failure::new(Exit::Usage, "invalid_input", message)
        .field("sdk", Some("--sdk"), "missing")
        .hint(format!(
            "bot-cli plugin new {} --lang rust --sdk ../bot-cli/sdk",
            name.as_str()
        ))
}

fn invalid_sdk(problem: &str) -> Failure {
    let message = format!("`--sdk`: {problem}");
    Failure::new(Exit::Usage, "invalid_input", message).field("sdk", Some("--sdk"), problem)
}

/// Nothing is overwritten; whatever is in the way is named at once.
fn check_absent<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<(), Failure> {
    let taken: Vec<String> = paths
        .filter(|path| fs::symlink_metadata(path).is_ok())
        .map(|path| format!("`{}`", path.display()))
        .collect();
    if taken.is_empty() {
        return Ok(());
    }
    let message = format!("nothing was written; already there: {}", taken.join(", "));
    Err(Failure::new(Exit::Failed, "exists", message).hint("choose another folder with `--dir`"))
}

fn put(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(text.as_bytes())
}

fn reply(
    name: &PluginName,
    language: Language,
    folder: &Path,
    files: &[(PathBuf, String, u32)],
) -> Reply {
    let mut made = format!("Made the plugin `{name}`\n");
    for (path, ..) in files {
        made.extend(["  created   ", &path.display().to_string(), "\n"]);
    }
    let word = |path: &Path| quoted(&path.display().to_string());
    // Without words the plugin asks, so that the checks of questions are made, too.
    let (test, program, argv) = match language {
        Language::Sh => (
            word(&dotted(&folder.join("test.sh"))),
            folder.join(name.file()),
            "world",
        ),
        Language::Python => (
            word(&dotted(&folder.join("test.py"))),
            folder.join(name.file()),
            "''",
        ),
        Language::Rust => {
            let manifest = word(&folder.join("Cargo.toml"));
            let program = folder.join("target/debug").join(name.file());
            let test = format!("cargo test --manifest-path {manifest}");
            (test, program, "''")
        }
    };
    let program = dotted(&program);
    let shown: Vec<String> = files
        .iter()
        .map(|(path, ..)| path.display().to_string())
        .collect();
    Reply::text(made)
        .data(json!({ "name": name.as_str(), "files": shown }))
        .next(test)
        .next(format!(
            "bot-cli plugin check {} --argv {argv}",
            word(&program)
        ))
        .next(format!("{} world", word(&program)))
}

/// The path as a shell finds a command by it.
fn dotted(path: &Path) -> PathBuf {
    if path.is_absolute() || path.starts_with(".") || path.starts_with("..") {
        return path.to_owned();
    }
    Path::new(".").join(path)
}

fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
}
