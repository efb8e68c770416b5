//! Types lines at a terminal, and returns to where they were printed.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;
use bot_cli_tests::pty::{CTRL_C, ENTER, Terminal};
use bot_cli_tests::service::{Service, World};
use bot_cli_tests::signing_in::{agree, visit};
use pty_process::blocking::Command;

use super::data::{Data, Situation};
use super::found::{self, Steps};

/// How often a line is typed in one folder of one situation, however many changes came before it.
const AGAIN: usize = 2;

/// How long a line may be silent before it counts as a question without an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most answers that a line may ask for.
const ANSWERS: usize = 60;

/// A line that leads nowhere.
#[derive(Debug)]
pub struct DeadEnd {
    pub line: String,
    situation: String,
    folder: String,
    chain: Vec<String>,
    problem: String,
}

/// What can be printed: a copy of the user's folders, the service, and where the user is.
struct Place {
    copy: Option<PathBuf>,
    world: World,
    folder: String,
}

/// Lines to type, one after another.
struct Open {
    place: usize,
    steps: Steps,
    /// The lines that led here, the last of which printed these.
    chain: Vec<String>,
    /// Whether the reader of these lines has the files that they name.
    has_files: bool,
    /// Whether a line is typed although one before it failed.
    goes_on: bool,
}

/// The result of a line.
struct Said {
    status: Option<i32>,
    text: String,
    folder: String,
}

/// When each file was written, and what the service has.
type State = (BTreeMap<PathBuf, (u64, SystemTime)>, String);

pub struct Walk<'a> {
    data: &'a Data,
    situation: &'a Situation,
    bench: Bench,
    service: Service,
    /// The place in which the folders and the service are.
    now: usize,
    is_changed: bool,
    places: Vec<Place>,
    open: Vec<Open>,
    typed: BTreeMap<(String, String), usize>,
    count: usize,
    dead_ends: Vec<DeadEnd>,
}

impl<'a> Walk<'a> {
    pub fn new(data: &'a Data, situation: &'a Situation) -> Self {
        let mut bench = Bench::whole().unwrap();
        let service = Service::start().unwrap();
        bench.set("BOT_CLI_API_URL", service.url());
        for (name, value) in [
            ("BOT_CLI_KEYRING", "off"),
            ("NO_COLOR", "1"),
            ("TERM", "dumb"),
            ("LANG", "C.UTF-8"),
        ] {
            bench.set(name, value);
        }
        let uv = Path::new(env!("CARGO_BIN_EXE_it-uv"));
        bench.install(uv, "it-uv").unwrap();
        bench.put("bin/uv", include_str!("uv.sh"));
        bench.put("bin/npm", include_str!("npm.sh"));
        bench.put("bin/xdg-open", "#!/bin/sh\n");
        bench.put("bin/pass", "#!/bin/sh\necho user:some-value\n");
        for name in &situation.missing {
            fs::remove_file(bench.path("bin").join(name)).unwrap();
        }
        let world = service.world().clone();
        Self {
            data,
            situation,
            bench,
            service,
            now: 0,
            is_changed: false,
            places: vec![Place {
                copy: None,
                world,
                folder: "work".to_owned(),
            }],
            open: Vec::new(),
            typed: BTreeMap::new(),
            count: 0,
            dead_ends: Vec::new(),
        }
    }

    /// Follows everything. Returns the number of lines, and those that lead nowhere.
    pub fn finish(mut self) -> (usize, Vec<DeadEnd>) {
        if self.situation.signed_in {
            self.set_up("bot-cli cloud auth login");
        }
        if let Some((last, before)) = self.situation.made.split_last() {
            for line in before {
                self.set_up(line);
            }
            let said = self.set_up(last);
            let made = self.kept("work");
            self.queue(made, std::slice::from_ref(last), &said);
        }
        let folder = Path::new("work").join(&self.situation.folder);
        let start = self.kept(folder.to_str().unwrap());
        for name in self.situation.reads.iter().rev() {
            self.read(name, start);
        }
        while let Some(open) = self.open.pop() {
            self.follow(&open);
        }
        (self.count, self.dead_ends)
    }

    fn set_up(&mut self, line: &str) -> String {
        let said = self.type_in(line, "work");
        assert_eq!(said.status, Some(0), "{line}: {}", said.text);
        said.text
    }

