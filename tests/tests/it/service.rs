//! Tests for the stand-in for the hosted service, accessed directly. They cover the behavior that the deployment tests rely on.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use bot_cli_tests::service::{
    BuildEnd, Building, Fault, Injection, ORGANIZATION, PRIVATE_KEY, Rollout, RolloutEnd, Service,
    USER_TOKEN,
};
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};

const SERVICES: &str = "/v1/organizations/first-org/services";

/// Requests to create an agent that the service refuses, each with the expected status and the start of the error message.
const REFUSED: &str = r#"
400 Service already exists {"serviceName": "there", "image": "bot:1"}
400 Invalid parameters {"serviceName": "Upper", "image": "bot:1"}
400 Invalid parameters {"serviceName": "new", "image": "bot:1", "maxSessionDuration": 59}
400 Invalid parameters {"serviceName": "new", "image": "bot:1", "autoScaling": {"minAgents": 51}}
400 Invalid parameters {"serviceName": "new", "image": "bot:1", "resources": {"cpu": "1", "memory": "1Gi"}}
400 Invalid region or {"serviceName": "new", "image": "bot:1", "region": "mars"}
400 Either image or buildId is required {"serviceName": "new"}
400 Cannot specify both image and buildId. {"serviceName": "new", "image": "bot:1", "buildId": "1"}
400 Build not found {"serviceName": "new", "buildId": "1"}
404 Secret set not found {"serviceName": "new", "image": "bot:1", "secretSet": "other"}
404 Secret set not found {"serviceName": "new", "image": "bot:1", "imagePullSecretSet": "east"}
400 Secret set 'east' is in region 'us-east' but {"serviceName": "new", "image": "bot:1", "secretSet": "east"}
"#;

/// Sends a request. Returns the status and the body. The status is `None` if there is no response.
fn send(service: &Service, head: &str, body: &[u8]) -> (Option<u16>, String) {
    let host = service.url().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    let (first, others) = head.split_once('\n').unwrap_or((head, ""));
    let length = body.len();
    let head = format!(
        "{first} HTTP/1.1\nhost: {host}\nuser-agent: tests/1\nconnection: close\ncontent-length: {length}\n{others}\n"
    );
    stream
        .write_all(head.replace('\n', "\r\n").as_bytes())
        .unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    (status, body.to_owned())
}

/// Sends the request `line`, which is `METHOD target`, with a token. Returns the status and the body.
fn ask_with(token: &str, service: &Service, line: &str, body: &Value) -> (u16, Value) {
    let head = format!("{line}\nauthorization: Bearer {token}\n");
    let (status, body) = send(service, &head, body.to_string().as_bytes());
    let body = serde_json::from_str(&body).unwrap_or_default();
    (status.unwrap(), body)
}

/// Sends a request, with the user's token if the path contains `/organizations/`, and with the private key otherwise.
fn ask(service: &Service, line: &str, body: &Value) -> (u16, Value) {
    let is_of_organization = line.contains("/organizations/");
    let token = if is_of_organization {
        USER_TOKEN
    } else {
        PRIVATE_KEY
    };
    ask_with(token, service, line, body)
}

#[track_caller]
fn done(service: &Service, line: &str, body: &Value) -> Value {
    let (status, answer) = ask(service, line, body);
    assert!((200..300).contains(&status), "{line}: {status} {answer}");
    answer
}

/// Returns the response to a GET request. A target that doesn't start with `/v1` is relative to the organization's services.
fn get(service: &Service, target: &str) -> Value {
    let below = if target.starts_with("/v1") {
        ""
    } else {
        SERVICES
    };
    done(service, &format!("GET {below}{target}"), &Value::Null)
}

/// Returns the string at `pointer` in every element of `list`.
fn texts<'a>(list: &'a Value, pointer: &str) -> Vec<&'a str> {
    let elements = list.as_array().unwrap().iter();
    elements
        .map(|one| one.pointer(pointer).unwrap().as_str().unwrap())
        .collect()
}

/// Starts a service with a running agent.
fn with_agent(members: &str) -> Service {
    let service = Service::start().unwrap();
    let members = serde_json::from_str(members).unwrap();
    service.world().deploy(ORGANIZATION, "bot", &members);
    service
}

