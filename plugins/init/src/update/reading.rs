//! Infers the options of a project from its code.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bot_cli_templates::catalogue::{Kind, Transport};
use bot_cli_templates::languages::{Words, languages};
use bot_cli_templates::project::Project;
use serde_json::Value;

use super::walk;
use crate::catalogue::Catalogue;
use crate::draft::{Draft, NONE};
use crate::merge::words;
use crate::option_table::{Feature, Setting};
use crate::resolve::ProjectName;

/// Infers the options from the code of the project in `target`. If the code uses several services of the same kind, none of them is
/// selected.
pub(crate) fn read(target: &Path) -> Draft {
    let python = &python(&target.join("server"));
    let words: BTreeSet<&str> = words(python).collect();
    let catalogue = Catalogue::built_in();
    let service = |kind| {
        let mut used = catalogue
            .services(kind)
            .filter(|service| words.contains(service.class.as_str()));
        let first = used.next().filter(|_| used.next().is_none())?;
        Some(first.id.clone())
    };
    let mut draft = Draft::default();
    draft.put(Setting::ProjectName, name(target));
    draft.put(Setting::Transports, transports(python, &words));
    draft.put(Setting::Language, language(python));
    let place = Project::at(target).map(|place| place.deployments());
    let environments = place.into_iter().flatten().filter_map(|(it, _)| it);
    draft.put(Setting::Environments, environments.map(|it| it.to_string()));
    for kind in Kind::ALL {
        let usual = (kind == Kind::Video).then(|| NONE.to_owned());
        if let Some(setting) = Setting::of_service(kind) {
            draft.put(setting, service(kind).or(usual));
        }
    }
    let [stt, tts, realtime] = [Kind::Stt, Kind::Tts, Kind::Realtime].map(service);
    if stt.or(tts).is_some() {
        draft.put(Setting::Mode, ["cascade"]);
        *draft.setting(Setting::RealtimeService) = None;
    } else if realtime.is_some() {
        draft.put(Setting::Mode, ["realtime"]);
        *draft.setting(Setting::LlmService) = None;
    }
    for feature in Feature::ALL {
        // Another name may be imported from the module, too.
        let known_by = feature.row().known_by.split_inclusive(" import").next();
        let known_by = known_by.unwrap_or_default();
        let is_there = python.contains(known_by) || target.join(known_by).is_file();
        *draft.switches.slot(feature) = Some(is_there);
    }
    if draft.said(Setting::Environments).is_some() {
        *draft.switches.slot(Feature::DeployToCloud) = Some(true);
    }
    if draft.video().is_some() {
        // The video output follows from the service.
        *draft.switches.slot(Feature::VideoOutput) = None;
    }
    let (framework, server) = client(target);
    draft.put(Setting::ClientFramework, [framework]);
    draft.put(Setting::ClientServer, server);
    let is_there = target.join(".github/workflows/bot.yaml").is_file();
    draft.put(Setting::Ci, is_there.then_some("github"));
    draft
}

/// Returns the language that the system prompt asks for.
fn language(python: &str) -> Option<String> {
    let asks = |words: &Words| python.contains(&format!("Speak {}, and address", words["label"]));
    let mut all = languages().iter();
    all.find_map(|(code, words)| asks(words).then(|| code.clone()))
}

fn python(server: &Path) -> String {
    let files = walk::python(server).into_values();
    let python: String = files.map(|text| text + "\n").collect();
    python + &fs::read_to_string(server.join(".env.example")).unwrap_or_default()
}

/// Returns the transports in the order in which the code uses them.
fn transports(python: &str, words: &BTreeSet<&str>) -> Vec<String> {
    // These transports share the runner entry of another one.
    let is_special = |one: &Transport| {
        one.call_server.is_some() || one.avatar.is_some() || one.run_option.is_some()
    };
    let place = |one: &Transport| {
        let key = &one.runner_key;
        let entries = [format!("\"{key}\": lambda"), format!("'{key}': lambda")];
        let entries = entries.into_iter().filter(|_| !is_special(one));
        let names = one
            .known_by
            .iter()
            .filter(|name| words.contains(name.as_str()));
        let mut places = entries
            .chain(names.cloned())
            .filter_map(|text| python.find(&text));
        places.next()
    };
    let all = Catalogue::built_in().all_transports().iter();
    let mut found: Vec<(usize, &Transport)> =
        all.filter_map(|one| Some((place(one)?, one))).collect();
    let special: Vec<&str> = found
        .iter()
        .filter(|(_, one)| is_special(one))
        .map(|(_, one)| one.runner_key.as_str())
        .collect();
    found.retain(|(_, one)| is_special(one) || !special.contains(&one.runner_key.as_str()));
    found.sort_by_key(|(place, _)| *place);
    found.iter().map(|(_, one)| one.id.clone()).collect()
}

/// Returns the project name: the README's title if it matches the package name, or else the package name.
fn name(target: &Path) -> Option<String> {
    let text = |path| fs::read_to_string(target.join(path)).ok();
    let project: toml::Table = toml::from_str(&text("server/pyproject.toml")?).ok()?;
    let package = project.get("project")?.get("name")?.as_str()?.to_owned();
    let page = text("README.md").unwrap_or_default();
    let title = page.lines().next().and_then(|line| line.strip_prefix("# "));
    let title = title.filter(|title| ProjectName::parse(title).is_ok_and(|it| it.slug == package));
    Some(title.map_or(package, str::to_owned))
}

fn client(target: &Path) -> (&'static str, Option<&'static str>) {
    let package = fs::read(target.join("client/package.json")).ok();
    let package: Option<Value> = package.and_then(|text| serde_json::from_slice(&text).ok());
    let Some(package) = package else {
        return (NONE, None);
    };
    let needs = |name: &str| package["dependencies"].get(name).is_some();
    match (needs("next"), needs("react")) {
        (true, _) => ("react", Some("nextjs")),
        (false, true) => ("react", Some("vite")),
        (false, false) => ("vanilla", None),
    }
}
