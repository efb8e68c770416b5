use std::path::PathBuf;

use super::{Keys, Needs, document, of_guides, of_project, of_update, shown};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::Feature;
use crate::plan;
use crate::resolve::resolve;
use crate::target::Target;

const KEYS: &str = "      #   DEEPGRAM_API_KEY: API key (https://console.deepgram.com)
      #   OPENAI_API_KEY: API key (https://platform.openai.com/api-keys)
      #   CARTESIA_API_KEY: API key (https://play.cartesia.ai/keys)
";

#[test]
fn a_web_client_gets_a_terminal_of_its_own() {
    let mut draft = cascade(&["p2p_webrtc"]);
    draft.client_framework = Some("vanilla".to_owned());
    *draft.switches.slot(Feature::Eval) = Some(true);
    assert_eq!(
        printed(&draft, "my-bot", Keys::Vault),
        format!(
            "\
next: cd my-bot/server
next: uv sync
      # uv comes from https://docs.astral.sh/uv/getting-started/installation/
next: bot-cli cloud secrets set my-bot-secrets --backend local --from-template .env.example
      # asks for these keys; press Enter to skip one
{KEYS}next: bot-cli cloud secrets run my-bot-secrets --backend local -- uv run bot.py -t webrtc
      # in a second terminal:
next: cd /home/me/my-bot/client
next: npm install
      # npm comes with Node.js: https://nodejs.org
next: npm run dev
      # open http://localhost:5173 and connect
      # in a third terminal:
next: cd /home/me/my-bot/server
next: uv run pipecat eval run evals/text.yaml --logs-dir evals/logs
      # types to the running bot and checks its answers
"
        )
    );
}

#[test]
fn without_the_vault_the_keys_go_into_a_file() {
    assert_eq!(
        printed(&cascade(&["p2p_webrtc"]), "-b ot/", Keys::File),
        format!(
            "\
next: cd './-b ot/server'
next: uv sync
      # uv comes from https://docs.astral.sh/uv/getting-started/installation/
next: cp .env.example .env
      # then fill in these lines in .env
{KEYS}next: uv run bot.py -t webrtc
      # open http://localhost:7860/client/, allow the microphone and connect
"
        )
    );
}

#[test]
fn a_carrier_needs_a_name_only_where_the_bot_tells_it() {
    let twilio = printed(&cascade(&["carrier_a"]), "my-bot", Keys::File);
    let (before, after) = twilio
        .split_once("next: uv run bot.py -t twilio -x YOUR_HOST\n")
        .unwrap();
    assert!(
        before.ends_with(
            "      # calls need a tunnel to port 7860: in another terminal, `ngrok http 7860` prints a host name\n      \
             # replace YOUR_HOST with that name, without https://\n"
        ),
        "{twilio}"
    );
    assert_eq!(
        after,
        "      # README.md, under \"Twilio\", says what else a call needs\n"
    );
    let exotel = printed(&cascade(&["carrier_d"]), "my-bot", Keys::File);
    assert!(
        exotel.contains("next: uv run bot.py -t exotel\n") && !exotel.contains("YOUR_HOST"),
        "{exotel}"
    );
}

#[test]
fn a_call_server_runs_beside_the_bot_with_the_same_keys() {
    let mut draft = cascade(&["hosted_rtc_pstn"]);
    draft.daily_pstn_mode = Some("dial-out".to_owned());
    let printed = printed(&draft, "my-bot", Keys::Vault);
    let run = "bot-cli cloud secrets run my-bot-secrets --backend local -- uv run";
    assert!(
        printed.ends_with(&format!(
            "next: {run} bot.py -t daily\n      # in a second terminal:\nnext: cd /home/me/my-bot/server\n\
             next: {run} server.py\n      # README.md, under \"Daily PSTN (dial-out)\", says what else a call needs\n"
        )),
        "{printed}"
    );
    assert!(
        printed.contains("DAILY_API_KEY: API key (https://dashboard.daily.co/developers)"),
        "{printed}"
    );
}

#[test]
fn what_has_no_page_to_talk_at_says_where_to_look() {
    for (transport, command, about) in [
        (
            "whatsapp",
            "uv run bot.py -t webrtc --whatsapp",
            "README.md, under \"WhatsApp calls\", says what else a call needs",
        ),
        (
            "vonage",
            "uv run bot.py -t vonage",
            "README.md, under \"Vonage Video\", says how to reach it",
        ),
        (
            "lemonslice",
            "uv run bot.py -t daily",
            "open http://localhost:7860/daily: it takes you to a room, and the avatar follows",
        ),
    ] {
        let printed = printed(&cascade(&[transport]), "my-bot", Keys::File);
        let last = format!("next: {command}\n      # {about}\n");
        assert!(printed.ends_with(&last), "{printed}");
    }
}

