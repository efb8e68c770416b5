//! Compares shell output with a transcript.

use super::{Bench, Ran};

impl Bench {
    /// Runs each script in a transcript and compares the output.
    ///
    /// `$ SCRIPT`, with continuation lines after `> `, runs in the working directory with `bot-cli` on `PATH`. The lines below hold the
    /// expected standard output, standard error after `! `, and a nonzero exit status after `= `. `[..]` matches any text within a line,
    /// and `...` matches any lines of one stream. A lone `...` accepts any output of a script that succeeds.
    ///
    /// # Panics
    ///
    /// Panics at the first script whose output differs.
    #[track_caller]
    pub fn shows(&self, transcript: &str) {
        let text = transcript.trim_start_matches('\n').trim_end_matches(' ');
        let indent = text.len() - text.trim_start_matches(' ').len();
        let lines = text.lines().map(|line| line.get(indent..).unwrap_or(""));
        let lines: Vec<&str> = lines.collect();
        for step in lines.chunk_by(|_, next| !next.starts_with("$ ")) {
            let (script, expected): (Vec<&str>, Vec<&str>) =
                step.iter().partition(|line| line.starts_with(['$', '>']));
            let shown = self.shown(&script);
            let fits = if expected == ["..."] {
                !shown.iter().any(|line| line.starts_with("= "))
            } else {
                let shown = shown.iter().map(String::as_str).partition(is_aside);
                let (asides, lines): (Vec<&str>, Vec<&str>) = shown;
                let (expected_asides, expected): (Vec<&str>, Vec<&str>) =
                    expected.iter().copied().partition(is_aside);
                fit(&expected_asides, &asides) && fit(&expected, &lines)
            };
            let [script, shown] = [script.join("\n"), shown.join("\n")];
            let expected = expected.join("\n");
            assert!(fits, "{script}\n{shown}\nexpected:\n{expected}\n");
        }
    }

    /// Returns the scripts in a transcript, each with its current output.
    pub fn answered(&self, transcript: &str) -> String {
        let lines = transcript.lines();
        let scripts: Vec<&str> = lines.filter(is_script).collect();
        let mut answered = String::new();
        for script in scripts.chunk_by(|_, next| next.starts_with("> ")) {
            for line in script
                .iter()
                .map(|line| (*line).to_owned())
                .chain(self.shown(script))
            {
                answered.extend([&line, "\n"]);
            }
            answered.push('\n');
        }
        answered
    }

    fn shown(&self, script: &[&str]) -> Vec<String> {
        let lines = script.iter().map(|line| line.get(2..).unwrap_or(""));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.replace("[BENCH]", &self.path("").to_string_lossy());
        let ran = self.shell(&text);
        ran.map_or_else(|error| vec![error.to_string()], |ran| ran.lines())
    }
}

impl Ran {
    /// Returns the output in the form of a transcript.
    fn lines(&self) -> Vec<String> {
        let whole = |text: &str| match text {
            "" => String::new(),
            text if text.ends_with('\n') => text.to_owned(),
            text => format!("{text}[no line end]"),
        };
        let stderr = whole(&self.stderr);
        let stderr = stderr.lines().map(|line| match line {
            "" => "!".to_owned(),
            line => format!("! {line}"),
        });
        let status = match self.status {
            Some(0) => None,
            Some(status) => Some(format!("= {status}")),
            None => Some("= a signal".to_owned()),
        };
        let stdout = whole(&self.stdout);
        let lines = stdout.lines().map(str::to_owned).chain(stderr);
        lines.chain(status).collect()
    }
}

fn is_script(line: &&str) -> bool {
    line.starts_with("$ ") || line.starts_with("> ")
}

/// Reports whether a line holds standard error or the exit status.
fn is_aside(line: &&str) -> bool {
    *line == "!" || line.starts_with("! ") || line.starts_with("= ")
}

/// Reports whether `shown` matches the expected lines, in which `...` stands for any lines.
fn fit(expected: &[&str], shown: &[&str]) -> bool {
    match (expected, shown) {
        ([], shown) => shown.is_empty(),
        (["..." | "! ...", rest @ ..], shown) => {
            (0..=shown.len()).any(|at| fit(rest, &shown[at..]))
        }
        ([_, ..], []) => false,
        ([line, rest @ ..], [first, others @ ..]) => fits(line, first) && fit(rest, others),
    }
}

fn fits(expected: &str, shown: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == shown,
        Some((start, rest)) => shown.strip_prefix(start).is_some_and(|shown| {
            let mut ends = shown.char_indices().map(|(at, _)| at).chain([shown.len()]);
            ends.any(|at| fits(rest, &shown[at..]))
        }),
    }
}
