//! Secrets backends: what they declare, and what they answer where they do no work.

pub mod place;
pub mod refusing;
pub mod sets;
pub mod unseen;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Held, failed, shown};
use crate::backend::{TAKEN_NAMES, names_a_credential};
use crate::compat;
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::Reply;
use crate::protocol::codes;
use crate::protocol::secrets::{self, PREFIX, methods};
pub use place::wrong as wrong_place;

/// The longest name of a setting.
const LONGEST_SETTING: usize = 64;

/// The name can be chosen with `--backend`.
pub fn name(bench: &Bench) -> Held {
    let name = &bench.declared()?.name;
    match name.strip_prefix(PREFIX) {
        None | Some("") => failed(format!(
            "its `name` is `{name}`, which does not begin with `{PREFIX}`"
        )),
        Some(own) if TAKEN_NAMES.contains(&own) => failed(format!(
            "`{own}` is the name of a backend that the client has itself"
        )),
        Some(_) => Ok(()),
    }
}

/// The manifest names the version of the methods.
pub fn schema(bench: &Bench) -> Held {
    match &bench.declared()?.secrets {
        None => failed("the manifest has no `secrets`"),
        Some(version) if secrets::serves(version) => Ok(()),
        Some(version) => failed(format!("its `secrets` is `{version}`")),
    }
}

/// Versions can be compared.
pub fn versions(bench: &Bench) -> Held {
    let manifest = bench.declared()?;
    if semver::Version::parse(&manifest.version).is_err() {
        return failed(format!(
            "its `version` is `{}`, which is not MAJOR.MINOR.PATCH",
            manifest.version
        ));
    }
    for (executable, range) in &manifest.requires {
        if let Err(problem) = compat::range(range) {
            return failed(format!("`requires` of `{executable}`: {problem}"));
        }
    }
    Ok(())
}

/// Settings can be set.
pub fn settings(bench: &Bench) -> Held {
    let mut names = HashSet::new();
    for setting in &bench.declared()?.settings {
        let name = &setting.name;
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        if name.is_empty() || name.len() > LONGEST_SETTING || !name.bytes().all(is_allowed) {
            return failed(format!("`{name}` can't be the name of a setting"));
        }
        if ["organization", "region"].contains(&name.as_str()) {
            return failed(format!("the setting `{name}` has a name that is taken"));
        }
        if !names.insert(name) {
            return failed(format!("the setting `{name}` is there twice"));
        }
    }
    Ok(())
}

/// No setting is a credential.
pub fn credentials(bench: &Bench) -> Held {
    for setting in &bench.declared()?.settings {
        if let Some(word) = names_a_credential(&setting.name) {
            return failed(format!(
                "the setting `{}` looks like a {}",
                setting.name,
                word.replace('_', " ")
            ));
        }
    }
    Ok(())
}

/// Nothing is served before the place is open.
pub fn open_first(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let params = json!({ "protocol": "1.0", "capabilities": {}, "context": {} });
    match plugin.request(methods::LIST, params)? {
        Reply::Error(error) if error.code == codes::INVALID_REQUEST => Ok(()),
        reply @ (Reply::Error(_) | Reply::Result(_)) => failed(format!(
            "`secrets/list` before `secrets/open` got {}",
            shown(&reply)
        )),
    }
}

/// Another major version is refused, with those that are served.
pub fn later_major(bench: &Bench) -> Held {
    let mut plugin = bench.start()?;
    let params = json!({
        "protocol": "1.0", "secrets": "2.0", "settings": {}, "capabilities": {}, "context": {},
    });
    let reply = plugin.request(methods::OPEN, params)?;
    let Reply::Error(error) = &reply else {
        return failed("`secrets/open` with version 2.0 got a result");
    };
    if error.code != codes::UNSUPPORTED_PROTOCOL {
        let reply = shown(&reply);
        return failed(format!("`secrets/open` with version 2.0 got {reply}"));
    }
    let supported = error
        .data
        .as_ref()
        .and_then(|data| data["supported"].as_array());
    if supported
        .is_some_and(|versions| !versions.is_empty() && versions.iter().all(Value::is_string))
    {
        return Ok(());
    }
    Err(Stop::Failed(
        "`data.supported` does not list the versions that can be served".to_owned(),
    ))
}
