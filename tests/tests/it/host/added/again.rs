//! Tests for plugins that are already installed: in another form, without a record, or unused.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;

use super::with_hello;

/// A provider pack that is an executable.
const PACK: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"pack-acme","version":"2.0.0","role":"provider-pack","catalogue":"1.0","providers":[{"label":"Acme","site":"https://acme.example","service":[{"id":"acme_stt","kind":"stt","label":"Acme","packages":["acme>=1,<2"],"module":"acme","class":"AcmeService"}]}]}
"#;

/// Creates a bench with a plugin and two packs of the same name, one a folder and one an executable.
fn with_packs() -> Bench {
    let bench = with_hello();
    bench.shows("$ bot-cli -q plugin new acme --role provider-pack\n...");
    bench.put("work/bot-cli-pack-acme", PACK);
    bench
}

/// Creates a bench with an installed plugin and a newer version to add.
fn with_added_hello() -> Bench {
    let bench = with_hello();
    bench
        .shows("$ bot-cli -q plugin add ./bot-cli-hello; sed -i s/1.2.0/1.3.0/ bot-cli-hello\n...");
    bench
}

#[test]
fn a_pack_in_another_form_is_not_put_beside_the_old_one() {
    for (first, other) in [("acme", "bot-cli-pack-acme"), ("bot-cli-pack-acme", "acme")] {
        with_packs().shows(&format!(
            "
            $ bot-cli -q plugin add ./{first}; cp -r $DATA before
            ...
            $ bot-cli plugin add ./{other}
            ! error: the provider pack `pack-acme` [..] was added already, from `[BENCH]/work/{first}`
            ! ...
            = 1
            $ bot-cli plugin upgrade pack-acme ./{other}
            ! error: `[BENCH]/work/{other}` is the provider pack `pack-acme` [..], which can't replace `[..]`
            ! hint: bot-cli plugin remove pack-acme && bot-cli plugin add [BENCH]/work/{other}
            = 2
            $ diff -r before $DATA
            $ bot-cli -q plugin remove pack-acme && bot-cli -q plugin add ./{other} && bot-cli -q plugin remove pack-acme
            ...
            $ ls $DATA/packs $DATA/plugins | grep acme
            = 1
            "
        ));
    }
}

#[test]
fn what_is_in_place_is_recorded_when_it_is_added() {
    // A pack of the user's own has files that are never copied; they stay.
    for (name, given, place) in [
        ("hello", "./bot-cli-hello", "plugins/bot-cli-hello"),
        ("pack-acme", "./acme", "packs/acme"),
    ] {
        let bench = with_packs();
        let place = format!("[BENCH]/home/.local/share/bot-cli/{place}");
        bench.shows(&format!(
            r#"
            $ bot-cli -q plugin add {given}; test ! -d {place} || touch {place}/.notes; cp -r {place} kept; rm $LOCK
            ...
            $ bot-cli plugin remove {name}
            ! error: `{place}` was not added by `bot-cli plugin add`
            ! hint: change it in the way that it was installed
            = 1
            $ bot-cli -q plugin add {place} >added 2>&1; diff -r kept {place}; bot-cli plugin info {name} --json | grep changed
            [..]"changed": false[..]
            $ bot-cli plugin upgrade {name}
            [..]is the same; nothing was changed
            ...
            $ bot-cli -q plugin remove {name}
            ...
            $ test -e {place}
            = 1
            "#
        ));
    }
}

