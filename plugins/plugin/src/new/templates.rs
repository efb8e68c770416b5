//! The files that `plugin new` writes. A name between two `@` is replaced, in paths and in texts.

/// A plugin to write.
pub struct Skeleton {
    pub what: &'static str,
    pub files: &'static [Template],
    /// The commands that come next: what is before a path in the new folder, the path, and what is after it.
    pub next: &'static [(&'static str, &'static str, &'static str)],
}

pub struct Template {
    pub path: &'static str,
    pub text: &'static str,
    pub is_program: bool,
}

const CHECK: &str = "bot-cli plugin check ";

/// A command in sh.
pub const SH: Skeleton = Skeleton {
    what: "plugin",
    files: &[
        program("bot-cli-@NAME@", include_str!("sh/plugin.sh")),
        program("test.sh", include_str!("sh/test.sh")),
    ],
    next: &[
        ("", "test.sh", ""),
        (CHECK, "bot-cli-@NAME@", " --argv world"),
        ("", "bot-cli-@NAME@", " world"),
    ],
};

/// A command in Python. Without words it asks, so that the checks of questions are made, too.
pub const PYTHON: Skeleton = Skeleton {
    what: "plugin",
    files: &[
        program("bot-cli-@NAME@", include_str!("python/plugin.py")),
        program("test.py", include_str!("python/test.py")),
    ],
    next: &[
        ("", "test.py", ""),
        (CHECK, "bot-cli-@NAME@", " --argv ''"),
        ("", "bot-cli-@NAME@", " world"),
    ],
};

/// A command in Rust.
pub const RUST: Skeleton = Skeleton {
    what: "plugin",
    files: &[
        text("Cargo.toml", include_str!("rust/Cargo.toml.in")),
        text("manifest.json", include_str!("rust/manifest.json")),
        text("src/main.rs", include_str!("rust/main.rs")),
        text(".gitignore", "/target\n"),
    ],
    next: &[
        ("cargo test --manifest-path ", "Cargo.toml", ""),
        (CHECK, "target/debug/bot-cli-@NAME@@EXE@", " --argv ''"),
        ("", "target/debug/bot-cli-@NAME@@EXE@", " world"),
    ],
};

/// A provider pack without an executable.
pub const PACK: Skeleton = Skeleton {
    what: "provider pack",
    files: &[
        text("pack.toml", include_str!("pack/pack.toml")),
        text("providers/@SHORT@.toml", include_str!("pack/provider.toml")),
    ],
    next: &[(CHECK, "", ""), ("bot-cli plugin add ", "", "")],
};

/// A secrets backend in Python.
pub const BACKEND: Skeleton = Skeleton {
    what: "secrets backend",
    files: &[
        program("bot-cli-@NAME@", include_str!("backend/backend.py")),
        program("test.py", include_str!("backend/test.py")),
    ],
    next: &[
        ("", "test.py", ""),
        (CHECK, "bot-cli-@NAME@", " --argv ''"),
        ("bot-cli plugin add ", "bot-cli-@NAME@", ""),
    ],
};

const fn program(path: &'static str, text: &'static str) -> Template {
    Template {
        path,
        text,
        is_program: true,
    }
}

const fn text(path: &'static str, text: &'static str) -> Template {
    Template {
        path,
        text,
        is_program: false,
    }
}
