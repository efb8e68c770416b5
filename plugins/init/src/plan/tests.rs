use std::collections::{BTreeMap, BTreeSet};

use bot_cli_templates::catalogue::{BotType, Kind, Service};
use bot_cli_templates::languages::{ENGLISH, languages};
use bot_cli_templates::{generated_files, project_files};
use saphyr::{LoadableYamlNode as _, Yaml};

use super::*;
use crate::catalogue::Catalogue;
use crate::config::{Client, Pipeline};
use crate::option_table::{Feature, Features, Setting};

const WORKFLOW: &str = ".github/workflows/bot.yaml";

fn service(id: &str) -> &'static Service {
    Catalogue::built_in().service(id).unwrap()
}

pub(super) fn config() -> Config<'static> {
    Config {
        catalogue: Catalogue::built_in(),
        project_name: "My bot".to_owned(),
        slug: "my-bot".to_owned(),
        bot_type: BotType::Web,
        transports: vec![Catalogue::built_in().transport("p2p_webrtc").unwrap()],
        language: "en",
        pipeline: Pipeline::Cascade {
            stt: service("deepgram_stt"),
            llm: service("openai_llm"),
            tts: service("cartesia_tts"),
        },
        video: None,
        environments: Vec::new(),
        client: Client::None,
        ci: "github",
        features: Features::which(|_| true),
        recorded_packs: BTreeMap::default(),
    }
}

/// Checks that every data file can be parsed.
fn check(plan: &Plan) {
    for PlannedFile { path, text, .. } in &plan.files {
        assert!(
            text.ends_with('\n') && !text.ends_with("\n\n") && !text.contains('\r'),
            "{path}"
        );
        let is_read = match path.rsplit('.').next() {
            Some("toml") => toml::from_str::<toml::Table>(text).is_ok(),
            Some("json") => serde_json::from_str::<serde_json::Value>(text).is_ok(),
            Some("yaml") => Yaml::load_from_str(text).is_ok(),
            _ => true,
        };
        assert!(is_read, "{path}:\n{text}");
    }
}

fn file<'a>(plan: &'a Plan, path: &str) -> &'a str {
    let found = plan.files.iter().find(|file| file.path == path);
    &found.unwrap().text
}

