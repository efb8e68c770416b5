use std::collections::BTreeMap;

use super::super::{Merged, Versions, lines};
use super::{Finding, first, meaning, modules};

/// The parts in conflict and the notes after a check of `merged`.
fn demoted(path: &str, base: &str, yours: &str, new: &str, merged: &str) -> (usize, Vec<String>) {
    let versions = Versions { base, yours, new };
    let ways = vec![Merged::agreed(merged), lines::merge(&versions)];
    let merged = first(path, &versions, ways);
    (merged.conflicts().count(), merged.notes)
}

#[test]
fn a_merge_that_passes_stays_as_it_is() {
    let found = demoted(
        "a.py",
        "a = 1\n",
        "a = 1\nb = 2\n",
        "a = 3\n",
        "a = 3\nb = 2\n",
    );
    assert_eq!(found, (0, Vec::new()));
}

#[test]
fn a_merge_that_can_not_be_read_is_a_conflict() {
    for (path, base, yours, new, merged) in [
        ("a.py", "a = 1\n", "a = 2\n", "a = 3\n", "a = = 2\n"),
        ("a.toml", "a = 1\n", "a = 2\n", "a = 3\n", "a = 2\na = 3\n"),
        ("a.json", "[1]\n", "[2]\n", "[3]\n", "[2 3]\n"),
        ("a.yaml", "a: [1]\n", "a: [2]\n", "a: [3]\n", "a: [2\n"),
    ] {
        let (conflicts, notes) = demoted(path, base, yours, new, merged);
        assert_eq!(conflicts, 1, "{path}");
        assert!(
            notes[0].starts_with("merged, it could not be read: "),
            "{notes:?}"
        );
        // What the user has broken is not the merge's fault.
        let found = demoted(path, base, merged, new, merged);
        assert_eq!(found, (0, Vec::new()), "{path}");
    }
}

#[test]
fn a_marker_that_nobody_wrote_is_a_conflict() {
    let (conflicts, notes) = demoted("a.txt", "a\n", "b\n", "c\n", "<<<<<<< b\nb\n");
    assert_eq!(conflicts, 1);
    assert_eq!(notes, ["merged, it would have the marker of a conflict"]);
}

#[test]
fn a_name_without_its_definition_is_a_conflict_in_the_users_line() {
    let base = "worker = make()\nworker.run()\nend()\n";
    let yours = "worker = make()\nworker.run()\nprint(worker.name)\nend()\n";
    let new = "job = make()\njob.run()\nend()\n";
    let versions = Versions { base, yours, new };
    let merged = "job = make()\njob.run()\nprint(worker.name)\nend()\n";
    let ways = vec![Merged::agreed(merged), lines::merge(&versions)];
    let merged = first("a.py", &versions, ways);
    let conflicts: Vec<_> = merged.conflicts().collect();
    assert_eq!(conflicts.len(), 1);
    assert!(
        conflicts[0].yours.contains("print(worker.name)\n"),
        "{conflicts:?}"
    );
    assert_eq!(
        merged.notes,
        ["it uses `worker`, which is no longer defined"]
    );
}

#[test]
fn a_line_of_the_user_that_is_lost_is_a_conflict() {
    let base = "a = 1\nb = 1\nc = 1\n";
    let yours = "a = 1\nmine = 2\nb = 1\nc = 1\n";
    let (conflicts, notes) = demoted(
        "a.py",
        base,
        yours,
        "a = 1\nb = 1\nc = 3\n",
        "a = 1\nb = 1\nc = 3\n",
    );
    // By lines it is clean, and nothing is lost.
    assert_eq!((conflicts, notes), (0, Vec::new()));
    let new = "a = 3\nb = 1\nc = 1\n";
    let (conflicts, notes) = demoted("a.py", base, yours, new, new);
    assert_eq!(conflicts, 1);
    assert_eq!(notes, ["merged, it would lack your line 2: `mine = 2`"]);
}

#[test]
fn a_line_that_stands_elsewhere_too_is_not_lost_where_it_belongs() {
    let base = "# Key\nA=\n\n# Key\nB=\n";
    let yours = "# Key\nA=\n\n# Key\nC=1\n\n# Key\nB=\n";
    let new = "# Key\nA=\n\n# Key\nC=\n";
    let merged = "# Key\nA=\n\n# Key\nC=1\n";
    assert_eq!(demoted(".env", base, yours, new, merged), (0, Vec::new()));
    let (_, notes) = demoted(".env", base, yours, new, "# Key\nA=\n\nC=1\n");
    assert_eq!(notes.len(), 1, "{notes:?}");
}

