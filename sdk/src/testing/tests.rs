use std::io;

use serde_json::json;

use super::Run;
use crate::plugin::{Command, Declared, Failure, OrFail, Question, Reply, Session};
use crate::session::Level;

/// Does something of everything
#[derive(clap::Parser)]
#[command(name = "bot-cli-all", version = "1.2.3")]
struct All {
    #[arg(long)]
    fail: bool,
    #[arg(long)]
    secret: bool,
}

impl Declared for All {
    const MANIFEST: &'static str =
        "bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"all\",\"version\":\"1.2.3\"}";
}

impl Command for All {
    const COMPLETES: &'static [&'static str] = &["fail", "file"];
    const DIRECT: &'static [&'static str] = &["run"];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        if self.secret {
            session.ask_secret(&Question::password("token", "Token"))?;
        }
        if self.fail {
            let cause = io::Error::other("the wire is cut");
            let outer = io::Error::other(Failure::from(cause).message("the service is away"));
            return Err::<Reply, _>(outer).or_fail("could not ask the service");
        }
        session.progress("Working", None, None);
        session.output("early ");
        let piped = session.stdin()?;
        let many = session.choose_many(&Question::multiselect(
            "many",
            "Which",
            [("a", "A"), ("b", "B")],
        ))?;
        let sure = session.confirm(&Question::confirm("sure", "Sure?").default(true))?;
        Ok(Reply::text("late\n").data(json!([piped.len(), many, sure])))
    }
}

#[test]
fn a_run_tells_all_that_the_user_saw() {
    let ran = Run::of::<All>([])
        .answer("many", ["b"].as_slice())
        .stdin("piped")
        .run();
    assert_eq!(ran.failure, None);
    assert_eq!((ran.status, &*ran.text), (0, "early late\n"));
    assert_eq!(ran.data, json!([5, ["b"], true]));
    assert_eq!(ran.progress, ["Working"]);
    assert_eq!(ran.asked.len(), 2);
}

#[test]
fn a_scripted_answer_is_not_asked() {
    let ran = Run::of::<All>([])
        .scripted("many", ["a"].as_slice())
        .scripted("sure", false)
        .stdin("")
        .run();
    assert_eq!(ran.data, json!([0, ["a"], false]));
    assert!(ran.asked.is_empty());
}

#[test]
fn a_user_without_an_answer_cancels() {
    let ran = Run::of::<All>([]).answer("sure", true).stdin("").run();
    assert_eq!(
        (ran.status, ran.failure.unwrap().code.as_str()),
        (130, "cancelled")
    );
}

#[test]
fn causes_are_told_unless_a_secret_was_typed() {
    let ran = Run::of::<All>(["--fail"]).run();
    let failure = ran.failure.unwrap();
    assert_eq!(
        failure.message,
        "could not ask the service: the service is away"
    );
    assert_eq!(
        ran.logs,
        [(Level::Info, "caused by: the wire is cut".to_owned())]
    );
    let ran = Run::of::<All>(["--fail", "--secret"])
        .answer("token", "hunter2")
        .run();
    assert_eq!(ran.failure.unwrap().message, failure.message);
    assert!(ran.logs.is_empty());
}

#[test]
fn words_for_help_and_for_nothing_are_answered_as_at_a_terminal() {
    let ran = Run::of::<All>(["--version"]).run();
    assert_eq!(ran.data, json!({ "name": "all", "version": "1.2.3" }));
    let ran = Run::of::<All>(["--fali"]).run();
    assert_eq!(
        (ran.status, ran.failure.unwrap().code.as_str()),
        (2, "usage")
    );
}
