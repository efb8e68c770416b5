//! Tests for plugins that would precede others of their name, and for the names that are released with the host.

use std::fs;
use std::path::Path;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::downloads::file;
use bot_cli_tests::init::sha256;
use bot_cli_tests::pty::Terminal;

use super::download::with_server;
use super::{HELLO, gzipped, packed, with_hello, zipped};

/// A command that somebody else has named `cloud`.
fn foreign() -> String {
    HELLO.replace("\"hello\"", "\"cloud\"")
}

/// Creates a bench with the released `cloud`, and somebody else's in the working folder.
fn with_cloud() -> Bench {
    let bench = with_hello();
    add_cloud(&bench);
    bench
}

fn add_cloud(bench: &Bench) {
    let cloud = Path::new(env!("CARGO_BIN_EXE_it-bot-cli-cloud"));
    bench.install(cloud, "bin/bot-cli-cloud").unwrap();
    bench.put("work/bot-cli-cloud", &foreign());
}

#[test]
fn a_file_of_a_released_name_is_used_only_where_the_user_has_set_its_folder() {
    let bench = with_cloud();
    bench.put(
        "home/.local/share/bot-cli/plugins/bot-cli-cloud",
        &foreign(),
    );
    bench.put("plugins/bot-cli-cloud", &foreign());
    bench.put("extra/bot-cli-cloud", &foreign());
    let version = env!("CARGO_PKG_VERSION");
    bench.shows(&format!(
        "
        $ bot-cli cloud --version
        bot-cli-cloud {version}
        $ bot-cli help cloud | head -1
        Deploy bots to the hosting service, watch them, and keep their secrets.
        $ bot-cli __complete zsh -- cloud sec | cut -f1
        nothing
        secrets
        $ bot-cli --version -v | grep -E '^(cloud|.*first)'
        cloud   {version}    used      [BENCH]/bin/bot-cli-cloud
        cloud   -        shadowed  [BENCH]/plugins/bot-cli-cloud
        cloud   -        shadowed  [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-cloud
        [BENCH]/plugins/bot-cli-cloud: `[BENCH]/bin/bot-cli-cloud` comes first
        [BENCH]/home/.local/share/bot-cli/plugins/bot-cli-cloud: `[BENCH]/bin/bot-cli-cloud` comes first
        $ BOT_CLI_PLUGIN_PATH=[BENCH]/extra bot-cli cloud --version
        bot-cli-cloud 1.2.0
        $ BOT_CLI_PLUGIN_PATH=[BENCH]/extra bot-cli plugin list | grep used
        cloud   1.2.0    command  used      [BENCH][..]extra/bot-cli-cloud
        plugin  {version}    command  used      [BENCH]/bin/bot-cli-plugin
        "
    ));
}

#[test]
fn a_released_plugin_is_replaced_only_by_the_name_that_the_user_types() {
    let bench = with_cloud();
    let version = env!("CARGO_PKG_VERSION");
    for force in ["", "--dry-run", "--yes --json"] {
        bench.shows(&format!(
            "
            $ bot-cli plugin add ./bot-cli-cloud {force} 2>&1 | grep -cE 'would run in place of .*/bin/bot-cli-cloud., which is released with bot-cli|needs_force|--force cloud'
            {}
            $ test ! -e $LOCK && test ! -e $DATA/plugins/bot-cli-cloud
            ",
            if force.ends_with("json") { 3 } else { 2 }
        ));
    }
    bench.shows(&format!(
        r#"
        $ bot-cli plugin add ./bot-cli-cloud --force bot-cli-cloud
        ! error: `[BENCH]/work/bot-cli-cloud` was not installed: its name is `cloud`, not `bot-cli-cloud`
        ! hint: if you want that: bot-cli plugin add [BENCH]/work/bot-cli-cloud --force cloud
        = 2
        $ bot-cli plugin add ./bot-cli-hello --force cloud
        ! error: `[BENCH]/work/bot-cli-hello` was not installed: its name is `hello`, not `cloud`
        ! hint: [..]
        = 2
        $ bot-cli plugin add ./bot-cli-cloud --force cloud --dry-run | head -2; test -e $LOCK
        Would add the plugin `cloud` 1.2.0
          in place of  [BENCH]/bin/bot-cli-cloud
        = 1
        $ $(bot-cli plugin add ./bot-cli-cloud 2>&1 | sed -n 's/.*if you want that: //p') --json | grep in_place_of
          "in_place_of": "[BENCH]/bin/bot-cli-cloud",
        $ bot-cli cloud --version; bot-cli plugin list | grep -o 'with --force.*'
        bot-cli-cloud 1.2.0
        with --force in place of the one of bot-cli
        $ sed -i s/1.2.0/1.3.0/ bot-cli-cloud; bot-cli -q plugin upgrade cloud | head -2; bot-cli cloud --version; grep forced $LOCK
        Upgraded the plugin `cloud` 1.3.0
          version  1.2.0 -> 1.3.0
        bot-cli-cloud 1.3.0
        forced = true
        $ cp $LOCK kept; echo x >$LOCK; bot-cli cloud --version; cp kept $LOCK; bot-cli cloud --version
        bot-cli-cloud {version}
        bot-cli-cloud 1.3.0
        $ bot-cli plugin remove cloud | head -2; bot-cli cloud --version; test -e ~/started
        Removed the plugin `cloud` 1.3.0
          now used  [BENCH]/bin/bot-cli-cloud
        bot-cli-cloud {version}
        = 1
        "#
    ));
    // The name is that of the host's release even if the host has lost its own.
    fs::remove_file(bench.path("bin/bot-cli-cloud")).unwrap();
    bench.shows(
        "
        $ bot-cli plugin add ./bot-cli-cloud
        ! error: `[BENCH]/work/bot-cli-cloud` was not installed: `cloud` is the name of a plugin that is released with bot-cli
        ! hint: if you want that: bot-cli plugin add [BENCH]/work/bot-cli-cloud --force cloud
        = 2
        ",
    );
}

#[test]
fn no_source_makes_a_plugin_of_another_name_out_of_a_file() {
    let hello = foreign();
    let given = hello.clone();
    let mut bench = with_server(move |path| match path {
        "/good/bot-cli-hello" => file(HELLO.as_bytes()),
        _ => file(given.as_bytes()),
    });
    add_cloud(&bench);
    bench.set("SUM", sha256(hello.as_bytes()));
    bench.set("GOOD", sha256(HELLO.as_bytes()));
    bench.put("work/bad/bot-cli-hello", &hello);
    let files = [("bot-cli-hello", &*hello)];
    fs::write(bench.path("work/a.tar.gz"), gzipped(&packed(&files))).unwrap();
    fs::write(bench.path("work/a.zip"), zipped(&files)).unwrap();
    let download = "--sha256 $SUM --yes";
    let differs =
        "its file is named `bot-cli-hello[..]`, and its manifest is that of a plugin `cloud`";
    let released =
        "it would run in place of `[BENCH]/bin/bot-cli-cloud`, which is released with bot-cli";
    for (source, problem) in [
        ("bad/bot-cli-hello", differs),
        ("bad/bot-cli-hello --force cloud", differs),
        ("bad/bot-cli-hello --json", differs),
        ("a.tar.gz", differs),
        ("a.zip", differs),
        (
            &format!("$URL/bot-cli-hello?id=bot-cli-cloud {download}"),
            differs,
        ),
        (
            &format!("$URL/bot-cli-hello-1.2.0-linux {download}"),
            differs,
        ),
        (&format!("$URL/download?id=3 {download}"), released),
        (&format!("$URL/bot-cli-cloud {download}"), released),
    ] {
        let status = if problem == differs { 1 } else { 2 };
        bench.shows(&format!(
            "
            $ bot-cli plugin add {source} 2>&1 >out | grep -v hint; grep message out | sed 's/.*message\": \"/error: /'
            error: `[..]` was not installed: {problem}[..]
            $ bot-cli plugin add {source} >out 2>&1
            = {status}
            $ test -e $LOCK || test -e $DATA/plugins/bot-cli-cloud
            = 1
            "
        ));
    }
    // A new version is not another plugin either.
    bench.shows(&format!(
        "
        $ bot-cli -q plugin add $URL/good/bot-cli-hello --sha256 $GOOD --yes && cp $LOCK before
        ...
        $ bot-cli plugin upgrade hello $URL/bot-cli-hello {download}
        ! error: `[..]/bot-cli-hello` was not installed: {differs}
        ! hint: name the file [..]
        = 1
        $ bot-cli plugin upgrade hello $URL/latest {download}
        ! error: `[..]/latest` is the plugin `cloud` 1.2.0, which can't replace `[BENCH]/home/.local/share/bot-cli/plugins/bot-cli-hello`
        = 2
        $ diff before $LOCK && bot-cli cloud --version
        bot-cli-cloud {}
        ",
        env!("CARGO_PKG_VERSION")
    ));
    let line = "bot-cli plugin add $URL/latest --sha256 $SUM --force cloud";
    let mut terminal = Terminal::in_bench(&bench, &["/bin/sh", "-c", line], 40, 160).unwrap();
    terminal.wait_for("Add it?").unwrap();
    terminal.wait_for("in place of  ").unwrap();
    terminal.wait_for("/bin/bot-cli-cloud").unwrap();
    terminal.wait_for("from its manifest").unwrap();
    terminal.press("y\r").unwrap();
    let screen = terminal.end().unwrap().screen;
    assert!(
        screen.contains("Added the plugin `cloud` 1.2.0"),
        "{screen}"
    );
}

/// What comes after the added plugin is named, and what comes before it, too.
#[test]
fn what_an_added_plugin_precedes_is_named() {
    let bench = with_hello();
    let backend = r#"{"protocol":"1.0","name":"secrets-safe","version":"0.1.0","role":"secrets-backend","secrets":"1.0"}"#;
    let service = r#"{"id":"acme_stt","kind":"stt","label":"Acme","packages":["acme>=1,<2"],"module":"acme","class":"AcmeService"}"#;
    let pack = format!(
        r#"{{"protocol":"1.0","name":"pack-acme","version":"2.0.0","role":"provider-pack","catalogue":"1.0","providers":[{{"label":"Acme","site":"https://acme.example","service":[{service}]}}]}}"#
    );
    for (name, manifest) in [("secrets-safe", backend), ("pack-acme", &pack)] {
        let text = format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
        bench.put(&format!("work/bot-cli-{name}"), &text);
        bench.put(&format!("plugins/bot-cli-{name}"), &text);
    }
    bench.put("plugins/bot-cli-hello", "#!/bin/sh\n");
    for name in ["hello", "secrets-safe", "pack-acme"] {
        bench.shows(&format!(
            r#"
            $ bot-cli plugin add ./bot-cli-{name} --dry-run | grep 'in place'
              in place of  [BENCH]/plugins/bot-cli-{name}
            $ bot-cli -q plugin add ./bot-cli-{name} --json 2>/dev/null | grep in_place
              "in_place_of": "[BENCH]/plugins/bot-cli-{name}",
            $ bot-cli -q plugin upgrade {name} --json 2>/dev/null | grep -c [BENCH]/plugins/
            0
            = 1
            $ bot-cli plugin remove {name} | grep now
              now used  [BENCH]/plugins/bot-cli-{name}
            $ BOT_CLI_PLUGIN_PATH=[BENCH]/plugins bot-cli plugin add ./bot-cli-{name} | grep 'in place'
            ! warning: `{name}` is not used: [..]/plugins/bot-cli-{name}` comes first
            ! next: bot-cli plugin info {name}
            = 1
            "#
        ));
    }
    // The folder of a pack precedes an executable in any folder.
    bench.shows(
        "
        $ bot-cli -q plugin remove pack-acme; bot-cli -q plugin new acme --role provider-pack
        ...
        $ BOT_CLI_PLUGIN_PATH=[BENCH]/plugins bot-cli -q plugin add ./acme | grep 'in place'
          in place of  [BENCH][..]plugins/bot-cli-pack-acme
        ! ...
        ",
    );
}
