//! The system that an executable was built for, from its first bytes.

use std::env::consts::{ARCH, OS};
use std::path::Path;

use crate::platform::STARTS_SCRIPTS;

/// The bytes of a file that tell what it was built for.
pub const HEAD: usize = 4096;

const ELF: &[u8] = b"\x7fELF";

/// Whether a file that begins with `head` is an executable of some system, or a script.
pub fn is_executable(head: &[u8]) -> bool {
    head.starts_with(b"#!") || head.starts_with(b"MZ") || is_elf(head) || !mach_o(head).is_empty()
}

fn is_elf(head: &[u8]) -> bool {
    head.starts_with(ELF)
}

/// Why a file that begins with `head` does not run on this system.
pub fn check(head: &[u8]) -> Result<(), String> {
    let here = format!("{OS} on {ARCH}");
    if head.starts_with(b"#!") {
        return if STARTS_SCRIPTS {
            Ok(())
        } else {
            Err("it is a script, and Windows starts only programs".to_owned())
        };
    }
    let built_for = if is_elf(head) {
        elf(head)
    } else if head.starts_with(b"MZ") {
        vec![("windows", pe(head).to_owned())]
    } else {
        mach_o(head)
            .iter()
            .map(|processor| ("macos", mach_o_processor(*processor)))
            .collect()
    };
    if built_for.is_empty() {
        return Err("it is neither an executable nor a script that begins with `#!`".to_owned());
    }
    if built_for.iter().any(|(os, arch)| *os == OS && arch == ARCH) {
        return interpreter(head);
    }
    let built_for: Vec<String> = built_for
        .iter()
        .map(|(os, arch)| format!("{os} on {arch}"))
        .collect();
    Err(format!(
        "it was built for {}, and this is {here}",
        built_for.join(", ")
    ))
}

/// The systems of an ELF file. Most of its systems write none into it.
fn elf(head: &[u8]) -> Vec<(&'static str, String)> {
    let is_little = head.get(5) == Some(&1);
    let os = match head.get(7) {
        Some(9) => "freebsd",
        Some(2) => "netbsd",
        Some(12) => "openbsd",
        // 0 stands for System V, which is what compilers for Linux write.
        Some(0 | 3) if ["macos", "windows", "freebsd"].contains(&OS) => "linux",
        Some(0 | 3) => OS,
        _ => "another system",
    };
    let machine = number(head, 18, 2, is_little);
    let is_64 = head.get(4) == Some(&2);
    let arch = match (machine, is_64) {
        (Some(62), true) => "x86_64",
        (Some(3), false) => "x86",
        (Some(183), true) => "aarch64",
        (Some(40), false) => "arm",
        (Some(243), true) => "riscv64",
        (Some(243), false) => "riscv32",
        (Some(21), true) if is_little && ARCH == "powerpc64" => "powerpc64",
        (Some(22), true) => "s390x",
        (Some(258), true) => "loongarch64",
        (Some(machine), _) => return vec![(os, format!("machine {machine}"))],
        (None, _) => "an unknown processor",
    };
    vec![(os, arch.to_owned())]
}

/// A dynamically linked executable is started by the loader that it names: one of another C library is mostly missing, and the
/// system only says that there is no such file.
fn interpreter(head: &[u8]) -> Result<(), String> {
    if !is_elf(head) || head.get(4) != Some(&2) || head.get(5) != Some(&1) {
        return Ok(());
    }
    let at = |offset: u64, length: usize| {
        number(
            head,
            usize::try_from(offset).unwrap_or(usize::MAX),
            length,
            true,
        )
    };
    let (Some(table), Some(size), Some(count)) = (at(32, 8), at(54, 2), at(56, 2)) else {
        return Ok(());
    };
    for index in 0..count {
        let Some(entry) = size.checked_mul(index).and_then(|it| it.checked_add(table)) else {
            return Ok(());
        };
        // PT_INTERP
        if at(entry, 4) != Some(3) {
            continue;
        }
        let place = entry.checked_add(8).and_then(|offset| at(offset, 8));
        let length = entry.checked_add(32).and_then(|offset| at(offset, 8));
        let path = place.zip(length).and_then(|(place, length)| {
            let (place, length) = (usize::try_from(place).ok()?, usize::try_from(length).ok()?);
            let text = head.get(place..place.checked_add(length)?)?;
            std::str::from_utf8(text.strip_suffix(b"\0")?).ok()
        });
        if let Some(path) = path
            && !Path::new(path).exists()
        {
            let path = path.escape_debug();
            return Err(format!(
                "it needs the loader `{path}`, which is not on this system: it was built for another C library"
            ));
        }
    }
    Ok(())
}

