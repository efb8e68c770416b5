//! Resolves conflicts by treating lines as entries: variables, requirements, members, imports or definitions. A change that only one side
//! made to an entry is applied, and entries that either side added are inserted separately.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Conflict, Merged, Part, Versions, lines, requirement};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// `NAME=value` lines, possibly commented out.
    Variables,
    Patterns,
    Page,
    Toml,
    Json,
    Python,
}

/// The name of the pseudo-entry for comments after the last entry.
const COMMENT: &str = "#";

pub(super) const QUOTES: &str = "\"\"\"";

/// The maximum length of a merged list or import before it is split across lines.
pub(super) const WIDTH: usize = 100;

/// An entry, which may span several lines.
#[derive(Debug, Clone)]
struct Entry {
    name: String,
    /// The blank lines and comments above the entry.
    lead: String,
    text: String,
}

impl Entry {
    fn bare(&self) -> &str {
        let text = self.text.trim_end();
        text.strip_suffix(',').unwrap_or(text)
    }

    /// Reports whether `other` has the same text and no additional comments.
    fn is_like(&self, other: &Self) -> bool {
        let is_known = |line: &str| self.lead.contains(line.trim());
        self.bare() == other.bare() && other.lead.lines().all(is_known)
    }

    fn has_comma(&self) -> bool {
        self.text.trim_end().ends_with(',')
    }
}

/// Resolves conflicts in the merged file at `path`, as far as the file's format allows.
pub(super) fn settled(path: &str, merged: &Merged) -> Merged {
    let mut settled = Merged::default();
    let format = Format::of(path);
    for part in &merged.parts {
        match part {
            Part::Text(text) => lines::push_text(&mut settled.parts, text),
            Part::Conflict(conflict) => {
                let mut notes = Vec::new();
                match format.and_then(|format| format.settle(conflict, &mut notes)) {
                    Some(text) => {
                        lines::push_text(&mut settled.parts, &text);
                        settled.notes.extend(notes);
                    }
                    None => settled.parts.push(part.clone()),
                }
            }
        }
    }
    settled
}

pub(super) fn is_python(path: &str) -> bool {
    Format::of(path) == Some(Format::Python)
}

