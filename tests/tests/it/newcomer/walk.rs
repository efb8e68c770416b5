//! Types lines at a terminal, and returns to where they were printed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use bot_cli_tests::bench::Bench;
use bot_cli_tests::port::free_port;
use bot_cli_tests::pty::{CTRL_C, ENTER, Terminal};
use bot_cli_tests::service::{Service, World};
use bot_cli_tests::signing_in::{agree, visit};

use super::data::{Data, Situation};
use super::found::{self, Steps};

/// How often a line is typed in one folder of one situation, however many changes came before it.
const AGAIN: usize = 2;

/// How long a line may be silent before it counts as a question without an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most answers that a line may ask for.
const ANSWERS: usize = 60;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A line that leads nowhere.
pub struct DeadEnd {
    pub line: String,
    pub report: String,
}

/// Lines to type, one after another.
struct Open {
    place: usize,
    steps: Steps,
    /// The lines that led here, the last of which printed these.
    chain: Vec<String>,
    /// Whether these are of the documentation, whose readers have the files that it names.
    has_files: bool,
}

/// The result of a line.
struct Said {
    status: Option<i32>,
    text: String,
    folder: String,
}

pub struct Walk<'a> {
    data: &'a Data,
    situation: &'a Situation,
    bench: Bench,
    service: Service,
    /// What can be printed in: the service, and where the user is. `kept` has the copies of the user's folders.
    places: Vec<(World, String)>,
    /// The place in which the folders and the service are.
    now: usize,
    is_changed: bool,
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
        bench.set("BOT_CLI_KEYRING", "off");
        bench.set("NO_COLOR", "1");
        bench.set("TERM", "dumb");
        bench.set("LANG", "C.UTF-8");
        let uv = Path::new(env!("CARGO_BIN_EXE_it-uv"));
        bench.install(uv, "it-uv").unwrap();
        bench.put("bin/uv", include_str!("uv.sh"));
        bench.put("bin/npm", include_str!("npm.sh"));
        bench.put("bin/xdg-open", "#!/bin/sh\n");
        bench.put("bin/pass", "#!/bin/sh\necho user:some-value\n");
        for name in &situation.missing {
            fs::remove_file(bench.path("bin").join(name)).unwrap();
        }
        Self {
            data,
            situation,
            bench,
            service,
            places: Vec::new(),
            now: 0,
            is_changed: false,
            open: Vec::new(),
            typed: BTreeMap::new(),
            count: 0,
            dead_ends: Vec::new(),
        }
    }

    /// Follows everything. Returns the number of lines, and those that lead nowhere.
    pub fn finish(mut self) -> (usize, Vec<DeadEnd>) {
        for line in &self.situation.made {
            let meant = self.meant(line).unwrap();
            let said = self.type_in(&meant, "work");
            assert_eq!(said.status, Some(0), "{line}: {}", said.text);
            let made = self.kept("work");
            self.queue(made, std::slice::from_ref(line), &said.text);
        }
        let root = format!("work/{}", self.situation.project);
        let root = root.trim_end_matches('/');
        let start = self.type_in(":", &format!("{root}/{}", self.situation.folder));
        let start = self.kept(&start.folder);
        for name in self.situation.reads.iter().rev() {
            self.read(name, root, start);
        }
        while let Some(open) = self.open.pop() {
            self.follow(&open);
        }
        (self.count, self.dead_ends)
    }

    /// Opens the lines of something to read.
    fn read(&mut self, name: &str, root: &str, start: usize) {
        let mut places = vec![start];
        let mut has_files = true;
        let found = match name {
            "mistakes" => {
                let said = include_str!("../mistakes.txt").lines();
                let hints = said.filter(|it| it.starts_with("hint: ") && !it.contains("[BENCH]"));
                found::printed(&hints.collect::<Vec<_>>().join("\n"), &self.data.programs)
            }
            "bot" => {
                has_files = false;
                let server = format!("{root}/server");
                places = vec![self.kept(root), self.kept(&server)];
                let settings = self.bench.path(&server).join("settings.py");
                found::of_the_bot(&fs::read_to_string(settings).unwrap())
            }
            "help" => vec![vec!["bot-cli --help".to_owned()]],
            page => {
                let path = if let Some(below) = page.strip_prefix('/') {
                    Path::new(REPOSITORY).join(below)
                } else {
                    has_files = false;
                    places = vec![self.kept(root)];
                    self.bench.path(root).join(page)
                };
                let all = found::on_page(&fs::read_to_string(path).unwrap());
                let in_order = self.data.in_order.iter().any(|it| it == page);
                if in_order { vec![all.concat()] } else { all }
            }
        };
        for place in places {
            self.open_all(place, &[name.to_owned()], &found, has_files);
        }
    }

    fn open_all(&mut self, place: usize, chain: &[String], found: &[Steps], has_files: bool) {
        let found = found.iter().rev();
        let new = found.filter(|steps| !steps.iter().all(|line| chain.contains(line)));
        self.open.extend(new.map(|steps| Open {
            place,
            steps: steps.clone(),
            chain: chain.to_vec(),
            has_files,
        }));
    }

    fn queue(&mut self, place: usize, chain: &[String], said: &str) {
        let found = found::printed(said, &self.data.programs);
        self.open_all(place, chain, &found, false);
    }

    fn follow(&mut self, open: &Open) {
        let mut place = open.place;
        let mut chain = open.chain.clone();
        for line in &open.steps {
            let folder = self.places[place].1.clone();
            let key = (folder.clone(), line.clone());
            let times = self.typed.entry(key).or_default();
            *times += 1;
            if open.steps.len() == 1 && *times > AGAIN {
                return;
            }
            if self.data.not_here.keys().any(|it| line.contains(it)) {
                continue;
            }
            let meant = match self.meant(line) {
                Ok(meant) => meant,
                Err(problem) => return self.dead_end(line, &folder, &chain, &problem),
            };
            self.be_at(place);
            let page = open.chain.first();
            let mut at = self.data.at.iter();
            let at = at.find(|it| line.starts_with(&it.1) && Some(&it.0) == page);
            let typed_in = at.map_or(folder.clone(), |it| {
                format!("work/{}/{}", self.situation.project, it.2)
            });
            let mut made = self.data.made.iter();
            if let Some((_, script)) = made.find(|it| open.has_files && line.contains(it.0)) {
                self.type_in(script, &typed_in);
                self.is_changed = true;
            }
            let before = self.state();
            self.count += 1;
            let said = self.type_in(&meant, &typed_in);
            self.is_changed |= self.state() != before;
            chain.push(line.clone());
            let printed = found::printed(&said.text, &self.data.programs);
            let is_last = open.steps.last() == Some(line);
            if (self.is_changed || said.folder != folder) && !(printed.is_empty() && is_last) {
                place = self.kept(&said.folder);
            }
            if !line.ends_with("--help") {
                self.open_all(place, &chain, &printed, false);
            } else if chain[0] == "help" {
                self.open_all(place, &chain, &found::of_help(line, &said.text), true);
            }
            let is_new = printed.iter().flatten().any(|it| !chain.contains(it));
            if said.status != Some(0) && !is_new {
                let problem = format!("exit status {:?}\n{}", said.status, said.text);
                self.dead_end(line, &typed_in, &chain, &problem);
            }
            let last = &chain[chain.len().saturating_sub(2)..];
            let has_next = said.text.lines().any(|it| it.starts_with("next: "));
            let mut next = printed.iter().take(1).flatten();
            if said.status == Some(0) && has_next && next.all(|it| last.contains(it)) {
                let problem = format!("only repeats what was typed\n{}", said.text);
                self.dead_end(line, &typed_in, &chain, &problem);
            }
        }
    }

    /// Returns the line as a reader types it, or a problem.
    fn meant(&self, line: &str) -> Result<String, String> {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut meant = line.to_owned();
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
        let is_open = |word: &&str| {
            let bare = word.trim_matches(|letter: char| !is_word(letter));
            let is_name =
                bare.len() > 1 && bare.chars().all(|it| it.is_ascii_uppercase() || it == '_');
            let is_set = word.contains(['=', '$']) || self.data.values.contains_key(bare);
            word.contains('…') || word.contains("...") || is_name && !is_set
        };
        let open = meant.split_whitespace().find(is_open);
        match open.filter(|_| !meant.contains('\n')) {
            Some(word) => Err(format!("`{word}` has no value in the data")),
            None => Ok(meant),
        }
    }

    /// Types a line, answers its questions, and ends what would run for ever.
    fn type_in(&self, line: &str, folder: &str) -> Said {
        let mut line = line
            .replace("[BENCH]", &self.root())
            .replace("[REPOSITORY]", REPOSITORY);
        line = line.replace("[SERVICE]", self.service.url());
        if line.contains("bot-cli dev") && !line.contains("--help") {
            // Situations run at once.
            line = format!("{line} --port {}", free_port().unwrap());
        }
        let script = "trap : INT; cd \"$HOME/../$1\" || exit; eval \"$2\"; status=$?; pwd >\"$HOME/../folder\"; exit $status";
        let words = ["/bin/sh", "-c", script, "sh", folder, &line];
        let mut terminal = Terminal::in_bench(&self.bench, &words, 50, 500).unwrap();
        terminal.be_patient(PATIENCE);
        let mut text = String::new();
        let mut is_ended = false;
        for _ in 0..ANSWERS {
            let mut keys = None;
            let seen = terminal.wait_for_answer("", |said| {
                keys = self.reaction(&line, said);
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
        let status = terminal.end().ok().and_then(|it| it.status.code());
        let text = text.replace('\r', "").replace(&self.root(), "[BENCH]");
        let folder = fs::read_to_string(self.bench.path("folder")).unwrap_or_default();
        let folder = folder.trim().trim_start_matches(&self.root());
        Said {
            status: status.map(|it| if is_ended && it == 130 { 0 } else { it }),
            text: text.replace(self.service.url(), "[SERVICE]"),
            folder: folder.trim_start_matches('/').to_owned(),
        }
    }

    /// Returns the keys that follow what a line has just said.
    fn reaction(&self, line: &str, said: &str) -> Option<String> {
        let mut served = self.data.served.iter();
        if served.any(|it| line.contains(&it.0) && said.contains(&it.1)) {
            return Some(CTRL_C.to_owned());
        }
        let mut words = said.split_whitespace();
        if let Some(address) = words.find(|word| word.contains("/authorize?"))
            && said.ends_with('\n')
        {
            visit(&agree(address));
            return Some(String::new());
        }
        let asked = said.rsplit('\n').next()?;
        let is_question = [": ", ") ", "? "].iter().any(|it| asked.ends_with(it));
        let mut answers = self.data.answers.iter();
        let answer = answers.find(|it| is_question && asked.contains(&it.0))?;
        Some(format!("{}{ENTER}", answer.1))
    }

    /// Restores a place.
    fn be_at(&mut self, place: usize) {
        if self.now == place && !self.is_changed {
            return;
        }
        self.service.settle();
        *self.service.world() = self.places[place].0.clone();
        self.sh(&format!(
            "rm -rf home work && cp -a kept/{place}/home kept/{place}/work ."
        ));
        self.now = place;
        self.is_changed = false;
    }

    /// Keeps the folders and the service as they are, with this folder as the user's.
    fn kept(&mut self, folder: &str) -> usize {
        let place = self.places.len();
        self.service.settle();
        self.sh(&format!(
            "mkdir -p kept/{place} && cp -a home work kept/{place}"
        ));
        let world = self.service.world().clone();
        self.places.push((world, folder.to_owned()));
        self.now = place;
        self.is_changed = false;
        place
    }

    /// Returns when each file was written, and what the service has.
    fn state(&self) -> String {
        self.service.settle();
        let list = "find home work -path home/.cache -prune -o -type d -print -o";
        let files = self.sh(&format!("{list} -printf '%p %s %T@\\n'"));
        files + &self.service.stored().to_string()
    }

    fn sh(&self, script: &str) -> String {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]).current_dir(self.bench.path(""));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn dead_end(&mut self, line: &str, folder: &str, chain: &[String], problem: &str) {
        let name = &self.situation.name;
        let from = chain.join(" > ");
        let problem = problem.replace('\n', "\n  | ");
        self.dead_ends.push(DeadEnd {
            line: line.to_owned(),
            report: format!("$ {line}\n  [{name}] in {folder}\n  from: {from}\n  | {problem}\n"),
        });
    }

    fn root(&self) -> String {
        let root = self.bench.path("");
        root.to_str().unwrap().trim_end_matches('/').to_owned()
    }
}
