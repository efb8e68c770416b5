//! Prepares templates for their parser, which is slow at text. The build script prepares those of projects.

use std::fmt::Write as _;

/// The filter that makes a literal text of its number.
pub const TEXT: &str = "_";

/// Returns a template with references to its literal text, which is added to `texts`. Lines that contain only tags leave nothing.
pub fn prepared(template: &str, texts: &mut Vec<String>) -> String {
    let joined = joined(template);
    let (mut short, mut rest) = (String::new(), joined.as_str());
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
            let _ = write!(short, "{{{{{}|{TEXT}}}}}", texts.len());
            texts.push(text.to_owned());
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
