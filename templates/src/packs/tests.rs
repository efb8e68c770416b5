//! Packs in folders: which are found, which are used, and why the others are not.

mod asked;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, json};

use super::{FoundPack, PackStanding, Reach, find};
use crate::pack::Taken;
use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::Discovery;
use bot_cli_protocol::UseSpec;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::question::{Answer, Question};
use bot_cli_sdk::session::{Context, Session};
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::{self, Capabilities, Level, Ui};

struct Fixture {
    folder: tempfile::TempDir,
    discovery: Discovery,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let variable = |name: &str| match name {
            "HOME" => Some(home.clone().into_os_string()),
            _ => None,
        };
        let user = bot_cli_engine::discovery::user();
        let discovery = Discovery::new(Some(home.join("bin/bot-cli")), variable, user);
        fs::create_dir_all(home.join("bin")).unwrap();
        Self { folder, discovery }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// An executable `bot-cli-NAME` with the members of a manifest and a script behind it.
    fn script(&self, name: &str, members: &str, script: &str) -> PathBuf {
        let head = format!(r#"{{"protocol":"1.0","name":"{name}","version":"1.0.0",{members}}}"#);
        let text = format!("#!/bin/sh\n# bot-cli-plugin: {head}\n{script}\n");
        let file = self.write(&format!("bin/bot-cli-{name}"), &text);
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        file
    }

    /// A folder pack with the lines of its `pack.toml`.
    fn folder_pack(&self, name: &str, declared: &str, provider: &str) -> PathBuf {
        let folder = format!(".local/share/bot-cli/packs/{name}");
        self.write(&format!("{folder}/providers/acme.toml"), provider);
        self.write(&format!("{folder}/pack.toml"), declared)
    }

    fn packs(&self) -> Vec<FoundPack> {
        let user = user();
        find(
            &self.discovery,
            Some(&user),
            Taken::default,
            Reach::CacheOnly,
        )
    }

    fn one(&self) -> FoundPack {
        let mut packs = self.packs();
        assert_eq!(packs.len(), 1, "{packs:?}");
        packs.remove(0)
    }

    fn ask(&self) -> FoundPack {
        let user = user();
        let cwd = self.folder.path().to_owned();
        let context = Context::new(&cwd);
        let session = Session::new(Box::new(Silent), context, Map::new(), Cancel::new());
        let relay = session.relay("packs");
        let reach = Reach::Start { relay: &relay, cwd };
        let mut packs = find(&self.discovery, Some(&user), Taken::default, reach);
        packs.remove(0)
    }
}

/// Nobody.
struct Silent;

impl Ui for Silent {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn ask(&mut self, _: &Question) -> Result<Answer, Failure> {
        Err(ui::withdrawn())
    }

    fn progress(&mut self, _: &str, _: Option<u64>, _: Option<u64>) {}

    fn log(&mut self, _: Level, _: &str) {}

    fn output(&mut self, _: &str) {}

