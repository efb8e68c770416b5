//! Tests for `bot-cli dev` with a stand-in for uv and the bot.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Stdio};

use bot_cli_tests::bench::{Bench, is_alive};
use bot_cli_tests::patience::{wait_for_end, wait_until};
use bot_cli_tests::port::free_port;
use bot_cli_tests::pty::Terminal;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Creates a bench with a project in its working directory.
fn bench() -> Bench {
    bench_with("--transport=p2p_webrtc")
}

fn bench_with(transports: &str) -> Bench {
    let bench = Bench::whole().unwrap();
    let uv = std::path::Path::new(env!("CARGO_BIN_EXE_it-uv"));
    bench.install(uv, "bin/uv").unwrap();
    let services = "--stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts";
    let words = format!("init . {transports} --mode=cascade {services}");
    let made = bench.run(&words.split(' ').collect::<Vec<_>>()).unwrap();
    assert_eq!(made.status, Some(0), "{made:?}");
    bench
}

/// A running `bot-cli dev`.
struct Dev {
    child: Child,
    stdout: BufReader<ChildStdout>,
    port: u16,
}

impl Dev {
    fn start(bench: &Bench, words: &[&str]) -> Self {
        let port = free_port().unwrap();
        let mut command = bench.host(&[&["dev", "--port", &port.to_string()], words].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdout,
            port,
        }
    }

    /// Returns the lines up to the first that contains `text`, without timestamps.
    fn until(&mut self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.stdout.read_line(&mut line).unwrap();
            assert_ne!(read, 0, "{text}: {lines:#?}");
            let line = line.split_once("s ").map_or(&*line, |(_, line)| line);
            lines.push(line.trim_end().to_owned());
            if line.contains(text) {
                return lines;
            }
        }
    }

    /// Returns the process IDs of the bot and of the process that the bot started.
    fn processes(&mut self) -> Vec<u32> {
        let lines = self.until("| processes ");
        let (_, numbers) = lines.last().unwrap().split_once("processes ").unwrap();
        let numbers = numbers.split(' ');
        numbers.map(|number| number.parse().unwrap()).collect()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    fn end(self) -> Option<i32> {
        self.signal(Signal::TERM);
        self.status()
    }

    fn status(mut self) -> Option<i32> {
        std::io::copy(&mut self.stdout, &mut std::io::sink()).unwrap();
        self.child.wait().unwrap().code()
    }
}

fn keep(bench: &Bench, keys: &str) {
    std::fs::write(bench.path("keys"), keys).unwrap();
    let set = "cloud secrets set work-secrets --backend=local --skip --file ../keys";
    let kept = bench.run(&set.split(' ').collect::<Vec<_>>()).unwrap();
    assert_eq!(kept.status, Some(0), "{kept:?}");
}

#[test]
fn the_bot_alone_gets_the_keys_and_each_source_is_said() {
    let bench = bench();
    keep(
        &bench,
        "DEEPGRAM_API_KEY=c4n4ry-1\nOPENAI_API_KEY=c4n4ry-2\n",
    );
    let env = "OPENAI_API_KEY=c4n4ry-3\n";
    std::fs::write(bench.path("work/server/.env"), env).unwrap();
    let mut dev = Dev::start(&bench, &[]);
    let lines = dev.until("dev    | ready: ");
    let port = dev.port;
    let expected = [
        "dev    | $ uv sync".to_owned(),
        "dev    | keys from the set work-secrets: DEEPGRAM_API_KEY, OPENAI_API_KEY".to_owned(),
        "dev    | warning: not used, because the set wins over `.env`: OPENAI_API_KEY".to_owned(),
        "dev    | not set: CARTESIA_API_KEY (bot-cli cloud secrets set work-secrets --backend local --from-template server/.env.example)"
            .to_owned(),
        format!("dev    | $ uv run bot.py -t webrtc --port {port}"),
        format!("bot    | options -t webrtc --port {port}"),
        "bot    | keys DEEPGRAM_API_KEY OPENAI_API_KEY".to_owned(),
        lines[7].clone(),
        format!("dev    | ready: open http://localhost:{port}/client/"),
    ];
    assert_eq!(lines, expected);
    // The environment of `dev` itself, and so of all else that it starts, has none of them.
    let own = std::fs::read(format!("/proc/{}/environ", dev.child.id())).unwrap();
    assert!(!String::from_utf8_lossy(&own).contains("c4n4ry"));
    assert_eq!(dev.end(), Some(143));
}

