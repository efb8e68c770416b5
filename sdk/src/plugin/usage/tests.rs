//! Words in the wrong place: each may be a secret, and none is repeated.

use clap::{CommandFactory, Parser, Subcommand};

use super::{Line, failure, failure_in};
use crate::plugin::surface;
use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Outcome;

#[derive(Parser)]
#[command(
    name = "bot-cli-cloud",
    version = "0.1.0",
    disable_help_subcommand = true
)]
struct Cloud {
    #[command(subcommand)]
    group: Group,
}

#[derive(Subcommand)]
enum Group {
    #[command(subcommand)]
    Secrets(Secrets),
    #[command(subcommand)]
    Auth(Auth),
}

#[derive(Subcommand)]
enum Secrets {
    Set {
        name: Option<String>,
        pairs: Vec<String>,
        #[arg(short, long)]
        file: Option<String>,
        #[arg(short, long)]
        skip: bool,
        #[arg(long, value_parser = ["hosted", "local"])]
        backend: Option<String>,
        #[arg(long)]
        times: Option<u8>,
        #[arg(long, require_equals = true)]
        wait: Option<String>,
        #[arg(long, num_args = 2)]
        range: Vec<String>,
    },
    Unset {
        name: String,
        key: String,
    },
    List,
    Run {
        name: String,
        #[arg(last = true)]
        program: Vec<String>,
    },
}

#[derive(Subcommand)]
enum Auth {
    Login {
        #[arg(long)]
        token_stdin: bool,
        #[arg(long, conflicts_with = "token_stdin")]
        import: bool,
    },
    Status,
}

const NAME: &str = "bot-cli cloud";

fn refused(words: &[&str]) -> Failure {
    let command = surface::of(Cloud::command(), NAME);
    match command.clone().try_get_matches_from(words) {
        Ok(_) => panic!("{words:?} is no mistake"),
        Err(error) => {
            let line = Line {
                name: NAME,
                command: &command,
                words: words.iter().map(ToString::to_string).collect(),
            };
            failure_in(&error, &command, NAME, &line)
        }
    }
}

#[test]
fn words_of_other_tools_lead_to_ours() {
    for (words, message, hint) in [
        (
            &["secrets", "get", "prod"][..],
            "`bot-cli cloud secrets` has no command `get`",
            "did you mean `bot-cli cloud secrets list prod`?",
        ),
        (
            &["secrets", "rm"],
            "`bot-cli cloud secrets` has no command `rm`",
            "did you mean `bot-cli cloud secrets unset`?",
        ),
        (
            &["secrets", "create", "prod", "A=hunter"],
            "`bot-cli cloud secrets` has no command `create`",
            "did you mean `bot-cli cloud secrets set`?",
        ),
        (
            &["secrets", "create", "prod", "A", "hunter"],
            "`bot-cli cloud secrets` has no command `create`",
            "did you mean `bot-cli cloud secrets set`?",
        ),
        (
            &["secrets", "run", "prod", "python", "bot.py"],
            "unexpected argument `python`: `bot-cli cloud secrets run` takes one argument before `--`",
            "did you mean `bot-cli cloud secrets run prod -- python bot.py`?",
        ),
        (
            &["whoami"],
            "`bot-cli cloud` has no command `whoami`",
            "did you mean `bot-cli cloud auth status`?",
        ),
        (
            &["secrets", "set", "--yes"],
            "unexpected argument `--yes`",
            "did you mean `bot-cli cloud secrets set --skip`?",
        ),
        (
            &["secrets", "set", "-y"],
            "unexpected argument `-y`",
            "did you mean `bot-cli cloud secrets set --skip`?",
        ),
        (
            &["secrets", "set", "--force"],
            "unexpected argument `--force`",
            "did you mean `bot-cli cloud secrets set --skip`?",
        ),
    ] {
        let failure = refused(words);
        assert_eq!(failure.message, message);
        assert_eq!(failure.hints[0], hint, "{words:?}: {:?}", failure.hints);
    }
    // Where there is nothing to skip, nothing is said.
    let failure = refused(&["secrets", "list", "--yes"]);
    assert!(!failure.hints.iter().any(|hint| hint.contains("skip")));
}

#[test]
fn a_pasted_dash_or_quotation_mark_is_named() {
    for word in ["\u{2013}-skip", "\u{2014}skip", "\u{201c}-s\u{201d}"] {
        let hints = refused(&["auth", "login", word]).hints;
        assert!(hints[0].contains("type `-` or"), "{word}: {hints:?}");
    }
}

#[test]
fn an_option_that_counts_is_named_without_dots() {
    let command = clap::Command::new("greet").args([
        clap::arg!(-q - -quiet).conflicts_with("verbose"),
        clap::arg!(-v --verbose ...),
    ]);
    let error = command.clone().try_get_matches_from(["greet", "-q", "-v"]);
    assert_eq!(
        failure(&error.unwrap_err(), &command, "greet").message,
        "`--quiet` can't be used with `--verbose`"
    );
}

