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

const BASH: Need = Need::program(&["bash"], "bash", 7);
const FISH: Need = Need::program(&["fish"], "fish", 20);
const ZSH: Need = Need::program(&["zsh"], "zsh", 20);
const CURL: Need = Need::program(&["curl", "wget"], "curl", 1);
const DBUS_DAEMON: Need = Need::program(&["dbus-daemon"], "dbus-daemon", 1);
const GNOME_KEYRING_DAEMON: Need = Need::program(&["gnome-keyring-daemon"], "gnome-keyring", 10);
const SECRET_TOOL: Need = Need::program(&["secret-tool"], "libsecret-tools", 1);
const AGE: Need = Need::program(&["age"], "age", 7);
const PYTHON3: Need = Need::program(&["python3"], "python3", 30);
const NPM: Need = Need::program(&["npm"], "npm", 100);
const GO: Need = Need::program(&["go"], "golang-go", 350);
const CARGO: Need = Need::program(&["cargo"], "cargo", 500);
const STRACE: Need = Need::program(&["strace"], "strace", 3);
const MINGW: Need = Need::program(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64", 700);
const WINE: Need = Need::program(&["wine"], "wine wine64", 300);
const GIT: Need = Need::program(&["git"], "git", 40);
const CHROMIUM: Need = Need::program(
    &["chromium", "chromium-browser", "google-chrome"],
    "chromium",
    400,
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
        "the sample of a provider pack, from its file to a conversation",
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
