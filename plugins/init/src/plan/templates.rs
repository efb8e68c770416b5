//! The template engine: Liquid with quoting filters. Lines that contain only tags leave nothing.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::OnceLock;

use bot_cli_templates::project_files;
use liquid::model::Value;
use liquid::partials::{InMemorySource, LazyCompiler};
use liquid::{Object, Parser, ParserBuilder, Template};
use liquid_core::parser::{FilterArguments, FilterReflection, ParameterReflection};
use liquid_core::{Filter, ParseFilter, Runtime, ValueView};
use serde::Serialize;

use super::{PlanError, quote};

/// The file extension for templates. All other files are copied unchanged.
const ENDING: &str = ".liquid";

/// The folder of the templates that others include.
const PARTIALS: &str = "partials/";

/// The name under which the templates have their literal text.
const TEXTS: &str = "_";

pub(super) struct Templates {
    parser: Parser,
    /// The templates that are no partials, each parsed when it is first rendered. Their literal text is in `texts`, since the parser is slow
    /// at it.
    main: HashMap<&'static str, (String, OnceLock<Template>)>,
    texts: Value,
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

    /// Reads templates from `(path, text)` pairs. Paths are relative to `templates/project`.
    pub(super) fn of(
        files: impl IntoIterator<Item = (&'static str, &'static str)>,
    ) -> Result<Self, PlanError> {
        let mut partials = InMemorySource::new();
        let (mut main, mut copied) = (HashMap::new(), HashMap::new());
        let mut texts = Vec::new();
        let mut short = |text| without_texts(&joined(text), &mut texts);
        for (path, text) in files {
            match path.strip_suffix(ENDING) {
                Some(name) if name.starts_with(PARTIALS) => _ = partials.add(name, short(text)),
                Some(name) => _ = main.insert(name, (short(text), OnceLock::new())),
                None => _ = copied.insert(path, text),
            }
        }
        let mut builder = ParserBuilder::with_stdlib().partials(LazyCompiler::new(partials));
        for filter in FILTERS {
            builder = builder.filter(filter);
        }
        let parser = builder.build();
        Ok(Self {
            parser: parser.map_err(|error| PlanError::broken("templates", &error))?,
            main,
            texts: Value::Array(texts),
            copied,
        })
    }

    /// Returns the variables of templates, which are `values` and their own literal text.
    pub(super) fn variables(&self, values: &impl Serialize) -> Result<Object, PlanError> {
        let broken = |error| PlanError::broken("templates", &error);
        let mut variables = liquid::to_object(values).map_err(broken)?;
        variables.insert(TEXTS.into(), self.texts.clone());
        Ok(variables)
    }

    /// Renders a project file, or copies the file if it isn't a template. `path` is the template's path without `.liquid`.
    pub(super) fn render(&self, path: &str, values: &Object) -> Result<String, PlanError> {
        if let Some(text) = self.copied.get(path) {
            return Ok((*text).to_owned());
        }
        let broken = |error| PlanError::broken(path, &error);
        let Some((text, parsed)) = self.main.get(path) else {
            return Err(PlanError::broken(path, &"it has no template"));
        };
        let template = match parsed.get() {
            Some(template) => template,
            None => parsed.get_or_init({
                let template = self.parser.parse(text).map_err(broken)?;
                || template
            }),
        };
        template.render(values).map_err(broken)
    }
}

/// Joins each line that contains only tags to the next line.
fn joined(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| if is_tags(line) { line.trim() } else { line });
    lines.collect()
}

fn is_tags(line: &str) -> bool {
    let mut rest = line.trim();
    while let Some((_, after)) = rest.strip_prefix("{%").and_then(|it| it.split_once("%}")) {
        if after.is_empty() {
            return true;
        }
        rest = after.trim_start();
    }
    false
}

/// Replaces the literal text of a template by references to `texts`.
fn without_texts(template: &str, texts: &mut Vec<Value>) -> String {
    let (mut short, mut rest) = (String::new(), template);
    while !rest.is_empty() {
        let begin = [rest.find("{{"), rest.find("{%")]
            .into_iter()
            .flatten()
            .min();
        let (mut text, tag) = rest.split_at(begin.unwrap_or(rest.len()));
        if tag.get(2..3) == Some("-") {
            text = text.trim_end();
        }
        if !text.is_empty() {
            let _ = write!(short, "{{{{ {TEXTS}[{}] }}}}", texts.len());
            texts.push(Value::scalar(text.to_owned()));
        }
        let end = tag.find(if tag.starts_with("{{") { "}}" } else { "%}" });
        let (tag, after) = tag.split_at(end.map_or(tag.len(), |end| end + 2));
        short += tag;
        rest = if tag.ends_with("-%}") || tag.ends_with("-}}") {
            after.trim_start()
        } else {
            after
        };
    }
    short
}

/// A filter that quotes text for a language. Of a list, it makes a list of quoted texts.
#[derive(Clone)]
struct Quoting(&'static str, fn(&str) -> String);

const FILTERS: [Quoting; 7] = [
    Quoting("py", quote::py),
    Quoting("doc", quote::doc),
    Quoting("toml", quote::double),
    Quoting("json", quote::double),
    Quoting("html", quote::html),
    Quoting("sh", quote::sh),
    Quoting("md", quote::md),
];

impl Filter for Quoting {
    fn evaluate(&self, input: &dyn ValueView, _: &dyn Runtime) -> liquid_core::Result<Value> {
        let quoted = |value: &dyn ValueView| (self.1)(&value.to_kstr());
        let Some(list) = input.as_array() else {
            return Ok(Value::scalar(quoted(input)));
        };
        let items: Vec<String> = list.values().map(quoted).collect();
        Ok(Value::scalar(format!("[{}]", items.join(", "))))
    }
}

impl ParseFilter for Quoting {
    fn parse(&self, _: FilterArguments<'_>) -> liquid_core::Result<Box<dyn Filter>> {
        Ok(Box::new(self.clone()))
    }

    fn reflection(&self) -> &dyn FilterReflection {
        self
    }
}

impl FilterReflection for Quoting {
    fn name(&self) -> &str {
        self.0
    }

    fn description(&self) -> &'static str {
        "quotes text"
    }

    fn positional_parameters(&self) -> &'static [ParameterReflection] {
        &[]
    }

    fn keyword_parameters(&self) -> &'static [ParameterReflection] {
        &[]
    }
}

impl fmt::Debug for Quoting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for Quoting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
