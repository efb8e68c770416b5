use std::collections::BTreeSet;

use crate::pack::{self, Origin, Taken};

use super::*;

fn catalogue() -> &'static Catalogue {
    Catalogue::get()
}

fn all_services() -> impl Iterator<Item = &'static Service> {
    let providers = catalogue().providers();
    providers.flat_map(|provider| &provider.services)
}

/// Converts a transport to a provider, because the service rules also apply to the parts of a transport that appear in generated code.
fn as_provider(transport: &Transport) -> Provider {
    let variables = transport.env.iter().map(|variable| {
        let described = Variable {
            about: variable.about.clone(),
            secret: variable.secret,
        };
        (variable.name.clone(), described)
    });
    let service = serde_json::json!({
        "id": format!("{}_video", transport.id),
        "kind": "video",
        "label": transport.label,
        "extras": transport.extras,
        "packages": transport.packages,
        "module": transport.module,
        "class": if transport.class == "TransportParams" { "Unreserved" } else { &transport.class },
        "imports": transport.imports,
        "args": transport.args,
        "reads": transport.env.iter().map(|it| serde_json::json!({ "name": it.name })).collect::<Vec<_>>(),
        "note": transport.note,
    });
    Provider {
        label: transport.label.clone(),
        site: transport
            .site
            .clone()
            .unwrap_or("https://a.example".to_owned()),
        env: variables.collect(),
        services: vec![serde_json::from_value(service).unwrap()],
    }
}

#[test]
fn every_provider_keeps_the_rules_of_packs() {
    for provider in catalogue().providers() {
        let problems = pack::check(provider, Origin::BuiltIn);
        assert_eq!(problems, [""; 0], "{}", provider.label);
        let used: BTreeSet<&str> = provider.services.iter().flat_map(pack::variables).collect();
        let described: BTreeSet<&str> = provider.env.keys().map(String::as_str).collect();
        assert_eq!(described, used, "{}", provider.label);
    }
}

#[test]
fn every_transport_keeps_the_rules_of_services() {
    for transport in catalogue().all_transports() {
        let mut as_providers = vec![as_provider(transport)];
        as_providers.extend(transport.avatar.iter().map(|avatar| {
            let mut provider = as_provider(transport);
            let service = &mut provider.services[0];
            service.module.clone_from(&avatar.module);
            service.class.clone_from(&avatar.class);
            service.imports.clone_from(&avatar.imports);
            // `runner_args` is the one additional name that avatars may use.
            let args = serde_json::to_string(&avatar.args).unwrap();
            let args = args.replace("runner_args.room_url", "session");
            let args = args.replace("runner_args.token", "session");
            service.args = serde_json::from_str(&args).unwrap();
            service.reads.retain(|it| !args.contains(&it.name));
            provider
        }));
        for provider in as_providers {
            let problems = pack::check(&provider, Origin::BuiltIn);
            assert_eq!(problems, [""; 0], "{}", transport.id);
        }
    }
}