#[test]
fn a_service_with_errors_is_named_once_with_the_source_of_its_key() {
    let bench = bench();
    std::fs::write(bench.path("work/server/.env"), "OPENAI_API_KEY=any\n").unwrap();
    let log = "\
        t | DEBUG    | p - OpenAILLMService#0: waits\n\
        t | ERROR    | p - OpenAILLMService#0 exception: 401\n\
        t | ERROR    | p - PipelineWorker#0: OpenAILLMService#0 exception: 401\n\
        t | ERROR    | p - DeepgramSTTService#1: no connection\n";
    std::fs::write(bench.path("work/server/log"), log).unwrap();
    for (words, has_debug) in [(&[][..], false), (&["-v"], true)] {
        let mut dev = Dev::start(&bench, words);
        let lines = dev.until("dev    | ready: ");
        let debug = lines.iter().any(|line| line.contains("| DEBUG "));
        assert_eq!(debug, has_debug, "{lines:#?}");
        let warnings: Vec<&String> = lines.iter().filter(|it| it.contains("problem")).collect();
        assert_eq!(
            warnings,
            [
                "dev    | warning: OpenAI (llm) has a problem, as the line above says; OPENAI_API_KEY is from .env",
                "dev    | warning: Deepgram (stt) has a problem, as the line above says",
            ]
        );
        dev.end();
    }
}

#[test]
fn a_transport_and_a_tunnel_decide_what_is_started_and_said() {
    let signs = [
        "$ uv run server.py",
        "warning: calls reach the bot only through a tunnel; give its host name with `--proxy`",
        "ready: open http://",
    ];
    let calls = "--transport=carrier_a --transport=carrier_a_hosted_rtc_sip --twilio-daily-sip-mode=dial-out";
    let telephone = "--transport=carrier_a --transport=p2p_webrtc";
    for (transports, rows) in [
        (
            calls,
            &[
                ("", "--port PORT", [true, false, false]),
                ("--proxy host", "--port PORT -x host", [true, false, false]),
                ("-t daily", "-t daily --port PORT", [true, false, false]),
                ("-t twilio", "-t twilio --port PORT", [false, true, false]),
                (
                    "-t twilio --proxy host",
                    "-t twilio --port PORT -x host",
                    [false; 3],
                ),
            ][..],
        ),
        (
            telephone,
            &[
                ("", "-t webrtc --port PORT", [false, false, true]),
                ("--proxy host", "-t twilio --port PORT -x host", [false; 3]),
                (
                    "-t webrtc --proxy host",
                    "-t webrtc --port PORT -x host",
                    [false, false, true],
                ),
            ],
        ),
    ] {
        let bench = bench_with(transports);
        for (words, options, said) in rows {
            let words: Vec<&str> = words.split_whitespace().collect();
            let mut dev = Dev::start(&bench, &words);
            let lines = dev.until("dev    | ready: ");
            let has = |text: &str| lines.iter().any(|line| line.contains(text));
            let options = options.replace("PORT", &dev.port.to_string());
            let started = format!("dev    | $ uv run bot.py {options}");
            assert!(lines.contains(&started), "{lines:#?}");
            assert_eq!(signs.map(has), *said, "{words:?}: {lines:#?}");
            dev.end();
        }
    }
}

