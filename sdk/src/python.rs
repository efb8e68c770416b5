//! The library for plugins in Python, as files for the folder of a new plugin.

/// Embeds a file of the package.
macro_rules! file {
    ($name:literal) => {
        (
            concat!("bot_cli_sdk/", $name),
            include_str!(concat!("../python/bot_cli_sdk/", $name)),
        )
    };
}

/// The folder of the package.
pub const PACKAGE: &str = "bot_cli_sdk";

/// The path of each file in that folder, with its contents.
pub const FILES: &[(&str, &str)] = &[
    file!("__init__.py"),
    file!("_build.py"),
    file!("_server.py"),
    file!("_terminal.py"),
    file!("command.py"),
    file!("failure.py"),
    file!("pack.py"),
    file!("plugin.py"),
    file!("py.typed"),
    file!("secrets.py"),
    file!("session.py"),
    file!("testing.py"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn every_file_of_the_package_is_embedded() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/python/bot_cli_sdk");
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let names = names.filter(|entry| entry.file_type().unwrap().is_file());
        let names = names.map(|entry| format!("bot_cli_sdk/{}", entry.file_name().display()));
        let names: BTreeSet<String> = names.collect();
        let embedded = super::FILES.iter().map(|(path, _)| (*path).to_owned());
        assert_eq!(embedded.collect::<BTreeSet<_>>(), names);
    }
}
