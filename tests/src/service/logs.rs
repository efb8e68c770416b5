//! Handles requests for agent logs.

use serde_json::{Value, json};

use super::agents::Line;
use super::clock::exact_timestamp;
use super::message::{Call, Reply, require};
use super::world::World;

pub(super) fn list(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let (agent, _) = world.agent(call, name)?;
    let bad_time = |_| Reply::bad_request("Invalid timestamp format");
    let first = call.number("startTime", i64::MIN).map_err(bad_time)?;
    let last = call.number("endTime", i64::MAX).map_err(bad_time)?;
    let text = call.query("query").unwrap_or_default();
    let is_meant = |line: &&Line| {
        (first..=last).contains(&line.time)
            && line.text.contains(&text)
            && call.is_or_any("deploymentId", &line.deployment)
            && call.is_or_any("sessionId", line.session.as_deref().unwrap_or_default())
    };
    let mut lines: Vec<&Line> = agent.logs.iter().filter(is_meant).collect();
    // Lines of one time stay in the order in which they were written.
    lines.sort_by_key(|line| line.time);
    let order = call.query("order").unwrap_or_else(|| "desc".to_owned());
    require(order == "asc" || order == "desc", "Invalid parameters")?;
    if order == "desc" {
        lines.reverse();
    }
    let total = json!({"value": lines.len(), "relation": "eq"});
    let row = |line: &Line| {
        let time = exact_timestamp(line.time);
        json!({"log": line.text, "timestamp": time, "deploymentId": line.deployment})
    };
    let page: Vec<Value> = call.page(lines, 10)?.into_iter().map(row).collect();
    Ok(json!({"logs": page, "total": total}).into())
}
