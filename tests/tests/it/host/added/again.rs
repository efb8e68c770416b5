//! What is in place already, in another form, without a record or not used.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::pty::{CTRL_C, ENTER, Terminal};

use super::{DATA, hello, json, run, tree};
use crate::host::terminal::script;
use crate::host::{bench, expect};

/// A pack that is an executable.
const PACK: &str = "#!/bin/sh\n# bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"pack-acme\",\"version\":\"2.0.0\",\"role\":\"provider-pack\",\"providers\":\"dynamic\"}\n";

fn with_hello() -> Bench {
    let bench = bench();
    bench
        .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
        .unwrap();
    bench
}

fn with_packs() -> Bench {
    let bench = bench();
    let made = run(&bench, "plugin new acme --role provider-pack");
    assert_eq!(made.status, Some(0), "{made:?}");
    bench.script("work/bot-cli-pack-acme", PACK).unwrap();
    bench
}

/// The files, without the record.
fn plugins(bench: &Bench) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut files = tree(bench);
    files.retain(|(path, _)| path.is_file() && !path.ends_with("plugins.lock"));
    files
}

#[track_caller]
fn assert_recorded(bench: &Bench, name: &str) {
    let info = json(bench, &format!("plugin info {name}"));
    assert_eq!(info["plugins"][0]["added"]["changed"], false, "{info:#}");
}

#[test]
fn a_pack_in_another_form_is_not_put_beside_the_old_one() {
    for (first, other, was, is) in [
        ("acme", "bot-cli-pack-acme", "folder", "file"),
        ("bot-cli-pack-acme", "acme", "file", "folder"),
    ] {
        let bench = with_packs();
        assert_eq!(
            run(&bench, &format!("plugin add ./{first}")).status,
            Some(0)
        );
        let before = tree(&bench);
        for command in ["add", "upgrade pack-acme"] {
            expect(
                &bench,
                &[
                    &["plugin"][..],
                    &command.split(' ').collect::<Vec<_>>(),
                    &[&format!("./{other}")],
                ]
                .concat(),
                1,
                "",
                &format!(
                    "error: `pack-acme` was added as a {was}, and `./{other}` is a {is}\n\
                     hint: bot-cli plugin remove pack-acme && bot-cli plugin add ./{other}\n"
                ),
            );
            assert_eq!(tree(&bench), before);
        }
        assert_eq!(run(&bench, "plugin remove pack-acme").status, Some(0));
        assert_eq!(
            run(&bench, &format!("plugin add ./{other}")).status,
            Some(0)
        );
        assert_eq!(run(&bench, "plugin remove pack-acme").status, Some(0));
        assert_eq!(plugins(&bench), []);
    }
}