#[test]
fn what_is_in_place_is_kept_without_a_record_and_renewed_with_one() {
    with_added_hello().shows(
        r#"
        $ cp $LOCK record; cp $PLACE kept; rm $LOCK; bot-cli plugin add ./bot-cli-hello
        ! error: `[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello` is already there, and `plugin add` did not put it there
        ! hint: if it is not needed: rm -r [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello
        = 1
        $ diff kept $PLACE; mv record $LOCK
        $ mkdir new; cp bot-cli-hello new; cat bot-cli-hello >$PLACE; chmod 644 $PLACE
        $ bot-cli plugin upgrade hello new/bot-cli-hello | head -1
        Upgraded the plugin `hello` 1.3.0
        $ stat -c %a $PLACE; bot-cli plugin info hello --json | grep -E '"(status|changed|from)"'
        755
              "status": "used",
                "from": "[BENCH]/work/new/bot-cli-hello",
        [..]"changed": false[..]
        "#,
    );
}

#[test]
fn a_record_that_can_not_be_read_is_named_and_hides_no_plugin() {
    with_added_hello().shows(
        r"
        $ printf 'version = 1\n[[plugin]]\n' >$LOCK; bot-cli plugin add ./bot-cli-hello
        ! error: could not read `[BENCH]/home/.local/share/bot-cli/plugins.lock`[..]
        ! hint: mv [BENCH]/home/.local/share/bot-cli/plugins.lock [BENCH]/home/.local/share/bot-cli/plugins.lock.old
        = 1
        $ for words in list 'info hello'; do bot-cli plugin $words | grep -c hello; done
        1
        3
        ! warning: could not read `[..]
        ! ...
        ! warning: could not read `[..]
        ! ...
        $ echo 'version = 2' >$LOCK; bot-cli plugin remove hello
        ! error: [..]plugins.lock`: a newer bot-cli has written it
        ! ...
        = 1
        $ rm -r $DATA; touch $DATA; bot-cli plugin list >list; bot-cli plugin add ./bot-cli-hello
        ! error: could not write `[BENCH]/home/.local/share/bot-cli[..]
        = 1
        ",
    );
}

#[test]
fn folders_are_closed_to_others_whatever_the_umask_is() {
    let bench = with_packs();
    let sample = Path::new(env!("CARGO_BIN_EXE_it-sample"));
    bench.install(sample, "plugins/bot-cli-sample").unwrap();
    // Others can neither keep the lock nor put anything into the cache.
    bench.shows(
        r"
        $ umask 000; bot-cli -q plugin add ./bot-cli-hello && bot-cli -q plugin add acme && bot-cli -q plugin list
        ...
        $ find $DATA -perm -o=w
        $ stat -c %a $DATA/.plugins.busy $LOCK
        600
        600
        $ find ~/.cache/bot-cli/manifests -perm /go=rwx; ls ~/.cache/bot-cli/manifests | wc -l
        2
        $ chmod 777 $DATA/plugins; rm $PLACE; bot-cli plugin add ./bot-cli-hello >added
        ! [..]`hello` is not used: [..]
        ! next: bot-cli plugin info hello
        ",
    );
}

#[test]
fn what_is_somebody_elses_becomes_a_copy_of_the_users_own() {
    // Only root can give a file away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    with_added_hello().shows(
        r"
        $ chown 4242 $PLACE; rm $LOCK; $(bot-cli plugin info hello | sed -n 's/.*if you trust it: //p')
        Added the [..]
        ...
        ! next: bot-cli hello --help
        $ bot-cli plugin info hello | grep status
        status    used
        ",
    );
    // A link is replaced.
    with_hello().shows(
        r"
        $ mkdir -p $DATA/plugins; ln -s $PWD/bot-cli-hello $PLACE; chown 4242 bot-cli-hello
        $ $(bot-cli hello 2>&1 | sed -n 's/.*if you trust it: //p')
        Added the [..]
        ...
        ! ...
        $ test ! -L $PLACE && test -f bot-cli-hello && bot-cli plugin info hello | grep status
        status    used
        ",
    );
    // A folder is known already, so that the next hint leads on.
    with_packs().shows(
        r"
        $ bot-cli -q plugin add acme; chown 4242 $DATA/packs/acme/pack.toml
        ...
        $ $(bot-cli plugin info pack-acme | sed -n 's/.*if you trust it: //p')
        ! ...
        ! hint: bot-cli plugin upgrade pack-acme [BENCH]/home/.local/share/bot-cli/packs/acme
        = 1
        $ bot-cli -q plugin upgrade pack-acme $DATA/packs/acme
        ...
        $ bot-cli plugin info pack-acme | grep status
        status     unused
        ",
    );
}

#[test]
fn a_command_waits_for_another_one() {
    let bench = with_hello();
    bench.shows("$ mkdir -p $DATA");
    let busy = bench.path("home/.local/share/bot-cli/.plugins.busy");
    let busy = fs::File::create(busy).unwrap();
    busy.lock().unwrap();
    let mut host = bench.host(&["plugin", "add", "./bot-cli-hello"]);
    let mut child = host.stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    assert_eq!(
        said,
        "note: waiting for another `bot-cli plugin` command to end\n"
    );
    // Ctrl-C ends the wait.
    let kill = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(kill.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(
        !bench
            .path("home/.local/share/bot-cli/plugins.lock")
            .exists()
    );
}
