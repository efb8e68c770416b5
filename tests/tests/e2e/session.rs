//! Sessions that end well: a silent user, a fault of a service, a tool that hangs, and a conversation that goes on for too long. The eval
//! harness reads the words that the bot's voice reports, so it needs no speech model.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::bot::{
    ANSWERS, Bot, KEYS, OPENAI, REALTIME, WEBRTC, drive, realtime, redirected, succeeds,
};
use crate::running::Running;

/// A key in the provider's form, by which the framework knows it.
const KEY: &str = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";

/// The variables of every bot. Twilio, which is asked who calls, is out of order.
const VARIABLES: [(&str, &str); 4] = [
    ("OPENAI_API_KEY", KEY),
    ("TRANSFER_NUMBER", "+15550199"),
    redirected("STAND_IN_TWILIO", "http://127.0.0.1:9")[0],
    redirected("STAND_IN_TWILIO", "http://127.0.0.1:9")[1],
];

/// What the framework logs when the bot itself ends a session, and when any session is over.
const HUNG_UP: &str = ": EndFrame#";
const OVER: &str = "finished running";

const ASKED: &str = "tts_response, text_contains: still there";
const GOODBYE: &str = "tts_response, text_contains: Goodbye";
const PARIS: &str = "tts_response, text_contains: Paris";
const SORRY: &str = "tts_response, text_contains: Sorry";
const UNKNOWN: &str = "tts_response, text_contains: do not know";
/// Holds the line until the bot hangs up.
const SILENCE: &str = "tts_response, absent: true, within_ms: 60000";
const WARNING: &str = "tts_response, text_contains: finish in a moment";

#[test]
fn a_silent_user_is_asked_twice_and_let_go() {
    for session in [Session::cascade(&[]), Session::realtime(&[])] {
        session.bot.set("SILENCE_SECS", "1");
        let mut running = session.hold(&[("", &[ASKED, ASKED, GOODBYE, SILENCE])]);
        running.line_with("The user does not answer");
        running.line_with(HUNG_UP);
    }
}

#[test]
fn a_user_who_answers_is_not_let_go() {
    for session in [Session::cascade(&[]), Session::realtime(&[])] {
        session.bot.set("SILENCE_SECS", "2");
        session.bot.set("QUESTIONS", "1");
        session.hold(&[
            ("", &[ASKED]),
            ("What is the capital of France?", &[PARIS, ASKED, GOODBYE]),
        ]);
    }
}

#[test]
fn the_longest_session_ends_with_a_word_before_its_end() {
    let session = Session::cascade(&[]);
    session.bot.set("SESSION_SECS", "6");
    session.bot.set("WARNING_SECS", "3");
    let mut running = session.hold(&[("", &[WARNING, GOODBYE, SILENCE])]);
    running.line_with("The longest session is over");
    running.line_with(HUNG_UP);
}

#[test]
fn a_fault_is_heard_and_logged_without_the_key() {
    let session = Session::cascade(&["--refuse", "/v1/chat/completions"]);
    let mut running = session.hold(&[("", &[SORRY]), ("Hello?", &[SORRY])]);
    running.line_with(OVER);
    // The first line is the command, with its environment.
    let (_, log) = running.log().split_once('\n').unwrap();
    assert!(log.contains("Error code: 401"), "{log}");
    assert!(!log.contains(KEY), "{log}");
}

