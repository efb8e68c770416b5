//! Builds commands that reproduce a configuration without prompts.

use bot_cli_templates::catalogue::{BotType, Transport};
use bot_cli_terminal::shell::quoted;
use serde_json::{Map, Value, json};

use crate::config::Config;
use crate::draft::{Draft, NONE};
use crate::option_table::{Feature, Setting};
use crate::platform::without_input;
use crate::resolve::usually_deploys;

/// Returns the `bot-cli init DIR …` command for `config`, quoted for the user's shell. Options with default values are omitted.
pub fn command(target: &str, config: &Config) -> String {
    let values = config.to_json();
    let mut usual = Map::new();
    let mut insert = |key: &str, value: Value| _ = usual.insert(key.to_owned(), value);
    let calls = |transport: &&Transport| transport.bot_type == BotType::Telephony;
    // The transports determine the bot type.
    if config.bot_type == BotType::Web || config.transports.iter().any(calls) {
        let key = Setting::BotType.row().key;
        insert(key, values[key].clone());
    }
    insert(Setting::ClientFramework.row().key, json!(NONE));
    // The transport's identifier includes the direction.
    for (setting, _) in Setting::directions() {
        let key = setting.row().key;
        insert(key, values[key].clone());
    }
    for feature in Feature::ALL {
        // A video service turns video output on.
        let is_brought = feature == Feature::VideoOutput && config.video.is_some();
        let usual = if feature == Feature::DeployToCloud {
            usually_deploys(&config.transports, &config.services().collect::<Vec<_>>())
        } else {
            is_brought || feature.row().default
        };
        insert(feature.row().key, json!(usual));
    }
    differing(target, &[], &values, &usual)
}

/// Returns the `bot-cli init DIR --update …` command with the values in `asked` that differ from the `recorded` configuration.
pub fn update_command(target: &str, asked: &Draft, recorded: &Map<String, Value>) -> String {
    differing(target, &["--update"], &said(asked), recorded)
}

fn said(draft: &Draft) -> Value {
    let settings = Setting::ALL.map(|it| (it.row().key, json!(draft.said(it))));
    let features = Feature::ALL.map(|it| (it.row().key, json!(draft.switch(it))));
    let all = settings.into_iter().chain(features);
    all.map(|(key, value)| (key.to_owned(), value)).collect()
}

fn differing(target: &str, how: &[&str], values: &Value, usual: &Map<String, Value>) -> String {
    let target = directory(target);
    let mut words = vec!["bot-cli".to_owned(), "init".to_owned(), target];
    words.extend(how.iter().map(|&word| word.to_owned()));
    let texts = |value: Option<&Value>| match value {
        Some(Value::Array(items)) => items.clone(),
        Some(one) => vec![one.clone()],
        None => Vec::new(),
    };
    for setting in Setting::ALL {
        let row = setting.row();
        let values = texts(values.get(row.key));
        if values != texts(usual.get(row.key)) {
            for text in values.iter().filter_map(Value::as_str) {
                // A value after `=` may begin with a hyphen.
                if text.starts_with('-') {
                    words.push(format!("{}={text}", row.flag));
                } else {
                    words.extend([row.flag.to_owned(), text.to_owned()]);
                }
            }
        }
    }
    for feature in Feature::ALL {
        let key = feature.row().key;
        match values[key].as_bool() {
            value if value == usual.get(key).and_then(Value::as_bool) => {}
            Some(true) => words.push(feature.flag().to_owned()),
            Some(false) => words.push(feature.flag_off()),
            None => {}
        }
    }
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Returns the command that writes only the guides, with an empty standard input, because `bot-cli init DIR` prompts when run in a terminal.
pub fn guides_command(target: &str) -> String {
    without_input(&format!("bot-cli init {}", quoted(&directory(target))))
}

/// Returns `target` in a form that can't be mistaken for an option or for `quickstart`.
pub fn directory(target: &str) -> String {
    if target.starts_with('-') || target == "quickstart" {
        format!("./{target}")
    } else {
        target.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::command;
    use crate::catalogue::Catalogue;
    use crate::options::Options;
    use crate::resolve::resolve;

    #[test]
    fn the_command_gives_the_same_configuration() {
        let cascade = "-t p2p_webrtc -t hosted_rtc -m cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts";
        for (directory, words) in [
            ("my-bot", cascade.to_owned()),
            ("-x y", format!("{cascade} --name=-dash --client-framework vanilla --no-deploy-to-cloud --eval")),
            ("a'b", format!("{cascade} --name 'a \"$x\" `y`' --client-framework react --client-server nextjs --recording")),
            ("quickstart", "-t daily -m realtime --realtime openai_realtime --video tavus_video --enable-noise-cancel".to_owned()),
            ("bot", format!("{cascade} --language de")),
            ("local", cascade.replace("openai", "ollama")),
            ("hosted", cascade.replace("openai", "ollama") + " --deploy-to-cloud"),
            ("browser", format!("{cascade} -b telephony")),
            ("tel", "-t hosted_rtc_pstn --daily-pstn-mode dial-in -m realtime --realtime openai_realtime --observability".to_owned()),
        ] {
            let parse = |words: &str| {
                let words = shlex::split(words).unwrap();
                let options = Options::try_parse_from(words).unwrap();
                let config = resolve(&options.draft, Some("the bot"), Catalogue::built_in()).unwrap();
                (options.target_dir, config)
            };
            let (_, config) = parse(&format!("init {words}"));
            let said = command(directory, &config);
            let (target, again) = parse(said.strip_prefix("bot-cli ").unwrap());
            assert_eq!(again.to_json(), config.to_json(), "{said}");
            assert!(target.unwrap().ends_with(directory), "{said}");
        }
    }
}