#[test]
fn what_an_avatar_reads_is_needed_or_not_in_both_places() {
    fn read(args: &[Arg]) -> Vec<(&str, bool)> {
        let own = args.iter().filter_map(|arg| {
            let needed = !arg.optional && arg.default.is_none();
            Some((arg.env.as_deref()?, needed))
        });
        let nested = args.iter().flat_map(|arg| read(&arg.args));
        own.chain(nested).collect()
    }
    let mut seen = 0;
    for transport in catalogue().all_transports() {
        for (name, needed) in transport.avatar.iter().flat_map(|it| read(&it.args)) {
            let described = transport.env.iter().find(|it| it.name == name);
            let described = described.map(|it| !it.optional && it.default.is_none());
            assert_eq!(described, Some(needed), "{}: {name}", transport.id);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn services_can_stand_beside_each_other_and_transports() {
    let mut taken = Taken::default();
    for variable in catalogue().transports.iter().flat_map(|it| &it.env) {
        taken.variable(&variable.name, "a transport", None);
    }
    for provider in catalogue().providers() {
        for service in &provider.services {
            assert_eq!(taken.conflict(provider, service), None, "{}", service.id);
            taken.service(provider, service, "a service that is built in");
        }
    }
}

#[test]
fn what_is_built_in_is_taken() {
    let taken = catalogue().taken();
    let mut providers = catalogue().providers();
    let deepgram = providers.find(|it| it.label == "Deepgram").unwrap();
    for (id, is_taken) in [
        ("deepgram_stt", true),
        ("ultravox", true),
        ("livekit", true),
        ("other_stt", false),
    ] {
        let mut service = deepgram.services[0].clone();
        id.clone_into(&mut service.id);
        let conflict = taken.conflict(deepgram, &service);
        assert_eq!(conflict.is_some(), is_taken, "{id}");
    }
}

#[test]
fn every_file_parses() {
    let read = [
        catalogue().providers().count(),
        catalogue().transports.len(),
    ];
    assert_eq!(read, [PROVIDERS.len(), TRANSPORTS.len()]);
}

#[test]
fn a_service_and_a_variable_are_found_by_every_name() {
    let mut listed: Vec<Listed> = Kind::ALL
        .into_iter()
        .flat_map(|it| catalogue().listed(it))
        .collect();
    for provider in catalogue().providers() {
        for service in &provider.services {
            for name in service.alias.iter().chain([&service.id]) {
                assert_eq!(catalogue().service(name), Some(service));
            }
            assert_eq!(catalogue().provider_of(service), Some(provider));
            let at = listed.iter().position(|it| it.id == service.id).unwrap();
            let (found, read) = (listed.swap_remove(at), Listed::of(service));
            assert_eq!(format!("{found:?}"), format!("{read:?}"));
        }
        for name in provider.env.keys() {
            let mut all = catalogue().providers();
            let first = all.find_map(|provider| provider.env.get(name));
            assert_eq!(catalogue().variable(name), first, "{name}");
        }
    }
    assert!(listed.is_empty(), "{listed:?}");
}

#[test]
fn identifiers_and_aliases_are_unique() {
    let mut seen = BTreeSet::new();
    let services = all_services().map(|service| (&service.id, &service.alias));
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
fn families_name_their_two_directions() {
    for (name, alias) in [
        ("hosted_rtc_pstn", "daily_pstn"),
        ("carrier_a_hosted_rtc_sip", "twilio_daily_sip"),
    ] {
        for family in [name, alias] {
            let members = catalogue().transport_family(family);
            let members: Vec<&str> = members.map(|it| it.id.as_str()).collect();
            assert_eq!(
                members,
                ["in", "out"].map(|way| format!("{name}_dial{way}"))
            );
        }
    }
    assert_eq!(catalogue().transport_family("hosted_rtc").count(), 0);
}

#[test]
fn recommended_services_come_first_and_ranks_are_gapless() {
    for kind in Kind::ALL {
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
    for kind in Kind::ALL {
        let labels: Vec<&str> = catalogue()
            .services(kind)
            .map(|service| service.label.as_str())
            .collect();
        let distinct: BTreeSet<String> = labels.iter().map(|label| label.to_lowercase()).collect();
        assert_eq!(distinct.len(), labels.len(), "{kind:?}");
    }
}

#[test]
fn what_transports_name_is_there() {
    let mut seen = 0;
    for transport in catalogue().all_transports() {
        let of_calls = transport.call_server.iter().map(|server| &server.partial);
        let no_client = transport.no_client.as_ref();
        let of_server = transport.self_host.iter().map(|it| &it.partial);
        let partials = of_calls.chain(no_client.and_then(|it| it.partial.as_ref()));
        let partials = partials.chain(of_server);
        for partial in partials {
            let file = crate::project_file(&format!("{partial}.liquid"));
            assert!(file.is_some(), "{}: {partial}", transport.id);
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn transports_stand_in_order_without_gaps() {
    for (name, bot_type) in [("web", BotType::Web), ("telephony", BotType::Telephony)] {
        let listed = Catalogue::listed_transports(name).map(|it| (it.id, it.alias, it.label));
        let parsed = catalogue().transports(bot_type);
        let parsed = parsed.map(|it| (&*it.id, it.alias.as_deref(), &*it.label));
        assert!(listed.eq(parsed), "{name}");
        let order: Vec<u8> = catalogue()
            .transports(bot_type)
            .map(|transport| transport.order)
            .collect();
        let expected: Vec<u8> = (1..).take(order.len()).collect();
        assert_eq!(order, expected, "{bot_type:?}");
    }
}

#[test]
fn deprecated_services_name_others() {
    for service in all_services() {
        let Some(reason) = &service.deprecated else {
            continue;
        };
        let names_another = catalogue()
            .services(service.kind)
            .any(|other| reason.contains(&other.id) && other.deprecated.is_none());
        assert!(names_another, "{}", service.id);
        assert_eq!(service.recommended, None, "{}", service.id);
    }
}

#[test]
fn clients_of_transports_are_a_class_or_files_that_exist() {
    for transport in catalogue().all_transports() {
        let Some(client) = &transport.client else {
            continue;
        };
        let id = &transport.id;
        assert_eq!(transport.bot_type, BotType::Web, "{id}");
        assert_ne!(client.class.is_some(), client.module().is_some(), "{id}");
        for file in &client.files {
            let path = format!("client/transports/{}", file.name);
            assert!(crate::project_file(&path).is_some(), "{id}: {path}");
        }
    }
}
