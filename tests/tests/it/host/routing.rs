//! From words to plugins.

use std::fs;
use std::os::unix::ffi::OsStringExt;

use serde_json::{Value, json};

use super::{HELLO, bench, bench_with_rogue, expect};

#[test]
fn a_script_of_a_few_lines_is_a_command() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let next = "next: bot-cli hello again\n";
    expect(&bench, &["hello"], 0, "hello\n", next);
    expect(&bench, &["-q", "hello"], 0, "hello\n", "");
    let document = "{\n  \"said\": \"hello\"\n}\n";
    expect(&bench, &["hello", "--json"], 0, document, "");
    expect(&bench, &["--json", "hello"], 0, document, "");
    expect(
        &bench,
        &["hello", "--version"],
        0,
        "bot-cli-hello 1.2\n",
        "",
    );
}

#[test]
fn a_host_that_uvx_runs_once_names_no_command_of_its_own() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    for file in ["pyvenv.cfg", "uv-receipt.toml"] {
        fs::write(bench.path(file), "").unwrap();
    }
    expect(&bench, &["hello"], 0, "hello\n", "");
    let steps = "next: ./bot-cli-demo/test.sh\nnext: ./bot-cli-demo/bot-cli-demo world\n";
    let made = bench
        .run(&["plugin", "new", "demo", "--lang", "sh"])
        .unwrap();
    assert_eq!(made.stderr, steps);
}

#[test]
fn what_declares_nothing_gets_the_users_words_and_keeps_its_status() {
    let bench = bench();
    let script = "#!/bin/sh\necho \"$# $*\" $BOT_CLI_DEPTH; echo oops >&2; exit 42\n";
    bench.script("plugins/bot-cli-old", script).unwrap();
    expect(
        &bench,
        &["old", "--json", "-v", "a b", "--help"],
        42,
        "4 --json -v a b --help 1\n",
        "oops\n",
    );
    expect(
        &bench,
        &["-v", "old"],
        2,
        "",
        "error: `old` is an ordinary command: options before its name do not apply to it\n\
         hint: bot-cli old [OPTIONS]\n",
    );
}

