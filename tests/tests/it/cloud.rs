//! `bot-cli cloud`, through its executable, against the stand-in of the service and against the vault.

mod official;
mod stand_in;
