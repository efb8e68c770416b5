//! Plugins in TypeScript. Each has a copy of the library, so that it needs no more than the compiler and the bundler from a registry.

use super::Mode::Text;
use super::{CHECK, Mode, Skeleton};

/// A file of the library, under the name it has in the folder of a plugin.
macro_rules! library {
    ($path:literal) => {
        (
            concat!("sdk/", $path),
            include_str!(concat!("../../../../sdk/typescript/", $path)),
            Text,
        )
    };
}

/// All files of a plugin: the texts of the plugin and its test, then what every plugin has.
const fn files(
    plugin: &'static str,
    test: &'static str,
) -> [(&'static str, &'static str, Mode); 23] {
    [
        ("src/plugin.ts", plugin, Text),
        ("src/plugin.test.ts", test, Text),
        (
            "package.json",
            include_str!("typescript/package.json"),
            Text,
        ),
        (
            "tsconfig.json",
            include_str!("typescript/tsconfig.json"),
            Text,
        ),
        (".gitignore", "/node_modules/\n/build/\n", Text),
        library!("tool.mjs"),
        library!("src/index.ts"),
        library!("src/arguments.ts"),
        library!("src/by-hand.ts"),
        library!("src/command.ts"),
        library!("src/complete.ts"),
        library!("src/failure.ts"),
        library!("src/help.ts"),
        library!("src/host.ts"),
        library!("src/main.ts"),
        library!("src/pack.ts"),
        library!("src/parse.ts"),
        library!("src/plugin.ts"),
        library!("src/question.ts"),
        library!("src/secrets.ts"),
        library!("src/serve.ts"),
        library!("src/session.ts"),
        library!("src/testing.ts"),
    ]
}

const NEXT: &[(&str, &str, &str)] = &[
    ("npm install --prefix ", "", ""),
    ("npm test --prefix ", "", ""),
    (CHECK, "/build/bot-cli-@NAME@", " --argv ''"),
    ("bot-cli plugin add ", "/build/bot-cli-@NAME@", ""),
];

pub const COMMAND: Skeleton = Skeleton {
    what: "plugin",
    files: &files(
        include_str!("typescript/plugin.ts"),
        include_str!("typescript/plugin.test.ts"),
    ),
    next: NEXT,
};

pub const BACKEND: Skeleton = Skeleton {
    what: "secrets backend",
    files: &files(
        include_str!("typescript/backend/plugin.ts"),
        include_str!("typescript/backend/plugin.test.ts"),
    ),
    next: NEXT,
};
