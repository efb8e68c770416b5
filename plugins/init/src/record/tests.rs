use std::collections::BTreeMap;

use super::{BASE, PROJECT, Unusable, VERSION, files, read, unpack};
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::digest::sha256;
use crate::draft::Draft;
use crate::option_table::Setting;
use crate::plan::scaffold;
use crate::resolve::resolve;

fn config(client: &str) -> Config<'static> {
    let mut draft = Draft::default();
    draft.put(Setting::ProjectName, ["Über \"bot\""]);
    draft.put(Setting::Transports, ["p2p_webrtc", "hosted_rtc"]);
    draft.put(Setting::Mode, ["realtime"]);
    draft.put(Setting::RealtimeService, ["openai_realtime"]);
    draft.put(Setting::ClientFramework, [client]);
    resolve(&draft, None, Catalogue::built_in()).unwrap()
}

fn record(config: &Config) -> BTreeMap<&'static str, Vec<u8>> {
    let record = files(config, &scaffold(config).unwrap().files).unwrap();
    record
        .into_iter()
        .map(|file| (file.path, file.bytes))
        .collect()
}

#[test]
fn the_base_has_every_generated_file_byte_for_byte_and_nothing_of_this_machine() {
    let config = config("react");
    let mut record = record(&config);
    let (base, project) = (
        record.remove(BASE).unwrap(),
        record.remove(PROJECT).unwrap(),
    );
    let hashes = read(&project).unwrap().hashes;
    let planned = scaffold(&config).unwrap().files.into_iter();
    let planned: BTreeMap<_, _> = planned.map(|file| (file.path, file.text)).collect();
    for (path, text) in &planned {
        assert_eq!(hashes[path], sha256(text.as_bytes()), "{path}");
    }
    assert_eq!(unpack(&base, &hashes), planned);
    let cut = unpack(&base[..base.len() / 2], &hashes);
    assert!(cut.len() > 1 && cut.len() < planned.len(), "{}", cut.len());
    assert!(cut.iter().all(|(path, text)| planned[path] == *text));
    // A line was removed from the record, as in a merge of two branches.
    let (last, one) = (hashes.iter().next_back().unwrap(), hashes.len() / 2);
    let fewer = hashes.iter().take(one).chain([last]);
    let fewer = fewer.map(|(path, hash)| (path.clone(), hash.clone()));
    assert_eq!(unpack(&base, &fewer.collect()).len(), one + 1);
    // The fourth byte contains a flag for a name, and the next four contain a time.
    assert_eq!(base[..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
}

#[test]
fn records_of_other_versions_and_other_files_are_refused() {
    let whole = String::from_utf8(record(&config("none")).remove(PROJECT).unwrap()).unwrap();
    let with = |from: &str, to: &str| whole.replacen(from, to, 1).into_bytes();
    let tool = format!("\"tool\": \"{VERSION}\"");
    let file = "\"files\": {";
    assert!(read(&with(&tool, "\"tool\": \"0.0.9\"")).is_ok());
    for later in [
        with("\"schema\": 1", "\"schema\": 2"),
        with(&tool, "\"tool\": \"9.9.9\""),
    ] {
        assert!(matches!(read(&later), Err(Unusable::Later(_))));
    }
    for (damaged, words) in [
        (with("{", "["), "it is no record"),
        (vec![0xff], "it is not UTF-8"),
        (
            with("{", "<<<<<<< ours\n{"),
            "the conflict markers of a merge",
        ),
        (
            with(file, "\"files\": {\"../out\": \"sha256:0\","),
            "`../out`",
        ),
        (
            with(file, "\"files\": {\".git/hooks/x\": \"sha256:0\","),
            "`.git/hooks/x`",
        ),
        (
            with(file, "\"files\": {\"sub/.GIT/config\": \"sha256:0\","),
            "`sub/.GIT/config`",
        ),
        (
            with(file, "\"files\": {\"/etc/passwd\": \"sha256:0\","),
            "`/etc/passwd`",
        ),
        (with(file, "\"files\": {\"x\": \"md5:0\","), "not SHA-256"),
    ] {
        let Err(Unusable::Damaged(reason)) = read(&damaged) else {
            panic!("{words}");
        };
        assert!(reason.contains(words), "{reason}");
    }
}
