//! Questions at a real terminal: what is shown before a change, what is typed unseen, and ways out.

mod chosen;

use bot_cli_tests::pty::{CTRL_C, CTRL_U, ENTER, ESCAPE, Ended, Terminal};
use serde_json::json;

use super::user::{User, pairs};

const VALUE: &str = "c4n4ry v4lue";

/// The way the plugin is started.
#[derive(Debug, Clone, Copy)]
enum Door {
    Host,
    Hand,
}

const DOORS: [Door; 2] = [Door::Host, Door::Hand];

fn start(user: &User, door: Door, arguments: &[&str]) -> Terminal {
    start_with(user, door, arguments, "rich")
}

fn start_with(user: &User, door: Door, arguments: &[&str], prompts: &str) -> Terminal {
    let bin = user.bin();
    let command = match door {
        Door::Host => pty_process::blocking::Command::new(bin.join("bot-cli")).arg("cloud"),
        Door::Hand => pty_process::blocking::Command::new(bin.join("bot-cli-cloud")),
    };
    let command = command
        .args(arguments)
        .env_clear()
        .envs(user.variables())
        .env("TERM", "xterm-256color")
        .env("BOT_CLI_PROMPTS", prompts)
        .current_dir(user.work());
    Terminal::start(command, 40, 120).unwrap()
}

/// Of one kind each: what differs between hosted and vault is tested without a terminal.
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
fn a_change_is_shown_without_values_and_declined_by_default() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let pair = format!("A={VALUE}");
        let mut terminal = start(&user, door, &["secrets", "set", "prod", &pair, "B=22"]);
        terminal.wait_for("? ").unwrap();
        let screen = terminal.screen();
        for shown in ["prod", "~ overwrite", "+ create"] {
            assert!(screen.contains(shown), "{shown}: {screen}");
        }
        // In the vault, a region that nobody chose goes without saying.
        let has_region = screen.contains("us-west");
        assert_eq!(has_region, user.name != "vault", "{screen}");
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", ended.screen);
        assert!(
            ended.screen.contains("cancelled; nothing was changed"),
            "{}",
            ended.screen
        );
        assert_unseen(&ended);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
    }
}

#[test]
fn a_change_that_is_agreed_to_happens() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let pair = format!("A={VALUE}");
        let mut terminal = start(&user, door, &["secrets", "set", "prod", &pair]);
        terminal.wait_for("? ").unwrap();
        terminal.press("y").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
        assert_eq!(user.values("prod"), pairs(&[("A", VALUE)]), "{}", user.name);

        let mut terminal = start(&user, door, &["secrets", "unset", "prod", "A"]);
        terminal.wait_for("? ").unwrap();
        terminal.press("y").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_eq!(user.values("prod"), pairs(&[]), "{}", user.name);
    }
}

#[test]
fn a_new_set_is_made_by_enter_alone() {
    for (user, door) in users().into_iter().zip(DOORS) {
        for (answer, status) in [("n\r", 130), (ENTER, 0)] {
            let mut terminal = start(&user, door, &["secrets", "set", "fresh", "B=2"]);
            terminal.wait_for("Save 1 key in `fresh`?").unwrap();
            terminal.press(answer).unwrap();
            let ended = terminal.end().unwrap();
            assert_eq!(ended.status.code(), Some(status), "{}", ended.screen);
        }
        assert_eq!(user.values("fresh"), pairs(&[("B", "2")]), "{}", user.name);
    }
}

#[test]
fn a_value_is_typed_unseen() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let mut terminal = start(&user, door, &["secrets", "set", "prod", "TYPED", "--skip"]);
        terminal.wait_for("TYPED").unwrap();
        terminal.wait_for("? ").unwrap();
        // Mistyped, and begun anew.
        terminal.press("wrong").unwrap();
        terminal.press(CTRL_U).unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
        let expected = pairs(&[("A", "1"), ("TYPED", VALUE)]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);
    }
}

