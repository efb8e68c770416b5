//! Standard input on Unix.

use std::fs;
use std::io::{self, IsTerminal};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::stdio::stdin;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// The file names that refer to standard input.
pub const STDIN_NAMES: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Reports whether a path refers to the pipe at standard input.
pub fn is_pipe_at_stdin(path: &Path) -> bool {
    let (Ok(named), Ok(stdin)) = (fs::metadata(path), fs::metadata("/dev/stdin")) else {
        return false;
    };
    let is_pipe = named.file_type().is_fifo() || named.file_type().is_socket();
    is_pipe && (named.dev(), named.ino()) == (stdin.dev(), stdin.ino())
}

/// Reports whether standard input is a terminal.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Waits at most `patience` for input or its end. Returns `false` if neither arrives.
pub fn wait(patience: Duration) -> io::Result<bool> {
    Ok(look(patience)?.is_some())
}

/// Reads the available input. Returns 0 at the end of the input.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(stdin(), bytes)?)
}

/// Reports whether standard input is a terminal that has hung up. [`is_terminal`] returns `false` for such a terminal.
pub fn has_hung_up() -> io::Result<bool> {
    let flags = look(Duration::ZERO)?;
    Ok(is_device() && flags.is_some_and(|flags| flags.contains(PollFlags::HUP)))
}

/// Reports whether an error means that the terminal no longer belongs to this process.
pub fn is_lost(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error()) && is_device()
}

/// Returns the poll flags of standard input, or `None` if nothing arrives within `patience`.
fn look(patience: Duration) -> io::Result<Option<PollFlags>> {
    let stdin = stdin();
    let mut input = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut input, Timespec::try_from(patience).ok().as_ref()) {
        Ok(0) | Err(Errno::INTR) => Ok(None),
        Ok(_) => Ok(Some(input[0].revents())),
        Err(error) => Err(error.into()),
    }
}

fn is_device() -> bool {
    let kind = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode);
    rustix::fs::fstat(stdin()).is_ok_and(|stat| kind(stat) == FileType::CharacterDevice)
}

/// A temporary input mode of the terminal. Dropping this value restores the previous mode.
pub struct Modes(Termios);

impl Modes {
    /// Makes the terminal deliver every key unchanged, without echo.
    pub fn keys() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut keys = before.clone();
        keys.local_modes -=
            LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG | LocalModes::IEXTEN;
        keys.input_modes -= InputModes::ICRNL
            | InputModes::INLCR
            | InputModes::IGNCR
            | InputModes::ISTRIP
            | InputModes::IXON;
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &keys)?;
        Ok(Self(before))
    }

    /// Makes the terminal deliver whole lines, without echo.
    pub fn hidden_lines() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes -= LocalModes::ECHO | LocalModes::ECHONL;
        // A suspended process would leave the shell a terminal without echo.
        hidden.special_codes[SpecialCodeIndex::VSUSP] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // There is nothing to restore if the terminal is gone.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}
