//! A plugin in a private folder: whether it can be added, from what its files say.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bot_cli_sdk::backend::TAKEN_NAMES;
use bot_cli_sdk::cancel::Cancel;
use bot_cli_sdk::discovery::{
    BACKEND_PREFIX, BackendStanding, Discovery, Named, PREFIX, PackStanding, PluginName, Reach,
    Refused, is_role_name,
};
use bot_cli_sdk::failure::{Failure, reason};
use bot_cli_sdk::pack::{self, Taken};
use bot_cli_sdk::protocol::{Manifest, Role};
use bot_cli_sdk::terminal::one_line;
use tempfile::TempDir;

use super::archive::{Archive, too_large};
use super::changes::Installed;
use super::given::{Request, word};
use super::members::{
    self, Chosen, MOST_BYTES, MOST_FILES, Member, Survey, is_hidden, refused, unreadable,
};
use super::platform;
use super::put::{self, Mode};
use super::record::{Entry, Form, kind};
use super::sum::{self, Sum};
use crate::arguments;
use crate::environment::Environment;
use crate::listing;

/// The amount of a file that is in memory at a time.
const PIECE: usize = 64 * 1024;

/// A plugin that can be added.
pub struct Candidate {
    /// The name.
    pub name: PluginName,
    /// The form.
    pub form: Form,
    manifest: Manifest,
    services: Vec<String>,
    left_out: Vec<String>,
    request: Request,
    from_sha256: Option<String>,
    sha256: String,
    place: PathBuf,
    /// Goes away with it.
    _staging: TempDir,
}

impl Candidate {
    /// Copies what was asked for into `staging`, and judges it there. Nothing is started.
    pub fn judge(
        request: Request,
        staging: TempDir,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let copying = Copying {
            given: &request.path,
            staging: staging.path(),
            cancel,
        };
        let facts = fs::metadata(&request.path);
        let facts = facts.map_err(|error| unreadable(&request.path, &error))?;
        let (staged, from_sha256) = if facts.is_dir() {
            (copying.folder()?, None)
        } else if facts.is_file() {
            let sum = copying.file()?;
            request.check_sum(&sum)?;
            (copying.choose()?, Some(sum))
        } else {
            return Err(refused(&request.path, "it is neither a file nor a folder"));
        };
        let sha256 = sum::of(&staged.place).map_err(|error| unreadable(&request.path, &error))?;
        if from_sha256.is_none() {
            request.check_sum(&sha256)?;
        }
        let judged = judged(&staged, &request.path, environment)?;
        Ok(Self {
            name: staged.name,
            form: staged.form,
            manifest: judged.manifest,
            services: judged.services,
            left_out: judged.left_out,
            request,
            from_sha256,
            sha256,
            place: staged.place,
            _staging: staging,
        })
    }

    /// The staged file or folder.
    pub fn staged(&self) -> &Path {
        &self.place
    }

    /// The role in a sentence.
    pub fn kind(&self) -> String {
        kind(&self.manifest.role)
    }

    /// The plugin in a sentence.
    pub fn title(&self) -> String {
        let version = one_line(&self.manifest.version);
        let space = if version.is_empty() { "" } else { " " };
        format!("the {} `{}`{space}{version}", self.kind(), self.name)
    }

    /// The entry for the record.
    pub fn entry(&self) -> Entry {
        Entry {
            name: self.name.to_string(),
            role: self.manifest.role.clone(),
            version: one_line(&self.manifest.version),
            form: self.form,
            from: self.request.path.to_string_lossy().into_owned(),
            from_sha256: self.from_sha256.clone(),
            sha256: self.sha256.clone(),
            pending: false,
        }
    }

    /// The command that may come next.
    pub fn next_command(&self) -> String {
        match self.manifest.role {
            Role::Command => format!("bot-cli {} --help", self.name),
            Role::ProviderPack | Role::SecretsBackend | Role::Other(_) | _ => {
                format!("bot-cli plugin info {}", self.name)
            }
        }
    }

    /// The abilities, to compare them with those of another version.
    pub fn installed(&self) -> Installed {
        Installed::new(&self.manifest, self.services.clone())
    }

