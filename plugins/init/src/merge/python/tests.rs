mod conflicts;
mod hostile;

use super::super::tests::{merged, shown};

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
                "from a.frames import (\n    Frame,\n    Mine,  # mine\n    Run,\n)\n",
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
            "import json\nimport os\n\nfrom a.frames import (\n    Frame,\n    New,\n    Mine,  # mine\n    Run,\n)\nfrom a.services.one import One\n\nfrom tools",
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
    // Settings, entries and arguments by their names.
    (
        &[
            ("PROMPT =", "# Mine.\nMINE = 1\nPROMPT ="),
            (
                "        sound=True,\n",
                "        sound=True,\n        size=2,\n",
            ),
            (
                "            model=MODEL,\n",
                "            model=MODEL,\n            warmth=0.2,\n",
            ),
        ],
        &[
            (
                "ONE_KEY = required",
                "VOICE = required(\"VOICE\")\nONE_KEY = required",
            ),
            (
                "        sound=True,\n    ),\n",
                "        sound=True,\n        video=True,\n    ),\n    \"room\": lambda: Frame(\n        sound=True,\n    ),\n",
            ),
            (
                "            model=MODEL,\n",
                "            model=MODEL,\n            voice=VOICE,\n",
            ),
        ],
        &[
            "# Mine.\nMINE = 1\n",
            "VOICE = required(\"VOICE\")\nONE_KEY",
            "video=True,\n",
            "size=2,\n",
            "\"room\": lambda",
            "voice=VOICE,\n",
            "warmth=0.2,\n",
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
    // Deleted stays deleted, unless the new version has changed what is used.
    (
        &[(
            "    @transport.on(\"connected\")\n    async def on_connected(transport, client):\n        await worker.queue([Run()], TOOLS)\n\n",
            "",
        )],
        &[
            (
                "async def on_connected(transport, client)",
                "async def on_connected(transport, client=None)",
            ),
            ("\"Be kind.\"", "\"Be brief.\""),
        ],
        &["Be brief."],
        &["on_connected"],
    ),
    // The docstring is the user's.
    (
        &[("Voice: one", "Voice: one, of a baker")],
        &[("Voice: one", "Voice: two"), ("Be kind", "Be brief")],
        &["Voice: one, of a baker", "Be brief"],
        &["Voice: two"],
    ),
    // Functions in another order, and comments above and within.
    (
        &[
            ("PROMPT = \"Be kind.\"\n", ""),
            (
                "class Worker",
                "# The words.\nPROMPT = \"Be kind.\"  # short\n\n\nclass Worker",
            ),
            (
                "    return os.getenv(name) or \"\"\n",
                "    # Empty is fine.\n    return os.getenv(name) or \"\"\n    # The end.\n",
            ),
        ],
        &[
            (
                "            tts,\n",
                "            tts,\n            tts.more(),\n",
            ),
            (
                "\"\"\"Return a setting.\"\"\"",
                "\"\"\"Return a setting, or nothing.\"\"\"",
            ),
        ],
        &[
            "# The words.\nPROMPT = \"Be kind.\"  # short\n\n\nclass Worker",
            "    \"\"\"Return a setting, or nothing.\"\"\"\n    # Empty is fine.\n    return os.getenv(name) or \"\"\n    # The end.\n",
            "tts.more(),",
        ],
        &[],
    ),
];

#[test]
fn declarations_are_merged() {
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
fn layout_and_what_it_hides_are_kept() {
    let other = with(
        BASE,
        &[
            ("ONE_KEY = required(\"ONE_KEY\")\n", ""),
            ("        key=ONE_KEY,\n", ""),
        ],
    );
    for (of_user, found) in [
        // Another width, no last comma, single quotes: nobody has edited anything.
        (
            &[
                (
                    "        key=ONE_KEY,\n        settings=One.Settings(\n            model=MODEL,\n        ),\n    )",
                    "        key=ONE_KEY, settings=One.Settings(model=MODEL)\n    )",
                ),
                ("required(\"ONE_KEY\")", "required('ONE_KEY')"),
                ("PROMPT = \"Be kind.\"", "PROMPT = (\n    'Be kind.'\n)"),
            ][..],
            "PROMPT = (\n    'Be kind.'\n)\n",
        ),
        (
            &[("from tools import TOOLS", "from tools import *  # noqa")],
            "from tools import *  # noqa\n\nPROMPT",
        ),
        (
            &[(
                "import os\n",
                "from __future__ import annotations\n\nimport os\n",
            )],
            "from __future__ import annotations\n\nimport os\n",
        ),
    ] {
        let merged = merged("bot.py", BASE, &with(BASE, of_user), &other);
        let text = shown(&merged);
        assert!(merged.text().is_some(), "{text}");
        assert!(text.contains(found) && !text.contains("ONE_KEY"), "{text}");
    }
    // Annotations may be strings.
    let other = BASE.replace("a.services.one import One", "a.services.two import Two");
    let other = other
        .replace("One:", "Two:")
        .replace("One(", "Two(")
        .replace("One.", "Two.");
    let yours = with(
        BASE,
        &[(
            "class Worker",
            "def mine(one: \"One\"):\n    pass\n\n\nclass Worker",
        )],
    );
    let text = merged("bot.py", BASE, &yours, &other).text().unwrap();
    let imports = "from a.services.one import One\nfrom a.services.two import Two\n";
    assert!(text.contains(imports), "{text}");
}

#[test]
fn nothing_is_used_above_its_definition() {
    // What is new follows what it uses, even if the user has moved what it follows.
    let model = "MODEL = os.getenv(\"MODEL\") or NOT_GIVEN\n";
    let moved = with(BASE, &[(model, ""), ("PROMPT", &format!("{model}PROMPT"))]);
    let new = with(
        BASE,
        &[(model, &format!("{model}VOICE = required(\"VOICE\")\n"))],
    );
    let text = merged("bot.py", BASE, &moved, &new).text().unwrap();
    assert!(text.find("VOICE = ") > text.find("def required"), "{text}");
    // A function that the user has moved below is not used above it.
    let required = "def required(name: str) -> str:\n    \"\"\"Return a setting.\"\"\"\n    return os.getenv(name) or \"\"\n\n\n";
    let key = "KEY = required(\"KEY\")\n";
    let one = "ONE_KEY = required(\"ONE_KEY\")\n";
    let base = with(BASE, &[(key, "KEY = 1\n"), (one, "ONE_KEY = 2\n")]);
    let yours = with(
        &base,
        &[
            (required, ""),
            ("class Worker", &format!("{required}class Worker")),
        ],
    );
    let new = with(&base, &[("KEY = 1\n", key)]);
    let merged = merged("bot.py", &base, &yours, &new);
    assert_eq!(merged.text(), None);
    assert_eq!(
        merged.notes,
        ["`required` would be used in `KEY` above its definition"]
    );
}

#[test]
fn a_name_without_a_definition_has_its_line() {
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
    assert_eq!(
        merged.notes,
        ["`tts` is used in line 63, but it would no longer be defined"]
    );
    let lines: Vec<usize> = merged.conflicts().map(|it| it.line).collect();
    assert_eq!(lines, [47]);
}
