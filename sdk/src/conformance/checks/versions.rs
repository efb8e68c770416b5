//! Versions, what later ones may add, and the full manifest.

use serde_json::{Value, json};

use super::{Held, failed, shown, version};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::protocol::{Manifest, codes, methods, shape};

/// The members that must be the same in the file and in the answer to `describe`.
const DESCRIBED: [&str; 13] = [
    "protocol",
    "name",
    "version",
    "about",
    "role",
    "requires",
    "uses",
    "catalogue",
    "framework",
    "secrets",
    "settings",
    "command",
    "providers",
];

/// `describe` answers what stands in the file.
pub fn describe(bench: &Bench) -> Held {
    let declared = bench.declared()?;
    let described = match bench.start()?.request(methods::DESCRIBE, version())? {
        Reply::Error(error) if error.code == codes::METHOD_NOT_FOUND => return Ok(()),
        Reply::Error(error) => {
            return failed(format!("`describe` got {}", super::shown_error(&error)));
        }
        Reply::Result(result) => shape::read::<Manifest>("result", result),
    };
    let mut described = match described {
        Ok(described) => described,
        Err(problem) => return failed(format!("`describe` answers no manifest: {problem}")),
    };
    if declared.command.is_none() {
        described.command = None;
    }
    let (here, there) = (json!(declared), json!(described));
    let differing = DESCRIBED
        .into_iter()
        .find(|field| here.get(field) != there.get(field));
    match differing {
        None => Ok(()),
        Some(field) => failed(format!("`{field}` differs between `describe` and the file")),
    }
}

/// Checks that additions of a later version are ignored.
pub fn unknown_members(bench: &Bench) -> Held {
    let plain = help(bench, |_| {})?;
    let later = help(bench, |request| {
        request["later"] = json!({ "x": [1] });
        let params = &mut request["params"];
        params["later"] = json!(true);
        params["capabilities"]["clipboard"] = json!({});
        params["context"]["later"] = json!([1]);
        params["context"]["color"] = json!("sometimes");
        params["context"]["format"] = json!("yaml");
    })?;
    match (&plain, &later) {
        (Reply::Result(_), Reply::Result(_)) => Ok(()),
        (Reply::Error(one), Reply::Error(other)) if one.code == other.code => Ok(()),
        _ => failed(format!(
            "`run` got {}, with unknown members {}",
            shown(&plain),
            shown(&later)
        )),
    }
}

/// A request that somebody types may leave the version out.
pub fn missing(bench: &Bench) -> Held {
    served(bench, "without `protocol`", |params| {
        params
            .as_object_mut()
            .map(|members| members.remove("protocol"));
    })
}

/// Every minor version is served.
pub fn later_minor(bench: &Bench) -> Held {
    served(bench, "with protocol 1.7", |params| {
        params["protocol"] = json!("1.7");
    })
}

/// Another major version is refused, with those that are served.
pub fn later_major(bench: &Bench) -> Held {
    let reply = help(bench, |request| {
        request["params"]["protocol"] = json!("2.0");
    })?;
    let Reply::Error(error) = &reply else {
        return failed("a request with protocol 2.0 got a result");
    };
    if error.code != codes::UNSUPPORTED_PROTOCOL {
        return failed(format!("a request with protocol 2.0 got {}", shown(&reply)));
    }
    let data = error.data.as_ref();
    let supported = data.and_then(|data| data["supported"].as_array());
    let versions = supported
        .is_some_and(|versions| !versions.is_empty() && versions.iter().all(Value::is_string));
    if versions {
        return Ok(());
    }
    failed("`data.supported` does not list the versions that can be served")
}

fn served(bench: &Bench, how: &str, change: fn(&mut Value)) -> Held {
    match help(bench, |request| change(&mut request["params"]))? {
        Reply::Error(error)
            if [codes::UNSUPPORTED_PROTOCOL, codes::INVALID_PARAMS].contains(&error.code) =>
        {
            failed(format!(
                "a request {how} got {}",
                super::shown_error(&error)
            ))
        }
        Reply::Error(_) | Reply::Result(_) => Ok(()),
    }
}

/// The reply to a `run` of `--help` that was changed.
fn help(bench: &Bench, change: impl FnOnce(&mut Value)) -> Result<Reply, Stop> {
    let mut plugin = bench.start()?;
    let params = plugin.run_params(&["--help"]);
    let line = plugin.line(methods::RUN, params);
    let mut request: Value = serde_json::from_str(&line).unwrap_or_default();
    change(&mut request);
    plugin.write(format!("{request}\n"));
    plugin.reply(&crate::protocol::Id::Number(1))
}
