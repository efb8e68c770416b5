//! Handles requests about builds and uploads of build contexts.

use serde_json::{Value, json};

use super::builds::Build;
use super::clock::timestamp;
use super::message::{Call, Reply, in_organization, require};
use super::uploads::{self, Upload};
use super::world::{Sent, World};

pub(super) fn upload_url(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let body = call.body("region", &mut world.unknown_members);
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let region = body["region"].as_str().unwrap_or_default();
    require(organization.has_region(region), "Invalid parameters")?;
    let id = world.counted.id();
    let offered = (call.organization.to_owned(), region.to_owned());
    world.offered_uploads.insert(id.clone(), offered);
    let mut answer = json!({
        "uploadId": id,
        "uploadUrl": format!("{}/upload/{id}", world.url),
        "expiresAt": timestamp(world.counted.now() + 900_000),
    });
    for (name, value) in uploads::fields(&id) {
        answer["uploadFields"][name] = json!(value);
    }
    Ok(answer.into())
}

pub(super) fn create(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let body = call.body("uploadId region dockerfilePath", &mut world.unknown_members);
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let id = body["uploadId"].as_str().unwrap_or_default();
    let region = body["region"].as_str().unwrap_or_default();
    let offered = (call.organization.to_owned(), region.to_owned());
    let is_offered = world.offered_uploads.get(id) == Some(&offered);
    require(is_offered, "Invalid parameters")?;
    let upload = world.uploads.get(id);
    let upload = upload.ok_or_else(|| Reply::bad_request("Build context was not uploaded"))?;
    let same = organization.builds.iter().find(|build| {
        build.hash == upload.hash && build.region == region && build.status() == "success"
    });
    let answer = |build: &Build, cached| json!({"build": build.document(), "contextHash": build.hash, "cached": cached});
    if let Some(build) = same {
        return Ok(answer(build, true).into());
    }
    let build = Build {
        id: world.counted.id(),
        region: region.to_owned(),
        hash: upload.hash.clone(),
        dockerfile: body["dockerfilePath"].as_str().map(str::to_owned),
        size: upload.bytes.len(),
        created: world.counted.now(),
        is_read: false,
        building: world.building.clone(),
        completed: None,
    };
    let reply = Reply::json(201, &answer(&build, false));
    organization.builds.push(build);
    Ok(reply)
}

pub(super) fn list(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let (limit, offset) = (call.number("limit", 20)?, call.number("offset", 0)?);
    require((1..=100).contains(&limit), "Invalid parameters")?;
    let is_meant = |build: &&Build| {
        call.is_or_any("contextHash", &build.hash)
            && call.is_or_any("region", &build.region)
            && call.is_or_any("status", build.status())
    };
    let newest_first = organization.builds.iter().rev();
    let builds: Vec<Value> = newest_first.filter(is_meant).map(Build::document).collect();
    let total = builds.len();
    let page = call.page(builds, limit)?;
    Ok(json!({"builds": page, "total": total, "limit": limit, "offset": offset}).into())
}

/// Advances a build by one step and returns its details.
pub(super) fn get(call: Call<'_>, world: &mut World, id: &str) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let build = organization.builds.iter_mut().find(|build| build.id == id);
    let build = build.ok_or_else(Reply::not_found)?;
    if build.building.pending_reads > 0 {
        build.building.pending_reads -= 1;
    } else if build.completed.is_none() {
        build.completed = Some(world.counted.now());
    }
    let document = build.document();
    build.is_read = true;
    Ok(json!({"build": document}).into())
}

pub(super) fn logs(call: Call<'_>, world: &mut World, id: &str) -> Result<Reply, Reply> {
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let build = organization.builds.iter().find(|build| build.id == id);
    let mut lines = build.ok_or_else(Reply::not_found)?.logs();
    let token = call.query("nextToken").filter(|_| world.takes_tokens);
    let after: usize = token.and_then(|token| token.parse().ok()).unwrap_or(0);
    lines.drain(..after.min(lines.len()));
    let limit = call.number("limit", 500)?;
    require((1..=10_000).contains(&limit), "Invalid parameters")?;
    let is_cut = lines.len() > limit;
    lines.truncate(limit);
    let mut answer = json!({"logs": lines});
    if is_cut {
        answer["nextToken"] = json!((after + limit).to_string());
    }
    Ok(answer.into())
}

/// Receives an upload. In the hosted service, a separate server handles uploads.
pub(super) fn receive(request: &Sent, world: &mut World, id: &str) -> Reply {
    if let Some(token) = request.headers.get("authorization") {
        world.leaked_tokens.push(token.clone());
        return refused(400, "InvalidArgument", "Only one auth mechanism allowed");
    }
    if !request.headers.contains_key("content-length") {
        return refused(411, "MissingContentLength", "The length has to be said");
    }
    let boundary = request
        .headers
        .get("content-type")
        .and_then(|kind| kind.strip_prefix("multipart/form-data"))
        .and_then(|kind| kind.split_once("boundary="))
        .map(|(_, boundary)| boundary.trim_matches('"'));
    let mut parts = boundary
        .and_then(|boundary| uploads::parts(&request.bytes, boundary))
        .unwrap_or_default();
    let file = parts.pop().filter(|(name, _)| name == "file");
    let fields = uploads::fields(id);
    let given = parts.iter().map(|(name, value)| (name.as_str(), *value));
    let expected = fields.iter().map(|(name, value)| (*name, value.as_bytes()));
    match file {
        None => refused(400, "MalformedPOSTRequest", "file is to be the last field"),
        Some(_) if !given.eq(expected) => {
            refused(400, "InvalidPolicyDocument", "The fields are other ones")
        }
        Some((_, bytes)) => {
            world.uploads.insert(id.to_owned(), Upload::new(bytes));
            Reply::empty(204)
        }
    }
}

/// Returns an error response in XML, as the hosted service's upload server does.
fn refused(status: u16, code: &str, message: &str) -> Reply {
    Reply {
        status,
        headers: vec![("content-type", "application/xml".to_owned())],
        body: format!(
            r#"<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code><Message>{message}</Message></Error>"#
        ),
    }
}
