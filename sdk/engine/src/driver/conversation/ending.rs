//! Shuts down a plugin after its last reply, without a reply, or after a protocol violation.

use std::process::ExitStatus;
use std::time::{Duration, Instant};

use super::{Open, Replied, RunningPlugin};
use crate::driver::Violation;
use crate::process::{Event, Group, ended_by_signal};
use bot_cli_protocol::failure::Failure;
use bot_cli_terminal::cancel::Cancel;
use bot_cli_terminal::ui::Ui;

/// The time without output after which a terminated plugin's output counts as complete. Processes that the plugin left running may keep the
/// output open.
const DRAIN: Duration = Duration::from_millis(500);

/// The exit description to show for a plugin that closed its output but is still running.
const CLOSED: &str = "its output was closed";

/// The maximum cleanup time for a plugin that used the terminal.
const AT_ONCE: Duration = Duration::from_millis(500);

impl RunningPlugin {
    /// Terminates a plugin whose reply is not reliable, without first waiting for the plugin to exit by itself.
    pub fn abandon(&mut self, ui: &mut dyn Ui) {
        self.end(self.patience.terminate, ui);
    }

    /// Shuts down a plugin that was suspended because it used the terminal. Without this, the plugin would wait forever. Resumes the plugin
    /// so that it can clean up.
    pub(super) fn end_at_the_terminal(&mut self, ui: &mut dyn Ui) -> Failure {
        self.end(self.patience.terminate.min(AT_ONCE), ui);
        Violation::WantsTerminal.by(&self.name)
    }

    pub(super) fn stopped(&self, open: &Open<'_>) -> Failure {
        let late = open.stop_sequence.late().map(|late| late.by(&self.name));
        late.unwrap_or_else(|| open.cancel.explain(Failure::cancelled()))
    }

    /// Reads the remaining output of a plugin that exited or closed its output, then shuts down the plugin. Returns the reply if the output
    /// contains one.
    pub(super) fn without_reply(
        &mut self,
        open: &mut Open<'_>,
        ui: &mut dyn Ui,
    ) -> Result<Replied, Failure> {
        let cancels = open.cancel.count();
        let deadline = Instant::now() + self.patience.finish;
        let is_time = || Instant::now() < deadline && open.cancel.count() == cancels;
        while is_time()
            && let Ok(event) = self.next_event(DRAIN)
        {
            match event {
                Event::Line(line) => {
                    if let Some(reply) = self.hear(line, open, ui)? {
                        return self.judge(reply, open);
                    }
                }
                Event::Stderr(line) => self.listener.stderr(&line, ui),
                Event::OutputEnded => {}
            }
        }
        self.process.close_input();
        self.await_end(open.cancel, cancels, ui);
        let end = self.process.group.end();
        self.end(self.patience.terminate, ui);
        if open.cancel.requested() || open.stop_sequence.late().is_some() {
            return Err(self.stopped(open));
        }
        Err(self.no_reply(end).by(&self.name))
    }

    pub(super) fn no_reply(&self, end: Option<ExitStatus>) -> Violation {
        Violation::NoReply {
            end: end.map_or_else(|| CLOSED.to_owned(), |status| status.to_string()),
            by_signal: end.is_some_and(ended_by_signal),
            stderr: self.listener.last_words(),
            printed: self.listener.last_printed(),
        }
    }

    /// Shuts down the plugin: closes its input, waits briefly for it to exit, then terminates the remaining processes.
    pub fn finish(mut self, ui: &mut dyn Ui, cancel: &Cancel) -> Result<(), Failure> {
        self.process.close_input();
        let double = self.await_end(cancel, cancel.count(), ui);
        if self.process.group.end().is_none() {
            self.listener.note("went on after its reply", ui);
        }
        let double = double.or(self.end(self.patience.terminate, ui));
        double.map_or(Ok(()), |violation| Err(violation.by(&self.name)))
    }

    /// Waits for the plugin to exit, until the time limit or the user's next request to stop. Returns a violation if the plugin replied
    /// again.
    fn await_end(&mut self, cancel: &Cancel, cancels: u8, ui: &mut dyn Ui) -> Option<Violation> {
        let mut double = None;
        let listener = &mut self.listener;
        let mut hear = |event| double = double.take().or(listener.late(event, ui));
        self.pending.drain(..).for_each(&mut hear);
        let deadline = Instant::now() + self.patience.finish;
        let is_over = |group: &mut Group| group.end().is_some() || cancel.count() != cancels;
        self.process.hear_until(deadline, is_over, &mut hear);
        double
    }

    pub(super) fn give_up(&mut self, violation: Violation, ui: &mut dyn Ui) -> Failure {
        self.end(self.patience.terminate, ui);
        violation.by(&self.name)
    }

    /// Terminates the plugin's remaining processes and handles their output. Returns a violation if the plugin replied again.
    pub(super) fn end(&mut self, patience: Duration, ui: &mut dyn Ui) -> Option<Violation> {
        let mut double = None;
        let listener = &mut self.listener;
        let mut hear = |event| double = double.take().or(listener.late(event, ui));
        self.pending.drain(..).for_each(&mut hear);
        self.process.end_group(patience, &mut hear);
        let deadline = Instant::now() + self.patience.finish;
        while Instant::now() < deadline
            && let Ok(event) = self.process.streams.next(DRAIN)
        {
            hear(event);
        }
        double
    }
}
