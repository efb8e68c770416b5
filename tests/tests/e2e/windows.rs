//! The executables for Windows, under Wine, beside those for Linux.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bot_cli_tests::executable::executable;
use bot_cli_tests::wine::{Wine, windows_path};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A value that must be in no file and in no message.
const CANARY: &str = "canary-5d1f2c";

/// A user of Windows: a folder to work in, and folders for settings and data.
struct User {
    wine: &'static Wine,
    root: TempDir,
    keyring: &'static str,
}

impl User {
    fn new() -> Self {
        let user = Self {
            wine: Wine::get().unwrap(),
            root: tempfile::tempdir().unwrap(),
            keyring: "off",
        };
        for folder in ["work", "settings", "data"] {
            fs::create_dir(user.root.path().join(folder)).unwrap();
        }
        user
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, executable: &str, words: &[&str]) -> Command {
        let mut command = self.wine.command(executable);
        command
            .args(words)
            .current_dir(self.folder("work"))
            .env("XDG_CONFIG_HOME", windows_path(&self.folder("settings")))
            .env("XDG_DATA_HOME", windows_path(&self.folder("data")))
            .env("XDG_CACHE_HOME", windows_path(&self.folder("data")))
            .env("BOT_CLI_KEYRING", self.keyring);
        command
    }

    fn host(&self, words: &[&str]) -> Output {
        self.command("bot-cli", words).output().unwrap()
    }

    fn document(&self, words: &[&str]) -> Value {
        let output = self.host(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
    }

    /// All files below a folder.
    fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        files(&self.folder(folder))
    }
}

fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path.strip_prefix(root).unwrap().to_owned(), bytes);
            }
        }
    }
    found
}

fn linux(name: &str, words: &[&str], cwd: &Path) -> Output {
    Command::new(executable(name))
        .args(words)
        .current_dir(cwd)
        .env_clear()
        .env("HOME", cwd)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

#[test]
fn help_listings_and_options_are_those_of_linux() {
    let user = User::new();
    let work = user.folder("work");
    let version = user.host(&["--version"]);
    assert_eq!(
        version.stdout,
        linux("it-bot-cli", &["--version"], &work).stdout
    );

    let options = user
        .command("bot-cli-init", &["--list-options"])
        .output()
        .unwrap();
    assert!(options.stdout.len() > 1000, "{options:?}");
    let expected = linux("it-bot-cli-init", &["--list-options"], &work).stdout;
    assert_eq!(options.stdout, expected);

    let listed = user.document(&["--json", "plugin", "list"]);
    let rows = listed["result"]
        .as_array()
        .or(listed["result"]["plugins"].as_array())
        .unwrap();
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert!(
        names.contains(&"init") && names.contains(&"cloud"),
        "{listed}"
    );
    let help = text(&user.host(&["--help"]).stdout);
    assert!(
        help.contains("\n  init  ") && help.contains("\n  cloud "),
        "{help}"
    );
}

#[test]
fn a_project_is_the_same_byte_for_byte_and_is_never_overwritten() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scaffold");
    for case in ["everything", "phone_number_of_none"] {
        let config = cases.join(case).join("config.json");
        if !config.is_file() {
            continue;
        }
        let user = User::new();
        fs::copy(&config, user.folder("work").join("config.json")).unwrap();
        let words = ["init", "bot", "--config", "config.json"];
        let made = user.host(&words);
        assert_eq!(made.status.code(), Some(0), "{made:?}");

        let beside = tempfile::tempdir().unwrap();
        fs::copy(&config, beside.path().join("config.json")).unwrap();
        let expected = linux("it-bot-cli-init", &words[1..], beside.path());
        assert_eq!(expected.status.code(), Some(0), "{expected:?}");
        let expected = files(beside.path());
        let found = user.files("work");
        assert!(found.keys().eq(expected.keys()), "{:?}", found.keys());
        assert!(found == expected, "the bytes of a file differ");
    }
}
