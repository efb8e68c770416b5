//! Tests for the archive and its installer.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use serde::de::DeserializeOwned;
use serde_json::Value;
use tempfile::TempDir;

use super::{ROOT, USER, artefact, artefacts, command, files, hand_over, public_folder, use_it};

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
    assert_eq!(
        files(home.path()),
        [".local", ".local/bin", ".local/bin/another"]
    );

    installed(home.path(), &[archive().to_str().unwrap()]);
    hand_over(&local);
    use_it(&local.join("bin/bot-cli"), USER);
}

#[test]
fn the_archive_is_installed_over_http() {
    let address = serve(artefacts());
    let name = archive().file_name().unwrap().to_str().unwrap().to_owned();
    for source in [address.clone(), format!("{address}/{name}")] {
        let home = public_folder();
        installed(home.path(), &[&source]);
        use_it(&home.path().join(".local/bin/bot-cli"), ROOT);
    }
    let home = public_folder();
    let output = installer(home.path(), &[&format!("{address}/absent")]);
    assert_refused(&output, "could not download", home.path(), &[]);
    let output = installer(home.path(), &["http://example.invalid/bot-cli"]);
    assert_refused(&output, "could be changed on its way", home.path(), &[]);
}

#[test]
fn a_changed_archive_is_refused() {
    let folder = copy();
    let changed = folder.path().join(archive().file_name().unwrap());
    let mut bytes = fs::read(&changed).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&changed, bytes).unwrap();
    let home = public_folder();
    let address = serve(folder.path());
    for source in [
        folder.path().to_str().unwrap(),
        changed.to_str().unwrap(),
        &address,
    ] {
        let output = installer(home.path(), &[source]);
        assert_refused(
            &output,
            "is not the file that was released",
            home.path(),
            &[],
        );
    }
    fs::remove_file(folder.path().join("SHA256SUMS")).unwrap();
    let output = installer(home.path(), &[changed.to_str().unwrap()]);
    assert_refused(&output, "SHA256SUMS is not beside", home.path(), &[]);
}

/// An upgrade is killed at each call to each tool. The next run completes the upgrade. If no file had changed before the kill, the old
/// version is intact.
#[test]
fn an_upgrade_that_was_killed_is_completed_by_the_next_run() {
    let (old, new) = (release("1"), release("2"));
    let (before, after) = (whole(old.path()), whole(new.path()));
    let source = new.path().to_str().unwrap();
    let (mut unchanged, mut halves) = (0, 0);
    for call in 1.. {
        let home = public_folder();
        installed(home.path(), &[old.path().to_str().unwrap()]);
        let tools = tools("kill -KILL 0", TOOLS, call);
        let run = with_tools(tools.path(), home.path(), &[source]);
        if run.status.success() {
            break;
        }
        let _ = fs::remove_dir_all(home.path().join(".local/.bot-cli-installation"));
        if contents(home.path()) == before {
            unchanged += 1;
        } else {
            halves += 1;
        }
        installed(home.path(), &[source]);
        assert!(contents(home.path()) == after, "at call {call}");
        installed(home.path(), &["--uninstall"]);
        assert_eq!(files(home.path()), [".local"], "at call {call}");
    }
    assert!(unchanged > 5 && halves > 5, "{unchanged}, {halves}");
}

#[test]
fn what_others_have_changed_is_kept() {
    let (old, new) = (release("1"), release("2"));
    let new = new.path().to_str().unwrap();
    let home = public_folder();
    installed(home.path(), &[old.path().to_str().unwrap()]);
    let host = home.path().join(".local/bin/bot-cli");
    fs::write(&host, "mine").unwrap();
    let before = files(home.path());
    let output = installer(home.path(), &[new]);
    let problem = "these files are not of this script";
    assert_refused(&output, problem, home.path(), &before);
    let said = installed(home.path(), &["--uninstall"]);
    assert!(said.contains("stays, because it was changed"), "{said}");
    assert_eq!(fs::read_to_string(&host).unwrap(), "mine");
    installed(home.path(), &["--replace", new]);
}

