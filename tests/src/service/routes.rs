//! From a request to the part of the service that answers it: both families of paths, and who may use them.

use serde_json::{Value, json};

use super::message::{Family, Reply, segments};
use super::world::{Access, Sent, World};
use super::{oauth, secrets};

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
