//! `completions --install`: the script goes where its shell looks for it. No file that somebody edits is touched.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bot_cli_engine::platform::folders::create_private;
use bot_cli_protocol::failure::{Exit, Failure, reason};
use bot_cli_protocol::outcome::Reply;
use bot_cli_terminal::shell;
use serde_json::json;

use super::text;
use crate::arguments::Shell;
use crate::environment::ShellFolders;

/// The place of a script.
struct Place {
    file: PathBuf,
    /// When the shell reads it.
    when: String,
    /// The line that somebody may have to add.
    line: Option<String>,
}

/// Writes the script of `shell` to its place.
pub fn install(shell: Shell, folders: &ShellFolders) -> Result<Reply, Failure> {
    let place = place(shell, folders)?;
    let text = text(shell);
    let change = match fs::read(&place.file) {
        Ok(old) if old == text.as_bytes() => "was there already",
        Ok(_) => "replaced",
        Err(_) => "written",
    };
    let changed = change != "was there already";
    if changed {
        write(&place.file, text).map_err(|error| {
            let message = format!(
                "could not write `{}`: {}",
                place.file.display(),
                reason(&error)
            );
            Failure::new(Exit::Failed, "not_written", message)
                .hint(format!("bot-cli completions {} > FILE", shell.name()))
        })?;
    }
    let mut shown = format!("{}: {change}\n{}\n", place.file.display(), place.when);
    if let Some(line) = &place.line {
        shown.extend(["  ", line, "\n"]);
    }
    if !shell::will_find("bot-cli", &folders.programs) {
        shown.push_str("They do not find bot-cli yet: install it in a folder on PATH.\n");
    }
    Ok(Reply::text(shown).data(json!({
        "file": place.file.to_string_lossy(),
        "changed": changed,
        "line": place.line,
    })))
}

fn place(shell: Shell, folders: &ShellFolders) -> Result<Place, Failure> {
    let in_folder = |folder: &Option<PathBuf>| {
        folder.clone().ok_or_else(|| {
            let message = "there is no folder for completions: HOME is not an absolute path";
            Failure::new(Exit::Usage, "no_folder", message).hint("set HOME")
        })
    };
    Ok(match shell {
        Shell::Bash => {
            let file = in_folder(&folders.bash)?.join("completions/bot-cli");
            let line = format!("source {}", shell::quoted(&file.display().to_string()));
            Place {
                file,
                when: "New shells complete bot-cli where bash-completion is installed. Where it is not, add this line to ~/.bashrc:".to_owned(),
                line: Some(line),
            }
        }
        Shell::Zsh => {
            let folder = in_folder(&folders.data)?.join("zsh/site-functions");
            Place {
                line: Some(format!("fpath=({} $fpath)", shell::quoted(&folder.display().to_string()))),
                file: folder.join("_bot-cli"),
                when: "New shells complete bot-cli if that folder is in $fpath. If it is not, add this line to ~/.zshrc, before the line with compinit:".to_owned(),
            }
        }
        Shell::Fish => Place {
            file: in_folder(&folders.config)?.join("fish/completions/bot-cli.fish"),
            when: "New shells complete bot-cli.".to_owned(),
            line: None,
        },
        Shell::Powershell => {
            let message =
                "PowerShell has no folder for completions, and `--install` edits no profile";
            return Err(Failure::new(Exit::Usage, "no_folder", message).hint(
                "add this line to the file that $PROFILE names: bot-cli completions powershell | Out-String | Invoke-Expression",
            ));
        }
    })
}

/// Replaces the file in one step. A link stays, and what it leads to is replaced.
fn write(file: &Path, text: &str) -> io::Result<()> {
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let folder = real.parent().unwrap_or(Path::new("/"));
    create_private(folder)?;
    let mut written = tempfile::NamedTempFile::new_in(folder)?;
    written.write_all(text.as_bytes())?;
    written.persist(real)?;
    Ok(())
}