fn pe(head: &[u8]) -> &'static str {
    let start = number(head, 0x3c, 4, true).and_then(|start| usize::try_from(start).ok());
    let machine = start.and_then(|start| {
        let signature = head.get(start..start.checked_add(4)?)?;
        (signature == b"PE\0\0").then(|| number(head, start + 4, 2, true))?
    });
    match machine {
        Some(0x8664) => "x86_64",
        Some(0xaa64) => "aarch64",
        Some(0x14c) => "x86",
        Some(_) | None => "an unknown processor",
    }
}

/// The processors of a Mach-O file, of which a universal one has several.
fn mach_o(head: &[u8]) -> Vec<u64> {
    match head.get(..4) {
        Some(b"\xcf\xfa\xed\xfe" | b"\xce\xfa\xed\xfe") => {
            number(head, 4, 4, true).into_iter().collect()
        }
        Some(b"\xca\xfe\xba\xbe") => {
            // Classes of Java begin in the same way, with a version where this has a small count.
            let count = number(head, 4, 4, false).unwrap_or(1).min(20);
            let processors = (0..count).filter_map(|index| {
                let place = usize::try_from(index).ok()? * 20 + 8;
                number(head, place, 4, false)
            });
            processors.collect()
        }
        _ => Vec::new(),
    }
}

fn mach_o_processor(number: u64) -> String {
    match number {
        0x0100_0007 => "x86_64".to_owned(),
        0x0100_000c => "aarch64".to_owned(),
        other => format!("processor {other:#x}"),
    }
}

fn number(head: &[u8], place: usize, length: usize, is_little: bool) -> Option<u64> {
    let bytes = head.get(place..place.checked_add(length)?)?;
    let add = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
    Some(if is_little {
        bytes.iter().rev().fold(0, add)
    } else {
        bytes.iter().fold(0, add)
    })
}

#[cfg(test)]
mod tests {
    use std::env::consts::{ARCH, OS};

    use super::{HEAD, check, is_executable};

    fn head_of_this() -> Vec<u8> {
        let mut head = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        head.truncate(HEAD);
        head
    }

    fn elf(machine: u16) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\x00");
        head[18..20].copy_from_slice(&machine.to_le_bytes());
        head
    }

    #[test]
    fn this_executable_and_scripts_run_here() {
        assert_eq!(check(&head_of_this()), Ok(()));
        assert_eq!(check(b"#!/bin/sh\n").is_ok(), OS != "windows");
    }

    #[test]
    fn executables_of_other_systems_are_named() {
        let mut windows = vec![0; 256];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3c] = 0x80;
        windows[0x80..0x86].copy_from_slice(b"PE\0\0\x64\x86");
        let mut universal = b"\xca\xfe\xba\xbe\0\0\0\x02".to_vec();
        universal.extend([&b"\x01\0\0\x07"[..], &[0; 16], b"\x01\0\0\x0c", &[0; 16]].concat());
        let mac = b"\xcf\xfa\xed\xfe\x0c\0\0\x01".to_vec();
        let other = if ARCH == "s390x" { 183 } else { 22 };
        for (head, system) in [
            (elf(other), "linux"),
            (windows, "windows"),
            (mac, "macos"),
            (universal, "macos"),
        ] {
            assert!(is_executable(&head));
            if OS != system || system == "linux" {
                let problem = check(&head).unwrap_err();
                assert!(problem.starts_with("it was built for "), "{problem}");
                assert!(
                    problem.ends_with(&format!("this is {OS} on {ARCH}")),
                    "{problem}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_executable_is_told_whatever_it_holds() {
        for head in [&b""[..], b"#", b"echo hi\n", b"{}", b"\xca\xfe", b"\x89PNG"] {
            assert!(!is_executable(head) && check(head).is_err(), "{head:?}");
        }
        // Cut off anywhere, or with numbers that lead nowhere.
        let whole = head_of_this();
        for length in 0..200 {
            let _ = check(&whole[..length]);
        }
        let mut wild = whole;
        for place in 32..64 {
            wild[place] = 0xff;
            let _ = check(&wild);
        }
    }

    #[test]
    fn a_loader_that_is_missing_is_named() {
        let mut head = head_of_this();
        let loader = head
            .windows(8)
            .position(|it| it == b"/lib64/l" || it == b"/lib/ld-");
        // A static executable names none.
        let Some(place) = loader else { return };
        head[place + 1] = b'X';
        let problem = check(&head).unwrap_err();
        assert!(problem.starts_with("it needs the loader `/X"), "{problem}");
    }
}
