//! A plugin that asks the question, or the list of questions, in its JSON argument and prints the answers as JSON.
use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::parent_id;

use serde_json::{Value, json};

/// The manifest, which the host reads from the executable's bytes.
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

/// Asks a question and returns the result or error in the host's reply.
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
