//! Validates the choice of transports and call directions.

use bot_cli_templates::catalogue::Transport;

use super::{Problems, Wrong, word};
use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::{Feature, Setting};
use crate::wording::{did_you_mean, quoted};

pub(super) fn resolve(
    draft: &Draft,
    catalogue: &Catalogue,
    problems: &mut Problems,
) -> Vec<&'static Transport> {
    let mut found: Vec<&'static Transport> = Vec::new();
    let words = draft.transports().iter();
    let words: Vec<&str> = words.map(|raw| raw.trim()).collect();
    let directions: Vec<Direction> = Setting::directions()
        .map(|(setting, family)| Direction {
            key: setting.row().key,
            family,
            said: word(setting, draft, problems),
        })
        .collect();
    for raw in &words {
        let transport = one(raw, &directions, catalogue, problems);
        found.extend(transport.filter(|new| found.iter().all(|other| other.id != new.id)));
    }
    if words.is_empty() {
        problems.missing("transports");
    }
    for direction in directions {
        let is_meant = words.iter().any(|raw| direction.concerns(raw, catalogue));
        if direction.said != Ok(None) && !is_meant {
            let problem = format!("only with the transport `{}`", direction.family);
            problems.add(direction.key, problem);
        }
        let Ok(Some(said)) = direction.said else {
            continue;
        };
        let of_family = |one: &&&Transport| one.family.as_deref() == Some(direction.family);
        for transport in found.iter().filter(of_family) {
            if transport.direction().is_some_and(|it| it.name() != said) {
                let problem = format!("`{said}`, but the transport is `{}`", transport.id);
                problems.add(direction.key, problem);
            }
        }
    }
    check_together(&found, problems);
    check_served(draft, &found, catalogue, problems);
    found
}

struct Direction {
    key: &'static str,
    family: &'static str,
    said: Result<Option<&'static str>, Wrong>,
}

impl Direction {
    /// Reports whether `raw` names the family or one of its transports.
    fn concerns(&self, raw: &str, catalogue: &Catalogue) -> bool {
        let of_family = catalogue
            .transport_family(raw)
            .chain(catalogue.transport(raw));
        let mut families = of_family.filter_map(|transport| transport.family.as_deref());
        families.any(|family| family == self.family)
    }
}

fn one(
    raw: &str,
    directions: &[Direction],
    catalogue: &Catalogue,
    problems: &mut Problems,
) -> Option<&'static Transport> {
    if let Some(transport) = catalogue.transport(raw) {
        return Some(transport);
    }
    let mut concerned = directions.iter().filter(|it| it.concerns(raw, catalogue));
    let Some(direction) = concerned.next() else {
        problems.add("transports", unknown(raw, catalogue));
        return None;
    };
    if direction.said == Ok(None) {
        problems.missing_with(direction.key, "`dial-in` or `dial-out`");
    }
    let said = direction.said.ok()??;
    let mut family = catalogue.transport_family(direction.family);
    family.find(|transport| transport.direction().is_some_and(|it| it.name() == said))
}

fn unknown(raw: &str, catalogue: &Catalogue) -> String {
    if raw.is_empty() {
        return "an empty transport".to_owned();
    }
    let known = catalogue.all_transports().iter().flat_map(|transport| {
        let family = [&transport.family, &transport.family_alias];
        let others = family.into_iter().chain([&transport.alias]);
        others.flatten().chain([&transport.id])
    });
    let known: Vec<&str> = known.map(String::as_str).collect();
    // Other tools take a list in one word.
    let parts = raw.split([',', ' ']).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let near = if parts.len() > 1 && parts.iter().all(|part| known.contains(part)) {
        format!("; did you mean `-t {}`?", parts.join(" -t "))
    } else {
        did_you_mean(raw, known)
    };
    format!("{}: no such transport{near}", quoted(raw))
}

fn check_together(found: &[&'static Transport], problems: &mut Problems) {
    for (index, transport) in found.iter().enumerate() {
        let mut earlier = found[..index].iter();
        if let Some(earlier) = earlier.find(|earlier| earlier.excludes(transport)) {
            let (one, other) = (&earlier.id, &transport.id);
            let problem = format!("`{one}` and `{other}` can't be combined in one bot");
            problems.add("transports", problem);
        }
    }
}

/// Reports the transports that a server of the user's own can't serve.
fn check_served(
    draft: &Draft,
    found: &[&'static Transport],
    catalogue: &Catalogue,
    problems: &mut Problems,
) {
    let all = catalogue.all_transports().iter();
    let served: Vec<&str> = all
        .filter_map(|one| one.self_host.as_ref().map(|_| &*one.id))
        .collect();
    let ids = found.iter().map(|one| one.id.as_str());
    let others: Vec<&str> = ids.filter(|id| !served.contains(id)).collect();
    if draft.switch(Feature::SelfHost) == Some(true) && !others.is_empty() {
        let (others, served) = (others.join("`, `"), served.join("`, `"));
        let problem = format!("does not serve `{others}`, only `{served}`");
        problems.add(Feature::SelfHost.row().key, problem);
    }
}
