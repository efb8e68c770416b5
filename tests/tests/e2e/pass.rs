//! The sample of a secrets backend in Python, on a real password store.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bot_cli_tests::bench::Bench;
use serde_json::{Value, json};

/// A secret that must be nowhere but in the store.
const CANARY: &str = "canary-7c1e";

/// A password store with a key of its own, and the backend.
struct Store {
    bench: Bench,
    /// In a folder with a short path, because agents listen on a socket in it.
    keys: tempfile::TempDir,
}

impl Store {
    fn new(passphrase: &str) -> Self {
        let bench = Bench::new(&[
            ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
            ("bot-cli-cloud", env!("CARGO_BIN_EXE_it-bot-cli-cloud")),
        ]);
        let keys = tempfile::Builder::new().prefix("gpg").tempdir_in("/tmp");
        let mut store = Self {
            bench: bench.unwrap(),
            keys: keys.unwrap(),
        };
        let path = std::env::var("PATH").unwrap_or_default();
        let own = ["plugins", "bin"].map(|it| store.bench.path(it).display().to_string());
        store.bench.set("PATH", format!("{}:{path}", own.join(":")));
        store.sh(&format!(
            "gpg --batch --quiet --pinentry-mode loopback --passphrase '{passphrase}' --quick-generate-key bot@example.org default default never \
             && pass init bot@example.org"
        ));
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk/python");
        store.sh(&format!(
            "cp -r {0}/samples/pass/plugin.py {0}/bot_cli_sdk . && python3 plugin.py --build && mkdir -p ../plugins && mv bot-cli-secrets-pass ../plugins",
            sample.display()
        ));
        // A key that has just been made is not locked.
        store.forget();
        store
    }

    fn settings(&self) -> String {
        let folder = self.bench.path("store");
        format!(
            "store={} gnupg={}",
            folder.display(),
            self.keys.path().display()
        )
    }

    fn plugin(&self) -> PathBuf {
        self.bench.path("plugins/bot-cli-secrets-pass")
    }

