//! Tests for connecting and signing in to a cluster with a kubeconfig, and for the error messages when that fails.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use bot_cli_tests::kubernetes::backend::{Backend, assert_not_done};
use bot_cli_tests::kubernetes::stand_in::StandIn;
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};

/// Writes a kubeconfig for the stand-in with these sign-in settings for the user.
fn written(stand_in: &StandIn, sign_in: &str) -> std::path::PathBuf {
    let file = stand_in.folder().join("other");
    let text = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {{cluster: k, user: u}}\nclusters:\n- name: k\n  cluster: {{server: \"{}\"}}\nusers:\n- name: u\n  user:\n{sign_in}\n",
        stand_in.url()
    );
    fs::write(&file, text).unwrap();
    file
}

fn exec(script: &Path, more: &str) -> String {
    format!(
        "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: {}\n{more}",
        script.display()
    )
}

fn script(stand_in: &StandIn, text: &str) -> std::path::PathBuf {
    let file = stand_in.folder().join("sign-in");
    fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    file
}

#[test]
fn tokens_token_files_and_programs_sign_in() {
    let (stand_in, _) = StandIn::start().unwrap();
    stand_in.make_namespace("default");
    let token = stand_in.folder().join("token");
    fs::write(&token, "admin-token").unwrap();
    // A program that would read standard input gets none of ours.
    let program = script(
        &stand_in,
        "cat >/dev/null\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"admin-token\"}}'",
    );
    for sign_in in [
        "    token: admin-token".to_owned(),
        format!("    tokenFile: {}", token.display()),
        exec(&program, "      interactiveMode: IfAvailable\n"),
    ] {
        let file = written(&stand_in, &sign_in);
        let mut backend = Backend::open(&file, None, &[]).unwrap();
        assert_eq!(backend.opened.organization.as_deref(), Some("default"));
        assert_eq!(backend.opened.place, "namespace default of the context `c`");
        assert_eq!(backend.list().unwrap(), [], "{sign_in}");
    }
}

const FAILED: &str = "the sign-in of the kubeconfig failed";
const NOT_ACCEPTED: &str = "does not accept the sign-in";

#[test]
fn a_sign_in_that_fails_is_told_without_what_the_program_wrote() {
    let (stand_in, _) = StandIn::start().unwrap();
    let failing = script(&stand_in, "echo canary-out\necho canary-err >&2\nexit 7");
    for (sign_in, told) in [
        (exec(&failing, ""), FAILED),
        (exec(Path::new("/no/such/program"), ""), FAILED),
        ("    tokenFile: /no/such/token".to_owned(), FAILED),
        ("    token: stranger-token".to_owned(), NOT_ACCEPTED),
        (String::new(), NOT_ACCEPTED),
    ] {
        let file = written(&stand_in, &sign_in);
        let mut backend = Backend::open(&file, None, &[]).unwrap();
        let (code, sentence) = backend.list().unwrap_err();
        assert_eq!(code, "not_signed_in", "{sentence}");
        assert!(sentence.contains(told), "{sentence}");
        let said = sentence + &backend.heard();
        assert!(
            !said.contains("canary") && !said.contains("stranger-token"),
            "{said}"
        );
    }
}

#[test]
fn kubeconfigs_that_can_not_be_used_are_told_without_their_words() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    let folder = stand_in.folder();
    let broken = folder.join("broken");
    fs::write(&broken, "users:\n- name: u\n  user:\n    token: [canary\n").unwrap();
    let empty = folder.join("empty");
    fs::write(&empty, "apiVersion: v1\nkind: Config\n").unwrap();
    let none = folder.join("none");
    let mars = [("context", "mars")];
    for (file, settings, expected, told) in [
        (&none, &[][..], "invalid_setting", "could not be read: "),
        (&broken, &[], "invalid_setting", "could not be read as one"),
        (&empty, &[], "invalid_setting", "no current context"),
        (
            &cluster.kubeconfig,
            &mars,
            "not_found",
            "no context `mars`\nits contexts: `admin`",
        ),
    ] {
        let (code, sentence) = Backend::open(file, None, settings).err().unwrap();
        assert_eq!(code, expected, "{sentence}");
        assert!(sentence.contains(told), "{sentence}");
        assert!(!sentence.contains("canary"), "{sentence}");
    }
}

#[test]
fn a_cluster_that_is_not_there_is_named_so() {
    let (stand_in, cluster) = StandIn::start().unwrap();
    let text = fs::read_to_string(&cluster.kubeconfig).unwrap();
    let file = stand_in.folder().join("gone");
    // Bound and not listening: nobody else gets the port.
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address: SocketAddr = getsockname(&socket).unwrap().try_into().unwrap();
    fs::write(
        &file,
        text.replace(&stand_in.url(), &format!("http://{address}")),
    )
    .unwrap();
    let mut backend = Backend::open(&file, Some("n"), &[]).unwrap();
    let (code, sentence) = backend.get("prod").unwrap_err();
    assert_eq!(code, "unreachable", "{sentence}");
    assert!(sentence.contains("connection refused"), "{sentence}");
    assert!(sentence.contains("kubectl version"), "{sentence}");
    let prior = bot_cli_secrets::messages::Prior::Absent;
    let unmade = backend.put_onto("prod", None, &[("A", "1")], &prior);
    assert_not_done(&unmade.unwrap_err(), "unreachable");
}