    /// Adds what a page has to the lines that are open.
    fn read(&mut self, name: &str, start: usize) {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let root = Path::new("work").join(&self.situation.project);
        let root = root.to_str().unwrap().to_owned();
        let mut open = |place, chain: &str, steps, has_files, goes_on| {
            let chain = vec![chain.to_owned()];
            self.open.push(Open {
                place,
                steps,
                chain,
                has_files,
                goes_on,
            });
        };
        match name {
            "help" => open(start, name, vec!["bot-cli --help".to_owned()], true, false),
            "mistakes" => {
                let all = include_str!("../mistakes.txt").lines();
                let hints =
                    all.filter(|line| line.starts_with("hint: ") && !line.contains("[BENCH]"));
                let hints = hints.collect::<Vec<_>>().join("\n");
                for steps in found::printed(&hints, &self.data.programs) {
                    open(start, name, steps, true, false);
                }
            }
            "bot" => {
                let server = format!("{root}/server");
                let settings = self.bench.path(&server).join("settings.py");
                let ways = found::of_the_bot(&fs::read_to_string(settings).unwrap());
                let places = [self.kept(&root), self.kept(&server)];
                for place in places {
                    for steps in ways.clone() {
                        let chain = vec!["uv run bot.py".to_owned()];
                        let (has_files, goes_on) = (false, false);
                        self.open.push(Open {
                            place,
                            steps,
                            chain,
                            has_files,
                            goes_on,
                        });
                    }
                }
            }
            name => {
                let is_of_the_project = !name.contains('/') && name != "../README.md";
                let (folder, page) = if is_of_the_project {
                    (self.bench.path(&root), self.kept(&root))
                } else {
                    (repository, start)
                };
                let text = fs::read_to_string(folder.join(name.trim_start_matches("../"))).unwrap();
                let in_order = self
                    .data
                    .page
                    .iter()
                    .any(|it| it.path == name && it.in_order);
                let all = found::on_page(&text);
                let all = if in_order { vec![all.concat()] } else { all };
                for steps in all.into_iter().rev() {
                    let chain = vec![name.to_owned()];
                    self.open.push(Open {
                        place: page,
                        steps,
                        chain,
                        has_files: !is_of_the_project,
                        goes_on: in_order,
                    });
                }
            }
        }
    }

    fn queue(&mut self, place: usize, chain: &[String], output: &str) {
        for steps in found::printed(output, &self.data.programs)
            .into_iter()
            .rev()
        {
            if steps.iter().all(|line| chain.contains(line)) {
                continue;
            }
            let chain = chain.to_vec();
            self.open.push(Open {
                place,
                steps,
                chain,
                has_files: false,
                goes_on: false,
            });
        }
    }

    fn follow(&mut self, open: &Open) {
        let mut place = open.place;
        let mut chain = open.chain.clone();
        for line in &open.steps {
            let folder = self.places[place].folder.clone();
            let times = self
                .typed
                .entry((folder.clone(), line.clone()))
                .or_default();
            *times += 1;
            let is_alone = open.steps.len() == 1;
            if is_alone && *times > AGAIN {
                return;
            }
            let Some(meant) = self.meant(line) else {
                continue;
            };
            let meant = match meant {
                Ok(meant) => meant,
                Err(problem) => return self.dead_end(line, &folder, &chain, problem),
            };
            self.be_at(place);
            let page = open.chain.first();
            let at = self
                .data
                .at
                .iter()
                .find(|it| line.starts_with(&it.line) && Some(&it.page) == page);
            let typed_in = match at {
                Some(at) => {
                    let root = Path::new("work").join(&self.situation.project);
                    root.join(&at.folder).to_str().unwrap().to_owned()
                }
                None => folder.clone(),
            };
            let made = self
                .data
                .made
                .iter()
                .filter(|(name, _)| line.contains(*name));
            for (_, script) in made.filter(|_| open.has_files) {
                self.type_in(script, &typed_in);
                self.is_changed = true;
            }
            let before = self.state();
            self.count += 1;
            let said = self.type_in(&meant, &typed_in);
            let moved = said.folder.clone();
            self.is_changed |= self.state() != before;
            chain.push(line.clone());
            let is_last = open.steps.last() == Some(line);
            let printed = found::printed(&said.text, &self.data.programs);
            let is_read = self.situation.reads.iter().any(|it| it == "help");
            let is_help = line.ends_with("--help");
            if (self.is_changed || moved != folder) && (!printed.is_empty() || !is_last) {
                place = self.kept(&moved);
            }
            if is_help {
                if is_read {
                    self.read_help(place, line, &chain, &said.text);
                }
            } else {
                self.queue(place, &chain, &said.text);
            }
            let is_new = |steps: &Steps| steps.iter().any(|it| !chain.contains(it));
            if said.status != Some(0) && !printed.iter().any(is_new) {
                let status = said.status.map_or("it does not end".to_owned(), |it| {
                    format!("exit status {it}")
                });
                let problem = format!("{status}\n{}", said.text);
                self.dead_end(line, &typed_in, &chain, problem);
            }
            let before = chain.len().saturating_sub(2);
            let is_repeated = |steps: &&Steps| steps.iter().all(|it| chain[before..].contains(it));
            let next = printed
                .first()
                .filter(|_| said.text.lines().any(|it| it.starts_with("next: ")));
            if said.status == Some(0) && next.is_some_and(|next| is_repeated(&next)) {
                let problem = format!("only repeats what was typed\n{}", said.text);
                self.dead_end(line, &typed_in, &chain, problem);
            }
            if said.status != Some(0) && !open.goes_on {
                return;
            }
        }
    }

