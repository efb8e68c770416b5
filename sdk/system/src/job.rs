//! Job objects, which contain a process and every process that it starts.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_BREAKAWAY_OK,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicAccountingInformation,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};

use crate::{done, size};

/// The console events that a new process receives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hears {
    /// The events that this process receives, such as Ctrl-C.
    Ours,
    /// The events from [`send_break`](crate::console::send_break), and the event for the closing of the console.
    ItsOwn,
}

/// A job. Dropping this value terminates the job's processes.
#[derive(Debug)]
pub struct Job(OwnedHandle);

impl Job {
    /// Starts a process in a new job. The processes started by that process are also in the job, unless they are created with
    /// `CREATE_BREAKAWAY_FROM_JOB`.
    pub fn start(command: &mut Command, hears: Hears) -> io::Result<(Self, Child)> {
        let group = match hears {
            Hears::Ours => 0,
            Hears::ItsOwn => CREATE_NEW_PROCESS_GROUP,
        };
        let job = Self::new()?;
        let mut child = command.creation_flags(CREATE_SUSPENDED | group).spawn()?;
        match job.assign(&child).and_then(|()| resume(child.id())) {
            Ok(()) => Ok((job, child)),
            Err(error) => {
                // The process has not run yet.
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Returns the number of running processes in the job.
    pub fn running(&self) -> io::Result<u32> {
        let mut facts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the handle is open as long as `self`, and the structure has the type and the size of this class of information.
        done(unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut facts).cast(),
                size::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>(),
                ptr::null_mut(),
            )
        })?;
        Ok(facts.ActiveProcesses)
    }

    /// Terminates all processes in the job immediately, with this exit status.
    pub fn kill(&self, status: u32) -> io::Result<()> {
        // SAFETY: the handle is open as long as `self`.
        done(unsafe { TerminateJobObject(self.0.as_raw_handle(), status) })
    }

    fn new() -> io::Result<Self> {
        // SAFETY: both pointers may be null: default security, no name.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle was just made, and nothing else owns it.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_BREAKAWAY_OK;
        // SAFETY: the handle is open, and the structure has the type and the size of this class of information.
        done(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>(),
            )
        })?;
        Ok(job)
    }

    fn assign(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open as long as the values that own them.
        done(unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) })
    }
}

/// Resumes a process that was started in the suspended state. Looks up the process's thread, because the standard library does not provide
/// a handle to the thread.
fn resume(process: u32) -> io::Result<()> {
    // SAFETY: the arguments are two numbers.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    if snapshot == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made, and nothing else owns it.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    let mut entry = THREADENTRY32 {
        dwSize: size::<THREADENTRY32>(),
        ..THREADENTRY32::default()
    };
    // SAFETY: the handle is open, and the entry contains its size.
    done(unsafe { Thread32First(snapshot.as_raw_handle(), &raw mut entry) })?;
    loop {
        if entry.th32OwnerProcessID == process {
            return resume_thread(entry.th32ThreadID);
        }
        // SAFETY: as above.
        done(unsafe { Thread32Next(snapshot.as_raw_handle(), &raw mut entry) })?;
    }
}

fn resume_thread(thread: u32) -> io::Result<()> {
    // SAFETY: the arguments are numbers.
    let handle = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, thread) };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle was just made, and nothing else owns it.
    let handle = unsafe { OwnedHandle::from_raw_handle(handle) };
    // SAFETY: the handle is open and may resume its thread.
    if unsafe { ResumeThread(handle.as_raw_handle()) } == u32::MAX {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
