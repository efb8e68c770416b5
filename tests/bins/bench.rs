//! Benchmarks of the executables that users have: each work beside the least that it can cost, beside the same work by another tool, or
//! beside a smaller one. The two commands of a row run in turns, on a memory file system, and the row has their medians.
//!
//! `cargo run -p bot-cli-tests --bin bench` builds the executables and prints the rows. Counts stand where time is noise; the programs that
//! count (`strace`, `valgrind`) and that some rows are compared with are Debian packages. A row without its program says so.

#![allow(
    clippy::cast_precision_loss,
    reason = "figures for people have few digits"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use bot_cli_tests::nested_cargo::{built, nested_cargo};
use bot_cli_tests::python::newest_interpreter;
use bot_cli_tests::service::ORGANIZATION;
use bot_cli_tests::user::User;
use clap::Parser;
use serde_json::json;
use tempfile::TempDir;

const EXECUTABLES: [&str; 5] = [
    "bot-cli",
    "bot-cli-init",
    "bot-cli-dev",
    "bot-cli-cloud",
    "bot-cli-plugin",
];

/// The arguments that describe the same bot to each tool.
const OURS: &str = "made --transport=p2p_webrtc --mode=cascade --stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts --recording --transcription --eval";
const THEIRS: &str = "init made --bot-type=web --transport=smallwebrtc --mode=cascade --stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts --client-framework=none --recording --transcription --eval --no-deploy-to-cloud";

/// Run the benchmarks of the executables that users have
#[derive(Debug, Parser)]
#[command(bin_name = "cargo run -p bot-cli-tests --bin bench --")]
struct Arguments {
    /// Rows to run, by a part of their names [default: all]
    #[arg(value_name = "ROW")]
    rows: Vec<String>,

    /// Install the framework's own tool, to be compared with
    #[arg(long)]
    framework: bool,

    /// A target for cargo, such as x86_64-unknown-linux-musl
    #[arg(long)]
    target: Option<String>,
}

/// The executables, and a folder for everything else.
struct Bench {
    root: TempDir,
    arguments: Arguments,
}

/// A command, and the folder in which it runs: an empty one each time, or one that exists.
struct Work {
    command: Vec<String>,
    folder: Option<PathBuf>,
    variables: Vec<(String, String)>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        memory
    } else {
        &env::temp_dir()
    };
    // Also for what other modules make.
    let executables = build(&arguments)?;
    let root = TempDir::new_in(folder)?;
    let bench = Bench { root, arguments };
    for name in ["bin", "home", "path"] {
        fs::create_dir(bench.path(name))?;
    }
    for file in executables {
        let name = file.file_name().context("an executable has a name")?;
        fs::copy(&file, bench.path("bin").join(name))?;
    }
    say(&format!("{}\n", machine(folder)?));
    for (name, row) in ROWS {
        let wanted = &bench.arguments.rows;
        if !wanted.is_empty() && !wanted.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        match row(&bench) {
            Ok(figure) => say(&format!("{name:<58} {figure}")),
            Err(reason) => say(&format!("{name:<58} not run: {reason:#}")),
        }
    }
    Ok(())
}

type Row = fn(&Bench) -> Result<String>;

