//! Tests for the behavior that all backends share. The same suite runs on the vault and on both families of API paths.

use serde_json::{Value, json};

use super::user::{User, pairs};
use super::words;

const REGISTRY: &str = "https://registry.example.com/v1/";

#[test]
fn a_set_is_created_listed_changed_and_deleted() {
    for user in User::all() {
        let made = user.done(&["secrets", "set", "prod", "B=2", "A=1", "--skip"]);
        assert_eq!(made["name"], "prod", "{}", user.name);
        assert_eq!(names(&made["created"]), ["A", "B"], "{}", user.name);
        assert_eq!(names(&made["overwritten"]), [""; 0], "{}", user.name);
        assert_eq!(made["region"], "us-west", "{}", user.name);
        assert_eq!(user.values("prod"), pairs(&[("A", "1"), ("B", "2")]));

        let changed = user.done(&["secrets", "set", "prod", "C=3", "A=other", "--skip"]);
        assert_eq!(names(&changed["created"]), ["C"], "{}", user.name);
        assert_eq!(names(&changed["overwritten"]), ["A"], "{}", user.name);
        let expected = pairs(&[("A", "other"), ("B", "2"), ("C", "3")]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);

        let one = user.done(&["secrets", "list", "prod"]);
        assert_eq!(names(&one["keys"]), ["A", "B", "C"], "{}", user.name);
        assert_eq!(one["status"], "ready", "{}", user.name);

        user.done(&["secrets", "unset", "prod", "B", "--skip"]);
        let expected = pairs(&[("A", "other"), ("C", "3")]);
        assert_eq!(user.values("prod"), expected, "{}", user.name);

        let gone = user.done(&["secrets", "delete", "prod", "--skip"]);
        assert_eq!(gone["name"], "prod", "{}", user.name);
        let left = user.done(&["secrets", "list"]);
        assert_eq!(left["sets"], json!([]), "{}", user.name);
    }
}

#[test]
fn what_is_not_there_is_said_not_to_be_there() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        for arguments in [
            &["secrets", "list", "other"][..],
            &["secrets", "unset", "other", "A", "--skip"],
            &["secrets", "unset", "prod", "B", "--skip"],
            &["secrets", "delete", "other", "--skip"],
        ] {
            user.fails(arguments, 1, "not_found");
        }
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
    }
}

#[test]
fn an_image_pull_secret_is_created_updated_in_place_and_told_from_a_set() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let pull = ["secrets", "image-pull-secret", "registry", REGISTRY];
        let make = |credentials| user.done(&[&pull[..], &[credentials]].concat());
        assert_eq!(make("user:first")["created"], true, "{}", user.name);
        assert_eq!(make("user:second")["created"], false, "{}", user.name);

        let rows = |option: &str| -> Vec<(String, String)> {
            let listed = user.done(&["secrets", "list", option]);
            let sets = listed["sets"].as_array().unwrap().iter();
            let word = |set: &Value, field| set[field].as_str().unwrap().to_owned();
            sets.map(|set| (word(set, "name"), word(set, "type")))
                .collect()
        };
        let prod = ("prod".to_owned(), "secret".to_owned());
        let registry = ("registry".to_owned(), "image_pull_secret".to_owned());
        assert_eq!(rows("--no-sets"), [prod.clone(), registry], "{}", user.name);
        assert_eq!(rows("--sets"), [prod], "{}", user.name);

        let onto_a_set = ["secrets", "image-pull-secret", "prod", REGISTRY, "u:t"];
        for arguments in [
            &["secrets", "set", "registry", "A=1", "--skip"][..],
            &["secrets", "unset", "registry", "A", "--skip"],
            &["secrets", "list", "registry", "--sets"],
            &onto_a_set,
        ] {
            user.fails(arguments, 1, "wrong_type");
        }
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
        user.done(&["secrets", "list", "registry"]);
        user.done(&["secrets", "delete", "registry", "--skip"]);
        assert_eq!(rows("--no-sets").len(), 1, "{}", user.name);
    }
}

