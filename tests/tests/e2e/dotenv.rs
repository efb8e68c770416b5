//! Compares our dotenv parser with python-dotenv. Both must return the same values for every file that ours accepts.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Mutex;

use bot_cli_cloud::parse_dotenv;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use crate::official::python;

/// Inputs that `.env` parsers interpret differently, with the expected values, or null if our parser rejects the input.
const VECTORS: &str = include_str!("../it/cloud/dotenv/vectors.json");

/// A Python script that reads files as a bot reads its `.env`. Each line of input is one file as JSON. Each line of output has the keys and
/// values, and the number of skipped lines.
const READER: &str = r#"
import io, json, logging, os, sys
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
    print(json.dumps({"values": values, "skipped": len(skipped)}), flush=True)
"#;

/// Keys and values, as both parsers return them.
type Values = BTreeMap<String, Option<String>>;

/// A running python-dotenv process.
struct PythonDotenv {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl PythonDotenv {
    fn start() -> Self {
        let mut child = python()
            .command("python")
            .args(["-c", READER])
            // What it might expand by mistake.
            .env("A", "expanded")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdin,
            stdout,
        }
    }

    /// Returns the values that python-dotenv reads, or `None` if it skips a line.
    fn read(&mut self, text: &str) -> Option<Values> {
        writeln!(self.stdin, "{}", Value::from(text)).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        (answer["skipped"] == 0).then(|| serde_json::from_value(answer["values"].clone()).unwrap())
    }
}

impl Drop for PythonDotenv {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
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
    let mut python = PythonDotenv::start();
    let vectors: Vec<(String, Option<Values>)> = serde_json::from_str(VECTORS).unwrap();
    for (text, expected) in vectors {
        if expected.is_some() {
            assert_eq!(python.read(&text), expected, "{text:?}");
        }
    }
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
    let python = Mutex::new(PythonDotenv::start());
    let accepted = Mutex::new(0_u32);
    let config = Config {
        cases: 5_000,
        failure_persistence: None,
        ..Config::default()
    };
    // The same cases on every machine; a failure can be run again.
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, seed)
        .run(&file(), |text| {
            if let Some(ours) = ours(&text) {
                *accepted.lock().unwrap() += u32::from(!ours.is_empty());
                let theirs = python.lock().unwrap().read(&text);
                prop_assert_eq!(Some(ours), theirs);
            }
            Ok(())
        })
        .unwrap_or_else(|difference| panic!("{difference}"));
    let accepted = *accepted.lock().unwrap();
    assert!(accepted > 1_000, "only {accepted} files said anything");
}
