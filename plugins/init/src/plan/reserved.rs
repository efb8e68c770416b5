//! Tests that packs can't import or read names that generated code already uses.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::{BotType, Kind, Service, Transport};
use bot_cli_templates::pack;
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
    for service in config.services() {
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
                llm: catalogue.service("ollama_llm").unwrap(),
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

/// Reports whether a pack may use `name` as a class, an import, a module or a variable, depending on `what`.
fn may_use(name: &str, what: &str) -> bool {
    let is = |kind: &str| what == kind;
    let module = if is("module") { name } else { "acme" };
    let argument = match what {
        "import" => json!({ "name": "x", "expr": name }),
        "variable" => json!({ "name": "x", "env": name, "optional": true }),
        _ => json!({ "name": "x", "value": 1 }),
    };
    let providers = json!([{
        "label": "Acme",
        "site": "https://acme.example",
        "env": if is("variable") { json!({ name: { "about": "x" } }) } else { json!({}) },
        "service": [{
            "id": "acme_stt", "kind": "stt", "label": "Acme", "packages": ["acme>=1,<2"],
            "modules": { "acme": [module] }, "module": format!("{module}.stt"),
            "class": if is("class") { name } else { "AcmeService" },
            "imports": if is("import") { json!({ module: [name] }) } else { json!({}) },
            "args": [argument],
        }],
    }]);
    let read = pack::read("acme", providers, &mut Catalogue::built_in().taken());
    read.is_ok_and(|contents| contents.left_out.is_empty())
}

#[test]
fn a_pack_has_names_of_its_own() {
    for (name, what) in [
        ("AcmeThing", "class"),
        ("AcmeThing", "import"),
        ("acme", "module"),
        ("ACME_KEY", "variable"),
    ] {
        assert!(may_use(name, what), "{what}");
    }
}

#[test]
fn no_pack_has_a_module_of_a_project() {
    let mut seen = 0;
    for (path, _) in bot_cli_templates::project_files() {
        if let Some(path) = path.strip_suffix(".py.liquid")
            && let Some((_, module)) = path.rsplit_once('/')
            && path.starts_with("server/")
        {
            assert!(
                !may_use(module, "module"),
                "a pack could take the module `{module}`"
            );
            seen += 1;
        }
    }
    assert!(seen > 6, "{seen}");
}

#[test]
fn no_pack_has_a_name_of_the_templates() {
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
        .filter(|(name, what)| may_use(name, what))
        .collect();
    assert_eq!(
        free,
        [],
        "a pack could take these names of the templates: add them to `RESERVED` (class, import) or to \
         `is_reserved_variable` in templates/src/pack/names.rs"
    );
}

#[test]
fn no_pack_reads_a_variable_that_a_project_reads_for_itself() {
    let mut read = 0;
    for (path, text) in bot_cli_templates::project_files() {
        for (at, call) in text.match_indices("getenv(\"") {
            let name = text[at + call.len()..].split('"').next().unwrap();
            assert!(!may_use(name, "variable"), "{path}: {name}");
            read += 1;
        }
    }
    assert!(read > 5, "{read}");
}
