//! A folder of projects with every service, transport and feature. Every pair of choices occurs in one of the projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bot_cli_init::{GuidePath, planned_guides, scaffold};
use bot_cli_tests::matrix::{Combination, pairwise};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder of generated projects.
pub(super) struct Tree {
    folder: TempDir,
    /// The commands that generate the projects, by project name.
    commands: BTreeMap<String, String>,
}

impl Tree {
    /// Returns a tree that concurrent tests share. The folder is deleted with the last reference.
    pub(super) fn of_the_catalogue() -> Arc<Self> {
        static SHARED: Mutex<Weak<Tree>> = Mutex::new(Weak::new());
        // A test that failed to write its projects leaves nothing behind that another could trip over.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = shared.upgrade() {
            return tree;
        }
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let commands = pairwise()
            .into_iter()
            .map(|combination| {
                let command = write(&combination, folder.path());
                (combination.name, command)
            })
            .collect();
        let tree = Arc::new(Tree { folder, commands });
        *shared = Arc::downgrade(&tree);
        tree
    }

    pub(super) fn root(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Returns the path `below` in each project.
    pub(super) fn files(&self, below: &str) -> Vec<String> {
        let names = self.commands.keys();
        names
            .map(|name| format!("{}/{name}/{below}", self.root()))
            .collect()
    }

    /// Returns the commands that generate the projects mentioned in a finding.
    pub(super) fn commands(&self, finding: &str) -> String {
        let commands = self.commands.iter();
        let named = commands.filter(|(name, _)| finding.contains(&format!("{name}/")));
        let commands: Vec<&str> = named.map(|(_, command)| command.as_str()).collect();
        commands.join("\n")
    }
}

/// Writes a project without the checks that `init` makes for existing files. Returns the equivalent command.
fn write(combination: &Combination, root: &Path) -> String {
    let name = &combination.name;
    let command = format!("bot-cli init {}", combination.arguments().join(" "));
    let config = combination
        .config()
        .unwrap_or_else(|problem| panic!("{command}\n{problem}"));
    let planned = scaffold(&config).unwrap_or_else(|problem| panic!("{command}\n{problem}"));
    let guides = planned_guides(GuidePath::Scaffold).unwrap();
    for file in planned.files.iter().chain(&guides) {
        let path = root.join(name).join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &file.text).unwrap();
    }
    let ids = |key: &str| combination.keys.get(key).cloned().unwrap_or_default();
    let services =
        ["stt", "llm", "tts", "realtime", "video"].map(|kind| ids(&format!("{kind}_service")));
    let made = json!({
        "command": command,
        "transports": ids("transports"),
        "services": services.into_iter().filter(Value::is_string).collect::<Vec<_>>(),
        "config": config.to_json(),
    });
    fs::write(root.join(format!("{name}.json")), made.to_string()).unwrap();
    command
}
