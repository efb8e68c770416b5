//! The vault as a secrets backend. `bot-cli cloud` has the same library built in; `tests` makes an executable of this one, so that the
//! checks of secrets backends run over the vault.

use std::path::Path;

use bot_cli_sdk::session::Session;
use bot_cli_secrets::messages::OpenParams;
use bot_cli_secrets::{Backend, Code, Error, Organization};
use bot_cli_vault::Vault;
use bot_cli_vault::secret_file::Storage;

/// Opens vaults.
pub struct Vaults;

bot_cli_secrets::manifest!(Vaults, "../manifest.json");

impl Backend for Vaults {
    type Store = Vault;

    fn open(scope: OpenParams, _: &Session) -> Result<Vault, Error> {
        let folder = scope.settings.get("folder").map(Path::new);
        let folder = folder.filter(|folder| folder.is_absolute());
        let folder = folder
            .ok_or_else(|| Error::new(Code::InvalidSetting, "`folder` must be an absolute path"))?;
        let organization = match scope.organization {
            Some(name) => Organization::parse(&name).map_err(|problem| {
                Error::new(Code::NotFound, format!("the organization {problem}"))
            })?,
            None => Organization::of_vault(),
        };
        Ok(Vault::new(folder, organization, Storage::File))
    }
}

/// Serves the secrets backend protocol.
pub fn main() -> std::process::ExitCode {
    bot_cli_secrets::main::<Vaults>()
}