    /// Adds the examples of a help text, and the help of the commands that it lists.
    fn read_help(&mut self, place: usize, line: &str, chain: &[String], help: &str) {
        let path = line.trim_end_matches("--help");
        let below: Vec<_> = found::listed(help);
        let below = below.into_iter().map(|name| format!("{path}{name} --help"));
        let examples = Some(found::examples(help)).filter(|it| !it.is_empty());
        let below = below.map(|line| vec![line]);
        for steps in examples.into_iter().chain(below).rev() {
            let chain = chain.to_vec();
            self.open.push(Open {
                place,
                steps,
                chain,
                has_files: true,
                goes_on: true,
            });
        }
    }

    /// Returns the line as a reader types it, a problem, or nothing if it can't be typed here.
    fn meant(&self, line: &str) -> Option<Result<String, String>> {
        if self
            .data
            .not_here
            .iter()
            .any(|row| line.contains(&row.line))
        {
            return None;
        }
        let mut meant = line.replace("[BENCH]", &self.root());
        meant = meant.replace("[SERVICE]", self.service.url());
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        for (name, value) in &self.data.values {
            let mut done = String::new();
            let mut rest = meant.as_str();
            while let Some((before, after)) = rest.split_once(name.as_str()) {
                let begins = !before.ends_with(|it| is_word(it) || it == '$');
                let ends = !after.starts_with(is_word);
                let is_whole = !name.starts_with(is_word) || begins && ends;
                done.extend([before, if is_whole { value } else { name }]);
                rest = after;
            }
            done.push_str(rest);
            meant = done;
        }
        let is_open = |word: &str| {
            let bare = word.trim_matches(|letter: char| !is_word(letter));
            let is_name =
                bare.len() > 1 && bare.chars().all(|it| it.is_ascii_uppercase() || it == '_');
            let is_set = word.contains('=') || word.contains('$');
            word.contains('…')
                || word.contains("...")
                || is_name && !is_set && !self.data.values.contains_key(bare)
        };
        let open = meant.split_whitespace().find(|word| is_open(word));
        Some(match open.filter(|_| !meant.contains('\n')) {
            Some(word) => Err(format!("`{word}` has no value in the data")),
            None => Ok(meant),
        })
    }

    /// Types a line, answers its questions, and ends what would run for ever.
    fn type_in(&self, line: &str, folder: &str) -> Said {
        let served = self.data.served.iter().filter(|it| line.contains(&it.line));
        let served: Vec<_> = served.collect();
        let with = served
            .iter()
            .map(|it| it.with.as_str())
            .find(|it| !it.is_empty());
        let with = with
            .filter(|_| !line.contains("--help"))
            .unwrap_or_default();
        let line = format!(
            "{line}{}",
            with.replace("PORT", &free_port().unwrap().to_string())
        );
        let script =
            "trap : INT; cd \"$1\" || exit; eval \"$2\"; status=$?; pwd >\"$3\"; exit $status";
        let after = self.bench.path("folder");
        let shell = self.bench.command(Path::new("/bin/sh"));
        let mut command = Command::new("/bin/sh").env_clear();
        for (name, value) in shell.get_envs() {
            command = command.env(name, value.unwrap_or_default());
        }
        let command = command
            .args(["-c", script, "sh"])
            .arg(self.bench.path(folder))
            .arg(&line)
            .arg(&after);
        let mut terminal = Terminal::start(command, 50, 500).unwrap();
        terminal.be_patient(PATIENCE);
        let mut text = String::new();
        let mut is_ended = false;
        for _ in 0..ANSWERS {
            let mut keys = None;
            let seen = terminal.wait_for_answer("", |said| {
                keys = self.reaction(said, &served);
                keys.is_some()
            });
            text.push_str(&terminal.answer());
            let (Ok(()), Some(keys)) = (seen, keys) else {
                break;
            };
            is_ended |= keys == CTRL_C;
            if terminal.press(&keys).is_err() {
                break;
            }
        }
        let _ = terminal.press(CTRL_C);
        let ended = terminal.end();
        let text = text.replace('\r', "").replace(&self.root(), "[BENCH]");
        let text = text.replace(self.service.url(), "[SERVICE]");
        let status = ended.ok().and_then(|it| it.status.code());
        let folder = fs::read_to_string(after).unwrap_or_default();
        let folder = folder.trim().trim_start_matches(&self.root());
        Said {
            status: status.map(|it| if is_ended && it == 130 { 0 } else { it }),
            text,
            folder: folder.trim_start_matches('/').to_owned(),
        }
    }

