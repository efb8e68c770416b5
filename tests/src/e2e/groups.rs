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

/// All of them, those that take longest last.
pub const GROUPS: &[Group] = &[
    Group {
        name: "bash",
        about: "completion in bash",
        needs: &[Need::program(&["bash"], "bash", 7)],
    },
    Group {
        name: "fish",
        about: "completion in fish",
        needs: &[Need::program(&["fish"], "fish", 20)],
    },
    Group {
        name: "zsh",
        about: "completion in zsh",
        needs: &[Need::program(&["zsh"], "zsh", 20)],
    },
    Group {
        name: "cores",
        about: "no core dump of a process that knows secrets",
        needs: &[Need::CoreDumps],
    },
    Group {
        name: "disks",
        about: "full and read-only disks",
        needs: &[Need::Mount],
    },
    Group {
        name: "owners",
        about: "installations that belong to other users",
        needs: &[Need::Users],
    },
    Group {
        name: "dist",
        about: "packages and archives, installed and used",
        needs: &[
            Need::Executables,
            Need::Framework,
            Need::Users,
            Need::program(&["curl", "wget"], "curl", 1),
        ],
    },
    Group {
        name: "dotenv",
        about: "files of secrets beside python-dotenv",
        needs: &[Need::Client],
    },
    Group {
        name: "official",
        about: "the stand-in beside the service's own client",
        needs: &[Need::Client],
    },
    Group {
        name: "keyring",
        about: "the vault's key and the sign-in in GNOME Keyring",
        needs: &[
            Need::program(&["dbus-daemon"], "dbus-daemon", 1),
            Need::program(&["gnome-keyring-daemon"], "gnome-keyring", 10),
            Need::program(&["secret-tool"], "libsecret-tools", 1),
            Need::program(&["age"], "age", 7),
        ],
    },
    Group {
        name: "plugins",
        about: "plugins in Python, TypeScript, Go and Rust, checked",
        needs: &[
            Need::program(&["python3"], "python3", 30),
            Need::Node,
            Need::program(&["npm"], "npm", 100),
            Need::NpmRegistry,
            Need::program(&["go"], "golang-go", 350),
            Need::program(&["cargo"], "cargo", 500),
        ],
    },
    Group {
        name: "strace",
        about: "system calls of the vault and of updates, failed and killed",
        needs: &[
            Need::program(&["strace"], "strace", 3),
            Need::program(&["python3"], "python3", 30),
            Need::Trace,
        ],
    },
    Group {
        name: "kubernetes",
        about: "the Kubernetes backend on a real API server",
        needs: &[Need::ApiServer],
    },
    Group {
        name: "windows",
        about: "the executables for Windows, under Wine",
        needs: &[
            Need::program(&["x86_64-w64-mingw32-gcc"], "gcc-mingw-w64-x86-64", 700),
            Need::program(&["wine"], "wine wine64", 300),
            Need::Windows,
        ],
    },
    Group {
        name: "draws",
        about: "drawn operations",
        needs: &[],
    },
    Group {
        name: "packs",
        about: "thousands of hostile provider packs",
        needs: &[],
    },
    Group {
        name: "conversation",
        about: "a generated bot that talks",
        needs: &[Need::Framework],
    },
    Group {
        name: "sample",
        about: "the sample of a provider pack, from its file to a conversation",
        needs: &[Need::Framework],
    },
    Group {
        name: "telephony",
        about: "calls to a generated bot",
        needs: &[Need::Framework],
    },
    Group {
        name: "deployed",
        about: "bots as the hosting service runs them",
        needs: &[Need::Framework],
    },
    Group {
        name: "merges",
        about: "changes of edited projects, merged",
        needs: &[Need::program(&["cargo"], "cargo", 500), Need::Framework],
    },
    Group {
        name: "framework",
        about: "every kind of project beside the framework",
        needs: &[Need::program(&["git"], "git", 40), Need::Framework],
    },
    Group {
        name: "clients",
        about: "web clients, built and used in a browser",
        needs: &[
            Need::Framework,
            Need::Node,
            Need::program(&["npm"], "npm", 100),
            Need::program(
                &["chromium", "chromium-browser", "google-chrome"],
                "chromium",
                400,
            ),
            Need::NpmRegistry,
        ],
    },
    Group {
        name: "followed",
        about: "the lines that `init` prints, typed in order until the bot answers",
        needs: &[
            Need::Framework,
            Need::PythonIndex,
            Need::Node,
            Need::program(&["npm"], "npm", 100),
            Need::program(
                &["chromium", "chromium-browser", "google-chrome"],
                "chromium",
                400,
            ),
            Need::NpmRegistry,
        ],
    },
    Group {
        name: "steps",
        about: "the README of generated projects, step by step",
        needs: &[Need::Framework, Need::PythonIndex],
    },
];
