//! The user's shell: words of commands as it reads them back, and the programs that the next one finds.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

pub use crate::platform::shell::quoted;

/// Whether the user's next shell finds `program`, where this process has the `PATH` in `path`.
///
/// `uvx` adds the environment of a tool, or one in its cache, for a single run: what is only there is not found.
pub fn will_find(program: &str, path: &OsStr) -> bool {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(path)
        .any(|folder| folder.is_absolute() && folder.join(&name).is_file() && stays(&folder))
}

/// Whether a folder on `PATH` is there in the user's next shell, too.
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
            // What cargo builds, an environment of the user's own, and a folder of links.
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
