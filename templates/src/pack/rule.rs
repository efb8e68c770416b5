//! The rules of the catalogue, and what breaks them.

/// A rule of the catalogue. Its row in `PACKS.md` says what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// There is no more data than can be looked at.
    Size,
    /// Everything has the type that belongs there.
    Shape,
    /// There is no key that the schema does not have.
    Keys,
    /// Identifiers have their form and are unique.
    Identifiers,
    /// Texts for people are one printable line.
    Texts,
    /// Modules, classes, names and expressions are nothing but these.
    Code,
    /// Names that are used are imported once, from the framework's services or from packages that are named.
    Imports,
    /// Each argument has one source.
    Sources,
    /// Types, choices, defaults and literals agree.
    Values,
    /// Each variable is described, is the service's own, and means one thing.
    Variables,
    /// Extras and packages can be installed, within bounds.
    Requirements,
    /// Prompt, turns and the like are used for the kinds that have them.
    Place,
}

impl Rule {
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
}

/// A rule that is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The rule.
    pub rule: Rule,
    /// The field: `args.api_key.env`.
    pub field: String,
    /// The problem, as it follows the field: `must not be empty`.
    pub problem: String,
}

impl Problem {
    pub(super) fn new(rule: Rule, field: &str, problem: impl Into<String>) -> Self {
        Self {
            rule,
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// Returns the field and what is wrong with it.
    #[must_use]
    pub fn reason(&self) -> String {
        format!("`{}` {}", self.field, self.problem)
    }
}
