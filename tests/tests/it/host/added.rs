//! `plugin add`, `upgrade`, `remove` and `info`.

mod again;
mod hostile;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use bot_cli_tests::bench::{Bench, Ran};
use serde_json::Value;

use super::{bench, expect};

const DATA: &str = "home/.local/share/bot-cli";

/// A plugin that tells when it is started.
fn hello(version: &str, command: &str) -> String {
    format!(
        "#!/bin/sh\n# bot-cli-plugin: {{\"protocol\":\"1.0\",\"name\":\"hello\",\"version\":\"{version}\",\"about\":\"Say hello\",\
         \"command\":{{\"arguments\":[{{\"name\":\"loud\",\"kind\":\"flag\",\"long\":\"loud\"}}],\
         \"commands\":[{{\"name\":\"{command}\",\"about\":\"Greet\"}}]}}}}\necho started >>\"$HOME/started\"\n"
    )
}

fn run(bench: &Bench, words: &str) -> Ran {
    let words: Vec<&str> = words.split(' ').collect();
    bench.run(&words).unwrap()
}

fn json(bench: &Bench, words: &str) -> Value {
    let ran = run(bench, &format!("{words} --json"));
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// Everything below the folder of the data, but the file that only locks.
fn tree(bench: &Bench) -> Vec<(PathBuf, Vec<u8>)> {
    fn collect(folder: &std::path::Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.push((path.clone(), Vec::new()));
                collect(&path, found);
            } else if !path.ends_with(".plugins.busy") {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    collect(&bench.path(DATA), &mut found);
    found.sort();
    found
}

fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, text) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o755);
        builder
            .append_data(&mut header, path, text.as_bytes())
            .unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_plugin_is_added_upgraded_and_removed_without_being_started() {
    let bench = bench();
    bench
        .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
        .unwrap();
    let added = run(&bench, "plugin add ./bot-cli-hello");
    assert_eq!(added.status, Some(0), "{added:?}");
    let place = "[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello";
    let from = "[BENCH]/work/bot-cli-hello";
    let data = json(&bench, "plugin info hello");
    let origin = &data["plugins"][0]["added"];
    let sum = origin["sha256"].as_str().unwrap().to_owned();
    assert_eq!(
        added.stdout,
        format!(
            "Added the plugin `hello` 1.2.0\n  file    {place}\n  from    {from}\n  sha256  {sum}\n"
        )
    );
    assert_eq!(added.stderr, "next: bot-cli hello --help\n");
    assert_eq!(origin["changed"], false);
    let listed = run(&bench, "plugin list").stdout;
    assert!(
        listed.ends_with(&format!("\n{place}: added from {from}, sha256 {sum}\n")),
        "{listed}"
    );
    // Two versions that look alike are told apart by what they say.
    expect(
        &bench,
        &["plugin", "add", "./bot-cli-hello"],
        1,
        "",
        "error: the plugin `hello` 1.2.0 was added already, from `[BENCH]/work/bot-cli-hello`\n\
         hint: bot-cli plugin upgrade hello ./bot-cli-hello\n",
    );
    let same = run(&bench, "plugin upgrade hello");
    assert!(
        same.stdout.contains("is the same; nothing was changed"),
        "{same:?}"
    );
    bench
        .script("work/bot-cli-hello", &hello("1.3.0", "bow"))
        .unwrap();
    let before = tree(&bench);
    let changes = "  version  1.2.0 -> 1.3.0\n  adds     `hello bow`\n  removes  `hello wave`\n";
    let dry = run(&bench, "plugin upgrade hello --dry-run");
    assert!(
        dry.stdout.starts_with(&format!(
            "Would upgrade the plugin `hello` 1.3.0\n{changes}"
        )),
        "{dry:?}"
    );
    expect(
        &bench,
        &["plugin", "upgrade", "hello"],
        2,
        "",
        "error: nobody can be asked here, so that nothing was changed\n  skip (--skip): required without a terminal\n\
         hint: `--skip` upgrades without a question, `--dry-run` shows what changes\n",
    );
    assert_eq!(tree(&bench), before);
    let upgraded = run(&bench, "plugin upgrade hello --yes");
    assert!(
        upgraded
            .stdout
            .starts_with(&format!("Upgraded the plugin `hello` 1.3.0\n{changes}")),
        "{upgraded:?}"
    );
    assert_eq!(
        json(&bench, "plugin info hello")["plugins"][0]["version"],
        "1.3.0"
    );
    // What somebody has changed since is theirs.
    let file = bench.path(DATA).join("plugins/bot-cli-hello");
    let mine = hello("1.3.0", "bow") + "# mine\n";
    bench
        .script(&format!("{DATA}/plugins/bot-cli-hello"), &mine)
        .unwrap();
    let listed = run(&bench, "plugin list").stdout;
    assert!(
        listed.contains("changed since it was added: its sha256 is now "),
        "{listed}"
    );
    for command in ["remove hello", "upgrade hello --skip"] {
        let kept = run(&bench, &format!("plugin {command}"));
        assert_eq!(kept.status, Some(1), "{kept:?}");
        assert!(
            kept.stderr
                .contains("was changed since it was added, and is kept"),
            "{kept:?}"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), mine);
    }
    let removed = run(&bench, "plugin remove hello --force");
    assert!(
        removed.stdout.starts_with("Removed the plugin `hello`\n"),
        "{removed:?}"
    );
    assert!(!file.exists());
    assert_eq!(run(&bench, "plugin remove hello").status, Some(127));
    assert!(!bench.path("home/started").exists());
}

