//! Provider packs of later versions, and an `init` from before there were packs.

use super::sides::{Age, BOTH, Sides};

/// A pack with two services, one of which has a key that 1.0 of the catalogue's schema lacks, and so has its manifest.
const PACK: &str = r#"#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"pack-acme","version":"3.1.0","about":"Acme","role":"provider-pack","catalogue":"CATALOGUE","framework":"FRAMEWORK","requires":REQUIRES,"palette":["red"],"providers":[{"label":"Acme","site":"https://example.com","env":{"ACME_API_KEY":{"about":"API key","secret":true}},"service":[{"id":"acme_llm","kind":"llm","label":"Acme","extras":["openai"],"module":"pipecat.services.openai.llm","class":"OpenAILLMService","args":[{"name":"api_key","env":"ACME_API_KEY"}],"prompt":"settings.system_instruction"},{"id":"acme_stt","kind":"stt","label":"Acme","extras":["openai"],"module":"pipecat.services.openai.stt","class":"OpenAISTTService","args":[{"name":"api_key","env":"ACME_API_KEY"}]MORE}]}]}
"#;

const LATER_KEY: &str = r#","latency":"low""#;

struct Pack {
    catalogue: &'static str,
    framework: &'static str,
    requires: &'static str,
    more: &'static str,
}

const TODAYS: Pack = Pack {
    catalogue: "1.0",
    framework: ">=1.14,<2",
    requires: "{}",
    more: "",
};

impl Pack {
    fn install(&self, sides: &Sides) {
        let text = PACK
            .replace("CATALOGUE", self.catalogue)
            .replace("FRAMEWORK", self.framework)
            .replace("REQUIRES", self.requires)
            .replace("MORE", self.more);
        sides
            .bench
            .script("plugins/bot-cli-pack-acme", &text)
            .unwrap();
    }
}

fn bot<'a>(folder: &'a str, stt: &'a str) -> Vec<&'a str> {
    let options = [
        "-t",
        "p2p_webrtc",
        "-m",
        "cascade",
        "--llm",
        "acme_llm",
        "--tts",
        "cartesia_tts",
    ];
    ["init", folder, "--stt", stt]
        .into_iter()
        .chain(options)
        .collect()
}

#[test]
fn every_host_gives_the_services_of_a_pack() {
    let sides = Sides::new();
    TODAYS.install(&sides);
    for host in BOTH {
        let folder = format!("bot-{host:?}");
        sides.done(host, Age::Newer, &bot(&folder, "acme_stt"));
        let bot = sides.bench.path(&format!("work/{folder}/server/bot.py"));
        let bot = std::fs::read_to_string(bot).unwrap();
        assert!(bot.contains("ACME_API_KEY"), "{host:?}: {bot}");
    }
}

#[test]
fn of_a_pack_with_a_later_schema_what_can_be_read_is_used_and_the_rest_named() {
    let sides = Sides::new();
    Pack {
        catalogue: "1.2",
        more: LATER_KEY,
        ..TODAYS
    }
    .install(&sides);
    for host in BOTH {
        sides.done(
            host,
            Age::Newer,
            &bot(&format!("bot-{host:?}"), "deepgram_stt"),
        );
        let ran = sides.run(host, Age::Newer, &bot("never", "acme_stt"));
        let line = ran
            .stderr
            .lines()
            .find(|line| line.contains("acme_stt"))
            .unwrap_or_default();
        for part in ["1.2", "1.1", "latency"] {
            assert!(line.contains(part), "{host:?}: {part}: {ran:?}");
        }
        assert_eq!(ran.status, Some(2), "{host:?}: {ran:?}");
    }
    let listed = sides.done(Age::Newer, Age::Newer, &["plugin", "list"]);
    assert!(
        listed.contains("acme_stt is left out: `service.latency` is not a key of catalogue 1.1"),
        "{listed}"
    );
}

#[test]
fn a_pack_that_does_not_fit_is_refused_in_a_line_with_both_versions_and_the_rest_goes_on() {
    let sides = Sides::new();
    for (pack, line) in [
        (
            Pack {
                catalogue: "2.0",
                more: LATER_KEY,
                ..TODAYS
            },
            "it has catalogue 2.0, bot-cli-init 0.1.0 knows 1.1; install a newer bot-cli-init, or a version of it for 1.1",
        ),
        (
            Pack {
                requires: r#"{"bot-cli-init":">=9.1"}"#,
                ..TODAYS
            },
            "it requires bot-cli-init >=9.1, this is 0.1.0; install bot-cli-init >=9.1, or a version of it for 0.1.0",
        ),
        (
            Pack {
                framework: ">=2",
                ..TODAYS
            },
            "it was made for pipecat-ai >=2, bot-cli-init 0.1.0 makes projects for 1.14.0; install a newer bot-cli-init, or a version of it for pipecat-ai 1.14.0",
        ),
    ] {
        pack.install(&sides);
        for host in BOTH {
            let ran = sides.run(host, Age::Newer, &bot("never", "deepgram_stt"));
            assert_eq!(ran.status, Some(2), "{host:?}: {ran:?}");
            assert!(
                ran.stderr.lines().any(|told| told.ends_with(line)),
                "{host:?}: {line}: {ran:?}"
            );
            let ran = sides.run(host, Age::Newer, &["init", "--list-options"]);
            assert_eq!(ran.status, Some(0), "{host:?}: {ran:?}");
            assert!(!ran.stdout.contains("acme"), "{host:?}: {ran:?}");
            let told: Vec<&str> = ran
                .stderr
                .lines()
                .filter(|told| told.contains("acme"))
                .collect();
            assert_eq!(told.len(), 1, "{host:?}: {ran:?}");
            assert!(told[0].ends_with(line), "{host:?}: {line}: {ran:?}");
        }
    }
}

#[test]
fn an_init_from_before_there_were_packs_goes_on_without_them() {
    let sides = Sides::new();
    TODAYS.install(&sides);
    for host in BOTH {
        let options = sides.done(host, Age::Older, &["init", "--list-options"]);
        assert!(!options.contains("acme"), "{host:?}: {options}");
        let ran = sides.run(host, Age::Older, &bot("never", "acme_stt"));
        assert_eq!(ran.status, Some(2), "{host:?}: {ran:?}");
    }
    let listed = sides.done(Age::Newer, Age::Older, &["plugin", "list"]);
    assert!(
        listed.contains("bot-cli-pack-acme: no plugin here uses a provider pack"),
        "{listed}"
    );
}
