//! The user's shell: argument quoting and program lookup.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

pub use crate::platform::shell::quoted;

/// Reports whether a new shell would find `program`. `path` is this process's `PATH`.
///
/// For a single run, `uvx` adds the environment of a tool, or a cached environment, to `PATH`. A program that exists only in such an
/// environment does not count.
pub fn will_find(program: &str, path: &OsStr) -> bool {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(path)
        .any(|folder| folder.is_absolute() && folder.join(&name).is_file() && stays(&folder))
}

/// Reports whether a folder on `PATH` is also on the `PATH` of a new shell.
fn stays(folder: &Path) -> bool {
    let Some(environment) = folder.parent() else {
        return true;
    };
    let is_of_a_tool = environment.join("uv-receipt.toml").is_file();
    let is_in_a_cache = || {
        let mut folders = environment.ancestors();
        folders.any(|folder| folder.join("CACHEDIR.TAG").is_file())
    };
    !environment.join("pyvenv.cfg").is_file() || !(is_of_a_tool || is_in_a_cache())
}

#[cfg(test)]
mod tests {
    use std::env::consts::EXE_SUFFIX;
    use std::fs;

    use super::will_find;

    #[test]
    fn a_program_that_uvx_runs_once_is_not_found_afterwards() {
        let root = tempfile::tempdir().unwrap();
        let make = |file: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        for file in [
            "uv/tools/voice/pyvenv.cfg",
            "uv/tools/voice/uv-receipt.toml",
            "cache/CACHEDIR.TAG",
            "cache/archive/1/pyvenv.cfg",
            "project/.venv/pyvenv.cfg",
        ] {
            make(file);
        }
        fs::create_dir(root.path().join("empty")).unwrap();
        let found = |folders: &[&str]| {
            let folders = folders.iter().map(|folder| root.path().join(folder));
            will_find("bot-cli", &std::env::join_paths(folders).unwrap())
        };
        for (folder, expected) in [
            ("uv/tools/voice/bin", false),
            ("cache/archive/1/bin", false),
            // A cargo build folder, the user's own environment, and a folder of links.
            ("cache/build", true),
            ("project/.venv/bin", true),
            (".local/bin", true),
        ] {
            make(&format!("{folder}/bot-cli{EXE_SUFFIX}"));
            assert_eq!(found(&[folder]), expected, "{folder}");
        }
        assert!(found(&["cache/archive/1/bin", ".local/bin"]));
        assert!(!found(&["empty", "missing"]));
        assert!(!found(&[]));
    }
}
