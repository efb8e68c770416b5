use super::super::tests::{Draw, merged, shown};
use super::super::{Versions, lines};
use crate::code;

const BASE: &str = r#""""A bot.

Voice: one
"""

import os

from a.frames import Frame, Run
from a.services.one import One
from a.types import NOT_GIVEN

from tools import TOOLS

PROMPT = "Be kind."


def required(name: str) -> str:
    """Return a setting."""
    return os.getenv(name) or ""


KEY = required("KEY")
MODEL = os.getenv("MODEL") or NOT_GIVEN
ONE_KEY = required("ONE_KEY")


# How to set up each transport.
PARAMS = {
    "web": lambda: Frame(
        sound=True,
    ),
}


def create_tts() -> One:
    """Speak."""
    return One(
        key=ONE_KEY,
        settings=One.Settings(
            model=MODEL,
        ),
    )


async def run_bot(transport, arguments) -> None:
    """Hold one conversation."""
    tts = create_tts()
    pipeline = Pipeline(
        [
            transport.input(),
            tts,
            transport.output(),
        ]
    )
    worker = Worker(pipeline, metrics=True)

    @transport.on("connected")
    async def on_connected(transport, client):
        await worker.queue([Run()], TOOLS)

    # Your own event handlers go here.

    await worker.run()


class Pipeline:
    """A pipeline."""

    def __init__(self, parts):
        self.parts = parts


class Worker(Pipeline):
    """A worker."""
"#;

/// Applies edits: what is found, and what takes its place.
fn with(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    })
}

/// The user's edits, the generator's, and what there is to find in a clean merge and what is not.
type Clean<'t> = (
    &'t [(&'t str, &'t str)],
    &'t [(&'t str, &'t str)],
    &'t [&'t str],
    &'t [&'t str],
);

const CLEAN: &[Clean] = &[
    // Names are added to the user's import statements and taken from them.
    (
        &[
            ("import os\n", "import json\nimport os\n"),
            (
                "from a.frames import Frame, Run\n",
                "from a.frames import (\n    Frame,\n    Mine,\n    Run,\n)\n",
            ),
            ("PROMPT =", "X = Mine, json\nPROMPT ="),
        ],
        &[
            ("Frame, Run", "Frame, New, Run"),
            ("\"Be kind.\"", "New"),
            ("from a.types import NOT_GIVEN\n", ""),
            (" or NOT_GIVEN", ""),
        ],
        &[
            "import json\nimport os\n\nfrom a.frames import (\n    Frame,\n    Mine,\n    New,\n    Run,\n)\nfrom a.services.one import One\n\nfrom tools",
        ],
        &["NOT_GIVEN"],
    ),
    // What the user still needs stays imported.
    (
        &[("KEY = required", "MINE = NOT_GIVEN\nKEY = required")],
        &[
            ("from a.types import NOT_GIVEN\n", ""),
            (" or NOT_GIVEN", ""),
        ],
        &[
            "from a.types import NOT_GIVEN\n",
            "MODEL = os.getenv(\"MODEL\")\n",
            "MINE = NOT_GIVEN\n",
        ],
        &[],
    ),
    // A new statement stands where it is generated; the user's own alias stays.
    (
        &[
            (
                "from a.services.one import One\n",
                "from a.services.one import One as Uno\n",
            ),
            ("-> One:", "-> Uno:"),
            ("return One(", "return Uno("),
            ("settings=One.", "settings=Uno."),
        ],
        &[
            ("from tools", "from recording import Recorder\nfrom tools"),
            (
                "            transport.output(),\n",
                "            transport.output(),\n            Recorder(),\n",
            ),
        ],
        &[
            "One as Uno\n",
            "\nfrom recording import Recorder\nfrom tools import TOOLS\n",
            "Recorder(),\n",
        ],
        &[],
    ),
    // Statements that touch; handlers of both at one place; a function of the user's above.
    (
        &[
            (
                "    # Your own event handlers go here.\n",
                "    # Your own event handlers go here.\n    @worker.on(\"mine\")\n    async def on_mine():\n        pass\n",
            ),
            (
                "    await worker.run()\n",
                "    try:\n        await worker.run()\n    finally:\n        mine()\n",
            ),
            (
                "async def run_bot",
                "def mine():\n    pass\n\n\nasync def run_bot",
            ),
            ("metrics=True", "metrics=False"),
        ],
        &[
            (
                "    tts = create_tts()\n",
                "    tts = create_tts()\n    watch = tts\n",
            ),
            (
                "    # Your own",
                "    @worker.on(\"new\")\n    async def on_new():\n        pass\n\n    # Your own",
            ),
            ("def create_tts()", "NEW = 1\n\n\ndef create_tts()"),
        ],
        &[
            "    watch = tts\n",
            "async def on_new",
            "async def on_mine",
            "    finally:\n        mine()\n",
            "metrics=False",
            "NEW = 1\n\n\ndef create_tts",
            "def mine():\n    pass\n\n\nasync def run_bot",
        ],
        &[],
    ),
    // A processor of one's own, and one of the generator's further down.
    (
        &[
            (
                "            tts,\n",
                "            Mine(),  # mine\n            tts,\n",
            ),
            ("PROMPT", "Mine = One\nPROMPT"),
        ],
        &[(
            "            transport.output(),\n",
            "            transport.output(),\n            Run(),\n",
        )],
        &[
            "            transport.input(),\n            Mine(),  # mine\n            tts,\n            transport.output(),\n            Run(),\n        ]\n",
        ],
        &[],
    ),
    // The docstring is the user's.
    (
        &[("Voice: one", "Voice: one, of a baker")],
        &[("Voice: one", "Voice: two"), ("Be kind", "Be brief")],
        &["Voice: one, of a baker", "Be brief"],
        &["Voice: two"],
    ),
];

#[test]
fn lines_statements_and_imports_are_merged() {
    for (number, (of_user, of_generator, found, gone)) in CLEAN.iter().enumerate() {
        let merged = merged(
            "bot.py",
            BASE,
            &with(BASE, of_user),
            &with(BASE, of_generator),
        );
        let text = shown(&merged);
        assert!(
            merged.text().is_some(),
            "{number}: {:?}\n{text}",
            merged.notes
        );
        for found in *found {
            assert!(text.contains(found), "{number}: {found}\n{text}");
        }
        for gone in *gone {
            assert!(!text.contains(gone), "{number}: {gone}\n{text}");
        }
    }
}

#[test]
fn a_function_with_another_name_takes_what_is_new_in_it() {
    let yours = BASE.replace("run_bot", "converse");
    let new = with(
        BASE,
        &[("    worker = Worker", "    watch(tts)\n    worker = Worker")],
    );
    let text = merged("bot.py", BASE, &yours, &new).text().unwrap();
    assert_eq!(text, new.replace("run_bot", "converse"));
}

#[test]
fn what_is_clean_by_lines_is_never_in_conflict() {
    let mut draw = Draw(5);
    for _ in 0..150 {
        let (yours, new) = (edited('y', &mut draw), edited('n', &mut draw));
        let versions = Versions {
            base: BASE,
            yours: &yours,
            new: &new,
        };
        let is_code = |text: &String| code::free(text).is_ok();
        if is_code(&yours) && is_code(&new) && lines::merge(&versions).text().is_some() {
            let merged = merged("bot.py", BASE, &yours, &new);
            let has_reason = !merged.notes.is_empty();
            assert!(merged.text().is_some() || has_reason, "{}", shown(&merged));
        }
    }
}

#[test]
fn nothing_is_used_above_its_definition() {
    // A function that the user has moved below is not used above it.
    let required = "def required(name: str) -> str:\n    \"\"\"Return a setting.\"\"\"\n    return os.getenv(name) or \"\"\n\n\n";
    let base = with(
        BASE,
        &[
            ("KEY = required(\"KEY\")\n", "KEY = 1\n"),
            ("ONE_KEY = required(\"ONE_KEY\")\n", "ONE_KEY = 2\n"),
        ],
    );
    let yours = with(
        &base,
        &[
            (required, ""),
            ("PROMPT = \"Be kind.\"", "PROMPT = \"Be short.\""),
            ("class Worker", &format!("{required}class Worker")),
        ],
    );
    let new = with(
        &base,
        &[
            ("KEY = 1\n", "KEY = required(\"KEY\")\n"),
            ("PROMPT = \"Be kind.\"", "PROMPT = \"Be brief.\""),
        ],
    );
    assert_eq!(merged("bot.py", &base, &yours, &new).text(), None);
}

#[test]
fn what_is_in_doubt_is_a_conflict_with_its_name_and_line() {
    for (of_user, of_generator, name, line) in [
        // The same line in two ways.
        (
            ("Be kind.", "Be short."),
            ("Be kind.", "Be brief."),
            Some("PROMPT"),
            14,
        ),
        // A setting that goes, and that the user has changed.
        (
            ("required(\"ONE_KEY\")", "required(\"MY_KEY\")"),
            ("ONE_KEY = required(\"ONE_KEY\")\n", ""),
            Some("ONE_KEY"),
            24,
        ),
    ] {
        let new = with(BASE, &[of_generator]).replace("        key=ONE_KEY,\n", "");
        let merged = merged("bot.py", BASE, &with(BASE, &[of_user]), &new);
        let found: Vec<_> = merged.conflicts().collect();
        assert_eq!(found.len(), 1, "{}", shown(&merged));
        assert_eq!(found[0].declaration.as_deref(), name);
        assert_eq!(found[0].line, line);
    }
    // Something of the user's that would be without its definition.
    let yours = with(
        BASE,
        &[(
            "    # Your own",
            "    @worker.on(\"x\")\n    async def on_x():\n        tts.stop()\n\n    # Your own",
        )],
    );
    let new = with(
        BASE,
        &[("    tts = create_tts()\n", ""), ("            tts,\n", "")],
    );
    let merged = merged("bot.py", BASE, &yours, &new);
    assert_eq!(merged.notes, ["it uses `tts`, which is no longer defined"]);
    let lines: Vec<usize> = merged.conflicts().map(|it| it.line).collect();
    assert_eq!(lines, [63]);
}

/// Statements that may be anywhere in a body, with a number of their own.
fn statement(mark: char, number: usize, draw: &mut Draw) -> String {
    let name = format!("{mark}{number}");
    match draw.below(5) {
        0 => format!("# {name}\n{name} = 1\n"),
        1 => format!("def {name}():\n    return {number}\n"),
        2 => format!("if os:\n    {name} = [\n        1,\n        2,\n    ]\n"),
        3 => format!("print('{name}')\n"),
        _ => format!("{name} = required(\"{name}\")\n"),
    }
}

/// Adds statements and arguments, and takes lines away.
fn edited(mark: char, draw: &mut Draw) -> String {
    let mut lines: Vec<String> = BASE.split_inclusive('\n').map(str::to_owned).collect();
    for number in 0..=draw.below(4) {
        let at = draw.below(lines.len());
        let line = lines[at].clone();
        let indent = line.len() - line.trim_start().len();
        let is_argument = line.trim_end().ends_with(',');
        let added = if is_argument && line.contains('=') {
            format!("{mark}{number}=1,\n")
        } else if is_argument {
            format!("{mark}{number}(),\n")
        } else {
            statement(mark, number, draw)
        };
        let pad = " ".repeat(if line.trim().is_empty() { 0 } else { indent });
        let added: Vec<String> = added.lines().map(|line| format!("{pad}{line}\n")).collect();
        match draw.below(4) {
            0 => lines[at] = String::new(),
            1 => lines[at] = added.concat(),
            _ => lines[at] = added.concat() + &line,
        }
    }
    lines.concat()
}

#[test]
fn nothing_of_the_users_is_lost_and_what_is_merged_can_be_parsed() {
    let mut draw = Draw(3);
    let (mut clean, mut parsed) = (0, 0);
    for _ in 0..150 {
        let yours = edited('y', &mut draw);
        let new = edited('n', &mut draw);
        let merged = merged("bot.py", BASE, &yours, &new);
        let text = shown(&merged);
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for line in yours.lines().filter(|line| !BASE.contains(line.trim())) {
            assert!(lines.contains(&line.trim()), "{line}\n{text}");
        }
        let can_be_parsed = |text: &String| code::free(text).is_ok();
        if ![&yours, &new].into_iter().all(can_be_parsed) {
            continue;
        }
        parsed += 1;
        let Some(text) = merged.text() else { continue };
        clean += 1;
        assert!(can_be_parsed(&text), "{yours}\n----\n{new}\n----\n{text}");
    }
    assert!(parsed > 30 && clean > 15, "{clean} of {parsed}");
}

#[test]
fn hostile_files_are_merged_somehow() {
    let deep =
        |open: &str, close: &str| format!("x = {}1{}\n", open.repeat(2000), close.repeat(2000));
    let nested: Vec<String> = (0..300)
        .map(|depth| " ".repeat(depth) + "if x:\n")
        .collect();
    let new = with(BASE, &[("\"Be kind.\"", "\"Be brief.\"")]);
    for hostile in [
        deep("(", ")"),
        deep("f(", ")"),
        deep("{", ""),
        format!("x = 1{}\n", " + 1".repeat(2000)),
        nested.concat() + &" ".repeat(300) + "pass\n",
        "x = 1\n".repeat(2000),
        "import os\n".repeat(200),
        "\0\u{fffd}\n'''\n".to_owned(),
        "def f(): pass; x = 1; import os\nx = 1; y = 2\n".to_owned(),
        "\\\n\\\n".to_owned(),
        String::new(),
    ] {
        for yours in [
            hostile.clone(),
            format!("{BASE}{hostile}"),
            format!("{hostile}{BASE}"),
        ] {
            let text = shown(&merged("bot.py", BASE, &yours, &new));
            assert!(text.contains("Be brief.") || yours == hostile, "{yours}");
        }
    }
}
