//! Compares a project generated from spoiled services with the project generated from their twins.

use bot_cli_cloud::parse_dotenv;
use bot_cli_init::{
    Catalogue, Config, Draft, Feature, Pack, PlannedFile, Setting, Switches, equivalent_command,
    resolve, scaffold,
};
use bot_cli_templates::pack::{Kind, Service};
use fastrand::Rng;

use super::grammar::is_variable;
use super::{draw, python};

/// The error for services that can't be combined in one bot.
pub(super) struct Refused;

/// Generates a project from each catalogue. Returns the differences, except those in free text.
pub(super) fn compare(
    spoiled: &Catalogue,
    twin: &Catalogue,
    random: &mut Rng,
) -> Result<Vec<String>, Refused> {
    let draft = choose(spoiled, random);
    let config = resolve(&draft, None, spoiled).map_err(|_| Refused)?;
    let planned = scaffold(&config);
    let expected = resolve(&draft, None, twin)
        .map_err(|fields| format!("the twin is refused: {fields:?}"))
        .and_then(|config| scaffold(&config).map_err(|error| format!("the twin: {error}")));
    Ok(match (planned, expected) {
        (Ok(planned), Ok(expected)) => {
            let mut wrong = files(&planned.files, &expected.files, &config);
            wrong.extend(command(&config));
            wrong
        }
        (planned, expected) => planned
            .err()
            .map(|error| error.to_string())
            .into_iter()
            .chain(expected.err())
            .collect(),
    })
}

/// Picks a random bot that uses the packs' services where possible, with all other options also chosen at random.
fn choose(catalogue: &Catalogue, random: &mut Rng) -> Draft {
    let of = |kind: Kind, random: &mut Rng| {
        let brought: Vec<&Service> = (catalogue.packs.iter())
            .flat_map(Pack::services)
            .filter(|service| service.kind == kind)
            .collect();
        (!brought.is_empty()).then(|| brought[random.usize(..brought.len())].id.clone())
    };
    let realtime = of(Kind::Realtime, random);
    let cascade = [Kind::Stt, Kind::Llm, Kind::Tts].map(|kind| of(kind, random));
    let speaks = realtime.is_some() && (cascade.iter().all(Option::is_none) || random.bool());
    let video = of(Kind::Video, random);
    let mut draft = Draft {
        switches: Switches::of([
            (Feature::Recording, random.bool()),
            (Feature::Eval, random.bool()),
            (Feature::Observability, random.bool()),
        ]),
        ..Draft::default()
    };
    draft.put(Setting::ProjectName, ["bot"]);
    draft.put(Setting::Transports, ["p2p_webrtc"]);
    draft.put(Setting::VideoService, video);
    if draft.said(Setting::VideoService).is_none() && random.u8(..4) == 0 {
        draft.put(Setting::Transports, ["carrier_a", "websocket"]);
    }
    if speaks {
        draft.put(Setting::Mode, ["realtime"]);
        draft.put(Setting::RealtimeService, realtime);
    } else {
        let [stt, llm, tts] = cascade;
        let or = |service: Option<String>, usual: &str| [service.unwrap_or(usual.to_owned())];
        draft.put(Setting::Mode, ["cascade"]);
        draft.put(Setting::SttService, or(stt, "deepgram_stt"));
        draft.put(Setting::LlmService, or(llm, "openai_llm"));
        draft.put(Setting::TtsService, or(tts, "cartesia_tts"));
    }
    draft
}

fn files(planned: &[PlannedFile], expected: &[PlannedFile], config: &Config) -> Vec<String> {
    let paths = |files: &[PlannedFile]| {
        files
            .iter()
            .map(|file| file.path.clone())
            .collect::<Vec<_>>()
    };
    if paths(planned) != paths(expected) {
        return vec![format!("other files: {:?}", paths(planned))];
    }
    let mut wrong = Vec::new();
    for (file, twin) in planned.iter().zip(expected) {
        let problem = match file.path.as_str() {
            "server/bot.py" | "server/services.py" => python::difference(&file.text, &twin.text),
            "README.md" => markdown(&file.text, &twin.text),
            "server/.env.example" => environment(&file.text, &twin.text, config),
            // No text of a service is in any other file.
            _ => (file.text != twin.text).then(|| "differs".to_owned()),
        };
        wrong.extend(problem.map(|problem| format!("{}: {problem}", file.path)));
    }
    wrong
}

