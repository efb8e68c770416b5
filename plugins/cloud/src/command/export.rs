//! The `secrets export` command.

use std::io::{self, Write as _};
use std::path::PathBuf;

use bot_cli_protocol::failure::{Exit, Failure, Field};
use bot_cli_protocol::outcome::Format;
use bot_cli_protocol::secret::Secret;
use bot_cli_protocol::wording::count;
use bot_cli_sdk::plugin::Reply;
use bot_cli_vault::files::{self, Overwrite};
use serde_json::{Map, json};

use super::ask::consent;
use super::context::CommandContext;
use super::{open, project, run, vault};
use crate::domain::{Entry, Key, SetName};
use crate::input::{both, dotenv, keys, refused};
use crate::options::{Export, ExportFormat};
use crate::text::theirs;

/// The maximum length of a line that Docker reads, with its line end.
const LONGEST_LINE: usize = 64 * 1024;

pub(super) fn export(context: CommandContext<'_>, options: &Export) -> Result<Reply, Failure> {
    let session = context.session;
    let (name, parse) = (options.name.as_ref(), SetName::parse_existing);
    let set = project::set(session, name, &options.of, parse, "export");
    let input = both(set, keys(&options.only, Some("--only")));
    let input = both(input, place(context, options));
    let so = "nothing can be exported from it";
    let (((set, only), place), opened) = open::open_readable(context, &options.scope, input, so)?;
    let mut entries = run::entries(&opened, &set)?;
    let known: Vec<Key> = entries.iter().map(|entry| entry.key.clone()).collect();
    if let Some(missing) = only.iter().find(|key| !known.contains(key)) {
        let known = known.iter().map(Key::as_str);
        return Err(opened.no_such_key(missing, &[set.name.as_str()], known));
    }
    entries.retain(|entry| only.is_empty() || only.contains(&entry.key));
    let text = options.format.write(&entries)?;
    let values = format!("{} of `{}`", count(entries.len(), "value"), set.name);
    let to = place.as_ref().map_or_else(
        || "standard output".to_owned(),
        |path| format!("`{}`", path.display()),
    );
    if !options.skip {
        let plan = format!("Write {values}, not encrypted, to {to}\n");
        consent(session, "Export them?", plan, None)?;
    }
    let keys: Vec<String> = entries.iter().map(|it| theirs(it.key.as_str())).collect();
    let data = json!({ "name": set.name.as_str(), "keys": keys, "path": place.as_ref().map(|it| it.display().to_string()) });
    if let Some(path) = place {
        let written = files::replace(&path, text.expose().as_bytes(), overwrite(options));
        written.map_err(|error| files::write_failure(&path, error))?;
        let said = format!("Saved {values} to {to}; whoever can read your files can read them\n");
        return Ok(Reply::text(said).data(data));
    }
    let mut output = io::stdout().lock();
    let written = output.write_all(text.expose().as_bytes());
    written.and_then(|()| output.flush()).map_err(|error| {
        let could_not = format!("could not write all of {values}");
        Failure::because(Exit::Failed, "not_written", could_not, error)
    })?;
    Ok(Reply::default().data(data))
}

/// Returns the file to write, or `None` for standard output.
fn place(context: CommandContext<'_>, options: &Export) -> Result<Option<PathBuf>, Failure> {
    let shown = context.session.context();
    let Some(file) = &options.file else {
        // The outcome, or the host's messages, are on standard output.
        if !context.environment.own_streams || shown.format == Format::Json {
            let problem = "missing: values are printed only without `--json`";
            let field = Field::new("file", problem).flag("--file");
            return Err(Failure::invalid_input(vec![field]));
        }
        if shown.terminal && !options.show {
            let hint = "`--file FILE` writes a file, `| PROGRAM` gives them to a program, `--show` prints them";
            let message = "standard output is a terminal, where the values could be seen";
            return Err(Failure::new(Exit::Usage, "terminal", message).hint(hint));
        }
        return Ok(None);
    };
    let path = vault::file(context.session, file)?;
    vault::vault(context)?.check_place(&path, overwrite(options))?;
    Ok(Some(path))
}

const fn overwrite(options: &Export) -> Overwrite {
    if options.force {
        Overwrite::Allow
    } else {
        Overwrite::Refuse
    }
}

