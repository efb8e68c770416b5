//! Merges Python requirements, which consist of a name, a set of extras, version bounds and an environment marker.

struct Requirement<'a> {
    name: &'a str,
    extras: Vec<&'a str>,
    /// The version bounds, including surrounding whitespace.
    specifier: &'a str,
    /// The environment marker, starting with `;`.
    marker: &'a str,
}

impl<'a> Requirement<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let end = text
            .find(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let (extras, rest) = match rest.trim_start().strip_prefix('[') {
            Some(inside) => inside.split_once(']')?,
            None => ("", rest),
        };
        let marker = rest.find(';').unwrap_or(rest.len());
        let extras = extras.split(',').map(str::trim);
        (!name.is_empty()).then(|| Self {
            name,
            extras: extras.filter(|extra| !extra.is_empty()).collect(),
            specifier: &rest[..marker],
            marker: &rest[marker..],
        })
    }
}

/// Returns the normalized package name in a requirement.
pub(super) fn name(text: &str) -> Option<String> {
    let name = Requirement::parse(text)?.name.to_lowercase();
    let words: Vec<&str> = name
        .split(['-', '_', '.'])
        .filter(|word| !word.is_empty())
        .collect();
    Some(words.join("-"))
}

/// Merges three versions of a package requirement. Returns `None` if the versions conflict. The base may be empty.
pub(super) fn merge(base: &str, yours: &str, new: &str) -> Option<String> {
    let none = Requirement {
        name: "",
        extras: Vec::new(),
        specifier: "",
        marker: "",
    };
    let base = Requirement::parse(base).unwrap_or(none);
    let (yours, new) = (Requirement::parse(yours)?, Requirement::parse(new)?);
    let specifier = pick(base.specifier, yours.specifier, new.specifier)?;
    let marker = pick(base.marker, yours.marker, new.marker)?;
    if yours.extras.is_empty() && !base.extras.is_empty() && base.extras != new.extras {
        // The user removed every extra, so the merge must not add one.
        return None;
    }
    let is_gone = |extra: &&&str| !base.extras.contains(extra) || new.extras.contains(extra);
    let is_new = |extra: &&&str| !base.extras.contains(extra) && !yours.extras.contains(extra);
    let mut extras: Vec<&str> = yours.extras.iter().filter(is_gone).copied().collect();
    extras.extend(new.extras.iter().filter(is_new));
    if yours.extras.is_sorted() {
        extras.sort_unstable();
    }
    let extras = if extras.is_empty() {
        String::new()
    } else {
        format!("[{}]", extras.join(","))
    };
    Some(format!("{}{extras}{specifier}{marker}", yours.name))
}

fn pick<'a>(base: &str, yours: &'a str, new: &'a str) -> Option<&'a str> {
    let same = |one: &str, other: &str| one.replace(' ', "") == other.replace(' ', "");
    if same(base, new) || same(yours, new) {
        Some(yours)
    } else {
        same(base, yours).then_some(new)
    }
}
