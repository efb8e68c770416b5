//! The command that gives a configuration without a question.

use std::slice;

use bot_cli_templates::catalogue::{BotType, Transport};
use bot_cli_terminal::shell::quoted;
use serde_json::{Map, Value};

use crate::config::{Client, Config};
use crate::draft::{Draft, Slot};
use crate::option_table::{Feature, Setting};
use crate::platform::without_input;

/// `bot-cli init DIR …` for `config`, quoted for the user's shell. What is the default is not said.
#[must_use]
pub fn command(target: &str, config: &Config) -> String {
    let mut words = vec!["bot-cli".to_owned(), "init".to_owned(), directory(target)];
    for setting in Setting::ALL {
        let value = config.value(setting);
        let values = value
            .as_array()
            .map_or(slice::from_ref(&value), Vec::as_slice);
        let needed = values
            .iter()
            .filter(|_| !goes_without_saying(setting, config));
        for text in needed.filter_map(Value::as_str) {
            words.extend(said(setting.row().flag, text));
        }
    }
    for feature in Feature::ALL {
        // A video service brings video output.
        let is_brought = feature == Feature::VideoOutput && config.video.is_some();
        let usual = is_brought || feature.row().default;
        match config.has(feature) {
            has if has == usual => {}
            true => words.push(feature.flag().to_owned()),
            false => words.push(feature.flag_off()),
        }
    }
    if !config.recorded {
        words.push("--no-record".to_owned());
    }
    joined(&words)
}

/// `bot-cli init DIR --update …` for what was asked for and differs from the `recorded` configuration; `file`: that of `--config`.
#[must_use]
pub fn update_command(
    target: &str,
    asked: &Draft,
    file: Option<&str>,
    recorded: &Map<String, Value>,
) -> String {
    let from = file.map(|file| ["--config", file]);
    differing(target, "--update", asked, from, recorded)
}

/// `bot-cli init DIR --ask …` for what was asked for; `from`: the option that names a whole configuration, with its value.
#[must_use]
pub fn ask_command(target: &str, asked: &Draft, from: Option<[&str; 2]>) -> String {
    differing(target, "--ask", asked, from, &Map::new())
}

fn differing(
    target: &str,
    how: &str,
    asked: &Draft,
    from: Option<[&str; 2]>,
    recorded: &Map<String, Value>,
) -> String {
    let mut words = ["bot-cli", "init", &directory(target), how]
        .map(str::to_owned)
        .to_vec();
    words.extend(from.into_iter().flatten().map(str::to_owned));
    let mut asked = asked.clone();
    for setting in Setting::ALL {
        let row = setting.row();
        let values: Vec<String> = match asked.setting(setting) {
            Slot::List(said) => said.clone().unwrap_or_default(),
            Slot::Text(said) | Slot::OptionalText(said) => said.iter().cloned().collect(),
            Slot::Switch(_) | Slot::Versions(_) => Vec::new(),
        };
        let was = recorded.get(row.key).unwrap_or(&Value::Null);
        let was = was.as_array().map_or(slice::from_ref(was), Vec::as_slice);
        if was
            .iter()
            .filter_map(Value::as_str)
            .ne(values.iter().map(String::as_str))
        {
            for value in values {
                words.extend(said(row.flag, &value));
            }
        }
    }
    for feature in Feature::ALL {
        let was = recorded.get(feature.row().key).and_then(Value::as_bool);
        match asked.switch(feature) {
            None => {}
            is if is == was => {}
            Some(true) => words.push(feature.flag().to_owned()),
            Some(false) => words.push(feature.flag_off()),
        }
    }
    joined(&words)
}

/// An option with its value, as one word or two.
fn said(option: &str, value: &str) -> Vec<String> {
    // Behind `=` a value may begin with a hyphen.
    if value.starts_with('-') {
        vec![format!("{option}={value}")]
    } else {
        vec![option.to_owned(), value.to_owned()]
    }
}

fn joined(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

/// Tells whether the value of a setting follows from the others, or is the default.
fn goes_without_saying(setting: Setting, config: &Config) -> bool {
    match setting {
        Setting::BotType => {
            let calls = |transport: &Transport| transport.bot_type == BotType::Telephony;
            config.bot_type == BotType::Web || config.transports.iter().copied().any(calls)
        }
        Setting::ClientFramework => config.client == Client::None,
        // The identifier of the transport says the direction.
        Setting::DailyPstnMode | Setting::TwilioDailySipMode => true,
        Setting::ProjectName
        | Setting::Transports
        | Setting::Mode
        | Setting::SttService
        | Setting::LlmService
        | Setting::TtsService
        | Setting::RealtimeService
        | Setting::VideoService
        | Setting::ClientServer => false,
    }
}

/// The command that writes the guides: without a terminal to ask on, a folder alone gets them.
#[must_use]
pub fn guides_command(target: &str) -> String {
    without_input(&format!("bot-cli init {}", quoted(&directory(target))))
}

/// A directory as an argument: never taken for an option or for the special value.
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
