//! Drops unsupported settings from a configuration file and warns the user. On the command line, the same settings are errors.
//!
//! The framework's own CLI writes files with unsupported settings: it asks for deployment settings and accepts a web client for every web
//! transport.

use bot_cli_templates::catalogue::Transport;

use crate::catalogue::Catalogue;
use crate::draft::{Draft, NONE};
use crate::option_table::{Feature, Setting};

/// Removes from `file` any settings that the selected transports do not support, except settings that `options` also sets. Returns a
/// message for each removed setting.
pub fn concede(file: &mut Draft, options: &Draft) -> Vec<String> {
    let said = options.said(Setting::Transports);
    let words = said.or(file.said(Setting::Transports));
    // A transport family supports every setting, and unknown names are reported separately.
    let transports = words.into_iter().flatten();
    let transports: Option<Vec<&Transport>> = transports
        .map(|word| Catalogue::built_in().transport(word.trim()))
        .collect();
    let Some(transports) = transports.filter(|transports| !transports.is_empty()) else {
        return Vec::new();
    };
    let names: Vec<String> = transports
        .iter()
        .map(|one| format!("`{}`", one.id))
        .collect();
    let names = names.join(" and ");
    let mut told = Vec::new();
    let framework = file.text(Setting::ClientFramework);
    let known = Setting::ClientFramework.row().values.words();
    let asks = framework.is_some_and(|framework| framework != NONE && known.contains(&framework));
    let client = [Setting::ClientFramework, Setting::ClientServer];
    let decided = client.iter().any(|it| options.said(*it).is_some());
    let is_reached = |one: &&Transport| one.client.is_some() || one.family.is_some() || one.carrier;
    if asks && !decided && !transports.iter().any(is_reached) {
        for setting in client {
            *file.setting(setting) = None;
        }
        told.push(format!(
            "no web client is generated: none is published for {names}"
        ));
    }
    if transports.iter().any(|one| one.starts_in_cloud()) {
        return told;
    }
    for feature in [Feature::DeployToCloud, Feature::NoiseCancel] {
        if file.switch(feature) == Some(true) && options.switch(feature).is_none() {
            *file.switches.slot(feature) = Some(false);
            let key = feature.row().key;
            told.push(format!(
                "`{key}` is left out: the hosting service does not start bots for {names}"
            ));
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::concede;
    use crate::draft::Draft;
    use crate::option_table::{Feature, Setting, Switches};

    fn file(transport: &str, cloud: bool) -> Draft {
        let mut draft = Draft {
            switches: Switches::of(
                [Feature::DeployToCloud, Feature::NoiseCancel].map(|it| (it, cloud)),
            ),
            ..Draft::default()
        };
        draft.put(Setting::Transports, [transport]);
        draft.put(Setting::ClientFramework, ["react"]);
        draft.put(Setting::ClientServer, ["vite"]);
        draft
    }

    #[test]
    fn a_file_gives_way_and_says_so_unless_options_decide() {
        let mut asked = file("livekit", true);
        let told = concede(&mut asked, &Draft::default());
        let expected = [
            "no web client is generated: none is published for `livekit`",
            "`deploy_to_cloud` is left out: the hosting service does not start bots for `livekit`",
            "`enable_noise_cancel` is left out: the hosting service does not start bots for `livekit`",
        ];
        assert_eq!(told, expected);
        let mut expected = file("livekit", false);
        *expected.setting(Setting::ClientFramework) = None;
        *expected.setting(Setting::ClientServer) = None;
        assert_eq!(asked, expected);
        let mut options = file("", true);
        *options.setting(Setting::Transports) = None;
        assert_eq!(concede(&mut file("livekit", true), &options), [""; 0]);
        for transport in ["smallwebrtc", "twilio", "daily_pstn", "nobody"] {
            let mut asked = file(transport, true);
            assert_eq!(concede(&mut asked, &Draft::default()), [""; 0]);
            assert_eq!(asked, file(transport, true));
        }
    }
}
