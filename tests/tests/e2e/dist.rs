//! The release artefacts, installed and used as users would: without Rust, without a checkout, and by different users.

mod archive;
mod package;

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use bot_cli_tests::nested_cargo::{built, nested_cargo};
use bot_cli_tests::signals::default_in_children;
use bot_cli_tests::user::assert_in_no_file;
use serde_json::Value;
use tempfile::TempDir;

/// The IDs of the user who installs the artefacts and of the users who run them.
const INSTALLER: u32 = 4101;
const USER: u32 = 4102;
const ROOT: u32 = 0;

/// A value that must exist only in the vault.
const CANARY: &str = "canary-5a1f77c09be2";

/// Returns the folder with the artefacts: that of `BOT_CLI_DIST`, or one that is packed from the release build.
fn artefacts() -> &'static Path {
    static PACKED: LazyLock<(PathBuf, Option<TempDir>)> = LazyLock::new(|| {
        if let Some(folder) = env::var_os("BOT_CLI_DIST") {
            let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
            return (repository.join(folder), None);
        }
        let mut cargo = nested_cargo();
        let packages = xtask::TOGETHER.iter().flat_map(|it| ["--package", it]);
        let build = cargo
            .args(["build", "--release", "--locked"])
            .args(packages);
        let executables = built(build).unwrap();
        let folder = public_folder();
        xtask::pack(executables["bot-cli"].parent().unwrap(), folder.path()).unwrap();
        (folder.path().to_owned(), Some(folder))
    });
    &PACKED.0
}

/// Returns the only artefact with this ending and with `part` in its name.
fn artefact(part: &str, ending: &str) -> PathBuf {
    let entries = fs::read_dir(artefacts()).unwrap();
    let mut paths = entries.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.contains(part) && name.ends_with(ending)
    });
    let path = paths.next().unwrap();
    assert_eq!(paths.next(), None);
    path
}

/// Creates a folder that other users can enter.
fn public_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Returns a command that runs as `user`, with only a home directory and the system's own programs.
fn command(program: &Path, user: u32, home: &Path) -> Command {
    default_in_children();
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", home)
        .env("BOT_CLI_KEYRING", "off")
        .current_dir(home)
        .uid(user)
        .gid(user);
    command
}

fn ran(command: &mut Command) -> String {
    let output = assert_cmd::Command::from_std(std::mem::replace(command, Command::new("true")))
        .timeout(bot_cli_tests::patience::PATIENCE)
        .output()
        .unwrap();
    succeeded(output)
}

fn succeeded(output: Output) -> String {
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Tests an installation: help, version, plugins, a project, and a secret in a vault.
fn use_it(host: &Path, user: u32) {
    let home = public_folder();
    let home = home.path();
    chown(home, Some(user), Some(user)).unwrap();
    let run = |words: &[&str]| ran(command(host, user, home).args(words));

    let help = run(&["--help"]);
    assert!(
        help.contains("\n  cloud ") && help.contains("\n  init "),
        "{help}"
    );
    assert!(run(&["--version"]).starts_with("bot-cli 0."));
    let listed: Value = serde_json::from_str(&run(&["plugin", "list", "--json"])).unwrap();
    let plugins: Vec<_> = listed["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|plugin| (plugin["name"].as_str(), plugin["status"].as_str()))
        .collect();
    assert_eq!(
        plugins,
        ["cloud", "dev", "init", "plugin"].map(|name| (Some(name), Some("used")))
    );

    run(&["init", "quickstart"]);
    assert!(home.join("quickstart-project/server/bot.py").is_file());

    let set = "cloud secrets set canary --backend local --skip --file -";
    let mut set = assert_cmd::Command::from_std({
        let mut command = command(host, user, home);
        command.args(set.split(' '));
        command
    });
    let set = set.write_stdin(format!("CANARY={CANARY}\n"));
    succeeded(set.output().unwrap());
    let words = "cloud secrets run canary --backend local -- printenv CANARY";
    let value = run(&words.split(' ').collect::<Vec<_>>());
    assert_eq!(value.trim_end(), CANARY);
    assert_in_no_file(home, &[CANARY.to_owned()], "after `secrets set`");
}

/// Makes the installing user the owner of a tree, and makes the tree read-only.
fn hand_over(tree: &Path) {
    let mut command = Command::new("sh");
    let lines = "chown -R \"$1:$1\" \"$2\" && chmod -R a-w,a+rX \"$2\"";
    command
        .args(["-c", lines, "sh", &INSTALLER.to_string()])
        .arg(tree);
    ran(&mut command);
}
