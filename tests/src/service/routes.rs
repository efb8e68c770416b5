//! From a request to the part of the service that answers it: both families of paths, and who may use them.

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use super::world::{Access, Sent, World};
use super::{oauth, secrets};

/// An answer.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string(),
        }
    }

    pub(super) fn empty(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(super) fn error(status: u16, error: &str, code: &str) -> Self {
        Self::json(status, &json!({"error": error, "code": code}))
    }

    pub(super) fn bad_request(error: &str) -> Self {
        Self::error(400, error, "GENERIC_BAD_REQUEST")
    }

    /// Returns what a web server says that knows no such page; nothing an interface would say.
    fn no_such_page(request: &Sent) -> Self {
        Self {
            status: 404,
            headers: vec![("content-type", "text/html; charset=utf-8".to_owned())],
            body: format!("<!doctype html><pre>Cannot {}</pre>", request.line()),
        }
    }
}

/// Which of the two families a request came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Published,
    Organization,
}

pub(super) fn route(request: &Sent, world: &mut World) -> Reply {
    // The edge in front of the service turns unnamed and default agents away.
    let agent = request.headers.get("user-agent").map_or("", String::as_str);
    if agent.is_empty()
        || ["Python", "curl", "reqwest", "hyper"]
            .iter()
            .any(|library| agent.starts_with(library))
    {
        return Reply {
            status: 403,
            headers: vec![("content-type", "text/plain".to_owned())],
            body: "error code: 1010".to_owned(),
        };
    }
    let segments = segments(&request.target);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let Some(reply) = oauth::route(request, &segments, world) {
        return reply;
    }
    let Some(access) = access(request, world) else {
        return Reply::error(401, "Unauthorized", "UNAUTHORIZED");
    };
    match (request.method.as_str(), segments.as_slice(), access) {
        ("GET", ["v1", "organizations"], Access::User(names)) => organizations(world, &names),
        ("GET", ["v1", "users"], Access::User(_)) => Reply::json(
            200,
            &json!({"user": {"userId": "user_1", "emails": [{"emailAddress": "user@example.com"}]}}),
        ),
        (_, ["v1", "organizations", name, rest @ ..], Access::User(names)) => {
            if !names.iter().any(|known| known == name) {
                return Reply::error(403, "Forbidden", "FORBIDDEN");
            }
            inside(request, world, Family::Organization, name, rest)
        }
        (_, ["v1", "organizations" | "users", ..], Access::Key(_))
        | (_, ["v1", "secrets" | "regions" | "properties", ..], Access::User(_)) => {
            Reply::error(401, "Unauthorized", "UNAUTHORIZED")
        }
        (_, ["v1", rest @ ..], Access::Key(name)) => {
            inside(request, world, Family::Published, &name, rest)
        }
        _ => Reply::no_such_page(request),
    }
}

fn inside(
    request: &Sent,
    world: &mut World,
    family: Family,
    organization: &str,
    rest: &[&str],
) -> Reply {
    let Some(found) = world.organization(organization) else {
        return Reply::error(404, "Organization not found", "NOT_FOUND");
    };
    match (request.method.as_str(), rest) {
        ("GET", ["regions"]) => {
            let regions: Vec<Value> = found
                .regions
                .iter()
                .map(|(code, name)| json!({"code": code, "display_name": name}))
                .collect();
            Reply::json(200, &json!({"regions": regions}))
        }
        ("GET", ["properties"]) => Reply::json(
            200,
            &json!({"properties": {"defaultRegion": found.default_region()}}),
        ),
        ("GET", ["secrets"]) => secrets::list(request, world, organization),
        ("GET", ["secrets", set]) => secrets::get(world, organization, set),
        ("PUT", ["secrets", set]) => secrets::put(request, world, family, organization, set),
        ("DELETE", ["secrets", set]) => secrets::delete(world, organization, set),
        ("DELETE", ["secrets", set, key]) => secrets::unset(world, organization, set, key),
        _ => Reply::no_such_page(request),
    }
}

fn organizations(world: &World, names: &[String]) -> Reply {
    let organizations: Vec<Value> = world
        .organizations
        .iter()
        .filter(|organization| names.contains(&organization.name))
        .map(|organization| {
            json!({"name": organization.name, "verboseName": organization.verbose_name})
        })
        .collect();
    Reply::json(200, &json!({"organizations": organizations}))
}

fn access(request: &Sent, world: &World) -> Option<Access> {
    let token = request
        .headers
        .get("authorization")?
        .strip_prefix("Bearer ")?;
    world.tokens.get(token).cloned()
}

/// The path, split where it was sent split, each segment decoded.
pub(super) fn segments(target: &str) -> Vec<String> {
    let path = target.split('?').next().unwrap_or_default();
    path.trim_start_matches('/')
        .split('/')
        .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
        .collect()
}

/// A parameter of the query.
pub(super) fn query(target: &str, name: &str) -> Option<String> {
    let (_, query) = target.split_once('?')?;
    form_urlencoded::parse(query.as_bytes())
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}
