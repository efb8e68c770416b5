//! The names that generated code has for itself.

/// Names with spaces between them.
#[derive(Debug, Clone, Copy)]
pub struct Names(&'static str);

impl Names {
    /// Whether `name` is one of them.
    #[must_use]
    pub fn contains(self, name: &str) -> bool {
        self.0.split_whitespace().any(|known| known == name)
    }
}

/// The words that are no identifiers.
pub const KEYWORDS: Names = Names(include_str!("names/keywords.txt"));

/// The names that Python code has without importing them.
pub const BUILTINS: Names = Names(include_str!("names/builtins.txt"));

/// The modules of Python's standard library, of every version that a project can have, in lower case.
const STANDARD_MODULES: Names = Names(include_str!("names/standard_modules.txt"));

/// The modules that a service can't be imported from: the files of the project itself, and what has no names to import.
pub const OWN_MODULES: Names = Names(
    "\
    __future__ __main__ bot judge noise recording server services settings sockets tools transcript typed watch",
);

/// The names that `services.py` has beside those of its services.
pub const RESERVED: Names = Names(
    "\
    Literal NOT_GIVEN NotGiven aiohttp converted create_llm create_stt create_tts create_video one_of one_required os required session split \
    system_prompt",
);

/// Whether a top-level module is one of Python's own library, written in lower case there.
#[must_use]
pub fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.contains(name)
}

/// Whether a variable changes what runs, or how, far beyond a service. So does every one without an underscore.
pub fn is_reserved_variable(name: &str) -> bool {
    const NAMES: Names = Names("NOT_GIVEN BASH_ENV HTTPS_PROXY HTTP_PROXY NO_PROXY ALL_PROXY");
    const PREFIXES: &str = "\
        BOT_CLI_ CURL_ DYLD_ GIT_ LC_ LD_ NODE_ NPM_ PIPECAT_ PIP_ PYTHON REQUESTS_ SSL_ UV_ XDG_";
    let mut prefixes = PREFIXES.split(' ');
    !name.contains('_') || NAMES.contains(name) || prefixes.any(|it| name.starts_with(it))
}
