use bot_cli_templates::catalogue::{BotType, Kind, Provider};
use serde_json::json;

use super::{switches, whole_draft};
use crate::catalogue::{Catalogue, Pack};
use crate::draft::Draft;
use crate::option_table::{Feature, Setting, Values, fields};
use crate::pack_source::PackSource;
use crate::plan;
use crate::resolve::resolve;
use crate::wizard::steps::Sets;
use crate::wizard::{Selection, choices, steps};

fn excluding(names: &[String]) -> bool {
    let mut draft = Draft::default();
    draft.put(Setting::Transports, names);
    choices::excluding(&choices::chosen(&draft)).is_some()
}

#[test]
fn everything_on_offer_can_be_generated() {
    for bot_type in [BotType::Web, BotType::Telephony] {
        let offered = choices::transports(bot_type).into_iter();
        let offered: Vec<String> = offered.map(|choice| choice.value).collect();
        for first in &offered {
            let mut together = vec![first.clone()];
            for other in offered.iter().filter(|other| *other != first) {
                together.push(other.clone());
                if excluding(&together) {
                    together.pop();
                }
            }
            assert!(together.len() > 4, "{together:?}");
            for transports in [vec![first.clone()], together] {
                // A telephone bot needs more than transports for browsers.
                let calls = transports.iter().any(|name| choices::is_telephony(name));
                if calls == (bot_type == BotType::Telephony) {
                    generate(transports, calls);
                }
            }
        }
    }
}

fn generate(transports: Vec<String>, calls: bool) {
    let mut draft = whole_draft();
    draft.put(Setting::BotType, [if calls { "telephony" } else { "web" }]);
    draft.put(Setting::Transports, transports);
    *draft.setting(Setting::ClientFramework) = None;
    *draft.setting(Setting::ClientServer) = None;
    let mut unasked = Vec::new();
    if calls {
        unasked.extend([Feature::VideoInput, Feature::VideoOutput]);
    }
    if !choices::starts_in_cloud(&draft) {
        unasked.extend([Feature::DeployToCloud, Feature::NoiseCancel]);
    }
    draft.switches = switches(&unasked.into_iter().map(|it| (it, None)).collect::<Vec<_>>());
    let config = resolve(&draft, None, Catalogue::built_in()).unwrap();
    plan::scaffold(&config).unwrap();
}

#[test]
fn every_scaffold_option_has_a_question() {
    // The transport question has a choice for each direction.
    let asked: Vec<String> = steps::all().iter().filter_map(steps::Step::flag).collect();
    let asked: Vec<&str> = asked.iter().flat_map(|flags| flags.split(", ")).collect();
    for (key, flag) in fields() {
        let is_direction = Setting::directions().any(|(setting, _)| setting.row().key == key);
        let unasked =
            [Setting::Language, Setting::Environments, Setting::Ci].map(|it| it.row().key);
        let is_asked =
            !is_direction && !unasked.contains(&key) && key != Feature::SelfHost.row().key;
        assert_eq!(asked.contains(&flag), is_asked, "{flag}");
    }
}

#[test]
fn a_choice_says_which_pack_it_is_of() {
    let provider: Provider = serde_json::from_value(json!({
        "label": "Acme",
        "site": "https://acme.example",
        "service": [
            { "id": "acme_tts", "kind": "tts", "label": "Acme", "module": "acme", "class": "Acme" },
            { "id": "acme_old_tts", "kind": "tts", "label": "Old", "module": "acme", "class": "Old", "deprecated": "take `acme_tts`" },
            { "id": "acme_near_tts", "kind": "tts", "label": "Near", "module": "acme", "class": "Near", "note": "Needs a graphics card" },
        ],
    }))
    .unwrap();
    let pack = Pack {
        name: "acme".to_owned(),
        source: PackSource {
            version: "1.2.0".to_owned(),
            from: None,
            sha256: None,
        },
        about: String::new(),
        providers: vec![provider],
    };
    let catalogue = Catalogue::with(vec![pack], Vec::new());
    let choices = choices::services(Kind::Tts, &catalogue);
    let about = |id: &str| {
        let choice = choices.iter().find(|choice| choice.value == id).unwrap();
        choice.about.clone().unwrap_or_default()
    };
    assert_eq!(about("acme_tts"), "provider pack acme 1.2.0");
    assert_eq!(
        about("acme_near_tts"),
        "provider pack acme 1.2.0; Needs a graphics card"
    );
    assert_eq!(
        about("acme_old_tts"),
        "provider pack acme 1.2.0; deprecated: take `acme_tts`"
    );
    assert_eq!(about("cartesia_tts"), "recommended; Sonic");
    let google = "recommended; Needs a Google Cloud service account with the Text-to-Speech API";
    assert_eq!(about("google_tts"), google);
    // Deprecated services come last.
    assert!(about(&choices.last().unwrap().value).contains("deprecated: "));
}

#[test]
fn a_question_offers_every_value_of_its_setting() {
    let mut compared = 0;
    for step in steps::all() {
        let Sets::Setting(setting) = step.sets() else {
            continue;
        };
        if let Values::Words(words) = setting.row().values {
            let question = step.question(&Selection::default(), Catalogue::built_in());
            let mut offered: Vec<&str> = question.choices.iter().map(|it| &*it.value).collect();
            let mut words = words.to_vec();
            offered.sort_unstable();
            words.sort_unstable();
            assert_eq!(offered, words, "{}", step.key());
            compared += 1;
        }
    }
    assert_eq!(compared, 4);
}
