//! The template engine: Liquid with quoting filters. Lines that contain only tags leave nothing.

mod include;

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::{Arc, OnceLock};

use bot_cli_templates::project_files;
use liquid::model::Value;
use liquid::partials::{InMemorySource, LazyCompiler};
use liquid::{Object, Parser, ParserBuilder, Template};
use liquid_core::parser::{FilterArguments, FilterReflection, ParameterReflection};
use liquid_core::{Filter, ParseFilter, Runtime, ValueView};
use liquid_lib::stdlib;
use serde::Serialize;

use super::{PlanError, quote};
use include::IncludeTag;

/// The file extension for templates. All other files are copied unchanged.
const ENDING: &str = ".liquid";

/// The folder of the templates that others include.
const PARTIALS: &str = "partials/";

/// The filter that makes a text of its number.
const TEXT: &str = "_";

pub(super) struct Templates {
    parser: Parser,
    /// The templates that are no partials, each parsed when it is first rendered.
    main: HashMap<&'static str, (String, OnceLock<Template>)>,
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
        let mut short = |text| without_texts(text, &mut texts);
        for (path, text) in files {
            match path.strip_suffix(ENDING) {
                Some(name) if name.starts_with(PARTIALS) => _ = partials.add(name, short(text)),
                Some(name) => _ = main.insert(name, (short(text), OnceLock::new())),
                None => _ = copied.insert(path, text),
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
            .filter(Custom::new(TEXT, move |index| text_at(&texts, index)))
            .partials(LazyCompiler::new(partials));
        for (name, quote) in QUOTING {
            builder = builder.filter(Custom::new(name, move |value| quoted(value, quote)));
        }
        let parser = builder.build();
        Ok(Self {
            parser: parser.map_err(|error| PlanError::broken("templates", &error))?,
            main,
            copied,
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

/// Replaces the literal text of a template by references to `texts`, because the parser is slow at text. Lines that contain only tags leave
/// nothing.
fn without_texts(template: &'static str, texts: &mut Vec<&'static str>) -> String {
    let (mut short, mut done) = (String::new(), 0);
    while done < template.len() {
        let begin = done + tag_in(&template[done..]);
        let line = template[..begin].rfind('\n').map_or(0, |end| end + 1);
        let next = template[begin..].find('\n');
        let next = next.map_or(template.len(), |end| begin + end + 1);
        let is_line = is_tags(&template[line..next]);
        let is_first = is_line && template[line..begin].trim().is_empty();
        let mut text = &template[done..if is_first { line.max(done) } else { begin }];
        let tag = &template[begin..];
        let tag = &tag[..end_of(tag)];
        done = begin + tag.len();
        if is_line && template[done..next].trim().is_empty() {
            done = next;
        }
        if tag.get(2..3) == Some("-") {
            text = text.trim_end();
        }
        if tag.ends_with("-%}") || tag.ends_with("-}}") {
            done = template.len() - template[done..].trim_start().len();
        }
        if !text.is_empty() {
            let _ = write!(short, "{{{{{}|{TEXT}}}}}", texts.len());
            texts.push(text);
        }
        short += tag;
    }
    short
}

/// Reports whether a line contains only tags.
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

/// Returns the position of the first tag, or the length of the text if there is none.
fn tag_in(text: &str) -> usize {
    let mut braces = text.match_indices('{');
    let begin = braces.find(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'{' | b'%')));
    begin.map_or(text.len(), |(at, _)| at)
}

/// Returns the length of the tag at the beginning of a text.
fn end_of(text: &str) -> usize {
    let close = if text.starts_with("{{") { "}}" } else { "%}" };
    let mut braces = text.match_indices('}').map(|(at, _)| at + 1);
    let end = braces.find(|end| text[..*end].ends_with(close));
    end.unwrap_or(text.len())
}

fn text_at(texts: &[&'static str], index: &dyn ValueView) -> Value {
    let index = index.as_scalar().and_then(|it| it.to_integer());
    let index = index.and_then(|it| usize::try_from(it).ok());
    Value::scalar(index.and_then(|it| texts.get(it)).copied().unwrap_or(""))
}

/// The filters that quote text for a language.
const QUOTING: [(&str, fn(&str) -> String); 7] = [
    ("py", quote::py),
    ("doc", quote::doc),
    ("toml", quote::double),
    ("json", quote::double),
    ("html", quote::html),
    ("sh", quote::sh),
    ("md", quote::md),
];

/// Quotes a text. Of a list, makes a list of quoted texts.
fn quoted(value: &dyn ValueView, quote: fn(&str) -> String) -> Value {
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
    apply: Arc<dyn Fn(&dyn ValueView) -> Value + Send + Sync>,
}

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
