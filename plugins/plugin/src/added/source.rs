//! What somebody wants to have added: a file, a folder or an archive on this machine, with the sum that it must have.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use bot_cli_engine::discovery::{PREFIX, PluginName, is_role_name};
use bot_cli_protocol::Manifest;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::suggest;
use bot_cli_templates::pack;
use bot_cli_terminal::one_line;
use bot_cli_terminal::shell::quoted;

use super::archive::{self, MOST_BYTES, MOST_FILES};
use super::home::Form;
use super::refusal::{AGAIN, refused, shown, unreadable, word};
use super::sum;
use crate::platform;

/// The most names in a message.
const MOST_NAMED: usize = 5;

/// A file or folder, and the sum that it must have.
pub struct Source {
    /// The absolute path.
    pub path: PathBuf,
    sum: Option<String>,
}

/// A plugin in a private folder.
pub struct Staged {
    /// The name.
    pub name: PluginName,
    /// The form.
    pub form: Form,
    /// The file or folder.
    pub place: PathBuf,
    /// The sum of the file or archive that was given; a folder has none.
    pub from_sha256: Option<String>,
    /// The sum of the plugin.
    pub sha256: String,
}

impl Source {
    /// Reads what was given. Addresses are for other tools; `command` is the one that was asked for.
    pub fn read(
        given: &Path,
        sum: Option<&str>,
        command: &str,
        cwd: &Path,
    ) -> Result<Self, Failure> {
        check_local(given, command)?;
        let path = std::path::absolute(cwd.join(given)).map_err(|error| {
            let could_not = format!("could not read `{}`", given.display());
            Failure::because(Exit::Usage, "not_read", could_not, error)
        })?;
        if let (Err(error), Some(hint)) = (fs::metadata(&path), near(given)) {
            return Err(unreadable(&path, error).hint(hint));
        }
        Ok(Self {
            path,
            sum: sum.map(parse_sum).transpose()?,
        })
    }

    /// Copies the plugin into the private folder `staging`.
    pub fn stage(&self, staging: &Path) -> Result<Staged, Failure> {
        let facts = fs::metadata(&self.path).map_err(|error| unreadable(&self.path, error))?;
        let (root, from_sha256) = if facts.is_dir() {
            (self.path.clone(), None)
        } else if !facts.is_file() {
            return Err(self.refused("it is neither a file nor a folder"));
        } else if facts.len() > MOST_BYTES {
            return Err(unreadable(&self.path, archive::too_large()));
        } else {
            // Its name says what it is, if it is a program.
            let folder = staging.join("given");
            let copy = folder.join(self.path.file_name().unwrap_or_default());
            let copied = fs::create_dir(folder)
                .and_then(|()| fs::copy(&self.path, &copy))
                .and_then(|_| sum::of(&copy));
            let sum = copied.map_err(|error| unreadable(&self.path, error))?;
            self.check_sum(&sum)?;
            let unpacked = staging.join("unpacked");
            let is_archive = archive::unpack(&copy, &self.path, &unpacked)?;
            (if is_archive { unpacked } else { copy }, Some(sum))
        };
        let is_unpacked = from_sha256.is_some() && root.is_dir();
        let found = if root.is_dir() {
            self.find(&root, is_unpacked)?
        } else {
            root.clone()
        };
        let (name, form, place) = if found.is_dir() {
            let name = self.pack_name(&found, is_unpacked.then_some(&root))?;
            let place = staging
                .join("packs")
                .join(name.as_str().strip_prefix(pack::PREFIX).unwrap_or_default());
            self.copy_pack(&found, &place)?;
            (name, Form::Folder, place)
        } else {
            let name = self.program_name(&found)?;
            if is_text(&found) {
                let problem = "it is neither an executable nor a script that begins with `#!`";
                return Err(self.refused(problem));
            }
            let place = staging
                .join("plugins")
                .join(format!("{PREFIX}{name}{}", std::env::consts::EXE_SUFFIX));
            self.copy(&found, &place, true)?;
            (name, Form::File, place)
        };
        let sha256 = sum::of(&place).map_err(|error| unreadable(&self.path, error))?;
        if from_sha256.is_none() {
            self.check_sum(&sha256)?;
        }
        Ok(Staged {
            name,
            form,
            place,
            from_sha256,
            sha256,
        })
    }

