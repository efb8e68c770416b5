//! What the names of given files and folders say about the plugins in them.

use bot_cli_engine::discovery::PREFIX;
use bot_cli_engine::platform::folders::program_name;
use regex_lite::Regex;

/// Matches what a release may have after the name of a plugin: nothing, a version, a platform, or what no plugin's name contains.
const RELEASE: &str = "^(?:[._].*|-v?[0-9]+[.].*|-(?:linux|darwin|macos|windows|x86_64|x64|amd64|arm64|aarch64)(?:[-_.].*)?)?$";

/// Matches the name of a pack's folder. The name may include a version, as in `bot-cli-pack-acme-v1.0`.
const PACK: &str = "^(?:bot-cli-)?(?:pack-)?(.*?)(?:-v?[0-9][^-]*[.].*)?$";

/// What the name of a file says about a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// The plugin is in the file.
    ItsName,
    /// Another plugin is in the file.
    Another,
    /// Nothing, because the name doesn't begin with `bot-cli-`.
    Nothing,
}

impl Says {
    /// Reads the name of a file about the plugin `name`.
    pub fn of(file: &str, name: &str) -> Self {
        let program = program_name(file).unwrap_or(file);
        let Some(named) = program.strip_prefix(PREFIX) else {
            return Self::Nothing;
        };
        let release = named.strip_prefix(name);
        let is_release = |it: &str| Regex::new(RELEASE).is_ok_and(|known| known.is_match(it));
        if release.is_some_and(is_release) {
            Self::ItsName
        } else {
            Self::Another
        }
    }
}

/// Returns the pack's name from the name of its folder.
pub fn pack(folder: &str) -> &str {
    let parts = Regex::new(PACK).ok();
    let parts = parts.and_then(|parts| parts.captures(folder));
    parts.map_or(folder, |it| it.get(1).map_or("", |name| name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{Says, pack};

    #[test]
    fn a_release_adds_to_the_name_of_a_plugin_what_is_no_part_of_a_name() {
        for (file, name, says) in [
            ("bot-cli-hello", "hello", Says::ItsName),
            ("bot-cli-hello-1.2.0", "hello", Says::ItsName),
            ("bot-cli-hello-v1.2-linux-amd64", "hello", Says::ItsName),
            ("bot-cli-hello-linux-amd64", "hello", Says::ItsName),
            (
                "bot-cli-hello-x86_64-unknown-linux-musl",
                "hello",
                Says::ItsName,
            ),
            ("bot-cli-hello_1.2.0_arm64", "hello", Says::ItsName),
            ("bot-cli-hello.py", "hello", Says::ItsName),
            ("bot-cli-hello", "cloud", Says::Another),
            ("bot-cli-hello-2", "hello", Says::Another),
            ("bot-cli-cloud-tools", "cloud", Says::Another),
            ("bot-cli-clouds", "cloud", Says::Another),
            ("bot-cli-", "cloud", Says::Another),
            ("download", "hello", Says::Nothing),
            ("hello-linux", "hello", Says::Nothing),
            ("", "hello", Says::Nothing),
        ] {
            assert_eq!(Says::of(file, name), says, "{file} {name}");
        }
        for folder in ["acme", "acme-1.0", "pack-acme", "bot-cli-pack-acme-v1.0"] {
            assert_eq!(pack(folder), "acme");
        }
    }
}
