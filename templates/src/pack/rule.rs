//! The rules of the catalogue by their names.

/// A rule of the catalogue. Its section in `PACKS.md` says what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// There is no more data than can be looked at.
    Size,
    /// Everything has the type that belongs there.
    Shape,
    /// There is no key that the schema does not have.
    Keys,
    /// Identifiers have their form, the pack's name in front, their kind behind, and are there once.
    Identifiers,
    /// Texts for people are one printable line.
    Texts,
    /// Modules, classes, names and expressions are nothing but these.
    Code,
    /// Names that are used are imported, each once, from the framework's services or from packages that are named.
    Imports,
    /// Each argument has one source.
    Sources,
    /// Types, choices, defaults and literals agree.
    Values,
    /// Each variable is described, is the service's own, and means one thing.
    Variables,
    /// Extras and packages can be installed, within bounds.
    Requirements,
    /// Prompt, turns and the like are where the kind has them.
    Place,
}

impl Rule {
    /// Every rule.
    pub const ALL: [Self; 12] = [
        Self::Size,
        Self::Shape,
        Self::Keys,
        Self::Identifiers,
        Self::Texts,
        Self::Code,
        Self::Imports,
        Self::Sources,
        Self::Values,
        Self::Variables,
        Self::Requirements,
        Self::Place,
    ];

    /// Returns the name for programs, stable.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Shape => "shape",
            Self::Keys => "keys",
            Self::Identifiers => "identifiers",
            Self::Texts => "texts",
            Self::Code => "code",
            Self::Imports => "imports",
            Self::Sources => "sources",
            Self::Values => "values",
            Self::Variables => "variables",
            Self::Requirements => "requirements",
            Self::Place => "place",
        }
    }

    /// Returns what mends a service that breaks it.
    #[must_use]
    pub const fn mend(self) -> &'static str {
        match self {
            Self::Size => "leave out what nobody chooses: a pack has at most 1 MiB of data",
            Self::Shape => {
                "write it so that it can be read, and give every key the type that the schema has for it"
            }
            Self::Keys => "leave out the key, or declare the version of the catalogue that has it",
            Self::Identifiers => {
                "call the service by the pack's name, its own words and its kind: `acme_fast_stt`"
            }
            Self::Texts => "write one line of plain characters, within the length",
            Self::Code => {
                "write the plain name of a module, a class or an argument: code belongs into the package that the pack installs"
            }
            Self::Imports => {
                "import every class that `call` and `expr` use once, from the framework's services or from a package of the service"
            }
            Self::Sources => "give every argument one of `env`, `value`, `expr` and `call`",
            Self::Values => "let default, choices and type of an argument agree",
            Self::Variables => {
                "describe every variable that a service reads under `env`, and no other"
            }
            Self::Requirements => {
                "write names as PyPI normalizes them, and give every package a floor and a ceiling: `acme-speech>=1.2,<2`"
            }
            Self::Place => {
                "give language models a `prompt`, realtime services `prompt` and `turns`"
            }
        }
    }
}