const ROWS: [(&str, Row); 20] = [
    (
        "a project with a React client / cp -r of its files",
        |bench| {
            let made = bench.client_project()?;
            let copy = bench.work(&["/bin/cp", "-r", &made, "copy"]);
            compare(&bench.init(&client()), &copy, 100)
        },
    ),
    ("the same, instructions in millions", |bench| {
        instructions(&bench.init(&client()))
    }),
    (
        "a bot without a client / the framework's own tool",
        |bench| {
            let tool = bench.framework()?;
            let theirs = [&[tool.as_str()][..], &words(THEIRS)].concat();
            let ours = bench.init(&format!("{OURS} --no-deploy-to-cloud"));
            compare(&ours, &bench.work(&theirs), 9)
        },
    ),
    ("init --list-options / --version", |bench| {
        compare(&bench.init("--list-options"), &bench.init("--version"), 200)
    }),
    ("the same through the host / directly", |bench| {
        compare(
            &bench.host("init --list-options"),
            &bench.init("--list-options"),
            200,
        )
    }),
    ("secrets list of 10,000 sets of 50 keys / age -d", |bench| {
        let folder = bench.vault(10_000)?;
        let at = |name: &str| format!("{folder}/vault/{name}");
        let words = [
            "age",
            "-d",
            "-o",
            "/dev/null",
            "-i",
            &at("vault.key"),
            &at("vault.age"),
        ];
        compare(&bench.secrets("list", &folder), &bench.work(&words), 40)
    }),
    ("secrets set of a key there / secrets list", |bench| {
        let folder = bench.vault(10_000)?;
        let set = bench.secrets("set set-00042 A=1 --skip", &folder);
        compare(&set, &bench.secrets("list", &folder), 40)
    }),
    (
        "secrets set in a vault of 200 MB, memory / its size",
        |bench| {
            let folder = bench.vault(78_000)?;
            let size = fs::metadata(format!("{folder}/vault/vault.age"))?.len();
            let peak = peak(&bench.secrets("set set-00042 A=1 --skip", &folder))?;
            Ok(ratio_of(peak as f64 / 1e6, size as f64 / 1e6, "MB"))
        },
    ),
    ("secrets set -f of 64,000 lines / of 16,000", |bench| {
        let [many, few] = [64_000, 16_000].map(|lines| bench.set_from_file(lines));
        compare(&many?, &few?, 20)
    }),
    (
        "bot-cli --help, 500 plugins in the last of 200 folders, calls",
        |bench| calls(&bench.crowded(&["--help"])?),
    ),
    ("Tab there, calls", |bench| {
        calls(&bench.crowded(&["__complete", "bash", "--", "bot-cli ", " =:"])?)
    }),
    (
        "agents logs --follow at 2,000 lines a second, requests a second",
        Bench::follow,
    ),
    ("dev while nothing happens, calls a second", Bench::idle),
    ("the build context of a deployment / tar -czf", |bench| {
        let user = User::with_key();
        let folder = bench.path("context");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("Dockerfile"), "FROM scratch\nCOPY . .\n")?;
        fs::write(
            folder.join("cloud-deploy.toml"),
            "agent_name = \"my-bot\"\n",
        )?;
        for copy in 0..8 {
            for name in EXECUTABLES {
                fs::copy(
                    bench.path("bin").join(name),
                    folder.join(format!("{name}-{copy}")),
                )?;
            }
        }
        let mut deploy = bench.work(&[&bench.bin("bot-cli-cloud"), "deploy", "--dry-run"]);
        let variables = user.variables().iter();
        deploy.variables = variables
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let archive = ("TMPDIR".to_owned(), bench.path("").display().to_string());
        deploy.variables.push(archive);
        deploy.folder = Some(folder.clone());
        let packed = bench.path("context.tar.gz").display().to_string();
        let mut tar = bench.work(&["tar", "-czf", &packed, "."]);
        tar.folder = Some(folder);
        compare(&deploy, &tar, 5)
    }),
    ("bot-cli, bytes", |bench| bench.size("bot-cli")),
    ("bot-cli-dev, bytes", |bench| bench.size("bot-cli-dev")),
    ("bot-cli-init, bytes", |bench| bench.size("bot-cli-init")),
    ("bot-cli-plugin, bytes", |bench| {
        bench.size("bot-cli-plugin")
    }),
    ("bot-cli-cloud, bytes", |bench| bench.size("bot-cli-cloud")),
    ("the base archive of the React project, bytes", |bench| {
        let base = Path::new(&bench.client_project()?).join(".bot-cli/base.gz");
        Ok(fs::metadata(base)?.len().to_string())
    }),
];

impl Bench {
    fn path(&self, below: &str) -> PathBuf {
        self.root.path().join(below)
    }

    fn bin(&self, name: &str) -> String {
        self.path("bin").join(name).display().to_string()
    }

    /// Returns a command whose home is the bench's, where the host keeps what it has found in the plugins' files.
    fn work(&self, words: &[&str]) -> Work {
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let home = self.path("home").display().to_string();
        let variables = [
            ("HOME", home),
            ("PATH", path),
            ("BOT_CLI_KEYRING", "off".to_owned()),
        ];
        Work {
            command: words.iter().map(|word| (*word).to_owned()).collect(),
            folder: None,
            variables: variables
                .map(|(name, value)| (name.to_owned(), value))
                .into(),
        }
    }

    fn init(&self, line: &str) -> Work {
        self.work(&[&[self.bin("bot-cli-init").as_str()][..], &words(line)].concat())
    }

    fn host(&self, line: &str) -> Work {
        self.work(&[&[self.bin("bot-cli").as_str()][..], &words(line)].concat())
    }

    fn size(&self, name: &str) -> Result<String> {
        Ok(fs::metadata(self.bin(name))?.len().to_string())
    }

    /// Returns the path of a project with a client, which it makes the first time.
    fn client_project(&self) -> Result<String> {
        let made = self.path("made");
        if !made.exists() {
            self.init(&client()).run_in(self.root.path())?;
        }
        Ok(made.display().to_string())
    }

