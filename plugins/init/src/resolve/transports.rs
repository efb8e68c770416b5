//! Resolves the transports.

use bot_cli_templates::catalogue::{BotType, Direction, Transport};

use super::{Problems, said};
use crate::catalogue::Catalogue;
use crate::config::DIRECTED;
use crate::draft::Draft;
use crate::wording::{did_you_mean, quoted};

pub(super) fn resolve(
    draft: &Draft,
    catalogue: &Catalogue,
    problems: &mut Problems,
) -> Vec<&'static Transport> {
    let modes = DIRECTED.map(|(family, key)| (family, key, direction(draft, key, problems)));
    let mut found: Vec<&'static Transport> = Vec::new();
    let mut families: Vec<&str> = Vec::new();
    for raw in draft.transports.iter().flatten() {
        let transport = one(raw.trim(), &modes, catalogue, &mut families, problems);
        found.extend(transport.filter(|new| found.iter().all(|other| other.id != new.id)));
    }
    if draft.transports.as_ref().is_none_or(Vec::is_empty) {
        problems.missing("transports");
    }
    families.extend(
        found
            .iter()
            .filter_map(|transport| transport.family.as_deref()),
    );
    for (family, key, given) in &modes {
        check_direction(family, key, *given, &families, &found, problems);
    }
    check_together(&found, problems);
    found
}

type Given = Option<Result<Direction, ()>>;

fn direction(draft: &Draft, key: &str, problems: &mut Problems) -> Given {
    let value = if key == DIRECTED[0].1 {
        &draft.daily_pstn_mode
    } else {
        &draft.twilio_daily_sip_mode
    };
    let raw = said(value.as_ref())?;
    let found = [Direction::DialIn, Direction::DialOut]
        .into_iter()
        .find(|direction| direction.name() == raw);
    if found.is_none() {
        let near = did_you_mean(raw, ["dial-in", "dial-out"]);
        problems.add(
            key,
            format!("{} is neither `dial-in` nor `dial-out`{near}", quoted(raw)),
        );
    }
    Some(found.ok_or(()))
}

/// The transport that one word of the user stands for.
fn one(
    raw: &str,
    modes: &[(&'static str, &'static str, Given); 2],
    catalogue: &Catalogue,
    families: &mut Vec<&'static str>,
    problems: &mut Problems,
) -> Option<&'static Transport> {
    if let Some(transport) = catalogue.transport(raw) {
        return Some(transport);
    }
    let family = catalogue
        .transport_family(raw)
        .find_map(|transport| transport.family.as_deref());
    let Some((family, key, given)) = modes.iter().find(|(name, ..)| Some(*name) == family) else {
        problems.add("transports", unknown(raw, catalogue));
        return None;
    };
    families.push(family);
    match given {
        Some(Ok(direction)) => catalogue
            .transport_family(family)
            .find(|transport| transport.direction() == Some(*direction)),
        Some(Err(())) => None,
        None => {
            problems.missing_with(key, "`dial-in` or `dial-out`");
            None
        }
    }
}

fn unknown(raw: &str, catalogue: &Catalogue) -> String {
    if raw.is_empty() {
        return "an empty transport".to_owned();
    }
    let known = [BotType::Web, BotType::Telephony]
        .into_iter()
        .flat_map(|bot_type| catalogue.transports(bot_type))
        .flat_map(|transport| {
            [
                Some(&transport.id),
                transport.alias.as_ref(),
                transport.family.as_ref(),
                transport.family_alias.as_ref(),
            ]
        })
        .flatten()
        .map(String::as_str);
    format!(
        "{}: no such transport{}",
        quoted(raw),
        did_you_mean(raw, known)
    )
}

fn check_direction(
    family: &str,
    key: &str,
    given: Given,
    families: &[&str],
    found: &[&'static Transport],
    problems: &mut Problems,
) {
    if given.is_some() && !families.contains(&family) {
        problems.add(key, format!("only with the transport `{family}`"));
    }
    let Some(Ok(given)) = given else { return };
    for transport in found
        .iter()
        .filter(|transport| transport.family.as_deref() == Some(family))
    {
        if transport
            .direction()
            .is_some_and(|direction| direction != given)
        {
            problems.add(
                key,
                format!(
                    "`{}`, but the transport is `{}`",
                    given.name(),
                    transport.id
                ),
            );
        }
    }
}

fn check_together(found: &[&'static Transport], problems: &mut Problems) {
    for (index, transport) in found.iter().enumerate() {
        let clash = found[..index]
            .iter()
            .find(|earlier| earlier.excludes(transport));
        if let Some(earlier) = clash {
            problems.add(
                "transports",
                format!(
                    "`{}` and `{}` can't be combined in one bot",
                    earlier.id, transport.id
                ),
            );
        }
    }
}
