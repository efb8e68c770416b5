//! The web client.

use bot_cli_templates::catalogue::{BotType, Transport};

use super::{Problems, said};
use crate::config::Client;
use crate::draft::Draft;
use crate::option_table::Setting;
use crate::wording::{did_you_mean, quoted};

pub(super) fn resolve(
    draft: &Draft,
    bot_type: Option<BotType>,
    transports: &[&'static Transport],
    problems: &mut Problems,
) -> Option<Client> {
    let server = server(draft, problems);
    let framework = said(draft.client_framework.as_ref());
    let problem = match (framework, said(draft.client_server.as_ref())) {
        (None | Some("none"), Some(_)) => Some("only with `--client-framework react`"),
        // Vite builds and serves it, which may be said.
        (Some("vanilla"), Some("nextjs")) => {
            Some("`nextjs` needs `--client-framework react`; a vanilla client has Vite")
        }
        _ => None,
    };
    if let Some(problem) = problem {
        problems.add("client_server", problem);
    }
    let client = match framework {
        None | Some("none") => Client::None,
        Some("vanilla") => Client::Vanilla,
        Some("react") => match server? {
            Server::Vite => Client::ReactVite,
            Server::Nextjs => Client::ReactNextjs,
        },
        Some(other) => {
            let known = Setting::ClientFramework.row().values.words();
            let near = did_you_mean(other, known.iter().copied());
            problems.add(
                "client_framework",
                format!(
                    "{} is none of `{}`{near}",
                    quoted(other),
                    known.join("`, `")
                ),
            );
            return None;
        }
    };
    if client != Client::None {
        let none_has = (transports.iter()).all(|transport| transport.client.is_none());
        // A telephone bot that is on the web, too, may have one.
        if none_has && bot_type == Some(BotType::Telephony) {
            problems.add("client_framework", "only for web bots");
        } else if none_has && !transports.is_empty() {
            problems.add(
                "client_framework",
                "none of the transports has a web client",
            );
        }
    }
    Some(client)
}

#[derive(Clone, Copy)]
enum Server {
    Vite,
    Nextjs,
}

fn server(draft: &Draft, problems: &mut Problems) -> Option<Server> {
    match said(draft.client_server.as_ref()) {
        None | Some("vite") => Some(Server::Vite),
        Some("nextjs") => Some(Server::Nextjs),
        Some(other) => {
            let near = did_you_mean(other, ["vite", "nextjs"]);
            problems.add(
                "client_server",
                format!("{} is neither `vite` nor `nextjs`{near}", quoted(other)),
            );
            None
        }
    }
}
