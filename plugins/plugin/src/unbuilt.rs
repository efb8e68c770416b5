//! The source of a plugin, given in place of the executable that a library builds from it.

use std::fs;
use std::path::Path;

use bot_cli_protocol::MARKER;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_templates::pack;
use bot_cli_terminal::shell::quoted;

/// Fails with the line that builds the plugin if `path` is such a source, or the folder of one.
pub fn refuse(path: &Path) -> Result<(), Failure> {
    let is_python = path.extension().is_some_and(|it| it == "py");
    let shown = |path: &Path| quoted(&path.display().to_string());
    let (script, package) = (path.join("plugin.py"), path.join("package.json"));
    let line = if path.join(pack::FILE).is_file() {
        return Ok(());
    } else if is_python && uses_library(path) {
        format!("python3 {} --build", shown(path))
    } else if uses_library(&script) {
        format!("python3 {} --build", shown(&script))
    } else if uses_library(&package) {
        format!("npm run build --prefix {}", shown(path))
    } else {
        return Ok(());
    };
    let message = format!("`{}` is the source of a plugin", path.display());
    let failure = Failure::new(Exit::Usage, "not_built", message);
    Err(failure.hint(format!("build it, and give the executable: {line}")))
}

fn uses_library(file: &Path) -> bool {
    let names = ["bot_cli_sdk", "bot-cli-sdk", "sdk/tool.mjs"];
    let text = file.is_file().then(|| fs::read_to_string(file).ok());
    text.flatten()
        .is_some_and(|it| !it.contains(MARKER) && names.iter().any(|name| it.contains(name)))
}
