use super::super::tests::{Draw, merged, shown};

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

#[test]
fn declarations_are_merged() {
    let cases: &[Clean] = &[
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
    for (number, (of_user, of_generator, found, gone)) in cases.iter().enumerate() {
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
fn what_is_in_doubt_is_a_conflict_with_its_name() {
    for (of_user, of_generator, expected) in [
        // Arguments of a class that goes.
        (
            &[(
                "            model=MODEL,\n",
                "            model=MODEL,\n            warmth=0.2,\n",
            )][..],
            &[("settings=One.Settings(", "settings=Two(")][..],
            &["create_tts.settings"][..],
        ),
        // The same argument with different values.
        (
            &[(
                "        sound=True,\n",
                "        sound=True,\n        size=2,\n",
            )],
            &[(
                "        sound=True,\n",
                "        sound=True,\n        size=3,\n",
            )],
            &["PARAMS.web.size"],
        ),
        // Parts of a list at one place.
        (
            &[
                (
                    "            tts,\n",
                    "            tts,\n            mine,\n",
                ),
                ("PROMPT", "mine = 1\nPROMPT"),
            ],
            &[
                ("            tts,\n", "            tts,\n            new,\n"),
                ("PROMPT", "new = 1\nPROMPT"),
            ],
            &["run_bot.pipeline"],
        ),
        // A setting that goes, and that the user has changed or uses.
        (
            &[("required(\"ONE_KEY\")", "required(\"MY_KEY\")")],
            &[
                ("ONE_KEY = required(\"ONE_KEY\")\n", ""),
                ("        key=ONE_KEY,\n", ""),
            ],
            &["ONE_KEY"],
        ),
        (
            &[("PROMPT", "def mine():\n    return ONE_KEY\n\n\nPROMPT")],
            &[
                ("ONE_KEY = required(\"ONE_KEY\")\n", ""),
                ("        key=ONE_KEY,\n", ""),
            ],
            &["ONE_KEY"],
        ),
        // A variable that goes, and that a handler of the user's uses.
        (
            &[(
                "    # Your own",
                "    @worker.on(\"x\")\n    async def on_x():\n        tts.stop()\n\n    # Your own",
            )],
            &[("    tts = create_tts()\n", ""), ("            tts,\n", "")],
            &["run_bot.tts"],
        ),
        // A variable that is renamed.
        (
            &[(
                "    # Your own",
                "    @worker.on(\"x\")\n    async def on_x():\n        pass\n\n    # Your own",
            )],
            &[
                ("    worker = Worker(", "    job = Worker("),
                ("await worker.queue", "await job.queue"),
                ("await worker.run", "await job.run"),
            ],
            &["run_bot.worker"],
        ),
        // The user's variable of a new one's name.
        (
            &[("    # Your own", "    job = 1\n\n    # Your own")],
            &[(
                "    await worker.run()\n",
                "    job = worker\n    await job.run()\n",
            )],
            &["run_bot"],
        ),
        // Added by both.
        (
            &[("PROMPT", "TONE = 1\nPROMPT")],
            &[("KEY =", "TONE = 2\nKEY =")],
            &["TONE"],
        ),
        (
            &[("PROMPT", "from mine import Recorder\nPROMPT")],
            &[
                ("from tools", "from recording import Recorder\nfrom tools"),
                ("\"Be kind.\"", "Recorder()"),
            ],
            &["import"],
        ),
        (
            &[("PROMPT", "from mine import TONE\nPROMPT")],
            &[("KEY =", "TONE = 2\nKEY =")],
            &["TONE"],
        ),
        // A file of ours that goes.
        (
            &[("PROMPT", "MINE = TOOLS\nPROMPT")],
            &[("from tools import TOOLS\n", ""), (", TOOLS)", ")")],
            &["import"],
        ),
        // Other parameters of a function that the user calls as well.
        (
            &[(
                "    tts = create_tts()\n",
                "    tts = create_tts()\n    other = create_tts()\n",
            )],
            &[
                ("def create_tts()", "def create_tts(session)"),
                ("    tts = create_tts()", "    tts = create_tts(arguments)"),
            ],
            &["create_tts"],
        ),
        // Deleted, and needed by what is new.
        (
            &[
                ("def required", "def demanded"),
                ("KEY = required", "KEY = demanded"),
                ("ONE_KEY = required", "ONE_KEY = demanded"),
            ],
            &[("KEY = ", "VOICE = required(\"VOICE\")\nKEY = ")],
            &["required"],
        ),
    ] {
        let merged = merged(
            "bot.py",
            BASE,
            &with(BASE, of_user),
            &with(BASE, of_generator),
        );
        let names: Vec<&str> = merged
            .conflicts()
            .filter_map(|it| it.declaration.as_deref())
            .collect();
        assert_eq!(names, expected, "{:?}\n{}", merged.notes, shown(&merged));
    }
}