#[test]
fn what_is_wrong_is_said_without_the_word() {
    for (words, message) in [
        (
            &["auth", "login", "Val-1"][..],
            "`bot-cli cloud auth login` takes no argument, and one was given",
        ),
        (
            &["secrets", "unset", "s", "A", "Val-1"],
            "`bot-cli cloud secrets unset` takes 2 arguments, and more were given",
        ),
        (
            &["secrets", "run", "s", "Val-1"],
            "`bot-cli cloud secrets run` takes one argument before `--`, and more were given",
        ),
        (
            &["secrets", "list", "--slip"],
            "unexpected argument `--slip`",
        ),
        (
            &["secrets", "set", "--skpi"],
            "unexpected argument `--skpi`",
        ),
        (
            &["secrets", "set", "--skipVal-1"],
            "unexpected argument `--skip…`",
        ),
        (
            &["secrets", "set", "--jsonVal-1"],
            "unexpected argument `--json…`",
        ),
        (&["secrets", "set", "-kVal-1"], "unexpected argument `-k`"),
        (
            &["secrets", "set", "--sk-1Val-1"],
            "unexpected option, which is not shown because it may hold a value",
        ),
        (
            &["secrets", "lst"],
            "`bot-cli cloud secrets` has no command `lst`",
        ),
        (
            &["secrets", "Val-1"],
            "`bot-cli cloud secrets` has no such command",
        ),
        (&["Val-1"], "`bot-cli cloud` has no such command"),
        (
            &["secrets", "set", "--backend", "Val-1"],
            "the value of `--backend` is not valid",
        ),
        (
            &["secrets", "set", "--backend", "locl"],
            "`locl` is not a value for `--backend`",
        ),
        (
            &["secrets", "set", "--times", "Val-1"],
            "the value of `--times` is not valid",
        ),
        (
            &["secrets", "set", "--skip=Val-1"],
            "`--skip` takes no value",
        ),
        (
            &["secrets", "set", "--wait", "Val-1"],
            "the value of `--wait` belongs behind a `=`",
        ),
        (
            &["secrets", "set", "--range", "Val-1"],
            "`--range` has the wrong number of values",
        ),
    ] {
        assert_eq!(refused(words).message, message, "{words:?}");
    }
}

/// No four letters of it are part of anything else.
const CANARY: &str = "zQ7x9Wv3";

#[test]
fn no_mistyped_form_repeats_a_value() {
    let set = ["secrets", "set", "prod"];
    let of = |words: &[&str]| -> Vec<String> {
        words.iter().map(|word| word.replace('@', CANARY)).collect()
    };
    let after_set = [
        "--@",
        "--@=@",
        "--k=@",
        "--KEY=@",
        "--key=@",
        "--key-@",
        "--file-@",
        "--file@",
        "--skip@",
        "--skip=@",
        "--skip=KEY=@",
        "-k=@",
        "-k@",
        "-sk@",
        "-s=@",
        "-s@",
        "-@",
        "--json=@",
        "--json@",
        "--quiet=@",
        "-q=@",
        "-v=@",
        "--verbose=@",
        "--backend=@",
        "--backend=local@",
        "--times=@",
        "--times=-@",
        "--times=1@",
        "--times=300@",
        "--wait@",
        "--range=@",
        "--region=@",
        "--regoin=@",
        "--bakcend=@",
        "--token=@",
        "---@",
        "--=@",
        "--é@",
        "--a b@",
    ];
    let whole = [
        &["auth", "login", "@"][..],
        &["auth", "login", "--token-stdin", "@"],
        &["auth", "login", "--token-stdin=@"],
        &["auth", "login", "--token-stdin@"],
        &["auth", "login", "--token", "@"],
        &["auth", "login", "--token=@"],
        &["auth", "login", "--import", "--token-stdin", "@"],
        &["auth", "login", "KEY=@"],
        &["auth", "login", "-", "@"],
        &["auth", "@"],
        &["auth", "login@"],
        &["auth", "KEY=@"],
        &["@"],
        &["KEY=@"],
        &["secrets@"],
        &["secrets", "@"],
        &["secrets", "set@"],
        &["secrets", "unset", "s", "A", "@"],
        &["secrets", "unset", "s", "A", "--", "@"],
        &["secrets", "unset", "s", "A", "KEY=@", "B=@"],
        &["secrets", "list", "@"],
        &["secrets", "list", "--", "@"],
        &["secrets", "list", "--", "--@"],
        &["secrets", "run", "s", "@"],
        &["secrets", "run", "s", "KEY=@", "--", "sh"],
        &["secrets", "set", "prod", "--times", "@"],
        &["secrets", "set", "prod", "--backend", "@"],
        &["secrets", "set", "prod", "--range", "@"],
        &["secrets", "set", "prod", "--wait", "@"],
        &["--@", "secrets"],
        &["--key=@", "secrets"],
        &["-@"],
    ];
    let mut forms: Vec<Vec<String>> = whole.iter().map(|words| of(words)).collect();
    forms.extend(
        after_set
            .iter()
            .map(|word| of(&[&set[..], &[word]].concat())),
    );
    assert!(forms.len() >= 50, "{}", forms.len());
    for words in &forms {
        let shown: Vec<&str> = words.iter().map(String::as_str).collect();
        let failure = refused(&shown);
        let text = bot_cli_terminal::report::failure(&failure, false);
        let document = Outcome::new(Err(failure)).document().to_string();
        for part in CANARY.as_bytes().windows(4) {
            let part = std::str::from_utf8(part).unwrap();
            for said in [&text, &document] {
                assert!(!said.contains(part), "{words:?}: {said}");
            }
        }
    }
}