#[test]
fn the_line_for_a_transport_that_the_bot_lacks_adds_it() {
    let bench = bench_with("--transport=carrier_a");
    bench.shows(
        "
        $ bot-cli dev -t webtrc
        ! error: the bot has no transport `webtrc`
        ! hint: it has: bot-cli dev --transport twilio
        = 2
        $ cd server; bot-cli dev -t telnyx
        ! error: the bot has no transport `telnyx`
        ! hint: add it: bot-cli init [BENCH]/work --update --transport carrier_a --transport carrier_b
        ! hint: it has: bot-cli dev --transport twilio
        = 2
        $ bot-cli dev -t webrtc
        ! error: the bot has no transport `webrtc`
        ! hint: add it: bot-cli init --update --transport carrier_a --transport p2p_webrtc
        ! hint: it has: bot-cli dev --transport twilio
        = 2
        ",
    );
    let line = "bot-cli init --update --transport carrier_a --transport p2p_webrtc";
    let ran = bench.shell(line).unwrap();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let mut dev = Dev::start(&bench, &["-t", "webrtc"]);
    dev.until("ready: open http://");
    dev.end();
}

#[test]
fn no_line_adds_calls_to_a_bot_with_pictures() {
    bench_with("--transport=p2p_webrtc --video-input").shows(
        "
        $ bot-cli dev -t twilio
        ! error: the bot has no transport `twilio`
        ! hint: it has: bot-cli dev --transport webrtc
        = 2
        ",
    );
}

#[test]
fn the_bot_starts_again_when_its_code_changes() {
    let bench = bench();
    let mut dev = Dev::start(&bench, &[]);
    let first = dev.processes();
    dev.until("ready: ");
    std::fs::write(bench.path("work/server/more.py"), "").unwrap();
    dev.until("dev    | server/more.py has changed: the bot starts again");
    let second = dev.processes();
    dev.until("ready: ");
    assert!(first.iter().all(|process| !is_alive(*process)));
    assert!(second.iter().all(|process| is_alive(*process)));
    assert_eq!(dev.end(), Some(143));
    assert!(second.iter().all(|process| !is_alive(*process)));
}

#[test]
fn a_change_while_the_bot_is_being_stopped_is_in_the_next_one() {
    let bench = bench();
    let path = |name: &str| bench.path("work/server").join(name);
    std::fs::write(path("stubborn"), "").unwrap();
    let mut dev = Dev::start(&bench, &[]);
    dev.until("ready: ");
    std::fs::remove_file(path("stubborn")).unwrap();
    std::fs::write(path("one.py"), "").unwrap();
    dev.until("server/one.py has changed: the bot starts again");
    // The bot ignores that it should end, so it is still there.
    std::fs::write(path("two.py"), "").unwrap();
    dev.until("dev    | $ uv run bot.py");
    dev.until("ready: ");
    std::fs::write(path("zero.py"), "").unwrap();
    let lines = dev.until(" has changed: the bot starts again");
    let expected = "dev    | server/zero.py has changed: the bot starts again";
    assert_eq!(lines.last().unwrap(), expected);
    dev.end();
}

#[test]
fn a_new_folder_counts_and_a_virtual_environment_never_does() {
    let bench = bench();
    let path = |name: &str| bench.path("work/server").join(name);
    let mut dev = Dev::start(&bench, &[]);
    dev.until("ready: ");
    std::fs::create_dir_all(path("environment/lib")).unwrap();
    std::fs::create_dir_all(path("new/deep")).unwrap();
    std::fs::write(path("environment/pyvenv.cfg"), "").unwrap();
    for code in ["", "1"] {
        std::fs::write(path("environment/lib/site.py"), code).unwrap();
        std::fs::write(path("new/deep/tool.py"), code).unwrap();
        let lines = dev.until(" has changed: the bot starts again");
        let expected = "dev    | server/new/deep/tool.py has changed: the bot starts again";
        assert_eq!(lines.last().unwrap(), expected);
        dev.until("ready: ");
    }
    dev.end();
}

