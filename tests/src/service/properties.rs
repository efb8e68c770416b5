//! Handles requests about an organization's properties. The only property is the default region.

use serde_json::json;

use super::message::{Call, Reply, in_organization, require};
use super::world::World;

pub(super) fn change(call: Call<'_>, world: &mut World) -> Result<Reply, Reply> {
    let mut unknown = Vec::new();
    let body = call.body("defaultRegion", &mut unknown);
    let organization = in_organization(&mut world.organizations, call.organization)?;
    let other = unknown.first().map_or("", String::as_str);
    let error = format!("Property '{other}' is not a valid property");
    require(unknown.is_empty(), &error)?;
    let region = body["defaultRegion"].as_str().unwrap_or_default();
    require(!region.is_empty(), "No properties provided")?;
    let codes: Vec<&str> = organization.regions.iter().map(|(code, _)| *code).collect();
    let codes = codes.join(", ");
    let error = format!("Region '{region}' is not available. Available regions: {codes}");
    require(organization.has_region(region), &error)?;
    organization.default = Some(region.to_owned());
    Ok(json!({"properties": {"defaultRegion": region}}).into())
}
