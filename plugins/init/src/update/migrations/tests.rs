use std::collections::BTreeMap;

use bot_cli_templates::Migration;
use semver::Version;

use super::{between, oldest, uses};

fn migration(from: &str, to: &str, names: &[(&str, &str)], note: Option<&str>) -> Migration {
    let name = |(old, new): &(&str, &str)| ((*old).to_owned(), (*new).to_owned());
    Migration {
        from: from.to_owned(),
        to: to.to_owned(),
        names: names.iter().map(name).collect::<BTreeMap<_, _>>(),
        note: note.map(str::to_owned),
    }
}

fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

fn file(code: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("a.py".to_owned(), code.to_owned())])
}

fn old(note: &str) -> String {
    note.split('`').nth(1).unwrap().to_owned()
}

fn found(code: &str) -> Vec<(usize, String)> {
    let names = [
        ("Task", "Worker"),
        ("lib.old", "lib.new"),
        ("on_data", "on_turn"),
        ("gone", ""),
    ];
    let migrations = [migration("1.3.0", "2.0.0", &names, None)];
    let (recorded, new) = (version("1.2.0"), version("1.14.0"));
    let found = between(&recorded, &new, &migrations, &file(code));
    let found = found.iter().map(|it| (it.line.unwrap(), old(&it.text)));
    found.collect()
}

#[test]
fn names_are_found_wherever_code_uses_them() {
    for (code, expected) in [
        ("worker = Task(pipeline)\n", &[(1, "Task")][..]),
        (
            "\n\ndef f(task: Task | None = None) -> Task: ...\n",
            &[(3, "Task")],
        ),
        (
            "from lib.pipeline import (\n    Other,\n    Task,\n)\n",
            &[(3, "Task")],
        ),
        ("from lib.pipeline import Task as T\n", &[(1, "Task")]),
        ("import lib.old\n", &[(1, "lib.old")]),
        ("from lib.old.schemas import X\n", &[(1, "lib.old")]),
        ("from lib import old\n", &[(1, "lib.old")]),
        ("from lib import old as o, other\n", &[(1, "lib.old")]),
        ("x.gone\n", &[(1, "gone")]),
        ("f(\n    gone=1,\n)\n", &[(2, "gone")]),
        ("x = f\"{gone}\"\n", &[(1, "gone")]),
        ("class A(B):\n    def gone(self): ...\n", &[(2, "gone")]),
        (
            "@p.event_handler(\"on_data\")\nasync def f(): ...\n",
            &[(1, "on_data")],
        ),
        ("p.add_event_handler('on_data', f)\n", &[(1, "on_data")]),
        // A name counts once per line.
        ("Task(Task)\nTask\n", &[(1, "Task"), (2, "Task")]),
        // Code that does not parse is searched, too.
        ("def f(:\n    Task\n", &[(2, "Task")]),
    ] {
        let expected: Vec<_> = expected
            .iter()
            .map(|(line, old)| (*line, (*old).to_owned()))
            .collect();
        assert_eq!(found(code), expected, "{code}");
    }
}

#[test]
fn text_and_other_names_are_no_uses() {
    for code in [
        "# Task\nx = \"Task gone\"\n",
        "\"\"\"A Task.\n\nlib.old\n\"\"\"\n",
        "MyTask = Tasks\n",
        "import lib.older\nfrom lib.pipeline import old\n",
        "log(\"on_data\")\n",
        // The user's code defines a class of that name.
        "class Task:\n    pass\n\n\nTask()\n",
        "@decorated\ndef gone(): ...\n\n\ngone()\n",
    ] {
        assert_eq!(found(code), [], "{code}");
    }
}

#[test]
fn only_what_changes_between_the_releases_is_found() {
    let migrations = [
        migration("1.3.0", "2.0.0", &[("a", "b")], None),
        migration("1.14.0", "2.0.0", &[("c", "d")], None),
    ];
    for (recorded, new, expected) in [
        ("1.2.0", "1.3.0", &["a"][..]),
        ("1.2.9", "1.14.0", &["a", "c"]),
        ("1.3.0", "1.14.0", &["c"]),
        ("1.14.0", "1.14.0", &[]),
        ("1.14.0", "1.15.2", &[]),
        // The name was already old, and is now removed.
        ("1.14.0", "2.0.0", &["a", "c"]),
        ("2.0.0", "2.1.0", &[]),
        // An older program updates a newer project.
        ("1.14.0", "1.2.0", &[]),
    ] {
        let files = file("a\nc\n");
        let found = between(&version(recorded), &version(new), &migrations, &files);
        let old: Vec<_> = found.iter().map(|it| old(&it.text)).collect();
        assert_eq!(old, expected, "{recorded} to {new}");
    }
}

#[test]
fn the_oldest_release_of_a_range_is_found() {
    for (range, release) in [
        (">=1.14.0,<2", "1.14.0"),
        ("<2, >= 1.3", "1.3.0"),
        (">=2", "2.0.0"),
        ("", "0.0.0"),
        (">=x", "0.0.0"),
        (">=1.2.3.4", "0.0.0"),
    ] {
        assert_eq!(oldest(range), version(release), "{range}");
    }
}

#[test]
fn a_bot_of_the_first_release_is_told_what_became_of_its_names() {
    let bot = "from pipecat.pipeline.task import PipelineTask\n\nllm.register_direct_function(f)\n";
    let found = uses(">=1.0.0,<2", &file(bot));
    let notes: Vec<_> = found
        .iter()
        .map(|it| (it.line.unwrap(), it.text.as_str()))
        .collect();
    assert_eq!(
        notes,
        [
            (
                1,
                "the framework no longer has `PipelineTask`; it is `PipelineWorker` now; a worker goes to its runner with `await runner.add_workers(worker)`, and `await runner.run()` takes none"
            ),
            (
                1,
                "the framework no longer has `pipecat.pipeline.task`; it is `pipecat.pipeline.worker` now; a worker goes to its runner with `await runner.add_workers(worker)`, and `await runner.run()` takes none"
            ),
            (
                3,
                "the framework no longer has `register_direct_function`; a function in `LLMContext(tools=[…])` is registered by itself, and `LLMSetToolsFrame` changes the list later"
            ),
        ]
    );
}