#[test]
fn going_back_from_a_hidden_question_leads_to_the_one_before() {
    let set = ["secrets", "set", "prod", "FIRST", "SECOND", "--skip"];
    for (user, door) in users().into_iter().zip(DOORS) {
        let mut terminal = start(&user, door, &set);
        terminal.wait_for_question("Value of FIRST").unwrap();
        terminal.press("mistyped\r").unwrap();
        terminal.wait_for_question("Value of SECOND").unwrap();
        terminal.press("half").unwrap();
        terminal.press(ESCAPE).unwrap();
        terminal.wait_until_gone("SECOND").unwrap();
        terminal.wait_for_question("Value of FIRST").unwrap();
        terminal.press(&format!("{VALUE}\r")).unwrap();
        terminal.wait_for_question("Value of SECOND").unwrap();
        terminal.press("2\r").unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
        let expected = pairs(&[("A", "1"), ("FIRST", VALUE), ("SECOND", "2")]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);
    }
}

#[test]
fn the_word_that_goes_back_is_stored_only_if_it_is_quoted() {
    let set = ["secrets", "set", "prod", "FIRST", "SECOND", "--skip"];
    for (user, door) in users().into_iter().zip(DOORS) {
        let mut terminal = start_with(&user, door, &set, "plain");
        for (asked, typed) in [
            ("Value of FIRST (hidden): ", "back\r"),
            ("Value of FIRST (hidden): ", "mistyped\r"),
            ("Value of SECOND (hidden): ", "back\r"),
            ("Value of FIRST (hidden): ", "\"back\"\r"),
            ("Value of SECOND (hidden): ", "\"2\"\r"),
        ] {
            terminal.wait_for_last(asked).unwrap();
            terminal.press(typed).unwrap();
        }
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        let first = "there is no question to go back to; `\"back\"` is the word itself";
        assert!(ended.screen.contains(first), "{}", ended.screen);
        let second = "(type `back` to go back; `\"back\"` is the word itself)";
        assert!(ended.screen.contains(second), "{}", ended.screen);
        let expected = pairs(&[("A", "1"), ("FIRST", "back"), ("SECOND", "\"2\"")]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);
    }
}

#[test]
fn credentials_are_asked_for_and_typed_unseen() {
    let [_, user] = users();
    let host = "https://registry.example.com/v1/";
    let arguments = ["secrets", "image-pull-secret", "registry", host];
    let mut terminal = start(&user, Door::Hand, &arguments);
    terminal.wait_for("? ").unwrap();
    terminal.press("somebody").unwrap();
    terminal.wait_for("somebody").unwrap();
    terminal.press(ENTER).unwrap();
    terminal.wait_for_question("oken").unwrap();
    terminal.press(VALUE).unwrap();
    terminal.press(ENTER).unwrap();
    let ended = terminal.end().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
    assert_unseen(&ended);
    let stored = &user.service().stored()["first-org"]["registry"]["credentials"];
    // `somebody:c4n4ry v4lue`
    assert_eq!(*stored, json!("c29tZWJvZHk6YzRuNHJ5IHY0bHVl"));
}

#[test]
fn a_set_is_deleted_by_whoever_can_spell_it() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let mut terminal = start(&user, door, &["secrets", "delete", "prod"]);
        terminal.wait_for("? ").unwrap();
        terminal.press("prd").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", ended.screen);
        assert!(
            ended.screen.contains("not what was asked for"),
            "{}",
            ended.screen
        );
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);

        let mut terminal = start(&user, door, &["secrets", "delete", "prod"]);
        terminal.wait_for("? ").unwrap();
        terminal.press("prod").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_eq!(user.done(&["secrets", "list"])["sets"], json!([]));
    }
}