#[test]
fn every_form_of_archive_brings_its_plugin() {
    let bench = bench();
    let files = [
        ("bot-cli-hello-1.2.0/README.md", "# Hello\n"),
        (
            "bot-cli-hello-1.2.0/bot-cli-hello",
            &*hello("1.2.0", "wave"),
        ),
        (
            "bot-cli-hello-1.2.0/completions/bot-cli-hello",
            "# Completes it.\n",
        ),
    ];
    let tar = packed(&files);
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, text) in files {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(path, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    let zip = zip.finish().unwrap().into_inner();
    // Made by `tar --owner=0 --group=0 -cJf hello.tar.xz bot-cli-hello`, of a plugin of version 1.1.0.
    let xz = include_bytes!("added/hello.tar.xz").to_vec();
    for (name, bytes, version) in [
        ("hello.tar.gz", gzipped(&tar), "1.2.0"),
        ("hello.tar", tar, "1.2.0"),
        ("hello.zip", zip, "1.2.0"),
        ("hello.tar.xz", xz, "1.1.0"),
    ] {
        fs::write(bench.path("work").join(name), bytes).unwrap();
        let added = json(&bench, &format!("plugin add {name}"));
        assert_eq!(
            (&added["name"], &added["version"]),
            (&Value::from("hello"), &Value::from(version)),
            "{added:#}"
        );
        assert_ne!(added["sha256"], added["from_sha256"]);
        // It can be run.
        let ran = run(&bench, "plugin info hello");
        assert!(ran.stdout.contains("status    used\n"), "{ran:?}");
        assert_eq!(run(&bench, "plugin remove hello").status, Some(0));
    }
}

#[test]
fn packs_and_backends_are_added_by_the_same_command() {
    let bench = bench();
    let made = run(&bench, "plugin new acme --role provider-pack");
    assert_eq!(made.status, Some(0), "{made:?}");
    let added = run(&bench, "plugin add acme");
    assert!(added.stdout.starts_with("Added the provider pack `pack-acme` 0.1.0\n  file    [BENCH]/home/.local/share/bot-cli/packs/acme\n"), "{added:?}");
    // Nothing here uses packs, and that is said.
    assert_eq!(
        added.stderr,
        "warning: `pack-acme` is not used: no plugin here uses a provider pack\nnext: bot-cli plugin info pack-acme\n"
    );
    let provider = bench.path("work/acme/providers/acme.toml");
    let text = fs::read_to_string(&provider).unwrap();
    fs::write(&provider, text.replace("acme_llm", "acme_fast_llm")).unwrap();
    fs::write(bench.path("work/acme/.hidden"), "not part of it").unwrap();
    let upgraded = run(&bench, "plugin upgrade pack-acme --skip");
    let unused = "`pack-acme` is not used: no plugin here uses a provider pack";
    assert_eq!(upgraded.stderr, format!("warning: {unused}\n"));
    assert!(
        upgraded.stdout.starts_with(
            "Upgraded the provider pack `pack-acme` 0.1.0\n  version  0.1.0, as before\n  adds     `acme_fast_llm`\n  removes  `acme_llm`\n"
        ),
        "{upgraded:?}"
    );
    assert!(!bench.path(DATA).join("packs/acme/.hidden").exists());
    // A release of it, and then the same once more.
    let files = ["acme-1.1/pack.toml", "acme-1.1/providers/acme.toml"].map(|path| {
        let text = fs::read_to_string(bench.path("work/acme").join(&path["acme-1.1/".len()..]));
        (path, text.unwrap().replace("0.1.0", "1.1.0"))
    });
    let release = packed(&files.each_ref().map(|(path, text)| (*path, text.as_str())));
    fs::write(bench.path("work/acme-1.1.tar.gz"), gzipped(&release)).unwrap();
    for changed in [true, false] {
        let words = "plugin upgrade pack-acme acme-1.1.tar.gz --skip";
        let upgraded = json(&bench, words);
        assert_eq!(upgraded["changed"], changed, "{upgraded:#}");
        assert_eq!(upgraded["warnings"], serde_json::json!([unused]));
    }
    // The old one is not left behind.
    let names: Vec<_> = fs::read_dir(bench.path(DATA).join("packs"))
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(names, ["acme"]);
    let made = run(
        &bench,
        "plugin new safe --role secrets-backend --lang python",
    );
    assert_eq!(made.status, Some(0), "{made:?}");
    let added = run(&bench, "plugin add bot-cli-secrets-safe");
    assert!(
        added
            .stdout
            .starts_with("Added the secrets backend `secrets-safe` "),
        "{added:?}"
    );
    expect(
        &bench,
        &["plugin", "remove", "acme"],
        127,
        "",
        "error: no plugin `acme` was added\nhint: did you mean `pack-acme`?\n",
    );
    expect(
        &bench,
        &["__complete", "zsh", "--", "plugin", "remove", ""],
        0,
        "nothing\npack-acme\tprovider pack 1.1.0\nsecrets-safe\tsecrets backend 0.1.0\n",
        "",
    );
    let versions = json(&bench, "--version");
    let names = versions["plugins"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["pack-acme", "secrets-safe"]);
    assert_eq!(versions["plugins"][1]["protocol"], "1.0");
    let removed = run(&bench, "plugin remove pack-acme");
    assert!(
        removed
            .stdout
            .starts_with("Removed the provider pack `pack-acme`\n"),
        "{removed:?}"
    );
    assert!(!bench.path(DATA).join("packs/acme").exists());
}

#[test]
fn adding_at_once_loses_nothing() {
    let bench = bench();
    let names = ["ash", "beech", "cedar", "elm", "fir", "oak"];
    for name in names {
        let text = hello("1.0.0", "wave").replace("\"hello\"", &format!("{name:?}"));
        bench
            .script(&format!("work/bot-cli-{name}"), &text)
            .unwrap();
    }
    let children: Vec<_> = names
        .iter()
        .map(|name| {
            let mut host = bench.host(&["plugin", "add", &format!("./bot-cli-{name}")]);
            host.stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let record = fs::read_to_string(bench.path(DATA).join("plugins.lock")).unwrap();
    let recorded: Vec<&str> = record
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .collect();
    assert_eq!(recorded, names);
}

#[test]
fn a_command_that_was_killed_left_the_old_or_the_new_plugin() {
    let bench = bench();
    bench
        .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
        .unwrap();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    let lock = bench.path(DATA).join("plugins.lock");
    let old = fs::read_to_string(&lock).unwrap();
    bench
        .script("work/bot-cli-hello", &hello("1.3.0", "bow"))
        .unwrap();
    let new = json(&bench, "plugin upgrade hello --dry-run");
    let sum = new["sha256"].as_str().unwrap();
    // As it is between the first writing of the record and the renaming of the file, and behind that.
    let pending = format!(
        "{old}\n[[plugin]]\nname = \"hello\"\nrole = \"command\"\nversion = \"1.3.0\"\nform = \"file\"\nfrom = \"/new\"\nsha256 = \"{sum}\"\npending = true\n"
    );
    fs::write(&lock, &pending).unwrap();
    let staging = bench.path(DATA).join(".adding-x");
    fs::create_dir(&staging).unwrap();
    let info = json(&bench, "plugin info hello");
    assert_eq!(info["plugins"][0]["version"], "1.2.0");
    assert_eq!(info["plugins"][0]["added"]["changed"], false, "{info:#}");
    bench
        .script(
            &format!("{DATA}/plugins/bot-cli-hello"),
            &hello("1.3.0", "bow"),
        )
        .unwrap();
    let info = json(&bench, "plugin info hello");
    assert_eq!(info["plugins"][0]["version"], "1.3.0");
    assert_eq!(info["plugins"][0]["added"]["from"], "/new", "{info:#}");
    assert_eq!(info["plugins"][0]["added"]["changed"], false);
    // What was left lying is cleared by the next change, and a folder of before is back.
    fs::create_dir_all(bench.path(DATA).join("packs/.old-acme")).unwrap();
    let removed = run(&bench, "plugin remove hello");
    assert_eq!(removed.status, Some(0), "{removed:?}");
    assert!(!staging.exists() && bench.path(DATA).join("packs/acme").exists());
    assert!(!fs::read_to_string(&lock).unwrap().contains("[[plugin]]"));
}
