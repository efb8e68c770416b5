//! The template engine: Liquid with filters that quote, and lines of tags that leave no trace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bot_cli_templates::project_files;
use liquid::partials::{EagerCompiler, InMemorySource};
use liquid_core::{
    Display_filter, Filter, FilterReflection, ParseFilter, Runtime, Value, ValueView,
};

use super::{PlanError, quote};

pub(super) struct Templates {
    parser: liquid::Parser,
    /// Those that were rendered once, by their paths.
    parsed: Mutex<HashMap<String, Arc<liquid::Template>>>,
}

impl Templates {
    /// The templates, whose partials are parsed once a process.
    pub(super) fn get() -> Result<&'static Self, PlanError> {
        static TEMPLATES: OnceLock<Result<Templates, PlanError>> = OnceLock::new();
        TEMPLATES
            .get_or_init(Self::parse)
            .as_ref()
            .map_err(Clone::clone)
    }

    fn parse() -> Result<Self, PlanError> {
        let mut partials = EagerCompiler::<InMemorySource>::empty();
        for (path, text) in project_files() {
            if let Some(name) = path.strip_suffix(".liquid")
                && name.starts_with("partials/")
            {
                partials.add(name, without_tag_lines(text));
            }
        }
        let parser = liquid::ParserBuilder::with_stdlib()
            .partials(partials)
            .filter(Py)
            .filter(Doc)
            .filter(Toml)
            .filter(Yaml)
            .filter(Json)
            .filter(Html)
            .filter(Sh)
            .filter(Md)
            .build()
            .map_err(|error| PlanError::broken("partials", error.to_string()))?;
        Ok(Self {
            parser,
            parsed: Mutex::default(),
        })
    }

    pub(super) fn render(
        &self,
        template: &str,
        values: &liquid::Object,
    ) -> Result<String, PlanError> {
        self.template(template)?
            .render(values)
            .map_err(|error| PlanError::broken(template, error.to_string()))
    }

    fn template(&self, path: &str) -> Result<Arc<liquid::Template>, PlanError> {
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = parsed.get(path) {
            return Ok(Arc::clone(template));
        }
        let text = bot_cli_templates::project_file(path)
            .ok_or_else(|| PlanError::broken(path, "no such template"))?;
        let template = self
            .parser
            .parse(&without_tag_lines(text))
            .map_err(|error| PlanError::broken(path, error.to_string()))?;
        let template = Arc::new(template);
        parsed.insert(path.to_owned(), Arc::clone(&template));
        Ok(template)
    }
}

/// A line that holds one `{% tag %}` and nothing else vanishes with its indentation and its line break.
fn without_tag_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let is_tag =
            bare.starts_with("{%") && bare.ends_with("%}") && bare.matches("{%").count() == 1;
        out.push_str(if is_tag { bare } else { line });
    }
    out
}

/// A filter that writes its input as a literal of one language.
macro_rules! quoting_filter {
    ($type:ident, $display:ident, $name:literal, $about:literal, $quote:path) => {
        #[derive(Clone, ParseFilter, FilterReflection)]
        #[filter(name = $name, description = $about, parsed($display))]
        struct $type;

        #[derive(Debug, Default, Display_filter)]
        #[name = $name]
        struct $display;

        impl Filter for $display {
            fn evaluate(
                &self,
                input: &dyn ValueView,
                _: &dyn Runtime,
            ) -> liquid_core::Result<Value> {
                Ok(Value::scalar($quote(&input.to_kstr())))
            }
        }
    };
}

quoting_filter!(Py, PyFilter, "py", "A Python string.", quote::py);
quoting_filter!(
    Doc,
    DocFilter,
    "doc",
    "Text in a Python docstring.",
    quote::doc
);
quoting_filter!(Toml, TomlFilter, "toml", "A TOML string.", quote::double);
quoting_filter!(Yaml, YamlFilter, "yaml", "A YAML string.", quote::double);
quoting_filter!(Json, JsonFilter, "json", "A JSON string.", quote::double);
quoting_filter!(Html, HtmlFilter, "html", "HTML text.", quote::html);
quoting_filter!(Sh, ShFilter, "sh", "A word of a shell.", quote::sh);
quoting_filter!(Md, MdFilter, "md", "Markdown text.", quote::md);