    /// Returns the framework's own tool in its smallest installation, compiled, which it makes the first time.
    fn framework(&self) -> Result<String> {
        ensure!(
            self.arguments.framework,
            "`--framework` installs it (about 200 MB)"
        );
        let environment = self.path("framework");
        let python = newest_interpreter().map_err(|problem| anyhow!(problem))?;
        let at = |name: &str| environment.join("bin").join(name).display().to_string();
        let pins = concat!(env!("CARGO_MANIFEST_DIR"), "/framework/requirements.txt");
        let place = environment.display().to_string();
        for line in [
            &[&python, "-m", "venv", &place][..],
            &[
                &at("pip"),
                "install",
                "--quiet",
                "--constraint",
                pins,
                "pipecat-ai[cli]",
            ],
            &[&at("python"), "-m", "compileall", "-q", &place],
        ] {
            // Files that are no Python of this version can't be compiled, and are not imported.
            let result = self.work(line).run();
            if !line.contains(&"compileall") {
                result?;
            }
        }
        Ok(at("pipecat"))
    }

    /// Returns a data folder whose vault has so many sets of 50 keys.
    fn vault(&self, sets: usize) -> Result<String> {
        let folder = self.path(&format!("vault-{sets}"));
        let place = folder.display().to_string();
        if folder.exists() {
            return Ok(place);
        }
        self.secrets("set set-00042 A=1 --skip", &place).run()?;
        let keys = |set: usize| -> serde_json::Map<_, _> {
            let key = |key| {
                (
                    format!("SERVICE_{key}_API_KEY"),
                    format!("sk-live-{set:05}-{key:02}-abcdefghij").into(),
                )
            };
            (0..50).map(key).collect()
        };
        let row = |set| json!({"organization": "local", "name": format!("set-{set:05}"), "region": "us-west", "contents": {"secret": keys(set)}});
        let document = json!({"version": 1, "sets": (0..sets).map(row).collect::<Vec<_>>()});
        let at = |name: &str| format!("{place}/{name}");
        fs::write(at("document"), document.to_string())?;
        // The key of the vault that the first command made.
        let seal = "r=$(age-keygen -y bot-cli/vault/vault.key) && age -r \"$r\" -o sealed document && mv sealed bot-cli/vault/vault.age && chmod 600 bot-cli/vault/vault.age && ln -s bot-cli/vault vault && rm document";
        self.work(&["sh", "-c", seal]).run_in(&folder)?;
        Ok(place)
    }

    fn secrets(&self, line: &str, data: &str) -> Work {
        let cloud = self.bin("bot-cli-cloud");
        let command = [
            &[cloud.as_str(), "secrets"][..],
            &words(line),
            &["--backend", "local"],
        ]
        .concat();
        let mut work = self.work(&command);
        work.variables
            .push(("XDG_DATA_HOME".to_owned(), data.to_owned()));
        work
    }

    /// Returns a command that saves a file of so many keys.
    fn set_from_file(&self, lines: usize) -> Result<Work> {
        let file = self.path(&format!("{lines}.env")).display().to_string();
        let text: Vec<String> = (0..lines)
            .map(|line| format!("K{line:05}=v{line}"))
            .collect();
        fs::write(&file, text.join("\n"))?;
        let data = self.path(&format!("data-{lines}")).display().to_string();
        Ok(self.secrets(&format!("set many --skip --file {file}"), &data))
    }

    /// Returns a command of the host where 500 plugins lie in the last of 200 folders of the path.
    fn crowded(&self, words: &[&str]) -> Result<Work> {
        let folder = |number| self.path("path").join(format!("{number}"));
        let mut path = vec![self.path("bin").display().to_string()];
        for number in 0..200 {
            fs::create_dir_all(folder(number))?;
            path.push(folder(number).display().to_string());
        }
        let script = "cd \"$0\" && for n in $(seq 500); do printf '#!/bin/sh\\n# bot-cli-plugin: {\"protocol\":\"1.0\",\"name\":\"p%s\",\"version\":\"1.0.0\"}\\n' $n >bot-cli-p$n; done && chmod 755 bot-cli-p*";
        self.work(&["sh", "-c", script, &folder(199).display().to_string()])
            .run()?;
        let mut host = self.work(&[&[self.bin("bot-cli").as_str()], words].concat());
        host.variables.retain(|(name, _)| name != "PATH");
        host.variables.push(("PATH".to_owned(), path.join(":")));
        // What was found is kept for the next time.
        host.run()?;
        Ok(host)
    }

