//! Changes that must not be made.

use serde_json::{Value, json};

use super::super::{Held, failed, shown_error};
use super::place::work;
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::protocol::secrets::{Code, methods};
use crate::protocol::{Id, codes};

/// The largest value that is sent to see that it is too large.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A set that was made meanwhile is not overwritten, and one that was removed not made again.
pub fn prior(bench: &Bench) -> Held {
    work(bench, |place| {
        let (there, gone) = (place.name(), place.name());
        place.put_new(&there, &json!({ "A": "1" }))?;
        place.refused(
            methods::PUT,
            json!({ "name": there, "entries": { "B": "2" }, "prior": "absent" }),
            Code::Conflict,
            "with the prior `absent` on a set that is there",
        )?;
        place.has_keys(&there, &["A"])?;
        place.refused(
            methods::PUT,
            json!({ "name": gone, "entries": { "B": "2" }, "prior": { "keys": ["A"] } }),
            Code::Conflict,
            "with prior keys on a set that is not there",
        )?;
        match place.get(&gone)? {
            None => Ok(()),
            Some(_) => failed("a refused change has made a set"),
        }
    })
}

/// A name outside the rules is refused.
pub fn names(bench: &Bench) -> Held {
    work(bench, |place| {
        let rules = place.opened.names;
        let mut names = vec!["x".repeat(64), "check/../x".to_owned(), "-check".to_owned()];
        if rules.longest < 63 {
            names.push("x".repeat(rules.longest + 1));
        }
        if !rules.capitals {
            names.push(format!("{}A", place.name()));
        }
        for name in names {
            place.refused(
                methods::PUT,
                json!({ "name": name, "entries": { "A": "1" }, "prior": "absent" }),
                Code::InvalidName,
                "with a name that the rules don't allow",
            )?;
        }
        Ok(())
    })
}

/// A value over the limit is refused.
pub fn limits(bench: &Bench) -> Held {
    work(bench, |place| {
        let Some(limit) = place
            .opened
            .limits
            .value_bytes
            .filter(|limit| *limit < LARGEST)
        else {
            return Err(Stop::NotRun(
                "the backend names no limit of a value below 4 MiB".to_owned(),
            ));
        };
        let length = usize::try_from(limit).unwrap_or(0) + 1;
        let name = place.name();
        place.refused(
            methods::PUT,
            json!({ "name": name, "entries": { "A": "x".repeat(length) }, "prior": "absent" }),
            Code::TooLarge,
            "with a value over the limit",
        )?;
        match place.get(&name)? {
            None => Ok(()),
            Some(_) => failed("a refused change has made a set"),
        }
    })
}

/// Parameters that are missing or wrong are refused, and the backend goes on.
pub fn parameters(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        for (method, params) in [
            (methods::GET, json!({})),
            (methods::PUT, json!({ "name": name, "prior": "absent" })),
            (
                methods::PUT,
                json!({ "name": name, "entries": [], "prior": "absent" }),
            ),
            (methods::UNSET, json!({ "name": name })),
            (methods::DELETE, json!({ "name": 1 })),
        ] {
            match place.request(method, params)? {
                Reply::Result(_) => {
                    return failed(format!("`{method}` without its parameters got a result"));
                }
                Reply::Error(error) if error.code == codes::INVALID_PARAMS => {}
                Reply::Error(error) => {
                    let effect = error.data.as_ref().map(|data| &data["effect"]);
                    let is_read = method == methods::GET;
                    if !is_read && effect != Some(&Value::from("not_done")) {
                        return failed(format!(
                            "`{method}` without its parameters got {}, which is neither -32602 nor has the effect `not_done`",
                            shown_error(&error)
                        ));
                    }
                }
            }
        }
        match place.get(&name)? {
            None => Ok(()),
            Some(_) => failed("a refused change has made a set"),
        }
    })
}

/// A change whose cancel comes at once is replied to, and the reply is true.
pub fn cancelled(bench: &Bench) -> Held {
    work(bench, |place| {
        let name = place.name();
        let mut params = json!({ "name": name, "entries": { "A": "1" }, "prior": "absent" });
        place.add_region(&mut params);
        let id = place.plugin.send_and_cancel(methods::PUT, params);
        let reply = place.plugin.reply(&Id::Number(id))?;
        let is_there = place.get(&name)?.is_some();
        let told = match &reply {
            Reply::Result(_) => "done",
            Reply::Error(error) => {
                let effect = error.data.as_ref().map(|data| &data["effect"]);
                effect.and_then(Value::as_str).unwrap_or("unknown")
            }
        };
        match (told, is_there) {
            ("done", false) => failed("a cancelled change was called done, and is not"),
            ("not_done", true) => failed("a cancelled change was called not done, and is"),
            _ => Ok(()),
        }
    })
}
