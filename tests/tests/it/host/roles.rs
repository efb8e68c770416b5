//! Tests for plugins that are not commands: their effect on the plugin list, the commands, completion and help. None of these may start the
//! plugins.

use std::fs;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use serde_json::{Value, json};

use super::{bench, expect};

/// Returns the manifest of a command that uses packs and backends.
fn maker() -> Value {
    json!({
        "protocol": "1.0", "name": "make", "version": "0.3.0", "about": "Make bots",
        "uses": {
            "provider-pack": { "schema": "1.0", "framework": "1.14.0" },
            "secrets-backend": { "schema": "1.0", "names": ["local"] },
        },
        "command": { "name": "make" },
    })
}

/// Returns the manifest of a valid pack.
pub fn pack(name: &str) -> Value {
    json!({
        "protocol": "1.0", "name": format!("pack-{name}"), "version": "1.2.0", "about": "Services of Acme",
        "role": "provider-pack", "catalogue": "1.0", "framework": ">=1.14,<2",
        "providers": [{
            "label": "Acme", "site": "https://acme.example",
            "env": { "ACME_API_KEY": { "about": "API key", "secret": true } },
            "service": [service(&format!("{name}_stt"), "stt")],
        }],
    })
}

/// Returns the declaration of a valid service.
pub fn service(id: &str, kind: &str) -> Value {
    json!({
        "id": id, "kind": kind, "label": format!("Service {id}"), "packages": ["acme>=1,<2"],
        "module": "acme.services", "class": "AcmeService",
        "args": [{ "name": "api_key", "env": "ACME_API_KEY" }],
    })
}

fn backend(name: &str) -> Value {
    json!({
        "protocol": "1.0", "name": format!("secrets-{name}"), "version": "1.0.0", "about": "Keeps secrets",
        "role": "secrets-backend", "secrets": "1.0",
        "settings": [{ "name": "address", "about": "Where it is", "required": true }, { "name": "team" }],
    })
}

/// Installs a plugin that records when it is started.
pub fn install(bench: &Bench, manifest: &Value) {
    let name = manifest["name"].as_str().unwrap();
    let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\ntouch \"$HOME/started\"\n");
    bench
        .script(&format!("plugins/bot-cli-{name}"), &script)
        .unwrap();
}

/// Writes a pack to the user's pack folder.
pub fn folder(bench: &Bench, name: &str, declared: &str, provider: &str) {
    let place = bench.path(&format!("home/.local/share/bot-cli/packs/{name}"));
    write_folder(&place, declared, provider);
}

/// Writes a pack to any folder.
pub fn write_folder(place: &Path, declared: &str, provider: &str) {
    fs::create_dir_all(place.join("providers")).unwrap();
    fs::write(place.join("pack.toml"), declared).unwrap();
    fs::write(place.join("providers/acme.toml"), provider).unwrap();
}

pub const DECLARED: &str = "version = \"0.1.0\"\nabout = \"From files\"\ncatalogue = \"1.0\"\n";

pub const PROVIDER: &str = r#"
label = "Files"
site = "https://files.example"
[env.FILES_MODEL]
about = "Model"
[[service]]
id = "files_llm"
kind = "llm"
label = "Files"
packages = ["files>=1,<2"]
module = "files.llm"
class = "FilesLLM"
args = [{ name = "settings.model", env = "FILES_MODEL", default = "one" }]
prompt = "settings.system_instruction"
"#;

/// Creates a bench with a command that uses provider packs and secrets backends, together with plugins of both kinds.
fn bench_with_roles() -> Bench {
    let bench = bench();
    install(&bench, &maker());
    install(&bench, &pack("acme"));
    folder(&bench, "files", DECLARED, PROVIDER);
    install(&bench, &backend("safe"));
    bench
}

fn nothing_was_started(bench: &Bench) {
    assert!(!bench.path("home/started").exists());
}

