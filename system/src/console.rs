//! The console: its events, and its keys.

use std::io;
use std::sync::OnceLock;
use std::time::Duration;

use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0, WAIT_TIMEOUT};
use windows_sys::Win32::System::Console::{
    CONSOLE_MODE, CTRL_BREAK_EVENT, CTRL_C_EVENT, CTRL_CLOSE_EVENT, ENABLE_ECHO_INPUT,
    ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT, ENABLE_PROCESSED_OUTPUT,
    ENABLE_VIRTUAL_TERMINAL_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GenerateConsoleCtrlEvent,
    GetConsoleMode, GetNumberOfConsoleInputEvents, GetStdHandle, INPUT_RECORD, KEY_EVENT,
    ReadConsoleInputW, STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
    SetConsoleCtrlHandler, SetConsoleMode,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;
use windows_sys::core::BOOL;

use crate::done;

/// Something that the console tells all of its processes, or a group of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Break, or what [`send_break`] sends.
    Break,
    /// The window is closed, the user signs off, or the system shuts down. The process is ended as soon as its listener returns, and
    /// a few seconds later in any case.
    End,
}

type Listener = Box<dyn Fn(Event) + Send + Sync>;

static LISTENER: OnceLock<Listener> = OnceLock::new();

/// From now on, these events call `heard`, on a thread of their own, instead of ending the process. `false`: there is a listener
/// already, and nothing has changed.
pub fn listen(heard: impl Fn(Event) + Send + Sync + 'static) -> io::Result<bool> {
    if LISTENER.set(Box::new(heard)).is_err() {
        return Ok(false);
    }
    // SAFETY: the handler is a function that stays, has the expected signature and does not unwind.
    done(unsafe { SetConsoleCtrlHandler(Some(handle), 1) })?;
    Ok(true)
}

/// Passes a console event to the listener, if there is one.
///
/// # Safety
/// A panic in the listener aborts the process, because this function can't unwind.
unsafe extern "system" fn handle(event: u32) -> BOOL {
    let event = match event {
        CTRL_C_EVENT => Event::Interrupt,
        CTRL_BREAK_EVENT => Event::Break,
        // Closed, signed off, shut down.
        CTRL_CLOSE_EVENT.. => Event::End,
    };
    match LISTENER.get() {
        Some(heard) => {
            heard(event);
            1
        }
        None => 0,
    }
}

/// Sends Ctrl-Break to the processes of a group that share this process's console. The group has the number of the process that was
/// started as its first.
pub fn send_break(group: u32) -> io::Result<()> {
    // SAFETY: the call takes two numbers.
    done(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// A standard stream that is a console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

impl Stream {
    const fn number(self) -> STD_HANDLE {
        match self {
            Self::Input => STD_INPUT_HANDLE,
            Self::Output => STD_OUTPUT_HANDLE,
            Self::Error => STD_ERROR_HANDLE,
        }
    }
}

/// Whether the stream is a console. The pipes of other terminals, such as that of Git for Windows, are none.
#[must_use]
pub fn is_console(stream: Stream) -> bool {
    mode(stream).is_ok()
}

/// Has the console of the stream understand escape sequences.
pub fn show_sequences(stream: Stream) -> io::Result<()> {
    let more = ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    set_mode(stream, mode(stream)? | more)
}

/// The way in which the console hands over what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// Every key as it is, unseen, as terminals send them: those without a character as escape sequences.
    Keys,
    /// Whole lines, unseen.
    HiddenLines,
}

/// The mode that standard input had before. It has it again when this value is dropped.
#[derive(Debug)]
pub struct InputMode(CONSOLE_MODE);

impl InputMode {
    /// Changes the mode of the console at standard input.
    pub fn begin(typing: Typing) -> io::Result<Self> {
        let before = mode(Stream::Input)?;
        let now = match typing {
            Typing::Keys => {
                before & !(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT)
                    | ENABLE_VIRTUAL_TERMINAL_INPUT
            }
            Typing::HiddenLines => before & !ENABLE_ECHO_INPUT | ENABLE_LINE_INPUT,
        };
        set_mode(Stream::Input, now)?;
        Ok(Self(before))
    }
}

impl Drop for InputMode {
    fn drop(&mut self) {
        // Nothing is left to be done where the console itself has gone.
        let _ = set_mode(Stream::Input, self.0);
    }
}

/// Whether the console at standard input hands over whole lines.
pub fn gives_lines() -> io::Result<bool> {
    Ok(mode(Stream::Input)? & ENABLE_LINE_INPUT != 0)
}

/// Waits until something happens at the console of standard input, not only keys; `false` if nothing did within that time.
pub fn wait(patience: Duration) -> io::Result<bool> {
    let limit = u32::try_from(patience.as_millis()).unwrap_or(u32::MAX - 1);
    let input = handle_of(Stream::Input)?;
    // SAFETY: the handle belongs to the process; the call fails where it is of no use.
    match unsafe { WaitForSingleObject(input, limit) } {
        WAIT_OBJECT_0 => Ok(true),
        WAIT_TIMEOUT => Ok(false),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Takes what has happened at the console of standard input, without waiting, and appends the typed UTF-16 to `typed`.
pub fn take_keys(typed: &mut Vec<u16>) -> io::Result<()> {
    let input = handle_of(Stream::Input)?;
    let mut left = 0;
    // SAFETY: the handle belongs to the process, and the number is written to a variable.
    done(unsafe { GetNumberOfConsoleInputEvents(input, &raw mut left) })?;
    for _ in 0..left {
        let mut record = INPUT_RECORD::default();
        let mut count = 0;
        // SAFETY: there is room for the one record that is asked for.
        done(unsafe { ReadConsoleInputW(input, &raw mut record, 1, &raw mut count) })?;
        if count == 1 && u32::from(record.EventType) == KEY_EVENT {
            // SAFETY: its type says that this is the part of the union that was written.
            let key = unsafe { record.Event.KeyEvent };
            // SAFETY: both parts of this union are numbers, and the call with `W` writes this one.
            let unit = unsafe { key.uChar.UnicodeChar };
            if key.bKeyDown != 0 && unit != 0 {
                typed.extend((0..key.wRepeatCount.max(1)).map(|_| unit));
            }
        }
    }
    Ok(())
}

fn mode(stream: Stream) -> io::Result<CONSOLE_MODE> {
    let mut mode = 0;
    let handle = handle_of(stream)?;
    // SAFETY: the handle belongs to the process; the call fails where it is no console.
    done(unsafe { GetConsoleMode(handle, &raw mut mode) })?;
    Ok(mode)
}

fn set_mode(stream: Stream, mode: CONSOLE_MODE) -> io::Result<()> {
    let handle = handle_of(stream)?;
    // SAFETY: as above.
    done(unsafe { SetConsoleMode(handle, mode) })
}

fn handle_of(stream: Stream) -> io::Result<HANDLE> {
    // SAFETY: the call takes a number.
    let handle = unsafe { GetStdHandle(stream.number()) };
    if handle == INVALID_HANDLE_VALUE {
        Err(io::Error::last_os_error())
    } else if handle.is_null() {
        Err(io::ErrorKind::NotFound.into())
    } else {
        Ok(handle)
    }
}
