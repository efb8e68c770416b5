//! Notices changes of a bot's code: by the system's events or, where there are none, by looking again and again.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use bot_cli_protocol::failure::reason;
use notify::event::{CreateKind, Event, EventKind, ModifyKind, RemoveKind};
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};

/// The maximum depth of files.
const DEEPEST: u32 = 7;

/// The file that makes a folder a virtual environment.
const ENVIRONMENT: &str = "pyvenv.cfg";

/// The time without events after which a burst of changes is over.
const QUIET: Duration = Duration::from_millis(50);

/// The time after which a burst that is not over counts all the same.
const LONGEST: Duration = Duration::from_secs(1);

/// The interval between looks where the system reports no changes.
const INTERVAL: Duration = Duration::from_millis(250);

/// The beginnings of the names of file systems that others can change without an event on this system.
const SHARED: [&str; 8] = [
    "9p", "cifs", "fuse.", "nfs", "prl_fs", "smb", "vboxsf", "virtiofs",
];

/// The subject of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touched {
    Files,
    /// There may be other folders to watch.
    Folders,
}

/// The code in a folder, and the events about it.
pub struct Watch {
    folder: PathBuf,
    tell: Arc<dyn Fn(Touched) + Send + Sync>,
    seen: Snapshot,
    next: Look,
    /// `None` if the system reports no changes.
    watcher: Option<RecommendedWatcher>,
    is_outdated: bool,
    why_none: Option<String>,
}

impl Watch {
    /// Starts watching a folder. The events that `tell` receives in another thread are meant for [`touched`](Self::touched).
    pub fn start(folder: &Path, tell: impl Fn(Touched) + Send + Sync + 'static) -> Self {
        let mut watch = Self {
            folder: folder.to_owned(),
            tell: Arc::new(tell),
            seen: Snapshot::default(),
            next: Look::default(),
            watcher: None,
            is_outdated: false,
            why_none: None,
        };
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        match shared(&mounts, folder) {
            Some(kind) => watch.give_up(format!("the bot's folder is on `{kind}`")),
            None => watch.watch_all(),
        }
        watch.seen = Snapshot::of(folder);
        watch
    }

    /// Takes the files as they are for those that were last seen, because the bot is about to read them.
    pub fn skip(&mut self) {
        self.next.latest = None;
        self.next.due = self.watcher.is_none().then(|| Instant::now() + INTERVAL);
        self.seen = Snapshot::of(&self.folder);
    }

    /// Notes an event.
    pub fn touched(&mut self, touched: Touched) {
        self.next.after_event(Instant::now());
        self.is_outdated |= touched == Touched::Folders && !includes_subfolders();
    }

    /// Returns the time until the next look, if there is one.
    pub fn patience(&self) -> Option<Duration> {
        let due = self.next.due?;
        Some(due.saturating_duration_since(Instant::now()))
    }

    /// Looks, if it is time. Returns a file that was changed, added or removed since the last look.
    pub fn change(&mut self) -> Option<PathBuf> {
        if std::mem::take(&mut self.is_outdated) && self.watcher.is_some() {
            // At once, because a burst may continue in a new folder.
            self.watch_all();
        }
        if self.patience()? > Duration::ZERO {
            return None;
        }
        let before = std::mem::take(&mut self.seen);
        self.skip();
        self.seen.difference(&before).map(Path::to_owned)
    }

    /// Returns the reason why the system reports no changes, once.
    pub fn why_none(&mut self) -> Option<String> {
        self.why_none.take()
    }

    /// Watches every folder with a new watcher: an old one may know a folder by a name that it no longer has.
    fn watch_all(&mut self) {
        let (tell, folder) = (Arc::clone(&self.tell), self.folder.clone());
        let handler = move |event: notify::Result<Event>| {
            let subject = event.map_or(Some(Touched::Folders), |event| subject(&event, &folder));
            if let Some(touched) = subject {
                tell(touched);
            }
        };
        let created = RecommendedWatcher::new(handler, Config::default());
        let complete = created.and_then(|mut watcher| {
            if includes_subfolders() {
                watcher.watch(&self.folder, RecursiveMode::Recursive)?;
                return Ok(watcher);
            }
            // Tells when the folder itself is replaced.
            let above = self.folder.parent().unwrap_or(&self.folder);
            let mut result = watcher.watch(above, RecursiveMode::NonRecursive);
            Snapshot::default().add(&self.folder, 1, &mut |folder| {
                let watched = watcher.watch(folder, RecursiveMode::NonRecursive);
                if let Err(error) = watched
                    && !is_gone(&error)
                {
                    result = Err(error);
                }
            });
            result.map(|()| watcher)
        });
        match complete {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => self.give_up(match &error.kind {
                ErrorKind::MaxFilesWatch => "there are too many folders to watch".to_owned(),
                ErrorKind::Io(error) => reason(error),
                ErrorKind::Generic(_)
                | ErrorKind::PathNotFound
                | ErrorKind::WatchNotFound
                | ErrorKind::InvalidConfig(_) => error.to_string(),
            }),
        }
    }

