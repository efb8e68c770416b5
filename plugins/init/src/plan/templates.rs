//! The template engine: Jinja with filters that quote, and lines of tags that leave no trace.

use std::collections::HashMap;
use std::sync::OnceLock;

use bot_cli_templates::project_files;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use super::{PlanError, quote};

/// The ending of the files that are rendered; all others are copied.
const ENDING: &str = ".jinja";

/// Writes a text as a literal of one language.
type Quote = fn(&str) -> String;

/// The filters.
const FILTERS: [(&str, Quote); 7] = [
    ("py", quote::py),
    ("doc", quote::doc),
    ("toml", quote::double),
    ("json", quote::double),
    ("html", quote::html),
    ("sh", quote::sh),
    ("md", quote::md),
];

pub(super) struct Templates {
    engine: Environment<'static>,
    copied: HashMap<&'static str, &'static str>,
}

impl Templates {
    /// The embedded templates, which are parsed once a process.
    pub(super) fn get() -> Result<&'static Self, PlanError> {
        static TEMPLATES: OnceLock<Result<Templates, PlanError>> = OnceLock::new();
        TEMPLATES
            .get_or_init(|| Self::of(project_files()))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Takes templates by their paths below `templates/project`.
    pub(super) fn of(
        files: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Result<Self, PlanError> {
        let mut engine = Environment::new();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_auto_escape_callback(|_| AutoEscape::None);
        let mut syntax = SyntaxConfig::builder();
        let syntax = syntax.keep_trailing_newline(true).trim_blocks(true);
        let syntax = syntax.lstrip_blocks(true).build();
        engine.set_syntax(syntax.map_err(|error| PlanError::broken("templates", &error))?);
        for (name, quote) in FILTERS {
            engine.add_filter(name, move |input: &Value| literal(input, quote));
        }
        let mut copied = HashMap::new();
        for (path, text) in files {
            if let Some(name) = path.strip_suffix(ENDING) {
                let added = engine.add_template(name, text);
                added.map_err(|error| PlanError::broken(name, &error))?;
            } else {
                copied.insert(path, text);
            }
        }
        Ok(Self { engine, copied })
    }

    /// Renders a file of the project; `path` is that of its template, without the ending. A file without the ending is copied.
    pub(super) fn render(&self, path: &str, values: &Value) -> Result<String, PlanError> {
        if let Some(text) = self.copied.get(path) {
            return Ok((*text).to_owned());
        }
        let template = self.engine.get_template(path);
        let rendered = template.and_then(|template| template.render(values.clone()));
        rendered.map_err(|error| PlanError::broken(path, &error))
    }
}

/// A text as `quote` writes it, or a list of texts within brackets.
fn literal(input: &Value, quote: Quote) -> Result<String, minijinja::Error> {
    if !matches!(input.kind(), ValueKind::Seq | ValueKind::Iterable) {
        return Ok(quote(&input.to_string()));
    }
    let items: Vec<String> = input
        .try_iter()?
        .map(|item| quote(&item.to_string()))
        .collect();
    Ok(format!("[{}]", items.join(", ")))
}