    /// Follows a log for some seconds.
    fn follow(&self) -> Result<String> {
        const SECONDS: usize = 20;
        let user = User::with_key();
        let service = user.service();
        service
            .world()
            .deploy(ORGANIZATION, "my-bot", &json!({"image": "me/bot:1"}));
        let mut follow = self.work(&[
            &self.bin("bot-cli-cloud"),
            "agents",
            "logs",
            "my-bot",
            "--follow",
        ]);
        let variables = user.variables().iter();
        follow.variables = variables
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect();
        let mut child = follow.command(&user.work()).stdout(Stdio::null()).spawn()?;
        let begun = Instant::now();
        let mut busiest = 0;
        for tenth in 0..SECONDS * 10 {
            let now = jiff::Timestamp::now().as_millisecond();
            let texts: Vec<String> = (0..200)
                .map(|line| format!("line {tenth}-{line}"))
                .collect();
            let lines: Vec<(i64, &str)> = texts.iter().map(|text| (now, text.as_str())).collect();
            service.world().log(ORGANIZATION, "my-bot", &lines);
            if tenth % 10 == 0 {
                busiest = busiest.max(service.take_sent().len());
            }
            let next = Duration::from_millis(100 * (tenth as u64 + 1));
            thread::sleep(next.saturating_sub(begun.elapsed()));
        }
        child.kill()?;
        child.wait()?;
        Ok(format!("{busiest} at most"))
    }

    /// Counts the system calls of `dev` while nothing happens to a project with a virtual environment.
    fn idle(&self) -> Result<String> {
        const SECONDS: u64 = 10;
        let folder = self.path("dev");
        fs::create_dir_all(&folder)?;
        self.init("made --transport=p2p_webrtc --mode=cascade --stt=deepgram_stt --llm=openai_llm --tts=cartesia_tts").run_in(&folder)?;
        let python = newest_interpreter().map_err(|problem| anyhow!(problem))?;
        let server = folder.join("made/server");
        self.work(&[&python, "-m", "venv", "venv"])
            .run_in(&server)?;
        // In place of the bot, which would be downloaded, a program that answers at its port.
        let uv = self.path("bin/uv");
        let port = bot_cli_tests::port::free_port()?;
        bot_cli_tests::bench::write_script(
            &uv,
            &format!("#!/bin/sh\ncase $1 in run) exec {python} -m http.server {port};; esac\n"),
        )?;
        let mut dev = self.work(&[&self.bin("bot-cli-dev"), "--port", &port.to_string()]);
        let variables = ["DEEPGRAM_API_KEY", "OPENAI_API_KEY", "CARTESIA_API_KEY"];
        dev.variables
            .extend(variables.map(|name| (name.to_owned(), "x".to_owned())));
        let mut child = dev.command(&folder.join("made")).spawn()?;
        thread::sleep(Duration::from_secs(4));
        let trace = self.path("trace");
        let pid = child.id().to_string();
        let trace_text = trace.display().to_string();
        let words = [
            "timeout",
            "--signal=INT",
            &SECONDS.to_string(),
            "strace",
            "-f",
            "-c",
            "-o",
            &trace_text,
            "-p",
            &pid,
        ];
        let traced = self.work(&words).command(&folder).status();
        let is_up = child.try_wait()?.is_none();
        Command::new("kill").args(["-INT", &pid]).status()?;
        child.wait()?;
        fs::remove_file(uv)?;
        traced?;
        ensure!(is_up, "dev has ended");
        let calls = total(&fs::read_to_string(trace)?)?;
        Ok(format!("{:.1}", calls as f64 / SECONDS as f64))
    }
}

impl Work {
    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.command[0]);
        command
            .args(&self.command[1..])
            .current_dir(folder)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn run(&self) -> Result<Duration> {
        match &self.folder {
            Some(folder) => self.run_in(folder),
            None => self.run_in(
                tempfile::tempdir_in("/dev/shm")
                    .or_else(|_| tempfile::tempdir())?
                    .path(),
            ),
        }
    }

    /// Runs the command in `folder` and returns the time from start to exit.
    fn run_in(&self, folder: &Path) -> Result<Duration> {
        let mut command = self.command(folder);
        let start = Instant::now();
        let status = command
            .status()
            .with_context(|| format!("`{}` is not there", self.command[0]))?;
        let took = start.elapsed();
        ensure!(status.success(), "{:?}: {status}", self.command);
        Ok(took)
    }

    /// Runs the command by another program.
    fn by(&self, program: &[&str]) -> Self {
        let program = program.iter().map(|word| (*word).to_owned());
        Self {
            command: program.chain(self.command.iter().cloned()).collect(),
            folder: self.folder.clone(),
            variables: self.variables.clone(),
        }
    }
}