#[test]
fn leaving_at_a_question_changes_nothing() {
    for (user, door) in users().into_iter().zip(DOORS) {
        for arguments in [
            &["secrets", "set", "prod", "A=2"][..],
            &["secrets", "set", "prod", "TYPED"],
            &["secrets", "unset", "prod", "A"],
            &["secrets", "delete", "prod"],
        ] {
            let mut terminal = start(&user, door, arguments);
            terminal.wait_for("? ").unwrap();
            terminal.press(CTRL_C).unwrap();
            let ended = terminal.end().unwrap();
            assert_eq!(
                ended.status.code(),
                Some(130),
                "{arguments:?}: {}",
                ended.screen
            );

            let mut terminal = start(&user, door, arguments);
            terminal.wait_for("? ").unwrap();
            let status = terminal.hang_up().unwrap();
            assert_ne!(status.code(), Some(0), "{arguments:?}");
        }
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
    }
}

#[test]
fn input_of_a_terminal_that_is_gone_is_not_taken_for_all_of_it() {
    let user = User::of_the_vault();
    user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
    for (program, words) in [("bot-cli", &["cloud"][..]), ("bot-cli-cloud", &[])] {
        // As under `nohup`, nothing tells the process that its terminal has gone.
        let command = pty_process::blocking::Command::new("/bin/sh")
            .args(["-c", "trap '' HUP; echo deaf; exec \"$0\" \"$@\""])
            .arg(user.bin().join(program))
            .args(words)
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
fn a_value_in_the_place_of_a_key_is_not_shown() {
    for (user, door) in users().into_iter().zip(DOORS) {
        for words in [
            &["prod", "API_KEY", "sk-live-c4n4ry"][..],
            &["prod", "API_KEY", "AKIAIOSFODNN7C4N4RY"],
            &["prod", "sk-live-c4n4ry"],
            &["API_KEY", "sk-live-c4n4ry"],
        ] {
            let ended = start(&user, door, &[&["secrets", "set"], words].concat())
                .end()
                .unwrap();
            assert_eq!(ended.status.code(), Some(2), "{words:?}: {}", ended.screen);
            let shown = ended.output.to_lowercase();
            assert!(!shown.contains("c4n4ry"), "{words:?}: {}", ended.output);
            assert!(shown.contains("is not `key=value`"), "{}", ended.output);
        }
        let mut terminal = start(
            &user,
            door,
            &["secrets", "set", "prod", "API_KEY", "--skip"],
        );
        terminal.wait_for("Value of API_KEY").unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        assert_unseen(&terminal.end().unwrap());
        let expected = pairs(&[("A", "1"), ("API_KEY", VALUE)]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);
    }
}

#[test]
fn a_template_says_what_a_key_is_for() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let text =
            "# Whole file\n\n# OpenAI: https://platform.openai.com\n# API key\nOPENAI_API_KEY=\n";
        user.write(".env.example", text);
        let set = [
            "secrets",
            "set",
            "prod",
            "--from-template",
            ".env.example",
            "--skip",
        ];
        let mut terminal = start(&user, door, &set);
        terminal.wait_for("Value of OPENAI_API_KEY").unwrap();
        let screen = terminal.screen();
        for shown in ["OpenAI: https://platform.openai.com", "API key"] {
            assert!(screen.contains(shown), "{screen}");
        }
        assert!(!screen.contains("Whole file"), "{screen}");
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
    }
}

#[test]
fn a_key_of_a_template_may_be_left_out() {
    for (user, door) in users().into_iter().zip(DOORS) {
        user.write(".env.example", "A=\nAPI_KEY=\n");
        let set = ["secrets", "set", "fresh", "--from-template", ".env.example"];
        let mut terminal = start(&user, door, &set);
        terminal.wait_for("Value of A").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("Value of API_KEY").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(2), "{}", ended.screen);
        assert!(
            ended.screen.contains("no key was given a value"),
            "{}",
            ended.screen
        );

        let mut terminal = start(&user, door, &set);
        terminal.wait_for("Enter alone leaves it out").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("Value of API_KEY").unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("still missing in `fresh`: A").unwrap();
        terminal.wait_for("Save 1 key").unwrap();
        terminal.press("y").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
        assert_eq!(
            user.values("fresh"),
            pairs(&[("API_KEY", VALUE)]),
            "{}",
            user.name
        );
    }
}