#[test]
fn what_is_in_place_is_recorded_when_it_is_added() {
    for (name, given, place) in [
        ("hello", "bot-cli-hello", "plugins/bot-cli-hello"),
        ("pack-acme", "acme", "packs/acme"),
    ] {
        let bench = with_packs();
        bench
            .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
            .unwrap();
        let add = format!("plugin add ./{given}");
        assert_eq!(run(&bench, &add).status, Some(0));
        let kept = plugins(&bench);
        let place = bench.path(DATA).join(place);
        let lock = bench.path(DATA).join("plugins.lock");
        // The very file, and another of the same content.
        for given in [place.display().to_string(), format!("./{given}")] {
            fs::remove_file(&lock).unwrap();
            let would = run(&bench, &format!("plugin add {given} --dry-run"));
            assert!(would.stdout.starts_with("Would record the "), "{would:?}");
            assert!(!lock.exists());
            let added = run(&bench, &format!("plugin add {given}"));
            assert_eq!(added.status, Some(0), "{added:?}");
            assert!(added.stdout.starts_with("Recorded the "), "{added:?}");
            assert_eq!(plugins(&bench), kept);
            assert_recorded(&bench, name);
        }
        // A record that can't be read is put aside as the hint says.
        fs::write(&lock, "version = 1\n[[plugin]]\n").unwrap();
        let ran = run(&bench, &add);
        let hint =
            format!("hint: mv [BENCH]/{DATA}/plugins.lock [BENCH]/{DATA}/plugins.lock.old\n");
        assert!(ran.stderr.contains(&hint), "{ran:?}");
        let aside = lock.with_extension("lock.old");
        fs::write(&aside, "that of another time").unwrap();
        let ran = run(&bench, &add);
        assert!(ran.stderr.contains("/plugins.lock.old.old\n"), "{ran:?}");
        fs::rename(&lock, aside).unwrap();
        // Without a record, the hint says what records it.
        let short = place.display().to_string();
        let short = short.replace(&bench.path("").display().to_string(), "[BENCH]/");
        for words in [
            format!("plugin remove {name}"),
            format!("plugin upgrade {name}"),
        ] {
            let ran = run(&bench, &words);
            assert_eq!(
                (ran.status, &*ran.stderr),
                (
                    Some(1),
                    &*format!(
                        "error: `{short}` was not added by `bot-cli plugin add`\n\
                         hint: to have it recorded as it is: bot-cli plugin add {short}\n"
                    )
                )
            );
        }
        assert_eq!(
            run(&bench, &format!("plugin add {}", place.display())).status,
            Some(0)
        );
        assert_eq!(
            run(&bench, &format!("plugin remove {name}")).status,
            Some(0)
        );
        assert_eq!(plugins(&bench).len(), 1, "the old record");
    }
}

#[test]
fn another_content_without_a_record_is_recorded_first() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    fs::remove_file(bench.path(DATA).join("plugins.lock")).unwrap();
    bench
        .script("work/bot-cli-hello", &hello("1.3.0", "wave"))
        .unwrap();
    let kept = plugins(&bench);
    let place = format!("[BENCH]/{DATA}/plugins/bot-cli-hello");
    expect(
        &bench,
        &["plugin", "add", "./bot-cli-hello"],
        1,
        "",
        &format!(
            "error: `{place}` is already there, and `plugin add` did not put it there\n\
             hint: to have it recorded as it is: bot-cli plugin add {place}\n\
             hint: if it is not needed: rm -r {place}\n"
        ),
    );
    assert_eq!(plugins(&bench), kept);
    // A pack of the user's own has files that are never copied; they stay.
    let bench = with_packs();
    let pack = bench.path(DATA).join("packs/acme");
    fs::create_dir_all(pack.parent().unwrap()).unwrap();
    fs::rename(bench.path("work/acme"), &pack).unwrap();
    fs::write(pack.join(".notes"), "mine\n").unwrap();
    let kept = plugins(&bench);
    let recorded = run(&bench, &format!("plugin add {}", pack.display()));
    assert!(recorded.stdout.starts_with("Recorded the "), "{recorded:?}");
    assert_recorded(&bench, "pack-acme");
    let same = run(&bench, "plugin upgrade pack-acme");
    assert!(
        same.stdout.contains("is the same; nothing was changed"),
        "{same:?}"
    );
    assert_eq!(plugins(&bench), kept);
}

#[test]
fn an_upgrade_to_what_is_in_place_renews_its_record_and_its_rights() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    // Somebody has put the new version there by hand.
    let new = hello("1.3.0", "wave");
    bench.script("work/new/bot-cli-hello", &new).unwrap();
    let place = bench.path(DATA).join("plugins/bot-cli-hello");
    fs::write(&place, &new).unwrap();
    fs::set_permissions(&place, Permissions::from_mode(0o644)).unwrap();
    let would = run(&bench, "plugin upgrade hello new --dry-run");
    assert!(
        would
            .stdout
            .contains("is the same; would renew its record and rights\n"),
        "{would:?}"
    );
    let same = run(&bench, "plugin upgrade hello new");
    assert!(
        same.stdout
            .contains("is the same; renewed its record and rights\n"),
        "{same:?}"
    );
    assert_eq!(same.stderr, "");
    assert_eq!(fs::metadata(&place).unwrap().mode() & 0o777, 0o755);
    let info = json(&bench, "plugin info hello");
    let plugin = &info["plugins"][0];
    assert_eq!(plugin["status"], "used", "{info:#}");
    assert_eq!(plugin["added"]["changed"], false, "{info:#}");
    assert_eq!(plugin["added"]["from"], "[BENCH]/work/new");
    let same = run(&bench, "plugin upgrade hello new");
    assert!(
        same.stdout.contains("is the same; nothing was changed\n"),
        "{same:?}"
    );
}

