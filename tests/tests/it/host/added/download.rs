//! Tests for plugins that are added from an address.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::downloads::{Answer, Downloads, Then, file};
use bot_cli_tests::init::sha256;
use bot_cli_tests::patience::wait_until;
use bot_cli_tests::pty::Terminal;

use super::{HELLO, gzipped, packed, with_hello};

/// Creates a bench that trusts a server. `$URL` is its address, and `$SUM` the sum of the plugin `hello`.
pub(super) fn with_server(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Bench {
    let server = Downloads::start(answer).unwrap();
    let mut bench = with_hello();
    bench.put("trusted.pem", &server.certificate);
    bench.set(
        "SSL_CERT_FILE",
        bench.path("trusted.pem").display().to_string(),
    );
    bench.set("SUM", sha256(HELLO.as_bytes()));
    bench.set("URL", server.url);
    bench
}

const PACK: [(&str, &str); 2] = [
    (
        "acme-1.0/pack.toml",
        "version = \"1.0.0\"\nabout = \"Acme\"\ncatalogue = \"1.0\"\nframework = \">=1.14,<2\"\n",
    ),
    ("acme-1.0/providers/acme.toml", PROVIDER),
];

const NOTHING_THERE: &str =
    "find ~/.local -type f ! -name .plugins.busy -o -name '.adding-*'; test ! -e ~/started";

#[test]
fn a_plugin_is_added_from_an_address_and_upgraded_from_there() {
    static VERSION: Mutex<&str> = Mutex::new("1.2.0");
    let bench = with_server(|path| {
        match path {
        "/bot-cli-hello" => file(HELLO.replace("1.2.0", *VERSION.lock().unwrap()).as_bytes()),
        "/acme.tar.gz" => {
            file(&gzipped(&packed(&PACK)))
        }
        _ => Answer {
            bytes: b"HTTP/1.1 302 Found\r\nLocation: /bot-cli-hello\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_vec(),
            then: Then::Close,
        },
    }
    });
    bench.shows(
        r#"
        $ bot-cli plugin add $URL/bot-cli-hello
        ! error: `--sha256` is required for a plugin from an address
        ! hint: compare it with the sum that the author of the plugin names
        = 2
        $ bot-cli plugin add $URL/latest --sha256 $SUM
        ! error: `--yes` is missing, and there is no terminal to ask on
        ! hint: answer with --yes
        = 2
        $ bot-cli plugin add $URL/latest --sha256 $SUM --dry-run | sed "s/$SUM/SUM/; s|$URL|URL|"
        Would add the plugin `hello` 1.2.0
          name    from its manifest
          file    [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello
          from    URL/latest
          sha256  SUM
        $ find ~/.local -type f ! -name .plugins.busy
        $ bot-cli -q plugin add $URL/latest --sha256 sha256:$SUM --yes; test ! -e ~/started
        ...
        $ bot-cli plugin list | grep sha256 | sed "s/$SUM/SUM/; s|$URL|URL|"
        [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello: added from URL/latest, sha256 SUM
        $ bot-cli plugin upgrade hello
        the plugin `hello` 1.2.0 is the same; nothing was changed
        ...
        $ sum=$(curl -s --cacert $SSL_CERT_FILE $URL/acme.tar.gz | sha256sum | cut -c-64); bot-cli -q plugin add $URL/acme.tar.gz --sha256 $sum --yes
        ...
        "#,
    );
    *VERSION.lock().unwrap() = "1.3.0";
    bench.shows(
        "
        $ bot-cli plugin upgrade hello
        ! error: `--yes` is missing, and there is no terminal to ask on
        ! ...
        = 2
        $ bot-cli plugin upgrade pack-acme
        the provider pack `pack-acme` 1.0.0 is the same; nothing was changed
        ...
        ",
    );
    let mut terminal = at_a_terminal(&bench, "bot-cli plugin upgrade hello");
    terminal.wait_for("Upgrade it?").unwrap();
    for words in [
        "version  1.2.0 -> 1.3.0",
        "It runs as you, with all your rights. What is listed here is what it says of itself.",
    ] {
        terminal.wait_for(words).unwrap();
    }
    terminal.press("y\r").unwrap();
    let ended = terminal.end().unwrap();
    assert!(
        ended.screen.contains("Upgraded the plugin `hello` 1.3.0"),
        "{}",
        ended.screen
    );
}

/// A colleague who clones a project is told how to install its pack, and an update there keeps the pack's origin.
#[test]
fn a_project_says_where_its_pack_comes_from() {
    let bench = with_server(|_| file(&gzipped(&packed(&PACK))));
    let init = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-init"));
    bench.install(init, "bin/bot-cli-init").unwrap();
    bench.shows(
        r#"
        $ curl -s --cacert $SSL_CERT_FILE $URL/acme.tar.gz >acme.tar.gz; sha256sum acme.tar.gz | cut -c-64 >sum
        $ bot-cli -q plugin add $URL/acme.tar.gz --sha256 $(cat sum) --yes
        ...
        $ bot-cli -q init my-bot -t p2p_webrtc -m cascade --stt openai_stt --llm acme_llm --tts openai_tts
        ...
        $ bot-cli -q plugin remove pack-acme
        ...
        $ bot-cli init my-bot --update --recording 2>&1 | sed "s/$(cat sum)/SUM/; s|$URL|URL|"
        error: llm_service: in `.bot-cli/project.json`: `acme_llm`: it is of the provider pack `acme`, version `1.0.0`, which is not installed
        hint: bot-cli plugin add URL/acme.tar.gz --sha256 SUM
        ...
        $ mkdir unpacked && tar -xf acme.tar.gz -C unpacked && bot-cli -q plugin add unpacked/acme-1.0
        ...
        $ bot-cli -q init my-bot --update --recording
        ...
        $ grep -A4 '"packs"' my-bot/.bot-cli/project.json | sed "s/$(cat sum)/SUM/; s|$URL|URL|"
            "packs": {
              "acme": {
                "version": "1.0.0",
                "from": "URL/acme.tar.gz",
                "sha256": "SUM"
        $ sed -i 's|"from": "[^"]*|"from": "https://example.com/$(touch owned)|' my-bot/.bot-cli/project.json; bot-cli -q plugin remove pack-acme
        ...
        $ bot-cli init my-bot --update 2>&1 | sed "s/$(cat sum)/SUM/"
        error: llm_service: in `.bot-cli/project.json`: `acme_llm`: it is of the provider pack `acme`, version `1.0.0`, which is not installed
        hint: ask the author of the project for the file or folder of the pack `acme`, then: bot-cli plugin add FILE --sha256 SUM
        ...
        $ bot-cli -q plugin add "$URL/acme.tar.gz?token=S3CRET" --sha256 $(cat sum) --yes | grep from | sed "s|$URL|URL|"
          from      URL/acme.tar.gz?…
        $ for form in --json -q; do bot-cli plugin list $form; bot-cli plugin info acme $form; bot-cli plugin add "$URL/acme.tar.gz?token=S3CRET" --sha256 $(cat sum) --yes 2>&1; done | grep -c S3CRET
        0
        = 1
        $ bot-cli plugin upgrade pack-acme | grep same
        [..] is the same; nothing was changed
        $ bot-cli -q init other -t p2p_webrtc -m cascade --stt openai_stt --llm acme_llm --tts openai_tts
        ...
        $ test -f other/.bot-cli/project.json && ! grep -r S3CRET other
        "#,
    );
}

#[test]
fn what_a_server_does_wrong_leaves_nothing() {
    let head = |rest: &str| format!("HTTP/1.1 200 OK\r\n{rest}\r\n\r\n").into_bytes();
    let bench = with_server(move |path| {
        let redirect = |to: &str| {
            Answer {
            bytes: format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .into(),
            then: Then::Close,
        }
        };
        let hello = HELLO.as_bytes();
        let answer = |bytes: Vec<u8>, then| Answer { bytes, then };
        match path {
            "/missing" => answer(
                b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .to_vec(),
                Then::Close,
            ),
            "/plain" => redirect("http://127.0.0.1:9/hello"),
            "/file" => redirect("file:///etc/passwd"),
            "/again" => redirect("/again"),
            "/huge" => answer(head("Content-Length: 999999999"), Then::Wait),
            "/less" => answer(
                [head("Content-Length: 5000"), hello.to_vec()].concat(),
                Then::Close,
            ),
            "/more" => answer(
                [head("Content-Length: 100"), hello.to_vec()].concat(),
                Then::Close,
            ),
            "/no-http" => answer(b"hello\r\n\r\n".to_vec(), Then::Close),
            _ => file(b"#!/bin/sh\ntouch ~/started\n"),
        }
    });
    for (path, status, problem) in [
        ("missing", 7, "the server answered with status 404"),
        ("plain", 7, "it redirects to an address without `https`"),
        ("file", 7, "the server answered with status 302"),
        ("again", 7, "it redirects too often"),
        ("huge", 7, "it has more than 256 MiB"),
        ("less", 7, "[..]"),
        ("no-http", 7, "[..]"),
    ] {
        bench.shows(&format!(
            "
            $ bot-cli plugin add $URL/{path} --sha256 $SUM --yes
            ! error: `https://127.0.0.1:[..]/{path}` was not downloaded: {problem}
            ! ...
            = {status}
            $ {NOTHING_THERE}
            "
        ));
    }
    for path in ["more", "other"] {
        bench.shows(&format!(
            "
            $ bot-cli plugin add $URL/{path} --sha256 $SUM --yes
            ! error: `https://127.0.0.1:[..]/{path}` has the sha256 [..], not [..]
            ! ...
            = 1
            $ {NOTHING_THERE}
            "
        ));
    }
    for (address, problem) in [
        (
            "http://127.0.0.1/hello",
            "begins with `http`, not with `https`",
        ),
        ("file:///bin/sh", "begins with `file`, not with `https`"),
        (
            "https://me:secret@127.0.0.1/hello",
            "contains a user name or a password",
        ),
        ("https://[1/hello", "is no address: [..]"),
    ] {
        let shown = address.replace("me:secret@", "");
        bench.shows(&format!(
            "
            $ bot-cli plugin add '{address}' --sha256 $SUM --yes
            ! error: `{shown}` {problem}
            ! ...
            = 2
            "
        ));
    }
    bench.shows(
        "
        $ env -u SSL_CERT_FILE bot-cli plugin add $URL/hello --sha256 $SUM --yes
        ! error: `https://[..]/hello` was not downloaded: its certificate is from an authority that this machine does not trust
        ! hint: [..] export SSL_CERT_FILE=/path/to/certificates.pem
        = 7
        ",
    );
}

#[test]
fn a_download_that_is_killed_or_cancelled_leaves_nothing() {
    let bench = with_server(|path| match path {
        "/drip" => Answer {
            bytes: b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".to_vec(),
            then: Then::Drip,
        },
        _ => file(HELLO.as_bytes()),
    });
    let begun = || {
        let folder = fs::read_dir(bench.path("home/.local/share/bot-cli"));
        let entries = folder.into_iter().flatten().flatten();
        let mut files = entries.map(|entry| entry.path().join("given"));
        files.any(|file| fs::metadata(file).is_ok_and(|it| it.len() > 0))
    };
    // The shell becomes the plugin.
    let line = "exec bot-cli-plugin add $URL/drip --sha256 $SUM --yes";
    let mut killed = bench
        .command(Path::new("/bin/sh"))
        .args(["-c", line])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the download to begin", begun);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(begun());

    let mut terminal = at_a_terminal(&bench, "bot-cli plugin add $URL/drip --sha256 $SUM");
    terminal.wait_for("Downloading").unwrap();
    terminal.press(bot_cli_tests::pty::CTRL_C).unwrap();
    assert_cancelled(&bench, terminal);

    let mut terminal = at_a_terminal(&bench, "bot-cli plugin add $URL/hello --sha256 $SUM");
    terminal.wait_for("Add it?").unwrap();
    terminal.press("n\r").unwrap();
    assert_cancelled(&bench, terminal);
}

#[track_caller]
fn assert_cancelled(bench: &Bench, terminal: Terminal) {
    let screen = terminal.end().unwrap().screen;
    assert!(
        screen.contains("cancelled; nothing was changed"),
        "{screen}"
    );
    bench.shows(&format!("$ {NOTHING_THERE}"));
}

/// A folder of a clone can have the path that an address would be.
#[test]
fn an_address_is_never_a_path() {
    let bench = with_server(|_| file(HELLO.as_bytes()));
    bench.shows(
        r#"
        $ bot-cli -q plugin add $URL/acme --sha256 $SUM --yes
        ...
        $ mkdir -p "$URL"; bot-cli -q plugin new acme --role provider-pack; mv acme "$URL/acme"
        ...
        $ bot-cli plugin upgrade hello --yes
        the plugin `hello` 1.2.0 is the same; nothing was changed
        ...
        "#,
    );
}

/// What the record says of a plugin that could not be replaced is still true after another was.
#[test]
fn upgrading_all_goes_on_after_a_failure_and_ends_when_the_user_stops() {
    let bench = with_server(|_| file(HELLO.replace("1.2.0", "1.3.0").as_bytes()));
    let world = HELLO.replace("hello", "world");
    bench.put("work/bot-cli-world", &world);
    bench.put("work/bot-cli-alice", &HELLO.replace("hello", "alice"));
    bench.shows(
        r#"
        $ for name in alice hello world; do bot-cli -q plugin add ./bot-cli-$name; done
        ...
        $ sed -i s/1.2.0/1.3.0/ bot-cli-alice bot-cli-world; rm $DATA/plugins/bot-cli-alice; mkdir -p $DATA/plugins/bot-cli-alice/own
        $ bot-cli -q plugin upgrade --all --force
        ! warning: the plugin `alice` 1.2.0 stays: could not write `[..]/bot-cli-alice`: is a directory
        ! ...
        ...
        = 1
        $ grep -A2 -E '"(alice|world)"' $DATA/plugins.lock | grep -E 'name|version'
        name = "alice"
        version = "1.2.0"
        name = "world"
        version = "1.3.0"
        $ rmdir -p $DATA/plugins/bot-cli-alice/own 2>&-; bot-cli -q plugin upgrade alice
        ...
        $ sed -i "s|/[^ ]*/work/bot-cli-hello|$URL/hello|" $DATA/plugins.lock; sed -i s/1.3.0/1.4.0/ bot-cli-alice bot-cli-world
        "#,
    );
    let mut terminal = at_a_terminal(&bench, "bot-cli plugin upgrade --all");
    terminal.wait_for("Upgrade it?").unwrap();
    terminal.press(bot_cli_tests::pty::CTRL_C).unwrap();
    let screen = terminal.end().unwrap().screen;
    assert!(
        screen.contains("Upgraded the plugin `alice` 1.4.0"),
        "{screen}"
    );
    assert!(!screen.contains("nothing was changed"), "{screen}");
    assert!(!screen.contains("world"), "{screen}");
}

const PROVIDER: &str = r#"
label = "Acme"
site = "https://acme.example"

[[service]]
id = "acme_llm"
kind = "llm"
label = "Acme"
extras = ["openai"]
module = "pipecat.services.openai.llm"
class = "OpenAILLMService"
prompt = "settings.system_instruction"
args = [{ name = "api_key", value = "none" }]
"#;

fn at_a_terminal(bench: &Bench, line: &str) -> Terminal {
    Terminal::in_bench(bench, &["/bin/sh", "-c", line], 40, 120).unwrap()
}