#[test]
fn the_list_says_who_uses_a_pack_or_backend_or_why_nobody_does() {
    let bench = bench_with_roles();
    let changed = |mut manifest: Value, change: &dyn Fn(&mut Value)| {
        change(&mut manifest);
        install(&bench, &manifest);
    };
    changed(pack("old"), &|it| it["framework"] = json!("<1.14"));
    changed(pack("next"), &|it| it["catalogue"] = json!("2.0"));
    changed(pack("newer"), &|it| {
        it["catalogue"] = json!("1.2");
        let services = &mut it["providers"][0]["service"];
        *services = json!([service("newer_stt", "stt"), service("newer_tts", "tts")]);
        services[1]["warmth"] = json!(3);
    });
    changed(pack("needy"), &|it| {
        it["requires"] = json!({ "bot-cli-make": ">=0.4" });
    });
    changed(pack("deepgram"), &|_| ());
    changed(pack("files"), &|_| ());
    changed(backend("local"), &|_| ());
    changed(backend("later"), &|it| it["secrets"] = json!("2.0"));
    changed(backend("x"), &|it| it["name"] = json!("keeper"));
    changed(backend("x"), &|it| {
        it["name"] = json!("sun");
        it["role"] = json!("weather");
    });
    let ran = bench.run(&["plugin", "list"]).unwrap();
    assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
    crate::assert_snapshot("host/roles/list.txt", &ran.stdout);
    nothing_was_started(&bench);
}

#[test]
fn a_pack_or_a_part_of_it_that_is_not_used_is_told_in_a_line_with_the_mend() {
    let bench = bench_with_roles();
    let changed = |name: &str, key: &str, value: Value| {
        let mut manifest = pack(name);
        *manifest.pointer_mut(key).unwrap() = value;
        install(&bench, &manifest);
    };
    changed("bare", "/catalogue", json!(null));
    changed("dynamic", "/providers", json!("dynamic"));
    changed("empty", "/providers", json!(null));
    changed("tool", "/role", json!("command"));
    changed("unversioned", "/version", json!("new"));
    for name in ["twin", "twin-too"] {
        changed(name, "/providers/0/service/0/id", json!("twin_too_stt"));
    }
    for (name, mode) in [("plain", 0o644), ("undeclared", 0o755)] {
        let file = format!("plugins/bot-cli-pack-{name}");
        bench.put(&file, "#!/bin/sh\n");
        bench.mode(&file, mode).unwrap();
    }
    let long = "a".repeat(40);
    for name in [
        "Acme", "a_b", "-a", "a--b", "ümlaut", &long, ".hidden", "open", "torn",
    ] {
        folder(&bench, name, DECLARED, PROVIDER);
    }
    let packs = "home/.local/share/bot-cli/packs";
    let write = |file: &str, text: &str| fs::write(bench.path(packs).join(file), text).unwrap();
    write("torn/pack.toml", "version = 1");
    bench.mode(&format!("{packs}/open"), 0o777).unwrap();
    // A folder that is no pack leaves the name to others.
    fs::create_dir(bench.path(packs).join("acme")).unwrap();
    write("files/providers/broken.toml", "label = \"\nx");
    write("files/providers/hidden.txt", "no provider");
    write("files/providers/long.toml", &"x".repeat(10 * 1024 * 1024));
    write("files/providers/open.toml", PROVIDER);
    let file = format!("{packs}/files/providers/open.toml");
    bench.mode(&file, 0o666).unwrap();
    let ran = bench.run(&["plugin", "list"]).unwrap();
    assert_eq!((ran.status, &*ran.stderr), (Some(0), ""));
    crate::assert_snapshot("host/roles/packs.txt", &ran.stdout);
    nothing_was_started(&bench);
}

#[test]
fn programs_read_the_same_of_packs_and_backends() {
    let bench = bench_with_roles();
    let mut old = pack("old");
    old["framework"] = json!("<1.14");
    install(&bench, &old);
    let ran = bench.run(&["plugin", "list", "--json"]).unwrap();
    let list: Value = serde_json::from_str(&ran.stdout).unwrap();
    let of = |name: &str| {
        let mut rows = list["plugins"].as_array().unwrap().iter();
        let mut row = rows.find(|row| row["name"] == name).unwrap().clone();
        for known in ["name", "file", "version", "about", "role", "protocol"] {
            row.as_object_mut().unwrap().remove(known);
        }
        row
    };
    let used = |services: Value| json!({ "status": "used", "used_by": ["make"], "services": services, "left_out": [] });
    assert_eq!(of("pack-acme"), used(json!(["acme_stt"])));
    assert_eq!(of("pack-files"), used(json!(["files_llm"])));
    assert_eq!(
        of("secrets-safe"),
        json!({ "status": "used", "used_by": ["make"] })
    );
    assert_eq!(
        of("pack-old"),
        json!({
            "status": "refused",
            "reason": "it was made for pipecat-ai <1.14, bot-cli-make 0.3.0 makes projects for 1.14.0",
            "hint": "install versions of both that fit each other",
        })
    );
}

