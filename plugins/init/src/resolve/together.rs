//! Services of packs that are sound alone and still can't be in one bot.

use bot_cli_templates::catalogue::Service;

use super::Problems;
use crate::catalogue::Catalogue;
use crate::config::Pipeline;
use crate::draft::Draft;
use crate::plan::variables;

/// Checks that packs fit together: their authors do not know each other's.
pub(super) fn check(
    draft: &Draft,
    pipeline: Option<&Pipeline<'_>>,
    video: Option<&Service>,
    catalogue: &Catalogue,
    problems: &mut Problems,
) {
    let mut chosen: Vec<&Service> = match pipeline {
        Some(Pipeline::Cascade { stt, llm, tts }) => vec![stt, llm, tts],
        Some(Pipeline::Realtime(service)) => vec![service],
        None => Vec::new(),
    };
    chosen.extend(video);
    for (index, service) in chosen.iter().enumerate() {
        for earlier in &chosen[..index] {
            let of_pack = [service, earlier]
                .into_iter()
                .find(|one| catalogue.pack_of(one).is_some());
            let (Some(of_pack), Some(why)) = (of_pack, conflict(earlier, service)) else {
                continue;
            };
            let key = draft
                .services()
                .find(|(_, said)| *said == of_pack.id)
                .map_or("stt_service", |(key, _)| key);
            problems.add(
                key,
                format!(
                    "`{}` and `{}` can't be combined in one bot: {why}",
                    earlier.id, service.id
                ),
            );
        }
    }
}

/// Why two services can't be in one file of code.
fn conflict(one: &Service, other: &Service) -> Option<String> {
    for (module, name) in imported(one) {
        let elsewhere = imported(other).find(|(from, same)| *same == name && *from != module);
        if let Some((elsewhere, _)) = elsewhere {
            return Some(format!(
                "both import `{name}`, from `{module}` and from `{elsewhere}`"
            ));
        }
    }
    let error = variables::readings(&[one, other]).err()?;
    Some(error.reason())
}

fn imported(service: &Service) -> impl Iterator<Item = (&str, &str)> {
    let further = service
        .imports
        .iter()
        .flat_map(|(module, names)| names.iter().map(|name| (module.as_str(), name.as_str())));
    std::iter::once((service.module.as_str(), service.class.as_str())).chain(further)
}
