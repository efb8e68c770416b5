//! Bots on a server of one's own: the image's steps, two bots behind the web server, and a new version while they are called.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bot::{Bot, KEYS, assert_voice, made, python, redirected, script, succeeds};

const CARRIERS: [&str; 4] = ["carrier_a", "carrier_b", "carrier_c", "carrier_d"];

#[test]
fn a_new_version_replaces_both_bots_and_no_call_is_dropped() {
    let bot = Bot::over(&CARRIERS, &["--self-host"]);
    let image = build(&bot);
    // Twilio, which is asked who calls, is out of order.
    let twilio = redirected("STAND_IN_TWILIO", "http://127.0.0.1:9");
    let mut drive = bot.python();
    drive
        .arg(script("drive_self_host.py"))
        .arg(image.to_string())
        .arg(self_host(&bot).join("Caddyfile"))
        .args(["twilio", "telnyx", "plivo", "exotel"])
        .envs(KEYS)
        .envs(twilio);
    let calls: Vec<Value> = serde_json::from_slice(&succeeds(&mut drive).stdout).unwrap();
    assert_eq!(calls.len(), 20);
    for call in calls {
        assert_voice(&call, call["carrier"].as_str().unwrap());
    }
}

#[test]
fn clients_talk_to_both_bots_and_nobody_does_without_a_ticket() {
    let transports = ["p2p_webrtc", "websocket", "hosted_rtc"];
    let bot = Bot::over(&transports, &["--self-host"]);
    let mut image = described(&bot, &bot.server);
    for command in ["cmd", "healthcheck"] {
        image[command][0] = json!(python().executable("python"));
    }
    let mut start = bot.python();
    start
        .arg(script("start_self_host.py"))
        .arg(image.to_string())
        .arg(self_host(&bot).join("Caddyfile"));
    let seen: Value = serde_json::from_slice(&succeeds(&mut start).stdout).unwrap();
    for way in ["websocket", "webrtc"] {
        for heard in seen["heard"][way].as_array().unwrap() {
            assert_eq!(heard["answer"], "It is Paris.", "{way}: {heard}");
        }
    }
    // The room, and a token for each side.
    let asked = seen["asked"].as_array().unwrap();
    let of_user = &asked[2]["properties"];
    assert_eq!(asked.len(), 3);
    assert_eq!(of_user["is_owner"], false);
    assert_eq!(seen["room"]["dailyToken"], "token-3");
    for one in asked {
        // The longest session of `session.py`.
        assert_eq!(one["properties"]["exp"], 1100.0, "{one}");
    }
}

#[test]
fn docker_compose_reads_its_file() {
    for (transport, llm) in [
        ("carrier_a", "openai_llm"),
        ("p2p_webrtc", "ollama_llm"),
        ("hosted_rtc", "ollama_llm"),
    ] {
        let options = ["bot", "--self-host", "--recording", "--mode=cascade"];
        let services = ["--stt=whisper_stt", "--llm", llm, "--tts=openai_tts"];
        let (folder, _) = made(&[&options[..], &["-t", transport], &services].concat());
        let variables = "PUBLIC_HOST=bot.example.com\nOPENAI_API_KEY=any\n";
        fs::write(folder.path().join("bot/server/.env"), variables).unwrap();
        let mut compose = Command::new("docker-compose");
        compose.args(["--env-file", "../server/.env", "config"]);
        let output = succeeds(compose.current_dir(folder.path().join("bot/self-host")));
        let config = String::from_utf8(output.stdout).unwrap();
        assert_eq!(config.matches("PUBLIC_HOST: bot.example.com").count(), 3);
        assert_eq!(config.matches("stop_grace_period: 20m").count(), 2);
        assert_eq!(config.matches("recordings:/app/recordings").count(), 2);
    }
}

fn self_host(bot: &Bot) -> PathBuf {
    bot.folder.path().join("bot/self-host")
}

/// Makes what `self-host/Dockerfile` makes, in a folder in the place of `/app`.
fn build(bot: &Bot) -> Value {
    let project = bot.folder.path().join("bot");
    succeeds(python().command("uv").arg("lock").current_dir(&bot.server));
    let folder = bot.folder.path().join("app");
    // The Python of the base image.
    let base = bot.folder.path().join("base");
    fs::create_dir(&folder).unwrap();
    succeeds(python().command("python").args(["-m", "venv"]).arg(&base));
    let admitted = self_host(bot).join("Dockerfile.dockerignore");
    let admitted = fs::read_to_string(admitted).unwrap();
    let uv = python().command("uv");
    let mut variables: BTreeMap<OsString, OsString> = uv
        .get_envs()
        .filter_map(|(name, value)| Some((name.into(), value?.into())))
        .collect();
    for (instruction, rest) in instructions(bot) {
        match &*instruction {
            "ENV" => variables.extend(rest.split_whitespace().map(|pair| {
                let (name, value) = pair.split_once('=').unwrap();
                (name.into(), value.into())
            })),
            "COPY" => {
                for source in rest.trim_end_matches(" ./").split(' ') {
                    assert!(admitted.contains(&format!("\n!{source}\n")), "{source}");
                    copy(&project, source, &folder);
                }
            }
            // It would be a user of this machine.
            "RUN" if rest.starts_with("useradd ") => {}
            "RUN" => {
                let cache = "--mount=type=cache,target=/root/.cache/uv";
                let step = rest.trim_start_matches(cache).trim_start();
                let path = format!("{}/bin:/usr/bin:/bin", base.display());
                let mut shell = Command::new("sh");
                shell.args(["-euc", step]).envs(&variables);
                succeeds(shell.env("PATH", path).current_dir(&folder));
            }
            "FROM" | "WORKDIR" | "USER" | "HEALTHCHECK" | "STOPSIGNAL" | "CMD" => {}
            other => panic!("`{other}`: say how it is taken"),
        }
    }
    described(bot, &folder)
}

/// Returns the commands of the image with the bot's code in `folder`, where tickets expire soon.
fn described(bot: &Bot, folder: &Path) -> Value {
    let path = folder.join("serve.py");
    let code = fs::read_to_string(&path).unwrap();
    assert!(code.contains("\nTICKET_SECS = 60\n"));
    fs::write(path, code.replace("TICKET_SECS = 60", "TICKET_SECS = 5")).unwrap();
    let mut image = json!({ "folder": folder });
    for (instruction, rest) in instructions(bot) {
        if let "CMD" | "HEALTHCHECK" = &*instruction {
            let command = &rest[rest.find('[').unwrap()..];
            let command = command.replace("/app", &folder.display().to_string());
            image[instruction.to_lowercase()] = serde_json::from_str(&command).unwrap();
        }
    }
    image
}

/// Returns the instructions of the Dockerfile, each with its arguments.
fn instructions(bot: &Bot) -> Vec<(String, String)> {
    let text = fs::read_to_string(self_host(bot).join("Dockerfile")).unwrap();
    let text = text.replace("\\\n", " ");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(instruction, rest)| (instruction.to_owned(), rest.trim().to_owned()))
        .collect()
}

/// Copies the files of a pattern, which may be `FOLDER/*.ENDING`.
fn copy(project: &Path, pattern: &str, to: &Path) {
    let (folder, name) = pattern.rsplit_once('/').unwrap();
    for entry in fs::read_dir(project.join(folder)).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        if name
            .strip_prefix('*')
            .map_or(file == name, |end| file.ends_with(end))
        {
            fs::copy(project.join(folder).join(&file), to.join(&file)).unwrap();
        }
    }
}
