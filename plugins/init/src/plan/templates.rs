//! The template engine: Jinja with quoting filters. Lines that contain only tags produce no blank lines.

use std::collections::HashMap;
use std::sync::OnceLock;

use bot_cli_templates::project_files;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};

use super::{PlanError, quote};

/// The file extension for templates. All other files are copied unchanged.
const ENDING: &str = ".jinja";

type Quote = fn(&str) -> String;

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
    pub(super) fn get() -> Result<&'static Self, PlanError> {
        static TEMPLATES: OnceLock<Result<Templates, PlanError>> = OnceLock::new();
        TEMPLATES
            .get_or_init(|| Self::of(project_files()))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Parses templates from `(path, text)` pairs. Paths are relative to `templates/project`.
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

    /// Renders a project file, or copies the file if it isn't a template. `path` is the template's path without `.jinja`.
    pub(super) fn render(&self, path: &str, values: &Value) -> Result<String, PlanError> {
        if let Some(text) = self.copied.get(path) {
            return Ok((*text).to_owned());
        }
        let template = self.engine.get_template(path);
        let rendered = template.and_then(|template| template.render(values.clone()));
        rendered.map_err(|error| PlanError::broken(path, &error))
    }
}

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
