//! The template engine: Liquid with quoting filters. Lines that contain only tags leave nothing.

mod include;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use bot_cli_templates::prepared::TEXT;
use bot_cli_templates::{copies, templates, texts};
use liquid::model::Value;
use liquid::partials::{InMemorySource, LazyCompiler};
use liquid::{Object, Parser, ParserBuilder, Template};
use liquid_core::parser::{FilterArguments, FilterReflection, ParameterReflection};
use liquid_core::{Filter, ParseFilter, Runtime, ValueView};
use liquid_lib::stdlib;
use serde::Serialize;

use super::{PlanError, quote};
use include::IncludeTag;

/// The folder of the templates that others include.
const PARTIALS: &str = "partials/";

pub(super) struct Templates {
    parser: Parser,
    /// The templates that are no partials, each parsed when it is first rendered.
    main: HashMap<&'static str, (&'static str, OnceLock<Template>)>,
    copied: HashMap<&'static str, &'static str>,
}

impl Templates {
    pub(super) fn get() -> Result<&'static Self, PlanError> {
        static TEMPLATES: OnceLock<Result<Templates, PlanError>> = OnceLock::new();
        TEMPLATES
            .get_or_init(|| Self::of(templates().iter().copied(), texts()))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Reads prepared templates and their `texts`.
    pub(super) fn of(
        prepared: impl IntoIterator<Item = (&'static str, &'static str)>,
        texts: &'static [&'static str],
    ) -> Result<Self, PlanError> {
        let (mut main, mut partials) = (HashMap::new(), InMemorySource::new());
        for (path, text) in prepared {
            if path.starts_with(PARTIALS) {
                partials.add(path, text);
            } else {
                main.insert(path, (text, OnceLock::new()));
            }
        }
        // What no template uses would make the executable a third larger.
        let mut builder = ParserBuilder::new()
            .tag(stdlib::AssignTag)
            .tag(IncludeTag)
            .block(stdlib::CaptureBlock)
            .block(stdlib::ForBlock)
            .block(stdlib::IfBlock)
            .filter(stdlib::Append)
            .filter(stdlib::Join)
            .filter(stdlib::Map)
            .filter(stdlib::Plus)
            .filter(stdlib::Replace)
            .filter(stdlib::Size)
            .filter(stdlib::Split)
            .filter(stdlib::Strip)
            .filter(Custom::new(TEXT, move |index| text_at(texts, index)))
            .partials(LazyCompiler::new(partials));
        for (name, quote) in QUOTING {
            builder = builder.filter(Custom::new(name, move |value| quoted(value, quote)));
        }
        let parser = builder.build();
        Ok(Self {
            parser: parser.map_err(|error| PlanError::broken("templates", &error))?,
            main,
            copied: copies().iter().map(|it| (it.path, it.text)).collect(),
        })
    }

    /// Returns the variables of templates.
    pub(super) fn variables(values: &impl Serialize) -> Result<Object, PlanError> {
        liquid::to_object(values).map_err(|error| PlanError::broken("templates", &error))
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

fn text_at(texts: &[&'static str], index: &dyn ValueView) -> Value {
    let index = index.as_scalar().and_then(|it| it.to_integer());
    let index = index.and_then(|it| usize::try_from(it).ok());
    Value::scalar(index.and_then(|it| texts.get(it)).copied().unwrap_or(""))
}

type Quote = fn(&str) -> String;

/// The filters that quote text for a language.
const QUOTING: [(&str, Quote); 7] = [
    ("py", quote::py),
    ("doc", quote::doc),
    ("toml", quote::double),
    ("json", quote::double),
    ("html", quote::html),
    ("sh", quote::sh),
    ("md", quote::md),
];

/// Quotes a text. Of a list, makes a list of quoted texts.
fn quoted(value: &dyn ValueView, quote: Quote) -> Value {
    let quoted = |value: &dyn ValueView| quote(&value.to_kstr());
    let Some(list) = value.as_array() else {
        return Value::scalar(quoted(value));
    };
    let items: Vec<String> = list.values().map(quoted).collect();
    Value::scalar(format!("[{}]", items.join(", ")))
}

/// A filter without parameters.
#[derive(Clone)]
struct Custom {
    name: &'static str,
    apply: Arc<Apply>,
}

type Apply = dyn Fn(&dyn ValueView) -> Value + Send + Sync;

impl Custom {
    fn new(
        name: &'static str,
        apply: impl Fn(&dyn ValueView) -> Value + Send + Sync + 'static,
    ) -> Self {
        let apply = Arc::new(apply);
        Self { name, apply }
    }
}

impl Filter for Custom {
    fn evaluate(&self, input: &dyn ValueView, _: &dyn Runtime) -> liquid_core::Result<Value> {
        Ok((self.apply)(input))
    }
}

impl ParseFilter for Custom {
    fn parse(&self, _: FilterArguments<'_>) -> liquid_core::Result<Box<dyn Filter>> {
        Ok(Box::new(self.clone()))
    }

    fn reflection(&self) -> &dyn FilterReflection {
        self
    }
}

impl FilterReflection for Custom {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &'static str {
        ""
    }

    fn positional_parameters(&self) -> &'static [ParameterReflection] {
        &[]
    }

    fn keyword_parameters(&self) -> &'static [ParameterReflection] {
        &[]
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
