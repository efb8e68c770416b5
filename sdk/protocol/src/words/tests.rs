use serde_json::json;

use super::{HelpForm, take};
use crate::CommandSpec;
use crate::outcome::Json;

fn tree() -> CommandSpec {
    serde_json::from_value(json!({
        "name": "tree",
        "arguments": [
            { "name": "verbose", "kind": "flag", "long": "verbose", "short": "v", "global": true },
            { "name": "place", "kind": "option", "long": "place", "short": "p" },
        ],
        "commands": [
            { "name": "plant", "aliases": ["sow"], "arguments": [
                { "name": "kind", "kind": "positional" },
                { "name": "out", "kind": "option", "long": "out", "short": "o" },
                { "name": "force", "kind": "flag", "long": "force", "short": "f" },
                { "name": "words", "kind": "positional", "last": true, "repeatable": true },
            ] },
            { "name": "export", "arguments": [
                { "name": "json", "kind": "option", "long": "json" },
                { "name": "quick", "kind": "flag", "long": "quick", "short": "q" },
                { "name": "hour", "kind": "option", "long": "hour", "short": "h" },
                { "name": "version", "kind": "flag", "long": "version" },
            ] },
        ],
    }))
    .unwrap()
}

/// Asserts that the host takes these options of `line`, shown as letters, and that the plugin gets these arguments.
fn assert_taken(root: &CommandSpec, (line, expected, rest): (&str, &str, &str)) {
    let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let taken = take(root, &words);
    let mut shown = "v".repeat(taken.verbose.into());
    for (is_taken, letter) in [
        (taken.quiet, 'q'),
        (taken.json == Some(Json::Document), 'j'),
        (taken.json == Some(Json::Lines), 'J'),
        (taken.wrong_json.is_some(), '!'),
        (taken.version, 'V'),
        (taken.help == Some(HelpForm::Short), 'h'),
        (taken.help == Some(HelpForm::Long), 'H'),
    ] {
        shown.extend(is_taken.then_some(letter));
    }
    let argv: Vec<&str> = taken
        .argv
        .iter()
        .map(|word| word.to_str().unwrap())
        .collect();
    assert_eq!((&*shown, &*argv.join(" ")), (expected, rest), "{line}");
}

#[test]
fn the_host_takes_its_options_and_the_plugin_gets_the_rest() {
    for row in [
        ("plant oak", "", "plant oak"),
        ("--json plant oak -q", "qj", "plant oak"),
        // The tree declares the flag, so both host and plugin use it.
        ("-vv plant", "vv", "-vv plant"),
        ("plant -vvv -q", "vvvq", "plant -vvv"),
        ("plant --verbose -vj", "v", "plant --verbose -vj"),
        ("plant -qf", "q", "plant -f"),
        ("plant -fqo -q", "q", "plant -fo -q"),
        ("plant -qo--json --json", "qj", "plant -o--json"),
        ("plant --out --json x", "", "plant --out --json x"),
        ("plant --out=--json --json", "j", "plant --out=--json"),
        ("plant -o -h -h", "h", "plant -o -h"),
        ("--place plant sow --help -h", "H", "--place plant sow"),
        ("plant -- --json -v", "", "plant -- --json -v"),
        ("plant - -q", "q", "plant -"),
        ("plant --json=lines oak", "J", "plant oak"),
        ("--json=lines plant --json", "J", "plant"),
        ("plant --json --json=lines", "J", "plant"),
        ("plant --json=xml", "!", "plant --json=xml"),
        ("plant --json=", "!", "plant --json="),
        ("plant -- --json=lines", "", "plant -- --json=lines"),
        ("-V", "V", "-V"),
        ("plant --version", "", "plant --version"),
        // The plugin uses these names for its own options.
        (
            "export --json file -q -h 9",
            "",
            "export --json file -q -h 9",
        ),
        ("export --json=file", "", "export --json=file"),
        ("export --json=lines", "", "export --json=lines"),
        ("--json export --version", "j", "export --version"),
        // An unknown option may have any meaning.
        ("plant -vx --bogus", "", "plant -vx --bogus"),
    ] {
        assert_taken(&tree(), row);
    }
}

#[test]
fn it_is_the_same_without_a_tree() {
    let none = CommandSpec::default();
    for row in [
        ("-vvv --json a b", "vvvj", "a b"),
        ("a -vq", "vq", "a"),
        ("a -qh", "qh", "a"),
        ("--version", "V", "--version"),
        ("-qV", "qV", "-V"),
        ("a --version", "", "a --version"),
        ("-verbose -xq", "", "-verbose -xq"),
        ("--json=1 -q", "q!", "--json=1"),
        ("-- -v", "", "-- -v"),
    ] {
        assert_taken(&none, row);
    }
}
