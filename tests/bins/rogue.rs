//! A plugin that breaks the protocol in the way its first word says.
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, abort};

use serde_json::{Value, json};

/// Found by the host in this executable's bytes.
const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"rogue","version":"0.0.1","about":"Break the protocol"}"#,
    "\n"
);

/// Survives everything but KILL; the shell says who it is first.
const STUBBORN: &str = r#"trap '' TERM INT
printf '{"jsonrpc":"2.0","method":"output","params":{"id":1,"text":"%s\\n"}}\n' $$
while :; do sleep 1; done"#;

fn main() -> io::Result<ExitCode> {
    std::hint::black_box(MANIFEST);
    let mut request = String::new();
    io::stdin().lock().read_line(&mut request)?;
    let request: Value = serde_json::from_str(&request)?;
    let mode = request["params"]["argv"][0].as_str().unwrap_or_default();
    match mode {
        "silent" => {
            say(&note(&std::process::id().to_string()))?;
            // Nothing but the end of its input, or a signal, brings this to an end.
            io::copy(&mut io::stdin().lock(), &mut io::sink())?;
        }
        "crash" => abort(),
        "last-words" => {
            writeln!(io::stderr(), "cannot open the model")?;
            return Ok(ExitCode::from(3));
        }
        "banner" => {
            say("Loading model ...")?;
            say("{\"level\":\"info\"}")?;
            say("")?;
            say(&reply(1))?;
        }
        "stray" => say("Hello \u{1b}[31m\"world\"")?,
        "wrong-id" => say(&reply(99))?,
        "double" => {
            say(&reply(1))?;
            say(&reply(1))?;
        }
        "long-line" => say(&"x".repeat(9 * 1024 * 1024))?,
        "not-utf8" => io::stdout().write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\"}\n")?,
        "stubborn" => return Err(Command::new("/bin/sh").args(["-c", STUBBORN]).exec()),
        "grandchild" => {
            let child = Command::new("/bin/sleep").arg("1000").spawn()?;
            say(&note(&child.id().to_string()))?;
            say(&reply(1))?;
        }
        "flood" => {
            let mut stderr = io::stderr().lock();
            for line in 0..20_000 {
                writeln!(stderr, "line {line} of many that nobody asked for")?;
            }
            say(&reply(1))?;
        }
        "version" => say(
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"protocol 1.0 is not supported","data":{"supported":["2.0","2.1"]}}}"#,
        )?,
        "escapes" => say(
            &json!({"jsonrpc":"2.0","id":1,"result":{"text":"\u{1b}[2Ja\u{1b}]0;title\u{7}b\u{1b}[31mc\r\n","exit":0}})
                .to_string(),
        )?,
        "status" => say(r#"{"jsonrpc":"2.0","id":1,"result":{"text":"partly\n","data":{"done":1},"exit":1}}"#)?,
        "unknown-method" => {
            say(r#"{"jsonrpc":"2.0","id":"w","method":"weather/tomorrow","params":{}}"#)?;
            let mut answer = String::new();
            io::stdin().lock().read_line(&mut answer)?;
            let answer: Value = serde_json::from_str(&answer)?;
            let text = format!("{}\n", answer["error"]["code"]);
            say(&json!({"jsonrpc":"2.0","id":1,"result":{"text":text}}).to_string())?;
        }
        "echo" => say(&json!({"jsonrpc":"2.0","id":1,"result":{"data":request["params"]}}).to_string())?,
        // "no-reply": nothing at all.
        _ => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

fn reply(id: i64) -> String {
    json!({"jsonrpc":"2.0","id":id,"result":{"text":"done\n","exit":0}}).to_string()
}

fn note(text: &str) -> String {
    json!({"jsonrpc":"2.0","method":"output","params":{"id":1,"text":format!("{text}\n")}})
        .to_string()
}
