//! The `dev` command: installs dependencies, starts the programs, and restarts the bot when its code changes.

use std::collections::{BTreeSet, VecDeque};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use bot_cli_engine::process;
use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_sdk::plugin::{Command as Plugin, Reply};
use bot_cli_sdk::session::Session;
use bot_cli_templates::catalogue::{BotType, Catalogue, Transport};
use serde_json::json;

use crate::changes::Watch;
use crate::evals::{self, Outcomes};
use crate::faults::Faults;
use crate::keys::Keys;
use crate::options::Options;
use crate::ports;
use crate::processes::{Heard, Running, Said, stop};
use crate::programs::Program;
use crate::project::{Client, Project};
use crate::shown::{Event, Shown};

/// The interval between checks of the ports that don't answer yet.
const TICK: Duration = Duration::from_millis(250);

/// The interval between checks that nothing else prompts: of the vault, and of programs whose output others keep open.
const IDLE: Duration = Duration::from_millis(500);

const BOT: &str = "bot";
const SERVER: &str = "server";
const CLIENT: &str = "client";
const EVAL: &str = "eval";
const SETUP: &str = "setup";

const USUAL_PORT: u16 = 7860;

/// The time limit for the last output of a program that has ended. A process that it started may keep the output open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The number of the bot's lines that are kept until it ends badly.
const KEPT: usize = 50;

impl Plugin for Options {
    const DIRECT: &'static [&'static str] = &[""];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        // Keep this process alive until its children have ended.
        let _held = session.cancel().hold();
        session.cancel().before_exit(process::kill_all);
        let project = Project::find(session.cwd(), &self).map_err(|failure| {
            if self.dir.as_os_str() == "help" {
                failure.hint("did you mean `bot-cli dev --help`?")
            } else {
                failure
            }
        })?;
        let transport = self
            .transport
            .as_deref()
            .map(|name| project.transport(name, session.cwd()));
        // The runner answers a carrier's webhook only for the carrier that it is told.
        let mut carriers = project.transports.iter().copied();
        let carrier = carriers.find(|one| one.carrier && !self.has_program());
        // `server.py` prepares calls for a bot that serves all.
        let serves_all = project.transports.iter().any(|it| it.call_server.is_some());
        let carrier = carrier.filter(|_| self.proxy.is_some() && !serves_all);
        let transport = transport.transpose()?.or(carrier);
        let (sender, heard) = mpsc::channel();
        let waker = sender.clone();
        // The receiver may be gone.
        let wake = move || drop(waker.send(Heard::Woken));
        session.cancel().on_request(wake);
        let mut work = Work {
            project: &project,
            options: &self,
            shown: Shown::new(session),
            sender,
            heard,
            watch: None,
            awaited: Vec::new(),
            running: Vec::new(),
            kept: VecDeque::new(),
            outcomes: Outcomes::default(),
            faults: Faults::default(),
            transport,
            opens: self.open,
        };
        let ended = work.run();
        let cancel = work.shown.session.cancel().clone();
        let is_urgent = cancel.count() > 1;
        stop(std::mem::take(&mut work.running), || {
            is_urgent || cancel.count() > 1
        });
        work.show_lines();
        let (_, mut data) = work.outcomes.conclude();
        let kept = work.kept;
        let status = ended?;
        session.exit_with(status);
        data["exit"] = json!(status);
        if status != 0 && !kept.is_empty() {
            data["bot"] = kept.into_iter().map(|said| said.line).collect();
        }
        Ok(Reply::default().data(data))
    }
}

struct Work<'a> {
    project: &'a Project,
    options: &'a Options,
    shown: Shown<'a>,
    sender: Sender<Heard>,
    heard: Receiver<Heard>,
    /// The bot's code, unless its changes don't matter.
    watch: Option<Watch>,
    /// The ports that don't answer yet.
    awaited: Vec<u16>,
    running: Vec<Running>,
    /// The last lines of the bot that are shown only if it ends badly.
    kept: VecDeque<Said>,
    outcomes: Outcomes,
    faults: Faults,
    /// The only transport that the user wants.
    transport: Option<&'static Transport>,
    /// Whether to open the bot's page in the browser once the bot is ready.
    opens: bool,
}