#[test]
fn a_plugin_that_is_gone_is_put_back_or_forgotten() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    let place = bench.path(DATA).join("plugins/bot-cli-hello");
    let source = bench.path("work/bot-cli-hello");
    let said = |file: &str| {
        format!(
            "error: `[BENCH]/{DATA}/plugins/bot-cli-hello`, which was added, is gone\n\
             hint: to have it back: bot-cli plugin upgrade hello{file}\n\
             hint: to forget it: bot-cli plugin remove hello\n"
        )
    };
    fs::remove_file(&place).unwrap();
    expect(&bench, &["plugin", "info", "hello"], 127, "", &said(""));
    assert_eq!(run(&bench, "plugin upgrade hello --skip").status, Some(0));
    assert!(place.is_file());
    fs::remove_file(&place).unwrap();
    fs::remove_file(&source).unwrap();
    expect(
        &bench,
        &["plugin", "info", "hello"],
        127,
        "",
        &said(" FILE"),
    );
    assert_eq!(run(&bench, "plugin remove hello").status, Some(0));
    let unknown = run(&bench, "plugin info hello").stderr;
    assert!(
        unknown.starts_with("error: there is no plugin `hello`\n"),
        "{unknown}"
    );
}

#[test]
fn a_file_in_place_of_the_data_folder_is_no_record() {
    let bench = with_hello();
    let data = bench.path(DATA);
    fs::create_dir_all(data.parent().unwrap()).unwrap();
    fs::write(&data, "").unwrap();
    assert_eq!(run(&bench, "plugin list").status, Some(0));
    assert!(json(&bench, "plugin list").get("record_problem").is_none());
    let add = ["plugin", "add", "./bot-cli-hello"];
    let said =
        format!("error: could not write `[BENCH]/{DATA}`: file exists; nothing was changed\n");
    expect(&bench, &add, 1, "", &said);
}

#[test]
fn an_upgrade_to_an_older_version_says_so() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    for (version, shown) in [
        ("1.10.0", "1.2.0 -> 1.10.0\n"),
        ("1.9.0", "1.10.0 -> 1.9.0, which is older\n"),
        ("latest", "1.9.0 -> latest\n"),
    ] {
        bench
            .script("work/bot-cli-hello", &hello(version, "wave"))
            .unwrap();
        let upgraded = run(&bench, "plugin upgrade hello --skip").stdout;
        assert!(upgraded.contains(shown), "{upgraded}");
    }
}

#[test]
fn the_next_command_is_one_that_works() {
    let bench = with_hello();
    fs::create_dir_all(bench.path(DATA).join("plugins")).unwrap();
    bench.mode(&format!("{DATA}/plugins"), 0o777).unwrap();
    let added = run(&bench, "plugin add ./bot-cli-hello");
    assert!(added.stderr.contains("`hello` is not used: "), "{added:?}");
    assert!(
        added.stderr.ends_with("next: bot-cli plugin info hello\n"),
        "{added:?}"
    );
    assert_eq!(run(&bench, "plugin info hello").status, Some(0));
}

#[test]
fn an_address_for_an_upgrade_leads_to_that_upgrade() {
    let bench = with_hello();
    expect(
        &bench,
        &[
            "plugin",
            "upgrade",
            "hello",
            "https://example.com/hello.tar.gz",
        ],
        2,
        "",
        "error: that is an address, and bot-cli downloads nothing: download the file, then add it\n\
         hint: curl -fLo ./hello.tar.gz https://example.com/hello.tar.gz\n\
         hint: bot-cli plugin upgrade hello ./hello.tar.gz --sha256 SUM_FROM_ITS_AUTHOR\n",
    );
}

