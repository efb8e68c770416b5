//! The text between the tags of templates, which the parser never sees.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use liquid::partials::PartialSource;
use liquid_core::error::ResultLiquidReplaceExt;
use liquid_core::parser::TagReflection;
use liquid_core::{Error, Language, ParseTag, Renderable, Result, Runtime, TagTokenIter};

/// The tag that writes a text that was lifted out.
const TAG: &str = "_";

/// A shorter text costs less than a tag in its place.
const SHORTEST: usize = 8;

/// The texts that were lifted out, each by its number.
#[derive(Debug, Clone, Default)]
pub(super) struct PlainText(Arc<Mutex<Vec<&'static str>>>);

impl PlainText {
    /// Returns a template with the same output, in which tags have taken the place of plain text. A line that holds one
    /// `{% tag %}` and nothing else vanishes with its indentation and its line break. There is no `raw` block.
    pub(super) fn lift(&self, template: &'static str) -> String {
        let mut out = String::new();
        let mut rest = template;
        let mut at_line_start = true;
        // The tag before `rest` takes the white space behind it.
        let mut trims = false;
        while let Some((plain, tag, after)) = split(rest) {
            let indented = indentation(plain, at_line_start);
            let line = after.split_inclusive('\n').next().unwrap_or_default();
            at_line_start = indented.is_some() && tag.starts_with("{%") && line.trim().is_empty();
            let (plain, after) = match indented {
                Some(indented) if at_line_start => {
                    (&plain[..plain.len() - indented], &after[line.len()..])
                }
                _ => (plain, after),
            };
            let plain = if trims { plain.trim_start() } else { plain };
            let plain = if tag[2..].starts_with('-') {
                plain.trim_end()
            } else {
                plain
            };
            self.put(plain, &mut out);
            out.push_str(tag);
            trims = tag[..tag.len() - 2].ends_with('-');
            rest = after;
        }
        self.put(if trims { rest.trim_start() } else { rest }, &mut out);
        out
    }

    fn put(&self, plain: &'static str, out: &mut String) {
        if plain.len() < SHORTEST {
            out.push_str(plain);
            return;
        }
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend(["{%", TAG, " ", &texts.len().to_string(), "%}"]);
        texts.push(plain);
    }

    fn get(&self, number: usize) -> Option<&'static str> {
        let texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        texts.get(number).copied()
    }
}

/// The text before the first tag, the tag, and the text behind it.
fn split(text: &str) -> Option<(&str, &str, &str)> {
    let opens = |at: &usize| matches!(text.as_bytes().get(at + 1), Some(b'%' | b'{'));
    let start = text.match_indices('{').map(|(at, _)| at).find(opens)?;
    let (plain, rest) = text.split_at(start);
    let close = if rest.starts_with("{%") { b"%}" } else { b"}}" };
    let mut quote = None;
    let end = rest.as_bytes().windows(2).skip(2).position(|bytes| {
        match quote {
            None if bytes == close => return true,
            None => quote = Some(bytes[0]).filter(|byte| matches!(byte, b'\'' | b'"')),
            Some(open) if open == bytes[0] => quote = None,
            Some(_) => {}
        }
        false
    })?;
    let (tag, after) = rest.split_at(end + 4);
    Some((plain, tag, after))
}

/// The length of the white space at the end of `plain` that begins a line, if the line has nothing else there.
fn indentation(plain: &str, at_line_start: bool) -> Option<usize> {
    let line = match plain.rfind('\n') {
        Some(end) => &plain[end + 1..],
        None if at_line_start => plain,
        None => return None,
    };
    line.trim().is_empty().then_some(line.len())
}

/// The partials, each lifted where it is first included.
#[derive(Debug)]
pub(super) struct Partials {
    texts: HashMap<&'static str, &'static str>,
    plain: PlainText,
}

impl Partials {
    pub(super) fn new(texts: HashMap<&'static str, &'static str>, plain: PlainText) -> Self {
        Self { texts, plain }
    }
}

impl PartialSource for Partials {
    fn contains(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    fn names(&self) -> Vec<&str> {
        self.texts.keys().copied().collect()
    }

    fn try_get<'a>(&'a self, name: &str) -> Option<Cow<'a, str>> {
        Some(self.plain.lift(self.texts.get(name)?).into())
    }
}

/// Parses the tag that writes a text that was lifted out.
#[derive(Debug, Clone)]
pub(super) struct PlainTextTag(pub(super) PlainText);

impl TagReflection for PlainTextTag {
    fn tag(&self) -> &'static str {
        TAG
    }

    fn description(&self) -> &'static str {
        "Writes a text that was lifted out of the template."
    }
}

impl ParseTag for PlainTextTag {
    fn parse(&self, mut arguments: TagTokenIter<'_>, _: &Language) -> Result<Box<dyn Renderable>> {
        let number = arguments.expect_next("a number")?.as_str().parse().ok();
        let text = number.and_then(|number: usize| self.0.get(number));
        let text = text.ok_or_else(|| Error::with_msg("no such text was lifted out"))?;
        Ok(Box::new(Written(text)))
    }

    fn reflection(&self) -> &dyn TagReflection {
        self
    }
}

#[derive(Debug)]
struct Written(&'static str);

impl Renderable for Written {
    fn render_to(&self, writer: &mut dyn Write, _: &dyn Runtime) -> Result<()> {
        writer
            .write_all(self.0.as_bytes())
            .replace("could not write")
    }
}

#[cfg(test)]
mod tests {
    use super::PlainText;

    fn lifted(template: &'static str) -> (String, Vec<&'static str>) {
        let plain = PlainText::default();
        let lifted = plain.lift(template);
        let texts = plain.0.lock().unwrap().clone();
        (lifted, texts)
    }

    #[test]
    fn only_tags_and_short_texts_are_left_to_the_parser() {
        for (template, left, texts) in [
            ("", "", &[][..]),
            ("a { b } %} }}\n", "{%_ 0%}", &["a { b } %} }}\n"]),
            (
                "to {{ name }}, hello {{ x }}\n",
                "to {{ name }}{%_ 0%}{{ x }}\n",
                &[", hello "],
            ),
            (
                "first line\n    {% if a %}  \nsecond line\n{% endif %}",
                "{%_ 0%}{% if a %}{%_ 1%}{% endif %}",
                &["first line\n", "second line\n"],
            ),
            (
                "{% if a %}\n  {% if b %}\n1\n",
                "{% if a %}{% if b %}1\n",
                &[],
            ),
            ("  {{ a }}\n  {% b %} c\n", "  {{ a }}\n  {% b %} c\n", &[]),
            ("{{ a }}  {% b %}\n", "{{ a }}  {% b %}\n", &[]),
            (
                "many words \n {{- a -}} \n and more words",
                "{%_ 0%}{{- a -}}{%_ 1%}",
                &["many words", "and more words"],
            ),
            (
                "{% if a == '%}' %}\n{{ \"}}\" }}",
                "{% if a == '%}' %}{{ \"}}\" }}",
                &[],
            ),
            ("{{ never closed", "{%_ 0%}", &["{{ never closed"]),
        ] {
            assert_eq!(
                lifted(template),
                (left.to_owned(), texts.to_vec()),
                "{template:?}"
            );
        }
    }
}
