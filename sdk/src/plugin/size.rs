//! Replies that are larger than a line may be.

use serde_json::{Value, json};

use super::output::Output;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::{ErrorObject, Id, MAX_LINE, Message, OutputParams, RunResult, methods};
use bot_cli_terminal::ui::Capabilities;

/// The bytes of a line beside the result: the envelope, with an id that is not too long.
const ENVELOPE: usize = 4096;

/// The most text of one `output`.
const PIECE: usize = 512 * 1024;

/// The result of a run in a form that fits into a line: without the half that the host does not show and, where it takes `output`, with
/// the text before it. `program` is the plugin's file.
pub fn fitting(
    result: RunResult,
    format: Format,
    id: &Id,
    offered: &Capabilities,
    output: &Output,
    program: &str,
) -> Result<Value, ErrorObject> {
    let mut result = value_of(result);
    if fits(&result) {
        return Ok(result);
    }
    match format {
        Format::Json => result["text"] = "".into(),
        Format::Text => result["data"] = Value::Null,
    }
    if fits(&result) {
        return Ok(result);
    }
    if format == Format::Text
        && offered.output
        && let Value::String(text) = std::mem::replace(&mut result["text"], "".into())
    {
        for text in pieces(&text) {
            let id = id.clone();
            let text = text.to_owned();
            output.send(&Message::Notification {
                method: methods::OUTPUT.to_owned(),
                params: json!(OutputParams { id, text }),
            });
        }
        return Ok(result);
    }
    let hint = format!("`{program}` has no such limit when it is run without bot-cli");
    Err(too_large().hint(hint).into())
}

/// The same result. The document may be large: it is moved, not copied.
fn value_of(mut result: RunResult) -> Value {
    let data = result.data.take();
    let mut value = json!(result);
    value["data"] = data;
    value
}

/// The failure that takes the place of a reply that does not fit into a line.
pub fn too_large() -> Failure {
    let message = format!(
        "the result is larger than the {} MiB that fit into a line of the protocol",
        MAX_LINE / (1024 * 1024)
    );
    Failure::new(Exit::Failed, "result_too_large", message)
}

fn fits(result: &Value) -> bool {
    serde_json::to_vec(result).is_ok_and(|json| json.len() <= MAX_LINE - ENVELOPE)
}

/// The text in pieces of whole characters that each fit into a line.
pub fn pieces(mut text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while !text.is_empty() {
        let mut end = PIECE.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};

    use super::{Capabilities, Format, Id, MAX_LINE, Output, RunResult, fitting};

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The result in its form on the wire, and the text that went before it.
    fn sent(
        result: RunResult,
        format: Format,
        offered: &Capabilities,
    ) -> (Result<Value, String>, String) {
        let written = Written::default();
        let output = Output::new(Box::new(written.clone()));
        let sent = fitting(
            result,
            format,
            &Id::Number(1),
            offered,
            &output,
            "bot-cli-x",
        );
        let lines = written.0.lock().unwrap().clone();
        let texts = lines
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let texts = texts.map(|line| {
            assert!(line.len() <= MAX_LINE);
            let line: Value = serde_json::from_slice(line).unwrap();
            line["params"]["text"].as_str().unwrap().to_owned()
        });
        (sent.map_err(|error| error.message), texts.collect())
    }

    #[test]
    fn what_the_host_shows_reaches_it_whatever_its_size() {
        let long = "é".repeat(MAX_LINE / 2 + 1);
        let result = |text: &str, data: Value| RunResult {
            text: text.to_owned(),
            data,
            exit: 3,
            next: vec!["next".to_owned()],
        };
        let all = Capabilities::all();
        let (small, early) = sent(result("a", json!("b")), Format::Text, &all);
        assert_eq!(small.unwrap()["data"], "b");
        assert_eq!(early, "");
        let (text, early) = sent(result("a", json!(long)), Format::Text, &all);
        let text = text.unwrap();
        assert_eq!(
            (&text["text"], &text["data"], &text["exit"]),
            (&json!("a"), &json!(null), &json!(3))
        );
        assert_eq!(early, "");
        let (data, early) = sent(result(&long, json!("b")), Format::Json, &all);
        let data = data.unwrap();
        assert_eq!((&data["data"], early.as_str()), (&json!("b"), ""));
        let (parts, early) = sent(result(&long, json!("b")), Format::Text, &all);
        assert_eq!(parts.unwrap()["next"], json!(["next"]));
        assert!(early == long);
        for (format, offered) in [(Format::Json, all), (Format::Text, Capabilities::default())] {
            let (refused, early) = sent(result(&long, json!(long)), format, &offered);
            let refused = refused.unwrap_err();
            assert!(
                refused.starts_with("the result is larger than the 8 MiB"),
                "{refused}"
            );
            assert_eq!(early, "");
        }
    }
}
