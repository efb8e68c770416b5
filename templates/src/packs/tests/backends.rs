//! Secrets backends.

use super::Fixture;
use bot_cli_engine::compat::User;
use bot_cli_engine::discovery::BackendStanding;
use bot_cli_protocol::UseSpec;

#[test]
fn a_backend_has_a_name_of_its_own() {
    let place = Fixture::new();
    let backend = r#""role":"secrets-backend","secrets":"1.0""#;
    place.script("secrets-acme", backend, "");
    place.script("secrets-local", backend, "");
    place.script(
        "secrets-beta",
        r#""role":"secrets-backend","secrets":"2.0""#,
        "",
    );
    place.script(
        "secrets-gamma",
        r#""role":"provider-pack","catalogue":"1.0""#,
        "",
    );
    let user = User::new("bot-cli-cloud", "0.1.0", UseSpec::new("1.0"));
    let told: Vec<String> = place
        .discovery
        .backends(Some(&user), &["local", "hosted"])
        .iter()
        .map(|found| match &found.standing {
            BackendStanding::Usable(plugin, fit) => format!("{} {fit:?}", plugin.name),
            BackendStanding::Shadowed(by) => format!("shadowed by {}", by.display()),
            BackendStanding::Refused(refused) => format!("{}: {refused}", found.name),
        })
        .collect();
    assert_eq!(
        told,
        [
            "secrets-acme Whole",
            "beta: it has secrets 2.0, bot-cli-cloud 0.1.0 knows 1.0; install versions of both that fit each other",
            "gamma: its role is `provider-pack`, not `secrets-backend`; its author changes the role in its manifest, or the name of the file",
            "local: `local` is the name of a backend that is built in; give it another name",
        ]
    );
    assert_eq!(place.discovery.backend("acme", Some(&user)).len(), 1);
    for name in ["", "nobody", "../acme", "a/b", "Acme"] {
        assert!(
            place.discovery.backend(name, Some(&user)).is_empty(),
            "{name}"
        );
    }
}