#[test]
fn the_lines_to_paste_are_quoted() {
    let parent = public_folder();
    let home = parent.path().join("it's `a` $HOME");
    fs::create_dir(&home).unwrap();
    let new = release("2");
    let said = installed(&home, &[new.path().to_str().unwrap()]);
    let line = said.lines().find(|line| line.starts_with("  export "));
    let mut shell = command(Path::new("/bin/sh"), ROOT, &home);
    shell.args(["-c", &format!("{}; command -v bot-cli", line.unwrap())]);
    let host = home.join(".local/bin/bot-cli");
    assert_eq!(super::ran(&mut shell).trim_end(), host.to_str().unwrap());
    let next = said.lines().find_map(|line| line.strip_prefix("next: "));
    let mut shell = command(Path::new("/bin/sh"), ROOT, &home);
    shell.args(["-c", next.unwrap()]);
    assert_eq!(super::ran(&mut shell), "bot-cli 2\n");
}

#[test]
fn what_can_not_be_installed_is_refused_in_one_sentence() {
    type Row = (String, Vec<String>, String);
    // What is done to a release, in its folder with its files, or to the home before.
    for (lines, words, problem) in refused::<Row>("source") {
        let (source, home) = (release("1"), public_folder());
        let archive = of_this_machine(source.path());
        let mut shell = command(Path::new("/bin/sh"), ROOT, home.path());
        shell.current_dir(source.path()).env("archive", &archive);
        let sums = "sums() { sha256sum *.tar.gz >SHA256SUMS; }";
        super::ran(shell.args(["-euc", &format!("{sums}\n{lines}")]));
        let before = files(home.path());
        let folder = source.path().to_str().unwrap();
        let words: Vec<String> = words
            .iter()
            .map(|word| word.replace("SOURCE", folder))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = installer(home.path(), &words);
        let problem = (problem
            .replace("SOURCE", folder)
            .replace("ARCHIVE", &archive))
        .replace("HOME", home.path().to_str().unwrap());
        assert_said(&output, &problem, home.path(), &before);
    }
}

#[test]
fn what_the_machine_lacks_is_named() {
    let (source, home) = (release("1"), public_folder());
    let source = source.path().to_str().unwrap();
    for (missing, word, problem) in refused::<(Vec<String>, String, String)>("machine") {
        let tools = public_folder();
        for folder in ["/bin", "/usr/bin"] {
            for entry in fs::read_dir(folder).unwrap() {
                let name = entry.unwrap().file_name();
                if !missing.iter().any(|it| **it == name) {
                    // Both folders may be one.
                    let _ = symlink(Path::new(folder).join(&name), tools.path().join(name));
                }
            }
        }
        let mut shell = command(Path::new("/bin/sh"), ROOT, home.path());
        let output = shell
            .env("PATH", tools.path())
            .arg(artefact("install", ".sh"))
            .arg(word.replace("SOURCE", source))
            .output()
            .unwrap();
        assert_said(&output, &problem, home.path(), &[]);
    }
}

/// Parses a table in `refused.json`.
fn refused<T: DeserializeOwned>(table: &str) -> Vec<T> {
    let mut tables: Value = serde_json::from_str(include_str!("refused.json")).unwrap();
    serde_json::from_value(tables[table].take()).unwrap()
}

fn archive() -> PathBuf {
    artefact("bot-cli-0", ".tar.gz")
}

/// Runs the installer with this home directory.
fn installer(home: &Path, words: &[&str]) -> Output {
    command(Path::new("/bin/sh"), ROOT, home)
        .arg(artefact("install", ".sh"))
        .args(words)
        .output()
        .unwrap()
}

fn installed(home: &Path, words: &[&str]) -> String {
    super::succeeded(installer(home, words))
}

/// The programs that the installer uses to make changes.
const TOOLS: &[&str] = &["cp", "mkdir", "mv", "rm", "rmdir"];

