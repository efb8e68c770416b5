//! Bots on a server of one's own: the image's steps, two bots behind the web server, and a new version while they are called.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::bot::{Bot, KEYS, assert_voice, made, python, redirected, script, succeeds};

const CARRIERS: [&str; 4] = ["carrier_a", "carrier_b", "carrier_c", "carrier_d"];

#[test]
fn a_new_version_replaces_both_bots_and_no_call_is_dropped() {
    let bot = Bot::over(&CARRIERS, &["--self-host"]);
    let image = Image::build(&bot);
    image.set("TICKET_SECS = 60", "TICKET_SECS = 5");
    // Twilio, which is asked who calls, is out of order.
    let twilio = redirected("STAND_IN_TWILIO", "http://127.0.0.1:9");
    let mut drive = bot.python();
    drive
        .arg(script("drive_self_host.py"))
        .arg(image.described.to_string())
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

/// What `self-host/Dockerfile` makes, in a folder in the place of `/app`.
struct Image {
    folder: PathBuf,
    described: Value,
}

impl Image {
    fn build(bot: &Bot) -> Self {
        let project = bot.folder.path().join("bot");
        succeeds(python().command("uv").arg("lock").current_dir(&bot.server));
        let folder = bot.folder.path().join("app");
        let base = bot.folder.path().join("base");
        fs::create_dir(&folder).unwrap();
        // The Python of the base image.
        succeeds(python().command("python").args(["-m", "venv"]).arg(&base));
        let text = fs::read_to_string(self_host(bot).join("Dockerfile")).unwrap();
        let admitted = self_host(bot).join("Dockerfile.dockerignore");
        let admitted = fs::read_to_string(admitted).unwrap();
        let here = |text: &str| text.replace("/app", &folder.display().to_string());
        let mut variables = BTreeMap::new();
        let mut described = json!({ "folder": folder });
        for line in text.replace("\\\n", " ").lines() {
            let (instruction, rest) = line.split_once(' ').unwrap_or_default();
            match instruction {
                "ENV" => variables.extend(rest.split_whitespace().map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap();
                    (name.to_owned(), value.to_owned())
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
                    let cache = "--mount=type=cache,target=/root/.cache/uv ";
                    let uv = python().command("uv");
                    let mut shell = Command::new("sh");
                    shell.envs(
                        uv.get_envs()
                            .filter_map(|(name, value)| Some((name, value?))),
                    );
                    let path = format!("{}/bin:/usr/bin:/bin", base.display());
                    shell.env("PATH", path).envs(&variables);
                    let command = rest.trim_start_matches(cache).trim_start();
                    succeeds(shell.args(["-euc", command]).current_dir(&folder));
                }
                "HEALTHCHECK" => {
                    let (_, command) = rest.split_once("CMD ").unwrap();
                    described["healthcheck"] = serde_json::from_str(&here(command)).unwrap();
                }
                "CMD" => described["cmd"] = serde_json::from_str(&here(rest)).unwrap(),
                "#" | "" | "FROM" | "WORKDIR" | "USER" | "STOPSIGNAL" => {}
                other => panic!("`{other}`: say how it is taken"),
            }
        }
        Self { folder, described }
    }

    fn set(&self, old: &str, new: &str) {
        let path = self.folder.join("serve.py");
        let code = fs::read_to_string(&path).unwrap();
        assert!(code.contains(old));
        fs::write(path, code.replace(old, new)).unwrap();
    }
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