/// A plugin with one command on the user's own terminal and streams, and one over the protocol.
const HOLD: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"hold","version":"1","command":{"name":"hold","about":"Hold","arguments":[{"name":"verbose","kind":"flag","long":"verbose","short":"v","global":true},{"name":"place","kind":"option","long":"place"}],"commands":[{"name":"run","about":"Run","direct":true},{"name":"talk"}]}}
[ $# -gt 0 ] && { printf '%s|' "$@"; cat; exit 42; }
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":"talked\n","data":"talked"}}'
"#;

#[test]
fn a_direct_command_gets_the_users_words_and_streams() {
    let bench = bench();
    bench.script("plugins/bot-cli-hold", HOLD).unwrap();
    std::fs::write(bench.path("work/input"), b"piped \xff").unwrap();
    for (words, stdout) in [
        (
            &["hold", "run", "a b", "--", "--json", "-h"][..],
            "run|a b|--|--json|-h|",
        ),
        (&["hold", "--place", "talk", "run"], "--place|talk|run|"),
        (&["hold", "-v", "run"], "-v|run|"),
        (&["-vv", "hold", "run"], "--verbose|--verbose|run|"),
        // What the plugin does not have stays with the host.
        (&["hold", "run", "-q"], "run|"),
        (&["-q", "hold", "run"], "run|"),
    ] {
        let input = std::fs::File::open(bench.path("work/input")).unwrap();
        let output = bench.host(words).stdin(input).output().unwrap();
        let expected = [stdout.as_bytes(), b"piped \xff"].concat();
        assert_eq!(output.stdout, expected, "{words:?}: {output:?}");
        assert_eq!(output.status.code(), Some(42), "{words:?}");
        assert_eq!(output.stderr, b"", "{words:?}");
    }
    // Words that are no text are only handed on.
    let word = std::ffi::OsString::from_vec(vec![b'r', 0xff]);
    let output = bench.host(&["hold", "run"]).arg(word).output().unwrap();
    assert_eq!(output.stdout, b"run|r\xff|");
}

#[test]
fn a_document_help_and_other_commands_need_no_streams() {
    let bench = bench();
    bench.script("plugins/bot-cli-hold", HOLD).unwrap();
    expect(&bench, &["hold", "talk"], 0, "talked\n", "");
    expect(&bench, &["hold", "talk", "run"], 0, "talked\n", "");
    expect(&bench, &["hold", "--place", "run"], 0, "talked\n", "");
    for words in [["hold", "run", "--json"], ["--json", "hold", "run"]] {
        expect(&bench, &words, 0, "\"talked\"\n", "");
    }
    let help = bench.run(&["hold", "run", "--help"]).unwrap();
    assert_eq!(help.status, Some(0), "{help:?}");
    assert!(
        help.stdout.contains("Usage: bot-cli hold run"),
        "{}",
        help.stdout
    );
}

#[test]
fn what_declares_nothing_is_not_started_for_listing_or_help() {
    let bench = bench();
    let marker = bench.path("work/started");
    let script = format!("#!/bin/sh\ntouch {}\n", marker.display());
    bench.script("plugins/bot-cli-old", &script).unwrap();
    for arguments in [
        &["--help"][..],
        &[],
        &["plugin", "list"],
        &["help", "old"],
        &["help", "old", "part"],
        &["__complete", "zsh", "--", "old", ""],
    ] {
        assert_eq!(bench.run(arguments).unwrap().status, Some(0));
        assert!(!marker.exists(), "{arguments:?}");
    }
    bench.run(&["old"]).unwrap();
    assert!(marker.exists());
}

#[test]
fn a_plugin_learns_where_and_for_whom_it_works() {
    let bench = bench_with_rogue();
    let ran = bench
        .run(&["-v", "--json", "rogue", "echo", "-v", "--", "--json"])
        .unwrap();
    let params: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        params,
        json!({
            "protocol": "1.0",
            "argv": ["echo", "--", "--json"],
            "capabilities": { "stdin": {} },
            "context": {
                "cwd": "[BENCH]/work",
                "interactive": false,
                "color": "never",
                "width": 80,
                "format": "json",
                "verbosity": 2,
                "host": { "name": "bot-cli", "version": env!("CARGO_PKG_VERSION") },
            },
        })
    );
}

#[test]
fn an_unknown_name_is_answered_by_near_ones_and_nothing_runs() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    for (name, suggestion) in [
        ("helo", "hint: did you mean `bot-cli hello`?\n"),
        ("plugins", "hint: did you mean `bot-cli plugin`?\n"),
        (
            "weather",
            "hint: there is no file `bot-cli-weather` in `[BENCH]/home/.local/share/bot-cli/plugins`, `[BENCH]/bin` or a folder of PATH\n\
             hint: once you have the file: bot-cli plugin add FILE\n",
        ),
        (
            "cloud",
            "hint: there is no file `bot-cli-cloud` in `[BENCH]/home/.local/share/bot-cli/plugins`, `[BENCH]/bin` or a folder of PATH\n\
             hint: it is released together with bot-cli: put it into `[BENCH]/bin`\n",
        ),
        ("sk-live-1", ""),
        ("../hello", ""),
        ("Hello", "hint: did you mean `bot-cli hello`?\n"),
    ] {
        let word = match name {
            "../hello" | "sk-live-1" => "no such command".to_owned(),
            name => format!("no command `{name}`"),
        };
        let stderr = format!("error: `bot-cli` has {word}\n{suggestion}hint: bot-cli --help\n");
        expect(&bench, &[name], 127, "", &stderr);
    }
}

