//! `plugin new`: writes a small plugin that keeps the protocol, with what tests it.

mod templates;
mod wanted;

use std::env::consts::EXE_SUFFIX;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Reply;
use bot_cli_templates::pack;
use bot_cli_terminal::shell::quoted;
use serde_json::json;

use crate::options::New;
use crate::platform::create_program;
use crate::roles;
use bot_cli_engine::discovery::Discovery;
use templates::{BACKEND, Blanks, PACK, PYTHON, RUST, SH};
use wanted::{Kind, Wanted, invalid};

/// Writes the plugin that `arguments` want.
pub fn write(arguments: &New, discovery: &Discovery) -> Result<Reply, Failure> {
    let wanted = Wanted::parse(arguments)?;
    let folder = folder(&wanted, arguments.dir.as_deref())?;
    let (templates, sdk) = match &wanted.kind {
        Kind::Sh => (SH, ""),
        Kind::Python => (PYTHON, ""),
        Kind::Rust(sdk) => (RUST, sdk.as_str()),
        Kind::Pack => (PACK, ""),
        Kind::Backend => (BACKEND, ""),
    };
    let blanks = Blanks {
        name: &wanted.name,
        short: &wanted.short,
        sdk,
    };
    let files: Vec<(PathBuf, String, bool)> = templates
        .iter()
        .map(|file| {
            let path = folder.join(blanks.fill(file.path));
            (path, blanks.fill(file.text), file.is_program)
        })
        .collect();
    if matches!(wanted.kind, Kind::Pack) {
        check_usable(&wanted, &files, discovery)?;
    }
    check_absent(files.iter().map(|(path, ..)| path.as_path()))?;
    let mut made = Vec::new();
    for (path, text, is_program) in &files {
        put(path, text, *is_program, &mut made).map_err(|error| {
            take_back(&made);
            let could_not = format!("could not write `{}`", path.display());
            Failure::because(Exit::Failed, "not_written", could_not, error)
        })?;
    }
    let paths: Vec<&Path> = files.iter().map(|(path, ..)| path.as_path()).collect();
    Ok(reply(&wanted, &folder, &paths))
}

/// The services that are written for a pack can be used: its name begins no variable or identifier that others have.
fn check_usable(
    wanted: &Wanted,
    files: &[(PathBuf, String, bool)],
    discovery: &Discovery,
) -> Result<(), Failure> {
    let mut taken = roles::taken(discovery);
    let left_out = files
        .iter()
        .filter(|(path, ..)| {
            path.parent()
                .is_some_and(|it| it.ends_with(pack::PROVIDERS))
        })
        .flat_map(|(_, text, _)| pack::contents_of(&wanted.short, text, &mut taken).left_out);
    let reasons: Vec<String> = left_out.map(|it| it.reason()).collect();
    let Some(reason) = reasons.first() else {
        return Ok(());
    };
    let message = format!(
        "a provider pack `{}` would be created but could not be used: {reason}",
        wanted.short
    );
    Err(Failure::new(Exit::Usage, "invalid_input", message)
        .field("name", None, "is the beginning of other names")
        .hint("choose another name"))
}

/// The folder to write into: of a pack, its name is the pack's.
fn folder(wanted: &Wanted, given: Option<&Path>) -> Result<PathBuf, Failure> {
    let is_pack = matches!(wanted.kind, Kind::Pack);
    match given {
        None if is_pack => Ok(PathBuf::from(&wanted.short)),
        None => Ok(PathBuf::from(wanted.name.file())),
        Some(folder) if is_pack && folder.file_name() != Some(wanted.short.as_ref()) => {
            let problem = format!(
                "the folder of a pack has the pack's name, `{}`",
                wanted.short
            );
            let inside = folder.join(&wanted.short);
            Err(invalid("--dir", &problem).hint(format!(
                "bot-cli plugin new {} --role provider-pack --dir {}",
                wanted.short,
                word(&inside)
            )))
        }
        Some(folder) => Ok(folder.to_owned()),
    }
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
    let message = format!(
        "nothing was written; these already exist: {}",
        taken.join(", ")
    );
    Err(Failure::new(Exit::Failed, "exists", message).hint("choose another folder with `--dir`"))
}

/// Writes a file and the folders above it that are not there yet. `created` gets each of them.
fn put(path: &Path, text: &str, is_program: bool, created: &mut Vec<PathBuf>) -> io::Result<()> {
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if !folder.as_os_str().is_empty() && !folder.is_dir() {
            fs::create_dir(folder)?;
            created.push(folder.to_owned());
        }
    }
    let mut file = if is_program {
        create_program(path)?
    } else {
        File::create_new(path)?
    };
    created.push(path.to_owned());
    file.write_all(text.as_bytes())
}

/// Removes what was made, but no folder with something of somebody else.
fn take_back(made: &[PathBuf]) {
    for path in made.iter().rev() {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
    }
}

fn reply(wanted: &Wanted, folder: &Path, paths: &[&Path]) -> Reply {
    let (what, name) = match wanted.kind {
        Kind::Sh | Kind::Python | Kind::Rust(_) => ("plugin", wanted.name.as_str()),
        Kind::Pack => ("provider pack", wanted.short.as_str()),
        Kind::Backend => ("secrets backend", wanted.short.as_str()),
    };
    let mut made = format!("Created the {what} `{name}`\n");
    for path in paths {
        made.extend(["  created   ", &path.display().to_string(), "\n"]);
    }
    let shown: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let reply = Reply::text(made).data(json!({ "name": wanted.name.as_str(), "files": shown }));
    let file = wanted.name.file();
    let check = |program: &str, options: &str| format!("bot-cli plugin check {program}{options}");
    let test = |name: &str| word(&dotted(&folder.join(name)));
    // Without words the commands ask, so that the checks of questions are made, too.
    let next = match wanted.kind {
        Kind::Sh => {
            let program = test(&file);
            vec![
                test("test.sh"),
                check(&program, " --argv world"),
                format!("{program} world"),
            ]
        }
        Kind::Python => {
            let program = test(&file);
            vec![
                test("test.py"),
                check(&program, " --argv ''"),
                format!("{program} world"),
            ]
        }
        Kind::Rust(_) => {
            let program = test(&format!("target/debug/{file}{EXE_SUFFIX}"));
            let manifest = word(&folder.join("Cargo.toml"));
            vec![
                format!("cargo test --manifest-path {manifest}"),
                check(&program, " --argv ''"),
                format!("{program} world"),
            ]
        }
        Kind::Pack => {
            let folder = word(&dotted(folder));
            let mut next = vec![check(&folder, "")];
            next.push(format!("bot-cli plugin add {folder}"));
            next
        }
        Kind::Backend => {
            let program = test(&file);
            let mut next = vec![test("test.py"), check(&program, " --argv ''")];
            next.push(format!("bot-cli plugin add {program}"));
            next
        }
    };
    next.into_iter().fold(reply, Reply::next)
}

/// The path as a shell finds a command by it.
fn dotted(path: &Path) -> PathBuf {
    if path.is_absolute() || path.starts_with(".") || path.starts_with("..") {
        return path.to_owned();
    }
    Path::new(".").join(path)
}

/// The path as a word of a shell.
fn word(path: &Path) -> String {
    quoted(&path.display().to_string())
}
