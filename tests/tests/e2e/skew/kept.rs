//! What one version keeps is read by the other.

use super::sides::{Age, BOTH, Sides};

#[test]
fn each_cloud_reads_and_changes_what_the_other_has_kept() {
    let sides = Sides::new();
    for [first, second] in [[Age::Older, Age::Newer], [Age::Newer, Age::Older]] {
        let cloud = |age: Age, arguments: &[&str]| {
            let arguments: Vec<&str> = ["cloud"].iter().chain(arguments).copied().collect();
            sides.done(Age::Newer, age, &arguments)
        };
        let set = format!("of-{first:?}");
        cloud(first, &["secrets", "set", &set, "A=1", "B=2", "--skip"]);
        cloud(second, &["secrets", "set", &set, "B=two", "C=3", "--skip"]);
        cloud(first, &["secrets", "unset", &set, "A", "--skip"]);
        let script = "echo $A-$B-$C";
        for age in BOTH {
            let given = cloud(age, &["secrets", "run", &set, "--", "sh", "-c", script]);
            assert_eq!(given, "-two-3\n", "{age:?}");
            cloud(age, &["vault", "verify"]);
        }
        cloud(first, &["config", "set", "timeout", "7"]);
        let shown = cloud(second, &["config", "show"]);
        assert!(
            shown
                .lines()
                .any(|line| line.starts_with("timeout") && line.contains('7')),
            "{shown}"
        );
    }
}