#[test]
fn wrong_requests_are_refused_in_the_services_words() {
    let service = Service::start().unwrap();
    let mut world = service.world();
    world.deploy(ORGANIZATION, "there", &json!({"image": "bot:1"}));
    world.store(ORGANIZATION, "east", "us-east", &[("A", "1")]);
    drop(world);
    let before = service.stored();
    for case in REFUSED.trim().lines() {
        let (expected, body) = case.split_once(" {").unwrap();
        let (status, error) = expected.split_once(' ').unwrap();
        let body = serde_json::from_str(&format!("{{{body}")).unwrap();
        for path in [SERVICES, "/v1/agents"] {
            let (found, answer) = ask(&service, &format!("POST {path}"), &body);
            assert_eq!(found.to_string(), status, "{case}: {answer}");
            let said = answer["error"].as_str().unwrap();
            assert!(said.starts_with(error), "{case}: {said}");
        }
    }
    assert_eq!(service.stored(), before);
    assert_eq!(before["second-org"], json!({}));
}

#[test]
fn a_rollout_reaches_the_end_that_was_chosen() {
    let logs = vec!["Traceback".to_owned(), "KeyError".to_owned()];
    let (code, message) = ("PCC-1".to_owned(), "no".to_owned());
    for (end, pointer, expected) in [
        (RolloutEnd::Ready, "/conditions/0/status", json!("False")),
        (
            RolloutEnd::CrashLoop { logs },
            "/currentRevision/health/lastExitCode",
            json!(1),
        ),
        (
            RolloutEnd::Refused { code, message },
            "/errors/0/code",
            json!("PCC-1"),
        ),
        (
            RolloutEnd::NoCapacity,
            "/currentRevision/hasInfrastructureIssue",
            json!(true),
        ),
        (RolloutEnd::Never, "/errors", Value::Null),
    ] {
        let service = with_agent(r#"{"image": "bot:1"}"#);
        let is_ready = end == RolloutEnd::Ready;
        let lines = if matches!(end, RolloutEnd::CrashLoop { .. }) {
            2
        } else {
            0
        };
        let name = format!("{end:?}");
        service.world().rollout = Rollout {
            pending_reads: 2,
            end,
        };
        let body = json!({"image": "bot:2", "krispViva": {"audio_filter": "tel"}});
        let made = done(&service, "POST /v1/agents/bot", &body);
        assert_eq!(service.world().unknown_members, ["krispViva.audio_filter"]);
        let wanted = &made["desiredDeploymentId"];
        let reads = [(); 4].map(|()| get(&service, "/v1/agents/bot"));
        let taken_up = reads
            .each_ref()
            .map(|read| read["reconciledDeploymentId"] == *wanted);
        assert_eq!(taken_up, [false, true, true, true], "{name}");
        let available = reads.each_ref().map(|read| read["available"] == true);
        assert_eq!(available, [true; 4], "{name}");
        let found = reads
            .each_ref()
            .map(|read| read.pointer(pointer).cloned().unwrap_or_default());
        assert_ne!(found[1] == expected, name != "Never", "{name}");
        assert_eq!([&found[2], &found[3]], [&expected; 2], "{name}");
        assert_eq!(reads[3]["ready"], is_ready, "{name}");
        assert_eq!(reads[3]["previousRevision"].is_null(), is_ready, "{name}");
        assert_eq!(get(&service, "/bot")["body"], reads[3]);
        let logs = get(
            &service,
            &format!("/bot/logs?deploymentId={}", wanted.as_str().unwrap()),
        );
        assert_eq!(logs["total"]["value"], lines, "{name}");
    }
}

#[test]
fn an_update_without_a_change_deploys_nothing() {
    let service = with_agent(r#"{"image": "bot:1"}"#);
    let put = format!("PUT {SERVICES}");
    for (body, expected) in [
        (
            json!({"serviceName": "bot", "image": "bot:1"}),
            &["bot:1"][..],
        ),
        (
            json!({"serviceName": "bot", "forceRedeploy": true}),
            &["bot:1", "bot:1"],
        ),
        (
            json!({"serviceName": "bot", "image": "bot:2"}),
            &["bot:2", "bot:1", "bot:1"],
        ),
    ] {
        let answer = done(&service, &put, &body);
        assert_eq!(answer["warning"].is_string(), expected.len() == 1, "{body}");
        let deployments = get(&service, "/bot/deployments")["deployments"].take();
        assert_eq!(texts(&deployments, "/manifest/spec/image"), expected);
    }
    let stored = service.stored()["first-org"].take();
    assert_eq!(stored["/agents"]["bot"]["spec"]["image"], "bot:2");
    done(&service, &format!("DELETE {SERVICES}/bot"), &Value::Null);
    assert_eq!(service.stored()["first-org"], json!({}));
}

#[test]
fn lines_of_a_log_are_found_by_time_order_and_page() {
    let service = with_agent(r#"{"image": "bot:1"}"#);
    let mut world = service.world();
    let lines = [(1, "one"), (2, "two"), (2, "too"), (3, "three")];
    world.log(ORGANIZATION, "bot", &lines);
    let session = world.start(ORGANIZATION, "bot").unwrap();
    world.log(ORGANIZATION, "bot", &[(1_767_225_600_004, "four")]);
    drop(world);
    for (query, expected) in [
        ("", &["four", "three", "too", "two", "one"][..]),
        ("order=asc&startTime=2&endTime=3", &["two", "too", "three"]),
        ("order=asc&limit=2&offset=1", &["two", "too"]),
        ("query=o&limit=2", &["four", "too"]),
        (&format!("sessionId={session}"), &["four"]),
    ] {
        let logs = get(&service, &format!("/bot/logs?{query}"))["logs"].take();
        assert_eq!(texts(&logs, "/log"), expected, "{query}");
        if expected[0] == "four" {
            assert_eq!(logs[0]["timestamp"], "2026-01-01T00:00:00.004000000Z");
        }
    }
    let now = "GET /v1/agents/bot/logs?startTime=now";
    assert_eq!(ask(&service, now, &Value::Null).0, 400);
}

#[test]
fn sessions_need_a_public_key_and_room() {
    let service = with_agent(r#"{"image": "bot:1", "autoScaling": {"maxAgents": 1}}"#);
    let keys = "/v1/organizations/first-org/apiKeys";
    let body = json!({"name": "web", "type": "public"});
    let made = done(&service, &format!("POST {keys}"), &body);
    let key = made["key"].as_str().unwrap();
    let start = |token: &str, agent: &str| {
        let line = format!("POST /v1/public/{agent}/start");
        ask_with(token, &service, &line, &json!({"createDailyRoom": true}))
    };
    let counts = || {
        ["active", "ended", "all"].map(|status| {
            get(&service, &format!("/bot/sessions?status={status}"))["total_count"].take()
        })
    };
    assert_eq!(start(PRIVATE_KEY, "bot").0, 401);
    assert_eq!(start(key, "other").0, 404);
    let (_, session) = start(key, "bot");
    assert!(session["dailyRoom"].is_string(), "{session}");
    let (status, full) = start(key, "bot");
    assert_eq!(
        (status, &full["code"]),
        (429, &json!("PCC-AGENT-AT-CAPACITY"))
    );
    assert_eq!(counts(), [1, 0, 1]);
    let one = format!("/bot/sessions/{}", session["sessionId"].as_str().unwrap());
    let ended = done(&service, &format!("DELETE {SERVICES}{one}"), &Value::Null);
    assert_eq!(ended["status"], "terminated");
    assert_eq!(counts(), [0, 1, 1]);
    assert!(get(&service, &one)["endedAt"].is_string());
    let revoke = format!("DELETE {keys}/{}", made["id"].as_str().unwrap());
    done(&service, &revoke, &Value::Null);
    assert_eq!(start(key, "bot").0, 401);
    assert_eq!(get(&service, keys)["public"][0]["revoked"], true);
}

/// Uploads an archive with one file, or a form without the archive. Returns the upload's ID and the response status.
fn upload(service: &Service, header: &str, with_file: bool) -> (Value, Option<u16>) {
    let place = json!({"region": "us-west"});
    let mut offer = done(service, "POST /v1/builds/upload-url", &place);
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut head = tar::Header::new_ustar();
    head.set_size(5);
    head.set_mode(0o755);
    let added = archive.append_data(&mut head, "Dockerfile", &b"FROM\n"[..]);
    added.unwrap();
    let file = archive.into_inner().unwrap().finish().unwrap();
    let fields = offer["uploadFields"].as_object().unwrap().iter();
    let fields = fields.map(|(name, value)| (name.as_str(), value.as_str().unwrap().as_bytes()));
    let file = with_file.then_some(("file", file.as_slice()));
    let mut form = Vec::new();
    for (name, content) in fields.chain(file) {
        let head = format!("--xx\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        form.extend([head.as_bytes(), content, b"\r\n"].concat());
    }
    form.extend(b"--xx--\r\n");
    let address = offer["uploadUrl"].as_str().unwrap();
    let target = address.strip_prefix(service.url()).unwrap();
    let kind = "content-type: multipart/form-data; boundary=xx";
    let (status, _) = send(service, &format!("POST {target}\n{kind}\n{header}"), &form);
    (offer["uploadId"].take(), status)
}

#[test]
fn a_build_is_made_of_what_was_uploaded() {
    let service = Service::start().unwrap();
    let (_, status) = upload(&service, "authorization: Bearer secret\n", true);
    assert_eq!(status, Some(400));
    assert_eq!(service.world().leaked_tokens, ["Bearer secret"]);
    let (missing, status) = upload(&service, "", false);
    assert_eq!(status, Some(400));
    let (id, status) = upload(&service, "", true);
    assert_eq!(status, Some(204));
    let uploaded = service.world().uploads[id.as_str().unwrap()].clone();
    assert_eq!(uploaded.entries, [("Dockerfile".to_owned(), 0o755, 5)]);
    let build = |id: &Value| {
        let body = json!({"uploadId": id, "region": "us-west"});
        ask(&service, "POST /v1/builds", &body)
    };
    assert_eq!(build(&missing).0, 400);

    let (message, logs) = ("no".to_owned(), vec!["why".to_owned()]);
    for (end, expected) in [
        (BuildEnd::Failed { message, logs }, "failed"),
        (BuildEnd::Timeout, "timeout"),
        (BuildEnd::Success, "success"),
    ] {
        service.world().building = Building {
            pending_reads: 2,
            end,
        };
        let (status, made) = build(&id);
        assert_eq!((status, &made["cached"]), (201, &json!(false)));
        let target = format!("/v1/builds/{}", made["build"]["id"].as_str().unwrap());
        for status in ["pending", "building", expected] {
            assert_eq!(get(&service, &target)["build"]["status"], status);
        }
        let logs = get(&service, &format!("{target}/logs?limit=1"))["logs"].take();
        assert_eq!(logs[0] == "why", expected == "failed", "{logs}");
    }
    let (status, again) = build(&id);
    assert_eq!((status, &again["cached"]), (200, &json!(true)));
    let query = format!(
        "contextHash={}&region=us-west&status=success",
        uploaded.hash
    );
    let found = get(&service, &format!("/v1/builds?{query}"));
    assert_eq!(
        (&found["total"], &found["builds"][0]),
        (&json!(1), &again["build"])
    );
    let body = json!({"serviceName": "bot", "buildId": again["build"]["id"]});
    let agent = done(&service, "POST /v1/agents", &body);
    assert_eq!(agent["deployment"]["buildId"], again["build"]["id"]);
}

#[test]
fn new_paths_have_faults_too() {
    let service = Service::start().unwrap();
    let body = json!({"serviceName": "bot", "image": "bot:1"}).to_string();
    let post = format!("POST {SERVICES}\nauthorization: Bearer {USER_TOKEN}\n");
    let lost = Injection::new("POST", "/services", Fault::Reset).times(1);
    for (injection, is_there) in [(lost.clone(), false), (lost.applied(), true)] {
        service.inject(injection);
        assert_eq!(send(&service, &post, body.as_bytes()).0, None);
        service.settle();
        let agents = service.stored()["first-org"]["/agents"].take();
        assert_eq!(agents["bot"].is_object(), is_there);
    }
}

#[test]
fn settings_and_references_have_known_regions() {
    let service = Service::start().unwrap();
    service.world().self_hosted_regions = vec!["own-1".to_owned()];
    for (line, body, status) in [
        ("PATCH properties", json!({"defaultRegion": "mars"}), 400),
        ("PATCH properties", json!({"defaultRegion": "us-east"}), 200),
        (
            "POST secrets/references",
            json!({"name": "kept", "region": "us-west"}),
            400,
        ),
        (
            "POST secrets/references",
            json!({"name": "kept", "region": "own-1"}),
            200,
        ),
    ] {
        let line = line.replace(' ', " /v1/organizations/first-org/");
        assert_eq!(ask(&service, &line, &body).0, status, "{body}");
    }
    let properties = get(&service, "/v1/properties");
    assert_eq!(properties["properties"]["defaultRegion"], "us-east");
    assert_eq!(
        service.stored()["first-org"]["kept"]["source"],
        "referenced"
    );
}
