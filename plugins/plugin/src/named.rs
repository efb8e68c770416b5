//! What the names of given files and folders say about the plugins in them.

use bot_cli_engine::discovery::PREFIX;
use bot_cli_engine::platform::folders::program_name;
use regex_lite::Regex;

/// Matches what a release may have after the name of a plugin: nothing, a version, a platform, or what no plugin's name contains.
const RELEASE: &str = "^(?:[._].*|-v?[0-9]+[.].*|-(?:linux|darwin|macos|windows|x86_64|x64|amd64|arm64|aarch64)(?:[-_.].*)?)?$";

/// Matches the name of a pack's folder. The name may include a version, as in `bot-cli-pack-acme-v1.0`.
const PACK: &str = "^(?:bot-cli-)?(?:pack-)?(.*?)(?:-v?[0-9][^-]*[.].*)?$";

/// Reports whether a file is named for the plugin `name`. Returns `None` if its name doesn't begin with `bot-cli-`.
pub fn is_for(file: &str, name: &str) -> Option<bool> {
    let named = program_name(file).unwrap_or(file).strip_prefix(PREFIX)?;
    let is_release = |rest| Regex::new(RELEASE).is_ok_and(|it| it.is_match(rest));
    Some(named.strip_prefix(name).is_some_and(is_release))
}

/// Returns the pack's name from the name of its folder.
pub fn pack(folder: &str) -> &str {
    let parts = Regex::new(PACK).ok();
    let parts = parts.and_then(|parts| parts.captures(folder));
    parts.map_or(folder, |it| it.get(1).map_or("", |name| name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::{is_for, pack};

    #[test]
    fn a_release_adds_to_the_name_of_a_plugin_what_is_no_part_of_a_name() {
        for (file, name, says) in [
            ("bot-cli-hello", "hello", Some(true)),
            ("bot-cli-hello-1.2.0", "hello", Some(true)),
            ("bot-cli-hello-v1.2-linux-amd64", "hello", Some(true)),
            ("bot-cli-hello-linux-amd64", "hello", Some(true)),
            (
                "bot-cli-hello-x86_64-unknown-linux-musl",
                "hello",
                Some(true),
            ),
            ("bot-cli-hello_1.2.0_arm64", "hello", Some(true)),
            ("bot-cli-hello.py", "hello", Some(true)),
            ("bot-cli-hello", "cloud", Some(false)),
            ("bot-cli-hello-2", "hello", Some(false)),
            ("bot-cli-cloud-tools", "cloud", Some(false)),
            ("bot-cli-clouds", "cloud", Some(false)),
            ("bot-cli-", "cloud", Some(false)),
            ("download", "hello", None),
            ("hello-linux", "hello", None),
            ("", "hello", None),
        ] {
            assert_eq!(is_for(file, name), says, "{file} {name}");
        }
        for folder in ["acme", "acme-1.0", "pack-acme", "bot-cli-pack-acme-v1.0"] {
            assert_eq!(pack(folder), "acme");
        }
    }
}