fn config_with(service: &'static Service) -> Config<'static> {
    let mut config = config();
    match (service.kind, &mut config.pipeline) {
        (Kind::Stt, Pipeline::Cascade { stt, .. }) => *stt = service,
        (Kind::Llm, Pipeline::Cascade { llm, .. }) => *llm = service,
        (Kind::Tts, Pipeline::Cascade { tts, .. }) => *tts = service,
        (Kind::Video, _) => config.video = Some(service),
        (_, pipeline) => *pipeline = Pipeline::Realtime(service),
    }
    config
}

#[test]
fn a_deployment_names_a_set_unless_the_bot_can_take_no_key() {
    for (llm, line) in [
        ("ollama_llm", "# secret_set = \"my-bot-secrets\""),
        ("aws_bedrock_llm", "secret_set = \"my-bot-secrets\""),
        ("openai_llm", "secret_set = \"my-bot-secrets\""),
    ] {
        let [stt, llm, tts] = ["moonshine_stt", llm, "kokoro_tts"].map(service);
        let pipeline = Pipeline::Cascade { stt, llm, tts };
        let plan = scaffold(&Config {
            pipeline,
            ..config()
        })
        .unwrap();
        let deployment = file(&plan, "server/cloud-deploy.toml");
        assert!(deployment.lines().any(|it| it == line), "{deployment}");
        let has_step = file(&plan, "README.md").contains("2. Store the keys as the secret set");
        assert_eq!(has_step, !line.starts_with('#'));
    }
}

/// Only what is read after the import of `settings.py` can come from `.env`.
#[test]
fn every_module_reads_the_env_file_before_its_variables() {
    let services = Kind::ALL
        .into_iter()
        .flat_map(|kind| Catalogue::built_in().services(kind));
    let mut configs: Vec<Config> = services
        .map(config_with)
        .chain(reserved::configurations())
        .collect();
    let mut local = config();
    local.pipeline = Pipeline::Cascade {
        stt: service("whisper_stt"),
        llm: service("ollama_llm"),
        tts: service("kokoro_tts"),
    };
    configs.push(local);
    let mut readers = 0;
    for plan in configs.iter().map(|config| scaffold(config).unwrap()) {
        assert!(!file(&plan, "server/services.py").contains("os."));
        for PlannedFile { path, text, .. } in &plan.files {
            let reads = |line: &str| line.contains("getenv(") && !line.starts_with(' ');
            if path != "server/settings.py" && text.lines().any(reads) {
                assert!(text.contains("\nfrom settings import "), "{path}:\n{text}");
                readers += 1;
            }
        }
    }
    assert!(readers > 0);
}

/// Returns a bot with these services and this language.
fn speaking(language: &'static str, services: [&str; 3]) -> Config<'static> {
    let [stt, llm, tts] = services.map(service);
    Config {
        language,
        pipeline: Pipeline::Cascade { stt, llm, tts },
        ..config()
    }
}

#[test]
fn a_bot_says_everything_in_its_own_language_and_tells_its_services() {
    assert_eq!(
        Setting::Language
            .row()
            .values
            .words()
            .iter()
            .copied()
            .collect::<BTreeSet<_>>(),
        languages().keys().map(String::as_str).collect()
    );
    let english = &languages()[ENGLISH];
    let sentences =
        |name: &str| !["label", "locale", "asks", "paris", "lisbon", "red"].contains(&name);
    let catalogue = Catalogue::built_in();
    for (language, words) in languages().iter().filter(|(code, _)| *code != ENGLISH) {
        let mut bot = speaking(language, ["google_stt", "openai_llm", "azure_tts"]);
        let mut said = String::new();
        for transport in [
            "p2p_webrtc",
            "carrier_a_hosted_rtc_sip_dialin",
            "hosted_rtc_pstn_dialout",
        ] {
            bot.transports = vec![catalogue.transport(transport).unwrap()];
            let plan = scaffold(&bot).unwrap();
            check(&plan);
            assert!(file(&plan, "server/bot.py").contains(&format!("Speak {},", words["label"])));
            assert!(
                plan.files
                    .iter()
                    .all(|it| it.path != "server/evals/audio.yaml")
            );
            for path in ["README.md", "server/pyproject.toml"] {
                assert!(!file(&plan, path).contains("--group speech"), "{path}");
            }
            let services = file(&plan, "server/services.py");
            let member = format!("[Language.{}]", language.to_uppercase());
            assert!(
                services.contains(&member)
                    || *language == "pt" && services.contains("[Language.PT_BR]")
            );
            assert!(services.contains(&format!("language=\"{}\",", words["locale"])));
            assert!(file(&plan, "server/.env.example").contains(&format!(
                "so set one for {}\n# AZURE_SPEECH_VOICE_ID",
                words["label"]
            )));
            said.extend(plan.files.into_iter().map(|it| it.text));
        }
        for (name, text) in words.iter().filter(|(name, _)| sentences(name)) {
            assert!(said.contains(&format!("\"{text}\"")), "{language}: {name}");
            assert!(
                !said.contains(&format!("\"{}\"", english[name])),
                "{language}: {name}"
            );
        }
        assert_eq!(
            said.matches(&format!("language=\"{}\",\n    )", words["locale"]))
                .count(),
            2
        );
    }
}

#[test]
fn a_service_is_told_no_language_that_it_does_not_know() {
    for (language, stt, tts, told) in [
        ("en", "deepgram_stt", "cartesia_tts", 0),
        ("de", "deepgram_stt", "cartesia_tts", 2),
        ("fr", "moonshine_stt", "kokoro_tts", 1),
        ("de", "moonshine_stt", "kokoro_tts", 1),
        ("de", "deepgram_flux_stt", "deepgram_tts", 0),
    ] {
        let plan = scaffold(&speaking(language, [stt, "openai_llm", tts])).unwrap();
        let services = file(&plan, "server/services.py");
        let line = format!("language=\"{language}\",");
        assert_eq!(
            services.matches(&line).count(),
            told,
            "{language} {stt} {tts}"
        );
    }
    let pipeline = Pipeline::Realtime(service("openai_realtime"));
    let plan = scaffold(&Config {
        language: "de",
        pipeline,
        ..config()
    })
    .unwrap();
    assert!(!file(&plan, "server/services.py").contains("anguage="));
    assert!(
        file(&plan, "server/bot.py").contains("\"Speak German, and address the user formally.\"")
    );
    assert!(file(&plan, "server/session.py").contains("\"Sind Sie noch da?\""));
    assert!(file(&plan, "server/evals/audio.yaml").contains("text_contains: \"Lissabon\""));
}

#[test]
fn services_that_share_variables_agree_on_them() {
    let catalogue = Catalogue::built_in();
    let of = |kind| catalogue.services(kind).collect::<Vec<_>>();
    for stt in of(Kind::Stt) {
        for llm in of(Kind::Llm) {
            for tts in of(Kind::Tts) {
                variables::readings(&[stt, llm, tts]).unwrap();
            }
        }
    }
}

#[test]
fn what_a_class_reads_by_itself_is_asked_for() {
    let catalogue = bot_cli_templates::catalogue::Catalogue::get();
    let readers = catalogue
        .providers()
        .flat_map(|provider| &provider.services)
        .filter(|service| !service.reads.is_empty());
    let mut seen = 0;
    for service in readers {
        seen += 1;
        let plan = scaffold(&config_with(service)).unwrap();
        for read in &service.reads {
            let (name, id) = (&read.name, &service.id);
            let example = file(&plan, "server/.env.example");
            let open = example.contains(&format!("\n{name}="));
            let listed = open || example.contains(&format!("\n# {name}="));
            assert!(listed, "{id}: {name} is not in .env.example");
            assert_eq!(open, !read.optional, "{id}: {name}");
            let required = format!("required(\"{name}\")");
            let checked = file(&plan, "server/services.py").contains(&required);
            assert_eq!(checked, !read.optional, "{id}: {name} in services.py");
        }
    }
    assert!(seen >= 6, "{seen}");
}

#[test]
fn one_of_several_ways_to_give_credentials_is_needed() {
    let mut config = config();
    config.pipeline = Pipeline::Cascade {
        stt: service("google_stt"),
        llm: service("google_vertex_llm"),
        tts: service("google_tts"),
    };
    let plan = scaffold(&config).unwrap();
    let example = file(&plan, "server/.env.example");
    assert!(example.contains("\nGOOGLE_CREDENTIALS=\n"), "{example}");
    assert!(
        example.contains(
            "\n# May be set instead of GOOGLE_CREDENTIALS\n# GOOGLE_APPLICATION_CREDENTIALS=\n"
        ),
        "{example}"
    );
    assert!(
        example.contains("# Google Cloud: https://console.cloud.google.com/iam-admin/"),
        "{example}"
    );
    let services = file(&plan, "server/services.py");
    let check = "\none_required(\n    \"GOOGLE_CREDENTIALS\",\n    \"GOOGLE_APPLICATION_CREDENTIALS\",\n    \"GOOGLE_CLOUD_PROJECT\",\n)\n";
    assert_eq!(services.matches(check).count(), 1, "{services}");
    assert!(
        file(&plan, "README.md")
            .contains("| yes, or `GOOGLE_APPLICATION_CREDENTIALS`, or `GOOGLE_CLOUD_PROJECT` |")
    );
}

#[test]
fn no_project_name_can_break_a_file() {
    let long = "x".repeat(300);
    let names = [
        "\"quotes\" and 'quotes'",
        "back\\slash\\",
        "two\nlines\r\nand a tab\t",
        "{{ name }} {% include 'x' %} {# c #}",
        "{{ name | toml }",
        "$(touch x) `id` ; rm -rf / #",
        "\"\"\"\nimport os\n\"\"\"",
        "]\n[tool.evil]\nx = \"",
        "日本語 🦜 é\u{202e}txt\u{0}\u{7f}\u{85}\u{2028}",
        "<script>alert(1)</script> [a](b) *c*",
        "name: yaml\n- item",
        "",
        &long,
    ];
    let usual = scaffold(&config()).unwrap();
    for name in names {
        let mut config = config();
        config.project_name = name.to_owned();
        let plan = scaffold(&config).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        check(&plan);
        let project: toml::Table = toml::from_str(file(&plan, "server/pyproject.toml")).unwrap();
        assert_eq!(project["project"]["description"].as_str(), Some(name));
        assert!(
            !project
                .get("tool")
                .unwrap()
                .as_table()
                .unwrap()
                .contains_key("evil")
        );
        for path in [
            WORKFLOW,
            "server/bot.py",
            "server/Dockerfile",
            "server/cloud-deploy.toml",
        ] {
            assert_eq!(
                file(&plan, path),
                file(&usual, path),
                "{name:?} reached {path}"
            );
        }
    }
}

#[test]
fn ci_needs_a_key_or_the_address_of_a_server_for_each_eval() {
    for (services, needed, optional) in [
        (
            ["deepgram_stt", "openai_llm", "cartesia_tts"],
            &["DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY"][..],
            &[][..],
        ),
        (
            ["whisper_stt", "ollama_llm", "kokoro_tts"],
            &["OLLAMA_BASE_URL"],
            &[],
        ),
        (
            ["aws_transcribe_stt", "aws_bedrock_llm", "kokoro_tts"],
            &["AWS_ACCESS_KEY_ID"],
            &["AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
        ),
        (
            ["google_stt", "openai_llm", "kokoro_tts"],
            &["GOOGLE_CREDENTIALS", "OPENAI_API_KEY"],
            &[],
        ),
    ] {
        let view = view::of_project(&speaking("en", services)).unwrap();
        let expected = serde_json::json!({ "needed": needed, "optional": optional });
        assert_eq!(view["eval_variables"], expected, "{services:?}");
    }
}

#[test]
fn ci_skips_evals_that_type_to_a_service_that_only_listens() {
    for (id, runs) in [
        ("openai_realtime", true),
        ("openai_live_realtime", false),
        ("ultravox_realtime", false),
    ] {
        let pipeline = Pipeline::Realtime(service(id));
        let plan = scaffold(&Config {
            pipeline,
            ..config()
        })
        .unwrap();
        check(&plan);
        let workflow = file(&plan, WORKFLOW);
        assert_eq!(workflow.contains("pipecat.evals run"), runs, "{id}");
        assert!(workflow.contains("::notice::evals skipped, because"));
    }
}

#[test]
fn ci_deploys_once_releases_have_an_address() {
    let templates = Templates::get().unwrap();
    let deploys = |address: &str, client, is_on, pack: &str| {
        let mut config = Config { client, ..config() };
        config.features = config.features.with(Feature::DeployToCloud, is_on);
        let mut view = view::of_project(&config).unwrap();
        view["releases"] = address.into();
        view["services"][0]["pack"] = pack.into();
        let values = Templates::variables(&view).unwrap();
        let text = templates.render("github/workflows/bot.yaml", &values);
        let text = text.unwrap();
        let workflow = &Yaml::load_from_str(&text).unwrap()[0];
        let jobs = workflow.as_mapping_get("jobs").unwrap();
        let job = jobs.as_mapping_get("deploy")?;
        let needs = job.as_mapping_get("needs").unwrap();
        let needs = needs.as_vec().map_or(1, Vec::len);
        let steps = job.as_mapping_get("steps").unwrap().as_vec().unwrap();
        let run = |step: &Yaml| Some(step.as_mapping_get("run")?.as_str()?.to_owned());
        Some((needs, steps.iter().filter_map(run).collect::<Vec<_>>()))
    };
    let address = "https://example.com/latest";
    assert_eq!(deploys("", Client::None, true, ""), None);
    assert_eq!(deploys(address, Client::None, false, ""), None);
    let (needs, steps) = deploys(address, Client::None, true, "").unwrap();
    assert_eq!((needs, steps.len()), (1, 3));
    assert!(steps[0].starts_with("curl -fsSL https://example.com/latest/install.sh | sh "));
    assert!(steps[1].starts_with("bot-cli init --update --check || echo "));
    assert!(steps[2].ends_with("\nbot-cli cloud deploy --skip\n"));
    let (needs, steps) = deploys(address, Client::Vanilla, true, "acme 1.0.0").unwrap();
    assert_eq!((needs, steps.len()), (2, 2));
}

#[test]
fn modules_of_a_client_differ_in_more_than_case() {
    for client in [Client::Vanilla, Client::ReactVite, Client::ReactNextjs] {
        let files = scaffold(&Config { client, ..config() }).unwrap().files;
        let mut seen = BTreeSet::new();
        for PlannedFile { path, .. } in &files {
            if let Some(module) = path.strip_suffix(".ts").or(path.strip_suffix(".tsx")) {
                // `./Settings` is `./settings` on some file systems.
                assert!(seen.insert(module.to_lowercase()), "{client:?}: {path}");
            }
        }
    }
}

#[test]
fn every_template_of_a_file_is_in_the_table_of_files() {
    let mut known = BTreeSet::new();
    for client in [Client::Vanilla, Client::ReactVite, Client::ReactNextjs] {
        for realtime in [false, true] {
            let mut config = Config { client, ..config() };
            let transports = [BotType::Web, BotType::Telephony].into_iter();
            config.transports = transports
                .flat_map(|it| Catalogue::built_in().transports(it))
                // Where a transport has an avatar, the bot draws no picture.
                .filter(|it| realtime || it.avatar.is_none())
                .collect();
            if realtime {
                config.pipeline = Pipeline::Realtime(service("openai_realtime"));
            } else {
                config.pipeline = Pipeline::Cascade {
                    stt: service("whisper_stt"),
                    llm: service("ollama_llm"),
                    tts: service("piper_tts"),
                };
            }
            known.extend(
                manifest::files_of(&config)
                    .into_iter()
                    .map(|it| it.template),
            );
        }
    }
    for (path, _) in project_files() {
        let path = path.strip_suffix(".liquid").unwrap_or(path);
        assert!(
            path.starts_with("partials/") || known.remove(path),
            "{path}"
        );
    }
    assert_eq!(known.len(), 0, "without a template: {known:?}");
    assert!(generated_files().len() > 10);
}
