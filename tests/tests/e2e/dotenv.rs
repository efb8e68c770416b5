//! Compares our dotenv parser with python-dotenv. Both must return the same values for every file that ours accepts.

use std::collections::BTreeMap;

use bot_cli_cloud::parse_dotenv;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::official::python;

/// Inputs that `.env` parsers interpret differently, with the expected values, or null if our parser rejects the input.
const VECTORS: &str = include_str!("../it/cloud/dotenv/vectors.json");

/// A Python script that reads files as a bot reads its `.env`. Each line of input is one file as JSON. Each line of output has the keys and
/// values, or null if a line was skipped.
const READER: &str = r#"
import io, json, logging, sys
from dotenv import dotenv_values
skipped = []
class Skipped(logging.Handler):
    def emit(self, record):
        skipped.append(record)
logging.getLogger("dotenv").addHandler(Skipped())
for line in sys.stdin:
    skipped.clear()
    # As a text file is opened: every kind of line end is one.
    text = io.TextIOWrapper(io.BytesIO(json.loads(line).encode()), encoding="utf-8")
    values = dotenv_values(stream=io.StringIO(text.read()))
    print(json.dumps(None if skipped else values))
"#;

/// Keys and values, as both parsers return them.
type Values = BTreeMap<String, Option<String>>;

/// Asserts that python-dotenv reads these values from these files.
#[track_caller]
fn assert_read(expected: &[(String, Option<Values>)]) {
    let lines = expected
        .iter()
        .map(|(text, _)| format!("{}\n", Value::from(&**text)));
    let mut command = python().command("python");
    // What it might expand by mistake.
    command.args(["-c", READER]).env("A", "expanded");
    let mut command = assert_cmd::Command::from_std(command);
    let output = command.write_stdin(lines.collect::<String>()).output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    let read = output.lines().map(serde_json::from_str);
    let read: Vec<Option<Values>> = read.collect::<Result<_, _>>().unwrap();
    assert_eq!(read.len(), expected.len(), "{output}");
    for ((text, expected), read) in expected.iter().zip(read) {
        assert_eq!(read, *expected, "{text:?}");
    }
}

/// Returns the values that our parser reads, or `None` if it rejects the text.
fn ours(text: &str) -> Option<Values> {
    let read = parse_dotenv(text);
    let pairs = read.bindings.into_iter();
    read.problems.is_empty().then(|| {
        pairs
            .map(|binding| (binding.key, Some(binding.value.expose().to_owned())))
            .collect()
    })
}

#[test]
fn what_is_published_is_what_python_dotenv_gives() {
    let mut vectors: Vec<(String, Option<Values>)> = serde_json::from_str(VECTORS).unwrap();
    vectors.retain(|(_, expected)| expected.is_some());
    assert_read(&vectors);
}

/// Generates files from valid and invalid pieces.
fn file() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => "[A-Z_]{1,3}",
        2 => "[a-zA-Z0-9 ]{0,6}",
        1 => "[\\PC]{0,4}",
    ];
    let blank = prop_oneof![
        Just(" "),
        Just("\t"),
        Just("\u{a0}"),
        Just("\u{b}"),
        Just("\u{1f}"),
        Just("  ")
    ];
    let mark = prop_oneof![
        4 => Just("="), 2 => Just("\""), 2 => Just("'"), 2 => Just("#"), 2 => Just("\\"), 1 => Just("\\n"), 1 => Just("\\\\"),
        1 => Just("${A}"), 1 => Just("${"), 1 => Just("}"), 1 => Just(":-"), 1 => Just("$A"), 1 => Just("export "),
        1 => Just("\u{feff}"), 1 => Just("`"), 1 => Just("\0"), 1 => Just("\u{2028}"), 1 => Just("\u{85}"),
    ];
    let end = prop_oneof![4 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r"), 1 => Just("\n\n")];
    let loose = prop_oneof![
        word.clone(),
        blank.clone().prop_map(str::to_owned),
        mark.clone().prop_map(str::to_owned),
        end.clone().prop_map(str::to_owned),
    ];
    // A line as it should be, with a value of loose pieces in any kind of quotes.
    let inside = prop::collection::vec(
        prop_oneof![
            word.clone(),
            blank.prop_map(str::to_owned),
            mark.prop_map(str::to_owned)
        ],
        0..6,
    )
    .prop_map(|pieces| pieces.concat());
    let quote = prop_oneof![Just(""), Just("\""), Just("'")];
    let before = prop_oneof![4 => Just(""), 1 => Just("export "), 1 => Just(" ")];
    let behind = prop_oneof![4 => Just(""), 1 => Just(" # why"), 1 => Just("#why"), 1 => Just(" ")];
    let line = (before, "[A-Z]{1,2}", quote, inside, behind, end).prop_map(
        |(before, key, quote, inside, behind, end)| {
            format!("{before}{key}={quote}{inside}{quote}{behind}{end}")
        },
    );
    prop_oneof![
        3 => prop::collection::vec(line, 1..4).prop_map(|lines| lines.concat()),
        1 => prop::collection::vec(loose, 0..12).prop_map(|pieces| pieces.concat()),
    ]
}

#[test]
fn whatever_ours_accepts_python_dotenv_reads_the_same() {
    // The same files on every machine.
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), seed);
    let files = file();
    let mut accepted = Vec::new();
    for _ in 0..5_000 {
        let text = files.new_tree(&mut runner).unwrap().current();
        let values = ours(&text);
        if values.is_some() {
            accepted.push((text, values));
        }
    }
    let count = accepted
        .iter()
        .filter(|(_, values)| values.as_ref().is_some_and(|it| !it.is_empty()));
    assert!(count.count() > 1_000, "few files said anything");
    assert_read(&accepted);
}
