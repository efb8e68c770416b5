//! Finds lines to type in output, help and pages.

use std::collections::BTreeSet;

/// Lines that are typed one after another.
pub type Steps = Vec<String>;

/// Returns the lines in the output of a command: `next:` lines together, every other one for itself.
pub fn printed(output: &str, programs: &[String]) -> Vec<Steps> {
    let next = output
        .lines()
        .filter_map(|line| line.strip_prefix("next: "));
    let next: Steps = next.map(str::to_owned).collect();
    let mut found: Vec<Steps> = Some(next).into_iter().filter(|it| !it.is_empty()).collect();
    let mut seen = BTreeSet::new();
    for line in output.lines().filter(|line| !line.starts_with("next: ")) {
        for command in in_message(line, programs) {
            if seen.insert(command.clone()) {
                found.push(vec![command]);
            }
        }
    }
    found
}

/// Returns the commands in a message: between backticks, in parentheses, behind a colon, or a whole hint.
fn in_message(line: &str, programs: &[String]) -> Vec<String> {
    if line.starts_with("Usage: ") {
        return Vec::new();
    }
    let is_command = |text: &&str| {
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        programs.iter().any(|program| program == first) && !rest.is_empty()
    };
    let quoted: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
    let commands = quoted.iter().copied().filter(is_command);
    let commands: Vec<String> = commands.map(str::to_owned).collect();
    if !quoted.is_empty() && !commands.is_empty() {
        return commands;
    }
    // A hint in a document of `--json` is a line of its own.
    let text = line.trim().trim_end_matches(',');
    let text = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let line = text.map_or_else(
        || line.trim_end().to_owned(),
        |text| format!("hint: {text}"),
    );
    let hint = line.strip_prefix("hint: ").filter(is_command);
    let behind = line
        .rsplit_once(": ")
        .map(|(_, text)| text)
        .filter(is_command);
    let inside = line.strip_suffix(')').and_then(|it| it.rsplit_once('('));
    let inside = inside.map(|(_, text)| text).filter(is_command);
    hint.or(inside)
        .or(behind)
        .map(str::to_owned)
        .into_iter()
        .collect()
}

/// Returns the examples in the help that a line prints, and lines for the help of the commands that it lists.
pub fn of_help(line: &str, help: &str) -> Vec<Steps> {
    let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_default();
    let examples = examples.split("\n\nRun ").next().unwrap_or_default();
    let examples = examples.replace("\\\n", "");
    let examples = examples.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    let examples: Steps = examples
        .filter(|line| line.contains("bot-cli ") && !line.ends_with(':'))
        .collect();
    let path = line.trim_end_matches("--help");
    let rows = help
        .lines()
        .skip_while(|line| !["Commands:", "Plugins:"].contains(line));
    let rows = rows.skip(1).take_while(|line| line.starts_with("  "));
    let names = rows
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let below = names
        .filter(|name| *name != "help")
        .map(|name| vec![format!("{path}{name} --help")]);
    let examples = Some(examples).filter(|it| !it.is_empty());
    examples.into_iter().chain(below).collect()
}

/// Returns the lines of a page in its order: each block for a shell, and each command in the first cells of a table.
pub fn on_page(page: &str) -> Vec<Steps> {
    let mut found: Vec<Steps> = Vec::new();
    let mut block: Option<Vec<&str>> = None;
    for line in page.lines() {
        let bare = line.trim();
        if let Some(lines) = &mut block {
            if bare == "```" {
                found.push(steps(&lines.join("\n")));
                block = None;
            } else {
                lines.push(line);
            }
        } else if bare == "```sh" {
            block = Some(Vec::new());
        } else if bare.starts_with('|') {
            let quoted = line.split('`').skip(1).step_by(2);
            let commands = quoted.filter(|text| text.starts_with("bot-cli "));
            found.extend(commands.map(|text| vec![text.to_owned()]));
        }
    }
    found.retain(|steps| !steps.is_empty());
    found
}

/// Returns the lines of a block. A block that writes files is one line.
fn steps(block: &str) -> Steps {
    if block.contains("<<") {
        return vec![block.to_owned()];
    }
    let block = block.replace("\\\n", " ").replace("|\n", "| ");
    let lines = block
        .lines()
        .map(|line| line.split(" # ").next().unwrap_or_default().trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

/// Returns the hints that a bot prints whose keys are missing, from its `settings.py`.
pub fn of_the_bot(settings: &str) -> Vec<Steps> {
    let Some((_, hint)) = settings.split_once("_HINT = \"\"\"\n") else {
        return Vec::new();
    };
    let (hint, _) = hint.split_once("\"\"\"").unwrap();
    let programs = ["bot-cli".to_owned()];
    // One way of two, step by step.
    hint.split("hint: ")
        .map(|way| in_message(&way.replace('\n', ""), &programs))
        .filter(|steps| !steps.is_empty())
        .collect()
}
