//! The groups, and what each needs.

use super::needs::Need;

/// Tests that need the same.
#[derive(Debug)]
pub struct Group {
    /// The module of `tests/e2e`.
    pub name: &'static str,
    /// The promise of its tests.
    pub about: &'static str,
    pub(super) needs: &'static [Need],
}

impl Group {
    /// How many of its tests run at once, if that is not left to the test harness. Clients wait for voices most of the time, and
    /// are built meanwhile; how many browsers there are is for its tests to say.
    pub(super) fn at_once(&self) -> Option<usize> {
        (self.name == "clients").then_some(3)
    }

    /// Whether what it needs is only ever made by hand, because it takes longer than all tests together. Without it the group is
    /// left out, loudly, unless it is named.
    pub(super) fn is_elective(&self) -> bool {
        self.needs
            .iter()
            .any(|need| matches!(need, Need::ApiServer | Need::Windows))
    }

    /// Whether it is run, and what it needs is installed, only where it is named: everything is built once more for it.
    pub(super) fn is_on_request(&self) -> bool {
        self.needs.iter().any(|need| matches!(need, Need::Windows))
    }
}

const BASH: Need = Need::Program(&["bash"], "bash");
const FISH: Need = Need::Program(&["fish"], "fish");
const ZSH: Need = Need::Program(&["zsh"], "zsh");
const CURL: Need = Need::Program(&["curl", "wget"], "curl");
const DBUS_DAEMON: Need = Need::Program(&["dbus-daemon"], "dbus-daemon");
const GNOME_KEYRING_DAEMON: Need = Need::Program(&["gnome-keyring-daemon"], "gnome-keyring");
const SECRET_TOOL: Need = Need::Program(&["secret-tool"], "libsecret-tools");
const AGE: Need = Need::Program(&["age"], "age");
const PYTHON3: Need = Need::Program(&["python3"], "python3");
const NPM: Need = Need::Program(&["npm"], "npm");
const GO: Need = Need::Program(&["go"], "golang-go");
const CARGO: Need = Need::Program(&["cargo"], "cargo");
const STRACE: Need = Need::Program(&["strace"], "strace");
const MINGW: Need = Need::Program(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64");
const WINE: Need = Need::Program(&["wine"], "wine wine64");
const GIT: Need = Need::Program(&["git"], "git");
const CHROMIUM: Need = Need::Program(
    &["chromium", "chromium-browser", "google-chrome"],
    "chromium",
);

const fn group(name: &'static str, about: &'static str, needs: &'static [Need]) -> Group {
    Group { name, about, needs }
}

/// All of them, those that take longest last.
pub const GROUPS: &[Group] = &[
    group("bash", "completion in bash", &[BASH]),
    group("fish", "completion in fish", &[FISH]),
    group("zsh", "completion in zsh", &[ZSH]),
    group(
        "cores",
        "no core dump of a process that knows secrets",
        &[Need::CoreDumps],
    ),
    group("disks", "full and read-only disks", &[Need::Mount]),
    group(
        "owners",
        "installations that belong to other users",
        &[Need::Users],
    ),
    group(
        "dist",
        "packages and archives, installed and used",
        &[Need::Executables, Need::Framework, Need::Users, CURL],
    ),
    group(
        "dotenv",
        "files of secrets beside python-dotenv",
        &[Need::Client],
    ),
    group(
        "official",
        "the stand-in beside the service's own client",
        &[Need::Client],
    ),
    group(
        "keyring",
        "the vault's key and the sign-in in GNOME Keyring",
        &[DBUS_DAEMON, GNOME_KEYRING_DAEMON, SECRET_TOOL, AGE],
    ),
    group(
        "plugins",
        "plugins in Python, TypeScript, Go and Rust, checked",
        &[PYTHON3, Need::Node, NPM, Need::NpmRegistry, GO, CARGO],
    ),
    group(
        "strace",
        "system calls of the vault and of updates, failed and killed",
        &[STRACE, PYTHON3, Need::Trace],
    ),
    group(
        "kubernetes",
        "the Kubernetes backend on a real API server",
        &[Need::ApiServer],
    ),
    group(
        "windows",
        "the executables for Windows, under Wine",
        &[MINGW, WINE, Need::Windows],
    ),
    group("draws", "drawn operations", &[]),
    group("packs", "thousands of hostile provider packs", &[]),
    group(
        "conversation",
        "a generated bot that talks",
        &[Need::Framework],
    ),
    group(
        "sample",
        "the sample of a provider pack, checked and installed",
        &[Need::Framework],
    ),
    group("telephony", "calls to a generated bot", &[Need::Framework]),
    group(
        "deployed",
        "bots as the hosting service runs them",
        &[Need::Framework],
    ),
    group(
        "merges",
        "changes of edited projects, merged",
        &[CARGO, Need::Framework],
    ),
    group(
        "framework",
        "every kind of project beside the framework",
        &[GIT, Need::Framework],
    ),
    group(
        "clients",
        "web clients, built and used in a browser",
        &[
            Need::Framework,
            Need::Node,
            NPM,
            CHROMIUM,
            Need::NpmRegistry,
        ],
    ),
    group(
        "followed",
        "the lines that `init` prints, typed in order until the bot answers",
        &[
            Need::Framework,
            Need::PythonIndex,
            Need::Node,
            NPM,
            CHROMIUM,
            Need::NpmRegistry,
        ],
    ),
    group(
        "steps",
        "the README of generated projects, step by step",
        &[Need::Framework, Need::PythonIndex],
    ),
];
