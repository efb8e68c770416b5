//! Packs that are wrong in some way: one clear line each, and what is built in works on.

use std::fs;

use bot_cli_plugin::conformance::Kit;
use bot_cli_terminal::cancel::Cancel;
use serde_json::json;

use super::{DECLARED, User, hearing, provider, service};

/// Returns what is said of a user's packs; what is built in is all there.
fn said(user: &User) -> Vec<String> {
    let (listed, warnings) = user.listed();
    let (built_in, _) = User::new().listed();
    for kind in ["stt", "llm", "tts", "realtime", "video"] {
        for id in built_in[kind].as_array().unwrap() {
            let found = listed[kind]
                .as_array()
                .unwrap()
                .iter()
                .filter(|listed| *listed == id);
            assert_eq!(found.count(), 1, "{id}");
        }
    }
    let run = user.run(&hearing(&["my-bot", "--dry-run"], "deepgram_stt"));
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    for warning in &warnings {
        assert!(!warning.contains(char::is_control), "{warning:?}");
    }
    warnings
}

#[test]
fn an_identifier_of_ours_stays_ours() {
    let user = User::new();
    let theirs = service(
        "openai_llm",
        &json!({ "packages": ["evil>=1,<2"], "module": "evil", "class": "EvilService" }),
    );
    user.script("openai", &json!({ "providers": provider(&[theirs]) }), "");
    assert_eq!(
        said(&user),
        [
            "warning: `openai_llm` of the provider pack `openai` is left out: `id` is that of a service that is built in"
        ]
    );
    let made = user.run(&hearing(&["my-bot"], "deepgram_stt"));
    assert_eq!(made.status, Some(0), "{made:?}");
    let bot = fs::read_to_string(user.path("work/my-bot/server/services.py")).unwrap();
    assert!(!bot.contains("evil"));
}

