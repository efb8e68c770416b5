use super::{Scope, Source, Wanted, address};
use crate::config::{BackendSettings, ConfigFile};
use crate::domain::BackendName;
use crate::environment::Environment;
use bot_cli_protocol::secret::Secret;

fn environment() -> Environment {
    Environment {
        config_folder: Some("/nowhere".into()),
        ..Environment::default()
    }
}

fn resolve(wanted: &Wanted, environment: &Environment) -> Scope {
    Scope::resolve(
        wanted,
        environment,
        &ConfigFile::default(),
        |_| Ok(BackendSettings::default()),
        false,
    )
    .unwrap()
}

#[test]
fn without_anything_it_is_the_vault() {
    let scope = resolve(&Wanted::default(), &environment());
    assert_eq!(scope.backend.value, BackendName::LOCAL);
    assert_eq!(scope.backend.source, Source::Default);
}

#[test]
fn a_token_or_a_sign_in_mean_the_service() {
    let with_token = Environment {
        token: Some(Secret::new("t".to_owned())),
        ..environment()
    };
    assert_eq!(
        resolve(&Wanted::default(), &with_token).backend.value,
        BackendName::HOSTED
    );
    let scope = Scope::resolve(
        &Wanted::default(),
        &environment(),
        &ConfigFile::default(),
        |_| Ok(BackendSettings::default()),
        true,
    );
    assert_eq!(scope.unwrap().backend.value, BackendName::HOSTED);
}

#[test]
fn options_win_over_variables() {
    let variables = Environment {
        region: Some("us-east".to_owned()),
        backend: Some("hosted".to_owned()),
        ..environment()
    };
    let wanted = Wanted {
        region: Some("us-west".to_owned()),
        ..Wanted::default()
    };
    let scope = resolve(&wanted, &variables);
    let region = scope.region.unwrap();
    assert_eq!(
        (region.value.as_str(), region.source),
        ("us-west", Source::Flag)
    );
    assert_eq!(scope.backend.source, Source::Environment);
}

#[test]
fn all_wrong_settings_are_named_at_once() {
    let variables = Environment {
        region: Some("a b".to_owned()),
        organization: Some("a/b".to_owned()),
        timeout: Some("soon".to_owned()),
        ..environment()
    };
    let failure = Scope::resolve(
        &Wanted::default(),
        &variables,
        &ConfigFile::default(),
        |_| Ok(BackendSettings::default()),
        false,
    )
    .unwrap_err();
    assert_eq!(failure.fields.len(), 3);
}

#[test]
fn a_token_goes_only_over_https_or_within_this_machine() {
    for good in [
        "https://a.example",
        "http://127.0.0.1:1",
        "http://[::1]:1",
        "http://localhost:80/base",
    ] {
        assert!(address(good).is_ok(), "{good}");
    }
    for bad in [
        "http://a.example",
        "http://127.0.0.1.example",
        "ftp://a",
        "a",
        "https://u:p@a",
        "https://a/?q",
        "file:///etc",
    ] {
        assert_eq!(address(bad).unwrap_err().code, "insecure_url", "{bad}");
    }
}
