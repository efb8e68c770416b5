//! The methods of the role, served by a backend of its author.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Backend;
use crate::messages::{
    DeleteParams, DeleteResult, GetResult, ListParams, ListResult, NameParams, OpenParams,
    OrganizationsResult, PutImagePullSecretParams, PutParams, PutResult, UnsetParams, UnsetResult,
    VERSION, ValuesResult, methods, serves,
};
use bot_cli_protocol::{ErrorData, ErrorObject, codes, shape};
use bot_cli_sdk::session::Session;

/// Serves a request with `open`, the backend once it is open; `None` where there is no such method.
pub fn respond<B: Backend>(
    open: &mut Option<B>,
    method: &str,
    params: Value,
    session: &mut Session,
) -> Option<Result<Value, ErrorObject>> {
    if !methods::ALL.contains(&method) {
        return None;
    }
    // What becomes of a change is for the backend to say.
    if !methods::CHANGES.contains(&method) {
        session.cancel().begin();
    }
    Some(match open {
        Some(backend) => reply(backend, method, params, session),
        None if method == methods::OPEN => self::open(open, params, session),
        None => Err(out_of_turn("the first request must be `secrets/open`")),
    })
}

fn open<B: Backend>(
    open: &mut Option<B>,
    params: Value,
    session: &mut Session,
) -> Result<Value, ErrorObject> {
    let scope: OpenParams = decode(params)?;
    if !serves(&scope.secrets) {
        return Err(unsupported());
    }
    let (backend, opened) = B::open(scope, session)?;
    *open = Some(backend);
    encode(&opened)
}

fn reply<B: Backend>(
    backend: &mut B,
    method: &str,
    params: Value,
    session: &mut Session,
) -> Result<Value, ErrorObject> {
    match method {
        methods::LIST => {
            let params: ListParams = decode(params)?;
            let sets = backend.list(params.region.as_deref(), session)?;
            encode(&ListResult { sets })
        }
        methods::GET => {
            let params: NameParams = decode(params)?;
            let set = backend.get(&params.name, session)?;
            encode(&GetResult { set })
        }
        methods::VALUES => {
            let params: NameParams = decode(params)?;
            let values = backend.values(&params.name, session)?;
            encode(&ValuesResult { values })
        }
        methods::CREDENTIALS => {
            let params: NameParams = decode(params)?;
            encode(&backend.credentials(&params.name, session)?)
        }
        methods::ORGANIZATIONS => {
            let organizations = backend.organizations(session)?;
            encode(&OrganizationsResult { organizations })
        }
        methods::PUT => {
            let params: PutParams = decode(params)?;
            backend.put(params, session)?;
            encode(&PutResult {})
        }
        methods::PUT_IMAGE_PULL_SECRET => {
            let params: PutImagePullSecretParams = decode(params)?;
            backend.put_image_pull_secret(params, session)?;
            encode(&PutResult {})
        }
        methods::UNSET => {
            let params: UnsetParams = decode(params)?;
            let missing = backend.unset(params, session)?;
            encode(&UnsetResult { missing })
        }
        methods::DELETE => {
            let params: DeleteParams = decode(params)?;
            let deleted = backend.delete_as_seen(params, session)?;
            encode(&DeleteResult { deleted })
        }
        _ => Err(out_of_turn("`secrets/open` was served already")),
    }
}

fn decode<T: DeserializeOwned>(params: Value) -> Result<T, ErrorObject> {
    shape::read("params", params)
        .map_err(|problem| ErrorObject::protocol(codes::INVALID_PARAMS, problem))
}

/// Texts, lists and maps of texts always have a JSON form.
fn encode<T: Serialize>(result: &T) -> Result<Value, ErrorObject> {
    serde_json::to_value(result).map_err(|_| {
        let message = "the result has no JSON form";
        ErrorObject::protocol(codes::INTERNAL_ERROR, message)
    })
}

fn out_of_turn(message: &str) -> ErrorObject {
    ErrorObject::protocol(codes::INVALID_REQUEST, message)
}

fn unsupported() -> ErrorObject {
    let data = ErrorData {
        supported: vec![VERSION.to_owned()],
        ..ErrorData::default()
    };
    ErrorObject {
        code: codes::UNSUPPORTED_PROTOCOL,
        message: format!("the backend serves version {VERSION} of the methods of secrets backends"),
        data: Some(json!(data)),
    }
}