    /// The failure of somebody who wants to have this added.
    pub fn refused(&self, problem: &str) -> Failure {
        refused(&self.path, problem)
    }

    fn check_sum(&self, sum: &str) -> Result<(), Failure> {
        match &self.sum {
            Some(wanted) if wanted != sum => {
                let path = self.path.display();
                let message = format!("`{path}` has the sha256 {sum}, not {wanted}");
                Err(Failure::new(Exit::Failed, "other_sum", message).hint(AGAIN))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The one plugin in a folder; `whole`: also in the folders below.
    fn find(&self, root: &Path, whole: bool) -> Result<PathBuf, Failure> {
        if root.join(pack::FILE).is_file() {
            return Ok(root.to_owned());
        }
        let mut files = Vec::new();
        self.collect(root, Path::new(""), whole, &mut files)?;
        let shown = |path: &PathBuf| format!("`{}`", shown(path));
        let mut plugins: Vec<&PathBuf> = files
            .iter()
            .filter(|path| match path.file_name() {
                Some(name) if name == pack::FILE => true,
                _ => program(path).is_some() && declared(&root.join(path)).is_some(),
            })
            .collect();
        match plugins.as_slice() {
            [] => {}
            [only] if only.ends_with(pack::FILE) => {
                return Ok(root.join(only.parent().unwrap_or(Path::new(""))));
            }
            [only] => return Ok(root.join(only)),
            several => {
                let names: Vec<String> = several.iter().map(|path| shown(path)).collect();
                let problem = format!("it has {} plugins: {}", several.len(), names.join(", "));
                let hint = "unpack it and add each by its file or folder";
                return Err(self.refused(&problem).hint(hint));
            }
        }
        plugins.extend(files.iter().filter(|path| program(path).is_some()));
        let problem = match (plugins.first(), files.as_slice()) {
            (Some(program), _) => format!("{} has no manifest", shown(program)),
            (None, []) => "it is empty".to_owned(),
            (None, files) => {
                let names: Vec<String> = files.iter().take(MOST_NAMED).map(shown).collect();
                let more = match files.len().saturating_sub(MOST_NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("there is no plugin in it, only {}{more}", names.join(", "))
            }
        };
        Err(self.refused(&problem).hint(format!(
            "a plugin is an executable file `{PREFIX}NAME` with a manifest, a provider pack may be a folder with a `{}`",
            pack::FILE
        )))
    }

    /// The files in a folder; what begins with a dot is of its author's tools. `whole`: also those in the folders below, and links.
    fn collect(
        &self,
        root: &Path,
        below: &Path,
        whole: bool,
        files: &mut Vec<PathBuf>,
    ) -> Result<(), Failure> {
        let unreadable = |error| unreadable(&self.path, error);
        for entry in fs::read_dir(root.join(below)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = below.join(entry.file_name());
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let kind = entry.file_type().map_err(unreadable)?;
            if kind.is_dir() {
                if whole {
                    self.collect(root, &path, whole, files)?;
                }
            } else if whole || fs::metadata(entry.path()).is_ok_and(|facts| facts.is_file()) {
                files.push(path);
            }
            if files.len() > MOST_FILES {
                return Err(self.refused(&format!("it has more than {MOST_FILES} files")));
            }
        }
        files.sort();
        Ok(())
    }

    /// The name of a program: that of its file, or if that is none, that in its manifest.
    fn program_name(&self, file: &Path) -> Result<PluginName, Failure> {
        let declared = || PluginName::parse(&declared(file)?.name);
        program(file)
            .or_else(declared)
            .ok_or_else(|| self.refused("it has no manifest, and is not called `bot-cli-NAME`"))
    }

    /// The name of the pack in a folder. `unpacked`: that of an archive, whose own name says nothing.
    fn pack_name(&self, folder: &Path, unpacked: Option<&PathBuf>) -> Result<PluginName, Failure> {
        let hint = "put the files into a folder whose name is lower-case words with single hyphens between them, such as `acme`";
        if unpacked.is_some_and(|root| root == folder) {
            let problem = format!(
                "its `{}` is in no folder, whose name would be that of the pack",
                pack::FILE
            );
            return Err(self.refused(&problem).hint(hint));
        }
        // `.` has a name, too.
        let real = fs::canonicalize(folder).map_err(|error| unreadable(&self.path, error))?;
        let name = real.file_name().unwrap_or_default().to_string_lossy();
        let name = pack_name(&name);
        let full = PluginName::parse(&format!("{}{name}", pack::PREFIX));
        full.filter(|_| is_role_name(name)).ok_or_else(|| {
            let problem = format!(
                "the folder of a pack has the name of the pack, and `{}` can't be one",
                one_line(name)
            );
            self.refused(&problem).hint(hint)
        })
    }

    fn copy_pack(&self, from: &Path, to: &Path) -> Result<(), Failure> {
        let mut files = Vec::new();
        self.collect(from, Path::new(""), true, &mut files)?;
        let mut left = MOST_BYTES;
        for file in files {
            let facts = fs::symlink_metadata(from.join(&file))
                .map_err(|error| unreadable(&self.path, error))?;
            if !facts.is_file() {
                let problem = format!("`{}` in it is a link or a device", shown(&file));
                return Err(self
                    .refused(&problem)
                    .hint("replace it by what it stands for"));
            }
            left = left
                .checked_sub(facts.len())
                .ok_or_else(|| unreadable(&self.path, archive::too_large()))?;
            self.copy(&from.join(&file), &to.join(&file), false)?;
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path, is_program: bool) -> Result<(), Failure> {
        if fs::metadata(from).is_ok_and(|facts| facts.len() > MOST_BYTES) {
            return Err(unreadable(&self.path, archive::too_large()));
        }
        let copied = platform::create_folders(to.parent().unwrap_or(to))
            .and_then(|()| fs::copy(from, to))
            .and_then(|_| platform::share(to, is_program))
            // Only who may write may sync, on Windows.
            .and_then(|()| File::options().write(true).open(to)?.sync_all());
        copied.map_err(|error| unreadable(&self.path, error))
    }
}

/// The name of the plugin that has this file.
fn program(file: &Path) -> Option<PluginName> {
    let name = file.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let suffix = std::env::consts::EXE_SUFFIX;
    PluginName::parse(name.strip_suffix(suffix).unwrap_or(name))
}

/// Whether a file is text that no interpreter is named for. Executables of every system have a zero among their first bytes.
fn is_text(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(512).read_to_end(&mut head));
    read.is_ok() && !head.starts_with(b"#!") && !head.contains(&0)
}

fn declared(file: &Path) -> Option<Manifest> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MOST_BYTES).read_to_end(&mut bytes));
    read.ok().and_then(|_| Manifest::find(&bytes).ok())
}

/// The name of the pack in a folder that may be called like a release of it: `acme` for `acme-1.0` and `bot-cli-pack-acme-v1.0`.
fn pack_name(folder: &str) -> &str {
    let begins_version = |rest: &str| {
        let number = rest.strip_prefix('v').unwrap_or(rest);
        number.starts_with(|first: char| first.is_ascii_digit()) && number.contains('.')
    };
    let mut hyphens = folder.match_indices('-').map(|(place, _)| place);
    let end = hyphens.find(|place| begins_version(&folder[place + 1..]));
    let name = &folder[..end.unwrap_or(folder.len())];
    let name = name.strip_prefix(PREFIX).unwrap_or(name);
    name.strip_prefix(pack::PREFIX).unwrap_or(name)
}

/// The meaning that a path without a file may have had.
fn near(given: &Path) -> Option<String> {
    let text = given.to_str()?;
    let trimmed = text.trim();
    if trimmed != text && !trimmed.is_empty() && Path::new(trimmed).exists() {
        return Some(suggest::did_you_mean(&[trimmed]));
    }
    let is_of_home = text == "~" || text.starts_with("~/");
    is_of_home.then(|| "a shell replaces `~` only outside of quotes".to_owned())
}

fn parse_sum(text: &str) -> Result<String, Failure> {
    let sum = text.trim().to_ascii_lowercase();
    let sum = sum.strip_prefix("sha256:").unwrap_or(&sum).to_owned();
    if sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(sum);
    }
    let problem = "must be 64 hexadecimal digits, as `sha256sum FILE` prints them";
    let message = format!("`--sha256` {problem}");
    let failure = Failure::new(Exit::Usage, "invalid_input", message);
    Err(failure.field("sha256", Some("--sha256"), problem))
}

