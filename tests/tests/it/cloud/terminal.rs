//! Tests for questions at a real terminal: the preview of a change, hidden input, and cancellation.

use bot_cli_tests::pty::{CTRL_C, ENTER, Ended, Terminal};
use serde_json::json;

use super::user::{User, pairs};

const VALUE: &str = "c4n4ry v4lue";

/// The question that confirms a change.
const CHANGE: &str = "Make this change?";

/// The ways to start the plugin: through the host and directly.
const DOORS: [&[&str]; 2] = [&["bot-cli", "cloud"], &["bot-cli-cloud"]];

fn start(user: &User, door: &[&str], arguments: &[&str]) -> Terminal {
    user.terminal(&[door, arguments].concat())
}

/// Answers each question once it is on the screen, then asserts the exit status.
pub(super) fn answer(mut terminal: Terminal, answers: &[(&str, &str)], status: i32) -> Ended {
    for (asked, typed) in answers {
        terminal.wait_for_question(asked).unwrap();
        terminal.press(typed).unwrap();
    }
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(status), "{}", ended.screen);
    assert_unseen(&ended);
    ended
}

/// Returns one vault user and one hosted user. Tests without a terminal cover the differences between them.
fn users() -> [User; 2] {
    let users = [User::of_the_vault(), User::with_token()];
    for user in &users {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    }
    users
}

fn assert_unseen(ended: &Ended) {
    for part in [VALUE, &VALUE[..5]] {
        assert!(!ended.output.contains(part), "{}", ended.output);
    }
}

#[test]
fn a_program_with_a_set_has_the_terminal() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    let script = "trap 'echo caught; exit 3' INT; test -t 0 && test -t 1 && test -t 2 && \
        echo 'what? ' && read -r word && echo \"got $word $A\" && while :; do sleep 0.1; done";
    for door in DOORS {
        let run = ["secrets", "run", "prod", "--", "/bin/sh", "-c", script];
        let mut terminal = start(&user, door, &run);
        terminal.wait_for("what? ").unwrap();
        terminal.press("this").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("got this 1").unwrap();
        terminal.press(CTRL_C).unwrap();
        let ended = terminal.end().unwrap();
        assert!(
            ended.output.contains("caught"),
            "{door:?}: {}",
            ended.output
        );
        assert_eq!(ended.status.code(), Some(3), "{door:?}: {}", ended.screen);
    }
}

#[test]
fn a_change_is_shown_without_values_and_made_by_a_yes_alone() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let pair = format!("A={VALUE}");
        let set = ["secrets", "set", "prod", &pair, "B=22"];
        let mut terminal = start(&user, door, &set);
        terminal.wait_for_question(CHANGE).unwrap();
        let screen = terminal.screen();
        for shown in ["prod", "~ overwrite", "+ create"] {
            assert!(screen.contains(shown), "{shown}: {screen}");
        }
        // In the vault, a region that nobody chose goes without saying.
        let has_region = screen.contains("us-west");
        assert_eq!(has_region, user.name != "vault", "{screen}");
        let ended = answer(terminal, &[(CHANGE, ENTER)], 130);
        let nothing = "cancelled; nothing was changed";
        assert!(ended.screen.contains(nothing), "{}", ended.screen);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);

        answer(start(&user, door, &set[..4]), &[(CHANGE, "y\r")], 0);
        assert_eq!(user.values("prod"), pairs(&[("A", VALUE)]), "{}", user.name);
        let unset = ["secrets", "unset", "prod", "A"];
        answer(start(&user, door, &unset), &[(CHANGE, "y\r")], 0);
        assert_eq!(user.values("prod"), pairs(&[]), "{}", user.name);

        // A new set loses nothing.
        let new = ["secrets", "set", "fresh", "B=2"];
        for (typed, status) in [("n\r", 130), (ENTER, 0)] {
            answer(start(&user, door, &new), &[(CHANGE, typed)], status);
        }
        assert_eq!(user.values("fresh"), pairs(&[("B", "2")]), "{}", user.name);
    }
}

#[test]
fn credentials_are_asked_for_and_typed_unseen() {
    let [_, user] = users();
    let host = "https://registry.example.com/v1/";
    let arguments = ["secrets", "image-pull-secret", "registry", host];
    let token = format!("{VALUE}\r");
    let answers = [("User name", "somebody\r"), ("Token", &*token)];
    answer(start(&user, DOORS[1], &arguments), &answers, 0);
    let stored = &user.service().stored()["first-org"]["registry"]["credentials"];
    // `somebody:c4n4ry v4lue`
    assert_eq!(*stored, json!("c29tZWJvZHk6YzRuNHJ5IHY0bHVl"));
}

