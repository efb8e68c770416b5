//! The files that `plugin new` writes.

use bot_cli_engine::discovery::PluginName;
use bot_cli_protocol::MARKER;
use bot_cli_templates::pack::SCHEMA;

/// A file of a new plugin. What stands between two `@` is replaced, in its path and in its text.
pub struct Template {
    pub path: &'static str,
    pub text: &'static str,
    pub is_program: bool,
}

const PROGRAM: bool = true;
const TEXT: bool = false;

/// A command in sh.
pub const SH: &[Template] = &[
    template("bot-cli-@NAME@", include_str!("sh/plugin.sh"), PROGRAM),
    template("test.sh", include_str!("sh/test.sh"), PROGRAM),
];

/// A command in Python.
pub const PYTHON: &[Template] = &[
    template("bot-cli-@NAME@", include_str!("python/plugin.py"), PROGRAM),
    template("test.py", include_str!("python/test.py"), PROGRAM),
];

/// A command in Rust.
pub const RUST: &[Template] = &[
    template("Cargo.toml", include_str!("rust/Cargo.toml.in"), TEXT),
    template("manifest.json", include_str!("rust/manifest.json"), TEXT),
    template("src/main.rs", include_str!("rust/main.rs"), TEXT),
    template(".gitignore", "/target\n", TEXT),
];

/// A provider pack without an executable.
pub const PACK: &[Template] = &[
    template("pack.toml", include_str!("pack/pack.toml"), TEXT),
    template(
        "providers/@SHORT@.toml",
        include_str!("pack/provider.toml"),
        TEXT,
    ),
];

/// A secrets backend in Python.
pub const BACKEND: &[Template] = &[
    template(
        "bot-cli-@NAME@",
        include_str!("backend/backend.py"),
        PROGRAM,
    ),
    template("test.py", include_str!("backend/test.py"), PROGRAM),
];

const fn template(path: &'static str, text: &'static str, is_program: bool) -> Template {
    Template {
        path,
        text,
        is_program,
    }
}

/// The values that the templates leave open.
pub struct Blanks<'a> {
    /// The plugin's name: `pack-acme`.
    pub name: &'a PluginName,
    /// The name without that of its role: `acme`.
    pub short: &'a str,
    /// The dependency on the library, in Rust.
    pub sdk: &'a str,
}

impl Blanks<'_> {
    /// Fills them in.
    pub fn fill(&self, text: &str) -> String {
        let id = self.short.replace('-', "_");
        let label: String = self
            .short
            .split('-')
            .filter(|part| !part.is_empty())
            .map(capital)
            .collect::<Vec<_>>()
            .join(" ");
        // A marker would be taken for that of the executable that holds these texts.
        text.replace("@MANIFEST@", MARKER)
            .replace("@NAME@", self.name.as_str())
            .replace("@SHORT@", self.short)
            .replace("@ID@", &id)
            .replace("@VARIABLE@", &id.to_uppercase())
            .replace("@LABEL@", &label)
            .replace("@SDK@", self.sdk)
            .replace("@CATALOGUE@", SCHEMA)
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}
