use std::collections::{BTreeMap, BTreeSet};

use super::*;

const KINDS: [Kind; 5] = [Kind::Stt, Kind::Llm, Kind::Tts, Kind::Realtime, Kind::Video];

fn catalogue() -> &'static Catalogue {
    Catalogue::get()
}

/// Every service and each of its arguments, those of calls included, with their full names.
fn arguments() -> Vec<(&'static Service, String, &'static Arg)> {
    fn collect(
        service: &'static Service,
        prefix: &str,
        args: &'static [Arg],
        found: &mut Vec<(&'static Service, String, &'static Arg)>,
    ) {
        for arg in args {
            let name = format!("{prefix}{}", arg.name);
            collect(service, &format!("{name} > "), &arg.args, found);
            found.push((service, name, arg));
        }
    }
    let mut found = Vec::new();
    for service in catalogue().all_services() {
        collect(service, "", &service.args, &mut found);
    }
    found
}

/// The variables of a service: those of its arguments and those it reads by itself.
fn variables(service: &Service) -> BTreeSet<&str> {
    let of_arguments = arguments()
        .into_iter()
        .filter(|(owner, _, _)| owner.id == service.id)
        .filter_map(|(_, _, arg)| arg.env.as_deref());
    of_arguments
        .chain(service.reads.iter().map(|read| read.name.as_str()))
        .collect()
}

#[test]
fn every_file_parses() {
    let (_, errors) = Catalogue::load();
    assert_eq!(errors, []);
}

#[test]
fn identifiers_and_aliases_are_unique() {
    let mut seen = BTreeSet::new();
    let services = catalogue()
        .all_services()
        .map(|service| (&service.id, &service.alias));
    let transports = catalogue()
        .transports
        .iter()
        .map(|transport| (&transport.id, &transport.alias));
    for (id, alias) in services.chain(transports) {
        for name in [Some(id), alias.as_ref()].into_iter().flatten() {
            assert!(seen.insert(name), "{name} twice");
        }
    }
}

#[test]
fn aliases_find_what_identifiers_find() {
    assert_eq!(
        catalogue()
            .service("ultravox")
            .map(|service| service.id.as_str()),
        Some("ultravox_realtime")
    );
    assert_eq!(
        catalogue()
            .service("ultravox_realtime")
            .map(|service| service.id.as_str()),
        Some("ultravox_realtime")
    );
    assert_eq!(
        catalogue()
            .transport("smallwebrtc")
            .map(|transport| transport.id.as_str()),
        Some("p2p_webrtc")
    );
    assert!(catalogue().service("").is_none());
    assert!(catalogue().transport("deepgram_stt").is_none());
}

#[test]
fn families_name_their_two_directions() {
    for (name, alias) in [
        ("hosted_rtc_pstn", "daily_pstn"),
        ("carrier_a_hosted_rtc_sip", "twilio_daily_sip"),
    ] {
        let members = |family: &str| -> Vec<String> {
            catalogue()
                .transport_family(family)
                .map(|transport| transport.id.clone())
                .collect()
        };
        assert_eq!(
            members(name),
            [format!("{name}_dialin"), format!("{name}_dialout")]
        );
        assert_eq!(members(alias), members(name));
    }
    assert_eq!(catalogue().transport_family("hosted_rtc").count(), 0);
}

#[test]
fn identifiers_end_in_their_kind() {
    for service in catalogue().all_services() {
        let ending = format!("_{:?}", service.kind).to_lowercase();
        assert!(service.id.ends_with(&ending), "{}", service.id);
    }
}

#[test]
fn recommended_services_come_first_and_ranks_are_gapless() {
    for kind in KINDS {
        let ranks: Vec<Option<u8>> = catalogue()
            .services(kind)
            .map(|service| service.recommended)
            .collect();
        let recommended: Vec<u8> = ranks.iter().copied().flatten().collect();
        let expected: Vec<u8> = (1..).take(recommended.len()).collect();
        assert!(!recommended.is_empty(), "{kind:?}");
        assert_eq!(recommended, expected, "{kind:?}");
        assert!(
            ranks[recommended.len()..].iter().all(Option::is_none),
            "{kind:?}"
        );
    }
}

#[test]
fn labels_tell_the_services_of_a_kind_apart() {
    for kind in KINDS {
        let labels: Vec<&str> = catalogue()
            .services(kind)
            .map(|service| service.label.as_str())
            .collect();
        let distinct: BTreeSet<String> = labels.iter().map(|label| label.to_lowercase()).collect();
        assert_eq!(distinct.len(), labels.len(), "{kind:?}");
    }
}

#[test]
fn transports_stand_in_order_without_gaps() {
    for bot_type in [BotType::Web, BotType::Telephony] {
        let order: Vec<u8> = catalogue()
            .transports(bot_type)
            .map(|transport| transport.order)
            .collect();
        let expected: Vec<u8> = (1..).take(order.len()).collect();
        assert_eq!(order, expected, "{bot_type:?}");
    }
}

#[test]
fn every_provider_describes_exactly_the_variables_it_uses() {
    for provider in catalogue().providers() {
        let used: BTreeSet<&str> = provider.services.iter().flat_map(variables).collect();
        let described: BTreeSet<&str> = provider.env.keys().map(String::as_str).collect();
        assert_eq!(used, described, "{}", provider.label);
    }
}

