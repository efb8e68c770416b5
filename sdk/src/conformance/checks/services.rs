//! A pack that is asked for its services.

use serde_json::{Value, json};

use super::{Held, failed, shown};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::pack::SCHEMA;
use crate::protocol::codes;

/// The request for what a pack brings.
const SERVICES: &str = "pack/services";

/// The request is answered.
pub fn replied(bench: &Bench) -> Held {
    let providers = providers(bench, "`pack/services`", params())?;
    bench.set_services(providers);
    Ok(())
}

/// Checks that additions of a later version are ignored.
pub fn later_minor(bench: &Bench) -> Held {
    let mut params = params();
    params["protocol"] = json!("1.7");
    params["catalogue"] = json!("1.7");
    params["later"] = json!({ "x": [1] });
    let what = "`pack/services` with protocol and catalogue 1.7 and an unknown member";
    providers(bench, what, params).map(drop)
}

/// Another major version is refused, with those that are served.
pub fn later_major(bench: &Bench) -> Held {
    let mut params = params();
    params["protocol"] = json!("2.0");
    let reply = bench.start()?.request(SERVICES, params)?;
    match &reply {
        Reply::Error(error) if error.code == codes::UNSUPPORTED_PROTOCOL => {
            let data = error.data.as_ref();
            let supported = data.and_then(|data| data["supported"].as_array());
            if supported.is_some_and(|versions| versions.iter().any(Value::is_string)) {
                return Ok(());
            }
            failed("`data.supported` does not list the versions that can be served")
        }
        Reply::Error(_) | Reply::Result(_) => {
            failed(format!("a request with protocol 2.0 got {}", shown(&reply)))
        }
    }
}

/// Another process says the same.
pub fn alike(bench: &Bench) -> Held {
    let again = providers(bench, "`pack/services`", params())?;
    if Some(again) == bench.services() {
        return Ok(());
    }
    failed("a second process replied with other services")
}

fn params() -> Value {
    json!({ "protocol": "1.0", "catalogue": SCHEMA })
}

fn providers(bench: &Bench, what: &str, params: Value) -> Result<Value, Stop> {
    match bench.start()?.request(SERVICES, params)? {
        Reply::Result(mut result) if result["providers"].is_array() => {
            Ok(result["providers"].take())
        }
        Reply::Result(_) => failed(format!("the result of {what} has no list `providers`")),
        reply @ Reply::Error(_) => failed(format!("{what} got {}", shown(&reply))),
    }
}