    fn give_up(&mut self, why: String) {
        self.watcher = None;
        self.next.due = Some(Instant::now() + INTERVAL);
        self.why_none = Some(why);
    }
}

/// Reports whether a watch of a folder costs the same however many folders are in it.
fn includes_subfolders() -> bool {
    matches!(
        RecommendedWatcher::kind(),
        WatcherKind::Fsevent | WatcherKind::ReadDirectoryChangesWatcher
    )
}

/// Reports whether a folder can't be watched because it can't be read.
fn is_gone(error: &notify::Error) -> bool {
    const GONE: [io::ErrorKind; 2] = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied];
    let is_gone = matches!(&error.kind, ErrorKind::Io(error) if GONE.contains(&error.kind()));
    is_gone || matches!(error.kind, ErrorKind::PathNotFound)
}

/// Returns the subject of an event, or `None` if it can't be about code in `folder`.
fn subject(event: &Event, folder: &Path) -> Option<Touched> {
    let is_about_folders = event.paths.iter().any(|path| path == folder)
        || matches!(
            event.kind,
            EventKind::Create(CreateKind::Folder)
                | EventKind::Remove(RemoveKind::Folder)
                | EventKind::Modify(ModifyKind::Name(_))
        );
    let has = |is_wanted: fn(&OsStr) -> bool| {
        let mut names = event.paths.iter().filter_map(|path| path.file_name());
        names.any(is_wanted)
    };
    // What is above is watched, too, but only for the folder itself.
    let is_here = includes_subfolders() || event.paths.iter().any(|path| path.starts_with(folder));
    if matches!(event.kind, EventKind::Access(_)) || !(is_here || event.need_rescan()) {
        None
    } else if is_about_folders || event.need_rescan() || has(|name| name == ENVIRONMENT) {
        Some(Touched::Folders)
    } else {
        has(is_code).then_some(Touched::Files)
    }
}

/// Returns the type of a folder's file system if others can change it. `mounts` is Linux's list.
fn shared<'m>(mounts: &'m str, folder: &Path) -> Option<&'m str> {
    let mounts = mounts.lines().filter_map(|line| {
        let (mount, system) = line.split_once(" - ")?;
        let point = mount.split(' ').nth(4)?.replace("\\040", " ");
        let kind = system.split(' ').next()?;
        folder.starts_with(&point).then_some((point.len(), kind))
    });
    let (_, kind) = mounts.max_by_key(|(length, _)| *length)?;
    let is_shared = SHARED.iter().any(|shared| kind.starts_with(shared));
    is_shared.then_some(kind)
}

/// The time of the next look at the files.
#[derive(Debug, Default)]
struct Look {
    due: Option<Instant>,
    /// The time at which no further event delays it.
    latest: Option<Instant>,
}

impl Look {
    fn after_event(&mut self, now: Instant) {
        let latest = *self.latest.get_or_insert(now + LONGEST);
        self.due = Some(latest.min(now + QUIET));
    }
}

/// The modification times and lengths of the Python files and `.env` in a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Snapshot(BTreeMap<PathBuf, (SystemTime, u64)>);

impl Snapshot {
    fn of(folder: &Path) -> Self {
        let mut snapshot = Self::default();
        snapshot.add(folder, 1, &mut |_| ());
        snapshot
    }

    /// Adds the files of a folder, which are at this depth, and those below. Calls `enter` before it reads a folder.
    fn add(&mut self, folder: &Path, depth: u32, enter: &mut impl FnMut(&Path)) {
        enter(folder);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let (name, path) = (entry.file_name(), entry.path());
            if entry.file_type().is_ok_and(|it| it.is_dir()) {
                if depth < DEEPEST && is_searched(&name, &path) {
                    self.add(&path, depth + 1, enter);
                }
            } else if is_code(&name)
                && let Ok(found) = entry.metadata()
                && let Ok(time) = found.modified()
            {
                self.0.insert(path, (time, found.len()));
            }
        }
    }

    /// Returns a file that was changed, added or removed since the `earlier` snapshot.
    fn difference<'a>(&'a self, earlier: &'a Self) -> Option<&'a Path> {
        let (mut now, mut before) = (self.0.iter(), earlier.0.iter());
        let changed = now.find(|(path, facts)| earlier.0.get(*path) != Some(facts));
        let gone = || before.find(|(path, _)| !self.0.contains_key(*path));
        changed.or_else(gone).map(|(path, _)| path.as_path())
    }
}

fn is_code(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.ends_with(".py") || name == ".env"
}

