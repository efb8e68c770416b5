//! Serves a backend's requests over the protocol.

use bot_cli_protocol::{ErrorData, ErrorObject, codes, shape};
use bot_cli_sdk::session::Session;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Backend, Code, Error, Key, Region, SetName, Store};
use crate::messages::{
    DeleteResult, GetResult, ListParams, ListResult, NameParams, OpenParams, OrganizationsResult,
    PutResult, UnsetResult, VERSION, ValuesResult, methods,
};

/// Serves a request. `open` contains the backend once it is open. Returns `None` if the method does not exist.
pub fn respond<B: Backend>(
    open: &mut Option<B::Store>,
    method: &str,
    params: Value,
    session: &Session,
) -> Option<Result<Value, ErrorObject>> {
    if !methods::ALL.contains(&method) {
        return None;
    }
    // A change that is cancelled must finish, because only the backend knows its outcome.
    if !methods::CHANGES.contains(&method) {
        session.cancel().begin();
    }
    Some(match open {
        Some(store) => reply(store, method, params, session),
        None if method == methods::OPEN => self::open::<B>(open, params, session),
        None => Err(ErrorObject::protocol(
            codes::INVALID_REQUEST,
            "the first request must be `secrets/open`",
        )),
    })
}

fn open<B: Backend>(
    open: &mut Option<B::Store>,
    params: Value,
    session: &Session,
) -> Result<Value, ErrorObject> {
    let scope: OpenParams = decode(params)?;
    if !bot_cli_protocol::serves(&scope.secrets) {
        let data = ErrorData {
            supported: vec![VERSION.to_owned()],
            ..ErrorData::default()
        };
        let message =
            format!("the backend serves version {VERSION} of the methods of secrets backends");
        let mut error = ErrorObject::protocol(codes::UNSUPPORTED_PROTOCOL, message);
        error.data = Some(json!(data));
        return Err(error);
    }
    encode(open.insert(B::open(scope, session)?).opened())
}

fn reply(
    store: &impl Store,
    method: &str,
    params: Value,
    session: &Session,
) -> Result<Value, ErrorObject> {
    if let Some(error) = unusable(method, &params) {
        return Err(if methods::CHANGES.contains(&method) {
            error.not_done().into()
        } else {
            error.into()
        });
    }
    match method {
        methods::LIST => {
            let ListParams { region } = decode(params)?;
            let sets = store.list(region.as_ref(), session)?;
            encode(ListResult { sets })
        }
        methods::GET => {
            let set = store.get(&name(params)?, session)?;
            encode(GetResult { set })
        }
        methods::VALUES => {
            let values = store.values(&name(params)?, session)?;
            encode(ValuesResult { values })
        }
        methods::CREDENTIALS => encode(store.credentials(&name(params)?, session)?),
        methods::ORGANIZATIONS => {
            let organizations = store.organizations(session)?;
            encode(OrganizationsResult { organizations })
        }
        methods::PUT => {
            store.put(&decode(params)?, session)?;
            encode(PutResult {})
        }
        methods::PUT_IMAGE_PULL_SECRET => {
            store.put_image_pull_secret(&decode(params)?, session)?;
            encode(PutResult {})
        }
        methods::UNSET => {
            let missing = store.unset(&decode(params)?, session)?;
            let missing = missing.iter().map(ToString::to_string).collect();
            encode(UnsetResult { missing })
        }
        methods::DELETE => {
            let deleted = store.delete(&decode(params)?, session)?;
            encode(DeleteResult { deleted })
        }
        _ => Err(ErrorObject::protocol(
            codes::INVALID_REQUEST,
            "`secrets/open` was served already",
        )),
    }
}

/// Returns the error for a name that no set, region or key can have. Another member with the wrong shape is an invalid parameter.
fn unusable(method: &str, params: &Value) -> Option<Error> {
    if [methods::OPEN, methods::ORGANIZATIONS].contains(&method) {
        return None;
    }
    let text = |member: &str| params.get(member)?.as_str();
    if method != methods::LIST
        && let Some(Err(problem)) = text("name").map(SetName::parse_existing)
    {
        let message = format!("the name of the set {problem}");
        return Some(Error::new(Code::InvalidName, message));
    }
    if let Some(Err(problem)) = text("region").map(Region::parse) {
        return Some(Error::new(Code::NotFound, format!("the region {problem}")));
    }
    let keys = params.get("keys").and_then(Value::as_array);
    let keys = keys.into_iter().flatten().filter_map(Value::as_str);
    let entries = params.get("entries").and_then(Value::as_object);
    let entries = entries.into_iter().flat_map(|it| it.keys());
    let mut keys = keys.chain(entries.map(String::as_str));
    let problem = keys.find_map(|key| Key::parse_existing(key).err())?;
    Some(Error::new(Code::Refused, format!("a key {problem}")))
}

fn name(params: Value) -> Result<SetName, ErrorObject> {
    Ok(decode::<NameParams>(params)?.name)
}

fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ErrorObject> {
    shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))
}

/// Encodes a result as JSON. Serialization cannot fail here, because results consist of strings, booleans, lists, and maps with string
/// keys.
fn encode<T: Serialize>(result: T) -> Result<Value, ErrorObject> {
    serde_json::to_value(result).map_err(|_| {
        let message = "the result has no JSON form";
        ErrorObject::protocol(codes::INTERNAL_ERROR, message)
    })
}