#[test]
fn a_region_is_checked_kept_and_filtered_by() {
    for user in User::all() {
        user.done(&words("secrets set europe A=1 --skip -r eu-central"));
        user.done(&["secrets", "set", "west", "A=1", "--skip"]);
        let misspelt = words("secrets set west A=2 --skip -r us-wset");
        user.fails(&misspelt, 2, "unknown_region");
        let moved = words("secrets set europe A=2 --skip -r us-west");
        user.fails(&moved, 1, "region_conflict");
        for list in ["secrets list -r mars", "secrets list europe -r mars"] {
            user.fails(&words(list), 2, "unknown_region");
        }
        assert_eq!(user.values("europe"), pairs(&[("A", "1")]), "{}", user.name);
        // Without an option, a set stays where it is.
        let kept = user.done(&["secrets", "set", "europe", "A=3", "--skip"]);
        assert_eq!(kept["region"], "eu-central", "{}", user.name);

        let listed = user.done(&["secrets", "list", "-r", "eu-central"]);
        let sets = listed["sets"].as_array().unwrap();
        assert_eq!(sets.len(), 1, "{}: {listed}", user.name);
        assert_eq!(sets[0]["name"], "europe", "{}", user.name);
        let regions = user.done(&["regions", "list"]);
        assert_eq!(regions["default"], "us-west", "{}: {regions}", user.name);
    }
}

#[test]
fn a_dry_run_changes_nothing() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let plan = user.done(&["secrets", "set", "prod", "A=2", "B=3", "--dry-run"]);
        assert_eq!(plan["dry_run"], true, "{}", user.name);
        assert_eq!(names(&plan["created"]), ["B"], "{}", user.name);
        assert_eq!(names(&plan["overwritten"]), ["A"], "{}", user.name);
        let arguments = ["secrets", "image-pull-secret", "registry", REGISTRY, "u:t"];
        user.done(&[&arguments[..], &["--dry-run"]].concat());
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
        let listed = user.done(&["secrets", "list", "--no-sets"]);
        assert_eq!(listed["sets"].as_array().unwrap().len(), 1, "{}", user.name);
    }
}