/// However the model breaks, the user hears so in time, and the next question is answered.
#[test]
fn a_model_that_gives_no_words_is_apologized_for_in_time() {
    const SOON: &str = "tts_response, text_contains: Sorry, within_ms: 12000";
    const BREAKS: [&str; 7] = [
        "Greet the user=silent",
        "be silent=silent",
        "stall at once=stalls",
        "stall later=stalls",
        "be blank=blank",
        "garble it=garbled",
        "die now=dies",
    ];
    let says = [
        "stall at once=Well, let me",
        "stall later=One moment. Let me",
        "die now=Well, I",
    ];
    let breaks = BREAKS.iter().flat_map(|it| ["--break", it]);
    let says = says.iter().flat_map(|it| ["--say", it]);
    let session = Session::cascade(&breaks.chain(says).collect::<Vec<_>>());
    let mut turns: Vec<Turn> = vec![("", &[SOON])];
    for it in &BREAKS[1..] {
        let (words, _) = it.split_once('=').unwrap();
        let events: &[&str] = if words == "stall later" {
            &[
                "tts_response, text_contains: One moment",
                "tts_response, text_contains: Sorry, within_ms: 16000",
            ]
        } else {
            &[SOON]
        };
        turns.extend([
            (words, events),
            ("What is the capital of France?", &[PARIS][..]),
        ]);
    }
    let log = session.hold(&turns).read().to_owned();
    assert!(log.contains("The bot does not answer"), "{log}");
}

/// On the telephone and in a browser, at the greeting and later.
#[test]
fn a_caller_who_is_answered_by_a_dead_model_hears_a_sentence_within_twelve_seconds() {
    let at_first = ["--break", "Greet the user=silent"];
    let later = [
        "--hear",
        "stall",
        "--break",
        "stall=stalls",
        "--say",
        "stall=Well, let me",
    ];
    for way in ["twilio", "webrtc"] {
        for (breaks, say, things) in [
            (&at_first[..], &[][..], "1"),
            (&later, &["Tell me about it@1"], "2"),
        ] {
            let mut call = Session::telephone(breaks);
            let (heard, spoken) = call.speak(way, say, &["--things", things]);
            let after = heard["said"].as_array().unwrap().last().unwrap()["after"].as_f64();
            assert!(
                after.is_some_and(|it| it <= 12.0),
                "{way} {breaks:?}: {heard}"
            );
            assert!(
                spoken.last().is_some_and(|it| it.starts_with("Sorry")),
                "{spoken:?}"
            );
        }
    }
}

/// Whoever says something else is answered, and is not hung up on.
#[test]
fn a_goodbye_is_taken_back_by_whoever_speaks_into_it() {
    let asks = [
        "--hear",
        "Please hang up.",
        "--hear",
        "No, wait.",
        "--hear",
        "Please hang up.",
    ];
    for way in ["twilio", "webrtc"] {
        let mut call = Session::telephone(&[&asks[..], &WAITS].concat());
        let says = [
            "Please hang up now@1",
            "I have one more question@2+",
            "Please hang up now@3",
        ];
        let (heard, spoken) = call.speak(way, &says, &[]);
        assert_eq!(heard["ended"], true, "{heard}");
        assert_eq!(spoken[1..], [BYE, "Of course.", BYE], "{heard}");
    }
}

#[test]
fn a_goodbye_of_a_speech_to_speech_service_is_taken_back_in_writing() {
    let mut session = Session::realtime(&[&["--pace", "0.06"], &WAITS[..]].concat());
    let writes = [
        "--type",
        "Please hang up.@1",
        "--type",
        "No, wait.@2+",
        "--things",
        "2",
    ];
    let (heard, _) = session.speak("webrtc", &[], &writes);
    assert_eq!(heard["ended"], false, "{heard}");
}

/// As spoken words do, the keys also take back a goodbye.
#[test]
fn keys_that_are_pressed_reach_the_model() {
    let answers = [&["--say", "telephone: 12=Of course."], &WAITS[..]].concat();
    let mut call = Session::telephone(&[&["--hear", "Please hang up."], &answers[..]].concat());
    let presses = ["--type", "12@2+", "--things", "3"];
    let (heard, spoken) = call.speak("twilio", &["Please hang up now@1"], &presses);
    assert_eq!(heard["ended"], false, "{heard}");
    assert_eq!(spoken[1..], [BYE, "Of course."], "{heard}");

    let mut realtime = Session::realtime(&answers);
    let options = [&REALTIME[..2], &["--transport=carrier_a"]].concat();
    realtime.bot = Bot::new(&options, &[]);
    let (heard, _) = realtime.speak("twilio", &[], &["--type", "12#@1", "--things", "2"]);
    let after = heard["said"][1]["after"].as_f64();
    assert!(after.is_some_and(|it| it < 5.0), "{heard}");
}

