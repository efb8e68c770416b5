//! A plugin that keeps the protocol, but for the fault that a file beside it names.
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Stdin, Write};
use std::process::{Command, Stdio, exit};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use bot_cli_sdk::process::{Listened, listen_to_stop_signals};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"sample","version":"1.0.0","about":"Have one fault","command":{"name":"sample","about":"Have one fault","#,
    r#""arguments":[{"name":"who","kind":"positional","completion":"dynamic"},{"name":"pet","long":"pet","completion":"dynamic"},{"name":"json","kind":"flag","long":"json"}]}}"#,
    "\n"
);

fn main() {
    std::hint::black_box(MANIFEST);
    let beside = std::env::current_exe().map(|file| file.with_extension("fault"));
    let fault = beside.and_then(std::fs::read_to_string).unwrap_or_default();
    if std::env::args_os().len() > 1 && fault != "never-a-command" {
        drop(writeln!(io::stdout(), "Usage: bot-cli sample"));
        return;
    }
    let sample = Sample {
        input: BufReader::new(io::stdin()),
        waiting: VecDeque::new(),
        open: Arc::default(),
        count: 0,
        fault,
    };
    sample.serve();
}

struct Sample {
    fault: String,
    input: BufReader<Stdin>,
    waiting: VecDeque<Value>,
    /// The id of the run that waits for an answer.
    open: Arc<Mutex<Option<Value>>>,
    count: i64,
}

impl Sample {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    fn serve(mut self) {
        let (open, fault) = (Arc::clone(&self.open), self.fault.clone());
        let listening = listen_to_stop_signals(Listened::All, move |signal| {
            let asking = open.lock().unwrap_or_else(PoisonError::into_inner).take();
            if fault == "deaf-to-signals" {
                return;
            }
            if let Some(id) = asking.filter(|_| fault != "silent-at-signal") {
                say(&json!({"jsonrpc":"2.0","id":id,"error":{"code":130,"message":"cancelled"}}));
            }
            exit(signal.status().into());
        });
        drop(listening);
        if self.has("prints") {
            print("Loading ...");
        }
        while let Some(message) = self.next() {
            self.take(&message);
        }
        exit(if self.has("fails-at-end") { 3 } else { 0 });
    }

    fn take(&mut self, message: &Value) {
        let Some(method) = message["method"].as_str() else {
            return;
        };
        let id = message["id"].clone();
        if id.is_null() {
            if method == "cancel" {
                match self.fault.as_str() {
                    "dies-of-cancel" => exit(1),
                    "answers-cancel" => {
                        fail(&message["params"]["id"], 130, "cancelled", &json!({}));
                    }
                    _ => {}
                }
            } else if self.has("answers-notes") {
                fail(&Value::Null, -32601, "no such method", &json!({}));
            }
            return;
        }
        if self.has("mute") {
            return;
        }
        if self.has("last-first")
            && self.buffered()
            && let Some(next) = self.next()
        {
            self.take(&next);
        }
        self.count += 1;
        let id = if self.has("counts") {
            json!(self.count)
        } else {
            id
        };
        if self.has("abandons") || (self.has("abandons-runs") && method == "run") {
            self.exit_at_end();
        }
        self.reply(&id, method, &message["params"]);
    }

    fn reply(&mut self, id: &Value, method: &str, params: &Value) {
        match method {
            "describe" => {
                let text = MANIFEST.trim_start_matches("bot-cli-plugin: ");
                let mut manifest: Value = serde_json::from_str(text).unwrap_or_default();
                if self.has("describes-another") {
                    manifest["version"] = json!("2.0.0");
                }
                result(id, &manifest);
            }
            "complete" => self.complete(id, params),
            "run" => self.run(id, params),
            _ if self.has("serves-everything") => result(id, &json!({})),
            _ => fail(id, -32601, "no such method", &json!({})),
        }
    }