#[test]
fn a_set_is_deleted_by_whoever_can_spell_it() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let delete = ["secrets", "delete", "prod"];
        let asked = "Type `prod` to delete it:";
        let ended = answer(start(&user, door, &delete), &[(asked, "prd\r")], 130);
        let declined = "not what was asked for";
        assert!(ended.screen.contains(declined), "{}", ended.screen);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
        answer(start(&user, door, &delete), &[(asked, "prod\r")], 0);
        assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
    }
}

#[test]
fn input_of_a_terminal_that_is_gone_is_not_taken_for_all_of_it() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    for door in DOORS {
        let program = door[0];
        // As under `nohup`, nothing tells the process that its terminal has gone.
        let command = pty_process::blocking::Command::new("/bin/sh")
            .args(["-c", "trap '' HUP; echo deaf; exec \"$0\" \"$@\""])
            .arg(user.bin().join(program))
            .args(&door[1..])
            .args(["secrets", "set", "prod", "--file", "-", "--skip"])
            .env_clear()
            .envs(user.variables())
            .current_dir(user.work());
        let mut terminal = Terminal::start(command, 40, 120).unwrap();
        terminal.wait_for("deaf").unwrap();
        terminal.press("A=2\r").unwrap();
        terminal.wait_for("A=2").unwrap();
        let status = terminal.hang_up().unwrap();
        assert_eq!(status.code(), Some(130), "{program}");
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{program}");
    }
}

#[test]
fn a_template_says_what_a_key_is_for_and_a_key_may_be_left_out() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let text =
            "# Whole file\n\n# OpenAI: https://platform.openai.com\n# API key\nA=\nAPI_KEY=\n";
        user.write(".env.example", text);
        let set = ["secrets", "set", "fresh", "--from-template", ".env.example"];
        let none = [("Value of A", ENTER), ("Value of API_KEY", ENTER)];
        let mut terminal = start(&user, door, &set);
        terminal
            .wait_for("OpenAI: https://platform.openai.com")
            .unwrap();
        assert!(!terminal.screen().contains("Whole file"));
        let ended = answer(terminal, &none, 0);
        let nothing = "Nothing to do: no key of `fresh` was given a value";
        assert!(ended.screen.contains(nothing), "{}", ended.screen);
        let key = format!("{VALUE}\r");
        let one = [
            ("Value of A", ENTER),
            ("Value of API_KEY", &key),
            (CHANGE, "y\r"),
        ];
        let ended = answer(start(&user, door, &set), &one, 0);
        let missing = "Still missing: `A`";
        assert!(ended.screen.contains(missing), "{}", ended.screen);
        let expected = pairs(&[("API_KEY", VALUE)]);
        assert_eq!(user.values("fresh"), expected, "{}", user.name);
    }
}

#[test]
fn passphrase_of_a_backup_is_asked_for_twice_and_unseen() {
    for door in DOORS {
        let user = User::of_the_vault();
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let mut terminal = start(&user, door, &["vault", "backup", "copy"]);
        let (first, again) = ("Passphrase for the backup", "The same passphrase again");
        let typed = format!("{VALUE}\r");
        for (asked, typed, problem) in [
            (first, "short\r", "needs at least 8 characters"),
            (first, &typed, again),
            (again, "c4n4ry v4lue \r", "is not the same as before"),
        ] {
            terminal.wait_for_question(asked).unwrap();
            terminal.press(typed).unwrap();
            terminal.wait_for(problem).unwrap();
        }
        answer(terminal, &[(again, &typed)], 0);

        let restore = ["vault", "restore", "copy"];
        let asked = "Passphrase of the backup";
        let no = [(asked, &*typed), ("Type `restore`", "yes\r")];
        let ended = answer(start(&user, door, &restore), &no, 130);
        let declined = "that is not what was asked for; nothing was changed";
        assert!(ended.screen.contains(declined), "{}", ended.screen);
        let yes = [(asked, &*typed), ("Type `restore`", "restore\r")];
        let mut terminal = start(&user, door, &restore);
        terminal.wait_for_question(asked).unwrap();
        terminal.press(&typed).unwrap();
        terminal.wait_for("1 set with 1 value").unwrap();
        answer(terminal, &yes[1..], 0);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    }
}