/// The bot says it once more, and hangs up.
#[test]
fn a_goodbye_is_not_taken_back_by_a_cough() {
    let mut call =
        Session::telephone(&[&["--hear", "Please hang up.", "--hear", ""], &WAITS[..]].concat());
    let (heard, spoken) = call.speak(
        "twilio",
        &["Please hang up now@1", "Oh dear oh dear@2+"],
        &[],
    );
    assert_eq!(heard["ended"], true, "{heard}");
    assert_eq!(spoken[1], BYE, "{spoken:?}");
    // Between the two, the model may ask what the noise meant.
    assert_eq!(
        spoken[2..].iter().filter(|it| *it == BYE).count(),
        1,
        "{spoken:?}"
    );
}

#[test]
fn the_goodbye_to_a_silent_caller_is_taken_back_and_so_is_that_of_the_longest_session() {
    let silent = [("SILENCE_SECS", "2"), ("QUESTIONS", "0")];
    let long = [("SESSION_SECS", "10"), ("WARNING_SECS", "4")];
    for (constants, things, ends) in [
        (silent, ["1"], &[BYE, "Of course.", BYE][..]),
        (
            long,
            ["2"],
            &[
                "We will have to finish in a moment.",
                BYE,
                "Of course.",
                BYE,
            ],
        ),
    ] {
        let mut call = Session::telephone(&[&["--hear", "No, wait."], &WAITS[..]].concat());
        for (name, value) in constants {
            call.bot.set(name, value);
        }
        let into: usize = things[0].parse::<usize>().unwrap() + 1;
        let (heard, spoken) = call.speak(
            "twilio",
            &[&format!("I have one more question@{into}+")],
            &[],
        );
        assert_eq!(heard["ended"], true, "{heard}");
        assert_eq!(spoken[1..], *ends, "{heard}");
    }
}

#[test]
fn a_transfer_is_taken_back_by_a_caller_who_goes_on_talking() {
    let asks = [
        "--hear",
        "A person please.",
        "--hear",
        "No, wait.",
        "--hear",
        "Please hang up.",
    ];
    let mut call = Session::telephone(&[&asks[..], &WAITS].concat());
    let says = [
        "Give me a person@1",
        "I have one more question@2+",
        "Please hang up now@3",
    ];
    let (heard, spoken) = call.speak("twilio", &says, &[]);
    assert_eq!(heard["ended"], true, "{heard}");
    assert_eq!(
        spoken[1..],
        ["One moment, I will put you through.", "Of course.", BYE],
        "{heard}"
    );
}

/// The caller hears nothing, and stays on the line until the bot has given up.
#[test]
fn a_bot_without_its_voice_ends_the_session() {
    let session = Session::cascade(&["--refuse", "/v1/audio/speech"]);
    let mut running = session.hold(&[("", &["llm_response", SILENCE])]);
    running.line_with("OpenAITTSService#0 exception");
    running.line_with("the bot is silent");
}

#[test]
fn a_goodbye_that_is_stuck_does_not_keep_the_session_from_ending() {
    let session = Session::cascade(&["--say", "hang up=It was a pleasure.", "--stall", "Goodbye"]);
    let mut running = session.hold(&[
        ("", &["tts_response"]),
        (
            "Please hang up.",
            &["tts_response, text_contains: pleasure", SILENCE],
        ),
    ]);
    running.line_with("the bot is silent");
}