#[test]
fn what_runs_on_this_machine_needs_no_key() {
    let draft = Draft {
        stt_service: Some("whisper_stt".to_owned()),
        llm_service: Some("ollama_llm".to_owned()),
        tts_service: Some("kokoro_tts".to_owned()),
        ..cascade(&["websocket"])
    };
    let printed = printed(&draft, ".", Keys::Vault);
    assert!(
        printed.starts_with("next: cd server\n")
            && !printed.contains("secrets")
            && !printed.contains(".env")
            && printed.contains("# Ollama (local): Needs an Ollama server"),
        "{printed}"
    );
}

#[test]
fn a_key_of_one_transport_among_several_says_so() {
    let printed = printed(
        &cascade(&["p2p_webrtc", "hosted_rtc"]),
        "my-bot",
        Keys::File,
    );
    assert!(
        printed.contains(
            "DAILY_API_KEY: API key (https://dashboard.daily.co/developers), only for -t daily\n"
        ),
        "{printed}"
    );
}

#[test]
fn programs_get_commands_without_remarks() {
    let target = target("my-bot");
    let steps = of_guides(&target);
    assert_eq!(
        document(&steps),
        serde_json::json!([
            { "terminal": 1, "command": "cd my-bot", "stays": false, "about": [] },
            { "terminal": 1, "command": "cat GETTING_STARTED.md", "stays": false, "about": ["then start your coding agent in this folder"] },
        ])
    );
}

#[test]
fn an_update_names_the_folders_as_they_are() {
    let commands = |shown: &str, server: &str, client: &str| -> Vec<String> {
        let [server, client] = [server, client].map(|folder| Needs {
            folder,
            has_changed: true,
        });
        let steps = of_update(&target(shown), server, client, None, &[], None);
        let commands: Vec<String> = steps.into_iter().map(|step| step.command).collect();
        commands
    };
    for (shown, server, client, expected) in [
        (
            "my-bot",
            "backend",
            "apps/web",
            [
                "uv sync --directory my-bot/backend",
                "npm install --prefix my-bot/apps/web",
            ],
        ),
        (
            "my-bot/",
            "",
            "client",
            [
                "uv sync --directory my-bot",
                "npm install --prefix my-bot/client",
            ],
        ),
        (
            ".",
            "",
            "my web",
            ["uv sync --directory .", "npm install --prefix './my web'"],
        ),
    ] {
        assert_eq!(commands(shown, server, client), expected);
    }
}

fn cascade(transports: &[&str]) -> Draft {
    let text = |text: &str| Some(text.to_owned());
    Draft {
        transports: Some(transports.iter().map(|&one| one.to_owned()).collect()),
        mode: text("cascade"),
        stt_service: text("deepgram_stt"),
        llm_service: text("openai_llm"),
        tts_service: text("cartesia_tts"),
        ..Draft::default()
    }
}

fn target(shown: &str) -> Target {
    Target {
        shown: shown.to_owned(),
        path: PathBuf::from("/home/me/my-bot"),
        exists: false,
    }
}

/// Returns the lines that the terminal shows.
fn printed(draft: &Draft, shown_as: &str, keys: Keys) -> String {
    let config = resolve(draft, Some("my-bot"), Catalogue::built_in()).unwrap();
    let needed = plan::needed(&config).unwrap();
    let steps = of_project(&target(shown_as), &config, &needed, keys);
    let entries = shown(&steps);
    let lines = entries.iter().flat_map(|entry| {
        let entry = entry.replace('\n', "\n      ");
        ["next: ".to_owned(), entry, "\n".to_owned()]
    });
    lines.collect()
}

#[test]
fn one_program_runs_everything_where_it_is_there() {
    let mut draft = cascade(&["p2p_webrtc"]);
    draft.client_framework = Some("vanilla".to_owned());
    *draft.switches.slot(Feature::Eval) = Some(true);
    assert_eq!(
        printed(&draft, "my-bot", Keys::Dev),
        format!(
            "\
next: cd my-bot
next: bot-cli dev
      # asks for these keys first; press Enter to skip one
{KEYS}      # installs what the bot needs, runs it, and says where to talk to it
      # needs uv from https://docs.astral.sh/uv/getting-started/installation/, and npm from https://nodejs.org
      # `bot-cli dev --eval` runs the bot and checks its answers
      # the same by hand, in server: `uv sync`, keys into .env, `uv run bot.py -t webrtc`
"
        )
    );
    let twilio = printed(&cascade(&["carrier_a"]), ".", Keys::Dev);
    assert!(
        twilio.starts_with(
            "next: bot-cli dev --proxy YOUR_HOST\n      # calls need a tunnel to port 7860"
        ) && twilio.contains("# README.md, under \"Twilio\", says what else a call needs\n"),
        "{twilio}"
    );
}