#[test]
fn programs_are_told_of_a_record_that_can_not_be_read() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    let lock = bench.path(DATA).join("plugins.lock");
    fs::write(&lock, "version = 1\n[[plugin]]\n").unwrap();
    for words in ["plugin list", "plugin info hello"] {
        let text = run(&bench, words).stdout;
        assert!(
            text.contains("could not read `[BENCH]/") && text.contains("hint: mv "),
            "{text}"
        );
        let data = json(&bench, words);
        let problem = &data["record_problem"];
        let message = problem["message"].as_str().unwrap();
        assert!(message.starts_with("could not read `"), "{data:#}");
        assert!(
            problem["hints"][0].as_str().unwrap().starts_with("mv "),
            "{data:#}"
        );
    }
    fs::remove_file(&lock).unwrap();
    assert!(json(&bench, "plugin list").get("record_problem").is_none());
}

#[test]
fn folders_are_closed_to_others_whatever_the_umask_is() {
    let bench = with_packs();
    bench
        .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
        .unwrap();
    let sample = Path::new(env!("CARGO_BIN_EXE_it-sample"));
    bench.install(sample, "plugins/bot-cli-sample").unwrap();
    for words in [
        "plugin add ./bot-cli-hello",
        "plugin add acme",
        "plugin list",
        "completions bash --install",
    ] {
        let mut host = Command::new("sh");
        host.args(["-c", "umask 000; exec \"$0\" $1"])
            .arg(bench.path("bin/bot-cli"))
            .arg(words)
            .env_clear()
            .envs(bench.environment())
            .current_dir(bench.path("work"));
        let ran = bench.ran(&host.output().unwrap()).unwrap();
        assert_eq!(ran.status, Some(0), "{ran:?}");
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().mode();
    for (path, _) in tree(&bench) {
        assert_eq!(mode(&path) & 0o002, 0, "{}", path.display());
    }
    // Others can neither keep the turn nor put anything into the cache.
    let data = bench.path(DATA);
    for private in [".plugins.busy", "plugins.lock"] {
        assert_eq!(mode(&data.join(private)) & 0o777, 0o600, "{private}");
    }
    let cache = bench.path("home/.cache/bot-cli/manifests");
    let entries = fs::read_dir(&cache).unwrap();
    let entries = entries.map(|entry| entry.unwrap().path());
    for path in [cache].into_iter().chain(entries) {
        assert_eq!(mode(&path) & 0o077, 0, "{}", path.display());
    }
    let script = data.with_file_name("bash-completion/completions/bot-cli");
    assert_eq!(mode(script.parent().unwrap()) & 0o002, 0);
    assert_eq!(
        run(&bench, "plugin info hello")
            .stdout
            .matches("used\n")
            .count(),
        1
    );
}

#[test]
fn a_plugin_of_somebody_else_becomes_a_copy_of_the_users_own() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    let place = bench.path(DATA).join("plugins/bot-cli-hello");
    if chown(&place, Some(4242), None).is_err() {
        // Only root can give a file away.
        return;
    }
    fs::remove_file(bench.path(DATA).join("plugins.lock")).unwrap();
    let info = json(&bench, "plugin info hello");
    let hint = info["plugins"][0]["hint"].as_str().unwrap();
    let add = hint.strip_prefix("if you trust it: bot-cli ").unwrap();
    let added = run(
        &bench,
        &add.replace("[BENCH]", &bench.path("").to_string_lossy()),
    );
    assert!(added.stdout.starts_with("Recorded the "), "{added:?}");
    assert_eq!(added.stderr, "next: bot-cli hello --help\n");
    assert_eq!(
        json(&bench, "plugin info hello")["plugins"][0]["status"],
        "used"
    );
}