#[test]
fn a_version_is_one_document_with_json() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let document = |name: &str, version: &str| {
        format!("{{\n  \"name\": \"{name}\",\n  \"version\": \"{version}\"\n}}\n")
    };
    let own = format!(
        "{{\n  \"name\": \"bot-cli\",\n  \"version\": \"{}\",\n  \"protocol\": \"1.0\",\n  \"file\": \"[BENCH]/bin/bot-cli\",\n  \"plugins\": [\n    {{\n      \"name\": \"hello\",\n      \"version\": \"1.2\",\n      \"role\": \"command\",\n      \"protocol\": \"1.0\",\n      \"status\": \"used\",\n      \"file\": \"[BENCH]/plugins/bot-cli-hello\"\n    }},\n    {{\n      \"name\": \"plugin\",\n      \"version\": \"0.1.0\",\n      \"role\": \"command\",\n      \"protocol\": \"1.0\",\n      \"status\": \"used\",\n      \"file\": \"[BENCH]/bin/bot-cli-plugin\"\n    }}\n  ]\n}}\n",
        env!("CARGO_PKG_VERSION")
    );
    for (arguments, document) in [
        (&["--version", "--json"][..], &own),
        (&["--json", "-V"], &own),
        (&["--json", "hello", "--version"], &document("hello", "1.2")),
    ] {
        expect(&bench, arguments, 0, document, "");
    }
}

#[test]
fn a_plugin_that_runs_itself_is_stopped() {
    let bench = bench();
    let script = "#!/bin/sh\nexec \"$HOST\" again\n";
    bench.script("plugins/bot-cli-again", script).unwrap();
    let mut command = bench.host(&["again"]);
    let output = command
        .env("HOST", bench.path("bin/bot-cli"))
        .output()
        .unwrap();
    let ran = bench.ran(&output).unwrap();
    assert_eq!(
        (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            Some(126),
            "",
            "error: `again` was not run: 8 plugins are already running one another\n\
             hint: look for a plugin that runs itself through bot-cli\n"
        )
    );
}

#[test]
fn a_file_without_an_interpreter_can_not_be_run() {
    let bench = bench();
    bench
        .script("plugins/bot-cli-old", "#!/nowhere/sh\n")
        .unwrap();
    let expected = "error: could not run `[BENCH]/plugins/bot-cli-old`: no such file or directory\n\
                    hint: the interpreter in its first line does not exist\n";
    expect(&bench, &["old"], 126, "", expected);
}

#[test]
fn words_that_are_not_text_are_refused_for_the_protocol() {
    let bench = bench_with_rogue();
    let word = std::ffi::OsString::from_vec(vec![0xff]);
    let ran = bench.run(&["rogue".into(), word]).unwrap();
    assert_eq!(
        (ran.status, ran.stderr.as_str()),
        (Some(2), "error: an argument is not UTF-8\n")
    );
}

#[test]
fn piped_input_reaches_a_plugin_that_asks_for_it_and_no_other() {
    let bench = bench();
    bench
        .script(
            "plugins/bot-cli-count",
            r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"count","about":"Count"}
read -r request
printf '%s\n' '{"jsonrpc":"2.0","id":"s","method":"stdin"}'
read -r answer
printf '%s\n' "$answer" >&2
printf '%s\n' '{"jsonrpc":"2.0","id":1,"result":{"text":""}}'
"#,
        )
        .unwrap();
    let input = bench.path("work/input");
    std::fs::write(&input, "one\ntwo\n").unwrap();
    let file = std::fs::File::open(&input).unwrap();
    let output = bench.host(&["count"]).stdin(file).output().unwrap();
    assert_eq!(
        bench.ran(&output).unwrap().stderr,
        "{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"result\":{\"text\":\"one\\ntwo\\n\"}}\n"
    );
}

