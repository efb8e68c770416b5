//! Tests for the archive and its installer.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use bot_cli_tests::downloads::{Answer, Downloads, Then, file};
use bot_cli_tests::init::tree;
use tempfile::TempDir;

use super::{ROOT, USER, artefact, artefacts, command, hand_over, public_folder, use_it};

#[test]
fn the_archive_is_installed_again_and_removed() {
    let home = public_folder();
    for _ in 0..2 {
        let said = installed(home.path(), &[artefacts().to_str().unwrap()]);
        assert!(said.contains("is not on PATH"), "{said}");
        assert!(
            said.ends_with("/.local/bin/bot-cli init quickstart\n"),
            "{said}"
        );
    }
    let local = home.path().join(".local");
    assert!(local.join("share/man/man1/bot-cli.1").is_file());
    use_it(&local.join("bin/bot-cli"), ROOT);
    fs::write(local.join("bin/another"), "").unwrap();
    installed(home.path(), &["--uninstall"]);
    let left = tree(home.path()).into_keys();
    assert!(left.eq([".local/", ".local/bin/", ".local/bin/another"]));

    installed(home.path(), &[artefacts().to_str().unwrap()]);
    hand_over(&local);
    use_it(&local.join("bin/bot-cli"), USER);
}

#[test]
fn the_archive_is_installed_over_https() {
    let source = release("1");
    let folder = source.path().to_owned();
    let server = Downloads::start(move |path| match fs::read(folder.join(&path[1..])) {
        Ok(bytes) => file(&bytes),
        Err(_) => Answer {
            bytes: b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
            then: Then::Close,
        },
    })
    .unwrap();
    let certificate = source.path().join("certificate.pem");
    fs::write(&certificate, &server.certificate).unwrap();
    let home = public_folder();
    let install = |address: &str| {
        let mut installer = installer(home.path(), &[address]);
        installer.env("CURL_CA_BUNDLE", &certificate);
        installer.output().unwrap()
    };
    let nothing = BTreeMap::new();
    let absent = format!("{}/absent", server.url);
    let problem = format!("could not get {absent}/SHA256SUMS");
    assert_refused(&install(&absent), &problem, home.path(), &nothing);
    let insecure = install("http://example.invalid/bot-cli");
    assert_refused(
        &insecure,
        "could be changed on its way",
        home.path(),
        &nothing,
    );
    super::succeeded(install(&server.url));
    assert!(home.path().join(".local/bin/bot-cli").is_file());
}

#[test]
fn an_upgrade_leaves_nothing_of_the_old_version() {
    let (old, new) = (release("1"), release("2"));
    let (home, fresh) = (public_folder(), public_folder());
    installed(home.path(), &[old.path().to_str().unwrap()]);
    // What a run that was killed has left.
    let work = home.path().join(".local/.bot-cli-installation");
    fs::create_dir_all(work.join("bot-cli-2")).unwrap();
    for folder in [&home, &fresh] {
        installed(folder.path(), &[new.path().to_str().unwrap()]);
    }
    assert!(tree(home.path()) == tree(fresh.path()));
    let host = home.path().join(".local/bin/bot-cli");
    let mut host = command(&host, ROOT, home.path());
    assert_eq!(super::ran(host.arg("--version")), "bot-cli 2\n");
}

#[test]
fn the_lines_to_paste_are_quoted() {
    let parent = public_folder();
    let home = parent.path().join("it's `a` $HOME");
    fs::create_dir(&home).unwrap();
    let new = release("2");
    let said = installed(&home, &[new.path().to_str().unwrap()]);
    let pasted = |prefix: &str, more: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(prefix));
        let mut shell = command(Path::new("/bin/sh"), ROOT, &home);
        super::ran(shell.args(["-c", &format!("{}{more}", line.unwrap())]))
    };
    let host = home.join(".local/bin/bot-cli");
    let found = pasted("  export ", "; command -v bot-cli");
    assert_eq!(found.trim_end(), host.to_str().unwrap());
    assert_eq!(pasted("next: ", ""), "bot-cli 2\n");
}

