//! What is refused, before anything is in place.

use std::fs;

use bot_cli_tests::bench::Bench;

use super::{gzipped, hello, packed, run, tree};
use crate::host::bench;

/// Holds that adding `work/NAME` fails with these words, and changes nothing.
#[track_caller]
fn assert_refused(bench: &Bench, name: &str, problem: &str) {
    let ran = run(bench, &format!("plugin add ./{name}"));
    assert_eq!((ran.status, &*ran.stdout), (Some(1), ""), "{ran:?}");
    let message = format!("error: `[BENCH]/work/{name}` was not installed: {problem}\n");
    assert!(
        ran.stderr.starts_with(&message),
        "{}\nexpected: {message}",
        ran.stderr
    );
    let left = tree(bench);
    let left = left
        .iter()
        .filter(|(path, _)| path.is_file() || path.to_string_lossy().contains(".adding-"));
    assert_eq!(left.count(), 0, "{name}");
}

/// A member of an archive whose header is as it stands.
fn raw(name: &str, kind: tar::EntryType, size: u64, link: &str) -> Vec<u8> {
    let mut header = tar::Header::new_ustar();
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o755);
    header.set_cksum();
    header.as_bytes().to_vec()
}

#[test]
fn what_led_to_a_refusal_is_told_once() {
    let bench = bench();
    let mut member = raw("bot-cli-hello", tar::EntryType::Regular, 0, "");
    member[124..136].copy_from_slice(b"not a number");
    // The sum of a header counts its own place as blanks.
    member[148..156].fill(b' ');
    let sum: u32 = member.iter().map(|byte| u32::from(*byte)).sum();
    member[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    fs::write(bench.path("work/odd.tar.gz"), gzipped(&member)).unwrap();
    let quiet = run(&bench, "plugin add ./odd.tar.gz");
    let loud = run(&bench, "plugin add ./odd.tar.gz -v");
    assert_eq!(quiet.stderr, loud.stderr);
    let reason = "it can't be read: numeric field was not a number";
    assert!(loud.stderr.contains(reason), "{loud:?}");
    assert_eq!(loud.stderr.matches("not a number:").count(), 1, "{loud:?}");
}

#[test]
fn archives_that_lead_out_or_hold_too_much() {
    use tar::EntryType as Kind;
    let bench = bench();
    for (name, member, problem) in [
        (
            "up",
            raw("../bot-cli-hello", Kind::Regular, 0, ""),
            "`../bot-cli-hello` in it leads out of it",
        ),
        (
            "root",
            raw("/tmp/bot-cli-hello", Kind::Regular, 0, ""),
            "`/tmp/bot-cli-hello` in it leads out of it",
        ),
        (
            "deep",
            raw("a/../../bot-cli-hello", Kind::Regular, 0, ""),
            "`a/../../bot-cli-hello` in it leads out of it",
        ),
        (
            "link",
            raw("bot-cli-hello", Kind::Symlink, 0, "/bin/sh"),
            "`bot-cli-hello` in it is a link; only files and folders are unpacked",
        ),
        (
            "hard",
            raw("bot-cli-hello", Kind::Link, 0, "/etc/passwd"),
            "`bot-cli-hello` in it is a link; only files and folders are unpacked",
        ),
        (
            "device",
            raw("bot-cli-hello", Kind::Char, 0, ""),
            "`bot-cli-hello` in it is a device or the like; only files and folders are unpacked",
        ),
        (
            "pipe",
            raw("bot-cli-hello", Kind::Fifo, 0, ""),
            "`bot-cli-hello` in it is a device or the like; only files and folders are unpacked",
        ),
        (
            "zeros",
            raw("bot-cli-hello", Kind::Regular, 10 << 30, ""),
            "it can't be read: it holds more than 256 MiB",
        ),
    ] {
        // A good one beside it changes nothing.
        let mut bytes = member;
        bytes.extend(packed(&[("bot-cli-hello", &hello("1.0.0", "wave"))]));
        let name = format!("{name}.tar.gz");
        fs::write(bench.path("work").join(&name), gzipped(&bytes)).unwrap();
        assert_refused(&bench, &name, problem);
    }
}

#[test]
fn archives_without_exactly_one_plugin() {
    let bench = bench();
    let text = hello("1.0.0", "wave");
    for (name, files, problem) in [
        (
            "two",
            &[
                ("a/bot-cli-hello", &*text),
                ("b/bot-cli-bye", "#!/bin/sh\n"),
            ][..],
            "it has 2 plugins: `a/bot-cli-hello`, `b/bot-cli-bye`",
        ),
        (
            "both",
            &[("bot-cli-hello", &*text), ("acme/pack.toml", "")],
            "it has 2 plugins: `bot-cli-hello`, `acme/pack.toml`",
        ),
        (
            "twice",
            &[("bot-cli-hello", &*text), ("./bot-cli-hello", &*text)],
            "it has `bot-cli-hello` twice",
        ),
        (
            "none",
            &[("README.md", "# Hello\n")],
            "there is no plugin in it, only `README.md`",
        ),
        (
            "text",
            &[("bot-cli-hello", "hello\n")],
            "`bot-cli-hello` is neither an executable nor a script that begins with `#!`",
        ),
        (
            "bare",
            &[("pack.toml", "")],
            "its `pack.toml` is in no folder, whose name would be that of the pack",
        ),
        (
            "version",
            &[("Acme-1.0/pack.toml", "")],
            "the folder of a pack has the name of the pack, and `Acme` can't be one",
        ),
    ] {
        let name = format!("{name}.tar");
        fs::write(bench.path("work").join(&name), packed(files)).unwrap();
        assert_refused(&bench, &name, problem);
    }
}

#[test]
fn zip_archives_that_lead_out_and_archives_that_are_cut_off() {
    let bench = bench();
    let text = hello("1.0.0", "wave");
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    zip.add_symlink("bot-cli-hello", "/bin/sh", options)
        .unwrap();
    fs::write(
        bench.path("work/link.zip"),
        zip.finish().unwrap().into_inner(),
    )
    .unwrap();
    assert_refused(
        &bench,
        "link.zip",
        "`bot-cli-hello` in it is a link; only files and folders are unpacked",
    );
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file("..\\bot-cli-hello", options).unwrap();
    fs::write(
        bench.path("work/up.zip"),
        zip.finish().unwrap().into_inner(),
    )
    .unwrap();
    assert_refused(&bench, "up.zip", "`../bot-cli-hello` in it leads out of it");
    let whole = gzipped(&packed(&[("bot-cli-hello", &text)]));
    for length in [3, 20, whole.len() / 2, whole.len() - 1] {
        fs::write(bench.path("work/cut.tar.gz"), &whole[..length]).unwrap();
        let ran = run(&bench, "plugin add ./cut.tar.gz");
        assert_eq!(ran.status, Some(1), "{length}: {ran:?}");
        assert!(
            ran.stderr.contains("cut.tar.gz` was not installed: "),
            "{ran:?}"
        );
        let hint = "hint: download it again, and compare the sum with that of its author\n";
        assert!(ran.stderr.ends_with(hint), "{ran:?}");
    }
    fs::write(bench.path("work/cut.zip"), b"PK\x03\x04 and no more").unwrap();
    let ran = run(&bench, "plugin add ./cut.zip");
    assert!(ran.stderr.contains("\nhint: download it again"), "{ran:?}");
}

#[test]
fn files_that_could_not_be_run() {
    let bench = bench();
    let mut elf = vec![0; 64];
    elf[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
    // s390x
    elf[18] = 22;
    let here = format!(
        "this is {} on {}",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let script = |manifest: &str| format!("#!/bin/sh\n# bot-cli-plugin: {manifest}\n");
    let text = |text: &str| text.as_bytes().to_vec();
    for (name, bytes, problem) in [
        (
            "bot-cli-alien",
            elf,
            &*format!("it was built for linux on s390x, and {here}"),
        ),
        (
            "bot-cli-notes",
            text("hello\n"),
            "it is neither an executable nor a script that begins with `#!`",
        ),
        (
            "bot-cli-empty",
            Vec::new(),
            "it is neither an executable nor a script that begins with `#!`",
        ),
        (
            "bot-cli-new",
            text(&script(r#"{"protocol":"2.0","name":"new"}"#)),
            "it speaks protocol 2.0, this host 1.0",
        ),
        (
            "bot-cli-other",
            text(&script(r#"{"protocol":"1.0","name":"hello"}"#)),
            "its manifest is that of a plugin `hello`",
        ),
        ("bot-cli-plain", text("#!/bin/sh\n"), "it has no manifest"),
        (
            "bot-cli-plugin",
            text(&script(r#"{"protocol":"1.0","name":"plugin"}"#)),
            "`plugin` is a command of bot-cli itself",
        ),
        (
            "bot-cli-acme",
            text(&script(
                r#"{"protocol":"1.0","name":"acme","role":"provider-pack"}"#,
            )),
            "the name of a provider pack begins with `pack-`, and this is `acme`",
        ),
        (
            "bot-cli-secrets-local",
            text(&script(
                r#"{"protocol":"1.0","name":"secrets-local","role":"secrets-backend","version":"1.0.0"}"#,
            )),
            "`local` is the name of a backend that needs no plugin",
        ),
        (
            "hello-linux-x86_64",
            text(&hello("1.0.0", "wave")),
            "the file of a plugin is called `bot-cli-NAME`, not `hello-linux-x86_64`",
        ),
        (
            "hello.tar.zst",
            b"\x28\xb5\x2f\xfd".to_vec(),
            "archives of the form zstd are not read, only .tar.gz, .tar.xz, .tar and .zip",
        ),
    ] {
        fs::write(bench.path("work").join(name), bytes).unwrap();
        assert_refused(&bench, name, problem);
    }
    let malformed = script("{\"protocol\":\"1.0\",");
    fs::write(bench.path("work/bot-cli-torn"), malformed).unwrap();
    let ran = run(&bench, "plugin add ./bot-cli-torn");
    assert!(
        ran.stderr
            .contains("was not installed: its manifest is malformed: "),
        "{ran:?}"
    );
    let ran = run(&bench, "plugin add ./hello-linux-x86_64");
    assert!(
        ran.stderr
            .ends_with("hint: mv [BENCH]/work/hello-linux-x86_64 [BENCH]/work/bot-cli-hello\n"),
        "{ran:?}"
    );
    fs::create_dir(bench.path("work/folder")).unwrap();
    assert_refused(&bench, "folder", "it is empty");
    let ran = run(&bench, "plugin add ./missing");
    assert!(
        ran.stderr.contains(
            "`[BENCH]/work/missing` was not installed: it can't be read: no such file or directory"
        ),
        "{ran:?}"
    );
}

#[test]
fn a_slip_in_a_path_and_a_misnamed_file_lead_on() {
    let bench = bench();
    let text = hello("1.0.0", "wave");
    bench.script("work/hello-linux-x86_64", &text).unwrap();
    // What is there already is not replaced as the hint says.
    bench
        .script("work/bot-cli-hello", &hello("1.0.0", "wave"))
        .unwrap();
    let ran = run(&bench, "plugin add ./hello-linux-x86_64");
    assert!(
        ran.stderr
            .ends_with("hint: its manifest says that it is `bot-cli-hello`\n"),
        "{ran:?}"
    );
    let lines = |given: &str| bench.run(&["plugin", "add", given]).unwrap().stderr;
    for given in ["./bot-cli-hello ", "\t./bot-cli-hello\n"] {
        let said = lines(given);
        assert!(
            said.ends_with("hint: did you mean `./bot-cli-hello`?\n"),
            "{said}"
        );
    }
    let said = lines("~/bot-cli-hello");
    assert!(
        said.ends_with("hint: a shell replaces `~` only outside of quotes\n"),
        "{said}"
    );
}

#[test]
fn other_sums_addresses_and_places_of_others() {
    let bench = bench();
    bench
        .script("work/bot-cli-hello", &hello("1.2.0", "wave"))
        .unwrap();
    let wrong = "0".repeat(64);
    let ran = run(
        &bench,
        &format!("plugin add ./bot-cli-hello --sha256 {wrong}"),
    );
    assert_eq!(ran.status, Some(1));
    assert!(
        ran.stderr
            .contains(&format!(", not {wrong}\nhint: download it again")),
        "{ran:?}"
    );
    let sum = ran
        .stderr
        .split("sha256 ")
        .nth(1)
        .unwrap()
        .split(',')
        .next()
        .unwrap();
    let ran = run(&bench, "plugin add https://example.com/hello.tar.gz");
    assert_eq!(
        (ran.status, &*ran.stderr),
        (
            Some(2),
            "error: that is an address, and bot-cli downloads nothing: download the file, then add it\n\
         hint: curl -fLo ./hello.tar.gz https://example.com/hello.tar.gz\n\
         hint: bot-cli plugin add ./hello.tar.gz --sha256 SUM_FROM_ITS_AUTHOR\n"
        )
    );
    // What somebody has put there by hand is not replaced, and not removed either.
    bench
        .script(
            "home/.local/share/bot-cli/plugins/bot-cli-hello",
            "#!/bin/sh\n",
        )
        .unwrap();
    let before = tree(&bench);
    let ran = run(
        &bench,
        &format!("plugin add ./bot-cli-hello --sha256 {}", sum.to_uppercase()),
    );
    assert!(
        ran.stderr
            .contains("is already there, and `plugin add` did not put it there"),
        "{ran:?}"
    );
    let ran = run(&bench, "plugin remove hello");
    assert!(
        ran.stderr.contains("was not added by `bot-cli plugin add`"),
        "{ran:?}"
    );
    let plugins = |bench: &Bench| {
        tree(bench)
            .into_iter()
            .filter(|(path, _)| path.is_file())
            .collect::<Vec<_>>()
    };
    let files: Vec<_> = before
        .into_iter()
        .filter(|(path, _)| path.is_file())
        .collect();
    assert_eq!(plugins(&bench), files);
    // A record that can't be read is named, and hides no plugin.
    fs::write(
        bench.path("home/.local/share/bot-cli/plugins.lock"),
        "version = 1\n[[plugin]]\n",
    )
    .unwrap();
    let ran = run(&bench, "plugin list");
    assert_eq!(ran.status, Some(0));
    assert!(
        ran.stdout.contains("hello")
            && ran
                .stdout
                .contains("could not read `[BENCH]/home/.local/share/bot-cli/plugins.lock`"),
        "{ran:?}"
    );
    assert_eq!(run(&bench, "plugin add ./bot-cli-hello").status, Some(1));
    // A file is in the place of the folder.
    fs::remove_dir_all(bench.path("home/.local/share/bot-cli")).unwrap();
    fs::write(bench.path("home/.local/share/bot-cli"), "").unwrap();
    let ran = run(&bench, "plugin add ./bot-cli-hello");
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.ends_with("; nothing was changed\n"), "{ran:?}");
}

#[test]
fn a_program_of_another_kind_is_put_in_place_as_the_hint_says() {
    let bench = bench();
    let program = "#!/bin/sh\necho hi\n";
    bench.script("work/tools/bot-cli-nm", program).unwrap();
    fs::write(
        bench.path("work/nm.tar.gz"),
        gzipped(&packed(&[("bot-cli-nm", program)])),
    )
    .unwrap();
    let ran = run(&bench, "plugin add ./nm.tar.gz");
    assert!(
        ran.stderr.ends_with(
            "as `bot-cli nm`: unpack it, and put the file into [BENCH]/home/.local/share/bot-cli/plugins\n"
        ),
        "{ran:?}"
    );
    let ran = run(&bench, "plugin add tools");
    let (_, command) = ran.stderr.split_once("as `bot-cli nm`: ").unwrap();
    let command = command.replace("[BENCH]", &bench.path("").display().to_string());
    fs::remove_dir_all(bench.path("home/.local/share/bot-cli")).unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(bench.path("work"))
        .status();
    assert!(status.unwrap().success(), "{command}");
    assert_eq!(run(&bench, "nm").stdout, "hi\n");
    // In place of a plugin that was added, it is not offered.
    let ran = run(&bench, "plugin add tools");
    assert!(!ran.stderr.contains("cp "), "{ran:?}");
}

#[test]
fn a_zip_archive_with_a_name_twice() {
    let bench = bench();
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in ["bot-cli-hello", "bot-cli-hellx"] {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut zip, hello("1.0.0", name).as_bytes()).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    let ends: Vec<usize> = (0..bytes.len() - 13)
        .filter(|start| bytes[*start..].starts_with(b"bot-cli-hellx"))
        .collect();
    for start in ends {
        bytes[start + 12] = b'o';
    }
    fs::write(bench.path("work/twice.zip"), bytes).unwrap();
    assert_refused(&bench, "twice.zip", "it has two files of one name");
}

#[test]
fn control_characters_in_names_are_seen() {
    let bench = bench();
    let text = hello("1.0.0", "wave");
    let files = [("bot-cli-\u{1}hello", &*text)];
    fs::write(bench.path("work/odd.tar"), packed(&files)).unwrap();
    assert_refused(
        &bench,
        "odd.tar",
        "there is no plugin in it, only `bot-cli-\\u{1}hello`",
    );
}