    fn complete(&mut self, id: &Value, params: &Value) {
        if self.has("logs-at-completion") {
            note(
                "log",
                &json!({"id":id,"level":"debug","message":"completing"}),
            );
        }
        let word = params["argv"]
            .as_array()
            .and_then(|words| words.last()?.as_str())
            .unwrap_or_default();
        let prefix = word.find('=').map_or("", |end| &word[..=end]);
        let prefix = if self.has("completes-no-equals") {
            ""
        } else {
            prefix
        };
        let candidates: Vec<Value> = ["cat", "dog"]
            .iter()
            .map(|pet| format!("{prefix}{pet}"))
            .filter(|value| value.starts_with(word) || self.has("completes-everything"))
            .map(|value| json!({ "value": value }))
            .collect();
        result(id, &json!({ "candidates": candidates }));
    }

    fn run(&mut self, id: &Value, params: &Value) {
        let version = params["protocol"].as_str();
        let words: Vec<&str> = params["argv"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        match version {
            None if self.has("needs-protocol") => {
                return fail(id, -32602, "no protocol", &json!({}));
            }
            Some("1.0") | None => {}
            Some(later) if later.starts_with("1.") && !self.has("knows-one-minor") => {}
            Some(_) if self.has("serves-every-major") => {}
            Some(_) => {
                return fail(
                    id,
                    -32022,
                    "another protocol",
                    &json!({ "supported": ["1.0"] }),
                );
            }
        }
        if self.has("strict") && params.get("later").is_some() {
            return fail(id, -32602, "unknown member", &json!({}));
        }
        match words.first().copied() {
            Some("--help") if self.has("no-help") => fail(id, 2, "no such option", &json!({})),
            Some("--help") => result(id, &json!({"text":"help\n","data":{"help":"help\n"}})),
            Some("--version") if self.has("no-version-data") => {
                result(id, &json!({"text":"1.0.0\n"}));
            }
            Some("--version") => {
                result(
                    id,
                    &json!({"text":"1.0.0\n","data":{"name":"sample","version":"1.0.0"}}),
                );
            }
            _ if words.contains(&"--json") && self.has("no-json") => {
                fail(id, 2, "no such option", &json!({}));
            }
            _ if words.contains(&"ask") => self.ask_all(id, params),
            _ => self.work(id),
        }
    }

    fn work(&self, id: &Value) {
        match self.fault.as_str() {
            "output-unoffered" => note("output", &json!({"id":id,"text":"early\n"})),
            "log-without-id" => note("log", &json!({"level":"info","message":"working"})),
            "leaves-child" => {
                let child = Command::new("sleep")
                    .arg("60")
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn();
                drop(child);
            }
            "prints-bytes" => drop(io::stdout().write_all(b"\xff\xfe\n")),
            "works-on" if is_lost() => thread::sleep(Duration::from_secs(60)),
            _ => {}
        }
        self.done(id);
    }

    fn done(&self, id: &Value) {
        let reply = match self.fault.as_str() {
            "wrong-result" => json!({"text":7,"data":"done"}),
            "no-data" => json!({"text":"done\n"}),
            _ => json!({"text":"done\n","data":"done"}),
        };
        result(id, &reply);
        if self.has("replies-twice") {
            result(id, &reply);
        }
    }

    fn ask_all(&mut self, id: &Value, params: &Value) {
        let pets = json!([{"value":"cat","label":"Cat"},{"value":"dog","label":"Dog"}]);
        let pets = if self.has("no-choices") {
            json!([])
        } else {
            pets
        };
        let questions = [
            json!({"key":"name","kind":"text","message":"Name","default":"ada"}),
            json!({"key":"pet","kind":"select","message":"Pet","default":"cat","choices":pets}),
            json!({"key":"token","kind":"password","message":"Token"}),
        ];
        if params["capabilities"].get("ask").is_none() {
            let inputs = if self.has("no-inputs") {
                json!([])
            } else {
                json!([questions[2]])
            };
            let data = json!({"code":"input_required","inputs":inputs});
            return fail(id, 2, "`token` is missing", &data);
        }
        if self.has("interleaves")
            && self.buffered()
            && let Some(next) = self.next()
        {
            say(&json!({"jsonrpc":"2.0","id":"early","method":"ask","params":questions[0]}));
            self.take(&next);
        }
        for question in &questions {
            *self.open.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
            say(&json!({"jsonrpc":"2.0","id":question["key"],"method":"ask","params":question}));
            let answer = self.answer(&question["key"]);
            *self.open.lock().unwrap_or_else(PoisonError::into_inner) = None;
            let Some(answer) = answer else {
                if self.has("silent-at-end") {
                    exit(0);
                }
                return fail(id, 130, "cancelled", &json!({}));
            };
            match answer["action"].as_str() {
                Some("accept") => {}
                Some("cancel") if self.has("ignores-cancelled-question") => {}
                Some("shrug") if self.has("accepts-unknown-action") => {}
                _ => return fail(id, 130, "cancelled", &json!({})),
            }
            if self.has("tells-password") && question["kind"] == "password" {
                drop(writeln!(io::stderr(), "got {}", answer["value"]));
            }
        }
        self.done(id);
    }

    /// The answer to a question; `None` at the end of the input.
    fn answer(&mut self, key: &Value) -> Option<Value> {
        loop {
            let message = self.read()?;
            if message.get("method").is_some() && !message["id"].is_null() {
                self.waiting.push_back(message);
            } else if message["id"] == *key {
                return Some(message["result"].clone());
            }
        }
    }

    fn next(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(|| self.read())
    }

    /// The next message.
    fn read(&mut self) -> Option<Value> {
        loop {
            let mut line = Vec::new();
            if self.input.read_until(b'\n', &mut line).ok()? == 0 {
                return None;
            }
            if line.trim_ascii().is_empty() {
                if self.has("answers-blank") {
                    fail(&Value::Null, -32700, "not JSON", &json!({}));
                }
                continue;
            }
            if self.has("short-lines") && line.len() > 1 << 20 {
                exit(1);
            }
            let strange = (self.has("no-carriage-return") && line.ends_with(b"\r\n"))
                || (self.has("matches-text") && !line.starts_with(b"{\"jsonrpc\":\"2.0\","));
            let Ok(text) = std::str::from_utf8(&line) else {
                if self.has("dies-of-bytes") {
                    exit(1);
                }
                fail(&Value::Null, -32700, "not UTF-8", &json!({}));
                continue;
            };
            match serde_json::from_str::<Value>(text)
                .ok()
                .filter(|_| !strange)
            {
                None if self.has("skips-junk") => {}
                None => fail(&Value::Null, -32700, "not JSON", &json!({})),
                Some(message) if message["jsonrpc"] == "2.0" => return Some(message),
                Some(_) if self.has("skips-others") => {}
                Some(_) => fail(&Value::Null, -32600, "no message", &json!({})),
            }
        }
    }

    /// Whether more was read than the last line.
    fn buffered(&self) -> bool {
        self.input.buffer().contains(&b'\n')
    }

    fn exit_at_end(&mut self) {
        let wait = Timespec {
            tv_sec: 0,
            tv_nsec: 50_000_000,
        };
        let stdin = io::stdin();
        let mut watched = [PollFd::new(&stdin, PollFlags::IN)];
        let ready = poll(&mut watched, Some(&wait)).is_ok_and(|count| count > 0);
        if !self.buffered() && ready && self.input.fill_buf().is_ok_and(<[u8]>::is_empty) {
            exit(0);
        }
    }
}

/// Whether the reader of standard output has gone.
fn is_lost() -> bool {
    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut watched, Some(&now)).is_ok_and(|count| count > 0)
}

fn result(id: &Value, result: &Value) {
    say(&json!({"jsonrpc":"2.0","id":id,"result":result}));
}

fn fail(id: &Value, code: i64, message: &str, data: &Value) {
    say(&json!({"jsonrpc":"2.0","id":id,"error":{"code":code,"message":message,"data":data}}));
}

fn note(method: &str, params: &Value) {
    say(&json!({"jsonrpc":"2.0","method":method,"params":params}));
}

fn say(message: &Value) {
    print(&message.to_string());
}

fn print(line: &str) {
    let mut stdout = io::stdout().lock();
    let sent = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
    if sent.is_err() {
        // The host has gone.
        exit(1);
    }
}
