//! `plugin new`: what it writes, and where it writes nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
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
    let new = [
        "plugin",
        "new",
        "secrets-zz",
        "--role",
        "secrets-backend",
        "--lang",
        "python",
    ];
    expect(
        &bench,
        &new,
        0,
        "Created the secrets backend `zz`\n  created   bot-cli-secrets-zz/bot-cli-secrets-zz\n  created   bot-cli-secrets-zz/test.py\n",
        "next: ./bot-cli-secrets-zz/test.py\n\
         next: bot-cli plugin check ./bot-cli-secrets-zz/bot-cli-secrets-zz --argv ''\n\
         next: bot-cli plugin add ./bot-cli-secrets-zz/bot-cli-secrets-zz\n",
    );
}

#[test]
fn a_role_a_language_and_a_name_must_fit_each_other() {
    let bench = bench();
    for (words, stderr) in [
        (
            &["demo"][..],
            "error: `--lang` is missing: it can be sh, python or rust\nhint: bot-cli plugin new demo --lang sh\n",
        ),
        (
            &["demo", "--role", "secrets-backend"],
            "error: `--lang` is missing: it can be python\nhint: bot-cli plugin new demo --role secrets-backend --lang python\n",
        ),
        (
            &["demo", "--role", "secrets-backend", "--lang", "sh"],
            "error: `--lang`: a secrets backend is written in python only\n",
        ),
        (
            &["demo", "--role", "provider-pack", "--lang", "sh"],
            "error: `--lang`: a provider pack is written as a folder of TOML files, without a program\nhint: bot-cli plugin new demo --role provider-pack\n",
        ),
        (
            &["demo", "--role", "provider-pack", "--dir", "my packs"],
            "error: `--dir`: the folder of a pack has the pack's name, `demo`\nhint: bot-cli plugin new demo --role provider-pack --dir 'my packs/demo'\n",
        ),
        (
            &["a--b", "--role", "provider-pack"],
            "error: the name must be lower-case words with single hyphens between them, such as `acme-speech`, and begin with a letter\n",
        ),
        (
            &["abcdefghijklmnopqrstuvwxyzabc", "--role", "provider-pack"],
            "error: the name must consist of lower-case letters, digits and hyphens, begin with a letter, and have at most 27 characters\n",
        ),
        (
            &["plugin", "--lang", "sh"],
            "error: the name is that of a plugin that comes with bot-cli\n",
        ),
        (
            &["local", "--role", "secrets-backend", "--lang", "python"],
            "error: the name is that of a built-in backend\n",
        ),
        (
            &["git", "--role", "provider-pack"],
            "error: a provider pack `git` would be created but could not be used: `env.GIT_API_KEY` is a variable that other programs use; begin its name with that of the service, such as `ACME_REGION`\n  \
             name: is the beginning of other names\nhint: choose another name\n",
        ),
    ] {
        let arguments = [&["plugin", "new"], words].concat();
        expect(&bench, &arguments, 2, "", stderr);
    }
    assert!(fs::read_dir(bench.path("work")).unwrap().next().is_none());
}

#[test]
fn nothing_is_overwritten() {
    for (lang, sdk) in [("sh", &[][..]), ("python", &[]), ("rust", &["--sdk", SDK])] {
        let bench = bench();
        let new = ["plugin", "new", "demo", "--lang", lang, "--dir", "here"];
        let new = [&new, sdk].concat();
        assert_eq!(bench.run(&new).unwrap().status, Some(0));
        let entries = || -> Vec<_> {
            let entries = fs::read_dir(bench.path("work/here")).unwrap();
            entries
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.is_file())
                .collect()
        };
        let files = entries();
        for file in &files {
            fs::write(file, "mine").unwrap();
        }
        let ran = bench.run(&new).unwrap();
        assert_eq!(ran.status, Some(1));
        assert!(
            ran.stderr
                .starts_with("error: nothing was written; these already exist: `here/"),
            "{}",
            ran.stderr
        );
        // One file in the way is enough.
        fs::remove_file(&files[0]).unwrap();
        assert_eq!(bench.run(&new).unwrap().status, Some(1));
        assert_eq!(entries().len(), files.len() - 1);
        assert!(
            entries()
                .iter()
                .all(|file| fs::read_to_string(file).unwrap() == "mine")
        );
    }
}

