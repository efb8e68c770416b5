//! `plugin new`: what it writes, and where it writes nothing.

use std::fs;
use std::process::Command;

use bot_cli_protocol::words::HostOption;
use serde_json::Value;

use super::check::{checks, report};
use super::{bench, expect};

const SDK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sdk");

#[test]
fn a_plugin_in_sh_passes_every_check_and_its_own_test() {
    let bench = bench();
    expect(
        &bench,
        &["plugin", "new", "demo", "--lang", "sh"],
        0,
        "Created the plugin `demo`\n  created   bot-cli-demo/bot-cli-demo\n  created   bot-cli-demo/test.sh\n",
        "next: ./bot-cli-demo/test.sh\n\
         next: bot-cli plugin check ./bot-cli-demo/bot-cli-demo --argv world\n\
         next: ./bot-cli-demo/bot-cli-demo world\n",
    );
    let run = |program: &str, argument: &[&str]| {
        let output = Command::new(bench.path("work").join(program))
            .args(argument)
            .current_dir(bench.path("work"))
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (status, said) = run("./bot-cli-demo/test.sh", &[]);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(
        run("./bot-cli-demo/bot-cli-demo", &["world"]),
        (Some(0), "Hello, world.\n".to_owned())
    );
    let (status, report) = report(&bench, "./bot-cli-demo/bot-cli-demo", &["--argv", "world"]);
    assert_eq!(
        (status, checks(&report, "failed")),
        (Some(0), Vec::new()),
        "{report:#}"
    );
}

#[test]
fn a_provider_pack_passes_every_check_and_is_found_where_packs_are() {
    let bench = bench();
    expect(
        &bench,
        &["plugin", "new", "acme-fast", "--role", "provider-pack"],
        0,
        "Created the provider pack `acme-fast`\n  created   acme-fast/pack.toml\n  created   acme-fast/providers/acme-fast.toml\n",
        "next: bot-cli plugin check ./acme-fast\n\
         next: bot-cli plugin add ./acme-fast\n",
    );
    let (status, made) = report(&bench, "./acme-fast", &[]);
    assert_eq!(
        (status, checks(&made, "failed")),
        (Some(0), Vec::new()),
        "{made:#}"
    );
    assert!(checks(&made, "not_run").is_empty(), "{made:#}");
    let added = bench.run(&["plugin", "add", "./acme-fast"]).unwrap();
    assert_eq!(added.status, Some(0), "{added:?}");
    let (status, found) = report(&bench, "pack-acme-fast", &[]);
    assert_eq!(
        (status, checks(&found, "failed")),
        (Some(0), Vec::new()),
        "{found:#}"
    );
}

#[test]
fn the_name_of_the_file_is_as_good_as_the_name() {
    let bench = bench();
    let new = [
        "plugin",
        "new",
        "bot-cli-pack-zz",
        "--role",
        "provider-pack",
    ];
    assert_eq!(bench.run(&new).unwrap().status, Some(0));
    let (status, made) = report(&bench, "./zz", &[]);
    assert_eq!((status, checks(&made, "failed")), (Some(0), Vec::new()));
    let role = ["--role", "secrets-backend", "--lang", "python"];
    expect(
        &bench,
        &[&["plugin", "new", "secrets-zz"][..], &role].concat(),
        0,
        "Created the secrets backend `zz`\n  created   bot-cli-secrets-zz/bot-cli-secrets-zz\n  created   bot-cli-secrets-zz/test.py\n",
        "next: ./bot-cli-secrets-zz/test.py\n\
         next: bot-cli plugin check ./bot-cli-secrets-zz/bot-cli-secrets-zz --argv ''\n\
         next: bot-cli plugin add ./bot-cli-secrets-zz/bot-cli-secrets-zz\n",
    );
}

#[test]
fn what_does_not_fit_is_refused() {
    let bench = bench();
    let name = "the name must be lower-case words with single hyphens between them, such as `acme-speech`, and have at most";
    for (words, problem) in [
        (
            "demo",
            "`--lang`: a command is written in sh, python or rust",
        ),
        (
            "demo --role secrets-backend",
            "`--lang`: a secrets backend is written in python",
        ),
        (
            "demo --role secrets-backend --lang sh",
            "`--lang`: a secrets backend is written in python",
        ),
        (
            "demo --role provider-pack --lang sh",
            "`--lang`: a provider pack is a folder of TOML files",
        ),
        (
            "demo --role provider-pack --dir packs",
            "`--dir`: the folder of a pack has the pack's name, `demo`",
        ),
        (
            "a--b --role provider-pack",
            &format!("{name} 27 characters"),
        ),
        ("Demo --lang sh", &format!("{name} 32 characters")),
        (
            "demo --lang perl",
            "`perl` is not a value for `--lang`\nhint: possible values: sh, python, rust\nhint: bot-cli plugin new --help",
        ),
        (
            "help --lang sh",
            "the name is that of a command that comes with bot-cli",
        ),
        (
            "init --lang sh",
            "the name is that of a command that comes with bot-cli",
        ),
        (
            "secrets-x --lang sh",
            "the name is that of a backend: add `--role secrets-backend`",
        ),
        (
            "local --role secrets-backend --lang python",
            "the name is that of a built-in backend",
        ),
        (
            "demo --lang sh --sdk .",
            "`--sdk`: only a plugin in Rust uses the library",
        ),
        (
            "demo --lang rust --sdk .",
            "`--sdk`: there is no package in that folder",
        ),
        (
            "demo --lang rust",
            "`--sdk`: a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli",
        ),
    ] {
        let words: Vec<&str> = ["plugin", "new"]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        expect(&bench, &words, 2, "", &format!("error: {problem}\n"));
    }
    assert!(fs::read_dir(bench.path("work")).unwrap().next().is_none());
}

#[test]
fn nothing_is_overwritten() {
    let bench = bench();
    bench.put("work/here/mine", "mine");
    let new = ["plugin", "new", "demo", "--lang", "sh", "--dir", "here"];
    expect(
        &bench,
        &new,
        1,
        "",
        "error: `here` already exists\nhint: choose another folder with `--dir`\n",
    );
    assert_eq!(fs::read_dir(bench.path("work/here")).unwrap().count(), 1);
}

#[test]
fn a_plugin_in_rust_names_the_library_by_its_folder_and_has_its_words() {
    let bench = bench();
    bench
        .run(&["plugin", "new", "two", "--lang", "rust", "--sdk", SDK])
        .unwrap();
    let path = fs::canonicalize(SDK).unwrap();
    let expected = format!("bot-cli-sdk = {{ path = {:?} }}\n", path.to_str().unwrap());
    let cargo = fs::read_to_string(bench.path("work/bot-cli-two/Cargo.toml")).unwrap();
    assert!(cargo.contains(&expected), "{cargo}");
    let manifest = fs::read_to_string(bench.path("work/bot-cli-two/manifest.json")).unwrap();
    let manifest: Value = manifest.parse().unwrap();
    let arguments = manifest["command"]["arguments"].as_array().unwrap();
    for option in [HostOption::Json, HostOption::Verbose, HostOption::Quiet] {
        let mut arguments = arguments.iter();
        let argument = arguments.find(|argument| argument["long"] == option.long());
        assert_eq!(argument.unwrap()["about"], option.about());
    }
}

#[test]
fn the_next_commands_work_in_a_folder_of_any_name() {
    let bench = bench();
    let folder = "it's\na\tfolder \u{1b}[31m";
    let words = ["plugin", "new", "demo", "--lang", "sh", "--dir", folder];
    let made = bench.run(&words).unwrap();
    let commands: Vec<&str> = made.stderr.lines().collect();
    assert_eq!(commands.len(), 3, "{made:?}");
    for command in commands {
        let ran = Command::new("bash")
            .args(["-c", command.strip_prefix("next: ").unwrap()])
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"))
            .output();
        assert!(ran.as_ref().unwrap().status.success(), "{command}: {ran:?}");
    }
}

#[test]
fn what_can_not_be_written_completely_is_not_written() {
    let bench = bench();
    let mut host = Command::new("/bin/sh");
    let words = "ulimit -f 1; exec \"$0\" plugin new demo --lang python --dir new/demo";
    host.args(["-c", words])
        .arg(bench.path("bin/bot-cli"))
        .env_clear()
        .envs(bench.environment())
        .current_dir(bench.path("work"));
    let ran = bench.ran(&host.output().unwrap()).unwrap();
    let stderr = "error: could not create `new/demo`: file too large\n";
    assert_eq!((ran.status, &*ran.stderr), (Some(1), stderr));
    assert_eq!(fs::read_dir(bench.path("work")).unwrap().count(), 0);
}
