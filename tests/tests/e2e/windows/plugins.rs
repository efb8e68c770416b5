//! Plugins that users add on Windows.

use std::fs;
use std::io::{Cursor, Write as _};

use bot_cli_tests::wine::compile_greeter;

use super::{User, text};

#[test]
fn a_program_and_an_archive_are_added_and_run() {
    let user = User::new();
    let work = user.folder("work");
    compile_greeter(&work.join("bot-cli-greet.exe"), "1.0.0").unwrap();
    let added = user.document(&["--json", "plugin", "add", "bot-cli-greet.exe"]);
    assert_eq!(added["version"], "1.0.0", "{added}");
    let file = added["file"].as_str().unwrap();
    assert!(
        file.ends_with(r"\data\bot-cli\plugins\bot-cli-greet.exe"),
        "{file}"
    );
    assert_eq!(text(&user.host(&["greet"]).stdout), "hello from 1.0.0\n");

    // A release of another version, packed as releases are.
    let next = work.join("next.exe");
    compile_greeter(&next, "1.1.0").unwrap();
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.start_file("greet-1.1.0\\bot-cli-greet.exe", options)
        .unwrap();
    zip.write_all(&fs::read(next).unwrap()).unwrap();
    fs::write(work.join("greet.zip"), zip.finish().unwrap().into_inner()).unwrap();
    let upgrade = ["--json", "plugin", "upgrade", "greet", "greet.zip"];
    let upgraded = user.document(&upgrade);
    assert_eq!(
        (&upgraded["changed"], &upgraded["version"]),
        (&true.into(), &"1.1.0".into()),
        "{upgraded}"
    );
    assert_eq!(text(&user.host(&["greet"]).stdout), "hello from 1.1.0\n");

    let removed = user.host(&["plugin", "remove", "greet"]);
    assert_eq!(removed.status.code(), Some(0), "{removed:?}");
    assert_eq!(user.host(&["greet"]).status.code(), Some(127));
    // Nothing of it is left, and nothing of what was on the way.
    let left = user.files("data");
    let left: Vec<_> = left
        .keys()
        .filter(|path| !path.starts_with("bot-cli/manifests"))
        .collect();
    assert_eq!(left, ["bot-cli/.plugins.busy", "bot-cli/plugins.lock"]);
}

#[test]
fn the_folder_of_a_pack_is_replaced() {
    let user = User::new();
    let made = user.host(&["plugin", "new", "acme", "--role", "provider-pack"]);
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    let added = user.host(&["plugin", "add", "acme"]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let provider = user.folder("work").join("acme/providers/acme.toml");
    let written = fs::read_to_string(&provider).unwrap();
    fs::write(&provider, written.replace("acme_llm", "acme_fast_llm")).unwrap();
    let upgraded = user.host(&["plugin", "upgrade", "pack-acme"]);
    assert_eq!(upgraded.status.code(), Some(0), "{upgraded:?}");
    let options = user.document(&["--json", "init", "--list-options"]);
    let options = options.to_string();
    assert!(options.contains("acme_fast_llm") && !options.contains("\"acme_llm\""));
    let packs: Vec<_> = fs::read_dir(user.folder("data").join("bot-cli/packs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(packs, ["acme"]);
}

#[test]
fn a_plugin_that_would_be_a_script_is_not_created() {
    let user = User::new();
    let refused = user.host(&["plugin", "new", "hello", "--lang", "python"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    let problem = "that would be a script, and Windows starts only programs";
    assert!(text(&refused.stderr).contains(problem), "{refused:?}");
    assert!(!user.folder("work").join("bot-cli-hello/plugin.py").exists());
}