#[test]
fn every_value_arrives_as_it_was_given() {
    let values = [
        ("SPACES", "two words  and more".to_owned()),
        ("QUOTES", r#"it's "quoted" \ and `more`"#.to_owned()),
        ("EQUALS", "a=b==c".to_owned()),
        ("UNICODE", "grüße 你好 👋 \u{7f}".to_owned()),
        ("DOLLAR", "$HOME ${unclosed".to_owned()),
        ("LINES", "one\ntwo\r\n\tthree".to_owned()),
        ("LONG", "x".repeat(100_000)),
    ];
    for user in User::all() {
        for (key, value) in &values {
            let pair = format!("{key}={value}");
            user.done(&["secrets", "set", "prod", &pair, "--skip"]);
        }
        let stored = user.values("prod");
        for (key, value) in &values {
            assert_eq!(stored.get(*key), Some(value), "{}: {key}", user.name);
        }
    }
}

#[test]
fn a_file_and_standard_input_are_read_alike() {
    let text = "# keys\nexport A=1\nB='two words' # why\r\nC=\"line\\nline\"\n";
    let expected = pairs(&[("A", "1"), ("B", "two words"), ("C", "line\nline")]);
    for user in User::all() {
        user.write("keys.env", text);
        user.done(&words("secrets set from-file --file keys.env --skip"));
        let run = user.run_with(&["secrets", "set", "from-stdin", "-f", "-", "--skip"], text);
        assert_eq!(run.status, Some(0), "{}: {run:?}", user.name);
        assert_eq!(user.values("from-file"), expected, "{}", user.name);
        assert_eq!(user.values("from-stdin"), expected, "{}", user.name);
    }
}

#[test]
fn impossible_names_and_keys_are_refused_before_anything_happens() {
    for user in User::all() {
        let name_of_64 = "n".repeat(64);
        let names = [
            "..", ".", "a/b", "a?b#c", "a%2fb", "-a", "a-", "a b", "ä", "",
        ];
        for name in names.into_iter().chain([&*name_of_64]) {
            for arguments in [
                &["secrets", "set", "--skip", "--", name, "A=1"][..],
                &["secrets", "unset", "--skip", "--", name, "A"],
                &["secrets", "delete", "--skip", "--", name],
                &["secrets", "list", "--", name],
                &["secrets", "image-pull-secret", "--", name, REGISTRY, "u:t"],
            ] {
                let run = user.run(arguments);
                assert_eq!(run.status, Some(2), "{}: {arguments:?}: {run:?}", user.name);
            }
        }
        let key_of_65 = format!("{}=1", "K".repeat(65));
        for pair in ["=1", "A B=1", "A/B=1", "Ä=1", "A=", "../x=1", &key_of_65] {
            let run = user.run(&["secrets", "set", "prod", "--skip", "--", pair]);
            assert_eq!(run.status, Some(2), "{}: {pair}: {run:?}", user.name);
        }
        for key in ["..", ".", ""] {
            let run = user.run(&["secrets", "unset", "--skip", "--", "prod", key]);
            assert_eq!(run.status, Some(2), "{}: {key}: {run:?}", user.name);
        }
        // Others may have made such a key; here is none.
        for key in ["a/b", "a?b", "a b"] {
            let unset = ["secrets", "unset", "--skip", "--", "prod", key];
            user.fails(&unset, 1, "not_found");
        }
        let listed = user.done(&["secrets", "list"]);
        assert_eq!(listed["sets"], json!([]), "{}", user.name);
    }
}

#[test]
fn keys_that_other_clients_made_can_be_removed() {
    let long = "K".repeat(200);
    let keys = ["a.b", "with space", "ü", "\u{1b}[31mred", "a/b?c#d", &long];
    for mut user in [User::with_key(), User::with_token()] {
        user.set("BOT_CLI_TIMEOUT", "5");
        let values: Vec<_> = keys.iter().chain(&["A"]).map(|key| (*key, "1")).collect();
        let service = user.service();
        service
            .world()
            .store("first-org", "prod", "us-west", &values);
        user.done(&["secrets", "unset", "prod", keys[0], "--skip"]);
        let run = user.run(&[&["secrets", "unset", "prod", "--skip"], &keys[1..]].concat());
        assert_eq!(run.status, Some(0), "{run:?}");
        assert!(!run.stdout.contains('\u{1b}'), "{run:?}");
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
    }
}

#[test]
fn a_change_of_several_keys_is_whole_or_says_which() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "B=2", "C=3", "--skip"]);
        let unset = ["secrets", "unset", "prod", "A", "D", "--skip"];
        user.fails(&unset, 1, "not_found");
        assert_eq!(user.values("prod").len(), 3, "{}", user.name);
        let done = user.done(&["secrets", "unset", "prod", "A", "C", "A", "--skip"]);
        assert_eq!(done["keys"], json!(["A", "C"]), "{}", user.name);
        assert_eq!(user.values("prod"), pairs(&[("B", "2")]), "{}", user.name);
    }
}

#[test]
fn without_a_terminal_nothing_changes_until_skip_says_so() {
    for user in User::all() {
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        for arguments in [
            &["secrets", "set", "prod", "A=2"][..],
            &["secrets", "set", "prod", "B", "--skip"],
            &["secrets", "unset", "prod", "A"],
            &["secrets", "delete", "prod"],
            &["secrets", "image-pull-secret", "registry", REGISTRY],
        ] {
            user.fails(arguments, 2, "input_required");
        }
        assert_eq!(user.values("prod"), pairs(&[("A", "1")]), "{}", user.name);
    }
}

#[test]
fn a_listing_names_the_place_beside_the_rows() {
    for user in User::all() {
        let place = match user.name {
            "vault" => "the vault of this machine",
            "backend" => "organization home, the backend `sample`",
            "published paths" => "the organization of the API key, the hosting service",
            _ => "organization first-org, the hosting service",
        };
        user.done(&["secrets", "set", "prod", "A=1", "--skip"]);
        let run = user.run(&["secrets", "list"]);
        let rows: Vec<Vec<&str>> = run
            .stdout
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let prod = ["prod", "secret", "us-west", "ready"];
        assert_eq!(rows, [["NAME", "TYPE", "REGION", "STATUS"], prod]);
        assert_eq!(run.stderr, format!("note: {place}\n"));
        for form in ["-q", "--json"] {
            assert_eq!(user.run(&[form, "secrets", "list"]).stderr, "");
        }
    }
}

fn names(list: &Value) -> Vec<String> {
    let mut names: Vec<String> = serde_json::from_value(list.clone()).unwrap();
    names.sort();
    names
}
