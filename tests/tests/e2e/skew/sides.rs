//! Both ages of each executable, and one home that they share.

use std::path::Path;
use std::process::Command;

use bot_cli_tests::bench::{Bench, Ran};
use bot_cli_tests::older;

/// Which commit an executable is built from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    Older,
    Newer,
}

pub(crate) const BOTH: [Age; 2] = [Age::Older, Age::Newer];

/// The hosts and plugins of both ages, side by side.
pub(crate) struct Sides {
    pub(crate) bench: Bench,
}

impl Age {
    fn folder(self) -> &'static str {
        match self {
            Self::Older => "older",
            Self::Newer => "newer",
        }
    }
}

impl Sides {
    pub(crate) fn new() -> Self {
        let older = older::executables().unwrap_or_else(|problem| panic!("{problem}"));
        let bench = Bench::new(&[]).unwrap();
        let newer = [
            ("bot-cli", env!("CARGO_BIN_EXE_it-bot-cli")),
            ("bot-cli-init", env!("CARGO_BIN_EXE_it-bot-cli-init")),
            ("bot-cli-cloud", env!("CARGO_BIN_EXE_it-bot-cli-cloud")),
        ];
        // Each host in a folder of its own: it would prefer the plugins beside it.
        for folder in ["older", "newer", "older/host", "newer/host"] {
            std::fs::create_dir(bench.path(folder)).unwrap();
        }
        for (name, file) in newer {
            let place = if name == "bot-cli" {
                "host/bot-cli"
            } else {
                name
            };
            let install = |file: &Path, age: Age| {
                let place = format!("{}/{place}", age.folder());
                bench.install(file, &place).unwrap();
            };
            install(&older.join(name), Age::Older);
            install(Path::new(file), Age::Newer);
        }
        Self { bench }
    }

    /// The host of one age, which finds the plugins of another.
    pub(crate) fn host(&self, host: Age, plugins: Age, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.bench.path(host.folder()).join("host/bot-cli"));
        command
            .args(arguments)
            .env_clear()
            .envs(self.bench.environment())
            .env("BOT_CLI_KEYRING", "off")
            .env("PATH", self.path(plugins))
            .current_dir(self.bench.path("work"))
            .stdin(std::process::Stdio::null());
        command
    }

    pub(crate) fn run(&self, host: Age, plugins: Age, arguments: &[&str]) -> Ran {
        let output = self.host(host, plugins, arguments).output().unwrap();
        self.bench.ran(&output).unwrap()
    }

    /// Runs it and expects success.
    pub(crate) fn done(&self, host: Age, plugins: Age, arguments: &[&str]) -> String {
        let ran = self.run(host, plugins, arguments);
        assert_eq!(
            ran.status,
            Some(0),
            "{host:?} host, {plugins:?} plugins, {arguments:?}: {ran:?}"
        );
        ran.stdout
    }

    /// A plugin alone, without a host.
    pub(crate) fn plugin(&self, age: Age, name: &str) -> Command {
        self.alone(&self.bench.path(age.folder()).join(name))
    }

    /// An executable alone.
    pub(crate) fn alone(&self, file: &Path) -> Command {
        let mut command = Command::new(file);
        command
            .env_clear()
            .envs(self.bench.environment())
            .env("BOT_CLI_KEYRING", "off")
            .current_dir(self.bench.path("work"));
        command
    }

    fn path(&self, plugins: Age) -> String {
        let own = self.bench.path(plugins.folder());
        let shared = self.bench.path("plugins");
        format!("{}:{}:/usr/bin:/bin", own.display(), shared.display())
    }
}
