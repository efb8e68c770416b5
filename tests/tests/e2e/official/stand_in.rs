//! The stand-in is held against the service's own client before anything is held against the stand-in.

use bot_cli_tests::service::{Fault, Injection, Outcome, Provisioning, Service};
use serde_json::json;

use super::official;

#[test]
fn the_official_client_can_do_all_its_work_with_the_stand_in() {
    let service = Service::start().unwrap();
    official(&service, "secrets set prod A=1 'B=two words' --skip").done();
    official(&service, "secrets set prod A=changed --skip -r us-west").done();
    official(&service, "secrets set europe C=3 --skip -r eu-central").done();
    official(
        &service,
        "secrets image-pull-secret registry https://registry.example.com/v1/ user:token --skip",
    )
    .done();
    assert_eq!(
        service.stored()["first-org"],
        json!({
            "europe": {"region": "eu-central", "secrets": {"C": "3"}},
            "prod": {"region": "us-west", "secrets": {"A": "changed", "B": "two words"}},
            "registry": {
                "region": "us-west",
                "host": "https://registry.example.com/v1/",
                "credentials": "dXNlcjp0b2tlbg==",
            },
        })
    );

    let listed = official(&service, "secrets list").done().json();
    assert_eq!(
        listed["secretSets"],
        json!([
            {"name": "europe", "type": "secret", "region": "eu-central", "status": "ready"},
            {"name": "prod", "type": "secret", "region": "us-west", "status": "ready"},
            {"name": "registry", "type": "imagePullSecret", "region": "us-west", "status": "ready"},
        ])
    );
    let one = official(&service, "secrets list prod").done().json();
    assert_eq!(
        one,
        json!({"region": "us-west", "status": "ready", "secrets": [{"fieldName": "A"}, {"fieldName": "B"}]})
    );
    let regions = official(&service, "regions list").done().stdout;
    assert!(regions.contains("eu-central"), "{regions}");

    official(&service, "secrets unset prod A --skip").done();
    official(&service, "secrets delete registry --skip").done();
    assert_eq!(
        service.stored()["first-org"],
        json!({
            "europe": {"region": "eu-central", "secrets": {"C": "3"}},
            "prod": {"region": "us-west", "secrets": {"B": "two words"}},
        })
    );
}

#[test]
fn the_official_client_understands_the_stand_ins_refusals() {
    let service = Service::start().unwrap();
    service
        .world()
        .store("first-org", "prod", "us-west", &[("A", "1")]);
    service
        .world()
        .reference("first-org", "elsewhere", "us-east");
    let before = service.stored();
    for (line, said) in [
        ("secrets unset prod B -s", "Key not found"),
        ("secrets delete other -s", "No set found"),
        ("secrets set elsewhere A=1 -s", "referenced secret set"),
        ("secrets set prod A=2 -s -r us-east", "Cannot change region"),
        ("secrets set prod A=2 -s -r mars", "Valid regions are"),
        ("secrets list other", "No secrets sets with name"),
    ] {
        let ran = official(&service, line);
        assert_eq!(ran.status, Some(1), "{line}: {ran:?}");
        let all = format!("{}{}", ran.stdout, ran.stderr).replace('\n', " ");
        assert!(all.contains(said), "{line}: {ran:?}");
    }
    assert_eq!(service.stored(), before);
}

#[test]
fn the_official_client_sees_provisioning_and_faults() {
    let service = Service::start().unwrap();
    service.world().provisioning = Provisioning {
        pending_reads: 1,
        outcome: Outcome::Failed("no room in this region"),
    };
    official(&service, "secrets set prod A=1 --skip").done();
    let pending = official(&service, "secrets list prod").json();
    assert_eq!(pending["status"], "pending");
    let failed = official(&service, "secrets list prod").json();
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["errorMessage"], "no room in this region");

    service.inject(Injection::new(
        "GET",
        "/secrets",
        Fault::error(500, "Internal server error", "INTERNAL_SERVER_ERROR"),
    ));
    let ran = official(&service, "secrets list");
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.json()["error"]["code"], "INTERNAL_SERVER_ERROR");
}