/// Reports whether a folder is searched. Virtual environments, caches and logs are not.
fn is_searched(name: &OsStr, path: &Path) -> bool {
    let name = name.to_string_lossy();
    let is_skipped = name.starts_with(['.', '_']) || name == "node_modules";
    !is_skipped && !path.join(ENVIRONMENT).exists()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use super::{INTERVAL, LONGEST, Look, QUIET, Snapshot, Watch, shared};

    #[test]
    fn names_the_file_that_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("tools/deep")).unwrap();
        for unwatched in [".venv", "environment/lib", "node_modules", "_old"] {
            fs::create_dir_all(path(unwatched)).unwrap();
        }
        fs::write(path("environment/pyvenv.cfg"), "").unwrap();
        fs::write(path("bot.py"), "").unwrap();
        let mut before = Snapshot::of(folder.path());
        for unwatched in [
            "notes.md",
            ".venv/site.py",
            "environment/lib/site.py",
            "node_modules/gyp.py",
            "_old/bot.py",
        ] {
            fs::write(path(unwatched), "").unwrap();
            assert_eq!(Snapshot::of(folder.path()), before);
        }
        for watched in ["tools/deep/new.py", ".env"] {
            fs::write(path(watched), "").unwrap();
            let now = Snapshot::of(folder.path());
            assert_eq!(now.difference(&before), Some(path(watched).as_path()));
            before = now;
        }
        fs::remove_file(path("bot.py")).unwrap();
        let now = Snapshot::of(folder.path());
        assert_eq!(now.difference(&before), Some(path("bot.py").as_path()));
    }

    #[test]
    fn a_burst_leads_to_one_look_and_one_without_end_too() {
        let begin = Instant::now();
        let after = |milliseconds| begin + Duration::from_millis(milliseconds);
        let mut look = Look::default();
        for milliseconds in [0, 30, 60] {
            look.after_event(after(milliseconds));
            assert_eq!(look.due, Some(after(milliseconds) + QUIET));
        }
        for milliseconds in (60..1500).step_by(30) {
            look.after_event(after(milliseconds));
        }
        assert_eq!(look.due, Some(begin + LONGEST));
    }

    #[test]
    fn a_folder_that_is_replaced_or_renamed_is_watched_again() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().canonicalize().unwrap().join("server");
        fs::create_dir(&folder).unwrap();
        let path = |name: &str| folder.join(name);
        let (sender, events) = mpsc::channel();
        let mut watch = Watch::start(&folder, move |touched| {
            let _ = sender.send(touched);
        });
        let is_idle = watch.patience().is_none();
        assert!(is_idle || watch.why_none().is_some());
        let mut changed = || loop {
            let patience = watch.patience().unwrap_or(Duration::from_secs(20));
            match events.recv_timeout(patience) {
                Ok(touched) => watch.touched(touched),
                Err(_) => assert!(watch.patience().is_some(), "no event"),
            }
            if let Some(file) = watch.change() {
                return file;
            }
        };
        fs::create_dir_all(path("a/b")).unwrap();
        fs::write(path("a/b/one.py"), "").unwrap();
        assert_eq!(changed(), path("a/b/one.py"));
        fs::write(path("a/b/one.py"), "1").unwrap();
        assert_eq!(changed(), path("a/b/one.py"));
        fs::rename(path("a"), path("c")).unwrap();
        assert_eq!(changed(), path("c/b/one.py"));
        fs::write(path("c/b/one.py"), "22").unwrap();
        assert_eq!(changed(), path("c/b/one.py"));
        fs::remove_dir_all(path("c/b")).unwrap();
        assert_eq!(changed(), path("c/b/one.py"));
        fs::create_dir(path("c/b")).unwrap();
        fs::write(path("c/b/two.py"), "").unwrap();
        assert_eq!(changed(), path("c/b/two.py"));
        fs::write(path("c/b/two.py"), "2").unwrap();
        assert_eq!(changed(), path("c/b/two.py"));
        // The folder itself, and a link to it.
        fs::rename(&folder, root.path().join("moved")).unwrap();
        assert_eq!(changed(), path("c/b/two.py"));
        symlink("moved", &folder).unwrap();
        assert_eq!(changed(), path("c/b/two.py"));
        fs::write(path("c/b/two.py"), "333").unwrap();
        assert_eq!(changed(), path("c/b/two.py"));
    }

    #[test]
    fn looks_again_and_again_where_there_are_no_events() {
        let folder = tempfile::tempdir().unwrap();
        // No system can watch this one.
        let mut watch = Watch::start(&folder.path().join("long".repeat(2000)), |_| ());
        assert!(watch.why_none().is_some());
        assert_eq!(watch.why_none(), None);
        watch.folder = folder.path().to_owned();
        for name in ["one.py", "two.py"] {
            let file = folder.path().join(name);
            fs::write(&file, "").unwrap();
            assert!(
                watch
                    .patience()
                    .is_some_and(|patience| patience <= INTERVAL)
            );
            // As if the time had come.
            watch.next.due = Some(Instant::now());
            assert_eq!(watch.change(), Some(file));
        }
    }

    #[test]
    fn knows_the_file_systems_that_others_can_change() {
        let mounts = "\
            22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n\
            40 22 0:40 / /mnt/my\\040bots rw shared:5 - nfs4 host:/bots rw\n\
            41 40 8:2 / /mnt/my\\040bots/here rw - btrfs /dev/sdb rw\n";
        for (folder, kind) in [
            ("/home/bot", None),
            ("/mnt/my bots/one", Some("nfs4")),
            ("/mnt/my bots/here/one", None),
        ] {
            assert_eq!(shared(mounts, Path::new(folder)), kind);
        }
    }
}
