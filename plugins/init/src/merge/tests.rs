use fastrand::Rng;

use super::*;

fn merged(path: &str, base: &str, yours: &str, new: &str) -> Merged {
    merge(path, &Versions { base, yours, new })
}

fn shown(merged: &Merged) -> String {
    let mut shown = String::new();
    for part in &merged.parts {
        match part {
            Part::Text(text) => shown.push_str(text),
            Part::Conflict(Conflict {
                line,
                base,
                yours,
                new,
                ..
            }) => {
                shown.extend([
                    format!("<{line}\n"),
                    yours.clone(),
                    "|\n".into(),
                    base.clone(),
                    "=\n".into(),
                    new.clone(),
                    ">\n".into(),
                ]);
            }
        }
    }
    shown
}

#[test]
fn lines_are_merged_and_touching_changes_are_a_conflict() {
    for (base, yours, new, expected) in [
        ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
        (
            "a\nb\nc\n",
            "A\nB\nc\n",
            "a\nb\nC\n",
            "<1\nA\nB\nc\n|\na\nb\nc\n=\na\nb\nC\n>\n",
        ),
        ("a\nb\nc\n", "x\na\nb\nc\n", "a\nb\n", "x\na\nb\n"),
        (
            "a\nb\n",
            "a\nx\nb\n",
            "a\ny\nb\n",
            "a\n<2\nx\n|\n=\ny\n>\nb\n",
        ),
        ("a\nb\n", "a\nx\nb\nz\n", "a\nx\nb\n", "a\nx\nb\nz\n"),
        ("a\nb\nc\nd\n", "a\nc\nd\n", "a\nb\nc\nD\n", "a\nc\nD\n"),
        (
            "a\nb\nc\n",
            "a\nc\n",
            "a\nB\nc\n",
            "a\n<2\n|\nb\n=\nB\n>\nc\n",
        ),
        ("", "a\n", "b\n", "<1\na\n|\n=\nb\n>\n"),
        ("a\n", "", "b\n", "<1\n|\na\n=\nb\n>\n"),
    ] {
        assert_eq!(shown(&merged("a.txt", base, yours, new)), expected);
    }
}

#[test]
fn the_users_line_ends_mark_and_last_newline_stay() {
    let base = "a\nb\nc\n";
    for (yours, new, expected) in [
        ("A\r\nb\r\nc\r\n", "a\nb\nC\n", "A\r\nb\r\nC\r\n"),
        ("a\r\nb\r\nc\r\n", "a\nC\n", "a\r\nC\r\n"),
        ("\u{feff}A\nb\nc", "a\nb\nC\n", "\u{feff}A\nb\nC"),
        ("\u{feff}A\r\nb\r\nc", base, "\u{feff}A\r\nb\r\nc"),
        ("A\r\nb\nc\n", base, "A\r\nb\nc\n"),
        (
            "A\r\nb\r\nc\r\n",
            "x\nb\nc\n",
            "<1\nA\r\n|\na\r\n=\nx\r\n>\nb\r\nc\r\n",
        ),
        (
            "\u{feff}A\nb\nc\n",
            "x\nb\nc\n",
            "\u{feff}<1\nA\n|\na\n=\nx\n>\nb\nc\n",
        ),
        ("a\r\r\nb\nc\n", "a\nb\nC\n", "a\r\nb\nC\n"),
    ] {
        let merged = merged("a.txt", base, yours, new);
        assert_eq!(shown(&merged), expected);
    }
}

/// Generates text with `count` random lines, chosen from `kinds` different lines.
fn lines_of(count: usize, kinds: usize, draw: &mut Rng) -> String {
    let lines: Vec<String> = (0..count)
        .map(|_| format!("{}\n", draw.usize(..kinds)))
        .collect();
    lines.concat()
}

fn changed(text: &str, marks: char, draw: &mut Rng) -> String {
    let lines = text.split_inclusive('\n').enumerate();
    let lines: Vec<String> = lines
        .map(|(number, line)| match draw.usize(..8) {
            0 => String::new(),
            1 => format!("{marks}{number}\n{line}"),
            2 => format!("{marks}{number}\n"),
            3 => format!("{line}{}\n", draw.usize(..5)),
            _ => line.to_owned(),
        })
        .collect();
    lines.concat()
}

#[test]
fn a_merge_of_lines_keeps_what_either_side_has_changed() {
    let mut draw = Rng::with_seed(7);
    let mut clean = 0;
    for _ in 0..4000 {
        let count = draw.usize(..12);
        let base = lines_of(count, 5, &mut draw);
        let yours = changed(&base, 'y', &mut draw);
        let new = changed(&base, 'n', &mut draw);
        let text = |base: &str, yours: &str, new: &str| {
            let versions = Versions { base, yours, new };
            lines::merge(&versions).text()
        };
        assert_eq!(text(&base, &base, &new).unwrap(), new);
        assert_eq!(text(&base, &yours, &base).unwrap(), yours);
        assert_eq!(text(&base, &yours, &yours).unwrap(), yours);
        let merged = merged("a.txt", &base, &yours, &new);
        for line in yours.lines().filter(|line| line.starts_with('y')) {
            assert!(
                shown(&merged).lines().any(|it| it == line),
                "{base}\n{yours}\n{new}"
            );
        }
        let mirrored = text(&base, &new, &yours);
        assert_eq!(merged.text(), mirrored);
        if let Some(merged) = merged.text() {
            clean += 1;
            assert_eq!(text(&new, &merged, &new).unwrap(), merged);
            for line in new.lines().filter(|line| line.starts_with('n')) {
                assert!(
                    merged.lines().any(|it| it == line),
                    "{base}\n{yours}\n{new}"
                );
            }
        }
    }
    assert!(clean > 400, "{clean}");
}

#[test]
fn hostile_lines_are_merged_without_comparing_each_with_each() {
    let mut draw = Rng::with_seed(1);
    for (count, kinds) in [(2_000, 2), (2_000, 300), (100_000, 2), (100_000, 100_000)] {
        let [base, yours] = [0; 2].map(|_| lines_of(count, kinds, &mut draw));
        let new = format!("first\n{base}last\n");
        let merged = merged("a.txt", &base, &yours, &new);
        assert!(shown(&merged).contains("first\n"));
    }
}

#[test]
fn entries_of_lists_are_merged_by_their_names() {
    let mut count = 0;
    for case in include_str!("cases.txt").split("\n== ").skip(1) {
        let (title, body) = case.split_once('\n').unwrap();
        let (name, path) = title.rsplit_once(": ").unwrap();
        let mut parts = body.trim_end().split("\n-- ");
        let base = parts.next().unwrap().to_owned() + "\n";
        let parts: Vec<(&str, String)> = parts
            .map(|part| part.split_once('\n').unwrap())
            .map(|(what, text)| (what, text.to_owned() + "\n"))
            .collect();
        let of = |wanted: &str| parts.iter().find(|(what, _)| *what == wanted);
        let [yours, new, expected] = ["yours", "new", "merged"].map(|it| &of(it).unwrap().1);
        let merged = merged(path, &base, yours, new);
        assert_eq!(shown(&merged), *expected, "{name}");
        let note = of("note").map(|(_, note)| note.trim_end().to_owned());
        assert_eq!(merged.notes, Vec::from_iter(note), "{name}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}
