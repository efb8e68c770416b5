use super::super::super::tests::{Draw, merged, shown};
use super::super::Source;
use super::{BASE, with};

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
        let can_be_parsed = |text: &String| Source::parse(text).is_some();
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
