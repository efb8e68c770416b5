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

/// The names of standard input as a file.
pub const STDIN_NAMES: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Whether a path is another name of the pipe that is standard input.
pub fn is_pipe_at_stdin(path: &Path) -> bool {
    let (Ok(named), Ok(stdin)) = (fs::metadata(path), fs::metadata("/dev/stdin")) else {
        return false;
    };
    let is_pipe = named.file_type().is_fifo() || named.file_type().is_socket();
    is_pipe && (named.dev(), named.ino()) == (stdin.dev(), stdin.ino())
}

/// Whether a person can type there.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal()
}

/// Waits until there is something to read, or the input has ended; `false` if neither came within that time.
pub fn wait(patience: Duration) -> io::Result<bool> {
    Ok(look(patience)?.is_some())
}

/// Reads what there is, 0 bytes at the end.
pub fn read(bytes: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(stdin(), bytes)?)
}

/// Whether the input was a terminal whose other end is closed. Such a one does not even count as a terminal.
pub fn has_hung_up() -> io::Result<bool> {
    let flags = look(Duration::ZERO)?;
    Ok(is_device() && flags.is_some_and(|flags| flags.contains(PollFlags::HUP)))
}

/// Whether an error says that the input is a terminal that is not this process's any more.
pub fn is_lost(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::IO.raw_os_error()) && is_device()
}

/// Returns what there is to read within that time.
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

/// Another way in which the terminal gives what is typed. It has its old one again when this value is dropped.
pub struct Modes(Termios);

impl Modes {
    /// The terminal gives every key as it is, and shows none.
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

    /// The terminal gives lines, and shows nothing of them.
    pub fn hidden_lines() -> io::Result<Self> {
        let before = tcgetattr(stdin())?;
        let mut hidden = before.clone();
        hidden.local_modes -= LocalModes::ECHO | LocalModes::ECHONL;
        // A stopped process would leave such a terminal to the shell.
        hidden.special_codes[SpecialCodeIndex::VSUSP] = 0;
        tcsetattr(stdin(), OptionalActions::Now, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // Nothing is left to be done where the terminal itself has gone.
        let _ = tcsetattr(stdin(), OptionalActions::Now, &self.0);
    }
}