impl<'a> Work<'a> {
    /// Runs the programs until one of them exits and can't be restarted. Returns the exit status of that program.
    fn run(&mut self) -> Result<u8, Failure> {
        let project = self.project;
        let has_client = self.client();
        let program = self.program()?;
        let mut uv = Program::Uv.command(&project.server)?;
        ports::check_free(self.options.port)
            .map_err(|failure| failure.hint("or take another port for the bot: --port"))?;
        if let Some(client) = has_client {
            Program::Npm.command(&client.folder)?;
            ports::check_free(client.port)?;
        }
        let mut keys = Keys::find(
            project,
            self.shown.session.cwd(),
            &self.options.backend,
            self.unused(),
            self.can_ask(),
        )?;
        if !project.server.join(".venv").exists() {
            self.set_up(uv.arg("sync"))?;
        }
        if let Some(client) = has_client
            && !client.folder.join("node_modules").exists()
        {
            self.set_up(Program::Npm.command(&client.folder)?.arg("install"))?;
        }
        keys.explain(&mut self.shown)?;

        let reloads = !self.options.no_reload && !self.options.has_program();
        if reloads {
            let sender = self.sender.clone();
            let tell = move |touched| drop(sender.send(Heard::Touched(touched)));
            self.watch = Some(Watch::start(&project.server, tell));
        }
        let options = self.run_options();
        self.start_bot(&keys, &options)?;
        if let Some(client) = has_client {
            let mut npm = Program::Npm.command(&client.folder)?;
            npm.args(["run", "dev"]);
            if self.options.port != USUAL_PORT {
                let address = format!("http://localhost:{}", self.options.port);
                npm.env(&client.bot_url, address);
            }
            self.start(CLIENT, npm, "", None)?;
            self.awaited.push(client.port);
        }
        let mut looked = Instant::now();
        loop {
            self.hear(self.patience());
            if self.shown.session.cancelled() {
                return Err(Failure::cancelled());
            }
            if let Some(status) = self.ended(reloads) {
                return Ok(status);
            }
            if self.awaits() && looked.elapsed() >= TICK {
                looked = Instant::now();
                self.awaited.retain(|port| !ports::answers(*port));
                if self.awaited.is_empty() {
                    self.ready(program.as_ref(), &keys)?;
                }
            }
            if let Some(what) = self.changed(&mut keys) {
                self.shown.event(&Event::Changed { what: &what });
                self.stop_bot();
                if self.shown.session.cancelled() {
                    return Err(Failure::cancelled());
                }
                self.watch.iter_mut().for_each(Watch::skip);
                self.start_bot(&keys, &options)?;
            }
        }
    }

    /// Returns the time after which something must be checked even if nothing is heard.
    fn patience(&self) -> Duration {
        let usual = if self.awaits() { TICK } else { IDLE };
        let look = self.watch.as_ref().and_then(Watch::patience);
        look.map_or(usual, |look| look.min(usual))
    }

    /// Reports whether ports may answer soon.
    fn awaits(&self) -> bool {
        !self.awaited.is_empty() && !self.is_down()
    }

    /// Returns the changed file, or the changed set, for which the bot has to start again.
    fn changed(&mut self, keys: &mut Keys) -> Option<String> {
        let watch = self.watch.as_mut()?;
        let file = watch.change();
        if let Some(why) = watch.why_none() {
            let message = format!(
                "the code is looked at again and again, because the system doesn't report its changes: {why}"
            );
            self.shown.event(&Event::Warning { message: &message });
        }
        match file {
            Some(file) => {
                let file = file.strip_prefix(&self.project.root).unwrap_or(&file);
                Some(file.display().to_string())
            }
            None if self.is_down() => keys.renew().then(|| self.project.secret_set.clone()),
            None => None,
        }
    }

