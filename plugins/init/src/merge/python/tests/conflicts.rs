use super::super::super::tests::{merged, shown};
use super::{BASE, with};

/// The user's edits, the generator's, and the declarations in conflict.
type Doubtful<'t> = (
    &'t [(&'t str, &'t str)],
    &'t [(&'t str, &'t str)],
    &'t [&'t str],
);

const DOUBTFUL: &[Doubtful] = &[
    // Arguments of a class that goes.
    (
        &[(
            "            model=MODEL,\n",
            "            model=MODEL,\n            warmth=0.2,\n",
        )],
        &[("settings=One.Settings(", "settings=Two(")],
        &["create_tts.settings"],
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
    // A function of the user's, and an import of that name.
    (
        &[("PROMPT", "def log(line):\n    return line\n\n\nPROMPT")],
        &[
            ("from tools", "from recording import log\nfrom tools"),
            (
                "    await worker.run()\n",
                "    log(worker)\n    await worker.run()\n",
            ),
        ],
        &["run_bot"],
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
];

#[test]
fn what_is_in_doubt_is_a_conflict_with_its_name() {
    for (of_user, of_generator, expected) in DOUBTFUL {
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
        assert_eq!(names, *expected, "{:?}\n{}", merged.notes, shown(&merged));
    }
}