#[test]
fn a_bot_that_ended_waits_for_its_code_or_its_keys() {
    let bench = bench();
    keep(&bench, "DEEPGRAM_API_KEY=1\n");
    std::fs::write(bench.path("work/server/refuses"), "").unwrap();
    let mut dev = Dev::start(&bench, &[]);
    dev.until(
        "the bot ended with status 3; it starts again when its code, `.env` or its set changes",
    );
    std::fs::remove_file(bench.path("work/server/refuses")).unwrap();
    keep(&bench, "OPENAI_API_KEY=2\n");
    dev.until("work-secrets has changed: the bot starts again");
    dev.until("| keys DEEPGRAM_API_KEY OPENAI_API_KEY");
    dev.until("ready: ");
    dev.signal(Signal::INT);
    assert_eq!(dev.status(), Some(130));

    std::fs::write(bench.path("work/server/refuses"), "").unwrap();
    let mut dev = Dev::start(&bench, &["--no-reload"]);
    dev.until("dev    | the bot ended with status 3");
    assert_eq!(dev.status(), Some(3));
}

#[test]
fn a_bot_that_does_not_listen_is_ended_too() {
    let bench = bench();
    std::fs::write(bench.path("work/server/stubborn"), "").unwrap();
    for signals in [1, 2] {
        let mut dev = Dev::start(&bench, &[]);
        let processes = dev.processes();
        dev.until("ready: ");
        for _ in 0..signals {
            dev.signal(Signal::INT);
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(dev.status(), Some(130));
        processes.into_iter().for_each(wait_for_end);
    }
}

#[test]
fn whoever_holds_a_port_is_named() {
    let bench = bench();
    let mut first = Dev::start(&bench, &[]);
    let bot = first.processes()[0];
    let port = first.port;
    wait_until("the bot", || {
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let second = bench.run(&["dev", "--port", &port.to_string()]).unwrap();
    let expected = format!(
        "error: port {port} is taken by `uv`, process {bot}\nhint: end it: kill {bot}\n\
         hint: or take another port for the bot: --port\n"
    );
    assert_eq!((second.status, second.stderr), (Some(1), expected));
    first.end();
}

#[test]
fn an_evaluation_gives_its_status_and_shows_the_bot_only_if_it_ends_badly() {
    let bench = bench_with("--transport=p2p_webrtc --eval");
    std::fs::write(bench.path("work/server/outcomes"), OUTCOMES).unwrap();
    for (words, status, shows_bot) in [
        (&["--eval"][..], "0", false),
        (&["--eval"], "1", true),
        (&["--eval", "-v"], "0", true),
    ] {
        std::fs::write(bench.path("work/server/eval-status"), status).unwrap();
        let mut dev = Dev::start(&bench, words);
        let address = format!("ws://127.0.0.1:{}/ws", dev.port);
        let mut lines = dev.until(&format!("eval   | evals at {address}: 82 lines"));
        lines.extend(dev.until("the eval ended with status"));
        let eval: Vec<&str> = lines
            .iter()
            .filter_map(|it| it.strip_prefix("eval   | "))
            .collect();
        assert_eq!(eval[1..], SHOWN);
        let has_bot = lines.iter().any(|line| line.starts_with("bot    | keys"));
        assert_eq!(has_bot, shows_bot, "{lines:#?}");
        assert_eq!(dev.status(), status.parse().ok());
    }
    let port = free_port().unwrap().to_string();
    let ran = bench
        .run(&["dev", "--port", &port, "--eval", "--json"])
        .unwrap();
    assert!(ran.stdout.len() < 1000, "{ran:?}");
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["passed"], 1);
    assert_eq!(document["scenarios"][1]["missing"][0], "response: none");
    assert_eq!(document["not_run"]["a judge: do this"][0], "judged/manners");
}

const OUTCOMES: &str = "\u{1e}{\"name\": \"text/talk\", \"status\": \"passed\", \"turns\": 2}
\u{1e}{\"name\": \"text/tools\", \"status\": \"failed\", \"turns\": 1, \"missing\": [\"response: none\"], \"said\": \"No.\", \"log\": \"a.log\"}
\u{1e}{\"name\": \"judged/manners\", \"status\": \"not_run\", \"needs\": \"a judge: do this\"}
";

const SHOWN: [&str; 7] = [
    "passed text/talk",
    "failed text/tools",
    "  response: none",
    "  the bot said: No.",
    "  log: a.log",
    "not run: judged/manners (needs a judge: do this)",
    "1 passed, 1 failed, 1 not run",
];

#[test]
fn a_bot_that_ends_before_its_evaluation_has_not_passed_it() {
    let bench = bench_with("--transport=p2p_webrtc --eval");
    std::fs::write(bench.path("work/server/refuses"), "").unwrap();
    let mut dev = Dev::start(&bench, &["--eval"]);
    dev.until("bot    | no");
    dev.until("dev    | the bot ended with status 3");
    assert_eq!(dev.status(), Some(3));
}

#[test]
fn an_evaluation_that_is_interrupted_leaves_no_process() {
    let bench = bench_with("--transport=p2p_webrtc --eval");
    std::fs::write(bench.path("work/server/stuck"), "").unwrap();
    let mut dev = Dev::start(&bench, &["-v", "--say", "Hello?", "--say=--really"]);
    let mut processes = dev.processes();
    dev.until("eval   | Hello? --really at ws://");
    processes.extend(dev.processes());
    dev.signal(Signal::INT);
    assert_eq!(dev.status(), Some(130));
    assert!(processes.iter().all(|process| !is_alive(*process)));
}

#[test]
fn scenarios_that_can_not_be_run_say_what_to_do() {
    bench_with("--transport=p2p_webrtc --eval").shows(
        "
        $ bot-cli dev --eval mine.yaml
        ! error: there is no file or folder `mine.yaml` with scenarios
        ! hint: they are in server/evals
        = 2
        $ bot-cli dev --eval .
        ! error: `.` is a project, not a file or folder with scenarios
        ! hint: run its scenarios: bot-cli dev . --eval
        = 2
        $ mkdir empty; bot-cli dev --eval empty
        ! error: there are no scenarios in `empty`
        ! hint: they are in server/evals
        = 2
        ",
    );
}

#[test]
fn events_are_lines_of_json() {
    let bench = bench();
    let mut dev = Dev::start(&bench, &["--json=lines"]);
    let mut seen = Vec::new();
    loop {
        let mut line = String::new();
        dev.stdout.read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        let event = &line["output"]["data"];
        assert!(event["time"].is_number(), "{line}");
        assert!(line["output"]["text"].is_string(), "{line}");
        seen.push(event["event"].as_str().unwrap().to_owned());
        if event["event"] == "ready" {
            let address = format!("http://localhost:{}/client/", dev.port);
            assert_eq!(event["address"], address);
            break;
        }
    }
    seen.dedup();
    assert_eq!(seen, ["started", "not_set", "started", "line", "ready"]);
    dev.end();
}

#[test]
fn a_reader_that_leaves_ends_the_bot() {
    let bench = bench();
    for form in ["--json=lines", "-v"] {
        let port = free_port().unwrap();
        let ran = bench.shell(&format!("bot-cli dev {form} --port {port} | head -n 1"));
        assert_eq!(ran.unwrap().stdout.lines().count(), 1);
    }
}

#[test]
fn what_can_not_be_run_says_what_to_do() {
    bench().shows(
        "
        $ bot-cli dev --eval
        ! error: the bot has no `eval` transport
        ! hint: add it: bot-cli init --update --eval
        = 2
        $ bot-cli dev --say hello
        ! error: the bot has no `eval` transport
        ! hint: add it: bot-cli init --update --eval
        = 2
        $ rm [BENCH]/bin/uv; bot-cli dev
        ! error: `uv` is not installed, or not in `PATH`
        ! hint: it comes from https://docs.astral.sh/uv/getting-started/installation/
        = 2
        ",
    );
}

#[test]
fn at_a_terminal_the_keys_are_asked_for_and_kept() {
    let bench = bench();
    let port = free_port().unwrap().to_string();
    let mut terminal = Terminal::in_shell(&bench, &["bot-cli", "dev", "--port", &port]).unwrap();
    for (key, typed) in [
        ("DEEPGRAM_API_KEY", "one\r"),
        ("OPENAI_API_KEY", "two\r"),
        ("CARTESIA_API_KEY", "\r"),
    ] {
        terminal.wait_for(key).unwrap();
        terminal.press(typed).unwrap();
    }
    terminal.wait_for("Make this change?").unwrap();
    terminal.press("y").unwrap();
    terminal.press("\r").unwrap();
    terminal.wait_for("ready: open").unwrap();
    assert!(
        terminal
            .screen()
            .contains("keys from the set work-secrets: DEEPGRAM_API_KEY, OPENAI_API_KEY")
    );
    terminal.press("\u{3}").unwrap();
    terminal.wait_for("status 130").unwrap();
    let ended = terminal.end().unwrap();
    assert!(ended.screen.contains("tidy"), "{}", ended.screen);
    // `dev` is running: no line says to start it.
    assert!(!ended.screen.contains("next:"), "{}", ended.screen);
}

#[test]
fn a_key_that_was_left_out_is_asked_for_at_the_next_start_and_only_if_it_is_used() {
    let bench = bench_with("--transport=p2p_webrtc --transport=hosted_rtc");
    keep(&bench, "DEEPGRAM_API_KEY=1\nCARTESIA_API_KEY=2\n");
    for answer in ["\r", "\r", "three\r"] {
        let port = free_port().unwrap().to_string();
        let mut terminal =
            Terminal::in_shell(&bench, &["bot-cli", "dev", "--port", &port]).unwrap();
        terminal.wait_for("Value of OPENAI_API_KEY").unwrap();
        terminal.press(answer).unwrap();
        if answer == "three\r" {
            terminal.wait_for("Make this change?").unwrap();
            terminal.press("y\r").unwrap();
        }
        terminal.wait_for("ready: open").unwrap();
        let screen = terminal.screen();
        assert!(!screen.contains("DAILY_API_KEY"), "{screen}");
        let is_missing = screen.contains("not set: OPENAI_API_KEY (");
        assert_eq!(is_missing, answer == "\r", "{screen}");
        terminal.press("\u{3}").unwrap();
        terminal.wait_for("status 130").unwrap();
        terminal.end().unwrap();
    }
}

#[test]
fn every_command_has_the_same_set_without_a_deployment_file() {
    let bench = bench_with("--transport=p2p_webrtc --no-deploy-to-cloud");
    for folder in [".", "server"] {
        let set = "bot-cli cloud secrets set OPENAI_API_KEY=one --skip";
        let template =
            "bot-cli cloud secrets set DEEPGRAM_API_KEY=two --skip --from-template .env.example";
        for line in [set, template] {
            let ran = bench.shell(&format!("cd {folder}; {line}")).unwrap();
            assert_eq!(ran.status, Some(0), "{ran:?}");
            let note = "note: using the set `work-secrets` of this project\n";
            assert!(ran.stderr.starts_with(note), "{ran:?}");
            assert!(ran.stderr.ends_with("next: bot-cli dev\n"), "{ran:?}");
        }
    }
    let other = bench
        .shell("bot-cli cloud secrets set other A=1 --skip")
        .unwrap();
    assert!(
        other
            .stderr
            .contains("next: bot-cli cloud secrets list other"),
        "{other:?}"
    );
    let mut dev = Dev::start(&bench, &[]);
    dev.until("dev    | keys from the set work-secrets: DEEPGRAM_API_KEY, OPENAI_API_KEY");
    dev.end();
}