    /// Why it is not used now that it is in `place`, or not all of it, and what it comes before.
    pub fn warnings(&self, place: &Path, environment: &Environment) -> Vec<String> {
        let mut warnings = self.left_out.clone();
        let mut environment = environment.clone();
        // A folder that was made by this command was not looked at before.
        environment.discovery.cache = None;
        for entry in listing::entries(&environment) {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_owned();
            if entry["name"] != self.name.as_str() {
                continue;
            }
            if Path::new(&text("file")) == place {
                if ["refused", "unused", "shadowed"].contains(&text("status").as_str()) {
                    let reason = one_line(&text("reason"));
                    warnings.push(format!("`{}` is not used: {reason}", self.name));
                }
            } else if text("status") == "shadowed" {
                let file = one_line(&text("file"));
                warnings.push(format!("it comes before `{file}`"));
            }
        }
        warnings
    }
}

/// A file or folder in the private folder.
struct Staged {
    name: PluginName,
    form: Form,
    place: PathBuf,
}

struct Judged {
    manifest: Manifest,
    services: Vec<String>,
    left_out: Vec<String>,
}

struct Copying<'a> {
    given: &'a Path,
    staging: &'a Path,
    cancel: &'a Cancel,
}

impl Copying<'_> {
    fn copied(&self) -> PathBuf {
        self.staging.join("given")
    }

    /// Copies a file as it was given, and returns its sum.
    fn file(&self) -> Result<String, Failure> {
        let mut sum = Sum::default();
        let mut source = File::open(self.given).map_err(|error| unreadable(self.given, &error))?;
        self.write(&self.copied(), Mode::Data, &mut |piece: &mut Vec<u8>| {
            let read = fill(&mut source, piece)?;
            sum.add(piece);
            Ok(read)
        })?;
        Ok(sum.finish())
    }

    /// Writes what `read` brings. Its errors are those of the source.
    fn write(
        &self,
        path: &Path,
        mode: Mode,
        read: &mut dyn FnMut(&mut Vec<u8>) -> io::Result<usize>,
    ) -> Result<(), Failure> {
        let mut problem = None;
        let mut total = 0;
        let written = put::write(path, mode, |file| {
            let mut piece = Vec::with_capacity(PIECE);
            loop {
                if self.cancel.requested() {
                    problem = Some(self.cancel.explain(Failure::cancelled()));
                    return Err(io::Error::other("cancelled"));
                }
                piece.clear();
                let read = read(&mut piece).and_then(|length| {
                    total += length as u64;
                    if total > MOST_BYTES {
                        return Err(too_large());
                    }
                    Ok(length)
                });
                match read {
                    Ok(0) => return Ok(()),
                    Ok(_) => io::Write::write_all(file, &piece)?,
                    Err(error) => {
                        problem = Some(unreadable(self.given, &error));
                        return Err(error);
                    }
                }
            }
        });
        written.map_err(|error| {
            problem.unwrap_or_else(|| {
                let message = format!("could not write `{}`: {}", path.display(), reason(&error));
                refused(self.given, &message)
            })
        })
    }

    /// Finds the plugin in the copied file: it is one, or an archive that has one.
    fn choose(&self) -> Result<Staged, Failure> {
        let head = self.head(&self.copied())?;
        let archive = Archive::of(&head).map_err(|name| {
            refused(
                self.given,
                &format!(
                    "archives of the form {name} are not read, only .tar.gz, .tar.xz, .tar and .zip"
                ),
            )
            .hint("unpack it and add the file or folder")
        })?;
        let Some(archive) = archive else {
            return self.executable(self.given, &head, |place| {
                fs::copy(self.copied(), place).map(drop)
            });
        };
        let mut survey = Survey::default();
        self.walk(archive, &mut |member| survey.look(member, self.given))?;
        match survey.choose(self.given)? {
            Chosen::Executable(file) => {
                let place = self.copied().with_file_name("unpacked");
                self.walk(archive, &mut |member| {
                    if member.path == file {
                        self.unpack(member, &place)?;
                    }
                    Ok(())
                })?;
                let head = self.head(&place)?;
                let unpacked = place;
                self.executable(&file, &head, |place| fs::copy(unpacked, place).map(drop))
            }
            Chosen::Pack(folder) => {
                let staged = self.pack(folder.file_name().and_then(|it| it.to_str()))?;
                self.walk(
                    archive,
                    &mut |member| match member.path.strip_prefix(&folder) {
                        Ok(path) if !is_hidden(path) => {
                            let place = staged.place.join(path);
                            self.unpack(member, &place)
                        }
                        Ok(_) | Err(_) => Ok(()),
                    },
                )?;
                Ok(staged)
            }
        }
    }

    fn walk(
        &self,
        archive: Archive,
        visit: &mut dyn FnMut(&mut Member<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        archive.walk(&self.copied(), self.given, &mut |member| {
            if self.cancel.requested() {
                return Err(self.cancel.explain(Failure::cancelled()));
            }
            visit(member)
        })
    }

    fn unpack(&self, member: &mut Member<'_>, place: &Path) -> Result<(), Failure> {
        self.write(place, Mode::Data, &mut |piece| fill(member.content, piece))
    }

    /// Finds the plugin in a folder: the folder is a pack, or has one executable.
    fn folder(&self) -> Result<Staged, Failure> {
        let unreadable = |error: io::Error| unreadable(self.given, &error);
        if !self.given.join(pack::FILE).is_file() {
            let mut survey = Survey::default();
            for entry in fs::read_dir(self.given).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?;
                if fs::metadata(entry.path()).is_ok_and(|facts| facts.is_file()) {
                    let mut content = File::open(entry.path()).map_err(unreadable)?;
                    let mut member = Member {
                        path: entry.file_name().into(),
                        content: &mut content,
                    };
                    survey.look(&mut member, self.given)?;
                }
            }
            let Chosen::Executable(file) = survey.choose(self.given)? else {
                return Err(refused(self.given, "it changed while it was read"));
            };
            let file = self.given.join(file);
            Copying {
                given: &file,
                ..*self
            }
            .file()?;
            let head = self.head(&self.copied())?;
            return self.executable(&file, &head, |place| {
                fs::copy(self.copied(), place).map(drop)
            });
        }
        // `.` has a name, too.
        let real = fs::canonicalize(self.given).map_err(unreadable)?;
        let staged = self.pack(real.file_name().and_then(|name| name.to_str()))?;
        let mut files = Vec::new();
        self.collect(&real, Path::new(""), &mut files)?;
        let mut left = MOST_BYTES;
        for path in files {
            let mut source = File::open(real.join(&path)).map_err(unreadable)?;
            self.write(&staged.place.join(&path), Mode::Data, &mut |piece| {
                let read = fill(&mut source, piece)?;
                left = left.checked_sub(read as u64).ok_or_else(too_large)?;
                Ok(read)
            })?;
        }
        Ok(staged)
    }

    /// The files of a pack's folder; what begins with a dot is of its author's tools.
    fn collect(&self, root: &Path, below: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
        let unreadable = |error: io::Error| unreadable(self.given, &error);
        for entry in fs::read_dir(root.join(below)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let path = below.join(entry.file_name());
            let kind = entry.file_type().map_err(unreadable)?;
            if is_hidden(&path) {
                continue;
            }
            if kind.is_dir() {
                self.collect(root, &path, files)?;
            } else if kind.is_file() {
                files.push(path);
            } else {
                let name = one_line(&path.to_string_lossy());
                let problem = format!("`{name}` in it is a link or a device");
                return Err(refused(self.given, &problem).hint("replace it by what it stands for"));
            }
            if files.len() > MOST_FILES {
                let problem = format!("it has more than {MOST_FILES} files");
                return Err(refused(self.given, &problem));
            }
        }
        Ok(())
    }

    /// The place of a pack that is called `name`.
    fn pack(&self, name: Option<&str>) -> Result<Staged, Failure> {
        let full = name
            .filter(|name| is_role_name(name))
            .and_then(|name| PluginName::parse(&format!("{}{name}", pack::PREFIX)));
        let (Some(name), Some(full)) = (name, full) else {
            let problem = match name {
                Some(name) => format!(
                    "the folder of a pack has the name of the pack, and `{}` can't be one",
                    one_line(name)
                ),
                None => format!(
                    "its `{}` is in no folder, whose name would be that of the pack",
                    pack::FILE
                ),
            };
            return Err(refused(self.given, &problem).hint(
                "put the files into a folder whose name is lower-case words with single hyphens between them, such as `acme`",
            ));
        };
        Ok(Staged {
            place: self.staging.join("packs").join(name),
            name: full,
            form: Form::Folder,
        })
    }

    /// The place of an executable that begins with `head`, which `copy` puts there.
    fn executable(
        &self,
        file: &Path,
        head: &[u8],
        copy: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<Staged, Failure> {
        platform::check(head).map_err(|problem| {
            let failure = refused(self.given, &problem);
            if platform::is_executable(head) {
                let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
                failure.hint(format!("get the file for {os} on {arch}"))
            } else {
                failure
            }
        })?;
        let name = members::name(file);
        // The manifest of a file whose name is none tells the right one.
        let staged_name = name.clone().or_else(|| PluginName::parse("x"));
        let Some(staged_name) = staged_name else {
            return Err(refused(self.given, "it has no name"));
        };
        let suffix = std::env::consts::EXE_SUFFIX;
        let place = self.staging.join("plugins");
        let place = place.join(format!("{PREFIX}{staged_name}{suffix}"));
        let written = put::write(&place, Mode::Executable, |_| Ok(())).and_then(|()| copy(&place));
        let written = written
            .and_then(|()| put::make_executable(&place))
            .and_then(|()| File::open(&place)?.sync_all());
        written.map_err(|error| {
            let message = format!("could not write `{}`: {}", place.display(), reason(&error));
            refused(self.given, &message)
        })?;
        let staged = Staged {
            place,
            name: staged_name,
            form: Form::File,
        };
        if name.is_none() {
            return Err(misnamed(&staged, file, self.given));
        }
        Ok(staged)
    }

    fn head(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let mut head = Vec::new();
        File::open(path)
            .and_then(|file| file.take(platform::HEAD as u64).read_to_end(&mut head))
            .map_err(|error| unreadable(self.given, &error))?;
        Ok(head)
    }
}