impl ExportFormat {
    /// Writes the entries. Fails with the keys of those that the format can't hold.
    fn write(self, entries: &[Entry]) -> Result<Secret, Failure> {
        if self == Self::Json {
            let members = entries.iter();
            let members = members.map(|it| (it.key.to_string(), it.value.expose().into()));
            let members: Map<_, _> = members.collect();
            return Ok(Secret::new(format!("{:#}\n", json!(members))));
        }
        let (mut text, mut problems) = (String::new(), Vec::new());
        for entry in entries {
            let line = if self == Self::Docker {
                docker(entry)
            } else {
                python(entry)
            };
            match line {
                Ok(line) => text.extend([line.expose(), "\n"]),
                Err(problem) => problems.push(Field::new(theirs(entry.key.as_str()), problem)),
            }
        }
        let text = Secret::new(text);
        let hint = "`--format json` holds every value";
        refused(problems).map_err(|failure| failure.hint(hint))?;
        Ok(text)
    }
}

/// Returns a line that python-dotenv reads as this entry: in single quotes or, for some values, without quotes or in double quotes.
fn python(Entry { key, value }: &Entry) -> Result<Secret, &'static str> {
    let escaped = value.expose().replace('\\', "\\\\").replace('\'', "\\'");
    let double = value.expose().replace('\\', "\\\\").replace('"', "\\\"");
    let double = double.replace('\n', "\\n").replace('\r', "\\r");
    let lines = [
        format!("{key}='{escaped}'"),
        format!("{key}={}", value.expose()),
        format!("{key}=\"{double}\""),
    ];
    let is_same = |line: &Secret| {
        // Versions of python-dotenv differ in where quotes end if there are others below.
        let read = dotenv::parse(&format!("{}\n_='_'\n", line.expose()));
        let is_entry = |it: &dotenv::Binding| it.key == key.as_str() && it.value == *value;
        read.problems.is_empty() && matches!(&read.bindings[..], [one, _] if is_entry(one))
    };
    let mut lines = lines.map(Secret::new).into_iter();
    lines
        .find(is_same)
        .ok_or("has a value that a .env file can't hold")
}

/// Returns a line that `docker run --env-file` reads as this entry: it has no quotes, and no escapes.
fn docker(Entry { key, value }: &Entry) -> Result<Secret, &'static str> {
    let value = value.expose();
    if Key::parse(key.as_str()).is_err() {
        return Err("is a key that Docker may read in another way");
    }
    if value.contains('\n') || value.ends_with('\r') {
        return Err("has a value with a line end, which Docker's files can't hold");
    }
    if key.as_str().len() + value.len() + 2 > LONGEST_LINE {
        return Err("has a value that is too long for Docker");
    }
    Ok(Secret::new(format!("{key}={value}")))
}

#[cfg(test)]
mod tests {
    use super::{Entry, ExportFormat, Key, Secret};

    fn written(format: ExportFormat, value: &str) -> Result<String, String> {
        let key = Key::parse("A_KEY").unwrap();
        let value = Secret::new(value.to_owned());
        let text = format.write(&[Entry { key, value }]);
        text.map(|it| it.expose().to_owned())
            .map_err(|failure| failure.fields[0].problem.clone())
    }

    #[test]
    fn every_format_holds_a_value_or_refuses_it() {
        let long = "x".repeat(70_000);
        for (value, dotenv, docker) in [
            ("plain", Some("'plain'"), Some("plain")),
            ("", Some("''"), Some("")),
            (" a b # c ", Some("' a b # c '"), Some(" a b # c ")),
            ("it's \"x\"", Some(r#"'it\'s "x"'"#), Some(r#"it's "x""#)),
            (r"C:\dir\", Some(r"C:\dir\"), Some(r"C:\dir\")),
            (r"a\nb\'", Some(r"'a\\nb\\\''"), Some(r"a\nb\'")),
            (r" \", Some(r#"" \\""#), Some(r" \")),
            ("two\nlines", Some("'two\nlines'"), None),
            ("cr\r\nlf\r", Some(r#""cr\r\nlf\r""#), None),
            ("${HOME}", None, Some("${HOME}")),
            ("$HOME", Some("'$HOME'"), Some("$HOME")),
            ("日本", Some("'日本'"), Some("日本")),
            (&long, Some(&*format!("'{long}'")), None),
        ] {
            let line = |text: Option<&str>| text.map(|text| format!("A_KEY={text}\n"));
            let found = |format| written(format, value).ok();
            assert_eq!(found(ExportFormat::Dotenv), line(dotenv), "{value}");
            assert_eq!(found(ExportFormat::Docker), line(docker), "{value}");
            let json = written(ExportFormat::Json, value).unwrap();
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!(json["A_KEY"], value);
        }
    }
}
