//! Edits that are more than a text in another's place.

use super::super::Files;

type ByHand = (&'static str, fn(&mut Files) -> Option<()>);

pub(super) const EDITS: &[ByHand] = &[
    ("Windows line ends", windows_line_ends),
    (
        "Windows line ends and a prompt",
        windows_line_ends_and_prompt,
    ),
    ("byte order mark", byte_order_mark),
    ("formatted with 88 columns", formatted),
    ("single quotes", single_quotes),
    ("services in a module", services_in_module),
    ("renamed variable", renamed_variable),
    ("README deleted", |files| {
        files.remove("README.md").map(drop)
    }),
    ("tools deleted", tools_deleted),
    ("Dockerfile deleted", |files| {
        files.remove("server/Dockerfile").map(drop)
    }),
    ("functions in another order", other_order),
    ("a file of one's own", |files| {
        let own = "\"\"\"What is sold.\"\"\"\n\nMENU = [\"rye\", \"spelt\"]\n";
        files.insert("server/menu.py".to_owned(), own.to_owned());
        Some(())
    }),
];

fn bot(files: &mut Files) -> Option<&mut String> {
    files.get_mut("server/bot.py")
}

/// What git makes of a project on Windows, where it is told to.
#[expect(clippy::unnecessary_wraps, reason = "as the other edits")]
fn windows_line_ends(files: &mut Files) -> Option<()> {
    for text in files.values_mut() {
        *text = text.replace('\n', "\r\n");
    }
    Some(())
}

fn windows_line_ends_and_prompt(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    *bot = bot.replace("You are a friendly, helpful assistant", "You sell bread");
    windows_line_ends(files)
}

fn byte_order_mark(files: &mut Files) -> Option<()> {
    for path in ["server/bot.py", "README.md", "server/.env.example"] {
        files.get_mut(path)?.insert(0, '\u{feff}');
    }
    let bot = bot(files)?;
    *bot = bot.replace("ask what you can do", "ask what they buy");
    Some(())
}

/// As a formatter with shorter lines leaves it.
fn formatted(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    let mut seen = 0;
    for (long, short) in [
        (
            "        sys.exit(\"\\n  \".join([\"error: the environment is not complete:\", *_problems]) + _HINT)\n",
            "        sys.exit(\n            \"\\n  \".join([\"error: the environment is not complete:\", *_problems]) + _HINT\n        )\n",
        ),
        (
            "CARTESIA_VOICE_ID = os.getenv(\"CARTESIA_VOICE_ID\") or \"86e30c1d-714b-4074-a1f2-1cb6b552fb49\"\n",
            "CARTESIA_VOICE_ID = (\n    os.getenv(\"CARTESIA_VOICE_ID\") or \"86e30c1d-714b-4074-a1f2-1cb6b552fb49\"\n)\n",
        ),
        (
            "from pipecat.transports.base_transport import BaseTransport, TransportParams, VideoInSourceParams\n",
            "from pipecat.transports.base_transport import (\n    BaseTransport,\n    TransportParams,\n    VideoInSourceParams,\n)\n",
        ),
        (
            "from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair\n",
            "from pipecat.processors.aggregators.llm_response_universal import (\n    LLMContextAggregatorPair,\n)\n",
        ),
        (
            "_HINT = \"\\nhint: copy .env.example to .env and fill it in; a deployed bot reads its secret set\"\n",
            "_HINT = (\n    \"\\nhint: copy .env.example to .env and fill it in; a deployed bot reads its secret set\"\n)\n",
        ),
        (
            "        params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),\n",
            "        params=PipelineParams(\n            enable_metrics=True,\n            enable_usage_metrics=True,\n        ),\n",
        ),
    ] {
        seen += usize::from(bot.contains(long));
        *bot = bot.replace(long, short);
    }
    (seen > 2).then_some(())
}

fn single_quotes(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    let lines = bot.lines().map(|line| {
        let plain = !line.contains('\'') && !line.contains("\"\"\"") && !line.contains("f\"");
        if plain && line.matches('"').count() == 2 {
            line.replace('"', "'")
        } else {
            line.to_owned()
        }
    });
    *bot = lines.map(|line| line + "\n").collect();
    Some(())
}

/// The functions that create services are in a module of their own, with the settings that they read.
fn services_in_module(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    let cut = |bot: &mut String, from: &str, to: &str| {
        let start = bot.find(from)?;
        let end = start + bot[start..].find(to)? + to.len();
        Some(bot.drain(start..end).collect::<String>())
    };
    // Names of a list on several lines are somebody else's work.
    if bot.contains("_INPUTS") || !bot.contains("\nDEEPGRAM_API_KEY = ") {
        return None;
    }
    let helpers = cut(bot, "_HINT = ", "+ _HINT)\n")?;
    let settings = cut(bot, "DEEPGRAM_API_KEY = ", "\n\n")?;
    let functions = cut(bot, "def create_stt(", "\n\n\nasync def")?;
    let functions = functions.trim_end_matches("\n\n\nasync def");
    bot.insert_str(bot.find(" run_bot(")?, "async def");
    let moved = format!("{helpers}\n\n{}\n\n\n{functions}\n", settings.trim_end());
    let (mut kept, mut own) = (String::new(), String::new());
    for line in bot.lines() {
        let name = line.rsplit([' ', '.']).next().unwrap_or_default();
        let is_import = line.starts_with("import ") || line.starts_with("from pipecat.");
        if is_import && uses(&moved, name) {
            own.push_str(line);
            own.push('\n');
        }
        if !is_import || !uses(&moved, name) || uses(&bot.replace(line, ""), name) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    let names: Vec<&str> = moved
        .lines()
        .filter_map(|line| {
            let line = line.strip_prefix("def ").unwrap_or(line);
            line.split(['(', ' ']).next()
        })
        .filter(|name| !name.is_empty() && uses(&kept, name) && moved.contains(name))
        .filter(|name| {
            name.starts_with("create_") || *name == "check_settings" || name.ends_with("_URL")
        })
        .collect();
    let import = format!("from services import {}\n", names.join(", "));
    *bot = kept.replacen(
        "from tools import TOOLS\n",
        &format!("{import}from tools import TOOLS\n"),
        1,
    );
    let module = format!("\"\"\"The services of the bot.\"\"\"\n\n{own}\n{moved}");
    files.insert("server/services.py".to_owned(), module);
    Some(())
}

fn uses(code: &str, name: &str) -> bool {
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name)
}

fn renamed_variable(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    *bot = bot
        .replace("user_aggregator", "listener")
        .replace("assistant_listener", "assistant_aggregator");
    bot.contains("listener").then_some(())
}

/// A bot without tools.
fn tools_deleted(files: &mut Files) -> Option<()> {
    files.remove("server/tools.py")?;
    let bot = bot(files)?;
    *bot = bot.replacen("from tools import TOOLS\n", "", 1);
    *bot = bot.replacen("LLMContext(tools=TOOLS)", "LLMContext()", 1);
    Some(())
}

/// The entry point above what it calls.
fn other_order(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    let start = bot.find("async def bot(")?;
    let end = bot.find("if __name__ ==")?;
    let function = bot[start..end].to_owned();
    bot.replace_range(start..end, "");
    let place = bot.find("async def run_bot(")?;
    bot.insert_str(place, &function);
    Some(())
}
