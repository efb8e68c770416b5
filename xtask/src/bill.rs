//! The bill of materials of the executables, in the format `CycloneDX`.

use std::collections::BTreeMap;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::entry::Entry;
use crate::notices::{Crate, Graph};
use crate::project::Project;
use crate::tools;

/// The bill of `name`: its crates with their licences and sums, and which uses which.
pub(crate) fn of(
    project: &Project,
    graph: &Graph,
    name: &str,
    version: &str,
    target: &str,
) -> anyhow::Result<Entry> {
    let sums = sums(project)?;
    let mut components = Vec::new();
    for (one, facts) in &graph.crates {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(one),
            "name": one.name,
            "version": one.version,
            "licenses": [{ "expression": facts.licence }],
        });
        if !facts.is_member {
            component["purl"] = Value::from(reference(one));
        }
        if let Some(sum) = sums.get(one) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        components.push(component);
    }
    let toolchain = tools::toolchain()?;
    components.push(json!({
        "type": "library",
        "bom-ref": "rust-standard-library",
        "name": "rust-standard-library",
        "version": toolchain,
        "licenses": [{ "expression": "MIT OR Apache-2.0" }],
    }));
    let mut uses: BTreeMap<&Crate, Vec<String>> = BTreeMap::new();
    for one in graph.crates.keys() {
        uses.entry(one).or_default();
    }
    for (user, used) in &graph.edges {
        uses.entry(user).or_default().push(reference(used));
    }
    let dependencies: Vec<Value> = uses
        .into_iter()
        .map(|(user, used)| json!({ "ref": reference(user), "dependsOn": used }))
        .collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": timestamp(project.time),
            "component": {
                "type": "application",
                "bom-ref": format!("{name}-{target}"),
                "name": name,
                "version": version,
                "licenses": [{ "license": { "id": "MIT" } }],
                "properties": [{ "name": "target", "value": target }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(Entry::data(
        format!("{name}.cdx.json"),
        format!("{document:#}\n"),
    ))
}

fn reference(one: &Crate) -> String {
    format!("pkg:cargo/{}@{}", one.name, one.version)
}

/// The sums of the packages, as the lock file has them.
fn sums(project: &Project) -> anyhow::Result<BTreeMap<Crate, String>> {
    let lock = String::from_utf8(project.file("Cargo.lock")?)?;
    let lock: toml::Table = lock.parse().context("`Cargo.lock`")?;
    let packages = lock.get("package").and_then(toml::Value::as_array);
    let named = packages.into_iter().flatten().filter_map(|package| {
        let text = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
        let (name, version) = (text("name")?, text("version")?);
        Some((Crate { name, version }, text("checksum")?))
    });
    Ok(named.collect())
}

/// Seconds since 1970 as a date and a time of day: the civil calendar, in eras of 400 years that begin in March.
fn timestamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::timestamp;

    #[test]
    fn times_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), expected);
        }
    }
}
