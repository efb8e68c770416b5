//! The answer choices for the questions, limited to projects that can be generated.

use bot_cli_protocol::question::Choice;
use bot_cli_templates::catalogue::{BotType, Kind, Service, Transport};

use crate::catalogue::{Catalogue, Pack};
use crate::draft::Draft;

/// Returns the transports for a bot of this type. A telephony bot may also serve browsers.
pub(super) fn transports(bot_type: BotType) -> Vec<Choice> {
    let types: &[BotType] = match bot_type {
        BotType::Web => &[BotType::Web],
        BotType::Telephony => &[BotType::Telephony, BotType::Web],
    };
    (types.iter())
        .flat_map(|bot_type| Catalogue::built_in().transports(*bot_type))
        .map(|transport| {
            let mut choice = Choice::new(&transport.id, transport.named());
            choice.about.clone_from(&transport.note);
            choice
        })
        .collect()
}

/// Returns the draft's transports, excluding family names.
pub(super) fn chosen(draft: &Draft) -> Vec<&'static Transport> {
    let names = draft.transports().iter();
    names
        .filter_map(|name| Catalogue::built_in().transport(name))
        .collect()
}

pub(super) fn starts_in_cloud(draft: &Draft) -> bool {
    let mut names = draft.transports().iter();
    names.any(|name| {
        let transport = Catalogue::built_in().transport(name);
        transport.is_none_or(Transport::starts_in_cloud)
    })
}

pub(super) fn is_telephony(name: &str) -> bool {
    let catalogue = Catalogue::built_in();
    let family = catalogue.transport_family(name);
    let mut transports = family.chain(catalogue.transport(name));
    transports.any(|transport| transport.bot_type == BotType::Telephony)
}

pub(super) fn excluding(chosen: &[&'static Transport]) -> Option<[&'static str; 2]> {
    chosen.iter().enumerate().find_map(|(index, one)| {
        let mut others = chosen[index + 1..].iter();
        let other = others.find(|other| one.excludes(other))?;
        Some([one.id.as_str(), other.id.as_str()])
    })
}

/// Returns the services of a kind, with recommended services first and deprecated services last.
pub(super) fn services(kind: Kind, catalogue: &Catalogue) -> Vec<Choice> {
    let (current, deprecated): (Vec<_>, Vec<_>) = catalogue
        .services(kind)
        .partition(|service| service.deprecated.is_none());
    let all = current.into_iter().chain(deprecated);
    all.map(|one| service(one, catalogue.pack_of(one)))
        .collect()
}

fn service(service: &Service, pack: Option<&Pack>) -> Choice {
    let mut choice = Choice::new(&service.id, &service.label);
    let mut about: Vec<String> = pack.map(Pack::words).into_iter().collect();
    if let Some(reason) = &service.deprecated {
        about.push(format!("deprecated: {reason}"));
    } else {
        about.extend(service.recommended.map(|_| "recommended".to_owned()));
        let label = &service.label;
        let unsaid = service.models.iter().filter(|it| !label.contains(*it));
        let models: Vec<&str> = unsaid.map(String::as_str).collect();
        about.extend((!models.is_empty()).then(|| models.join(", ")));
        about.extend(service.advice());
    }
    choice.about = (!about.is_empty()).then(|| about.join("; "));
    choice
}
