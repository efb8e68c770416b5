//! Completion scripts for another name of the host.

use anyhow::{Context as _, bail};

use crate::entry::Entry;

/// The scripts of the host, and what has the shells complete `name` in the same way.
pub(crate) fn also_for(name: &str, mut share: Vec<Entry>) -> anyhow::Result<Vec<Entry>> {
    // Shells that look for a file of the command's name.
    let bash = text(&share, "share/bash-completion/completions/bot-cli")?;
    let bash = changed(bash, "complete -F _bot_cli bot-cli\n", name)?;
    let fish = format!("complete -c {name} -w bot-cli\n");
    // Shells that read a file for all the names in it.
    for (path, lines) in [
        (
            "share/zsh/site-functions/_bot-cli",
            &["#compdef bot-cli\n", "compdef _bot_cli bot-cli; fi\n"][..],
        ),
        (
            "share/powershell/completions/bot-cli.ps1",
            &["-CommandName 'bot-cli' "],
        ),
    ] {
        let mut script = text(&share, path)?.to_owned();
        for line in lines {
            let both = if line.contains('\'') {
                line.replace("'bot-cli'", &format!("'bot-cli', '{name}'"))
            } else {
                line.replace("bot-cli", &format!("bot-cli {name}"))
            };
            if !script.contains(line) {
                bail!("`{path}` has no `{}`", line.trim());
            }
            script = script.replace(line, &both);
        }
        share.retain(|entry| entry.path != path);
        share.push(Entry::data(path, script));
    }
    share.push(Entry::data(
        format!("share/bash-completion/completions/{name}"),
        bash,
    ));
    share.push(Entry::data(
        format!("share/fish/vendor_completions.d/{name}.fish"),
        fish,
    ));
    Ok(share)
}

fn text<'a>(share: &'a [Entry], path: &str) -> anyhow::Result<&'a str> {
    let entry = share.iter().find(|entry| entry.path == path);
    let entry = entry.with_context(|| format!("there is no `{path}`"))?;
    Ok(std::str::from_utf8(&entry.bytes)?)
}

fn changed(script: &str, line: &str, name: &str) -> anyhow::Result<String> {
    if !script.contains(line) {
        bail!("a completion script has no `{}`", line.trim());
    }
    Ok(script.replace(line, &line.replace(" bot-cli", &format!(" {name}"))))
}

#[cfg(test)]
mod tests {
    use super::also_for;
    use crate::entry::Entry;

    #[test]
    fn every_script_knows_the_other_name() {
        let share = vec![
            Entry::data(
                "share/bash-completion/completions/bot-cli",
                include_str!("../../host/src/completion/bot-cli.bash"),
            ),
            Entry::data(
                "share/powershell/completions/bot-cli.ps1",
                include_str!("../../host/src/completion/bot-cli.ps1"),
            ),
            Entry::data(
                "share/zsh/site-functions/_bot-cli",
                include_str!("../../host/src/completion/bot-cli.zsh"),
            ),
        ];
        let before = share.len();
        let share = also_for("other", share).unwrap();
        assert_eq!(share.len(), before + 2);
        for (ending, line) in [
            ("/bot-cli", "\ncomplete -F _bot_cli bot-cli\n"),
            ("/other", "\ncomplete -F _bot_cli other\n"),
            ("other.fish", "complete -c other -w bot-cli\n"),
            ("_bot-cli", "#compdef bot-cli other\n"),
            ("_bot-cli", "else compdef _bot_cli bot-cli other; fi\n"),
            (
                "bot-cli.ps1",
                " -CommandName 'bot-cli', 'other' -ScriptBlock",
            ),
        ] {
            let mut of_shell = share.iter().filter(|entry| entry.path.ends_with(ending));
            let script = of_shell.next().unwrap();
            let text = std::str::from_utf8(&script.bytes).unwrap();
            assert!(text.contains(line), "{}: {line}", script.path);
        }
        assert!(also_for("other", Vec::new()).is_err());
    }
}
