//! Calls to a generated bot, with nothing but this machine: a stand-in for each carrier fetches the answer document, opens
//! the media stream, and listens; another stand-in on loopback answers for the AI services.
//!
//! Both sides of a call are single tones. Wherever a sample rate did not fit, they would arrive at another pitch.

mod rooms;
pub(crate) mod whatsapp;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bot_cli_tests::port::free_port;
use serde_json::Value;
use tempfile::TempDir;

use crate::conversation::running::Running;
use crate::conversation::text;
use crate::framework::tools::{
    ANSWERS, OPENAI, evaluate, made, models, python, python_script, script,
};

/// The pitch of the voice that `stand_in_openai.py` speaks with, in hertz.
const VOICE: f64 = 220.0;

/// The caller's.
const HUM: f64 = 440.0;

const KEYS: &str = "TWILIO_ACCOUNT_SID=AC0\nTWILIO_AUTH_TOKEN=any\nTELNYX_API_KEY=any\nPLIVO_AUTH_ID=any\nPLIVO_AUTH_TOKEN=any\n";

#[test]
fn a_call_through_twilio_is_greeted_and_recorded() {
    call("carrier_a", "twilio");
}

#[test]
fn a_call_through_telnyx_is_greeted_and_recorded() {
    call("carrier_b", "telnyx");
}

#[test]
fn a_call_through_plivo_is_greeted_and_recorded() {
    call("carrier_c", "plivo");
}

#[test]
fn a_call_through_exotel_is_greeted_and_recorded() {
    call("carrier_d", "exotel");
}

#[test]
fn without_the_carriers_keys_they_are_named_and_evals_pass() {
    let bot = Bot::new(&["carrier_a", "carrier_c"]);
    let (mut running, _model, port) = bot.listen("webrtc", "");
    let warnings = [
        running.line_with("WARNING"),
        running.line_with("WARNING"),
        running.line_with("Uvicorn running on"),
    ];
    for (warning, missing) in warnings.iter().zip([
        "twilio will fail: TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN",
        "plivo will fail: PLIVO_AUTH_ID, PLIVO_AUTH_TOKEN",
    ]) {
        assert!(warning.contains(missing), "{warning}");
    }
    let scenario = bot.server.join("evals/text.yaml");
    let address = format!("ws://127.0.0.1:{port}/ws");
    let output = evaluate(&scenario, &address, &bot.folder.path().join("logs"));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// A handler of the user's ends the call, and the caller stays until then.
#[test]
fn a_call_that_the_bot_ends_is_recorded() {
    let bot = Bot::new(&["carrier_d"]);
    let path = bot.server.join("bot.py");
    let code = fs::read_to_string(&path).unwrap();
    let (before, after) = code
        .split_once("    # Your own event handlers go here.\n")
        .unwrap();
    let handler = r#"
    @assistant_aggregator.event_handler("on_assistant_turn_stopped")
    async def on_assistant_turn_stopped(aggregator, message):
        await worker.end()
"#;
    fs::write(&path, [before, handler, after].concat()).unwrap();
    let (mut running, _model, port) = bot.listen("exotel", KEYS);
    running.line_with("Uvicorn running on");
    let output = caller("exotel", port).arg("--stays").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    running.line_with("Recording saved to");
    bot.expect_both_in_recording();
}

/// A call from the first ring to the recording.
fn call(transport: &str, carrier: &str) {
    let bot = Bot::new(&[transport]);
    let (mut running, _model, port) = bot.listen(carrier, KEYS);
    running.line_with("Uvicorn running on");
    let output = caller(carrier, port).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let heard: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (seconds, hertz) = (&heard["seconds"], heard["hertz"].as_f64().unwrap());
    assert!(seconds.as_f64().unwrap() > 0.3, "{heard}");
    assert!((hertz - VOICE).abs() < 5.0, "{heard}");

    running.line_with("Recording saved to");
    bot.expect_both_in_recording();
}

/// Somebody who calls the bot through a carrier.
fn caller(carrier: &str, port: u16) -> Command {
    let mut command = python().command("python");
    command
        .arg(script("stand_in_carrier.py"))
        .args([carrier, &format!("http://127.0.0.1:{port}")])
        .args(["--hum", &HUM.to_string()]);
    command
}

/// The usual pitch on the left and the right of a recording, in hertz.
fn pitches(wav: &Path) -> [f64; 2] {
    let bytes = fs::read(wav).unwrap();
    let rate = u32::from_le_bytes(bytes[24..28].try_into().unwrap());
    let samples: Vec<i16> = bytes[44..]
        .chunks_exact(2)
        .map(|pair| i16::from_le_bytes(pair.try_into().unwrap()))
        .collect();
    [0, 1].map(|side| {
        let channel: Vec<i16> = samples.iter().skip(side).step_by(2).copied().collect();
        let rises: Vec<usize> = (1..channel.len())
            .filter(|&place| channel[place - 1] < 0 && channel[place] >= 0)
            .collect();
        let mut periods: Vec<usize> = rises.windows(2).map(|pair| pair[1] - pair[0]).collect();
        periods.sort_unstable();
        let usual = *periods.get(periods.len() / 2).unwrap_or(&usize::MAX);
        f64::from(rate) / f64::from(u32::try_from(usual).unwrap_or(u32::MAX))
    })
}

/// A generated project.
struct Bot {
    folder: TempDir,
    server: PathBuf,
}

impl Bot {
    fn new(carriers: &[&str]) -> Self {
        let transports = carriers.iter().chain(&["p2p_webrtc"]);
        let transports = transports.flat_map(|name| ["--transport", name]);
        let options = ["--eval", "--recording"].into_iter().chain(transports);
        let (folder, server) = made(&OPENAI.into_iter().chain(options).collect::<Vec<_>>());
        Self { folder, server }
    }

    fn expect_both_in_recording(&self) {
        let recording = fs::read_dir(self.server.join("recordings"))
            .unwrap()
            .next()
            .unwrap();
        let [caller, voice] = pitches(&recording.unwrap().path());
        assert!(
            (caller - HUM).abs() < 10.0,
            "the caller hummed at {caller} Hz"
        );
        assert!((voice - VOICE).abs() < 5.0, "the bot spoke at {voice} Hz");
    }

    /// Starts it and its AI services; the bot comes first, to be ended first.
    fn listen(&self, runner_key: &str, keys: &str) -> (Running, Running, u16) {
        let (services, _) = self.services(keys);
        let port = free_port().unwrap();
        let mut command = self.command();
        command
            .args(["-t", runner_key, "-x", "bot.example.com"])
            .args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        (Running::start(&mut command), services, port)
    }

    /// Starts its AI services, and writes its `.env`; they, and their address.
    fn services(&self, keys: &str) -> (Running, String) {
        let (services, address) = models(&ANSWERS);
        let env = format!("OPENAI_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n{keys}");
        fs::write(self.server.join(".env"), env).unwrap();
        (services, address)
    }

    fn command(&self) -> Command {
        let mut command = python().command("python");
        for carrier in ["TWILIO", "PLIVO", "TELNYX"] {
            for name in ["ACCOUNT_SID", "AUTH_TOKEN", "AUTH_ID", "API_KEY"] {
                command.env_remove(format!("{carrier}_{name}"));
            }
        }
        command.arg("bot.py").current_dir(&self.server);
        command
    }
}
