//! Routes each request to the part of the service that handles it, and checks access to both families of paths.

use serde_json::{Value, json};

use super::message::{Call, Family, Reply, in_organization, segments};
use super::world::{Access, Sent, World};
use super::{building, deploying, logs, oauth, properties, secrets, sessions};

pub(super) fn route(request: &Sent, world: &mut World) -> Reply {
    let segments = segments(&request.target);
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    if let ("POST", ["upload", id]) = (request.method.as_str(), segments.as_slice()) {
        return building::receive(request, world, id);
    }
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
    if let Some(reply) = oauth::route(request, &segments, world) {
        return reply;
    }
    if let ("POST", ["v1", "public", agent, "start"]) =
        (request.method.as_str(), segments.as_slice())
    {
        return sessions::start(request, world, agent).unwrap_or_else(|refused| refused);
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
        | (
            _,
            [
                "v1",
                "secrets" | "regions" | "properties" | "agents" | "builds",
                ..,
            ],
            Access::User(_),
        ) => Reply::error(401, "Unauthorized", "UNAUTHORIZED"),
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
    let found = match in_organization(&mut world.organizations, organization) {
        Ok(found) => found,
        Err(missing) => return missing,
    };
    let call = Call {
        request,
        family,
        organization,
    };
    match (request.method.as_str(), rest) {
        ("GET", ["regions"]) => {
            let named = found.regions.iter().copied();
            let own = &world.self_hosted_regions;
            let regions: Vec<Value> = named
                .chain(own.iter().map(|own| (own.as_str(), "Self-hosted")))
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
        _ => of_deploying(call, world, rest)
            .unwrap_or_else(|| Ok(Reply::no_such_page(request)))
            .unwrap_or_else(|refused| refused),
    }
}

/// Routes requests about agents, builds, public keys, properties and secret references. Returns `None` for an unknown path.
fn of_deploying(call: Call<'_>, world: &mut World, rest: &[&str]) -> Option<Result<Reply, Reply>> {
    use Family::{Organization, Published};
    let answer = match (call.request.method.as_str(), rest, call.family) {
        ("PATCH", ["properties"], _) => properties::change(call, world),
        ("POST", ["secrets", "references"], Organization) => secrets::refer(call, world),
        ("GET", ["apiKeys"], Organization) => sessions::keys(call, world),
        ("POST", ["apiKeys"], Organization) => sessions::create_key(call, world),
        ("DELETE", ["apiKeys", key], Organization) => sessions::revoke_key(call, world, key),
        ("GET", ["builds"], _) => building::list(call, world),
        ("POST", ["builds"], _) => building::create(call, world),
        ("POST", ["builds", "upload-url"], _) => building::upload_url(call, world),
        ("GET", ["builds", build], _) => building::get(call, world, build),
        ("GET", ["builds", build, "logs"], _) => building::logs(call, world, build),
        ("GET", ["services", agent, "deployments"], Organization) => {
            deploying::deployments(call, world, agent)
        }
        ("PUT", ["services"], Organization) => deploying::update(call, world, None),
        ("POST", ["agents", agent], Published) => deploying::update(call, world, Some(*agent)),
        (_, ["services", rest @ ..], Organization) | (_, ["agents", rest @ ..], Published) => {
            return of_agents(call, world, rest);
        }
        _ => return None,
    };
    Some(answer)
}

/// Routes the requests about agents that have the same form in both families of paths. Returns `None` for an unknown path.
fn of_agents(call: Call<'_>, world: &mut World, rest: &[&str]) -> Option<Result<Reply, Reply>> {
    let answer = match (call.request.method.as_str(), rest) {
        ("GET", []) => deploying::list(call, world),
        ("POST", []) => deploying::create(call, world),
        ("GET", [agent]) => deploying::get(call, world, agent),
        ("DELETE", [agent]) => deploying::delete(call, world, agent),
        ("GET", [agent, "logs"]) => logs::list(call, world, agent),
        ("GET", [agent, "sessions"]) => sessions::list(call, world, agent),
        ("GET", [agent, "sessions", session]) => sessions::get(call, world, agent, session),
        ("DELETE", [agent, "sessions", session]) => sessions::end(call, world, agent, session),
        _ => return None,
    };
    Some(answer)
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