#[test]
fn a_variable_means_the_same_wherever_it_is_described() {
    let mut seen: BTreeMap<&str, &Variable> = BTreeMap::new();
    for (name, variable) in catalogue().providers().flat_map(|provider| &provider.env) {
        assert_eq!(*seen.entry(name).or_insert(variable), variable, "{name}");
    }
    for variable in catalogue()
        .transports
        .iter()
        .flat_map(|transport| &transport.env)
    {
        assert!(
            catalogue().variable(&variable.name).is_none(),
            "{}",
            variable.name
        );
    }
}

#[test]
fn credentials_are_secrets() {
    let endings = ["_API_KEY", "_SECRET", "_TOKEN", "_SECRET_ACCESS_KEY"];
    let of_providers = catalogue()
        .providers()
        .flat_map(|provider| &provider.env)
        .map(|(name, it)| (name, it.secret));
    let of_transports = catalogue()
        .transports
        .iter()
        .flat_map(|it| &it.env)
        .map(|it| (&it.name, it.secret));
    for (name, secret) in of_providers.chain(of_transports) {
        if endings.iter().any(|ending| name.ends_with(ending)) {
            assert!(secret, "{name}");
        }
    }
}

#[test]
fn every_argument_has_exactly_one_source() {
    for (service, name, arg) in arguments() {
        let sources = [
            arg.env.is_some(),
            arg.value.is_some(),
            arg.expr.is_some(),
            arg.call.is_some(),
        ];
        assert_eq!(
            sources.iter().filter(|present| **present).count(),
            1,
            "{} {name}",
            service.id
        );
        assert!(
            arg.args.is_empty() || arg.call.is_some(),
            "{} {name}",
            service.id
        );
    }
}

#[test]
fn only_variables_have_types_and_defaults() {
    for (service, name, arg) in arguments() {
        let described = arg.optional
            || arg.default.is_some()
            || arg.class_default.is_some()
            || arg.r#type != Type::Str;
        assert!(!described || arg.env.is_some(), "{} {name}", service.id);
        let answers = [
            arg.optional,
            arg.default.is_some(),
            arg.class_default.is_some(),
        ];
        assert!(
            answers.iter().filter(|given| **given).count() <= 1,
            "{} {name}: says twice what holds while unset",
            service.id
        );
        assert!(
            arg.class_default.is_none() || name.starts_with("settings."),
            "{} {name}",
            service.id
        );
    }
}

#[test]
fn defaults_have_the_type_of_their_argument() {
    for (service, name, arg) in arguments() {
        assert_eq!(
            arg.r#type == Type::Choice,
            !arg.choices.is_empty(),
            "{} {name}",
            service.id
        );
        for default in [&arg.default, &arg.class_default].into_iter().flatten() {
            let fits = match arg.r#type {
                Type::Int => default.parse::<i64>().is_ok(),
                Type::Float => default.parse::<f64>().is_ok(),
                Type::Choice => arg.choices.contains(default),
                Type::Str | Type::List => !default.is_empty(),
            };
            assert!(fits, "{} {name}: {default}", service.id);
        }
    }
}

#[test]
fn calls_use_only_imported_names() {
    for (service, name, arg) in arguments() {
        let imported: BTreeSet<&str> = service
            .imports
            .values()
            .flatten()
            .map(String::as_str)
            .collect();
        let used = arg
            .call
            .as_deref()
            .or_else(|| arg.expr.as_deref().and_then(|expr| expr.split('.').next()));
        assert!(
            used.is_none_or(|used| used == "session" || imported.contains(used)),
            "{} {name}",
            service.id
        );
    }
}

#[test]
fn prompts_and_turns_stand_where_they_belong() {
    for service in catalogue().all_services() {
        let speaks = matches!(service.kind, Kind::Llm | Kind::Realtime);
        assert_eq!(service.prompt.is_some(), speaks, "{}", service.id);
        assert_eq!(
            service.turns.is_some(),
            service.kind == Kind::Realtime,
            "{}",
            service.id
        );
    }
}

#[test]
fn deprecated_services_are_not_recommended_and_name_others() {
    for service in catalogue().all_services() {
        let Some(reason) = &service.deprecated else {
            continue;
        };
        assert!(service.recommended.is_none(), "{}", service.id);
        let names_another = catalogue()
            .services(service.kind)
            .any(|other| reason.contains(&other.id) && other.deprecated.is_none());
        assert!(names_another, "{}", service.id);
    }
}

#[test]
fn packages_have_a_floor_and_a_ceiling() {
    let services = catalogue()
        .all_services()
        .flat_map(|service| &service.packages);
    for package in services.chain(
        catalogue()
            .transports
            .iter()
            .flat_map(|transport| &transport.packages),
    ) {
        let (_, range) = package
            .split_once(">=")
            .unwrap_or_else(|| panic!("{package} has no floor"));
        assert!(range.contains(",<"), "{package} has no ceiling");
    }
}

#[test]
fn client_packages_come_with_their_range() {
    for transport in &catalogue().transports {
        assert_eq!(
            transport.client_package.is_some(),
            transport.client_version.is_some(),
            "{}",
            transport.id
        );
        assert!(
            transport.client_package.is_none() || transport.bot_type == BotType::Web,
            "{}",
            transport.id
        );
    }
}

#[test]
fn services_know_their_provider() {
    for provider in catalogue().providers() {
        assert!(provider.site.starts_with("https://"), "{}", provider.label);
        for service in &provider.services {
            assert_eq!(
                catalogue().provider_of(service).map(|found| &found.label),
                Some(&provider.label),
                "{}",
                service.id
            );
        }
    }
}