#[test]
fn what_is_wrong_with_one_service_leaves_the_others() {
    for (members, reason) in [
        (
            json!({ "id": "other_bad_stt" }),
            "warning: `other_bad_stt` of the provider pack `acme` is left out: `id` must begin with `acme_`, the pack's name",
        ),
        (
            json!({ "wings": 2 }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `service.wings` is not a key of catalogue 1.0",
        ),
        (
            json!({ "requires_python": "3.15" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: it needs Python 3.15, and pipecat-ai 1.14.0 installs below 3.15 only",
        ),
        (
            json!({ "class": "print(__import__(\"os\").system(\"evil\")) or X" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `class` is `print(__import__(\"os\").system(\"evil\")) o…`, not a class like `AcmeService`",
        ),
        (
            json!({ "label": "\u{1b}[2Jgone\nerror: all is lost" }),
            "warning: `acme_bad_stt` of the provider pack `acme` is left out: `label` is `\\u{1b}[2Jgone\\nerror: all is lost`, not a plain name on one line",
        ),
    ] {
        let bad = service("acme_bad_stt", &members);
        let good = service("acme_stt", &json!({ "label": "Good" }));
        let user = User::new();
        user.script("acme", &json!({ "providers": provider(&[bad, good]) }), "");
        let said = said(&user);
        assert!(
            said.len() == 1 && said[0].starts_with(reason),
            "{said:#?}\n{reason}"
        );
        let (listed, _) = user.listed();
        assert_eq!(listed["packs"][0]["services"], json!(["acme_stt"]));
        // Who names it hears the same.
        let id = members["id"].as_str().unwrap_or("acme_bad_stt");
        let run = user.run(&hearing(&["my-bot"], id));
        let (_, reason) = reason.split_once("left out: ").unwrap();
        assert!(
            run.stderr.contains(&format!(
                "`{id}`: `{id}` of the provider pack `acme` is left out: {reason}"
            )),
            "{run:?}"
        );
    }
}

#[test]
fn versions_that_do_not_fit_are_named_with_the_mend() {
    let brought = provider(&[service("acme_stt", &json!({}))]);
    let ours = env!("CARGO_PKG_VERSION");
    for (members, reason) in [
        (
            json!({ "catalogue": "2.0" }),
            format!("it has catalogue 2.0, bot-cli-init {ours} knows 1.0; install versions of both that fit each other"),
        ),
        (
            json!({ "requires": { "bot-cli-init": ">=7" } }),
            format!("it requires bot-cli-init >=7, this is {ours}; install versions of both that fit each other"),
        ),
        (
            json!({ "framework": ">=3" }),
            format!("it was made for pipecat-ai >=3, bot-cli-init {ours} makes projects for 1.14.0; install versions of both that fit each other"),
        ),
        (
            json!({ "protocol": "2.0" }),
            "it speaks protocol 2.0, this host 1.0; install versions of bot-cli and the plugin that fit each other".to_owned(),
        ),
    ] {
        let mut members = members;
        members["providers"] = brought.clone();
        let user = User::new();
        user.script("acme", &members, "");
        assert_eq!(said(&user), [format!("warning: the provider pack `acme` is not used: {reason}")]);
        let run = user.run(&hearing(&["my-bot"], "acme_stt"));
        assert!(
            run.stderr.contains(&format!("`acme_stt`: the provider pack `acme` is not used: {reason}\n")),
            "{run:?}"
        );
    }
}

#[test]
fn services_that_can_not_be_in_one_bot_are_refused_together() {
    let user = User::new();
    for (name, module) in [("acme", "acme_speech"), ("other", "other_speech")] {
        let kind = if name == "acme" { "stt" } else { "tts" };
        let theirs = service(
            &format!("{name}_{kind}"),
            &json!({ "modules": { "acme-speech": [module] }, "module": module, "class": "SameService" }),
        );
        user.script(name, &json!({ "providers": provider(&[theirs]) }), "");
    }
    assert_eq!(said(&user), [""; 0]);
    let options = [
        "my-bot",
        "-t",
        "p2p_webrtc",
        "-m",
        "cascade",
        "--stt",
        "acme_stt",
        "--llm",
        "openai_llm",
        "--tts",
        "other_tts",
    ];
    let run = user.run(&options);
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(
        run.stderr.contains("`acme_stt` and `other_tts` can't be combined in one bot: both import `SameService`, from `acme_speech` and from `other_speech`"),
        "{run:?}"
    );
    assert!(!user.path("work/my-bot").exists());
}

/// A folder of two files whose service has these lines.
fn folder_with(user: &User, lines: &str) -> std::path::PathBuf {
    let provider = format!(
        "label = \"Acme\"\nsite = \"https://acme.example\"\n\n[[service]]\nid = \"acme_stt\"\nkind = \"stt\"\nlabel = \"Acme\"\n{lines}\n"
    );
    user.folder("acme", DECLARED, &[("acme.toml", &provider)])
}

const OPENAI: &str = "module = \"pipecat.services.openai.stt\"\nclass = \"OpenAISTTService\"\n";

/// A class of the framework with an argument that is made of an imported name.
fn made_of(module: &str, name: &str, source: &str) -> String {
    format!(
        "{OPENAI}imports = {{ \"{module}\" = [\"{name}\"] }}\nargs = [{{ name = \"base_url\", {source} }}]"
    )
}

/// A package, the modules that it is said to bring, and a class from one of them.
fn said_to_bring(package: &str, modules: &str, module: &str) -> String {
    format!(
        "packages = [\"{package}>=1,<2\"]\nmodules = {{ {modules} }}\nmodule = \"{module}\"\nclass = \"AcmeService\""
    )
}

#[test]
fn a_pack_reaches_services_of_the_framework_and_the_packages_that_it_names() {
    let call = |module: &str, name: &str| {
        let args = "args = [{ name = \"command\", value = \"touch owned\" }]";
        made_of(module, name, &format!("call = \"{name}\", {args}"))
    };
    let class = |module: &str, class: &str| format!("module = \"{module}\"\nclass = \"{class}\"");
    let named = |package: &str, module: &str| {
        let class = class(module, "AcmeService");
        format!("packages = [\"{package}>=1,<2\"]\n{class}")
    };
    let bad = [
        call("os", "system"),
        call("subprocess", "Popen"),
        call("posix", "system"),
        call("_posixsubprocess", "fork_exec"),
        call("builtins", "eval"),
        call("numpy.distutils.exec_command", "exec_command"),
        call("aiohttp", "ClientRequest"),
        call("bot", "run_bot"),
        call(".os", "system"),
        call("pipecat_evil.services", "Evil"),
        call("Pipecat.services.x", "Evil"),
        call("pipecat", "Evil"),
        call("pipecat.services", "openai"),
        call("pipecat.evals.speech", "EvalSpeech"),
        call("pipecat.services.openai.stt", "os"),
        call("pipecat.services.openai.stt", "__import__"),
        call("pipecat.services.openai.stt", "system"),
        call("pipecat.services.openai.stt", "getattr"),
        call("pipecat.services.funasr.stt", "AutoModel"),
        made_of(
            "pipecat.services.google.image",
            "Image",
            "expr = \"Image.os.system\"",
        ),
        made_of(
            "pipecat.services.openai.stt",
            "Path",
            "call = \"Path.unlink\"",
        ),
        class("subprocess", "Popen"),
        class("acme_speech", "AcmeService"),
        class("pipecat.services.moondream.vision", "MoondreamService"),
        class("pipecat.services.mcp_service", "MCPClient"),
        class("pipecat.services.openai.stt", "AsyncOpenAI"),
        class("pipecat.cli.generators.project", "ProjectService"),
        class("pipec\u{430}t.services.openai.stt", "OpenAISTTService"),
        named("acme-speech", "acme_speechless"),
        named("acme-speech", "acme"),
        named("subprocess", "subprocess"),
        named("server", "server"),
        named("pipecat", "pipecat.cli.x"),
        said_to_bring("evil", "evil = [\"os\"]", "os"),
        said_to_bring("evil", "evil = [\"OS\"]", "OS"),
        said_to_bring("evil", "evil = [\"_winapi\"]", "_winapi"),
        said_to_bring("evil", "evil = [\"pipecat\"]", "pipecat.cli.x"),
        said_to_bring("evil", "evil = [\"bot\"]", "bot"),
        said_to_bring("evil", "evil = [\"speech.x\"]", "speech.x"),
        said_to_bring("evil", "other = [\"speech\"]", "speech"),
    ];
    for lines in bad {
        let user = User::new();
        let folder = folder_with(&user, &lines);
        let report = Kit::new(&folder)
            .check(&Cancel::new(), |_, _, _| {})
            .unwrap();
        let mut failed = report.failed().map(|finding| &finding.id).peekable();
        assert!(failed.peek().is_some(), "{lines}");
        assert!(
            failed.all(|id| ["pack_code", "pack_imports"].contains(&id.as_str())),
            "{lines}\n{report:#?}"
        );
        let made = user.run(&hearing(&["my-bot"], "acme_stt"));
        assert_eq!(made.status, Some(2), "{lines}\n{made:?}");
        assert!(!user.path("work/my-bot").exists(), "{lines}");
    }
    let good = [
        made_of(
            "pipecat.transcriptions.language",
            "Language",
            "expr = \"Language.EN\"",
        ),
        named("acme-speech", "acme_speech.stt"),
        said_to_bring("acme-speech", "acme-speech = [\"speech\"]", "speech.stt"),
    ];
    for lines in good {
        let user = User::new();
        let folder = folder_with(&user, &lines);
        let report = Kit::new(&folder)
            .check(&Cancel::new(), |_, _, _| {})
            .unwrap();
        assert!(report.failed().next().is_none(), "{lines}\n{report:#?}");
        let made = user.run(&hearing(&["my-bot"], "acme_stt"));
        assert_eq!(made.status, Some(0), "{lines}\n{made:?}");
    }
}