fn fill(source: &mut dyn Read, piece: &mut Vec<u8>) -> io::Result<usize> {
    source.take(PIECE as u64).read_to_end(piece)
}

/// A search that knows nothing but the private folder.
fn only(folder: &Path, environment: &Environment) -> Discovery {
    let mut discovery = environment.discovery.clone();
    discovery.folders = vec![folder.to_owned()];
    discovery.pack_folders = vec![folder.to_owned()];
    discovery.cache = None;
    discovery
}

/// The failure of a file that is not called like its plugin.
fn misnamed(staged: &Staged, file: &Path, given: &Path) -> Failure {
    let declared = fs::read(&staged.place)
        .ok()
        .and_then(|bytes| Manifest::find(&bytes).ok())
        .and_then(|manifest| PluginName::parse(&manifest.name));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let problem = format!(
        "the file of a plugin is called `{PREFIX}NAME`, not `{}`",
        one_line(&name)
    );
    let failure = refused(given, &problem);
    match declared {
        Some(declared) if file == given => failure.hint(format!(
            "mv {} {}",
            word(file),
            word(&file.with_file_name(declared.file()))
        )),
        Some(declared) => failure.hint(format!("its manifest says that it is `{}`", declared.file())),
        None => failure.hint(
            "NAME is lower-case letters, digits and hyphens, begins with a letter, and has at most 32 characters",
        ),
    }
}