#[test]
fn a_pack_folder_of_somebody_else_becomes_a_copy_of_the_users_own() {
    for linked in [false, true] {
        let bench = with_packs();
        assert_eq!(run(&bench, "plugin add acme").status, Some(0));
        let place = bench.path(DATA).join("packs/acme");
        let foreign = bench.path("foreign/acme");
        if linked {
            fs::create_dir(bench.path("foreign")).unwrap();
            fs::rename(&place, &foreign).unwrap();
            symlink(&foreign, &place).unwrap();
        }
        if chown(place.join("pack.toml"), Some(4242), None).is_err() {
            // Only root can give a file away.
            return;
        }
        let pack = || json(&bench, "plugin info pack-acme")["plugins"][0].clone();
        let hint = pack()["hint"].as_str().unwrap().to_owned();
        let add = hint.strip_prefix("if you trust it: bot-cli ").unwrap();
        let add = add.replace("[BENCH]", &bench.path("").to_string_lossy());
        let expected = if linked { &foreign } else { &place };
        let given = add.strip_prefix("plugin add ").unwrap();
        assert_eq!(
            fs::canonicalize(given).unwrap(),
            fs::canonicalize(expected).unwrap()
        );
        // It is known already, so that the next hint leads on.
        let known = run(&bench, &add);
        let upgrade = "plugin upgrade pack-acme ";
        assert!(known.stderr.contains(upgrade), "{known:?}");
        if linked {
            fs::remove_file(&place).unwrap();
        }
        let upgraded = run(&bench, &format!("{upgrade}{given} --skip"));
        assert_eq!(upgraded.status, Some(0), "{upgraded:?}");
        assert_ne!(pack()["status"], "refused", "{upgraded:?}");
        assert_eq!(foreign.is_dir(), linked);
    }
}

#[test]
fn a_link_to_a_plugin_of_somebody_else_is_replaced_by_a_copy() {
    let bench = with_hello();
    let place = bench.path(DATA).join("plugins/bot-cli-hello");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let foreign = bench.path("work/bot-cli-hello");
    symlink(&foreign, &place).unwrap();
    if chown(&foreign, Some(4242), None).is_err() {
        return;
    }
    let hint = run(&bench, "hello").stderr;
    let (_, add) = hint.split_once("hint: if you trust it: bot-cli ").unwrap();
    let add = add.replace("[BENCH]", &bench.path("").to_string_lossy());
    let added = run(&bench, add.trim_end());
    assert!(added.stdout.starts_with("Recorded the "), "{added:?}");
    assert!(!place.is_symlink() && foreign.is_file());
    let info = json(&bench, "plugin info hello");
    assert_eq!(info["plugins"][0]["status"], "used");
}

#[test]
fn who_cancels_while_another_command_works_learns_that_nothing_was_changed() {
    let bench = with_hello();
    let data = bench.path(DATA);
    fs::create_dir_all(&data).unwrap();
    let busy = fs::File::create(data.join(".plugins.busy")).unwrap();
    busy.lock().unwrap();
    let mut host = bench.host(&["plugin", "add", "./bot-cli-hello"]);
    let mut child = host.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.unwrap().success());
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(
        said,
        "note: waiting for another `bot-cli plugin` command to end\n\
         cancelled; nothing was changed\n"
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn a_signal_counts_before_the_answer_that_comes_with_it() {
    let bench = with_hello();
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(0));
    bench
        .script("work/bot-cli-hello", &hello("1.3.0", "wave"))
        .unwrap();
    let before = tree(&bench);
    for prompts in [("TERM", "dumb"), ("TERM", "xterm")] {
        let upgrade = script(&bench, "exec \"$0\" plugin upgrade \"$1\"", "hello");
        let mut terminal = Terminal::start(upgrade.env(prompts.0, prompts.1), 24, 80).unwrap();
        terminal.wait_for("Upgrade the plugin `hello`?").unwrap();
        terminal.press(&format!("{CTRL_C}{ENTER}")).unwrap();
        let ended = terminal.end().unwrap();
        assert!(ended.output.contains("cancelled"), "{ended:?}");
        assert_eq!(ended.status.code(), Some(130), "{ended:?}");
        assert_eq!(tree(&bench), before);
    }
}
