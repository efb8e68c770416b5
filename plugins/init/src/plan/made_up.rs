//! Tests with transports that don't exist: each is one file, and the files that it names.

use bot_cli_templates::catalogue::{BotType, Transport};
use bot_cli_templates::prepared::prepared;
use bot_cli_templates::{project_file, project_files};

use super::templates::Templates;
use super::tests::config;
use super::{Plan, scaffold_from};
use crate::catalogue::Catalogue;

fn templates(changed: &[(&'static str, String)]) -> Templates {
    let known = bot_cli_templates::texts().iter();
    let mut texts: Vec<String> = known.map(|text| (*text).to_owned()).collect();
    let changed = changed.iter().map(|(path, text)| {
        let path = path.trim_end_matches(".liquid");
        (path, &*prepared(text, &mut texts).leak())
    });
    let all: Vec<_> = (bot_cli_templates::templates().iter().copied())
        .chain(changed)
        .collect();
    let texts: Vec<&str> = texts.into_iter().map(|text| &*text.leak()).collect();
    Templates::of(all, texts.leak()).unwrap()
}

/// Returns a project with the transport in `file` added, or with only that transport if `usual` is false.
fn project(file: &str, usual: bool, changed: &[(&'static str, String)]) -> Plan {
    let added: &'static Transport = Box::leak(Box::new(toml::from_str(file).unwrap()));
    let mut config = config();
    if !usual {
        config.transports.clear();
    }
    config.transports.push(added);
    config.bot_type = added.bot_type;
    scaffold_from(&templates(changed), &config).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_has(plan: &Plan, path: &str, passages: &[&str]) {
    let file = plan.files.iter().find(|file| file.path == path);
    let text = &file.unwrap_or_else(|| panic!("no {path}")).text;
    for passage in passages {
        assert!(text.contains(passage), "{path} lacks\n{passage}\n{text}");
    }
}

#[test]
fn a_carrier_is_one_file() {
    let plan = project(
        r#"
        id = "carrier_x"
        label = "Nimbus"
        bot_type = "telephony"
        order = 90
        runner_key = "nimbus"
        extras = ["websocket"]
        module = "pipecat.transports.websocket.fastapi"
        class = "FastAPIWebsocketParams"
        carrier = true

        [[env]]
        name = "NIMBUS_KEY"
        about = "Key"
        secret = true
        "#,
        true,
        &[],
    );
    assert_has(
        &plan,
        "server/bot.py",
        &[
            "Transport: Nimbus\n",
            "    \"nimbus\": lambda: FastAPIWebsocketParams(\n",
            "    if is_stream(runner_args):\n",
            "    warn_about_calls()\n",
        ],
    );
    let needs = "    \"nimbus\": [\n        \"NIMBUS_KEY\",\n    ],\n";
    assert_has(&plan, "server/calls.py", &[needs]);
    assert_has(&plan, "server/.env.example", &["\nNIMBUS_KEY=\n"]);
    assert_has(&plan, "README.md", &["uv run bot.py -t nimbus\n"]);
}

#[test]
fn a_web_transport_is_one_file_and_the_partial_that_it_names() {
    let partial =
        "        # Guests have no client.\n        return runner_args.token is not None\n";
    let plan = project(
        r#"
        id = "acme_rtc"
        label = "Acme RTC"
        bot_type = "web"
        order = 90
        runner_key = "acme"
        module = "acme.transport"
        class = "AcmeParams"
        imports = { "acme.codec" = ["Codec"] }
        args = [{ name = "codecs", call = "Codec", args = [{ name = "names", value = ["opus", "g\"722"] }] }]
        pictures = "subscribed"
        nameless_clients = true
        no_client = { session = "LiveKitRunnerArguments", partial = "partials/no_client/acme.py" }
        readme = "partials/readme/acme.md"
        "#,
        false,
        &[
            ("partials/no_client/acme.py.liquid", partial.to_owned()),
            ("partials/readme/acme.md.liquid", ACME_README.to_owned()),
        ],
    );
    assert_has(
        &plan,
        "server/bot.py",
        &[
            "from acme.codec import Codec\nfrom acme.transport import AcmeParams\n",
            "    \"acme\": lambda: AcmeParams(\n        audio_in_enabled=True,\n",
            "        video_in_auto_subscribe=True,\n",
            "        codecs=Codec(\n            names=[\n                \"opus\",\n                'g\"722',\n            ],\n        ),\n",
            "    if isinstance(runner_args, LiveKitRunnerArguments):\n        # Guests have no client.\n",
            "    async def on_client_connected(transport, client=None):\n",
            "        if not has_client(runner_args) and not context.messages:\n",
        ],
    );
    let passages = [
        "### Acme RTC\n\nOpen <https://acme.example>.\n",
        "| No picture | Restart Acme RTC |\n",
    ];
    assert_has(&plan, "README.md", &passages);
}

const ACME_README: &str = r#"{% if section == "run" %}
Open <https://acme.example>.
{% elsif section == "trouble" %}
| No picture | Restart {{ transport.label | md }} |
{% endif %}
"#;

#[test]
fn the_readme_has_a_place_for_every_section_and_no_words_about_one_transport() {
    let readme = project_file("README.md.liquid").unwrap();
    let page = include_str!("../../../../templates/README.md");
    let partials = project_files();
    for (path, text) in partials.filter(|(path, _)| path.starts_with("partials/readme/")) {
        for section in text.split("{% elsif section == ").skip(1) {
            let section = section.split(" %}").next().unwrap();
            assert!(
                readme.contains(&format!("section: {section} %}}")),
                "{path}: {section} is included nowhere"
            );
            let row = format!(" | `{}` |\n", section.trim_matches('"'));
            assert!(page.contains(&row), "templates/README.md lacks {section}");
        }
    }
    let every = [BotType::Web, BotType::Telephony].map(|it| Catalogue::built_in().transports(it));
    for transport in every.into_iter().flatten() {
        let id = format!("\"{}\"", transport.id);
        assert!(!readme.contains(&id), "README.md.liquid branches on {id}");
    }
}

const ACME_CALLS: &str = r#"{% if section == "about" %}
Acme tells this server of a caller.
{% elsif section == "constants" %}
RING_SECONDS = 30
{% elsif section == "settings" %}
ACME_SECRET = required("ACME_SECRET")
{% elsif section == "routes" %}
@app.post("/acme")
async def acme(request: Request) -> dict[str, int]:
    """Prepare a call."""
    await read_body(request)
    await prepare(DailyRoomProperties(), {"acme_call": {"key": ACME_SECRET}})
    return {"ring": RING_SECONDS}
{% elsif section == "the call in the bot" %}
{% include 'partials/calls/arguments.py' %}


def call_of(runner_args: RunnerArguments) -> dict[str, str] | None:
    """Return what Acme says of a call."""
    return runner_args.body.get("acme_call") if runner_args.body else None
{% elsif section == "transfer" %}
        await worker.queue_frame(AcmeTransferFrame(setting("TRANSFER_NUMBER")))
{% endif %}
"#;

#[test]
fn a_provider_of_calls_in_rooms_is_one_file_and_the_partial_that_it_names() {
    let file = |direction: &str| {
        format!(
            r#"
            id = "acme_calls"
            label = "Acme calls"
            bot_type = "telephony"
            order = 90
            runner_key = "daily"
            extras = ["daily"]
            packages = ["aiohttp>=3.11,<4"]
            module = "pipecat.transports.daily.transport"
            class = "DailyParams"
            call_server = {{ direction = "{direction}", partial = "partials/calls/acme.py" }}

            [[env]]
            name = "ACME_SECRET"
            about = "Secret"
            secret = true
            reader = "server"
            "#
        )
    };
    let partial = [("partials/calls/acme.py.liquid", ACME_CALLS.to_owned())];
    for (direction, passage) in [
        (
            "dial-in",
            "        if call is not None:\n            await greet()\n",
        ),
        (
            "dial-out",
            "            await dialer.dial(transport, call)\n",
        ),
    ] {
        for usual in [true, false] {
            let plan = project(&file(direction), usual, &partial);
            let of_bot = [
                "    runner_args = in_room_of_call(runner_args)\n",
                "    \"daily\": lambda: DailyParams(\n",
                passage,
            ];
            assert_has(&plan, "server/bot.py", &of_bot);
            let of_calls = [
                "    return runner_args.body.get(\"acme_call\")",
                "        await worker.queue_frame(",
            ];
            assert_has(&plan, "server/calls.py", &of_calls);
            let of_server = [
                "Acme tells this server of a caller.\n",
                "BODY_SECONDS = 10\nRING_SECONDS = 30\n",
                "ACME_SECRET = required(\"ACME_SECRET\")\n",
                "@app.post(\"/acme\")\n",
            ];
            assert_has(&plan, "server/server.py", &of_server);
            assert_has(&plan, "README.md", &["uv run bot.py -t daily\n"]);
        }
    }
}
