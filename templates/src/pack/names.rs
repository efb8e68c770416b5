//! Names that provider packs can't use.

use crate::embedded::is_template;

/// A list of names, separated by spaces.
#[derive(Debug, Clone, Copy)]
pub struct Names(&'static str);

impl Names {
    pub fn contains(self, name: &str) -> bool {
        self.0.split_ascii_whitespace().any(|known| known == name)
    }
}

pub const KEYWORDS: Names = Names(include_str!("names/keywords.txt"));

pub const BUILTINS: Names = Names(include_str!("names/builtins.txt"));

/// The lowercase names of the standard library modules in all Python versions that a project can use.
const STANDARD_MODULES: Names = Names(include_str!("names/standard_modules.txt"));

/// The names that `services.py` itself defines or imports.
pub const RESERVED: Names = Names(
    "\
    Literal NOT_GIVEN NotGiven aiohttp converted create_llm create_stt create_tts create_video one_of one_required optional os required \
    session split system_prompt",
);

/// Reports whether a service can't be imported from this top-level module: it is one of the project's own, or a special one.
pub fn is_own_module(name: &str) -> bool {
    ["__future__", "__main__", "judge"].contains(&name) || is_template(&format!("server/{name}.py"))
}

/// Reports whether a top-level module belongs to the Python standard library. The name must be in lowercase.
pub fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.contains(name)
}

/// Reports whether an environment variable may affect programs other than the service. Every name without an underscore is reserved.
pub fn is_reserved_variable(name: &str) -> bool {
    const NAMES: Names = Names(
        "NOT_GIVEN BASH_ENV HTTPS_PROXY HTTP_PROXY NO_PROXY ALL_PROXY ALLOWED_ORIGINS MAX_SESSIONS PUBLIC_HOST SERVER_NAME START_KEY",
    );
    const PREFIXES: &str = "\
        BOT_CLI_ CURL_ DYLD_ GIT_ LC_ LD_ NODE_ NPM_ OTEL_ PIPECAT_ PIP_ PYTHON REQUESTS_ SSL_ UV_ XDG_";
    let mut prefixes = PREFIXES.split(' ');
    !name.contains('_') || NAMES.contains(name) || prefixes.any(|it| name.starts_with(it))
}
