//! Looks for folders of the building machine in what is shipped.

use anyhow::bail;

use crate::entry::Entry;
use crate::executables;
use crate::project::Project;

/// Refuses files with a path of this machine in them.
pub(crate) fn refuse<'e>(
    project: &Project,
    entries: impl IntoIterator<Item = &'e Entry>,
) -> anyhow::Result<()> {
    let folders = executables::folders(project);
    let folders: Vec<String> = folders
        .iter()
        .map(|(folder, _)| folder.display().to_string())
        .collect();
    let mut found = Vec::new();
    for entry in entries {
        for folder in &folders {
            let times = count(&entry.bytes, folder.as_bytes());
            if times > 0 {
                found.push(format!("{}: `{folder}`, {times} times", entry.path));
            }
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    bail!(
        "paths of this machine would be shipped:\n  {}",
        found.join("\n  ")
    )
}

fn count(bytes: &[u8], folder: &[u8]) -> usize {
    let Some(first) = folder.first() else {
        return 0;
    };
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte == first);
    starts
        .filter(|(at, _)| bytes[*at..].starts_with(folder))
        .count()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn every_place_is_found() {
        assert_eq!(count(b"/home/a/src, /home/a and /home", b"/home/a"), 2);
        assert_eq!(count(b"/hom", b"/home"), 0);
    }
}