#[test]
fn what_can_be_run_is_executable_and_the_rest_is_not() {
    let bench = bench();
    for (lang, program, text, sdk) in [
        ("python", "test.py", None, &[][..]),
        ("rust", "", Some("src/main.rs"), &["--sdk", SDK]),
        ("sh", "bot-cli-demo", None, &[]),
    ] {
        let new = ["plugin", "new", "demo", "--lang", lang, "--dir", lang];
        bench.run(&[&new, sdk].concat()).unwrap();
        let mode = |file: &str| {
            let path = bench.path("work").join(lang).join(file);
            fs::metadata(path).unwrap().permissions().mode() & 0o111
        };
        if !program.is_empty() {
            assert_eq!(mode(program) & 0o100, 0o100);
        }
        if let Some(text) = text {
            assert_eq!(mode(text), 0);
        }
    }
}

#[test]
fn a_plugin_in_rust_names_the_library_by_its_folder() {
    let bench = bench();
    bench
        .run(&["plugin", "new", "two", "--lang", "rust", "--sdk", SDK])
        .unwrap();
    let path = fs::canonicalize(SDK).unwrap();
    let expected = format!("bot-cli-sdk = {{ path = {:?} }}\n", path.to_str().unwrap());
    let cargo = fs::read_to_string(bench.path("work/bot-cli-two/Cargo.toml")).unwrap();
    assert!(cargo.contains(&expected), "{cargo}");
}

#[test]
fn the_manifest_of_a_plugin_in_rust_has_the_words_of_the_library() {
    let bench = bench();
    bench
        .run(&["plugin", "new", "two", "--lang", "rust", "--sdk", SDK])
        .unwrap();
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
fn what_can_not_be_written_is_refused() {
    let bench = bench();
    for (words, message) in [
        (
            &["Demo", "--lang", "sh"][..],
            "error: the name must consist of lower-case letters, digits and hyphens, begin with a letter, and have at most 32 characters\n",
        ),
        (
            &["demo", "--lang", "perl"],
            "error: `perl` is not a value for `--lang`\nhint: possible values: sh, python, rust\nhint: bot-cli plugin new --help\n",
        ),
        (
            &["help", "--lang", "sh"],
            "error: the name is a built-in command of bot-cli\n",
        ),
        (
            &["init", "--lang", "sh"],
            "error: the name is that of a plugin that comes with bot-cli\n",
        ),
        (
            &["secrets-x", "--lang", "sh"],
            "error: the name is that of a secrets backend\n\
             hint: to create one: bot-cli plugin new NAME --role secrets-backend\n",
        ),
        (
            &["demo", "--lang", "sh", "--sdk", "."],
            "error: `--sdk`: only a plugin in Rust uses the library\n",
        ),
        (
            &["demo", "--lang", "rust", "--sdk", "."],
            "error: `--sdk`: there is no package in that folder\n",
        ),
        (
            &["demo", "--lang", "rust"],
            "error: `--sdk` is missing: a plugin in Rust needs the folder of the SDK crate, `sdk` in a checkout of bot-cli\nhint: bot-cli plugin new demo --lang rust --sdk ../bot-cli/sdk\n",
        ),
    ] {
        expect(
            &bench,
            &[&["plugin", "new"], words].concat(),
            2,
            "",
            message,
        );
    }
    assert_eq!(fs::read_dir(bench.path("work")).unwrap().count(), 0);
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
    let before = fs::read_dir(bench.path("work")).unwrap().count();
    fs::create_dir(bench.path("work/mine")).unwrap();
    for folder in ["new/demo", "mine"] {
        let mut host = Command::new("/bin/sh");
        let words = "ulimit -f 1; exec \"$0\" plugin new demo --lang python --dir \"$1\"";
        host.args(["-c", words])
            .arg(bench.path("bin/bot-cli"))
            .arg(folder)
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"));
        let ran = bench.ran(&host.output().unwrap()).unwrap();
        assert_eq!(
            (ran.status, &*ran.stderr),
            (
                Some(1),
                &*format!("error: could not write `{folder}/bot-cli-demo`: file too large\n")
            )
        );
        assert_eq!(fs::read_dir(bench.path("work/mine")).unwrap().count(), 0);
    }
    assert_eq!(
        fs::read_dir(bench.path("work")).unwrap().count(),
        before + 1
    );
}
