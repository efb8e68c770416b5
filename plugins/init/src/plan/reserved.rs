//! Tests that packs can't import or read names that generated code already uses.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{BotType, Kind, Service, Transport};
use bot_cli_templates::pack::{self, Origin, Provider};
use serde_json::json;

use super::tests::config;
use super::{Plan, scaffold};
use crate::catalogue::Catalogue;
use crate::code::Names;
use crate::config::{Config, Pipeline};
use crate::option_table::Feature;

/// Returns the names in `services.py` that don't come from the services.
fn own_names(config: &Config<'_>) -> BTreeSet<String> {
    let plan: Plan = scaffold(config).unwrap();
    let mut files = plan.files.iter();
    let services = files.find(|file| file.path == "server/services.py");
    let text = &services.unwrap().text;
    let names = Names::of(text).unwrap();
    let used = names.bound.union(&names.used);
    let mut used: BTreeSet<String> = used.map(|name| (*name).to_owned()).collect();
    let services: Vec<&Service> = match &config.pipeline {
        Pipeline::Cascade { stt, llm, tts } => vec![*stt, *llm, *tts],
        Pipeline::Realtime(service) => vec![*service],
    };
    for service in services.into_iter().chain(config.video) {
        used.remove(&service.class);
        for name in service.imports.values().flatten() {
            used.remove(name);
        }
        for name in pack::variables(service) {
            used.remove(name);
        }
    }
    used
}

fn of(kind: Kind) -> &'static Service {
    Catalogue::built_in().services(kind).next().unwrap()
}

/// Returns configurations that together use every part of the templates.
pub(super) fn configurations() -> Vec<Config<'static>> {
    let catalogue = Catalogue::built_in();
    let web: Vec<&Transport> = catalogue.transports(BotType::Web).collect();
    let telephony = catalogue.transports(BotType::Telephony).map(|it| vec![it]);
    let sets = telephony.map(|set| (BotType::Telephony, set));
    let sets = sets.chain([(BotType::Web, web)]);
    let mut all = Vec::new();
    for (bot_type, transports) in sets {
        for pipeline in [
            config().pipeline,
            Pipeline::Realtime(of(Kind::Realtime)),
            Pipeline::Cascade {
                stt: of(Kind::Stt),
                llm: of(Kind::Llm),
                tts: catalogue.service("piper_tts").unwrap(),
            },
        ] {
            let is_web = bot_type == BotType::Web;
            all.push(Config {
                bot_type,
                transports: transports.clone(),
                pipeline,
                features: config()
                    .features
                    .with(Feature::VideoInput, is_web)
                    .with(Feature::VideoOutput, is_web),
                video: is_web.then(|| of(Kind::Video)),
                ..config()
            });
        }
    }
    all
}

/// Reports whether a pack may use `name` as a class, an import or a variable, depending on `what`.
fn with(name: &str, what: &str) -> bool {
    let argument = match what {
        "class" => json!({ "name": "x", "value": 1 }),
        "import" => json!({ "name": "x", "expr": name }),
        _ => json!({ "name": "x", "env": name }),
    };
    let provider = json!({
        "label": "Acme",
        "site": "https://acme.example",
        "env": if what == "variable" { json!({ name: { "about": "x", "secret": true } }) } else { json!({}) },
        "service": [{
            "id": "acme_stt", "kind": "stt", "label": "Acme", "packages": ["acme>=1,<2"], "module": "acme",
            "class": if what == "class" { name } else { "AcmeService" },
            "imports": if what == "import" { json!({ "acme": [name] }) } else { json!({}) },
            "args": [argument],
        }],
    });
    let provider: Provider = serde_json::from_value(provider).unwrap();
    pack::check(&provider, Origin::Pack("acme")).is_empty()
}

#[test]
fn no_pack_has_a_module_of_a_project() {
    let is_taken = |module: &str| {
        let provider = json!({
            "label": "Acme",
            "site": "https://acme.example",
            "service": [{
                "id": "acme_stt", "kind": "stt", "label": "Acme", "packages": ["acme>=1,<2"],
                "modules": { "acme": [module] }, "module": format!("{module}.stt"), "class": "AcmeService",
            }],
        });
        let provider: Provider = serde_json::from_value(provider).unwrap();
        !pack::check(&provider, Origin::Pack("acme")).is_empty()
    };
    assert!(!is_taken("acme"));
    let mut seen = 0;
    for (path, _) in bot_cli_templates::project_files() {
        if let Some(path) = path.strip_suffix(".py.jinja")
            && let Some((_, module)) = path.rsplit_once('/')
            && path.starts_with("server/")
        {
            assert!(
                is_taken(module),
                "a pack could take the module `{module}`: add it to `OWN_MODULES` in templates/src/pack/names.rs"
            );
            seen += 1;
        }
    }
    assert!(seen > 6, "{seen}");
}

#[test]
fn no_pack_has_a_name_of_the_templates() {
    for what in ["class", "import", "variable"] {
        let good = if what == "variable" {
            "ACME_KEY"
        } else {
            "AcmeThing"
        };
        assert!(with(good, what), "{what}");
    }
    let mut used: BTreeSet<String> = configurations().iter().flat_map(own_names).collect();
    for transport in configurations().iter().flat_map(|it| &it.transports) {
        for variable in &transport.env {
            used.remove(&variable.name);
        }
    }
    assert!(used.len() > 10, "{used:?}");
    let free: Vec<(&String, &str)> = used
        .iter()
        .flat_map(|name| ["class", "import", "variable"].map(|what| (name, what)))
        .filter(|(name, what)| with(name, what))
        .collect();
    assert_eq!(
        free,
        [],
        "a pack could take these names of the templates: add them to `RESERVED` (class, import) or to \
         `is_reserved_variable` in templates/src/pack/names.rs"
    );
}
