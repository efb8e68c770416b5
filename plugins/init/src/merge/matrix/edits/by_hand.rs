//! Edits that a simple replacement can't express.

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

/// Converts line endings to CRLF, as git may do on Windows.
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

/// Wraps lines as a formatter with a shorter line length would.
fn formatted(files: &mut Files) -> Option<()> {
    let mut seen = 0;
    for (long, short) in [
        (
            "        sys.exit(\"\\n  \".join([\"error: the environment is not complete:\", *problems]) + _HINT)\n",
            "        sys.exit(\n            \"\\n  \".join([\"error: the environment is not complete:\", *problems]) + _HINT\n        )\n",
        ),
        (
            "CARTESIA_VOICE_ID: str = optional(\"CARTESIA_VOICE_ID\", \"86e30c1d-714b-4074-a1f2-1cb6b552fb49\")\n",
            "CARTESIA_VOICE_ID: str = optional(\n    \"CARTESIA_VOICE_ID\", \"86e30c1d-714b-4074-a1f2-1cb6b552fb49\"\n)\n",
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
            "        params=PipelineParams(enable_metrics=True, enable_usage_metrics=True),\n",
            "        params=PipelineParams(\n            enable_metrics=True,\n            enable_usage_metrics=True,\n        ),\n",
        ),
    ] {
        for (_, text) in files
            .iter_mut()
            .filter(|(path, _)| path.starts_with("server/"))
        {
            seen += usize::from(text.contains(long));
            *text = text.replace(long, short);
        }
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

fn renamed_variable(files: &mut Files) -> Option<()> {
    let bot = bot(files)?;
    *bot = bot
        .replace("user_aggregator", "listener")
        .replace("assistant_listener", "assistant_aggregator");
    bot.contains("listener").then_some(())
}

fn tools_deleted(files: &mut Files) -> Option<()> {
    files.remove("server/tools.py")?;
    let bot = bot(files)?;
    *bot = bot.replacen("from tools import TOOLS\n", "", 1);
    *bot = bot.replacen("LLMContext(tools=TOOLS)", "LLMContext()", 1);
    Some(())
}

/// Moves the entry point above the functions that it calls.
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
