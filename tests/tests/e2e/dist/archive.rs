//! The archive and its installer.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

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
    // Both replaced is found only by a sum from another place.
    let sum = "0".repeat(64);
    let output = installer(
        home.path(),
        &["--sha256", &sum, archive().to_str().unwrap()],
    );
    assert_refused(
        &output,
        "is not the file that was released",
        home.path(),
        &[],
    );
    fs::remove_file(folder.path().join("SHA256SUMS")).unwrap();
    let output = installer(home.path(), &[changed.to_str().unwrap()]);
    assert_refused(&output, "SHA256SUMS is not beside", home.path(), &[]);
}

#[test]
fn what_fails_in_the_middle_is_taken_back() {
    let home = public_folder();
    // A file in the place of a folder, late in the list.
    let share = home.path().join(".local/share");
    fs::create_dir_all(&share).unwrap();
    fs::write(share.join("zsh"), "mine").unwrap();
    let before = files(home.path());
    let output = installer(home.path(), &[artefacts().to_str().unwrap()]);
    assert_refused(&output, "could not create", home.path(), &before);

    // The same with a version that is there already.
    fs::remove_file(share.join("zsh")).unwrap();
    installed(home.path(), &[artefacts().to_str().unwrap()]);
    fs::remove_dir_all(share.join("zsh")).unwrap();
    fs::write(share.join("zsh"), "mine").unwrap();
    let before = files(home.path());
    let output = installer(home.path(), &[artefacts().to_str().unwrap()]);
    assert_refused(&output, "could not create", home.path(), &before);
    use_it(&home.path().join(".local/bin/bot-cli"), ROOT);
}

#[test]
fn a_run_that_was_killed_is_taken_back_by_the_next() {
    let home = public_folder();
    let tools = public_folder();
    // Kills the installer before the sixth file is moved.
    let mv = "#!/bin/sh\necho >>\"$0.count\"\n[ $(wc -l <\"$0.count\") -lt 6 ] || { kill -9 $PPID; exit 1; }\nexec /bin/mv \"$@\"\n";
    let path = tools.path().join("mv");
    fs::write(&path, mv).unwrap();
    super::ran(Command::new("chmod").arg("755").arg(&path));
    let output = command(Path::new("/bin/sh"), ROOT, home.path())
        .env("PATH", format!("{}:/usr/bin:/bin", tools.path().display()))
        .arg(artefact("install", ".sh"))
        .arg(artefacts())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), None, "{output:?}");
    assert!(home.path().join(".local/.bot-cli-installation").is_dir());
    let output = installer(home.path(), &["/absent"]);
    assert_refused(
        &output,
        "there is no file or folder /absent",
        home.path(),
        &[],
    );
    installed(home.path(), &[artefacts().to_str().unwrap()]);
    use_it(&home.path().join(".local/bin/bot-cli"), ROOT);
}

#[test]
fn files_of_others_are_replaced_only_when_that_is_asked_for() {
    let home = public_folder();
    let host = home.path().join(".local/bin/bot-cli");
    fs::create_dir_all(host.parent().unwrap()).unwrap();
    fs::write(&host, "mine").unwrap();
    let before = files(home.path());
    let output = installer(home.path(), &[artefacts().to_str().unwrap()]);
    assert_refused(
        &output,
        "these files are not of this script",
        home.path(),
        &before,
    );
    assert_eq!(fs::read_to_string(&host).unwrap(), "mine");
    installed(home.path(), &["--replace", artefacts().to_str().unwrap()]);
    use_it(&host, ROOT);
}

fn archive() -> PathBuf {
    artefact("bot-cli-0", ".tar.gz")
}

/// Runs the installer in a home.
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

/// A failure in one sentence that changes nothing.
#[track_caller]
fn assert_refused(output: &Output, problem: &str, home: &Path, before: &[String]) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("error: ") && said.contains(problem), "{said}");
    assert_eq!(files(home), before);
}

/// The archive and the sums, to be changed.
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

/// Serves the files of a folder until the tests end. Returns the address.
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
