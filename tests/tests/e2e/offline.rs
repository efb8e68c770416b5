//! A spoken conversation without a network and without a stand-in: every model runs on this machine.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;

use crate::bot::{drive, framework_as_uv, made, python_script, succeeds};
use crate::running::Running;

const LOCAL: [&str; 5] = [
    "bot",
    "--mode=cascade",
    "--stt=whisper_stt",
    "--llm=ollama_llm",
    "--tts=piper_tts",
];

#[test]
fn a_bot_without_an_account_hears_thinks_and_speaks() {
    let (folder, _) = made(&[&LOCAL[..], &["--transport=p2p_webrtc", "--transcription"]].concat());
    let project = folder.path().join("bot");
    assert!(!project.join("server/Dockerfile").exists());
    let bench = Bench::whole().unwrap();
    framework_as_uv(&bench);
    let mut models = Running::start(&mut python_script("serve_model.py"));
    let line = models.line_with("serves: ");
    let places: Vec<&str> = line.split(' ').collect();
    let [_, address, recognizer, voice] = places[..] else {
        panic!("{line}")
    };
    let voices = bench.path("home/.cache/pipecat/piper");
    fs::create_dir_all(&voices).unwrap();
    let voice = Path::new(voice);
    let name = voice.file_stem().unwrap().to_str().unwrap();
    for ending in ["onnx", "onnx.json"] {
        let file = format!("{name}.{ending}");
        symlink(voice.with_file_name(&file), voices.join(&file)).unwrap();
    }
    let settings = format!(
        "WHISPER_MODEL={recognizer}\nOLLAMA_BASE_URL={address}/v1\nOLLAMA_MODEL=smollm2\nPIPER_VOICE_ID={name}\n"
    );

    let port = free_port().unwrap().to_string();
    let start = || {
        let folder = project.display().to_string();
        Running::start(&mut bench.host(&["dev", &folder, "--port", &port]))
    };
    let closed = format!("http://127.0.0.1:{}", free_port().unwrap());
    fs::write(
        project.join("server/.env"),
        settings.replace(address, &closed),
    )
    .unwrap();
    let mut without_model = start();
    without_model.line_with("Ollama (local) does not answer (APIConnectionError)");
    without_model.line_with("| ready: ");
    without_model.stop();

    fs::write(project.join("server/.env"), settings).unwrap();
    let mut dev = start();
    dev.line_with("| ready: ");
    for part in [
        "Whisper (local): loading; the first time, it downloads its model",
        "Ollama (local): loading smollm2",
        "Piper (local): loading",
    ] {
        assert!(dev.log().contains(part), "{part}");
    }
    for part in ["can't be loaded", "can't use", "does not answer"] {
        assert!(!dev.log().contains(part), "{}", dev.log());
    }

    let mut words = vec!["webrtc".to_owned(), format!("http://127.0.0.1:{port}")];
    for (moment, sentence) in ["What is the capital of France?", "Do you like music?"]
        .into_iter()
        .enumerate()
    {
        let file = folder.path().join(format!("{moment}.wav"));
        succeeds(Command::new("espeak-ng").arg("-w").arg(&file).arg(sentence));
        words.extend([
            "--say".to_owned(),
            format!("{}@{}", file.display(), moment + 1),
        ]);
    }
    words.extend(["--things=3", "--pause=4"].map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let heard = drive("speak_to.py", &words);
    eprintln!("{heard}");
    let said = heard["said"].as_array().unwrap();
    assert_eq!(said.len(), 3, "{heard}");
    for thing in said {
        assert!(thing["after"].as_f64().unwrap() < 30.0, "{heard}");
        assert!(thing["seconds"].as_f64().unwrap() > 0.5, "{heard}");
    }
    let log = dev.read().to_lowercase();
    dev.stop();
    for word in ["user: ", "capital", "music"] {
        assert!(log.contains(word), "{log}");
    }
    assert!(!log.contains("something went wrong"), "{log}");
}
