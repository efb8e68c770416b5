//! The sample `costs` in five languages, on the same project.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use bot_cli_tests::bench::Bench;
use serde_json::{Value, json};

use super::build;
use super::other_languages::{SDK, TOOLS, new, script};

#[test]
fn the_costs_of_a_project_are_the_same_in_every_language() {
    let bench = Bench::whole().unwrap();
    let host = bench.path("bin/bot-cli");
    let made = "bot-cli init bot --name 'Ada\"s bot' -t p2p_webrtc -m cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts";
    let ran = bench.shell(made).unwrap();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let project = bench.path("work/bot").canonicalize().unwrap();
    let prices =
        r#"{ "USD": { "cartesia_tts": 9 }, "EUR": { "deepgram_stt": 26, "cartesia_tts": 1234 } }"#;
    fs::write(project.join("costs.json"), prices).unwrap();
    let costs =
        |id: &str, label: &str, cents: u32| json!({ "id": id, "label": label, "cents": cents });
    let expected = json!({
        "project": "Ada\"s bot", "currency": "EUR", "cents": 1380,
        "services": [costs("deepgram_stt", "Deepgram", 26), costs("openai_llm", "OpenAI", 120), costs("cartesia_tts", "Cartesia", 1234)],
    });
    let table = "Deepgram                    0.26 EUR\nOpenAI                      1.20 EUR\n\
                 Cartesia                   12.34 EUR\nTotal                      13.80 EUR\n";
    for plugin in plugins(&bench) {
        let run = |folder: &Path, answers: Value| {
            let params = json!({ "protocol": "1.0", "argv": ["--json", "--currency", "EUR"], "answers": answers });
            reply(&plugin, &host, folder, &params)
        };
        let shown = plugin.display();
        let result = &run(&project, json!({ "openai_llm": "120" }))["result"];
        assert_eq!(result["data"], expected, "{shown}");
        assert_eq!(result["text"], table, "{shown}");
        let error = &run(&project, json!({}))["error"];
        assert_eq!(error["data"]["code"], "input_required", "{shown}: {error}");
        assert_eq!(error["data"]["inputs"][0]["key"], "openai_llm", "{shown}");
        let error = &run(&bench.path("work"), json!({}))["error"];
        assert_eq!(
            [&error["code"], &error["data"]["code"]],
            [&json!(2), &json!("no_project")],
            "{shown}: {error}"
        );
        let hint = error["data"]["hints"][0].as_str().unwrap();
        assert!(
            hint.starts_with("`bot-cli init my-bot` creates one"),
            "{shown}: {error}"
        );
        let file = project.join("costs.json");
        let message = format!("`{}` is not a table of prices", file.display());
        let hints = [r#"write it like {"USD": {"deepgram_stt": 26}}"#];
        let data = json!({ "code": "invalid_prices", "hints": hints });
        let failed = json!({ "code": 2, "message": message, "data": data });
        for wrong in ["{", r#"{"EUR": {"deepgram_stt": "dear"}}"#] {
            fs::write(&file, wrong).unwrap();
            let error = &run(&project, json!({}))["error"];
            assert_eq!(*error, failed, "{shown}");
        }
        fs::write(&file, prices).unwrap();
    }
}

/// Builds the sample in each language and returns the executables.
fn plugins(bench: &Bench) -> [PathBuf; 5] {
    let work = bench.path("work");
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sdk");
    let sample = |below: &str| fs::read_to_string(samples.join(below)).unwrap();

    new(bench, &["costs", "--lang", "python"]);
    let python = work.join("python");
    fs::rename(work.join("bot-cli-costs"), &python).unwrap();
    fs::write(
        python.join("plugin.py"),
        sample("python/samples/costs/plugin.py"),
    )
    .unwrap();
    build(&python);

    let typescript = format!(
        "mkdir sdk && cp -r {SDK}/. sdk && cd sdk && {TOOLS} && cd samples/costs && npx tsc && node ../../tool.mjs build"
    );
    script(bench, &work, &typescript);

    new(bench, &["costs", "--lang", "sh"]);
    let sh = work.join("sh");
    fs::rename(work.join("bot-cli-costs"), &sh).unwrap();
    let made = fs::read_to_string(sh.join("bot-cli-costs")).unwrap();
    let (_, protocol) = made
        .split_once("# --- From here on: the protocol. ---")
        .unwrap();
    let own = sample("examples/costs/costs.sh");
    bench
        .script("work/sh/bot-cli-costs", &(own + protocol))
        .unwrap();

    new(bench, &["costs", "--lang", "go"]);
    let go = work.join("go");
    fs::rename(work.join("bot-cli-costs"), &go).unwrap();
    fs::remove_file(go.join("main_test.go")).unwrap();
    fs::write(go.join("main.go"), sample("examples/costs/main.go")).unwrap();
    script(
        bench,
        &go,
        "test -z \"$(gofmt -l .)\" && go vet && go build",
    );

    [
        python.join("bot-cli-costs"),
        work.join("sdk/samples/costs/build/bot-cli-costs"),
        PathBuf::from(env!("CARGO_BIN_EXE_it-costs")),
        sh.join("bot-cli-costs"),
        go.join("bot-cli-costs"),
    ]
}

/// Sends a `run` and returns the reply.
fn reply(plugin: &Path, host: &Path, folder: &Path, params: &Value) -> Value {
    let mut child = Command::new(plugin)
        .current_dir(folder)
        .env("BOT_CLI_HOST", host)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "run", "params": params });
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{request}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let last = text.lines().rfind(|line| !line.is_empty()).unwrap();
    serde_json::from_str(last).unwrap()
}
