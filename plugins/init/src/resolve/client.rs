//! Validates the choice of a web client.

use bot_cli_templates::catalogue::{BotType, Transport};

use super::{Problems, word};
use crate::config::Client;
use crate::draft::{Draft, NONE};
use crate::option_table::Setting;

pub(super) fn resolve(
    draft: &Draft,
    bot_type: Option<BotType>,
    transports: &[&'static Transport],
    problems: &mut Problems,
) -> Option<Client> {
    let framework = word(Setting::ClientFramework, draft, problems);
    let server = word(Setting::ClientServer, draft, problems);
    let (framework, server) = (framework.ok()?.unwrap_or(NONE), server.ok()?);
    match (framework, server) {
        (NONE, Some(_)) => {
            problems.add("client_server", "only with the client framework `react`");
        }
        // A vanilla client always uses Vite, so `vite` is allowed too.
        ("vanilla", Some("nextjs")) => problems.add(
            "client_server",
            "`nextjs` needs the client framework `react`; a vanilla client has Vite",
        ),
        _ => {}
    }
    let client = match (framework, server) {
        ("vanilla", _) => Client::Vanilla,
        ("react", Some("nextjs")) => Client::ReactNextjs,
        ("react", _) => Client::ReactVite,
        _ => return Some(Client::None),
    };
    let none_has = (transports.iter()).all(|transport| transport.client.is_none());
    // A telephony bot may have a client if it also has a web transport.
    if none_has && bot_type == Some(BotType::Telephony) {
        problems.add("client_framework", "only for web bots");
    } else if none_has && !transports.is_empty() {
        let problem = "none of the transports has a web client";
        problems.add("client_framework", problem);
    }
    Some(client)
}
