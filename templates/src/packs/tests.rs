use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::{FoundPack, PackStanding, find};
use crate::pack::Taken;
use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::Discovery;
use bot_cli_protocol::UseSpec;

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

    /// Writes an executable `bot-cli-NAME` with these manifest members.
    fn script(&self, name: &str, members: &str) {
        let head = format!(r#"{{"protocol":"1.0","name":"{name}","version":"1.0.0",{members}}}"#);
        let text = format!("#!/bin/sh\n# bot-cli-plugin: {head}\n");
        let file = self.write(&format!("bin/bot-cli-{name}"), &text);
        mode(&file, 0o755);
    }

    fn folder_pack(&self, name: &str) -> PathBuf {
        let folder = format!(".local/share/bot-cli/packs/{name}");
        self.write(&format!("{folder}/providers/acme.toml"), PROVIDER_FILE);
        let declared = "version = \"2.1.0\"\nabout = \"Fast\"\ncatalogue = \"1.0\"\n";
        self.write(&format!("{folder}/pack.toml"), declared)
    }

    fn packs(&self) -> Vec<FoundPack> {
        let known = UseSpec::new("1.0").framework("1.14.0");
        let user = User::new("bot-cli-init", "0.1.0", known);
        find(&self.discovery, Some(&user), Taken::default)
    }

    fn brings(&self) -> Vec<String> {
        self.packs().iter().map(brings).collect()
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

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

/// Returns the identifiers of the pack's services and the reasons why other services were rejected, or the reason why the pack isn't used.
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
        PackStanding::Shadowed(by) => {
            format!("shadowed by {}", by.file_name().unwrap().to_string_lossy())
        }
        PackStanding::Refused(refused) => refused.to_string(),
    }
}

#[test]
fn a_pack_is_a_file_or_a_folder_and_a_name_is_one_pack() {
    let place = Fixture::new();
    for name in ["beta", "acme"] {
        let provider = provider(&format!("{name}_stt"));
        let members = format!(r#"{PACK},"providers":[{provider}]"#);
        place.script(&format!("pack-{name}"), &members);
    }
    let declared = place.folder_pack("acme");
    let packs = place.packs();
    assert_eq!(
        (packs[0].version.as_str(), packs[0].about.as_str()),
        ("2.1.0", "Fast")
    );
    assert_eq!(place.brings(), ["acme_stt", "shadowed by acme", "beta_stt"]);
    // A folder that isn't a pack leaves the name to others.
    fs::remove_file(declared).unwrap();
    assert_eq!(
        place.brings(),
        ["it has no `pack.toml`", "acme_stt", "beta_stt"]
    );
}

#[test]
fn two_packs_do_not_have_the_same_identifier() {
    let place = Fixture::new();
    let members = format!(r#"{PACK},"providers":[{}]"#, provider("acme_fast_stt"));
    place.script("pack-acme", &members);
    place.script("pack-acme-fast", &members);
    assert_eq!(
        place.brings(),
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
            "its manifest has no `providers`; its author adds them",
        ),
        (
            format!(r#"{PACK},"providers":"dynamic""#),
            "`providers` must be a list",
        ),
    ] {
        let place = Fixture::new();
        place.script("pack-acme", &members);
        assert_eq!(place.brings(), [expected], "{members}");
    }
    let place = Fixture::new();
    let file = place.write("bin/bot-cli-pack-acme", "#!/bin/sh\n");
    let told = place.brings().concat();
    assert!(told.starts_with("not executable; chmod +x "), "{told}");
    mode(&file, 0o755);
    assert_eq!(
        place.brings(),
        ["it declares no manifest; its author adds a manifest with `\"role\":\"provider-pack\"`"]
    );
}

#[test]
fn the_files_of_a_folder_are_read_one_by_one() {
    let place = Fixture::new();
    let file = place.folder_pack("acme");
    let folder = file.parent().unwrap().join("providers");
    fs::write(folder.join("broken.toml"), "label = \"\nx").unwrap();
    fs::write(folder.join("hidden.txt"), "no provider").unwrap();
    fs::write(folder.join("long.toml"), "x".repeat(10 * 1024 * 1024)).unwrap();
    fs::write(folder.join("open.toml"), PROVIDER_FILE).unwrap();
    mode(&folder.join("open.toml"), 0o666);
    let told = place.brings().concat();
    let told: Vec<&str> = told.split(", providers/").collect();
    let [used, broken, long, open] = told.as_slice() else {
        panic!("{told:?}");
    };
    assert_eq!(*used, "acme_stt");
    let expected = "broken.toml: it can't be read: line 2: ";
    assert!(broken.starts_with(expected), "{broken}");
    assert_eq!(*long, "long.toml: it is longer than 1024 KiB");
    assert!(
        open.starts_with("open.toml: it is not trusted: ")
            && open.ends_with("is writable by every user"),
        "{open}"
    );
    fs::write(&file, "version = 1").unwrap();
    let told = place.brings().concat();
    let expected = "`pack.toml` can't be read: line 1: ";
    assert!(told.starts_with(expected), "{told}");
    mode(file.parent().unwrap(), 0o777);
    let told = place.brings().concat();
    let expected = "is writable by every user; chmod o-w ";
    assert!(told.contains(expected), "{told}");
}

#[test]
fn names_of_folders_are_names_of_packs() {
    let place = Fixture::new();
    let long = "a".repeat(40);
    for name in ["Acme", "a_b", "-a", "a--b", "ümlaut", &long, ".hidden"] {
        place.folder_pack(name);
    }
    let told = place.brings();
    assert_eq!(told.len(), 6);
    for told in told {
        assert!(told.starts_with("its name is "), "{told}");
    }
}
