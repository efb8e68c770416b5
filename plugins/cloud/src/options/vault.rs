//! The options of `vault`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

const VERIFY_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault verify
  bot-cli cloud vault verify --json";

const REKEY_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault rekey

  Move the key from a file to the keyring, or back:
    bot-cli cloud config set keyring auto && bot-cli cloud vault rekey
    bot-cli cloud config set keyring off && bot-cli cloud vault rekey";

const BACKUP_EXAMPLES: &str = "\
Examples:
  Be asked for a passphrase, hidden:
    bot-cli cloud vault backup vault.backup

  In a script, with the passphrase from another program:
    pass backup | bot-cli cloud vault backup vault.backup --passphrase-file -";

const RESTORE_EXAMPLES: &str = "\
Examples:
  bot-cli cloud vault restore vault.backup
  bot-cli cloud vault restore vault.backup --passphrase-file pass.txt --skip";

#[derive(Debug, Clone, Subcommand)]
pub enum VaultCommand {
    /// Check that everything in the vault is authentic and opens
    ///
    /// Nothing is written. An older copy of the whole vault can't be told from the current one.
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify,
    /// Seal everything in the vault with a new key
    ///
    /// The old key is removed. It still opens older copies of the vault, such as those of a file backup.
    #[command(after_help = REKEY_EXAMPLES)]
    Rekey,
    /// Write everything in the vault to one file, sealed with a passphrase
    ///
    /// The file has the sets of every organization and does not need the vault's key.
    #[command(after_help = BACKUP_EXAMPLES)]
    Backup(Backup),
    /// Replace everything in the vault with a backup
    #[command(after_help = RESTORE_EXAMPLES)]
    Restore(Restore),
}

/// `vault backup`.
#[derive(Debug, Clone, Args)]
pub struct Backup {
    /// File to write
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: asked for, hidden)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
}

/// `vault restore`.
#[derive(Debug, Clone, Args)]
pub struct Restore {
    /// File that `vault backup` wrote
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read the passphrase from a file; `-` for stdin (default: asked for, hidden)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub passphrase_file: Option<PathBuf>,
    /// Skip the confirmation
    #[arg(short, long)]
    pub skip: bool,
}
