//! A plugin that asks what its argument says and shows the answer as it came.
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
    let mut question = json!({"key": "it", "message": format!("What {}", parent_id())});
    if let (Some(question), Value::Object(given)) =
        (question.as_object_mut(), serde_json::from_str(argument)?)
    {
        question.extend(given);
    }
    write(&json!({"jsonrpc": "2.0", "id": "q", "method": "ask", "params": question}))?;
    let answer = &read()?["result"];
    let mut reply = json!({"jsonrpc": "2.0", "id": run["id"]});
    if answer["action"] == "cancel" {
        reply["error"] = json!({"code": 130, "message": "cancelled"});
    } else {
        reply["result"] = json!({"text": format!("{answer}\n")});
    }
    write(&reply)
}

fn read() -> io::Result<Value> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(serde_json::from_str(&line)?)
}

fn write(message: &Value) -> io::Result<()> {
    writeln!(io::stdout(), "{message}")
}