#[test]
fn a_pack_or_backend_that_is_run_says_what_it_is_for_and_how_it_is_used() {
    bench_with_roles().shows(
        "
        $ bot-cli pack-acme
        ! error: `pack-acme` is a provider pack, not a command
        ! hint: bot-cli plugin info pack-acme
        = 2
        $ bot-cli secrets-safe --verbose
        ! error: `secrets-safe` is a secrets backend, not a command
        ! hint: bot-cli plugin info secrets-safe
        = 2
        $ bot-cli pack-none
        ! error: `bot-cli` has no command `pack-none`
        ! hint: there is no file `bot-cli-pack-none` in `[BENCH]/home/.local/share/bot-cli/plugins`, `[BENCH]/bin` or a folder of PATH
        ! hint: once you have the file: bot-cli plugin add FILE
        ! hint: bot-cli --help
        = 127
        $ bot-cli secrets-safe --help
        ! error: `secrets-safe` is a secrets backend, not a command
        ! hint: bot-cli plugin info secrets-safe
        = 2
        $ test -e ~/started
        = 1
        ",
    );
}

#[test]
fn services_of_packs_are_completed_by_the_command_that_uses_them() {
    let bench = bench();
    let init = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    bench.install(init, "bin/bot-cli-init").unwrap();
    folder(&bench, "files", DECLARED, PROVIDER);
    for (words, expected) in [
        (&["init", "--llm", "fil"][..], "files_llm\tFiles\n"),
        (&["init", "--llm=files"], "--llm=files_llm\tFiles\n"),
        (&["init", "--stt", "files"], ""),
    ] {
        let arguments = [&["__complete", "zsh", "--"], words].concat();
        expect(&bench, &arguments, 0, &format!("nothing\n{expected}"), "");
    }
}

#[test]
fn what_is_built_in_is_not_a_packs_or_backends() {
    let bench = bench();
    let mut maker = maker();
    maker["uses"]["secrets-backend"]["names"] = json!(["hosted"]);
    install(&bench, &maker);
    let mut mine = pack("acme");
    let reading = |id: &str, variable: &str| {
        let mut service = service(id, "stt");
        service["args"] = json!([{ "name": "key", "env": variable }]);
        service
    };
    let provider = &mut mine["providers"][0];
    for variable in ["DEEPGRAM_API_KEY", "LIVEKIT_URL", "ACME_OWN"] {
        provider["env"][variable] = json!({ "about": "Key", "secret": true });
    }
    provider["service"] = json!([
        reading("acme_stt", "DEEPGRAM_API_KEY"),
        reading("acme_room_stt", "LIVEKIT_URL"),
        reading("acme_own_stt", "ACME_OWN"),
    ]);
    install(&bench, &mine);
    install(&bench, &backend("hosted"));
    let ran = bench.run(&["plugin", "list"]).unwrap();
    let pack = format!("{}: ", bench.path("plugins/bot-cli-pack-acme").display());
    let pack = pack.replace(&bench.path("").display().to_string(), "[BENCH]/");
    for line in [
        format!("{pack}acme_stt is left out: `env.DEEPGRAM_API_KEY.about` must be `API key`, as in the built-in `deepgram_stt`\n"),
        format!("{pack}acme_room_stt is left out: `env.LIVEKIT_URL` is a variable of the transport `livekit`\n"),
        "[BENCH]/plugins/bot-cli-secrets-hosted: `hosted` is the name of a backend that is built in\n".to_owned(),
    ] {
        assert!(ran.stdout.contains(&line), "{line}\n{}", ran.stdout);
    }
    let file = "../plugins/bot-cli-pack-acme";
    let (status, checked) = super::check::report(&bench, file, &[]);
    assert_eq!(
        (status, super::check::checks(&checked, "failed")),
        (Some(1), vec!["pack_services"])
    );
    nothing_was_started(&bench);
}
