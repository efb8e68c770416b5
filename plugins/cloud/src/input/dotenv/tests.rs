use super::{Position, parse};

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