    fn sh(&self, script: &str) -> String {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let output = Command::new("sh")
            .args(["-euc", script])
            .current_dir(self.bench.path("work"))
            .env("PATH", path)
            .env("GNUPGHOME", self.keys.path())
            .env("PASSWORD_STORE_DIR", self.bench.path("store"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn forget(&self) {
        self.sh("gpgconf --kill all");
    }

    /// Sends requests to one process, after `secrets/open`, and returns the results and the data of errors.
    fn replies(&self, requests: &[(&str, Value)]) -> Vec<Value> {
        let settings = json!({"store": self.bench.path("store"), "gnupg": self.keys.path()});
        let open = ("open", json!({"secrets": "1.0", "settings": settings}));
        let mut lines = String::new();
        for (id, (method, params)) in [open].iter().chain(requests).enumerate() {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": format!("secrets/{method}"), "params": params});
            lines.extend([message.to_string(), "\n".to_owned()]);
        }
        fs::write(self.bench.path("work/requests"), lines).unwrap();
        let output = self.sh(&format!("{} <requests", self.plugin().display()));
        fs::remove_file(self.bench.path("work/requests")).unwrap();
        let replies = output
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let replies = replies.map(|reply| {
            reply
                .get("result")
                .unwrap_or(&reply["error"]["data"])
                .clone()
        });
        replies.skip(1).collect()
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.forget();
    }
}

#[test]
fn the_backend_on_pass_keeps_the_whole_contract() {
    let store = Store::new("");
    let mut host = store.bench.host(&[
        "plugin",
        "check",
        "--json",
        "-q",
        "--timeout",
        "60",
        "--argv",
    ]);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let host = host
        .arg(store.settings())
        .arg(store.plugin())
        .env("PATH", path);
    let output = host.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let passed = checks.iter().filter(|check| check["verdict"] == "passed");
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert!(passed.count() > 50, "{report:#}");
    assert_eq!(store.sh("find ../store -name '*.gpg'"), "");
}

#[test]
fn a_set_in_the_password_store_is_what_run_uses_and_pass_shows_it() {
    let store = Store::new("");
    store.bench.shows(&format!(
        "
        $ bot-cli cloud config set pass.store [BENCH]/store && bot-cli cloud config set pass.gnupg {} && bot-cli cloud config set backend pass
        ...
        $ bot-cli cloud secrets set prod OPENAI_API_KEY={CANARY} --skip
        ...
        $ bot-cli cloud secrets run prod -- sh -c 'echo $OPENAI_API_KEY' 2>/dev/null
        {CANARY}
        ",
        store.keys.path().display()
    ));
    let shown: Value = serde_json::from_str(&store.sh("pass show bot-cli/default/prod")).unwrap();
    assert_eq!(
        shown,
        json!({"kind": "secret", "values": {"OPENAI_API_KEY": CANARY}})
    );
    store.bench.shows(
        "
        $ bot-cli cloud secrets delete prod --skip
        ...
        ",
    );
    assert_eq!(store.sh("find ../store -name '*.gpg'"), "");
}

#[test]
fn values_are_in_no_argument_and_no_environment_and_come_back_as_they_were() {
    let store = Store::new("");
    let seen = store.bench.path("seen");
    let real = store.sh("command -v pass");
    let recording = format!(
        "#!/bin/sh\n{{ env; echo \"$@\"; }} >>{}\nexec {} \"$@\"\n",
        seen.display(),
        real.trim()
    );
    let file = store.bench.script("recording/pass", &recording).unwrap();
    let value = format!("{CANARY}{}", "\r\n\tžluť \u{0}\u{1}\u{7f} \n\n");
    let put = json!({"name": "prod", "entries": {"A": value, "B": ""}, "prior": "absent"});
    let requests = [
        ("put", put),
        ("values", json!({"name": "prod"})),
        ("get", json!({"name": "other"})),
    ];
    let before = store.plugin();
    let wrapped = store.bench.path("plugins/wrapped");
    fs::rename(&before, &wrapped).unwrap();
    let path = format!("{}:$PATH", file.parent().unwrap().display());
    store
        .bench
        .script(
            "plugins/bot-cli-secrets-pass",
            &format!("#!/bin/sh\nPATH={path} exec {}\n", wrapped.display()),
        )
        .unwrap();
    let replies = store.replies(&requests);
    assert_eq!(replies[1], json!({"values": {"A": value, "B": ""}}));
    assert_eq!(replies[2], json!({"set": null}));
    let seen = fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("insert --multiline --force bot-cli/default/prod"),
        "{seen}"
    );
    assert!(!seen.contains(CANARY));
}

#[test]
fn a_locked_key_a_foreign_entry_and_a_key_that_is_gone_are_told_apart() {
    let store = Store::new("a passphrase");
    // To encrypt needs no passphrase, to read does.
    let put = (
        "put",
        json!({"name": "prod", "entries": {"A": CANARY}, "prior": "absent"}),
    );
    assert_eq!(store.replies(&[put])[0], json!({}));
    let locked = json!({"code": "not_signed_in", "hints": ["pass show bot-cli/default/prod"]});
    let with_effect = |effect: &str| {
        let mut data = locked.clone();
        data["effect"] = json!(effect);
        data
    };
    let add = json!({"name": "prod", "entries": {"B": "2"}, "prior": {"keys": ["A"]}});
    let replies = store.replies(&[
        ("list", json!({})),
        ("get", json!({"name": "prod"})),
        ("values", json!({"name": "prod"})),
        ("put", add),
    ]);
    assert_eq!(replies[0]["sets"][0]["name"], "prod");
    assert_eq!(replies[1..3], [locked.clone(), locked.clone()]);
    assert_eq!(replies[3], with_effect("not_done"));

    let store = Store::new("");
    store.sh("echo mine | pass insert --multiline bot-cli/default/other");
    let change = json!({"name": "other", "entries": {"B": "2"}, "prior": {"keys": []}});
    let replies = store.replies(&[("put", change), ("delete", json!({"name": "other"}))]);
    for reply in replies {
        assert_eq!(reply, json!({"code": "foreign", "effect": "not_done"}));
    }
    assert_eq!(store.sh("pass show bot-cli/default/other"), "mine\n");

    store.sh("echo nobody@example.org >../store/.gpg-id");
    let put = json!({"name": "prod", "entries": {"A": CANARY}, "prior": "absent"});
    assert_eq!(
        store.replies(&[("put", put)])[0],
        json!({"code": "refused", "effect": "not_done"})
    );
}