#[test]
fn a_bot_that_speaks_while_it_hangs_up_finishes_both() {
    let words = "hang up=It was a pleasure to talk to you about all of this, and I hope that it helped you a lot.";
    let spoken = "tts_response, text_contains: helped you a lot";
    for session in [
        Session::cascade(&["--say", words]),
        Session::realtime(&["--say", words]),
    ] {
        // A goodbye that is missed would be waited for longer than the line is held.
        session.bot.set("ANSWER_SECS", "90");
        let mut running = session.hold(&[
            ("", &["tts_response"]),
            ("Please hang up.", &[spoken, GOODBYE, SILENCE]),
        ]);
        running.line_with(HUNG_UP);
    }
}

#[test]
fn a_speech_to_speech_service_that_stumbles_apologizes_and_goes_on() {
    let session = Session::realtime(&["--stumble", "do you stumble"]);
    session.hold(&[
        ("", &["tts_response"]),
        ("Why do you stumble?", &[SORRY]),
        ("What is the capital of France?", &[PARIS]),
        ("Again, why do you stumble?", &[SORRY]),
    ]);
}

/// Nothing can be said any more.
#[test]
fn a_speech_to_speech_service_that_fails_ends_the_session() {
    let session = Session::realtime(&["--fail", "out of order"]);
    let mut running = session.hold(&[
        ("", &["tts_response"]),
        ("Are you out of order?", &[SILENCE]),
    ]);
    running.line_with("The service is out of order.");
    running.line_with("the bot is silent");
}

/// Without an answer, not even an apology can be had of it.
#[test]
fn a_speech_to_speech_service_that_is_silent_ends_the_session() {
    for (silent, question) in [("Greet the user", ""), ("be silent", "Please be silent.")] {
        let session = Session::realtime(&["--silent", silent]);
        let greeting: &[&str] = if question.is_empty() {
            &[SILENCE]
        } else {
            &["tts_response"]
        };
        let turns: [Turn; 2] = [("", greeting), (question, &[SILENCE])];
        let mut running = session.hold(&turns[..if question.is_empty() { 1 } else { 2 }]);
        running.line_with("The bot does not answer");
        running.line_with("the bot is silent");
    }
}

#[test]
fn tools_are_called_and_one_that_hangs_does_not_silence_the_bot() {
    for session in [Session::cascade(&CALLS), Session::realtime(&CALLS)] {
        let tools = session.bot.server.join("tools.py");
        let code = fs::read_to_string(&tools).unwrap();
        let code = code.replace("[current_time, ", "[hangs, current_time, ");
        let code = code.replace("import datetime", "import datetime\nimport asyncio");
        fs::write(tools, code.replacen("@tool_options", HANGS, 1)).unwrap();
        let mut running = session.hold(&[
            ("", &["tts_response"]),
            (
                "Please look it up.",
                &["function_call, name: hangs", "tts_response"],
            ),
            (
                "Please hang up.",
                &["function_call, name: end_call", GOODBYE, SILENCE],
            ),
        ]);
        running.line_with("timed out after 1 seconds");
        running.line_with(HUNG_UP);
    }
}

#[test]
fn a_time_zone_that_does_not_exist_is_explained_to_the_model() {
    let zones = ["Mars/Base", "Europe", "../zone", ""];
    let calls = zones.map(|zone| format!(r#"in '{zone}'=current_time {{"timezone": "{zone}"}}"#));
    let calls = calls.iter().flat_map(|call| ["--call", call]);
    let explained = ["--say", "is not an IANA name=I do not know it."];
    let session = Session::cascade(&calls.chain(explained).collect::<Vec<_>>());
    let questions = zones.map(|zone| format!("What time is it in '{zone}'?"));
    let mut turns: Vec<Turn> = vec![("", &["tts_response"])];
    turns.extend(questions.iter().map(|it| (&**it, &[UNKNOWN][..])));
    session.hold(&turns);
}

const CALLS: [&str; 6] = [
    "--call",
    "look it up=hangs {}",
    "--call",
    "hang up=end_call {}",
    "--say",
    "CANCELLED=I could not find it.",
];

const HANGS: &str = r#"@tool_options(timeout_secs=1)
async def hangs(params: FunctionCallParams) -> None:
    """Look something up, for ever."""
    await asyncio.Event().wait()


@tool_options"#;

const BYE: &str = "Thank you for talking to me. Goodbye!";

/// The options for a model that hangs up or transfers on request, and otherwise is at the caller's service.
const WAITS: [&str; 6] = [
    "--call",
    "hang up=end_call {}",
    "--call",
    "person=transfer_call {}",
    "--say",
    "wait=Of course.",
];

/// What the user types, and the events that follow. The first turn is the bot's.
type Turn<'a> = (&'a str, &'a [&'a str]);

