//! The checks themselves: each finds a defect that was planted in a project.

use std::collections::BTreeMap;
use std::fs;

use super::tools::{Finding, python, python_script, script};
use super::tree::{Tree, copy};

/// A file, what is replaced in it, by what, and what must then be said.
type Defect = (String, String, String, String);

/// The defects of `planted.json`: in files, in sessions, and in the catalogue, where a file is below `templates/` or the list of what is
/// left out.
fn planted(place: &str) -> Vec<Defect> {
    let defects = include_str!("planted.json");
    let mut defects: BTreeMap<String, Vec<Defect>> = serde_json::from_str(defects).unwrap();
    defects.remove(place).unwrap()
}

#[test]
fn every_defect_planted_in_a_file_is_found() {
    finds("check_projects.py", &planted("files"));
}

#[test]
fn every_defect_planted_in_a_session_is_found() {
    finds("hold_sessions.py", &planted("sessions"));
}

#[test]
fn every_defect_planted_in_the_catalogue_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/../templates");
    for (what, from) in [
        ("providers", format!("{templates}/providers")),
        ("transports", format!("{templates}/transports")),
    ] {
        let to = folder.path().join("templates").join(what);
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let left_out = folder.path().join("left_out.toml");
    fs::copy(script("left_out.toml"), &left_out).unwrap();
    let defects = planted("catalogue");
    for (file, old, new, _) in &defects {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} has no `{old}` to replace");
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }
    let output = python_script("check_catalogue.py")
        .arg("--templates")
        .arg(folder.path().join("templates"))
        .arg("--left-out")
        .arg(&left_out)
        .args([
            "--may-miss=pocket-tts,funasr",
            "--construct=nvidia,funasr,piper",
        ])
        .output()
        .unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    for (_, _, new, expected) in &defects {
        assert!(
            found.contains(expected),
            "`{new}` should be called `{expected}`:\n{}",
            Finding(&output)
        );
    }
    assert_eq!(output.status.code(), Some(1));
}

fn finds(tool: &str, defects: &[Defect]) {
    let tree = Tree::of_the_catalogue();
    let folder = tempfile::tempdir().unwrap();
    for (number, (file, old, new, _)) in defects.iter().enumerate() {
        let project = folder.path().join(format!("planted-{number:02}"));
        copy(tree.case("all-features"), &project);
        let path = project.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains(old),
            "{file} has no `{old}` to plant a defect in:\n{text}"
        );
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }
    let output = python()
        .command("python")
        .arg(script(tool))
        .arg(folder.path())
        .output()
        .unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    let of_project = |number: usize| {
        let begin = found.find(&format!("planted-{number:02}: "))?;
        let rest = &found[begin..];
        Some(
            &rest[..rest[1..]
                .find("\nplanted-")
                .map_or(rest.len(), |end| end + 1)],
        )
    };
    for (number, (file, _, new, expected)) in defects.iter().enumerate() {
        assert!(
            of_project(number).is_some_and(|said| said.contains(expected)),
            "`{new}` in {file} should be called `{expected}`:\n{}",
            Finding(&output)
        );
    }
}
