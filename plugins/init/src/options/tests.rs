use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, CommandFactory as _, Parser as _};
use serde_json::Value;

use super::Options;
use crate::catalogue::Catalogue;
use crate::option_table::{Feature, Setting};
use crate::resolve::resolve;

/// The arguments that the test skips because they don't describe the bot, each with an explanation.
const OTHERS: [(&str, &str); 14] = [
    ("target_dir", "says where"),
    ("overwrite_guide", "is for the guides"),
    ("config", "reads keys, which have tests of their own"),
    ("preset", "has a test of its own"),
    ("local", "is a preset"),
    ("ask", "has a test of its own"),
    ("dry_run", "prints the configuration"),
    ("update", "changes a project that is there"),
    ("adopt", "writes a record"),
    ("check", "belongs to it"),
    ("conflicts", "belongs to it"),
    ("force", "belongs to it"),
    ("list_options", "prints what there is"),
    ("config_schema", "prints a schema"),
];

/// Bot configurations chosen so that every option affects at least one of them.
const BOTS: [&[(&str, &str)]; 4] = [
    &[
        ("--transport", "p2p_webrtc"),
        ("--mode", "cascade"),
        ("--stt", "deepgram_stt"),
        ("--llm", "openai_llm"),
        ("--tts", "cartesia_tts"),
        ("--client-framework", "react"),
    ],
    &[
        ("--transport", "p2p_webrtc"),
        ("--mode", "realtime"),
        ("--realtime", "openai_realtime"),
    ],
    &[
        ("--transport", "hosted_rtc_pstn"),
        ("--mode", "realtime"),
        ("--realtime", "openai_realtime"),
        ("--daily-pstn-mode", "dial-in"),
    ],
    &[
        ("--transport", "carrier_a_hosted_rtc_sip"),
        ("--mode", "realtime"),
        ("--realtime", "openai_realtime"),
        ("--twilio-daily-sip-mode", "dial-in"),
    ],
];

#[test]
fn every_option_of_the_bot_changes_what_a_dry_run_prints() {
    let mut others: Vec<&str> = OTHERS.map(|(name, _)| name).to_vec();
    for argument in Options::command().get_arguments() {
        let name = argument.get_id().as_str();
        if let Some(at) = others.iter().position(|other| *other == name) {
            others.remove(at);
        } else {
            assert!(BOTS.iter().any(|bot| changes(argument, bot)), "{name}");
        }
    }
    assert_eq!(others, [""; 0], "no longer there");
}

fn changes(argument: &Arg, bot: &[(&str, &str)]) -> bool {
    let Some(long) = argument.get_long() else {
        return false;
    };
    let flag = format!("--{long}");
    let bot: Vec<String> = bot
        .iter()
        .filter(|(other, _)| *other != flag)
        .flat_map(|(flag, value)| [(*flag).to_owned(), (*value).to_owned()])
        .collect();
    let printed = |more: &[&str]| {
        let words = bot.iter().map(String::as_str).chain(more.iter().copied());
        dry_run(std::iter::once("init").chain(words))
    };
    let printed: Vec<Option<Value>> = if matches!(argument.get_action(), ArgAction::SetTrue) {
        let other = long
            .strip_prefix("no-")
            .map_or_else(|| format!("--no-{long}"), |on| format!("--{on}"));
        vec![printed(&[&other]), printed(&[&other, &flag])]
    } else {
        let offered = argument.get_possible_values();
        let values = offered.iter().map(PossibleValue::get_name);
        let values = values.chain(offered.is_empty().then_some("another name"));
        values
            .map(|value| printed(&[&flag, value]))
            .chain([printed(&[])])
            .collect()
    };
    let mut accepted = printed.iter().flatten();
    let first = accepted.next();
    first.is_some() && (accepted.any(|other| Some(other) != first) || printed.contains(&None))
}

fn dry_run<'a>(words: impl Iterator<Item = &'a str>) -> Option<Value> {
    let options = Options::try_parse_from(words).unwrap();
    let config = resolve(&options.draft, Some("the bot"), Catalogue::built_in()).ok()?;
    Some(config.to_json())
}

#[test]
fn no_two_rows_have_the_same_key_option_or_variable() {
    let settings = Setting::ALL.map(Setting::row);
    let features = Feature::ALL.map(Feature::row);
    let keys = settings.map(|row| (row.key, row.alias)).into_iter();
    let keys = keys.chain(features.map(|row| (row.key, row.alias)));
    let keys = keys.flat_map(|(key, alias)| std::iter::once(key).chain(alias));
    assert_distinct(keys.collect());
    let flags = settings.map(|row| row.flag).into_iter();
    assert_distinct(flags.chain(features.map(|row| row.flag)).collect());
    assert_distinct(features.map(|row| row.name).to_vec());
}

fn assert_distinct(mut words: Vec<&str>) {
    words.sort_unstable();
    for pair in words.windows(2) {
        assert_ne!(pair[0], pair[1]);
        assert!(!pair[0].is_empty());
    }
}