    /// Returns the web client, unless a program or only callers talk to the bot.
    fn client(&self) -> Option<&'a Client> {
        let is_called = self.transport.is_some_and(|one| one.carrier);
        let client = self.project.client.as_ref();
        client.filter(|_| !self.options.has_program() && !is_called)
    }

    /// Reports whether a child process can prompt the user in the terminal.
    fn can_ask(&self) -> bool {
        // In protocol mode, where the process has no arguments, the terminal belongs to the host.
        self.shown.session.interactive() && !self.shown.is_json() && env::args_os().len() > 1
    }

    fn run_options(&self) -> Vec<String> {
        let only = self.only().map(Transport::run_options);
        let only = only.iter().flat_map(|only| only.split(' '));
        let mut words: Vec<String> = only.map(str::to_owned).collect();
        if self.options.port != USUAL_PORT {
            words.extend(["--port".to_owned(), self.options.port.to_string()]);
        }
        if let Some(proxy) = &self.options.proxy {
            words.extend(["-x".to_owned(), proxy.clone()]);
        }
        words
    }

    /// Returns the only transport that the bot serves, if there is one.
    fn only(&self) -> Option<&'static Transport> {
        let serves_all = self.project.client.is_some() || self.call_server().is_some();
        let several = self.project.transports.len() > 1 && serves_all || self.options.has_program();
        let only = self.served();
        only.filter(|_| self.transport.is_some() || !several)
    }

    /// Returns the variables of the transports that the bot doesn't serve and no service reads.
    fn unused(&self) -> BTreeSet<String> {
        let only = self.only().map(|only| &only.id);
        let (used, unused): (Vec<&'static Transport>, Vec<_>) =
            self.project.transports.iter().copied().partition(|one| {
                // An avatar joins the room of every user.
                one.avatar.is_some()
                    || only.map_or(!self.options.has_program(), |only| *only == one.id)
            });
        let is_used = |name: &String| {
            used.iter()
                .flat_map(|it| &it.env)
                .any(|it| it.name == *name)
        };
        let names = unused.iter().flat_map(|it| &it.env).map(|it| &it.name);
        let names = names.filter(|it| !is_used(it) && Catalogue::get().variable(it).is_none());
        names.cloned().collect()
    }

    /// Returns the transport that the user wants. By default, it is the first for the web, else that of the call server, else the first.
    fn served(&self) -> Option<&'static Transport> {
        let all = self.project.transports.iter().copied();
        self.transport
            .or_else(|| all.clone().find(|one| one.bot_type == BotType::Web))
            .or_else(|| self.call_server())
            .or_else(|| all.clone().next())
    }

    /// Returns the transport whose calls `server.py` prepares, if the bot serves it.
    fn call_server(&self) -> Option<&'static Transport> {
        let is_served = |one: &&&Transport| {
            let wanted = self
                .transport
                .is_none_or(|it| it.runner_key == one.runner_key);
            one.call_server.is_some() && wanted && !self.options.has_program()
        };
        self.project.transports.iter().find(is_served).copied()
    }

    fn start_bot(&mut self, keys: &Keys, options: &[String]) -> Result<(), Failure> {
        self.faults = Faults {
            services: self.project.services.clone(),
            sources: keys.by_name(),
        };
        self.awaited = vec![self.options.port];
        let mut programs = vec![(BOT, "bot.py", options)];
        if self.call_server().is_some() {
            programs.push((SERVER, "server.py", &[]));
        }
        for (name, file, options) in programs {
            let mut uv = Program::Uv.command(&self.project.server)?;
            uv.args(["run", file]).args(options);
            // Without buffering, log lines appear as soon as they are printed.
            uv.env("PYTHONUNBUFFERED", "1");
            self.start(name, uv, "", Some(keys))?;
        }
        Ok(())
    }

    fn is_down(&self) -> bool {
        self.running.iter().all(|one| one.name != BOT)
    }

    fn stop_bot(&mut self) {
        let running = std::mem::take(&mut self.running);
        let (bot, rest) = running
            .into_iter()
            .partition(|one| [BOT, SERVER].contains(&one.name));
        self.running = rest;
        let cancel = self.shown.session.cancel();
        stop(bot, || cancel.requested());
        self.show_lines();
        self.kept.clear();
    }

    /// Starts a program with this input, and with the keys, if given.
    fn start(
        &mut self,
        name: &'static str,
        command: Command,
        input: &str,
        keys: Option<&Keys>,
    ) -> Result<(), Failure> {
        self.shown.event(&Event::Started {
            name,
            command: &words(&command),
        });
        let mut command = match keys {
            Some(keys) => keys.with(command),
            None => command,
        };
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        let running = Running::start(name, &mut command, input, &self.sender)?;
        self.running.push(running);
        Ok(())
    }

    fn set_up(&mut self, command: &mut Command) -> Result<(), Failure> {
        let shown = words(command);
        self.shown.event(&Event::Started {
            name: SETUP,
            command: &shown,
        });
        let mut running = Running::start(SETUP, command, "", &self.sender)?;
        let end = loop {
            self.hear(TICK);
            if self.shown.session.cancelled() {
                stop(vec![running], || false);
                return Err(Failure::cancelled());
            }
            if let Some(end) = running.end() {
                break end;
            }
        };
        self.show_lines();
        if end.success() {
            return Ok(());
        }
        let message = format!("`{shown}` failed");
        Err(Failure::new(Exit::Failed, "setup_failed", message))
    }

    /// Waits up to `patience`, and displays program output.
    fn hear(&mut self, patience: Duration) {
        if let Ok(heard) = self.heard.recv_timeout(patience) {
            self.take(heard);
            self.show_lines();
        }
    }

    fn show_lines(&mut self) {
        while let Ok(heard) = self.heard.try_recv() {
            self.take(heard);
        }
    }

    fn take(&mut self, heard: Heard) {
        match heard {
            Heard::Said(said) => self.show(said),
            Heard::Touched(touched) => {
                if let Some(watch) = &mut self.watch {
                    watch.touched(touched);
                }
            }
            Heard::Woken => {}
        }
    }

    fn show(&mut self, said: Said) {
        if said.by == EVAL
            && let Some(lines) = self.outcomes.read(&said.line)
        {
            return self.show_all(EVAL, &lines);
        }
        let context = self.shown.session.context();
        let is_quiet = context.quiet || self.options.has_program() && context.verbosity == 0;
        if is_quiet && [BOT, SERVER].contains(&said.by) {
            // What is no problem would displace the errors.
            let usual = ["| DEBUG ", "| INFO ", "INFO: "];
            if !usual.iter().any(|level| said.line.contains(level)) {
                self.kept.push_back(said);
            }
            if self.kept.len() > KEPT {
                self.kept.pop_front();
            }
            return;
        }
        let is_bot = [BOT, SERVER].contains(&said.by);
        let level = said.line.split_once(" | ").map_or("", |(_, rest)| rest);
        if is_bot && level.starts_with("DEBUG ") && context.verbosity == 0 && !self.shown.is_json()
        {
            return;
        }
        let fault = self.faults.read(&said.line);
        self.show_all(said.by, &[said.line]);
        if let Some(message) = fault {
            self.shown.event(&Event::Warning { message: &message });
        }
    }

    fn show_all(&mut self, name: &str, lines: &[String]) {
        for line in lines {
            self.shown.event(&Event::Line { name, line });
        }
    }

    /// Returns the exit status of a program that has exited. Returns `None` if the next code change restarts that program.
    fn ended(&mut self, reloads: bool) -> Option<u8> {
        let mut ended = self.running.iter_mut().enumerate();
        let (at, name, end) =
            ended.find_map(|(at, one)| one.end().map(|end| (at, one.name, end)))?;
        let one = self.running.remove(at);
        let since = Instant::now();
        while !one.is_read() && since.elapsed() < LAST_WORDS {
            self.hear(TICK / 10);
        }
        self.show_lines();
        let waits = reloads && [BOT, SERVER].contains(&name);
        let status = end.code();
        // A bot that ends before its evaluation has not passed it.
        let is_early = self.options.has_program() && name != EVAL;
        if !end.success() || is_early {
            for said in &self.kept {
                let (name, line) = (said.by, said.line.as_str());
                self.shown.event(&Event::Line { name, line });
            }
        }
        self.show_all(name, &self.outcomes.conclude().0);
        self.shown.event(&Event::Ended {
            name,
            status,
            waits,
        });
        (!waits).then(|| status_of(end).max(u8::from(is_early)))
    }

    /// Shows the bot's address or starts the program that talks to it. The caller must first wait until all ports accept connections.
    fn ready(
        &mut self,
        program: Option<&(&str, Vec<OsString>)>,
        keys: &Keys,
    ) -> Result<(), Failure> {
        if let Some((program, arguments)) = program {
            let mut uv = Program::Uv.command(&self.project.server)?;
            let address = format!("ws://127.0.0.1:{}/ws", self.options.port);
            uv.args(["run", "python", "-", &address]).args(arguments);
            uv.envs([("PYTHONIOENCODING", "utf-8"), ("PYTHONUNBUFFERED", "1")]);
            // The framework logs nothing where its logger is not set up.
            uv.env("LOGURU_AUTOINIT", "0");
            // A judge needs a key, too.
            return self.start(EVAL, uv, program, Some(keys));
        }
        let (address, message) = self.reached();
        if self.served().is_some_and(|one| one.carrier) && self.options.proxy.is_none() {
            let message =
                "calls reach the bot only through a tunnel; give its host name with `--proxy`";
            self.shown.event(&Event::Warning { message });
        }
        self.shown.event(&Event::Ready {
            address: address.as_deref(),
            message: &message,
        });
        if std::mem::take(&mut self.opens)
            && let Some(address) = address
            && let Err(error) = open::that_detached(&address)
        {
            let message = format!("could not open the browser: {error}");
            self.shown.event(&Event::Warning { message: &message });
        }
        Ok(())
    }

    /// Returns the program that talks to the bot instead of users, if there is one, and its arguments.
    fn program(&self) -> Result<Option<(&'static str, Vec<OsString>)>, Failure> {
        let cwd = self.shown.session.cwd();
        if let Some(given) = &self.options.eval {
            let paths = evals::find(self.project, cwd, given)?;
            return Ok(Some((
                evals::RUN,
                paths.into_iter().map(Into::into).collect(),
            )));
        }
        if self.options.say.is_empty() {
            return Ok(None);
        }
        evals::check_transport(self.project, cwd)?;
        let words = self.options.say.iter().map(Into::into);
        Ok(Some((evals::SAY, words.collect())))
    }

    /// Returns the URL of the bot's page, if any, and a message that explains how to reach the bot.
    fn reached(&self) -> (Option<String>, String) {
        let port = self.options.port;
        let open = |address: String| (Some(address.clone()), format!("open {address}"));
        if let Some(client) = self.client() {
            return open(format!("http://localhost:{}", client.port));
        }
        match self.served() {
            Some(one) if one.avatar.is_some() => open(format!("http://localhost:{port}/daily")),
            Some(one) if one.bot_type == BotType::Web && one.no_client.is_none() => {
                open(format!("http://localhost:{port}/client/"))
            }
            Some(one) => {
                let label = &one.label;
                (
                    None,
                    format!("README.md, under \"{label}\", says how to reach the bot"),
                )
            }
            None => (None, format!("the bot answers at port {port}")),
        }
    }
}

fn status_of(end: ExitStatus) -> u8 {
    end.code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1)
}

/// Formats a command as a user would type it.
fn words(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_stem();
    let words = name.into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}