/// Reads what the staged plugin declares, and refuses what could not be used by anybody.
fn judged(staged: &Staged, given: &Path, environment: &Environment) -> Result<Judged, Failure> {
    let name = &staged.name;
    let folder = staged.place.parent().unwrap_or(&staged.place);
    let discovery = only(folder, environment);
    if staged.form == Form::Folder {
        return of_pack(name, given, &discovery);
    }
    if arguments::RESERVED.contains(&name.as_str()) {
        let problem = format!("`{name}` is a command of bot-cli itself");
        return Err(refused(given, &problem).hint("its author gives it another name"));
    }
    let Named {
        plugin,
        refused: why,
        ..
    } = discovery.by_name(name);
    if let Some((file, unusable)) = why.first() {
        let failure = refused(given, &unusable.reason());
        return Err(match unusable.remedy(file) {
            Some(remedy) => failure.hint(remedy),
            None => failure,
        });
    }
    let Some(manifest) = plugin.and_then(|plugin| plugin.manifest) else {
        let failure = refused(given, "it has no manifest");
        let own = discovery.own_plugins.unwrap_or_default();
        return Err(failure
            .hint("get a version that was made for bot-cli, or write one: bot-cli plugin new --help")
            .hint(format!(
                "if it is a program of another kind that you want to run as `bot-cli {name}`: cp {} {}/",
                word(given),
                word(&own)
            )));
    };
    let prefix = match manifest.role {
        Role::ProviderPack => pack::PREFIX,
        Role::SecretsBackend => BACKEND_PREFIX,
        Role::Command | Role::Other(_) | _ => "",
    };
    let kind = kind(&manifest.role);
    let Some(short) = name.as_str().strip_prefix(prefix) else {
        let problem = format!("the name of a {kind} begins with `{prefix}`, and this is `{name}`");
        return Err(refused(given, &problem).hint(format!(
            "its author calls the file `{PREFIX}{prefix}NAME`, and the plugin `{prefix}NAME` in its manifest"
        )));
    };
    match manifest.role {
        Role::ProviderPack => return of_pack(name, given, &discovery),
        Role::SecretsBackend => {
            if TAKEN_NAMES.contains(&short) {
                let problem = format!("`{short}` is the name of a backend that needs no plugin");
                return Err(refused(given, &problem).hint("its author gives it another name"));
            }
            for backend in discovery.backends(None, &[]) {
                if let BackendStanding::Refused(why) = backend.standing {
                    return Err(refused_by(given, &why));
                }
            }
        }
        Role::Command | Role::Other(_) | _ => {}
    }
    Ok(Judged {
        manifest,
        services: Vec::new(),
        left_out: Vec::new(),
    })
}