#[test]
fn the_common_options_reach_the_host_wherever_they_stand() {
    let bench = bench();
    let plugin = |command: &str| {
        format!(
            r#"#!/bin/sh
# bot-cli-plugin: {{"protocol":"1.0","name":"log"{command}}}
read -r request
echo "$request" >request
printf '%s\n' '{{"jsonrpc":"2.0","method":"log","params":{{"id":1,"level":"info","message":"noted"}}}}'
printf '%s\n' '{{"jsonrpc":"2.0","id":1,"result":{{"text":"done\n","data":7,"next":["bot-cli log"]}}}}'
"#
        )
    };
    let (next, noted) = ("next: bot-cli log\n", "noted\nnext: bot-cli log\n");
    let argv = || {
        let request = std::fs::read_to_string(bench.path("work/request")).unwrap();
        let request: Value = serde_json::from_str(&request).unwrap();
        request["params"]["argv"].to_string()
    };
    let tree = |options: &str| format!(r#","command":{{"arguments":[{options}]}}"#);
    let none = [String::new(), tree("")];
    for command in &none {
        bench
            .script("plugins/bot-cli-log", &plugin(command))
            .unwrap();
        for (words, stdout, stderr, left) in [
            (&["a"][..], "done\n", next, r#"["a"]"#),
            (&["-q", "a"], "done\n", "", r#"["a"]"#),
            (&["a", "-vvv"], "done\n", noted, r#"["a"]"#),
            (&["-v", "a", "--verbose"], "done\n", noted, r#"["a"]"#),
            (&["a", "--json"], "7\n", "", r#"["a"]"#),
            (
                &["--", "-v", "--json"],
                "done\n",
                next,
                r#"["--","-v","--json"]"#,
            ),
            (&["-xv"], "done\n", next, r#"["-xv"]"#),
        ] {
            expect(&bench, &[&["log"], words].concat(), 0, stdout, stderr);
            assert_eq!(argv(), left, "{words:?}");
        }
    }
    // What the plugin declares, it gets as well.
    let shared = r#"{"name":"verbose","kind":"flag","long":"verbose","short":"v","global":true}"#;
    bench
        .script("plugins/bot-cli-log", &plugin(&tree(shared)))
        .unwrap();
    expect(&bench, &["log", "-v"], 0, "done\n", noted);
    assert_eq!(argv(), r#"["-v"]"#);
    // Names that it uses for something else are its own.
    let own = r#"{"name":"volume","kind":"option","long":"volume","short":"v"},{"name":"json","kind":"option","long":"json"},{"name":"out","kind":"option","long":"out"}"#;
    bench
        .script("plugins/bot-cli-log", &plugin(&tree(own)))
        .unwrap();
    for (words, stderr, left) in [
        (
            &["-v", "1", "--json", "file"][..],
            next,
            r#"["-v","1","--json","file"]"#,
        ),
        (&["--verbose"], noted, "[]"),
        (&["--out", "--quiet"], next, r#"["--out","--quiet"]"#),
    ] {
        expect(&bench, &[&["log"], words].concat(), 0, "done\n", stderr);
        assert_eq!(argv(), left, "{words:?}");
    }
    expect(&bench, &["-v", "log"], 0, "done\n", noted);
    expect(&bench, &["--json", "log"], 0, "7\n", "");
}

#[test]
fn a_plugin_learns_where_the_host_is() {
    let bench = bench();
    let script = "#!/bin/sh\nexec \"$BOT_CLI_HOST\" --version\n";
    bench.script("plugins/bot-cli-old", script).unwrap();
    let version = format!("bot-cli {}\n", env!("CARGO_PKG_VERSION"));
    expect(&bench, &["old"], 0, &version, "");
}

#[test]
fn a_folder_that_is_gone_is_named_by_the_host_and_by_a_plugin_alone() {
    let bench = bench();
    bench.script("plugins/bot-cli-hello", HELLO).unwrap();
    let greet = env!("CARGO_BIN_EXE_it-greet");
    bench
        .install(std::path::Path::new(greet), "bin/bot-cli-greet")
        .unwrap();
    for (command, message) in [
        ("bot-cli hello", "the current folder no longer exists"),
        (
            "bot-cli-greet you --language=en",
            "could not find the current folder: no such file or directory",
        ),
    ] {
        let script = format!("mkdir gone; cd gone; rmdir ../gone; \"$0\"/{command}");
        let output = std::process::Command::new("/bin/sh")
            .args(["-c", &script])
            .arg(bench.path("bin"))
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"))
            .output()
            .unwrap();
        let ran = bench.ran(&output).unwrap();
        assert_eq!(
            (ran.status, ran.stderr),
            (
                Some(2),
                format!("error: {message}\nhint: cd to a folder that exists\n")
            )
        );
    }
}
