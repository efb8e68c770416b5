//! Tests for `plugin new`: the files it writes, and the cases in which it writes none.

use std::fs;
use std::process::Command;

use super::check::{checks, report};
use super::{bench, expect};

#[test]
fn a_plugin_in_sh_passes_every_check_and_its_own_test() {
    let bench = bench();
    bench.shows(
        "
        $ bot-cli plugin new demo --lang sh
        Created the plugin `demo`
          created   bot-cli-demo/bot-cli-demo
          created   bot-cli-demo/test.sh
        ! next: ./bot-cli-demo/test.sh
        ! next: bot-cli plugin check ./bot-cli-demo/bot-cli-demo --argv ''
        ! next: bot-cli plugin check ./bot-cli-demo/bot-cli-demo --argv world
        ! next: bot-cli plugin add ./bot-cli-demo/bot-cli-demo
        !       # `bot-cli init --describe --json` in a bot project shows what a plugin can learn about it
        $ ./bot-cli-demo/test.sh >said && ./bot-cli-demo/bot-cli-demo world
        Hello, world.
        ",
    );
    for argv in ["world", ""] {
        let (status, report) = report(&bench, "./bot-cli-demo/bot-cli-demo", &["--argv", argv]);
        assert_eq!(checks(&report, "failed"), [""; 0], "{report:#}");
        assert_eq!(status, Some(0));
    }
}

#[test]
fn a_new_plugin_comes_with_its_test_and_the_next_commands() {
    bench().shows(
        "
        $ bot-cli plugin new demo --lang python
        Created the plugin `demo`
          created   bot-cli-demo/plugin.py
          created   bot-cli-demo/test.py
          created   bot-cli-demo/bot_cli_sdk
        ! next: ./bot-cli-demo/test.py
        ! next: ./bot-cli-demo/plugin.py --build
        ! next: bot-cli plugin check ./bot-cli-demo/bot-cli-demo --argv ''
        ! next: bot-cli plugin check ./bot-cli-demo/bot-cli-demo --argv world
        ! next: bot-cli plugin add ./bot-cli-demo/bot-cli-demo
        !       # `bot-cli init --describe --json` in a bot project shows what a plugin can learn about it
        $ cd bot-cli-demo; test -x plugin.py && test -x test.py && test -f bot_cli_sdk/__init__.py
        ",
    );
}

#[test]
fn a_provider_pack_passes_every_check_and_is_found_where_packs_are() {
    let bench = bench();
    bench.shows(
        "
        $ bot-cli plugin new acme-fast --role provider-pack
        Created the provider pack `acme-fast`
          created   acme-fast/pack.toml
          created   acme-fast/providers/acme-fast.toml
        ! next: bot-cli plugin check ./acme-fast
        ! next: bot-cli plugin add ./acme-fast
        $ bot-cli -q plugin add ./acme-fast
        ...
        $ bot-cli -q plugin new bot-cli-pack-zz --role provider-pack && ls -d zz
        ...
        zz
        ",
    );
    let (status, report) = report(&bench, "./acme-fast", &[]);
    assert_eq!(checks(&report, "failed"), [""; 0], "{report:#}");
    assert_eq!(checks(&report, "not_run"), [""; 0], "{report:#}");
    assert_eq!(status, Some(0));
}

#[test]
fn what_does_not_fit_is_refused() {
    let bench = bench();
    let name = "the name must be lower-case words with single hyphens between them, such as `acme-speech`, and have at most";
    let ours = "the name is that of a command that comes with bot-cli";
    let lang = "`--lang`: a command is written in sh, python, typescript, go or rust, a secrets backend in python or typescript, a provider pack in no language";
    for (words, problem) in [
        ("demo --role provider-pack --lang go", lang),
        (
            "a--b --role provider-pack",
            &format!("{name} 27 characters"),
        ),
        ("plugin --lang go", ours),
        (
            "secrets-x --lang go",
            "the name is that of a backend: add `--role secrets-backend`",
        ),
        (
            "local --role secrets-backend --lang python",
            "the name is that of a built-in backend",
        ),
        (
            "demo --lang rust --sdk .",
            "`--sdk`: there is no package in that folder",
        ),
    ] {
        let words: Vec<&str> = ["plugin", "new"]
            .into_iter()
            .chain(words.split(' '))
            .collect();
        expect(&bench, &words, 2, "", &format!("error: {problem}\n"));
    }
    assert!(fs::read_dir(bench.path("work")).unwrap().next().is_none());
    bench.shows(
        "
        $ mkdir bot-cli-demo; bot-cli plugin new demo --lang go
        ! error: `bot-cli-demo` already exists
        = 1
        $ ls bot-cli-demo
        ",
    );
}