impl Format {
    fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = Path::new(name).extension().and_then(|it| it.to_str());
        match (name, extension) {
            (".gitignore" | ".dockerignore", _) => Some(Self::Patterns),
            (".env" | ".env.example", _) => Some(Self::Variables),
            (_, Some("md")) => Some(Self::Page),
            (_, Some("toml")) => Some(Self::Toml),
            (_, Some("json")) => Some(Self::Json),
            (_, Some("py")) => Some(Self::Python),
            _ => None,
        }
    }

    /// Reports whether the user's version takes precedence if both sides changed an entry.
    const fn is_yours(self) -> bool {
        matches!(self, Self::Variables | Self::Patterns | Self::Page)
    }

    fn settle(self, conflict: &Conflict, notes: &mut Vec<String>) -> Option<String> {
        let sides = [&conflict.base, &conflict.yours, &conflict.new];
        let [base, yours, new] = sides.map(|text| self.entries(text));
        let (base, yours, new) = (base?, yours?, new?);
        let mut settled = Vec::new();
        let names = [&yours, &new].map(|side| side.iter().map(|it| it.name.as_str()).collect());
        let [of_yours, of_new]: [Vec<&str>; 2] = names;
        for name in order(&of_yours, &of_new) {
            let [of_base, of_yours, of_new] =
                [&base, &yours, &new].map(|side| side.iter().find(|entry| entry.name == name));
            let shown = name.lines().next().unwrap_or_default();
            let is_changed = |entry: &Entry| of_base.is_some_and(|it| !it.is_like(entry));
            match (of_yours, of_new) {
                (Some(yours), Some(new)) => {
                    settled.push(self.both(of_base, yours, new, conflict.line, notes)?);
                }
                (Some(entry), None) | (None, Some(entry)) if of_base.is_none() => {
                    settled.push(entry.clone());
                }
                (Some(entry), None) if is_changed(entry) && self.is_yours() => {
                    notes.push(format!("`{shown}` is no longer generated; yours stays"));
                    settled.push(entry.clone());
                }
                // The definition may be elsewhere in the user's file, where the change belongs too.
                (None, Some(entry)) if is_changed(entry) && is_definition(entry) => return None,
                (None, Some(entry)) if is_changed(entry) => {
                    notes.push(format!(
                        "`{shown}` has changed, but you have removed or moved it: it stays as you have it"
                    ));
                }
                (Some(entry), None) if is_changed(entry) => return None,
                _ => {}
            }
        }
        // A key must not move into another table.
        let is_table = |entry: &&Entry| entry.name.starts_with('[');
        let mut below = settled.iter().skip_while(|entry| !is_table(entry));
        if self == Self::Toml && below.any(|it| !is_table(&it) && it.name != COMMENT) {
            return None;
        }
        self.joined(settled, yours.last().or(new.last()), &[&base, &yours, &new])
    }

    fn both(
        self,
        base: Option<&Entry>,
        yours: &Entry,
        new: &Entry,
        line: usize,
        notes: &mut Vec<String>,
    ) -> Option<Entry> {
        let is_base = |entry: &Entry| base.is_some_and(|base| base.bare() == entry.bare());
        let versions = Versions {
            base: base.map_or("", Entry::bare),
            yours: yours.bare(),
            new: new.bare(),
        };
        let text = if yours.bare() == new.bare() || is_base(new) {
            yours.text.clone()
        } else if is_base(yours) {
            new.text.clone()
        } else if let Some(text) = self.united(&versions) {
            text
        } else if self.is_yours() {
            notes.push(format!(
                "your text in line {line} stays; the new one is:\n{}",
                new.text.trim_end()
            ));
            yours.text.clone()
        } else {
            return None;
        };
        let is_led = base.is_some_and(|base| base.lead == yours.lead);
        Some(Entry {
            name: yours.name.clone(),
            lead: if is_led { &new.lead } else { &yours.lead }.clone(),
            text,
        })
    }

    /// Merges both sides' changes to an entry: version bounds and extras in a requirement, or items in a list.
    fn united(self, versions: &Versions) -> Option<String> {
        match self {
            Self::Toml if versions.yours.trim_start().starts_with('"') => {
                let indent = versions.yours.len() - versions.yours.trim_start().len();
                let plain = |text: &'_ str| text.trim().trim_matches('"').to_owned();
                let [base, yours, new] = [versions.base, versions.yours, versions.new].map(plain);
                let merged = requirement::merge(&base, &yours, &new)?;
                Some(format!("{}\"{merged}\"\n", &versions.yours[..indent]))
            }
            Self::Toml if !versions.yours.starts_with('[') => union(versions, " = [", "]"),
            Self::Python if versions.yours.starts_with("from ") => union(versions, " import ", ""),
            Self::Toml
            | Self::Python
            | Self::Json
            | Self::Variables
            | Self::Patterns
            | Self::Page => None,
        }
    }

    /// Splits lines into entries. Returns `None` if a line is not part of an entry.
    fn entries(self, text: &str) -> Option<Vec<Entry>> {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let written = text.lines().filter(|line| !line.trim().is_empty());
        let outer = written.map(indent).min().unwrap_or(0);
        let mut entries: Vec<Entry> = Vec::new();
        let mut lead = String::new();
        let (mut is_fenced, mut is_decorated, mut is_quoted) = (false, false, false);
        for line in text.split_inclusive('\n') {
            let name = self.name(line);
            let is_deeper = indent(line) > outer || line.trim_start().starts_with([')', ']', '}']);
            let goes_on = is_quoted
                || match self {
                    Self::Page => is_fenced || name.is_none(),
                    Self::Variables | Self::Patterns => false,
                    Self::Toml | Self::Json | Self::Python => is_deeper || is_decorated,
                }
                || self == Self::Toml
                    && !line.starts_with('[')
                    && (entries.last()).is_some_and(|entry| entry.name.starts_with('['));
            is_fenced ^= self == Self::Page && line.trim_start().starts_with("```");
            let is_comment = self.is_comment(line) && !(goes_on && is_deeper) && !is_quoted;
            is_quoted ^= self == Self::Python && line.matches(QUOTES).count() % 2 == 1;
            if line.trim().is_empty() || is_comment {
                lead.push_str(line);
                continue;
            }
            match entries.last_mut() {
                Some(last) if goes_on => {
                    last.text.extend([&std::mem::take(&mut lead), line]);
                    if is_decorated && !is_deeper {
                        last.name = name?;
                    }
                }
                None if goes_on && self != Self::Page => return None,
                _ => entries.push(Entry {
                    name: name.or_else(|| (self == Self::Page).then(String::new))?,
                    lead: std::mem::take(&mut lead),
                    text: line.to_owned(),
                }),
            }
            is_decorated = self == Self::Python
                && (line.trim_start().starts_with('@') || is_decorated && is_deeper);
        }
        if !lead.is_empty() {
            entries.push(Entry {
                name: COMMENT.to_owned(),
                lead: String::new(),
                text: lead,
            });
        }
        let mut seen = BTreeMap::new();
        for entry in &mut entries {
            let times = seen.entry(entry.name.clone()).or_insert(0);
            *times += 1;
            if *times > 1 {
                // Names contain no line break, so the suffix is unique.
                entry.name = format!("{}\n{times}", entry.name);
            }
        }
        Some(entries)
    }

    fn is_comment(self, line: &str) -> bool {
        match self {
            Self::Variables => line.starts_with('#') && self.name(line).is_none(),
            Self::Toml | Self::Python => line.trim_start().starts_with('#'),
            Self::Patterns | Self::Page | Self::Json => false,
        }
    }

    fn name(self, line: &str) -> Option<String> {
        let text = line.trim();
        let bare = text.strip_suffix(',').unwrap_or(text);
        let before = |end: &str| Some(text.split_once(end)?.0.trim().to_owned());
        match self {
            Self::Variables => variable(text),
            Self::Patterns => Some(text.to_owned()),
            Self::Page if text.starts_with('|') => Some(text.split('|').nth(1)?.trim().to_owned()),
            Self::Page => text.starts_with('#').then(|| text.to_owned()),
            Self::Json => before("\":").or_else(|| Some(bare.to_owned())),
            Self::Toml if text.starts_with('[') && line.starts_with('[') => Some(text.to_owned()),
            Self::Toml if text.starts_with(['"', '\'']) => {
                requirement::name(bare.trim_matches('"'))
            }
            Self::Toml if text.starts_with(['[', '{']) => Some(bare.to_owned()),
            Self::Toml => before("="),
            Self::Python => statement(line),
        }
    }

    /// Joins entries. Separates list entries with commas, and adds a trailing comma if the user's list has one.
    fn joined(
        self,
        mut entries: Vec<Entry>,
        last: Option<&Entry>,
        sides: &[&Vec<Entry>],
    ) -> Option<String> {
        let is_list = match self {
            Self::Toml | Self::Json | Self::Python => {
                sides.iter().copied().flatten().any(Entry::has_comma)
            }
            Self::Variables | Self::Patterns | Self::Page => false,
        };
        let is_closed = last.is_some_and(Entry::has_comma);
        let count = entries.len();
        for (index, entry) in entries.iter_mut().enumerate() {
            let wants_comma = index + 1 < count || is_closed;
            if is_list && entry.name != COMMENT && entry.has_comma() != wants_comma {
                if entry.text.contains('#') {
                    return None;
                }
                let comma = if wants_comma { "," } else { "" };
                entry.text = format!("{}{comma}\n", entry.bare());
            }
        }
        Some(entries.into_iter().map(|it| it.lead + &it.text).collect())
    }
}

