//! Updates that merge and change the meaning of what the user has written.

use std::collections::BTreeSet;

use super::super::lines::words;
use super::{Finding, Texts, has_extension};

const BOT: &str = "server/bot.py";

/// Names of the pipeline of three services. A service that hears and speaks itself ignores such frames.
const OF_CASCADE: &[&str] = &[
    "TTSSpeakFrame",
    "TTSTextFrame",
    "TTSUpdateSettingsFrame",
    "STTUpdateSettingsFrame",
    "VADParams",
    "SileroVADAnalyzer",
    "create_stt",
    "create_tts",
    "stt",
    "tts",
];

/// Lists what to look at after an update from `base` to `new` of a project that the user has as `yours`.
pub(crate) fn findings(base: &Texts, yours: &Texts, new: &Texts) -> Vec<Finding> {
    let (Some(old_bot), Some(new_bot)) = (base.get(BOT), new.get(BOT)) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let is_cascade = |bot: &str| bot.contains("create_stt(");
    match (is_cascade(old_bot), is_cascade(new_bot)) {
        (true, false) => {
            findings.push(whole(
                "one service now hears, thinks and speaks: look at whatever of yours is about speech-to-text or text-to-speech",
            ));
            findings.extend(own_lines(base, yours, |line| {
                let name = words(line).find(|word| OF_CASCADE.contains(word))?;
                Some(format!(
                    "it is about `{name}`, which has no effect on a service that hears and speaks itself"
                ))
            }));
        }
        (false, true) => findings.push(whole(
            "three services now hear, think and speak: look at whatever of yours is about the service that did it all",
        )),
        _ => {}
    }
    let gone: BTreeSet<&str> = &transports(old_bot) - &transports(new_bot);
    let names: BTreeSet<&str> = &transport_names(old_bot) - &transport_names(new_bot);
    findings.extend(own_lines(base, yours, |line| {
        let quoted = gone.iter().find(|name| {
            line.contains(&format!("\"{name}\"")) || line.contains(&format!("'{name}'"))
        });
        let name = quoted
            .copied()
            .or_else(|| words(line).find(|word| names.contains(word)));
        Some(format!(
            "it names `{}`, a transport that the bot no longer has",
            name?
        ))
    }));
    findings
}

fn whole(note: &str) -> Finding {
    Finding {
        path: None,
        line: None,
        note: note.to_owned(),
    }
}

/// Notes lines that the user has written in Python.
fn own_lines(base: &Texts, yours: &Texts, note: impl Fn(&str) -> Option<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in yours {
        if !has_extension(path, &["py"]) {
            continue;
        }
        let generated: BTreeSet<&str> = base
            .get(path)
            .map(|text| text.lines().map(str::trim).collect())
            .unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            if !generated.contains(line.trim())
                && let Some(note) = note(line)
            {
                findings.push(Finding {
                    path: Some((*path).to_owned()),
                    line: Some(index + 1),
                    note,
                });
            }
        }
    }
    findings
}

/// The transports of a bot, by the names that the runner takes.
fn transports(bot: &str) -> BTreeSet<&str> {
    let entries = bot.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("    \"")?.split_once("\": lambda")?;
        Some(name)
    });
    entries.collect()
}

/// What a bot imports from the modules of its transports.
fn transport_names(bot: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let mut is_open = false;
    for line in bot.lines() {
        let of_transport = line.strip_prefix("from pipecat.transports.");
        let listed = match of_transport.and_then(|line| line.split_once(" import ")) {
            Some((_, "(")) => {
                is_open = true;
                continue;
            }
            Some((_, listed)) => listed,
            None if is_open && line.starts_with(')') => {
                is_open = false;
                continue;
            }
            None if is_open => line,
            None => continue,
        };
        names.extend(words(listed));
    }
    names
}