    fn stdin(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }
}

fn user() -> User {
    let uses = UseSpec::new("1.0").framework("1.14.0");
    User::new("bot-cli-init", "0.1.0", uses)
}

/// A provider with a service `id`.
fn provider(id: &str) -> String {
    json!({
        "label": "Acme",
        "site": "https://acme.example",
        "env": { "ACME_API_KEY": { "about": "API key", "secret": true } },
        "service": [{
            "id": id, "kind": "stt", "label": "Acme Fast", "packages": ["acme>=1,<2"],
            "module": "acme", "class": "AcmeSTTService",
            "args": [{ "name": "api_key", "env": "ACME_API_KEY" }],
        }],
    })
    .to_string()
}

const PROVIDER_FILE: &str = r#"
label = "Acme"
site = "https://acme.example"
env.ACME_API_KEY = { about = "API key", secret = true }

[[service]]
id = "acme_stt"
kind = "stt"
label = "Acme Fast"
packages = ["acme>=1,<2"]
module = "acme"
class = "AcmeSTTService"
args = [{ name = "api_key", env = "ACME_API_KEY" }]
"#;

const PACK: &str = r#""role":"provider-pack","catalogue":"1.0""#;

/// The identifiers of its services, or why it has none.
fn brings(pack: &FoundPack) -> String {
    match &pack.standing {
        PackStanding::Used(contents) => {
            let services = contents.providers.iter().flat_map(|it| &it.services);
            let ids: Vec<&str> = services.map(|service| service.id.as_str()).collect();
            let left_out = contents.left_out.iter();
            let left_out = left_out.map(|it| format!("{}: {}", it.what, it.reason()));
            let all: Vec<String> = ids.into_iter().map(str::to_owned).chain(left_out).collect();
            all.join(", ")
        }
        PackStanding::Unasked => "unasked".to_owned(),
        PackStanding::Shadowed(by) => {
            format!("shadowed by {}", by.file_name().unwrap().to_string_lossy())
        }
        PackStanding::Refused(refused) => refused.to_string(),
    }
}

#[test]
fn a_pack_is_a_file_or_a_folder() {
    let place = Fixture::new();
    place.script(
        "pack-beta",
        &format!(r#"{PACK},"providers":[{}]"#, provider("beta_stt")),
        "",
    );
    place.folder_pack(
        "acme",
        "version = \"2.1.0\"\nabout = \"Fast\"\ncatalogue = \"1.0\"\n",
        PROVIDER_FILE,
    );
    let packs = place.packs();
    let told: Vec<String> = packs
        .iter()
        .map(|pack| format!("{} {} {}", pack.name, pack.version, brings(pack)))
        .collect();
    assert_eq!(told, ["acme 2.1.0 acme_stt", "beta 1.0.0 beta_stt"]);
    assert_eq!(packs[0].about, "Fast");
}

#[test]
fn a_name_is_one_pack() {
    let place = Fixture::new();
    place.script(
        "pack-acme",
        &format!(r#"{PACK},"providers":[{}]"#, provider("acme_stt")),
        "",
    );
    place.folder_pack(
        "acme",
        "version = \"2.0.0\"\ncatalogue = \"1.0\"\n",
        PROVIDER_FILE,
    );
    let told: Vec<String> = place.packs().iter().map(brings).collect();
    assert_eq!(told, ["acme_stt", "shadowed by acme"]);
    // A folder that is none leaves the name to others.
    fs::remove_file(
        place
            .folder
            .path()
            .join(".local/share/bot-cli/packs/acme/pack.toml"),
    )
    .unwrap();
    let told: Vec<String> = place.packs().iter().map(brings).collect();
    assert_eq!(told, ["it has no `pack.toml`", "acme_stt"]);
}

#[test]
fn two_packs_do_not_have_the_same_identifier() {
    let place = Fixture::new();
    let list = |id: &str| format!(r#"{PACK},"providers":[{}]"#, provider(id));
    place.script("pack-acme", &list("acme_fast_stt"), "");
    place.script("pack-acme-fast", &list("acme_fast_stt"), "");
    let told: Vec<String> = place.packs().iter().map(brings).collect();
    assert_eq!(
        told,
        [
            "acme_fast_stt",
            "acme_fast_stt: `id` is that of pack `acme`"
        ]
    );
}

#[test]
fn what_is_not_used_is_told_in_a_line_with_the_mend() {
    let providers = format!(r#""providers":[{}]"#, provider("acme_stt"));
    for (members, expected) in [
        (
            format!(r#""role":"provider-pack",{providers}"#),
            "its manifest has no `catalogue`; its author adds `\"catalogue\":\"1.0\"`",
        ),
        (
            format!(r#"{PACK},"version":"new",{providers}"#),
            "its version `new` is not a semantic version; its author writes a version such as `1.0.0`",
        ),
        (
            format!(r#""role":"command",{providers}"#),
            "its role is `command`, not `provider-pack`; its author changes the role in its manifest, or the name of the file",
        ),
        (
            PACK.to_owned(),
            "its manifest has no `providers`; its author adds them, or `\"providers\":\"dynamic\"`",
        ),
        (
            format!(r#"{PACK},"providers":"later""#),
            "`providers` must be a list",
        ),
    ] {
        let place = Fixture::new();
        place.script("pack-acme", &members, "");
        assert_eq!(brings(&place.one()), expected, "{members}");
    }
    let place = Fixture::new();
    place.write("bin/bot-cli-pack-acme", "#!/bin/sh\n");
    let pack = place.one();
    assert!(
        brings(&pack).starts_with("not executable; chmod +x "),
        "{pack:?}"
    );
    fs::set_permissions(&pack.place, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(
        brings(&place.one()),
        "it declares no manifest; its author adds a manifest with `\"role\":\"provider-pack\"`"
    );
}

#[test]
fn the_files_of_a_folder_are_read_one_by_one() {
    let place = Fixture::new();
    let file = place.folder_pack(
        "acme",
        "version = \"1.0.0\"\ncatalogue = \"1.0\"\n",
        PROVIDER_FILE,
    );
    let folder = file.parent().unwrap().to_owned();
    fs::write(folder.join("providers/broken.toml"), "label = \"\nx").unwrap();
    fs::write(folder.join("providers/hidden.txt"), "no provider").unwrap();
    fs::write(
        folder.join("providers/long.toml"),
        "x".repeat(10 * 1024 * 1024),
    )
    .unwrap();
    let told = brings(&place.one());
    let expected = "acme_stt, providers/broken.toml: it can't be read: line 2: ";
    assert!(told.starts_with(expected), "{told}");
    assert!(
        told.ends_with(", providers/long.toml: it is longer than 1024 KiB"),
        "{told}"
    );
    fs::write(&file, "version = 1").unwrap();
    let told = brings(&place.one());
    assert!(
        told.starts_with("`pack.toml` can't be read: line 1: "),
        "{told}"
    );
}

#[test]
fn a_folder_that_others_can_change_is_no_pack() {
    let place = Fixture::new();
    let file = place.folder_pack(
        "acme",
        "version = \"1.0.0\"\ncatalogue = \"1.0\"\n",
        PROVIDER_FILE,
    );
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let provider = file.parent().unwrap().join("providers/acme.toml");
    mode(&provider, 0o666);
    let told = brings(&place.one());
    assert!(
        told.contains("is not trusted: ") && told.ends_with("is writable by every user"),
        "{told}"
    );
    mode(&provider, 0o644);
    mode(file.parent().unwrap(), 0o777);
    let told = brings(&place.one());
    assert!(
        told.contains("is writable by every user; chmod o-w "),
        "{told}"
    );
}

#[test]
fn names_of_folders_are_names_of_packs() {
    let place = Fixture::new();
    for name in [
        "Acme",
        "a_b",
        "-a",
        "a--b",
        "ümlaut",
        &"a".repeat(40),
        ".hidden",
    ] {
        place.folder_pack(
            name,
            "version = \"1.0.0\"\ncatalogue = \"1.0\"\n",
            PROVIDER_FILE,
        );
    }
    let packs = place.packs();
    assert_eq!(packs.len(), 6);
    for pack in packs {
        assert!(brings(&pack).starts_with("its name is "), "{pack:?}");
    }
}
