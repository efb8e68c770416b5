//! Tests for `bot-cli init --describe`, which describes a project to other programs.

use std::fs;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::document::block;
use bot_cli_tests::init::web;
use serde_json::{Value, json};

use super::{done, json as reply};

const PAGE: &str = include_str!("../../../../docs/src/authors/project.md");

#[test]
fn a_project_is_described_from_anywhere_in_it_as_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let options = ["bot", "--deploy-to-cloud", "--environment", "staging"];
    done(&root, &web(&options));
    let words: [(&str, &[&str]); 4] = [
        ("bot", &["--describe"]),
        ("bot/server", &["--describe"]),
        ("bot/.bot-cli", &["--describe"]),
        (".", &["bot/server", "--describe"]),
    ];
    for (from, words) in words {
        let (status, mut document) = reply(&root.join(from), words);
        assert_eq!(status, Some(0), "{document:#}");
        let record = fs::read(root.join("bot/.bot-cli/project.json")).unwrap();
        let record: Value = serde_json::from_slice(&record).unwrap();
        assert_eq!(document["options"], record["config"]);
        document["options"] = json!({ "mode": record["config"]["mode"] });
        let shown = format!("{document:#}").replace(root.to_str().unwrap(), "/home/ada");
        assert_eq!(
            block(PAGE, "described").unwrap().trim_end(),
            shown,
            "{from}"
        );
    }
}

#[test]
fn what_changes_a_project_changes_its_description() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    done(root, &web(&["bot", "--deploy-to-cloud"]));
    let project = root.join("bot");
    let record = project.join(".bot-cli/project.json");
    let recorded = fs::read_to_string(&record).unwrap();
    let described = || reply(&project, &["--describe"]);

    // The user's own names, and a service whose pack is not installed.
    let deployment = "agent_name = \"other\"\nsecret_set = \"keys\"\n";
    fs::write(project.join("server/cloud-deploy.toml"), deployment).unwrap();
    fs::write(&record, recorded.replace("openai_llm", "acme_llm")).unwrap();
    let (_, document) = described();
    let environment = &document["environments"][0];
    assert_eq!(
        [&environment["agent"], &environment["secret_set"]],
        ["other", "keys"]
    );
    let service = json!({ "id": "acme_llm", "kind": "llm", "label": "acme_llm", "variables": [], "address": null, "packages": [] });
    assert_eq!(document["services"][1], service);

    for (text, expected) in [
        (
            recorded.replace("\"schema\": 1", "\"schema\": 9"),
            "later_record",
        ),
        ("<<<<<<< ours\n".to_owned() + &recorded, "damaged_record"),
        ("{}".to_owned(), "damaged_record"),
    ] {
        fs::write(&record, text).unwrap();
        let (status, document) = described();
        assert_eq!(
            (status, &document["error"]["code"]),
            (Some(1), &json!(expected)),
            "{document:#}"
        );
    }
    // A link in a cloned repository could lead anywhere.
    fs::rename(&record, root.join("elsewhere.json")).unwrap();
    std::os::unix::fs::symlink(root.join("elsewhere.json"), &record).unwrap();
    assert_eq!(described().1["error"]["code"], "damaged_record");
    fs::remove_file(&record).unwrap();
    fs::write(&record, &recorded).unwrap();
    fs::write(project.join("server/cloud-deploy.toml"), "agent_name = [").unwrap();
    assert_eq!(described().1["error"]["code"], "unusable");
    fs::remove_file(&record).unwrap();
    let (status, document) = described();
    assert_eq!(
        (status, &document["error"]["code"]),
        (Some(2), &json!("no_project"))
    );
}

#[test]
fn a_request_has_the_root_of_the_project() {
    let bench = Bench::whole().unwrap();
    let rogue = std::path::Path::new(env!("CARGO_BIN_EXE_it-bot-cli-rogue"));
    bench.install(rogue, "bin/bot-cli-rogue").unwrap();
    let root = |folder: &str| {
        let ran = bench
            .shell(&format!("cd {folder} && bot-cli rogue echo --json"))
            .unwrap();
        let params: Value = serde_json::from_str(&ran.stdout).unwrap();
        params["context"]["project"].clone()
    };
    assert_eq!(root("."), Value::Null);
    bench
        .shell("mkdir -p bot/.bot-cli bot/server/a && echo '{}' >bot/.bot-cli/project.json")
        .unwrap();
    for folder in ["bot", "bot/server/a"] {
        assert_eq!(root(folder), "[BENCH]/work/bot", "{folder}");
    }
}
