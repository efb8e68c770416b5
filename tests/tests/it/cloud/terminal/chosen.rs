//! Sets that are chosen at the terminal where no word names one.

use bot_cli_tests::pty::{CTRL_U, DOWN, ENTER};

use super::{DOORS, Door, start, users};
use crate::cloud::user::{User, pairs};

#[test]
fn a_set_without_a_name_is_chosen_or_new() {
    for (user, door) in users().into_iter().zip(DOORS) {
        user.done(&["secrets", "set", "test", "A=1", "--skip"]);
        let mut terminal = start(&user, door, &["secrets", "set", "A=2", "--skip"]);
        terminal.wait_for("Set to change").unwrap();
        for shown in ["prod", "test", "a new set…"] {
            terminal.wait_for(shown).unwrap();
        }
        let has_region = terminal.screen().contains("us-west");
        assert_eq!(has_region, user.name != "vault", "{}", terminal.screen());
        terminal.press(DOWN).unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_eq!(user.values("test"), pairs(&[("A", "2")]), "{}", user.name);
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);

        let mut terminal = start(&user, door, &["secrets", "set", "A=3", "--skip"]);
        terminal.wait_for("a new set…").unwrap();
        terminal.press(DOWN).unwrap();
        terminal.press(DOWN).unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("Name of the new set").unwrap();
        terminal.press("no_name").unwrap();
        terminal.press(ENTER).unwrap();
        terminal.wait_for("may have only").unwrap();
        // The refused name is there to be edited.
        terminal
            .wait_for_question("Name of the new set no_name")
            .unwrap();
        terminal.press(CTRL_U).unwrap();
        terminal.press("fresh").unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", ended.screen);
        assert_eq!(user.values("fresh"), pairs(&[("A", "3")]), "{}", user.name);
    }
}

#[test]
fn a_program_starts_with_a_set_that_is_chosen() {
    let user = User::of_the_vault();
    for door in DOORS {
        let run = ["secrets", "run", "--", "/bin/sh", "-c", "echo \"A is $A\""];
        if matches!(door, Door::Host) {
            let ended = start(&user, door, &run).end().unwrap();
            assert_eq!(ended.status.code(), Some(1), "{}", ended.screen);
            assert!(ended.screen.contains("no secret set"), "{}", ended.screen);
            user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
            user.done(&["secrets", "set", "test", "A=2", "--skip"]);
        }
        let mut terminal = start(&user, door, &run);
        terminal.wait_for("test").unwrap();
        terminal.press(DOWN).unwrap();
        terminal.press(ENTER).unwrap();
        let ended = terminal.end().unwrap();
        assert!(
            ended.output.contains("A is 2"),
            "{door:?}: {}",
            ended.output
        );
        assert_eq!(ended.status.code(), Some(0), "{door:?}: {}", ended.screen);
    }
    // A project says which.
    user.write("server/cloud-deploy.toml", "secret_set = \"prod\"\n");
    let run = user.run(&["secrets", "run", "--", "/bin/sh", "-c", "echo $A"]);
    assert_eq!(
        (run.status, run.stdout.as_str()),
        (Some(0), "1\n"),
        "{run:?}"
    );
    assert_eq!(
        run.stderr,
        "note: using the set `prod` of [ROOT]/work/server/cloud-deploy.toml\n"
    );
}
