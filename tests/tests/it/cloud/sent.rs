//! Tests what a generated project sends to a build, and that the same folder is not built again.

use std::fs;

use bot_cli_tests::init;
use bot_cli_tests::service::ORGANIZATION;
use serde_json::json;

use super::deploy::assert_says;
use super::user::User;
use super::words;

#[test]
fn a_generated_project_sends_what_it_needs_and_is_built_once() {
    let user = User::with_token();
    init::done(&user.work(), &["my-bot", "--preset", "quick"]);
    let root = user.work().join("my-bot");
    let write = |name: &str, text: &str| {
        let path = root.join("server").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in [
        "tools/book.py",
        "tools/data/prices.csv",
        "tools/prod.env",
        "tools/tls/server.pem",
        "tools/.ssh/id_ed25519",
        "tools/google-credentials.json",
        ".env",
        "tools/.env.local",
    ] {
        write(name, "c4n4ry");
    }
    fs::create_dir(root.join("server/tools/cache")).unwrap();
    {
        let mut world = user.service().world();
        world.store(ORGANIZATION, "my-bot-secrets", "us-west", &[("A", "1")]);
    }
    let dry = user.done(&["deploy", "my-bot", "--dry-run"]);
    let expected = [
        "Dockerfile",
        "bot.py",
        "pyproject.toml",
        "services.py",
        "session.py",
        "settings.py",
        "tools/book.py",
        "tools/cache/",
        "tools/data/prices.csv",
        "tools/tls/",
        "tools.py",
        "usage.py",
    ];
    assert_eq!(dry["files"], json!(expected));
    let listed = user.run(&words("-v deploy my-bot --dry-run"));
    assert_says(
        &listed,
        0,
        &["sent to the build: tools/cache/\n", "(10 files, "],
    );
    let nothing = user.done(
        &words("deploy my-bot --dry-run --exclude")
            .iter()
            .copied()
            .chain([""])
            .collect::<Vec<_>>(),
    );
    assert_eq!(nothing["files"], dry["files"]);
    user.done(&words("deploy my-bot --skip"));

    // The bot runs on this machine, an editor writes its files, and a setting changes.
    for name in [
        "__pycache__/bot.pyc",
        "tools/__pycache__/book.cpython-311.pyc",
        "tools/book.pyo",
        ".venv/bin/python",
        "recordings/a.wav",
        "tools/.book.py.swp",
        "tools/book.py~",
        ".pytest_cache/v",
        "tools/.DS_Store",
        "evals/more.yaml",
        ".env.bak",
    ] {
        write(name, "c4n4ry");
    }
    let file = root.join("server/cloud-deploy.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("min_agents = 1", "min_agents = 0")).unwrap();
    let again = user.run(&words("deploy my-bot --dry-run"));
    assert_says(&again, 0, &["min_agents  0 (now 1)"]);
    assert!(!again.stdout.contains("build"), "{again:#?}");
    write("tools/book.py", "another");
    let other = user.run(&words("deploy my-bot --dry-run"));
    assert_says(&other, 0, &["built by the service from"]);
    let world = user.service().world();
    let packed = world.uploads.values().flat_map(|upload| &upload.entries);
    let names: Vec<&str> = packed.map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, expected.map(|name| name.trim_end_matches('/')));
}
