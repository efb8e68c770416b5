//! Pairs of a change and an edit that are drawn from a seed: projects with further options, and edits at any place of any file.
//!
//! `BOT_CLI_PAIRS=N` sets the number of pairs, `BOT_CLI_SEED` the seed. With `BOT_CLI_MERGES=FOLDER`, clean merges are written to
//! `FOLDER/drawn`.

use std::env;
use std::path::Path;

use fastrand::Rng;

use super::changes;
use super::edits::{self, Edit};
use super::{Files, merge, write};
use crate::code::{Names, words};

/// The edits of Python code: of a line, with `@` in place of a name.
const STATEMENTS: &[&str] = &[
    "print(\"@\")",
    "@ = 1",
    "# @",
    "if __name__:\n    print(\"@\")",
];

fn number(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Edits one place of a project. Returns `None` if the drawn place does not suit the drawn edit.
fn edited(files: &mut Files, edits: &[Edit], rng: &mut Rng) -> Option<String> {
    if rng.usize(..3) == 0 {
        let edit = rng.choice(edits)?;
        *files = edit.apply(edits, files)?;
        return Some(edit.name.clone());
    }
    let kind = rng.usize(..10);
    let ending = [
        "py", "py", "py", "py", "py", "py", "py", "md", "toml", "example",
    ][kind];
    let paths: Vec<String> = files
        .keys()
        .filter(|path| path.ends_with(ending))
        .cloned()
        .collect();
    let path = match kind {
        // Most edits are of the bot and its tools.
        0..=2 => "server/bot.py".to_owned(),
        3 => "server/tools.py".to_owned(),
        _ => rng.choice(&paths)?.clone(),
    };
    let own = format!("own_{}", rng.u16(..));
    let text = files.get_mut(&path)?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let what = if ending == "py" {
        let what = rng.usize(..6);
        match what {
            0 | 1 => listed(text, &own, rng)?,
            2 => {
                let goes_on = ["else", "elif", "except", "finally"];
                let (words, _) = words(text);
                let starts = words.iter().filter(|word| word.indent.is_some());
                let starts = starts.filter(|word| !goes_on.contains(&word.text));
                let starts: Vec<usize> = starts.map(|word| word.line - 1).collect();
                let at = rng.choice(starts)?;
                if at == 0 || lines[at - 1].trim_start().starts_with('@') {
                    return None;
                }
                let indent = lines[at].len() - lines[at].trim_start().len();
                let statement = rng.choice(STATEMENTS)?.replace('@', &own);
                lines.splice(at..at, statement.lines().map(|it| " ".repeat(indent) + it));
                *text = lines.join("\n") + "\n";
            }
            3 => {
                let at = drawn(&lines, rng, |line| {
                    line.starts_with("def ")
                        || line.starts_with("async ")
                        || line.starts_with("class ")
                })?;
                let function = format!("def {own}() -> None:\n    \"\"\"Do it.\"\"\"\n\n");
                lines.insert(at, function);
                *text = lines.join("\n") + "\n";
            }
            4 => {
                let at = drawn(&lines, rng, |line| {
                    line.matches('"').count() == 2 && !line.contains("f\"") && !line.contains('{')
                })?;
                let end = lines[at].rfind('"')?;
                lines[at].insert_str(end, &own);
                *text = lines.join("\n") + "\n";
            }
            _ => {
                let at = drawn(&lines, rng, |line| line.starts_with("from pipecat"))?;
                lines.insert(at, format!("import {own}"));
                lines.push(format!("print({own})"));
                *text = lines.join("\n") + "\n";
            }
        }
        Names::of(text).ok()?;
        ["list", "item", "statement", "function", "string", "import"][what]
    } else {
        let at = rng.usize(..lines.len());
        match (ending, rng.usize(..3)) {
            ("md", 0) => lines.insert(at, format!("\nOur {own}.\n")),
            ("md", _) => lines[at] = lines[at].replacen(' ', &format!(" {own} "), 1),
            ("toml", _) => {
                let at = drawn(&lines, rng, |line| line.starts_with("    \""))?;
                lines.insert(at, format!("    \"{}>=1\",", own.replace('_', "-")));
            }
            (_, 0) => lines.insert(at, format!("# Ours\n{}=1", own.to_uppercase())),
            _ => {
                let at = drawn(&lines, rng, |line| line.ends_with('='))?;
                lines[at] += "ours";
            }
        }
        *text = lines.join("\n") + "\n";
        ending
    };
    Some(format!("{what} in {path}"))
}

fn drawn(lines: &[String], rng: &mut Rng, fits: impl Fn(&str) -> bool) -> Option<usize> {
    let places: Vec<usize> = (0..lines.len()).filter(|at| fits(&lines[*at])).collect();
    rng.choice(places)
}

/// Adds an item to a list in one line or in lines, or replaces an item.
fn listed(text: &mut String, own: &str, rng: &mut Rng) -> Option<()> {
    let is_item = |line: &str| {
        line.starts_with("            ") && line.ends_with(',') && !line.contains(['=', ':', '#'])
    };
    let places: Vec<usize> = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|at| text[*at..].lines().next().is_some_and(is_item))
        .collect();
    let one_line: Vec<usize> = text.match_indices("= [").map(|(at, _)| at + 3).collect();
    if let Some(at) = rng
        .choice(&one_line)
        .filter(|_| places.is_empty() || rng.bool())
    {
        let end = at + text[*at..].find(']')?;
        let inner = text[*at..end].to_owned();
        let mut items: Vec<&str> = inner.split(", ").collect();
        let place = rng.usize(..=items.len());
        if rng.usize(..3) == 0 && place < items.len() {
            items[place] = own;
        } else {
            items.insert(place, own);
        }
        text.replace_range(*at..end, &items.join(", "));
    } else {
        let at = *rng.choice(&places)?;
        let end = at + text[at..].find('\n')? + 1;
        let end = if rng.usize(..4) == 0 { end } else { at };
        text.replace_range(at..end, &format!("            {own}(),\n"));
    }
    let at = text.find("\n\n\n")?;
    text.insert_str(at, &format!("\n\n\ndef {own}() -> None:\n    ..."));
    Some(())
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are for people")]
fn drawn_edits_survive_drawn_changes() {
    let folder = env::var_os("BOT_CLI_MERGES");
    let folder = folder.as_deref().map(Path::new);
    let mut rng = Rng::with_seed(number("BOT_CLI_SEED", 11));
    let edits = edits::all();
    let (mut pairs, mut clean) = (0, 0);
    while pairs < number("BOT_CLI_PAIRS", 40) {
        let Some(change) = changes::drawn(&mut rng) else {
            continue;
        };
        let mut yours = change.base.clone();
        let mut names = Vec::new();
        for _ in 0..rng.usize(1..4) {
            let mut files = yours.clone();
            if let Some(name) = edited(&mut files, &edits, &mut rng) {
                yours = files;
                names.push(name);
            }
        }
        if names.is_empty() {
            continue;
        }
        pairs += 1;
        let outcome = merge(&change, &yours);
        let made = format!("{} × {}", change.name, names.join(", "));
        let is_clean = outcome.conflicts.is_empty();
        clean += u64::from(is_clean);
        if !is_clean {
            println!("{made}: {:?}", outcome.conflicts);
        }
        if let Some(folder) = folder.filter(|_| is_clean) {
            write(
                &folder.join("drawn-edited").join(pairs.to_string()),
                &made,
                &yours,
            );
            write(
                &folder.join("drawn").join(pairs.to_string()),
                &made,
                &outcome.files,
            );
        }
    }
    println!("{pairs} pairs, {clean} clean");
    assert!(clean * 1000 >= pairs * 935, "{clean} of {pairs}");
}
