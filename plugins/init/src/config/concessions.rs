//! Drops the parts of a file that its transports do not support, and tells the user. An option for such a part is an error.
//!
//! The framework's own tool writes such files: it asks for deployment and takes a web client for every web transport.

use bot_cli_templates::catalogue::Transport;

use crate::catalogue::Catalogue;
use crate::draft::Draft;
use crate::option_table::{Feature, Setting};

/// Takes out of `file` what the transports can't have, unless `options` decide it; a sentence for each.
pub fn concede(file: &mut Draft, options: &Draft) -> Vec<String> {
    let words = options.transports.as_ref().or(file.transports.as_ref());
    // A family's transports can have all of it, and what is unknown is a problem of its own.
    let transports: Option<Vec<&Transport>> = words
        .into_iter()
        .flatten()
        .map(|word| Catalogue::built_in().transport(word.trim()))
        .collect();
    let Some(transports) = transports.filter(|transports| !transports.is_empty()) else {
        return Vec::new();
    };
    let mut told = client(file, options, &transports).into_iter().collect();
    deployment(file, options, &transports, &mut told);
    told
}

fn client(file: &mut Draft, options: &Draft, transports: &[&Transport]) -> Option<String> {
    let known = Setting::ClientFramework.row().values.words();
    let asks = (file.client_framework.as_deref())
        .is_some_and(|framework| framework != "none" && known.contains(&framework));
    let decided = options.client_framework.is_some() || options.client_server.is_some();
    let reached =
        (transports.iter()).any(|one| one.client.is_some() || one.family.is_some() || one.carrier);
    if !asks || decided || reached {
        return None;
    }
    file.client_framework = None;
    file.client_server = None;
    let names: Vec<String> = (transports.iter())
        .map(|one| format!("`{}`", one.id))
        .collect();
    Some(format!(
        "no web client is generated: none is published for {}",
        names.join(" and ")
    ))
}

fn deployment(
    file: &mut Draft,
    options: &Draft,
    transports: &[&Transport],
    told: &mut Vec<String>,
) {
    let reason = transports.iter().find_map(|one| one.stays_behind.as_ref());
    let Some(reason) = reason.filter(|_| !transports.iter().any(|one| one.starts_in_cloud()))
    else {
        return;
    };
    if gives_way(Feature::DeployToCloud, file, options) {
        *file.switches.slot(Feature::DeployToCloud) = Some(false);
        told.push(format!("no deployment files are generated: {reason}"));
    }
    if gives_way(Feature::NoiseCancel, file, options) {
        *file.switches.slot(Feature::NoiseCancel) = Some(false);
        told.push("no noise cancellation: only the hosting service has it".to_owned());
    }
}

/// Tells whether the file asks for the feature and no option decides.
fn gives_way(feature: Feature, file: &Draft, options: &Draft) -> bool {
    file.switch(feature) == Some(true) && options.switch(feature).is_none()
}

#[cfg(test)]
mod tests {
    use super::concede;
    use crate::draft::Draft;
    use crate::option_table::{Feature, Switches};

    fn cloud(on: bool) -> Switches {
        Switches::of([(Feature::DeployToCloud, on), (Feature::NoiseCancel, on)])
    }

    fn file(transport: &str) -> Draft {
        Draft {
            transports: Some(vec![transport.to_owned()]),
            client_framework: Some("react".to_owned()),
            client_server: Some("vite".to_owned()),
            switches: cloud(true),
            ..Draft::default()
        }
    }

    #[test]
    fn a_file_gives_way_and_says_so() {
        let mut asked = file("livekit");
        let told = concede(&mut asked, &Draft::default());
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(
            told[0],
            "no web client is generated: none is published for `livekit`"
        );
        assert!(
            told[1].starts_with("no deployment files are generated: "),
            "{told:?}"
        );
        let expected = Draft {
            client_framework: None,
            client_server: None,
            switches: cloud(false),
            ..file("livekit")
        };
        assert_eq!(asked, expected);
    }

    #[test]
    fn what_can_be_had_and_what_options_decide_stays() {
        for transport in ["smallwebrtc", "twilio", "daily_pstn", "nobody"] {
            let mut asked = file(transport);
            assert_eq!(concede(&mut asked, &Draft::default()), [""; 0]);
            assert_eq!(asked, file(transport));
        }
        let options = Draft {
            client_framework: Some("react".to_owned()),
            switches: cloud(true),
            ..Draft::default()
        };
        let mut asked = file("livekit");
        assert_eq!(concede(&mut asked, &options), [""; 0]);
        assert_eq!(asked, file("livekit"));
        let elsewhere = Draft {
            transports: Some(vec!["daily".to_owned()]),
            ..Draft::default()
        };
        assert_eq!(concede(&mut file("livekit"), &elsewhere), [""; 0]);
    }
}
