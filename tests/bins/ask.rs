//! A plugin that asks what its argument says, a question or several, and shows the answers as they came.
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::parent_id;

use serde_json::{Value, json};

/// Found by the host in this executable's bytes.
const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"ask","about":"Ask"}"#,
    "\n"
);

fn main() -> io::Result<()> {
    std::hint::black_box(MANIFEST);
    let run = read()?;
    let argument = run["params"]["argv"][0].as_str().unwrap_or_default();
    let given: Value = serde_json::from_str(argument)?;
    let questions = given
        .as_array()
        .map_or(std::slice::from_ref(&given), Vec::as_slice);
    let mut reply = json!({"jsonrpc": "2.0", "id": run["id"]});
    let mut answers: Vec<String> = Vec::new();
    while let Some(given) = questions.get(answers.len()) {
        let answer = ask(given)?;
        match answer["action"].as_str() {
            Some("cancel") => {
                reply["error"] = json!({"code": 130, "message": "cancelled"});
                return write(&reply);
            }
            Some("back") if !answers.is_empty() => drop(answers.pop()),
            _ => answers.push(format!("{answer}\n")),
        }
    }
    reply["result"] = json!({"text": answers.concat()});
    write(&reply)
}

/// The answer, or the error.
fn ask(given: &Value) -> io::Result<Value> {
    let mut question = json!({"key": "it", "message": format!("What {}", parent_id())});
    if let (Some(question), Some(given)) = (question.as_object_mut(), given.as_object()) {
        question.extend(given.clone());
    }
    write(&json!({"jsonrpc": "2.0", "id": "q", "method": "ask", "params": question}))?;
    let reply = read()?;
    Ok(reply
        .get("result")
        .or(reply.get("error"))
        .cloned()
        .unwrap_or_default())
}

fn read() -> io::Result<Value> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

fn write(message: &Value) -> io::Result<()> {
    writeln!(io::stdout(), "{message}")
}