#[test]
fn a_variable_that_is_there_twice_is_a_conflict() {
    let base = "A=\n";
    let yours = "A=\nB=1\n";
    let new = "B=\nA=\n";
    for path in ["server/.env", "server/.env.example"] {
        let (conflicts, notes) = demoted(path, base, yours, new, "B=\nA=\nB=1\n");
        assert_eq!(conflicts, 1, "{path}");
        assert_eq!(notes, ["merged, it would have `B` twice"]);
        // One that is commented out is none.
        let merged = "# B=\nA=\nB=1\n";
        assert_eq!(
            demoted(path, base, yours, "# B=\nA=\n", merged),
            (0, Vec::new())
        );
    }
    // Who has it twice keeps it so.
    let yours = "A=\nB=1\nB=2\n";
    let merged = "# new\nA=\nB=1\nB=2\n";
    assert_eq!(
        demoted(".env", base, yours, "# new\nA=\n", merged),
        (0, Vec::new())
    );
}

#[test]
fn a_member_that_is_there_twice_is_a_conflict() {
    let base = "{\n  \"a\": 1\n}\n";
    let yours = "{\n  \"a\": 1,\n  \"b\": 2\n}\n";
    let new = "{\n  \"b\": 3,\n  \"a\": 1\n}\n";
    let merged = "{\n  \"b\": 3,\n  \"a\": 1,\n  \"b\": 2\n}\n";
    let (conflicts, notes) = demoted("a.json", base, yours, new, merged);
    assert_eq!(conflicts, 1);
    assert!(notes[0].contains("`b` is there twice"), "{notes:?}");
}

#[test]
fn a_line_in_another_form_is_not_lost() {
    let base = "from a import b\n";
    let yours = "from a import (\n    b,\n    c,\n)\nc(b)\n";
    let new = "from a import b, d\n";
    let merged = "from a import b, c, d\nc(b)\n";
    assert_eq!(demoted("a.py", base, yours, new, merged), (0, Vec::new()));
}

fn texts<'a>(files: &[(&'a str, &'a str)]) -> BTreeMap<&'a str, &'a str> {
    files.iter().copied().collect()
}

#[test]
fn an_import_from_a_module_that_goes_is_found() {
    let own = (
        "server/own.py",
        "import recording\nfrom recording import (\n    Recorder,\n    os,\n)\nfrom json import gone\n",
    );
    let before = texts(&[
        own,
        (
            "server/recording.py",
            "import os\n\n\nclass Recorder:\n    x = 1\n",
        ),
    ]);
    let found = |after: &[(&str, &str)]| -> Vec<(usize, String)> {
        let found = modules::broken(&before, &after.iter().copied().collect());
        found
            .into_iter()
            .map(|it| (it.line.unwrap(), it.note))
            .collect()
    };
    assert_eq!(
        found(&[own, ("server/recording.py", "import os\nRecorder = 1\n")]),
        []
    );
    assert_eq!(
        found(&[
            own,
            (
                "server/recording.py",
                "import os\n\n\ndef make():\n    Recorder = 1\n"
            )
        ]),
        [(
            3,
            "it imports `Recorder`, which `server/recording.py` no longer defines".to_owned()
        )]
    );
    let gone = "it imports `recording`, which the update removes".to_owned();
    assert_eq!(
        found(&[own]),
        [(1, gone.clone()), (3, gone.clone()), (4, gone)]
    );
}

const CASCADE: &str = "from pipecat.transports.daily.transport import DailyParams\n\nTRANSPORT_PARAMS = {\n    \"webrtc\": lambda: TransportParams(\n    ),\n    \"daily\": lambda: DailyParams(\n    ),\n}\n\n\ndef create_stt():\n    ...\n";
const REALTIME: &str =
    "TRANSPORT_PARAMS = {\n    \"webrtc\": lambda: TransportParams(\n    ),\n}\n";

#[test]
fn what_changes_its_meaning_is_listed() {
    let base = texts(&[("server/bot.py", CASCADE)]);
    let yours = format!(
        "{CASCADE}\nspeak(TTSSpeakFrame(\"Hello\"))\nif name == 'daily': print(DailyParams)\n"
    );
    let yours = texts(&[("server/bot.py", &yours)]);
    let new = texts(&[("server/bot.py", REALTIME)]);
    let found = meaning::findings(&base, &yours, &new);
    let finding = |line, note: &str| Finding {
        path: Some("server/bot.py".to_owned()),
        line: Some(line),
        note: note.to_owned(),
    };
    assert_eq!(found[0].path, None);
    assert_eq!(
        found[1..],
        [
            finding(
                14,
                "it is about `TTSSpeakFrame`, which has no effect on a service that hears and speaks itself"
            ),
            finding(
                15,
                "it names `daily`, a transport that the bot no longer has"
            ),
        ]
    );
    assert_eq!(meaning::findings(&base, &base, &base), []);
    assert_eq!(meaning::findings(&new, &new, &base).len(), 1);
}
