//! Tests for files that are refused before anything is installed.

use std::fs;

use bot_cli_tests::bench::Bench;
use tar::EntryType as Kind;

use super::{HELLO, gzipped, packed, with_hello, zipped};
use crate::host::bench;

/// Asserts that adding a file with these bytes fails with this message and changes nothing.
#[track_caller]
fn assert_refused(bench: &Bench, name: &str, bytes: impl AsRef<[u8]>, problem: &str) {
    fs::write(bench.path("work").join(name), bytes).unwrap();
    assert_not_added(bench, name, problem);
}

#[track_caller]
fn assert_not_added(bench: &Bench, name: &str, problem: &str) {
    bench.shows(&format!(
        "
        $ bot-cli plugin add ./{name}
        ! error: `[BENCH]/work/{name}` was not installed: {problem}
        ! ...
        = 1
        $ test ! -e ~/.local || find ~/.local -type f ! -name .plugins.busy -o -name '.adding-*'
        "
    ));
}

/// Returns an archive entry whose header has exactly these fields.
fn raw(name: &str, kind: Kind, size: u64, link: &str) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o755);
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn archives_that_lead_out_or_hold_too_much() {
    let bench = bench();
    let hello = packed(&[("bot-cli-hello", HELLO)]);
    let special = "is a link or a device; only files and folders are unpacked";
    for (path, kind, problem) in [
        ("../bot-cli-hello", Kind::Regular, "leads out of it"),
        ("/tmp/bot-cli-hello", Kind::Regular, "leads out of it"),
        ("a/../../bot-cli-hello", Kind::Regular, "leads out of it"),
        ("bot-cli-hello", Kind::Symlink, special),
        ("bot-cli-hello", Kind::Link, special),
        ("bot-cli-hello", Kind::Char, special),
        ("bot-cli-hello", Kind::Fifo, special),
    ] {
        // A good one beside it changes nothing.
        let bytes = [raw(path, kind, 0, "/bin/sh"), hello.clone()].concat();
        let problem = format!("`{path}` in it {problem}");
        assert_refused(&bench, "bad.tar.gz", gzipped(&bytes), &problem);
    }
    let zeros = [raw("bot-cli-hello", Kind::Regular, 10 << 30, ""), hello].concat();
    let problem = "it can't be copied: it has more than 256 MiB";
    assert_refused(&bench, "zeros.tar.gz", gzipped(&zeros), problem);
    let mut odd = raw("bot-cli-hello", Kind::Regular, 0, "");
    odd[124..136].copy_from_slice(b"not a number");
    // The sum of a header counts its own place as blanks.
    odd[148..156].fill(b' ');
    let sum: u32 = odd.iter().map(|byte| u32::from(*byte)).sum();
    odd[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let problem = "it can't be copied: [..]";
    assert_refused(&bench, "odd.tar.gz", gzipped(&odd), problem);
}

#[test]
fn archives_without_exactly_one_plugin() {
    let bench = bench();
    let bye = &*HELLO.replace("\"hello\"", "\"bye\"");
    let empty = |path: &'static str| (path, "");
    let [hello, also] = ["bot-cli-hello", "./bot-cli-hello"].map(|path| (path, HELLO));
    let two = [("a/bot-cli-hello", HELLO), ("b/bot-cli-bye", bye)];
    let unfit = "`name` must be the name of a plugin";
    let bare = "its `pack.toml` is in no folder, whose name would be that of the pack";
    let both = "it has 2 plugins: `acme/pack.toml`, `bot-cli-hello`";
    for (files, problem) in [
        (
            &two[..],
            "it has 2 plugins: `a/bot-cli-hello`, `b/bot-cli-bye`",
        ),
        (&[hello, empty("acme/pack.toml")], both),
        (&[hello, also], "it has `bot-cli-hello` twice"),
        (&[empty("README.md")], "there is no plugin in it"),
        (&[empty("bot-cli-hello")], "there is no plugin in it"),
        (&[empty("pack.toml")], bare),
        (&[empty("Acme-1.0/pack.toml")], unfit),
    ] {
        assert_refused(&bench, "bad.tar.gz", gzipped(&packed(files)), problem);
    }
}

#[test]
fn zip_archives_that_lead_out_and_archives_that_are_cut_off() {
    let bench = bench();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    let link = zip.add_symlink("bot-cli-hello", "/bin/sh", options);
    link.unwrap();
    let zip = zip.finish().unwrap().into_inner();
    let problem =
        "`bot-cli-hello` in it is a link or a device; only files and folders are unpacked";
    assert_refused(&bench, "link.zip", zip, problem);
    let zip = zipped(&[("..\\bot-cli-hello", "")]);
    let problem = "`../bot-cli-hello` in it leads out of it";
    assert_refused(&bench, "up.zip", zip, problem);
    let mut zip = zipped(&[("bot-cli-hello", HELLO), ("bot-cli-hellx", "")]);
    for start in 0..zip.len() {
        if zip[start..].starts_with(b"bot-cli-hellx") {
            zip[start + 12] = b'o';
        }
    }
    assert_refused(&bench, "twice.zip", zip, "it has two files of one name");
    let whole = gzipped(&packed(&[("bot-cli-hello", HELLO)]));
    let cut = [3, 20, whole.len() / 2, whole.len() - 1];
    let cut = cut.map(|at| ("cut.tar.gz", &whole[..at]));
    let zip = ("cut.zip", &b"PK\x03\x04 and no more"[..]);
    for (name, bytes) in cut.into_iter().chain([zip]) {
        assert_refused(&bench, name, bytes, "it can't be copied: [..]");
    }
}

#[test]
fn files_that_could_not_be_run() {
    let bench = bench();
    let no_program = "it is neither an executable nor a script that begins with `#!`";
    let undeclared = "there is no manifest in the file";
    let text = "# bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"text\"}\n";
    assert_refused(&bench, "bot-cli-text", text, no_program);
    assert_refused(&bench, "bot-cli-plain", "#!/bin/sh\n", undeclared);
    assert_refused(&bench, "hello.tar.zst", b"\x28\xb5\x2f\xfd", no_program);
    let rows = r#"
        new {"protocol":"2.0","name":"new"} `protocol` is "2.0", and must be `1.` and the minor version
        odd {"protocol":"1.0","name":"Odd"} `name` must be the name of a plugin
        help {"protocol":"1.0","name":"help"} `name` is "help", and must be a name that is no command of `bot-cli` itself
        hello {"protocol":"1.0","name":"cloud"} its file is named `bot-cli-hello`, and its manifest is that of a plugin `cloud`
        cloud-tools {"protocol":"1.0","name":"cloud"} its file is named `bot-cli-cloud-tools`, and its manifest is that of a plugin `cloud`
        acme {"protocol":"1.0","name":"acme","role":"provider-pack"} `name` is "acme", and must be [..]
        pack-acme {"protocol":"1.0","name":"pack-acme","role":"provider-pack","catalogue":"1.0","version":"1"} `version` must be a version as semver.org has it: `1.2.0`
        pack-empty {"protocol":"1.0","name":"pack-empty","role":"provider-pack","catalogue":"1.0","version":"1.0.0","providers":[]} it brings no service
        secrets-local {"protocol":"1.0","name":"secrets-local","role":"secrets-backend","version":"1.0.0"} `name` is "secrets-local", and must be [..]
        secrets-old {"protocol":"1.0","name":"secrets-old","role":"secrets-backend","version":"1.0.0"} `secrets` is null, and must be [..]
        torn {"protocol":"1.0", its manifest is malformed: [..]
    "#;
    for row in rows.trim().lines() {
        let mut row = row.trim().splitn(3, ' ');
        let [name, manifest, problem] = std::array::from_fn(|_| row.next().unwrap());
        let script = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
        let file = format!("bot-cli-{name}");
        assert_refused(&bench, &file, &script, problem);
        // `check` says the same. The file that it gets can be executed already.
        bench.shows(&format!(
            "
            $ chmod +x {file}; bot-cli plugin check ./{file} | grep -F -- \"$(bot-cli plugin add ./{file} 2>&1 | sed -n 's/.* was not installed: //p')\" | wc -l
            1
            "
        ));
    }
    // It is judged by the check as well, but only its place makes it `plugin`.
    let script = "#!/bin/sh\n# bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"plugin\"}\n";
    let problem = "`plugin` is taken only from the folder of bot-cli itself";
    assert_refused(&bench, "bot-cli-plugin", script, problem);
    bench.shows("$ mkdir folder acme; touch acme/pack.toml; ln -s .. acme/providers");
    assert_not_added(&bench, "folder", "there is no plugin in it");
    assert_not_added(&bench, "acme", "`providers` in it is a link or a device");
    let problem = "it can't be copied: no such file or directory";
    assert_not_added(&bench, "missing", problem);
}

#[test]
fn a_file_that_names_no_plugin_has_the_name_in_its_manifest() {
    with_hello().shows(
        r"
        $ cp bot-cli-hello hello-linux-x86_64; bot-cli -q plugin add ./hello-linux-x86_64
        Added the plugin `hello` 1.2.0
          name    from its manifest
        ...
        $ bot-cli plugin check ./hello-linux-x86_64 | grep 'names no plugin'
          not run: a file `hello-linux-x86_64` names no plugin: `plugin add` makes it `bot-cli-hello`, as the manifest says
        $ bot-cli -q plugin remove hello; cp bot-cli-hello bot-cli-hello-1.2.0-linux-amd64; bot-cli -q plugin add ./bot-cli-hello-1.2.0-linux-amd64
        ...
        Added the plugin `hello` 1.2.0
          file    [..]/bot-cli-hello
        ...
        ",
    );
}
