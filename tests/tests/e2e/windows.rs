//! The Windows executables under Wine, compared with those for Linux.

mod plugins;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use bot_cli_tests::executable::executable;
use bot_cli_tests::init::tree;
use bot_cli_tests::wine::{Wine, windows_path};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// A value that must not appear in any file or message.
const CANARY: &str = "canary-5d1f2c";

/// A Windows user, with a working folder and folders for settings and data.
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

    /// Returns all files below a folder.
    fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        files(&self.folder(folder))
    }
}

fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = tree(root);
    found.retain(|name, _| !name.ends_with('/'));
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
    let rows = listed["plugins"].as_array().unwrap();
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

/// Runs `init` on both systems and asserts that the status, the output and the files are the same. Ignores the command that copies replaced
/// files back, which depends on the shell. Returns the status and the output on Windows.
fn both(user: &User, beside: &Path, words: &[&str], case: &str) -> (Option<i32>, String) {
    let made = user.host(&[&["init"], words].concat());
    let expected = linux("it-bot-cli-init", words, beside);
    assert_eq!(made.status.code(), expected.status.code(), "{made:?}");
    // Only the line that copies files back is in the words of each system's shell.
    let of_every_shell = |output: &[u8]| {
        let text = text(output);
        let lines = text
            .lines()
            .filter(|line| !line.contains(".bot-cli/before/files"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        of_every_shell(&made.stdout),
        of_every_shell(&expected.stdout),
        "{case}"
    );
    let (found, expected) = (user.files("work"), files(beside));
    assert!(
        found.keys().eq(expected.keys()),
        "{case}: {:?}",
        found.keys()
    );
    for (path, bytes) in found {
        assert!(expected[&path] == bytes, "{case}: {path}");
    }
    (made.status.code(), text(&made.stderr))
}

#[test]
fn a_project_is_the_same_byte_for_byte_and_is_never_overwritten() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/scaffold");
    for case in ["everything", "telephone", "web_client_nextjs"] {
        let config = cases.join(case).join("config.json");
        let words = ["bot", "--config", "config.json"];
        let (user, beside) = (User::new(), tempfile::tempdir().unwrap());
        let folders = [user.folder("work"), beside.path().to_owned()];
        for folder in &folders {
            fs::copy(&config, folder.join("config.json")).unwrap();
        }
        // The second time nothing has changed, so nothing is written.
        for _ in 0..2 {
            assert_eq!(both(&user, beside.path(), &words, case).0, Some(0));
        }
        // A file of the user's own is in the way.
        for folder in &folders {
            fs::write(folder.join("bot/server/bot.py"), "mine\n").unwrap();
        }
        let (status, stderr) = both(&user, beside.path(), &words, case);
        assert_ne!(status, Some(0), "{stderr}");
        assert!(stderr.contains("server/bot.py"), "{stderr}");
    }
}

#[test]
fn an_update_keeps_edits_as_on_linux() {
    let (user, beside) = (User::new(), tempfile::tempdir().unwrap());
    let made = both(&user, beside.path(), &["quickstart"], "made");
    assert_eq!(made.0, Some(0), "{made:?}");
    // git may have given all lines the ends of Windows, and the user has added one.
    let edited = "quickstart-project/server/bot.py";
    for folder in [&user.folder("work"), beside.path()] {
        let path = folder.join(edited);
        let code = fs::read_to_string(&path).unwrap();
        let code = format!("{code}\n\nMINE = 1\n").replace('\n', "\r\n");
        fs::write(path, code).unwrap();
    }
    let update = ["quickstart-project", "--update", "--recording"];
    let updated = both(&user, beside.path(), &update, "updated");
    assert_eq!(updated.0, Some(0), "{updated:?}");
    let code = text(&user.files("work")[edited]);
    assert!(
        code.contains("\nMINE = 1\n") && code.contains("recording"),
        "{code}"
    );
}

#[test]
fn a_vault_keeps_and_gives_back_a_set() {
    let mut user = User::new();
    user.sets_and_runs();
    let key = fs::read_to_string(user.key()).unwrap();
    assert!(key.starts_with("AGE-SECRET-KEY-1"), "{key}");

    // With the key in the Credential Manager.
    user = User::new();
    user.keyring = "auto";
    user.sets_and_runs();
    let key = fs::read_to_string(user.key()).unwrap();
    assert!(key.starts_with("keyring = \"vault-"), "{key}");

    // A new key takes the place of the old one.
    let rekeyed = user.document(&["--json", "cloud", "vault", "rekey"]);
    assert_eq!(rekeyed["key"], "keyring", "{rekeyed}");
    assert_ne!(fs::read_to_string(user.key()).unwrap(), key);
    user.runs();
}

impl User {
    fn key(&self) -> PathBuf {
        self.folder("data").join("bot-cli/vault/vault.key")
    }

    fn sets_and_runs(&self) {
        let pair = format!("TOKEN={CANARY}");
        let set = ["cloud", "secrets", "set", "prod", &pair, "--skip"];
        let saved = self.host(&set);
        assert_eq!(saved.status.code(), Some(0), "{saved:?}");
        self.runs();
        for folder in ["data", "settings", "work"] {
            for (path, bytes) in self.files(folder) {
                let bytes = String::from_utf8_lossy(&bytes);
                assert!(!bytes.contains(CANARY), "{path}");
            }
        }
    }

    /// Asserts that a program gets the secret values and the user's streams, and that its exit status becomes the command's.
    fn runs(&self) {
        let program = ["cmd", "/c", "echo %TOKEN%& exit 7"];
        let words = ["cloud", "secrets", "run", "prod", "--"];
        let run = self.host(&[&words[..], &program].concat());
        assert_eq!(run.status.code(), Some(7), "{run:?}");
        assert_eq!(text(&run.stdout).trim(), CANARY);
        let none = self.host(&[&words[..], &["no-such-program"]].concat());
        assert_eq!(none.status.code(), Some(127), "{none:?}");
        assert!(!text(&none.stderr).contains(CANARY), "{none:?}");
        let document = self.document(&[&["--json"], &words[..], &program].concat());
        assert_eq!(document["exit"], 7, "{document}");
    }
}

/// Ctrl-C ends the processes that a plugin started. Ending the host in any other way has the same effect.
#[test]
fn no_process_is_left_behind() {
    let user = User::new();
    let saved = user.host(&["cloud", "secrets", "set", "prod", "A=1", "--skip"]);
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    let driven = &["--json", "cloud", "secrets", "run", "prod", "--", "sleeper"][..];
    for (words, signal, status) in [
        (driven, Signal::INT, Some(130)),
        (driven, Signal::KILL, None),
        // The plugin has the user's streams.
        (&driven[1..], Signal::KILL, None),
    ] {
        let mut host = user
            .command("bot-cli", words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(host.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("asleep") {
            line.clear();
            assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "{words:?}");
        }
        // Wine hands this signal over as Ctrl-C.
        kill_process(Pid::from_child(&host), signal).unwrap();
        assert_eq!(host.wait().unwrap().code(), status, "{words:?}");
        // The sleeper has this stream, too: it ends with the last of them.
        stderr.read_to_string(&mut line).unwrap();
        assert!(!line.contains("awake"), "{words:?}: {line}");
    }
}