#[test]
fn an_update_replaces_the_library_and_nothing_that_the_author_wrote() {
    let bench = bench();
    bench.shows(
        "
        $ bot-cli plugin new . --update
        ! error: there is no library that `plugin new` copied in `.`
        ! hint: name the folder of a plugin in Python or TypeScript
        = 2
        $ bot-cli -q plugin new demo --lang python >said && bot-cli -q plugin new tess --lang typescript >said
        $ bot-cli plugin new bot-cli-tess --update
        `sdk` is up to date: 0.1.0
        $ cd bot-cli-tess/sdk && sha256sum -c --quiet SHA256SUMS
        $ cd bot-cli-demo/bot_cli_sdk; echo 'version = 0' >_old.py; echo 'own = 1' >own.py; echo 'changed = 1' >>session.py; rm py.typed pack.py; sed 's/0.1.0/0.0.9/' __init__.py >older; mv older __init__.py
        $ cd bot-cli-demo/bot_cli_sdk; sed -i '1s/.*/# bot-cli-sdk 0.0.9/; /__init__/d' SHA256SUMS; sha256sum __init__.py _old.py >>SHA256SUMS; sha256sum ../plugin.py >>SHA256SUMS
        $ bot-cli plugin new bot-cli-demo --update
        ! error: the library has changes that an update would lose: `bot_cli_sdk/session.py`
        ! hint: move your changes into files of your own, and delete these files
        = 1
        $ cd bot-cli-demo; ls bot_cli_sdk/pack.py 2>/dev/null; rm bot_cli_sdk/session.py; echo '# mine' >>plugin.py; bot-cli plugin new . --update
        Updated `bot_cli_sdk` from 0.0.9 to 0.1.0
          updated   bot_cli_sdk/__init__.py
          updated   bot_cli_sdk/pack.py
          updated   bot_cli_sdk/py.typed
          updated   bot_cli_sdk/session.py
          removed   bot_cli_sdk/_old.py
        $ cd bot-cli-demo; tail -n 1 plugin.py; cd bot_cli_sdk && sha256sum -c --quiet SHA256SUMS && ls own.py _old.py
        # mine
        own.py
        ! ls: cannot access '_old.py': No such file or directory
        = 2
        ",
    );
}

#[test]
fn an_update_leaves_the_folder_by_no_link() {
    let bench = bench();
    let made =
        "bot-cli -q plugin new demo --lang python >said; mkdir outside; echo 1 >outside/precious";
    assert_eq!(bench.shell(made).unwrap().status, Some(0));
    for hostile in [
        "ln -s ../../outside bot_cli_sdk/d; (cd bot_cli_sdk && sha256sum d/precious >>SHA256SUMS)",
        "mv bot_cli_sdk ../outside/sdk; ln -s ../outside/sdk bot_cli_sdk",
        "rm bot_cli_sdk/pack.py; mkfifo bot_cli_sdk/pack.py",
        "rm bot_cli_sdk/pack.py; ln -s /dev/zero bot_cli_sdk/pack.py",
    ] {
        let script = format!(
            "cp -r bot-cli-demo hostile; cd hostile; {hostile}; bot-cli plugin new . --update; echo $?; cat ../outside/precious; cd ..; rm -r hostile"
        );
        let ran = bench.shell(&script).unwrap();
        assert_eq!(ran.stdout, "1\n1\n", "{hostile}: {ran:?}");
        assert!(
            ran.stderr.contains("is neither a file nor a folder"),
            "{ran:?}"
        );
    }
}

#[test]
fn what_can_not_be_written_completely_is_not_written() {
    let bench = bench();
    let mut host = bench.command("/bin/sh".as_ref());
    let words = "ulimit -f 1; exec \"$0\" plugin new demo --lang python";
    host.args(["-c", words]).arg(bench.path("bin/bot-cli"));
    let ran = bench.ran(&Command::output(&mut host).unwrap()).unwrap();
    let stderr = "error: could not create `bot-cli-demo`: file too large\n";
    assert_eq!((ran.status, &*ran.stderr), (Some(1), stderr));
    assert_eq!(fs::read_dir(bench.path("work")).unwrap().count(), 0);
}