    /// Returns the keys that follow what a program has just said.
    fn reaction(&self, said: &str, served: &[&super::data::Served]) -> Option<String> {
        if served.iter().any(|it| said.contains(&it.said)) {
            return Some(CTRL_C.to_owned());
        }
        let mut words = said.split_whitespace();
        if let Some(address) = words.find(|word| word.contains("/authorize?"))
            && said.ends_with('\n')
        {
            visit(&agree(address));
            return Some(String::new());
        }
        let asked = said.rsplit('\n').next().filter(|it| !it.is_empty())?;
        let is_question = asked.ends_with(": ") || asked.ends_with(") ") || asked.ends_with("? ");
        let answer = self.data.answer.iter().find(|it| asked.contains(&it.asked));
        answer
            .filter(|_| is_question)
            .map(|it| format!("{}{ENTER}", it.typed))
    }

    /// Restores a place.
    fn be_at(&mut self, place: usize) {
        if self.now == place && !self.is_changed {
            return;
        }
        let here = &self.places[place];
        self.service.settle();
        *self.service.world() = here.world.clone();
        if let Some(copy) = &here.copy {
            self.sh(&format!(
                "rm -rf home work && cp -a {0}/home {0}/work .",
                copy.display()
            ));
        }
        self.now = place;
        self.is_changed = false;
    }

    /// Keeps the folders and the service as they are, with this folder as the user's.
    fn kept(&mut self, folder: &str) -> usize {
        let number = self.places.len();
        let copy = self.bench.path(&format!("kept/{number}"));
        self.service.settle();
        self.sh(&format!(
            "mkdir -p {0} && cp -a home work {0}",
            copy.display()
        ));
        let world = self.service.world().clone();
        self.places.push(Place {
            copy: Some(copy),
            world,
            folder: folder.to_owned(),
        });
        self.now = number;
        self.is_changed = false;
        number
    }

    fn sh(&self, script: &str) {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", script]).current_dir(self.bench.path(""));
        assert!(shell.status().unwrap().success(), "{script}");
    }

    fn state(&self) -> State {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.bench.path("home"), self.bench.path("work")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let about = fs::symlink_metadata(&path).unwrap();
                if path.ends_with("home/.cache") {
                    continue;
                }
                if about.is_dir() {
                    folders.push(path.clone());
                    files.insert(path, (0, SystemTime::UNIX_EPOCH));
                } else {
                    files.insert(path, (about.len(), about.modified().unwrap()));
                }
            }
        }
        self.service.settle();
        (files, self.service.stored().to_string())
    }

    fn dead_end(&mut self, line: &str, folder: &str, chain: &[String], problem: String) {
        self.dead_ends.push(DeadEnd {
            line: line.to_owned(),
            situation: self.situation.name.clone(),
            folder: folder.to_owned(),
            chain: chain.to_vec(),
            problem,
        });
    }

    fn root(&self) -> String {
        let root = self.bench.path("");
        root.to_str().unwrap().trim_end_matches('/').to_owned()
    }
}

impl fmt::Display for DeadEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            situation,
            folder,
            chain,
            problem,
        } = self;
        writeln!(formatter, "$ {line}\n  [{situation}] in {folder}")?;
        writeln!(formatter, "  from: {}", chain.join(" > "))?;
        problem
            .lines()
            .try_for_each(|it| writeln!(formatter, "  | {it}"))
    }
}
