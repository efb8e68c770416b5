//! Handles requests for agent logs.

use serde_json::{Value, json};

use super::agents::Line;
use super::clock::exact_timestamp;
use super::message::{Call, Reply, require};
use super::world::World;

pub(super) fn list(call: Call<'_>, world: &mut World, name: &str) -> Result<Reply, Reply> {
    let takes_seconds = world.takes_seconds;
    let (agent, _) = world.agent(call, name)?;
    let bad_time = |_| Reply::bad_request("Invalid timestamp format");
    let first = call.number("startTime", i64::MIN).map_err(bad_time)?;
    let last = call.number("endTime", i64::MAX).map_err(bad_time)?;
    let text = call.query("query").unwrap_or_default();
    let (deployment, session) = (call.query("deploymentId"), call.query("sessionId"));
    let is_between = |time: i64| {
        if takes_seconds {
            // "After" and "before" may exclude the times themselves.
            return first < time.div_euclid(1000) && time.div_euclid(1000) < last;
        }
        (first..=last).contains(&time)
    };
    let is_meant = |line: &&Line| {
        is_between(line.time)
            && line.text.contains(&text)
            && deployment.as_ref().is_none_or(|id| *id == line.deployment)
            && session
                .as_ref()
                .is_none_or(|id| line.session.as_ref() == Some(id))
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