#[test]
fn keys_that_go_are_shown_before_anything_is_changed() {
    for (user, door) in users().into_iter().zip(DOORS) {
        user.write(".env", "B=2\n");
        let set = ["secrets", "set", "prod", "--file", ".env", "--prune"];
        for (answer, expected) in [("n", pairs(&[("A", "1")])), ("y", pairs(&[("B", "2")]))] {
            let mut terminal = start(&user, door, &set);
            terminal
                .wait_for("Save 1 key in `prod` and remove 1 key?")
                .unwrap();
            let screen = terminal.screen();
            for shown in ["+ create     B", "- remove     A"] {
                assert!(screen.contains(shown), "{shown}: {screen}");
            }
            terminal.press(answer).unwrap();
            terminal.press(ENTER).unwrap();
            terminal.end().unwrap();
            assert_eq!(user.values("prod"), expected, "{}", user.name);
        }
    }
}

#[test]
fn a_long_name_does_not_wrap_the_list() {
    for (user, door) in users().into_iter().zip(DOORS) {
        let long = format!("a{}", "n".repeat(62));
        user.done(&["secrets", "set", &long, "A=1", "--skip"]);
        let command = |columns: u16| {
            let bin = user.bin();
            let command = match door {
                Door::Host => pty_process::blocking::Command::new(bin.join("bot-cli")).arg("cloud"),
                Door::Hand => pty_process::blocking::Command::new(bin.join("bot-cli-cloud")),
            };
            let command = command
                .args(["secrets", "list"])
                .env_clear()
                .envs(user.variables())
                .env("TERM", "xterm-256color")
                .current_dir(user.work());
            Terminal::start(command, 40, columns)
                .unwrap()
                .end()
                .unwrap()
        };
        let narrow = command(80);
        let lines: Vec<&str> = narrow.screen.lines().map(str::trim_end).collect();
        assert_eq!(
            lines[1], "NAME  TYPE    REGION   STATUS",
            "{}",
            narrow.screen
        );
        assert_eq!(
            lines[2..5],
            [
                &*long,
                "      secret  us-west  ready",
                "prod  secret  us-west  ready"
            ]
        );
        let wide = command(120);
        assert!(
            wide.screen.contains(&format!("{long}  secret")),
            "{}",
            wide.screen
        );
    }
}

#[test]
fn passphrase_of_a_backup_is_asked_for_twice_and_unseen() {
    for door in DOORS {
        let user = User::of_the_vault();
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let mut terminal = start(&user, door, &["vault", "backup", "copy"]);
        terminal
            .wait_for_question("Passphrase for the backup")
            .unwrap();
        terminal.press("short").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("needs at least 8 characters").unwrap();
        let first = "Passphrase for the backup";
        terminal.wait_for_question(first).unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        terminal
            .wait_for_question("The same passphrase again")
            .unwrap();
        terminal.press("c4n4ry v4lue ").unwrap();
        terminal.press(ENTER).unwrap();
        terminal
            .wait_for("was not the same the second time")
            .unwrap();
        terminal.wait_for_question(first).unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        let again = "The same passphrase again";
        terminal.wait_for_question(again).unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);

        let mut terminal = start(&user, door, &["vault", "restore", "copy"]);
        let asked = "Passphrase of the backup";
        terminal.wait_for_question(asked).unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for_question("Type `restore`").unwrap();
        terminal.press("yes").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(130), "{}", ended.screen);
        let declined = "that is not what was asked for; nothing was changed";
        assert!(ended.screen.contains(declined), "{}", ended.screen);

        let mut terminal = start(&user, door, &["vault", "restore", "copy"]);
        terminal
            .wait_for_question("Passphrase of the backup")
            .unwrap();
        terminal.press(VALUE).unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for_question("Type `restore`").unwrap();
        assert!(terminal.screen().contains("1 set with 1 value"));
        terminal.press("restore").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_unseen(&ended);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]));
    }
}
