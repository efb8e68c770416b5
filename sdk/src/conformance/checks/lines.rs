//! Lines, and the messages in them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Held, UNKNOWN, failed, shown, shown_error, version};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::{Dialogue, Reply};
use crate::protocol::{Id, Message, codes};

/// The time limit for the longest line. Shells read byte by byte, and only hanging is a fault.
const LONG_LINE: Duration = Duration::from_secs(60);

/// A request gets a reply.
pub fn replied(bench: &Bench) -> Held {
    bench.start()?.request(UNKNOWN, version()).map(drop)
}

/// An unknown method is refused as such.
pub fn unknown_method(bench: &Bench) -> Held {
    for method in [UNKNOWN, "no/such/method"] {
        match bench.start()?.request(method, version())? {
            Reply::Error(error) if error.code == codes::METHOD_NOT_FOUND => {}
            reply @ (Reply::Error(_) | Reply::Result(_)) => {
                return failed(format!(
                    "`{method}` got {} instead of the error -32601",
                    shown(&reply)
                ));
            }
        }
    }
    Ok(())
}

/// An unknown notification is ignored.
pub fn unknown_notification(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let note = json!({ "jsonrpc": "2.0", "method": "no-such-note", "params": { "id": 1 } });
    plugin.write(format!("{note}\n"));
    still_serves(&mut plugin)
}

/// The reply has the id of the request, whatever it is.
pub fn ids(bench: &Bench) -> Held {
    for id in [
        json!(42),
        json!("kit-1"),
        json!(9_007_199_254_740_991_i64),
        json!("two words"),
    ] {
        let mut plugin = bench.start()?;
        let line = plugin.line_as(&id, UNKNOWN, version());
        plugin.write(line);
        let deadline = Instant::now() + bench.patience();
        match plugin.next(deadline)? {
            Some(Message::Error { id: Some(_), .. } | Message::Result { .. })
                if plugin.open().is_empty() => {}
            Some(_) => return failed(format!("the reply to the request {id} has another id")),
            None => return failed(format!("no reply to the request {id}")),
        }
    }
    Ok(())
}

/// Any JSON can be read, not only what hosts write.
pub fn any_json(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let expected = plugin.line(UNKNOWN, Value::Null);
    drop(expected);
    plugin.write(format!(
        "{{ \"params\" : {{ \"note\":\"\\\"id\\\":7\", \"protocol\" : \"1.0\" }} ,\t\"method\": \"{UNKNOWN}\" , \"id\" : 1, \"jsonrpc\":\"2.0\" }}\n"
    ));
    plugin.reply(&Id::Number(1)).map(drop)
}

/// CR may stand in front of LF.
pub fn carriage_return(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let line = plugin.line(UNKNOWN, version());
    plugin.write(line.replace('\n', "\r\n"));
    plugin.reply(&Id::Number(1)).map(drop)
}

/// Blank lines are skipped.
pub fn blank_line(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    plugin.write("\n\r\n  \n");
    still_serves(&mut plugin)
}

/// A line that is not JSON is answered, and the next one served.
pub fn junk(bench: &Bench) -> Held {
    unreadable(bench, b"nonsense\n", codes::PARSE_ERROR, "not JSON")
}

/// A line that is not UTF-8 is answered, and the next one served.
pub fn invalid_utf8(bench: &Bench) -> Held {
    let line = b"\xff\xfe\n";
    unreadable(bench, line, codes::PARSE_ERROR, "not UTF-8")
}

/// JSON that is no message is answered, and the next line served.
pub fn non_message(bench: &Bench) -> Held {
    for line in [&b"42\n"[..], b"[]\n", b"{\"some\":\"thing\"}\n"] {
        unreadable(bench, line, codes::INVALID_REQUEST, "no message")?;
    }
    Ok(())
}

/// The longest line is read.
pub fn long_line(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let mut line = plugin.line(UNKNOWN, json!({ "protocol": "1.0", "filler": "" }));
    let missing = bench.longest_line() + 1 - line.len();
    let at = line.len() - "\"}}\n".len();
    line.insert_str(at, &"x".repeat(missing));
    plugin.write(line);
    plugin.reply_within(&Id::Number(1), LONG_LINE).map(drop)
}

/// Requests that arrive together are served in their order.
pub fn in_order(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let lines: Vec<String> = (0..3).map(|_| plugin.line(UNKNOWN, version())).collect();
    plugin.write(lines.concat());
    let deadline = Instant::now() + bench.patience();
    for expected in 1..=3 {
        let replied = loop {
            match plugin.next(deadline)? {
                Some(Message::Error { id: Some(id), .. } | Message::Result { id, .. }) => break id,
                Some(_) => {}
                None => return failed(format!("no reply to request {expected} of 3 in one write")),
            }
        };
        if replied != Id::Number(expected) {
            return failed(format!("it replied to {replied} before {expected}"));
        }
    }
    Ok(())
}

/// A cancel that concerns no open request is ignored.
pub fn unknown_cancel(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 99, "reason": "user" } });
    plugin.write(format!("{cancel}\n"));
    still_serves(&mut plugin)?;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "cancel", "params": { "id": 1, "reason": "later" } });
    plugin.write(format!("{cancel}\n"));
    still_serves(&mut plugin)
}

fn still_serves(plugin: &mut Dialogue) -> Held {
    plugin.request(UNKNOWN, version()).map(drop)
}

fn unreadable(bench: &Bench, line: &[u8], code: i64, what: &str) -> Held {
    let mut plugin = bench.start()?;
    plugin.write_unreadable(line);
    let next = plugin.request(UNKNOWN, version());
    match plugin.refused() {
        [error] if error.code == code => next.map(drop),
        [error] => failed(format!(
            "a line that is {what} got {} instead of {code}",
            shown_error(error)
        )),
        [] => match next {
            Err(Stop::Failed(reason)) => failed(format!("after a line that is {what}: {reason}")),
            Err(stop) => Err(stop),
            Ok(_) => failed(format!(
                "no reply with the id `null` to a line that is {what}"
            )),
        },
        more => failed(format!("{} replies to one line that is {what}", more.len())),
    }
}
