//! Conversations over Media over QUIC: the bot serves its own socket, and the framework's transport is the other end.

use std::fs;
use std::net::UdpSocket;

use serde_json::Value;

use super::running::Running;
use super::{python, text};
use crate::framework::tools::{ANSWERS, OPENAI, made, models, python_script};

#[test]
fn a_bot_answers_over_moq_one_session_after_the_other() {
    let (_folder, server) = made(&[&OPENAI[..], &["--transport", "moq"]].concat());
    let (_models, address) = models(&ANSWERS);
    let env = format!("OPENAI_API_KEY=any\nOPENAI_BASE_URL={address}/v1\n");
    fs::write(server.join(".env"), env).unwrap();
    let mut bot = Running::start(
        python()
            .command("python")
            .args(["bot.py", "-t", "moq", "--host", "127.0.0.1", "--port", "0"])
            .args(["--moq-bind", &format!("[::]:{}", free_udp_port())])
            .env_remove("OPENAI_API_KEY")
            .current_dir(&server),
    );
    let listens = bot.line_with("Uvicorn running on");
    let bot_address = listens
        .split_whitespace()
        .find(|word| word.starts_with("http://"))
        .unwrap();

    // The second finds the socket free again.
    for _ in 0..2 {
        let mut guest = python_script("talk_over_moq.py");
        let output = guest.arg(bot_address).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let heard: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(
            heard["said"].as_str().unwrap().contains("It is Paris."),
            "{heard}"
        );
        let hertz = heard["heard"]["hertz"].as_f64().unwrap();
        // The stand-in's voice; another sample rate would change its pitch.
        assert!((hertz - 220.0).abs() < 5.0, "{heard}");
        bot.line_with("The user has gone");
    }
}

/// The runner takes no port 0 for this socket: it tells clients the port that it was given.
fn free_udp_port() -> u16 {
    let socket = UdpSocket::bind("[::]:0").unwrap();
    socket.local_addr().unwrap().port()
}