/// Refuses an address, with the lines that download it for `command`.
fn check_local(given: &Path, command: &str) -> Result<(), Failure> {
    let text = given.to_string_lossy();
    let is_address = text.split_once("://").is_some_and(|(scheme, rest)| {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        !rest.is_empty() && !scheme.is_empty() && scheme.bytes().all(letter)
    });
    if !is_address {
        return Ok(());
    }
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').find(|part| !part.is_empty());
    let name = word(&Path::new(".").join(name.unwrap_or("plugin")));
    let message =
        "that is an address, and bot-cli downloads nothing: download the file, then add it";
    Err(Failure::new(Exit::Usage, "no_network", message)
        .hint(format!("curl -fLo {name} {}", quoted(&text)))
        .hint(format!(
            "bot-cli plugin {command} {name} --sha256 SUM_FROM_ITS_AUTHOR"
        )))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{check_local, pack_name, parse_sum};

    #[test]
    fn an_address_is_downloaded_by_its_user() {
        let failure =
            check_local(Path::new("https://example.com/a%20b/x.tar.gz?raw=1"), "add").unwrap_err();
        assert_eq!(
            failure.hints,
            [
                "curl -fLo ./x.tar.gz 'https://example.com/a%20b/x.tar.gz?raw=1'",
                "bot-cli plugin add ./x.tar.gz --sha256 SUM_FROM_ITS_AUTHOR",
            ]
        );
        for path in ["x", "./a://b", "://x", "https:/x", "/a/b"] {
            assert!(check_local(Path::new(path), "add").is_ok(), "{path}");
        }
    }

    #[test]
    fn a_sum_is_read_as_tools_print_it() {
        let digits = "0123456789abcdef".repeat(4);
        let prefixed = format!("sha256:{digits}");
        for text in [
            &digits,
            &digits.to_uppercase(),
            &prefixed,
            &format!(" {digits}\n"),
        ] {
            assert_eq!(parse_sum(text).unwrap(), digits);
        }
        for text in [
            "",
            "abc",
            &digits[1..],
            &format!("{digits}0"),
            &"g".repeat(64),
        ] {
            assert!(parse_sum(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pack_has_the_name_of_its_release_without_the_version() {
        for (folder, name) in [
            ("acme", "acme"),
            ("acme-fast-v2.10.3-rc.1", "acme-fast"),
            ("bot-cli-pack-acme-1.0.0+linux", "acme"),
            ("pack-acme", "acme"),
            // Without a point, the number may be part of a name.
            ("acme-2", "acme-2"),
            ("-1.0", ""),
        ] {
            assert_eq!(pack_name(folder), name, "{folder}");
        }
    }
}
