use super::{Position, parse};

/// Valid inputs and the bindings that python-dotenv reads from them. A test in the project's suite compares this list with python-dotenv.
const ACCEPTED: &[(&str, &[(&str, &str)])] = &[
    ("", &[]),
    ("\n\n  \n# only a comment\n", &[]),
    ("A=1", &[("A", "1")]),
    ("A=1\nB=2\n", &[("A", "1"), ("B", "2")]),
    ("A = 1 \r\nB=2\rC=3", &[("A", "1"), ("B", "2"), ("C", "3")]),
    ("export A=1\nexport\tB=2", &[("A", "1"), ("B", "2")]),
    ("export=1", &[("export", "1")]),
    ("'A'=1", &[("A", "1")]),
    ("A=", &[("A", "")]),
    ("A=\"\"", &[("A", "")]),
    ("A=a=b=c", &[("A", "a=b=c")]),
    ("A=a b  c", &[("A", "a b  c")]),
    ("A=a # comment", &[("A", "a")]),
    ("A=a\t# comment # more", &[("A", "a")]),
    ("A=a#b", &[("A", "a#b")]),
    ("A='a # b' # comment", &[("A", "a # b")]),
    ("A=\"a # b\"# comment", &[("A", "a # b")]),
    ("A=\"x\\ny\\t\\\"z\\\"\\q\"", &[("A", "x\ny\t\"z\"\\q")]),
    ("A='x\\ny \\'z\\' \\\\'", &[("A", "x\\ny 'z' \\")]),
    ("A=\"one\ntwo\"\nB=3", &[("A", "one\ntwo"), ("B", "3")]),
    ("A=\"one\r\ntwo\"", &[("A", "one\ntwo")]),
    ("A='{\"a\": 1}'", &[("A", "{\"a\": 1}")]),
    ("A=$HOME", &[("A", "$HOME")]),
    ("A=${unclosed", &[("A", "${unclosed")]),
    ("A=it's", &[("A", "it's")]),
    ("A=grüße 你好", &[("A", "grüße 你好")]),
    ("A='  edges  '", &[("A", "  edges  ")]),
];

#[test]
fn values_are_those_of_python_dotenv() {
    for (text, expected) in ACCEPTED {
        let parsed = parse(text);
        assert_eq!(parsed.problems, [], "{text:?}");
        let bindings: Vec<(&str, &str)> = parsed
            .bindings
            .iter()
            .map(|binding| (binding.key.as_str(), binding.value.expose()))
            .collect();
        assert_eq!(bindings, *expected, "{text:?}");
    }
}

#[test]
fn what_would_be_dropped_or_expanded_is_refused_with_its_place() {
    for (text, line, column) in [
        ("A", 1, 2),
        ("A=1\nB\nC=2", 2, 2),
        ("=1", 1, 1),
        ("A B=1", 1, 3),
        ("export =1", 1, 8),
        ("A=\"x", 1, 3),
        ("A='x", 1, 3),
        ("A=\"x\"y", 1, 6),
        ("A=\"C:\\\"", 1, 3),
        ("A='x\\\\'\nB='y'", 1, 3),
        ("'A=1", 1, 1),
        ("A=# later", 1, 3),
        ("A=1\nA=2", 2, 1),
        ("A=${B}", 1, 3),
        ("A='${B:-c}'", 1, 3),
        ("A=a\0b", 1, 3),
    ] {
        let problems = parse(text).problems;
        let places: Vec<Position> = problems.iter().map(|problem| problem.at).collect();
        assert_eq!(
            places,
            [Position { line, column }],
            "{text:?}: {problems:?}"
        );
    }
}

#[test]
fn all_problems_are_found_at_once() {
    let problems = parse("A\nB=1\nC D\n\nE='x'y\n").problems;
    let lines: Vec<usize> = problems.iter().map(|problem| problem.at.line).collect();
    assert_eq!(lines, [1, 3, 5]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_key() {
    let parsed = parse("\u{feff}A=1");
    assert_eq!(parsed.bindings[0].key, "A");
}