/// Nothing is started: a pack that is asked for its services is judged by its manifest.
fn of_pack(name: &PluginName, given: &Path, discovery: &Discovery) -> Result<Judged, Failure> {
    let short = name.as_str().strip_prefix(pack::PREFIX).unwrap_or_default();
    let mut packs = discovery
        .packs(None, Taken::default, Reach::CacheOnly)
        .into_iter();
    let Some(pack) = packs.find(|pack| pack.name == short) else {
        return Err(refused(given, "it is no provider pack"));
    };
    let (services, left_out) = match pack.standing {
        PackStanding::Refused(why) => return Err(refused_by(given, &why)),
        PackStanding::Used(contents) => {
            let services = contents.providers.iter().flat_map(|it| &it.services);
            let services: Vec<String> = services.map(|service| service.id.clone()).collect();
            let left_out: Vec<String> = contents
                .left_out
                .iter()
                .map(|it| format!("{} is left out: {}", it.what, it.reason()))
                .collect();
            if services.is_empty() {
                let reason = left_out
                    .first()
                    .map_or("it brings no service", String::as_str);
                return Err(
                    refused(given, reason).hint(format!("bot-cli plugin check {}", word(given)))
                );
            }
            (services, left_out)
        }
        PackStanding::Unasked | PackStanding::Shadowed(_) => (Vec::new(), Vec::new()),
    };
    let Some(manifest) = pack.manifest else {
        return Err(refused(given, "it has no manifest"));
    };
    Ok(Judged {
        manifest,
        services,
        left_out,
    })
}

fn refused_by(given: &Path, why: &Refused) -> Failure {
    let failure = refused(given, &why.reason);
    match &why.remedy {
        Some(remedy) => failure.hint(remedy),
        None => failure,
    }
}

impl Installed {
    /// What the plugin in `place` can do, as far as it is known.
    pub fn find(entry: &Entry, place: &Path, environment: &Environment) -> Self {
        let found = PluginName::parse(&entry.name).and_then(|name| {
            let staged = Staged {
                name,
                form: entry.form,
                place: place.to_owned(),
            };
            judged(&staged, place, environment).ok()
        });
        match found {
            Some(judged) => Self::new(&judged.manifest, judged.services),
            None => Self::unknown(entry),
        }
    }
}