#[test]
fn what_can_not_be_installed_is_refused_and_nothing_is_left() {
    // What is done to a release, in its folder, or to the home before.
    for (lines, words, problem) in [
        (
            "rm SHA256SUMS",
            &["SOURCE"][..],
            "could not get SOURCE/SHA256SUMS",
        ),
        ("rm *.gz", &["SOURCE"], "could not get SOURCE/bot-cli-1-"),
        (
            "sed -i s/unknown-linux/other/ SHA256SUMS",
            &["SOURCE"],
            "SOURCE has no archive for this kind of machine",
        ),
        (
            "for one in *.gz; do echo >>$one; done",
            &["SOURCE"],
            ".tar.gz is not the file that was released: its sum is ",
        ),
        (
            "for one in *.gz; do echo >$one; done; sha256sum *.gz >SHA256SUMS",
            &["SOURCE"],
            "could not unpack bot-cli-1-",
        ),
        (
            "mkdir -p $HOME/.local/bin; ln -s /elsewhere/bot-cli $HOME/.local/bin",
            &["SOURCE"],
            "these files are not of this script: HOME/.local/bin/bot-cli\nhint: move them away",
        ),
        (
            "touch $HOME/.local",
            &["SOURCE"],
            "could not write to HOME/.local",
        ),
        (
            "",
            &["--uninstall"],
            "this script has installed nothing below HOME/.local",
        ),
        (
            "",
            &["--prefix"],
            "--prefix needs a value\nhint: sh install.sh --help",
        ),
        ("", &["--fast"], "there is no option --fast"),
    ] {
        let (source, home) = (release("1"), public_folder());
        let mut shell = command(Path::new("/bin/sh"), ROOT, home.path());
        shell.current_dir(source.path());
        super::ran(shell.args(["-euc", lines]));
        let before = tree(home.path());
        let folder = source.path().to_str().unwrap();
        let words = words.iter().map(|word| word.replace("SOURCE", folder));
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = installer(home.path(), &words).output().unwrap();
        let problem = problem.replace("SOURCE", folder);
        let problem = problem.replace("HOME", home.path().to_str().unwrap());
        assert_refused(&output, &problem, home.path(), &before);
    }
}

/// Returns a command that runs the installer with this home directory.
fn installer(home: &Path, words: &[&str]) -> Command {
    let mut installer = command(Path::new("/bin/sh"), ROOT, home);
    installer.arg(artefact("install", ".sh")).args(words);
    installer
}

fn installed(home: &Path, words: &[&str]) -> String {
    super::succeeded(installer(home, words).output().unwrap())
}

/// Creates a small archive with its checksums.
fn release(version: &str) -> TempDir {
    let lines = r#"
        for machine in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
            top=bot-cli-$1-$machine
            mkdir -p $top/bin $top/share/man/man1 $top/share/only-$1
            printf '#!/bin/sh\necho bot-cli %s\n' $1 >$top/bin/bot-cli
            chmod 755 $top/bin/bot-cli
            echo always >"$top/share/man/man1/bot-cli always.1"
            echo $1 >$top/share/only-$1/file
            tar -czf $top.tar.gz $top
            rm -r $top
        done
        sha256sum *.tar.gz >SHA256SUMS
    "#;
    let folder = public_folder();
    let mut shell = Command::new("sh");
    shell.args(["-euc", lines, "sh", version]);
    super::ran(shell.current_dir(folder.path()));
    folder
}

/// Asserts that the installer failed with `problem` in its message and changed nothing.
#[track_caller]
fn assert_refused(output: &Output, problem: &str, home: &Path, before: &BTreeMap<String, Vec<u8>>) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: ") && said.contains(problem), "{said}");
    assert!(tree(home) == *before, "{said}");
}
