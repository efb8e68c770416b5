//! The choices of the questions: only projects that can be generated.

use bot_cli_protocol::question::Choice;
use bot_cli_templates::catalogue::{BotType, Kind, Service, Transport};

use crate::catalogue::{Catalogue, Pack};
use crate::draft::Draft;

/// A choice with a few more words.
pub(super) fn explained(value: &str, label: &str, about: &str) -> Choice {
    Choice::new(value, label).about(about)
}

/// The transports that can be generated for a bot of this type: a telephone bot may serve browsers too.
pub(super) fn transports(bot_type: BotType) -> Vec<Choice> {
    let types: &[BotType] = match bot_type {
        BotType::Web => &[BotType::Web],
        BotType::Telephony => &[BotType::Telephony, BotType::Web],
    };
    types
        .iter()
        .flat_map(|bot_type| Catalogue::built_in().transports(*bot_type))
        .map(transport)
        .collect()
}

/// Whether a client package is published for one of the transports.
pub(super) fn reached_by_clients(draft: &Draft) -> bool {
    known(draft.transports.as_deref().unwrap_or_default())
        .any(|transport| transport.client.is_some())
}

/// Whether the hosting service can start one of the transports.
pub(super) fn starts_in_cloud(draft: &Draft) -> bool {
    let chosen = draft.transports.as_deref().unwrap_or_default();
    chosen.iter().any(|word| {
        let transport = Catalogue::built_in().transport(word);
        transport.is_none_or(Transport::starts_in_cloud)
    })
}

/// Whether a name that the user gave stands for a transport of telephones.
pub(super) fn is_telephony(name: &str) -> bool {
    let catalogue = Catalogue::built_in();
    catalogue
        .transport(name)
        .into_iter()
        .chain(catalogue.transport_family(name))
        .any(|transport| transport.bot_type == BotType::Telephony)
}

/// Returns the notes about these transports.
pub(super) fn notes(names: &[String]) -> impl Iterator<Item = &'static str> {
    known(names).filter_map(|transport| transport.note.as_deref())
}

/// Two that can't be in one bot.
pub(super) fn excluding(names: &[String]) -> Option<[&'static str; 2]> {
    let chosen: Vec<&Transport> = known(names).collect();
    chosen.iter().enumerate().find_map(|(index, one)| {
        let other = chosen[index + 1..]
            .iter()
            .find(|other| one.excludes(other))?;
        Some([one.id.as_str(), other.id.as_str()])
    })
}

/// Whether one of the transports shows a face of its own.
pub(super) fn with_avatar(draft: &Draft) -> bool {
    known(draft.transports.as_deref().unwrap_or_default())
        .any(|transport| transport.avatar.is_some())
}

fn known(names: &[String]) -> impl Iterator<Item = &'static Transport> {
    names
        .iter()
        .filter_map(|name| Catalogue::built_in().transport(name))
}

/// The services of a kind: the recommended ones first, the deprecated ones last.
pub(super) fn services(kind: Kind, catalogue: &Catalogue) -> Vec<Choice> {
    let (current, deprecated): (Vec<_>, Vec<_>) = catalogue
        .services(kind)
        .partition(|service| service.deprecated.is_none());
    current
        .into_iter()
        .chain(deprecated)
        .map(|service| self::service(service, catalogue.pack_of(service)))
        .collect()
}

/// Of the 80 columns of a usual terminal, a list takes 7 for itself.
pub(super) const LONGEST: usize = 73;
const BETWEEN: &str = " - ";

fn transport(transport: &Transport) -> Choice {
    let mut choice = Choice::new(&transport.id, transport.named());
    choice.about = fitting(transport.note.as_ref(), &choice.label);
    choice
}

/// A note that fits behind its label. The summary says every note, before anything is made.
fn fitting(note: Option<&String>, label: &str) -> Option<String> {
    let length = |text: &str| text.chars().count();
    note.filter(|note| length(label) + length(BETWEEN) + length(note) <= LONGEST)
        .cloned()
}

/// Returns the note about a service.
pub(super) fn note_of<'c>(id: &str, catalogue: &'c Catalogue) -> Option<&'c str> {
    catalogue.service(id)?.note.as_deref()
}

fn service(service: &Service, pack: Option<&Pack>) -> Choice {
    let mut choice = Choice::new(&service.id, &service.label);
    let about = match (&service.deprecated, service.recommended) {
        (Some(reason), _) => Some(format!("deprecated: {reason}")),
        (None, Some(_)) if pack.is_none() => Some("recommended".to_owned()),
        (None, _) if pack.is_some() => service.note.clone(),
        (None, _) => fitting(service.note.as_ref(), &service.label),
    };
    choice.about = match (pack, about) {
        (None, about) => about,
        (Some(pack), None) => Some(pack.words()),
        (Some(pack), Some(about)) => Some(format!("{}; {about}", pack.words())),
    };
    choice
}
