//! The libraries for plugins in other languages, as files to copy into a new plugin.

/// A library that is copied into each plugin.
#[derive(Debug)]
pub struct Library {
    /// The library's folder within the plugin's folder.
    pub folder: &'static str,
    /// The path of each file relative to `folder`, with the file's contents.
    pub files: &'static [(&'static str, &'static str)],
}

macro_rules! files {
    ($folder:literal: $($path:literal)*) => {
        &[$(($path, include_str!(concat!("../", $folder, "/", $path)))),*]
    };
}

#[rustfmt::skip]
#[expect(missing_docs, reason = "the name says it")]
pub const PYTHON: Library = Library {
    folder: "bot_cli_sdk",
    files: files!("python/bot_cli_sdk":
        "__init__.py" "_build.py" "_server.py" "_terminal.py" "command.py" "failure.py" "pack.py" "plugin.py" "py.typed" "secrets.py"
        "session.py" "testing.py"
    ),
};

#[rustfmt::skip]
#[expect(missing_docs, reason = "the name says it")]
pub const TYPESCRIPT: Library = Library {
    folder: "sdk",
    files: files!("typescript":
        "tool.mjs" "src/arguments.ts" "src/by-hand.ts" "src/command.ts" "src/complete.ts" "src/failure.ts" "src/help.ts" "src/host.ts"
        "src/index.ts" "src/main.ts" "src/pack.ts" "src/parse.ts" "src/plugin.ts" "src/question.ts" "src/secrets.ts" "src/serve.ts"
        "src/session.ts" "src/testing.ts"
    ),
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::{Library, PYTHON, TYPESCRIPT};

    fn files(library: &str, below: &str) -> BTreeSet<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(library);
        let entries = fs::read_dir(folder.join(below)).unwrap();
        let entries = entries.map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        files
            .map(|entry| format!("{below}{}", entry.file_name().display()))
            .collect()
    }

    #[test]
    fn every_file_of_the_libraries_is_embedded() {
        let embedded = |library: &Library| -> BTreeSet<String> {
            let paths = library.files.iter().map(|(path, _)| (*path).to_owned());
            paths.collect()
        };
        assert_eq!(embedded(&PYTHON), files("python/bot_cli_sdk", ""));
        let mut typescript = files("typescript", "src/");
        typescript.insert("tool.mjs".to_owned());
        assert_eq!(embedded(&TYPESCRIPT), typescript);
    }
}