/// Returns the median times of both commands and their ratio. The runs alternate, so that what else the machine does affects both.
fn compare(ours: &Work, other: &Work, rounds: usize) -> Result<String> {
    // The first run of each warms caches and does not count.
    ours.run()?;
    other.run()?;
    let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        our_times.push(ours.run()?);
        their_times.push(other.run()?);
    }
    let [ours, theirs] = [our_times, their_times].map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    });
    Ok(ratio_of(ours, theirs, "ms"))
}

fn ratio_of(ours: f64, other: f64, unit: &str) -> String {
    let ratio = ours / other;
    let ratio = if ratio < 0.1 {
        format!("1/{:.0}", 1.0 / ratio)
    } else {
        format!("{ratio:.2}")
    };
    format!("{ratio:>7}  ({ours:.1} {unit}, {other:.1} {unit})")
}

/// Counts the system calls of a command and its children.
fn calls(work: &Work) -> Result<String> {
    let trace = tempfile::NamedTempFile::new()?;
    let place = trace.path().display().to_string();
    work.by(&[&found("strace")?, "-f", "-c", "-o", &place])
        .run()?;
    Ok(total(&fs::read_to_string(&place)?)?.to_string())
}

/// Returns the number of calls in a summary of strace.
fn total(summary: &str) -> Result<u64> {
    let line = summary
        .lines()
        .find(|line| line.trim_end().ends_with("total"));
    let number = line.and_then(|line| line.split_whitespace().nth(3)?.parse().ok());
    number.context("strace counted nothing")
}

/// Returns the path of a program that counts.
fn found(program: &str) -> Result<String> {
    let path = which::which(program).with_context(|| format!("`{program}` is not installed"))?;
    Ok(path.display().to_string())
}

/// Counts the instructions of a command.
fn instructions(work: &Work) -> Result<String> {
    let counts = tempfile::NamedTempFile::new()?;
    let out = format!("--callgrind-out-file={}", counts.path().display());
    work.by(&[&found("valgrind")?, "-q", "--tool=callgrind", &out])
        .run()?;
    let text = fs::read_to_string(counts.path())?;
    let total = text.lines().find_map(|line| {
        line.strip_prefix("summary: ")
            .or_else(|| line.strip_prefix("totals: "))
    });
    let total: f64 = total.context("valgrind counted nothing")?.trim().parse()?;
    Ok(format!("{:.1}", total / 1e6))
}

/// Returns the most memory that a command had, in bytes.
fn peak(work: &Work) -> Result<u64> {
    let python = newest_interpreter().map_err(|problem| anyhow!(problem))?;
    let program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=2); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
    let measured = work.by(&[&python, "-c", program]);
    let folder = TempDir::new()?;
    let output = measured
        .command(folder.path())
        .stdout(Stdio::piped())
        .output()?;
    let kib: u64 = String::from_utf8(output.stdout)?.trim().parse()?;
    Ok(kib * 1024)
}

/// Builds the executables and returns their paths.
fn build(arguments: &Arguments) -> Result<Vec<PathBuf>> {
    let mut cargo = nested_cargo();
    cargo.args(["build", "--release"]);
    cargo.args(
        arguments
            .target
            .iter()
            .flat_map(|target| ["--target", target]),
    );
    cargo.args(
        EXECUTABLES
            .iter()
            .flat_map(|package| ["--package", package]),
    );
    let files = built(&mut cargo).map_err(|problem| anyhow!(problem))?;
    let file = |name: &&str| files.get(*name).cloned().context("cargo has not built it");
    EXECUTABLES.iter().map(file).collect()
}

/// Describes where the rows come from.
fn machine(folder: &Path) -> Result<String> {
    let output = Command::new("stat")
        .args(["-f", "-c", "%T"])
        .arg(folder)
        .output()?;
    let system = String::from_utf8(output.stdout)?;
    let load = fs::read_to_string("/proc/loadavg")?;
    let load = load.split(' ').next().unwrap_or_default();
    let cores = thread::available_parallelism()?;
    Ok(format!(
        "On {} ({}), {cores} cores, load {load}",
        folder.display(),
        system.trim()
    ))
}

/// The arguments of a project with a React client.
fn client() -> String {
    format!("{OURS} --deploy-to-cloud --client-framework=react --client-server=vite")
}

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

#[allow(
    clippy::print_stdout,
    reason = "a benchmark's result is what it prints"
)]
fn say(line: &str) {
    println!("{line}");
}