/// A generated bot and the stand-ins for its services.
struct Session {
    bot: Bot,
    realtime: Option<(Running, String)>,
}

impl Session {
    fn cascade(answers: &[&str]) -> Self {
        let options = [&OPENAI[..], &["--transport=p2p_webrtc", "--eval"]].concat();
        Self {
            bot: Bot::new(&options, &[&ANSWERS[..], answers].concat()),
            realtime: None,
        }
    }

    /// Returns a bot on the telephone and in browsers, whose voice takes as long as a person's.
    fn telephone(answers: &[&str]) -> Self {
        let lines = ["--transport=carrier_a", "--transport=p2p_webrtc"];
        let options = [&OPENAI[..], &lines].concat();
        Self {
            bot: Bot::new(&options, &[&["--pace", "0.06"], answers].concat()),
            realtime: None,
        }
    }

    fn realtime(answers: &[&str]) -> Self {
        Self {
            bot: Bot::new(&REALTIME, &[]),
            realtime: Some(realtime(&[&ANSWERS[..], answers].concat())),
        }
    }

    /// Holds a conversation, and returns the bot.
    fn hold(&self, turns: &[Turn]) -> Running {
        let mut scenario = SCENARIO.to_owned();
        for (user, events) in turns {
            let _ = writeln!(scenario, "      - expect:");
            for event in *events {
                let _ = writeln!(scenario, "          - {{ event: {event} }}");
            }
            if !user.is_empty() {
                let _ = writeln!(scenario, "        user: {user:?}");
            }
        }
        fs::write(self.bot.server.join("evals/session.yaml"), scenario).unwrap();
        let (running, address) = self.run(&WEBRTC);
        self.bot.passes("evals/session.yaml", &address);
        running
    }

    fn run(&self, options: &[&str]) -> (Running, String) {
        let mut variables = [&KEYS[..], &VARIABLES].concat();
        if let Some((_, address)) = &self.realtime {
            variables.extend(redirected("STAND_IN_REALTIME", address));
        }
        self.bot.run(options, &variables)
    }

    /// Holds a call in which the user says each of these sentences at a moment. Returns what was heard, and the bot's sentences.
    fn speak(&mut self, way: &str, says: &[&str], options: &[&str]) -> (Value, Vec<String>) {
        let telephone = ["-t", "twilio", "-x", "bot.example.com"];
        let (_running, address) = self.run(if way == "twilio" { &telephone } else { &WEBRTC });
        let mut words = vec![way.to_owned(), address];
        for (number, say) in says.iter().enumerate() {
            let (sentence, moment) = say.split_once('@').unwrap();
            let file = self.bot.folder.path().join(format!("{number}.wav"));
            succeeds(Command::new("espeak-ng").arg("-w").arg(&file).arg(sentence));
            words.extend(["--say".to_owned(), format!("{}@{moment}", file.display())]);
        }
        words.extend(options.iter().map(|&it| it.to_owned()));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let heard = drive("speak_to.py", &words);
        let log = self.bot.models.read();
        let spoken = log
            .lines()
            .filter(|line| line.starts_with("POST /v1/audio/speech"));
        let spoken = spoken.filter_map(|line| line.split_once("\"input\":\"")?.1.split_once('"'));
        (heard, spoken.map(|(words, _)| words.to_owned()).collect())
    }
}

const SCENARIO: &str = "\
name: session
judge: { modality: audio, transcription: { service: moonshine } }
scenarios:
  - name: session
    turns:
";
