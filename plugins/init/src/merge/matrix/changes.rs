//! Changes to projects: added or removed options, and templates from a later version.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fastrand::Rng;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Files;
use super::edits::Step;
use crate::catalogue::Catalogue;
use crate::config::parse_file;
use crate::plan::scaffold;
use crate::resolve::resolve;

pub(in crate::merge) struct Change {
    pub name: String,
    pub base: Files,
    pub new: Files,
}

type Configuration = Map<String, Value>;

#[derive(Deserialize)]
struct Table {
    base: BTreeMap<String, Configuration>,
    option: Vec<Said>,
    rewrite: Vec<Rewrite>,
}

#[derive(Deserialize)]
struct Said {
    bases: Vec<String>,
    name: String,
    with: Configuration,
    #[serde(default)]
    without: Vec<String>,
}

#[derive(Deserialize)]
struct Rewrite {
    name: String,
    step: Vec<Step>,
    /// The files to remove from the rewritten project, which then is the older version. If absent, it is the newer one.
    older_without: Option<Vec<String>>,
}

pub(in crate::merge) fn all() -> &'static [Change] {
    static CHANGES: LazyLock<Vec<Change>> = LazyLock::new(made);
    &CHANGES
}

fn made() -> Vec<Change> {
    let table: Table = toml::from_str(include_str!("changes.toml")).unwrap();
    let projects: BTreeMap<&String, Files> = (table.base.iter())
        .map(|(name, keys)| (name, make(keys)))
        .collect();
    let mut changes = Vec::new();
    let mut add = |name: &str, base: Files, new: Files| {
        let name = name.to_owned();
        changes.push(Change { name, base, new });
    };
    for option in &table.option {
        for base in &option.bases {
            let mut keys = table.base[base].clone();
            keys.extend(option.with.clone());
            keys.retain(|key, _| !option.without.contains(key));
            let new = make(&keys);
            // A base that already has the option does not change.
            if new != projects[base] {
                let name = format!("{base}: {}", option.name);
                add(&name, projects[base].clone(), new);
            }
        }
    }
    for (place, rewrite) in table.rewrite.iter().enumerate() {
        let base = &["web", "telephone", "rooms"][place % 3].to_owned();
        let mut other = projects[base].clone();
        for step in &rewrite.step {
            assert!(
                step.apply(&mut other).is_some(),
                "{}: {step:?}",
                rewrite.name
            );
        }
        assert_ne!(other, projects[base], "{}", rewrite.name);
        let name = format!("{base}: {}", rewrite.name);
        if let Some(absent) = &rewrite.older_without {
            other.retain(|path, _| !absent.contains(path));
            add(&name, other, projects[base].clone());
        } else {
            add(&name, projects[base].clone(), other);
        }
    }
    changes
}

/// Draws a change of a project that has further options. Returns `None` if options exclude each other.
pub(super) fn drawn(rng: &mut Rng) -> Option<Change> {
    let table: Table = toml::from_str(include_str!("changes.toml")).unwrap();
    let (base, keys) = rng.choice(&table.base)?;
    let mut keys = keys.clone();
    let mut name = base.clone();
    let mut add = |keys: &mut Configuration, rng: &mut Rng| {
        let fits = |option: &&Said| option.bases.contains(base);
        let option = rng.choice(table.option.iter().filter(fits).collect::<Vec<_>>())?;
        keys.extend(option.with.clone());
        keys.retain(|key, _| !option.without.contains(key));
        name.extend([": ", &option.name]);
        Some(())
    };
    for _ in 0..rng.usize(..3) {
        add(&mut keys, rng)?;
    }
    let before = made_of(&keys)?;
    for _ in 0..rng.usize(1..3) {
        add(&mut keys, rng)?;
    }
    let new = made_of(&keys).filter(|new| *new != before)?;
    let base = before;
    Some(Change { name, base, new })
}

fn make(keys: &Configuration) -> Files {
    made_of(keys).unwrap_or_else(|| panic!("{keys:?}"))
}

fn made_of(keys: &Configuration) -> Option<Files> {
    let text = serde_json::to_string(keys).unwrap();
    let read = parse_file(&text).unwrap();
    assert_eq!(read.problems, [], "{text}");
    let config = resolve(&read.draft, Some("shop"), Catalogue::built_in()).ok()?;
    let files = scaffold(&config).unwrap().files.into_iter();
    Some(files.map(|file| (file.path, file.text)).collect())
}
