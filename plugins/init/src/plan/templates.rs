//! The template engine: Liquid with filters that quote, and lines of tags that leave no trace.
//!
//! Parsing is what rendering costs, and it is paid for by the character. So only tags are parsed: the text between them
//! is lifted out before, and a tag of its own writes it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bot_cli_templates::project_files;
use liquid::partials::LazyCompiler;
use liquid_core::{
    Display_filter, Filter, FilterReflection, ParseFilter, Runtime, Value, ValueView,
};

use super::{PlanError, quote};
use plain_text::{Partials, PlainText, PlainTextTag};

mod plain_text;

/// The ending of the files that are rendered; all others are copied.
const ENDING: &str = ".liquid";

pub(super) struct Templates {
    parser: liquid::Parser,
    files: HashMap<&'static str, &'static str>,
    plain: PlainText,
    /// Those that were rendered once, by their paths.
    parsed: Mutex<HashMap<String, Arc<liquid::Template>>>,
}

impl Templates {
    /// The embedded templates, each of which is parsed once a process.
    pub(super) fn get() -> Result<&'static Self, PlanError> {
        static TEMPLATES: OnceLock<Result<Templates, PlanError>> = OnceLock::new();
        TEMPLATES
            .get_or_init(|| Self::of(project_files()))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Takes templates by their paths below `templates/project`. Partials are parsed where one is included.
    pub(super) fn of(
        files: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Result<Self, PlanError> {
        let files: HashMap<_, _> = files.into_iter().collect();
        let plain = PlainText::default();
        let partials = files.iter().filter_map(|(path, text)| {
            let name = path.strip_suffix(ENDING)?;
            name.starts_with("partials/").then_some((name, *text))
        });
        let partials = Partials::new(partials.collect(), plain.clone());
        let parser = liquid::ParserBuilder::with_stdlib()
            .partials(LazyCompiler::new(partials))
            .tag(PlainTextTag(plain.clone()))
            .filter(Py)
            .filter(Doc)
            .filter(Toml)
            .filter(Json)
            .filter(Html)
            .filter(Sh)
            .filter(Md)
            .build()
            .map_err(|error| PlanError::broken("partials", error))?;
        Ok(Self {
            parser,
            files,
            plain,
            parsed: Mutex::default(),
        })
    }

    /// Renders a file of the project; `path` is that of its template, without the ending. A file without the ending is copied.
    pub(super) fn render(&self, path: &str, values: &liquid::Object) -> Result<String, PlanError> {
        let broken = |error| PlanError::broken(path, error);
        if let Some(text) = self.files.get(format!("{path}{ENDING}").as_str()) {
            let template = self.template(path, text).map_err(broken)?;
            return template.render(values).map_err(broken);
        }
        let text = self.files.get(path).map(|text| (*text).to_owned());
        text.ok_or_else(|| PlanError::broken(path, "no such template"))
    }

    fn template(
        &self,
        path: &str,
        text: &'static str,
    ) -> liquid_core::Result<Arc<liquid::Template>> {
        let parsed = || self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = parsed().get(path) {
            return Ok(Arc::clone(template));
        }
        // Not while others wait for the list: two that parse the same one at the same time are rare.
        let template = Arc::new(self.parser.parse(&self.plain.lift(text))?);
        parsed().insert(path.to_owned(), Arc::clone(&template));
        Ok(template)
    }
}

/// A text as `quote` writes it, or a list of texts within brackets.
fn literal(input: &dyn ValueView, quote: fn(&str) -> String) -> String {
    let Some(items) = input.as_array() else {
        return quote(&input.to_kstr());
    };
    let items: Vec<String> = items.values().map(|item| quote(&item.to_kstr())).collect();
    format!("[{}]", items.join(", "))
}

/// A filter that writes its input as a literal of one language.
macro_rules! quoting_filters {
    ($($type:ident, $display:ident, $name:literal, $about:literal, $quote:path;)+) => {$(
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
                Ok(Value::scalar(literal(input, $quote)))
            }
        }
    )+};
}

quoting_filters! {
    Py, PyFilter, "py", "A Python string.", quote::py;
    Doc, DocFilter, "doc", "Text in a Python docstring.", quote::doc;
    Toml, TomlFilter, "toml", "A TOML string.", quote::double;
    Json, JsonFilter, "json", "A JSON string.", quote::double;
    Html, HtmlFilter, "html", "HTML text.", quote::html;
    Sh, ShFilter, "sh", "A word of a shell.", quote::sh;
    Md, MdFilter, "md", "Markdown text.", quote::md;
}
