//! Tests with a service or proxy that repeats the token and the values it received, in many forms and places.

use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE};
use bot_cli_tests::service::{Access, Fault, ORGANIZATION};
use serde_json::json;

use super::super::user::User;

const TOKEN: &str = "pcc_pat_q8Zt5wNcXe4Yb1Kd";
const VALUE: &str = "vQ3#mT9/kL&7xR+2pWs5";

/// The maximum length of a fragment of a secret that the output may contain.
const TOLD: usize = 5;

type Guise = (&'static str, fn(&str) -> String);

/// The forms in which the service repeats a secret.
const GUISES: [Guise; 9] = [
    ("as it is", str::to_owned),
    ("without its first character", |secret| {
        secret[1..].to_owned()
    }),
    ("without its first five", |secret| secret[5..].to_owned()),
    ("cut off", |secret| format!("{}…", &secret[..14])),
    ("JSON in JSON", |secret| {
        json!(json!(secret).to_string()).to_string()
    }),
    ("as in a URL", |secret| {
        form_urlencoded::byte_serialize(secret.as_bytes()).collect()
    }),
    ("base64", |secret| BASE64_STANDARD.encode(secret)),
    ("base64 for URLs", |secret| BASE64_URL_SAFE.encode(secret)),
    ("as credentials", |secret| {
        BASE64_STANDARD.encode(format!("someone:{secret}"))
    }),
];

/// Every command that communicates with the service.
const COMMANDS: &str = include_str!("commands.txt");

/// Returns responses with `told`, a form of a secret, in each place that can contain text from the service.
fn faults(told: &str) -> Vec<Fault> {
    let error = format!("bad value {told} was given");
    let row = json!({"name": "x", "type": "secret", "region": "us-west", "status": "failed", "errorMessage": error});
    let set = json!({"region": told, "status": "failed", "errorMessage": error, "secrets": [{"fieldName": told}]});
    vec![
        Fault::error(400, &error, "BAD"),
        Fault::error(401, &error, told),
        Fault::error(403, &error, "FORBIDDEN"),
        Fault::error(404, &error, "NOT_FOUND"),
        Fault::error(409, &error, "CONFLICT"),
        Fault::error(500, &error, "INTERNAL"),
        Fault::error(503, &error, "LATER").with("retry-after", "0"),
        Fault::redirect(&format!("https://elsewhere.example/{told}")),
        Fault::json(200, &json!({"sets": [row], "regions": [{"code": told}], "organizations": [{"name": told, "verboseName": error}]}).to_string()),
        Fault::json(200, &set.to_string()),
        Fault::json(200, &format!("{{\"message\": {}", json!(error))),
    ]
}

#[test]
fn what_the_service_repeats_of_a_secret_is_not_shown() {
    let runs = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for (number, guise) in GUISES.iter().enumerate() {
            let runs = &runs;
            scope.spawn(move || {
                let mut user = User::with_token();
                user.set("BOT_CLI_TOKEN", TOKEN);
                user.service().world().tokens.insert(
                    TOKEN.to_owned(),
                    Access::User(vec![ORGANIZATION.to_owned()]),
                );
                for secret in [TOKEN, VALUE] {
                    every_command_is_silent(&user, number, guise, secret, runs);
                }
            });
        }
    });
    // Figures of a test that passes are shown with `--nocapture`.
    let _ = writeln!(std::io::stderr(), "{} canary runs", runs.into_inner());
}

fn every_command_is_silent(
    user: &User,
    number: usize,
    (name, guise): &Guise,
    secret: &str,
    runs: &AtomicUsize,
) {
    let told = guise(secret);
    let faults = faults(&told);
    for (turn, line) in COMMANDS.lines().enumerate() {
        // Nobody can hide a value that this run was never given.
        if secret == VALUE && !line.contains("{VALUE}") {
            continue;
        }
        let line = line.replace("{VALUE}", VALUE);
        let words: Vec<&str> = line.split(' ').collect();
        // Each guise meets each command in two of the places, and every place in turn.
        for step in [0, 5] {
            let fault = &faults[(number + turn + step) % faults.len()];
            let service = user.service();
            service.heal();
            let values = [("A", "1")];
            service
                .world()
                .store(ORGANIZATION, "prod", "us-west", &values);
            // What comes before the change goes well for half of the commands that change something.
            let method = if step == 0 && turn < 3 { "PUT" } else { "*" };
            service.fail(method, "/", fault);
            let form = if step == 0 { "--json" } else { "--verbose" };
            let arguments = [&[form, "-vv"], &words[..]].concat();
            // Only signing in reads it.
            let run = user.run_with(&arguments, TOKEN);
            runs.fetch_add(1, Ordering::Relaxed);
            let shown = format!("{}{}", run.stdout, run.stderr);
            // What says that it is a token is public.
            let core = secret.trim_start_matches("pcc_pat_");
            let encoded = BASE64_STANDARD.encode(core);
            for form in [core.to_owned(), encoded] {
                let letters: Vec<char> = form.to_lowercase().chars().collect();
                for window in letters.windows(TOLD + 1) {
                    let part: String = window.iter().collect();
                    assert!(
                        !shown.to_lowercase().contains(&part),
                        "`{part}` ({name}): {arguments:?}, {fault:?}: {run:?}"
                    );
                }
            }
        }
    }
}
