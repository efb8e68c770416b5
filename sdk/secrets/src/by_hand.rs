//! The command that runs if a user starts a backend directly. It prints the backend's description and explains how to use the backend.

use std::marker::PhantomData;

use bot_cli_protocol::failure::Failure;
use bot_cli_protocol::outcome::Reply;
use bot_cli_protocol::{Manifest, Role};
use bot_cli_sdk::plugin::{Command, Declared};
use bot_cli_sdk::session::Session;

use super::Backend;
use crate::messages::PREFIX;

#[doc(hidden)]
#[derive(clap::Parser)]
#[command(name = declared::<B>().name, version = declared::<B>().version, about = declared::<B>().about, after_help = usage::<B>())]
pub struct ByHand<B: Backend> {
    #[arg(skip)]
    backend: PhantomData<B>,
}

impl<B: Backend> Declared for ByHand<B> {
    const MANIFEST: &'static str = B::MANIFEST;
}

impl<B: Backend> Command for ByHand<B> {
    const ROLE: Role = Role::SecretsBackend;

    fn run(self, _session: &Session) -> Result<Reply, Failure> {
        let Manifest { name, about, .. } = declared::<B>();
        Ok(Reply::text(format!(
            "{name}: {about}\n\n{}\n",
            usage::<B>()
        )))
    }

    /// Returns the embedded manifest, which is complete because a backend has no command tree.
    fn described(_: Manifest) -> Manifest {
        declared::<B>()
    }
}

fn declared<B: Backend>() -> Manifest {
    Manifest::find(B::MANIFEST.as_bytes()).unwrap_or_default()
}

fn usage<B: Backend>() -> String {
    let Manifest { name, .. } = declared::<B>();
    let name = name.strip_prefix(PREFIX).unwrap_or(&name);
    format!("A secrets backend: `bot-cli cloud secrets` starts it with `--backend {name}`.")
}