/// Compares lines and their markup. Returns the first difference.
fn markdown(text: &str, twin: &str) -> Option<String> {
    if text.lines().count() != twin.lines().count() {
        return Some("has other lines".to_owned());
    }
    text.lines()
        .zip(twin.lines())
        .find(|(line, twin)| markup(line) != markup(twin))
        .map(|(line, twin)| format!("{line:?} is not marked up as {twin:?}"))
}

/// Returns the unescaped markup characters in a line.
fn markup(line: &str) -> String {
    let mut found = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            // An address in angle brackets ends at the second.
            '<' => {
                found.push('<');
                let address = letters.by_ref().take_while(|letter| *letter != '>');
                if address
                    .into_iter()
                    .any(|letter| letter == '<' || letter.is_whitespace())
                {
                    found.push('!');
                }
            }
            '`' | '*' | '_' | '[' | ']' | '|' | '>' | '~' | '#' | '$' | '&' | '{' | '}' => {
                found.push(letter);
            }
            _ => {}
        }
    }
    found
}

/// Compares the lines and variables, and checks that the values come from the services. Returns the first problem.
fn environment(text: &str, twin: &str, config: &Config) -> Option<String> {
    let kind = |line: &str| match line.strip_prefix('#') {
        _ if line.is_empty() => ("empty", String::new()),
        Some(comment) => match comment.trim().split_once('=') {
            Some((name, _)) if is_variable(name) => ("proposal", name.to_owned()),
            _ => ("comment", String::new()),
        },
        None => {
            let name = line.split('=').next().unwrap_or_default();
            ("variable", name.to_owned())
        }
    };
    let kinds = |text: &str| text.lines().map(kind).collect::<Vec<_>>();
    if kinds(text) != kinds(twin) {
        return Some("has other lines".to_owned());
    }
    let open: String = text
        .lines()
        .map(|line| match kind(line).0 {
            "proposal" => format!("{}\n", line.trim_start_matches(['#', ' '])),
            _ => format!("{line}\n"),
        })
        .collect();
    let read = parse_dotenv(&open);
    if let Some(problem) = read.problems.first() {
        return Some(format!("line {}: {}", problem.at.line, problem.what));
    }
    let defaults = defaults(config);
    read.bindings.iter().find_map(|binding| {
        let expected = &defaults.iter().find(|(name, _)| *name == binding.key)?.1;
        let value = binding.value.expose();
        (*value != *expected).then(|| format!("{} is {value:?}, not {expected:?}", binding.key))
    })
}

/// Returns the variables that only pack services read, with their default values.
fn defaults(config: &Config) -> Vec<(String, String)> {
    python::arguments(config)
        .into_iter()
        .filter_map(|arg| {
            let name = arg.env.clone()?;
            let default = arg.default.as_ref().or(arg.class_default.as_ref())?;
            name.starts_with("ACME").then(|| (name, default.clone()))
        })
        .collect()
}

/// Checks that a shell parses the suggested command correctly. Returns the problem, if any.
fn command(config: &Config) -> Option<String> {
    let command = equivalent_command("my-bot", config);
    let words = shlex::split(&command)?;
    let lost = config
        .services()
        .find(|service| !words.contains(&service.id) || !service.id.is_ascii());
    let odd = words.iter().find(|word| word.contains(char::is_whitespace));
    if let Some(word) = odd {
        return Some(format!("a word of the command is {word:?}"));
    }
    let packs = config
        .packs()
        .filter(|pack| pack.name != draw::NAME)
        .count();
    (packs > 0 || lost.is_some()).then(|| format!("the command is {command:?}"))
}