/// Returns the variable name from a `NAME=…` line, even if the line is commented out.
fn variable(line: &str) -> Option<String> {
    let open = line.strip_prefix("# ").unwrap_or(line);
    let (name, _) = open
        .strip_prefix("export ")
        .unwrap_or(open)
        .split_once('=')?;
    let is_name = |c: char| c == '_' || c.is_ascii_uppercase() || c.is_ascii_digit();
    (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
}

/// Returns the entry name for a statement, an argument or an imported name. Returns `None` if the line may depend on preceding lines.
fn statement(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let text = line.trim();
    let end = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_');
    if let Some((module, _)) = text
        .strip_prefix("from ")
        .and_then(|it| it.split_once(" import"))
    {
        return Some(format!("from {module} import"));
    }
    if text.starts_with(QUOTES) {
        return Some(QUOTES.to_owned());
    }
    if text.starts_with("if __name__ ") {
        return Some("if __name__".to_owned());
    }
    if text.starts_with(['@', '"']) {
        let key = text.split_once("\":").map_or(text, |(key, _)| key);
        return (text.starts_with('@') || key != text).then(|| key.to_owned());
    }
    let defined = text.strip_prefix("async ").unwrap_or(text);
    if let Some(name) = ["def ", "class "]
        .iter()
        .find_map(|it| defined.strip_prefix(it))
    {
        return Some(name[..end(name)?].to_owned());
    }
    let (name, rest) = text.split_at(end(text)?);
    let is_assigned = rest.starts_with(" = ") || rest.starts_with(": ") && rest.contains(" = ");
    let is_argument = rest.starts_with('=') && indent > 0;
    let is_imported = rest == "," && indent == 4;
    match name {
        "import" => Some(text.to_owned()),
        _ => (is_assigned || is_argument || is_imported).then(|| name.to_owned()),
    }
}

fn is_definition(entry: &Entry) -> bool {
    let keywords = ["def ", "async def ", "class "];
    let mut lines = entry.text.lines();
    lines.any(|line| keywords.iter().any(|keyword| line.starts_with(keyword)))
}

/// Returns all names in the user's order. Names that only `new` contains are inserted after their predecessors in `new`.
pub(super) fn order<'a>(yours: &[&'a str], new: &[&'a str]) -> Vec<&'a str> {
    let mut order = yours.to_vec();
    for (index, name) in new.iter().enumerate() {
        let place = |name: &&str| order.iter().position(|it| it == name);
        if place(name).is_none() {
            let behind = new[..index].iter().rev().find_map(place);
            let before = || new[index..].iter().find_map(place);
            // The new entry follows those that the user added here.
            let own = |name: &&&str| !new.contains(name);
            let behind = behind.map(|at| at + 1 + order[at + 1..].iter().take_while(own).count());
            let at = behind.or_else(before);
            order.insert(at.unwrap_or(order.len()), name);
        }
    }
    order
}

/// Merges the lists between `open` and `close` as sets of items. Returns `None` if either side has no such list or has comments.
fn union(versions: &Versions, open: &str, close: &str) -> Option<String> {
    let read = |text: &str| -> Option<Vec<String>> {
        let inner = text.split_once(open)?.1.trim().strip_suffix(close)?;
        let items = inner.trim_matches(['(', ')']).split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty());
        (!text.contains(['#', '*', '\\', '{'])).then(|| items.map(str::to_owned).collect())
    };
    let base = read(versions.base).unwrap_or_default();
    let (yours, new) = (read(versions.yours)?, read(versions.new)?);
    let mut all = yours.clone();
    all.retain(|item| new.contains(item) || !base.contains(item));
    all.extend(
        new.into_iter()
            .filter(|it| !base.contains(it) && !yours.contains(it)),
    );
    if all.is_empty() && close.is_empty() {
        return None;
    }
    if yours.is_sorted() {
        all.sort_unstable();
    }
    let head = versions.yours.split_once(open)?.0;
    let line = format!("{head}{open}{}{close}\n", all.join(", "));
    if line.len() <= WIDTH + 1 && !versions.yours.trim_end().contains('\n') {
        return Some(line);
    }
    let open = if close.is_empty() { " import (" } else { open };
    let close = if close.is_empty() { ")" } else { close };
    let rows = all.join(",\n    ");
    Some(format!("{head}{open}\n    {rows},\n{close}\n"))
}