/// Creates a small archive with its checksums.
fn release(version: &str) -> TempDir {
    let lines = r#"
        top=bot-cli-$1-any
        mkdir -p $top/bin $top/share/man/man1 $top/share/only-$1
        printf '#!/bin/sh\necho bot-cli %s\n' $1 >$top/bin/bot-cli
        chmod 755 $top/bin/bot-cli
        echo $1 >$top/share/man/man1/bot-cli.1
        echo always >"$top/share/man/man1/bot-cli always.1"
        echo $1 >$top/share/only-$1/file
        tar -czf $top.tar.gz $top
        rm -r $top
        for machine in x86_64-unknown-linux-musl aarch64-unknown-linux-musl; do
            cp $top.tar.gz bot-cli-$1-$machine.tar.gz
        done
        rm $top.tar.gz
        sha256sum *.tar.gz >SHA256SUMS
    "#;
    let folder = public_folder();
    let mut shell = Command::new("sh");
    shell.args(["-euc", lines, "sh", version]);
    super::ran(shell.current_dir(folder.path()));
    folder
}

/// Returns the contents of a home directory after a complete installation.
fn whole(source: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let home = public_folder();
    installed(home.path(), &[source.to_str().unwrap()]);
    contents(home.path())
}

fn contents(folder: &Path) -> Vec<(String, Option<Vec<u8>>)> {
    let with_bytes = |path: String| {
        let bytes = fs::read(folder.join(&path)).ok();
        (path, bytes)
    };
    files(folder).into_iter().map(with_bytes).collect()
}

/// Creates wrappers for these tools. The wrappers run `action` at call number `call`, counted across all tools.
fn tools(action: &str, names: &[&str], call: usize) -> TempDir {
    let folder = public_folder();
    for name in names {
        let path = folder.path().join(name);
        let lines = format!(
            "#!/bin/sh\necho >>\"${{0%/*}}/count\"\ncase $(($(wc -l <\"${{0%/*}}/count\"))) in {call}) {action} ;; esac\nexec /bin/{name} \"$@\"\n"
        );
        fs::write(&path, lines).unwrap();
        super::ran(Command::new("chmod").arg("755").arg(&path));
    }
    folder
}

/// Runs the installer with these wrappers, in its own process group, which the wrappers may kill.
fn with_tools(tools: &Path, home: &Path, words: &[&str]) -> Output {
    command(Path::new("/bin/sh"), ROOT, home)
        .env("PATH", format!("{}:/usr/bin:/bin", tools.display()))
        .arg(artefact("install", ".sh"))
        .args(words)
        .process_group(0)
        .output()
        .unwrap()
}

/// Asserts that the installer failed with `problem` in its message and changed nothing.
#[track_caller]
fn assert_refused(output: &Output, problem: &str, home: &Path, before: &[String]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: ") && said.contains(problem), "{said}");
    assert_eq!(files(home), before);
}

/// Asserts that the installer failed with exactly this message and changed nothing.
#[track_caller]
fn assert_said(output: &Output, problem: &str, home: &Path, before: &[String]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        (&*said, output.status.code()),
        (&*format!("error: {problem}\n"), Some(1))
    );
    assert_eq!(files(home), before, "{problem}");
}

/// Returns the name of the archive for this machine.
fn of_this_machine(folder: &Path) -> String {
    let machine = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
    let names = files(folder);
    names
        .into_iter()
        .find(|name| name.contains(&machine))
        .unwrap()
}

/// Copies the archive and its checksums to a folder where a test can change them.
fn copy() -> TempDir {
    let folder = public_folder();
    for name in [
        "SHA256SUMS",
        archive().file_name().unwrap().to_str().unwrap(),
    ] {
        fs::copy(artefacts().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

/// Serves the files in a folder until the tests end. Returns the address.
fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let Some(Ok(request)) = lines.next() else {
                continue;
            };
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let path = request.split(' ').nth(1).unwrap().trim_start_matches('/');
            // A client that has gone has what it wanted.
            let _ = match fs::read(folder.join(path)) {
                Ok(bytes) => write!(
                    stream,
                    "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n",
                    bytes.len()
                )
                .and_then(|()| stream.write_all(&bytes)),
                Err(_) => write!(
                    stream,
                    "HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n"
                ),
            };
        }
    });
    address
}
