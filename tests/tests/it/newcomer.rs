//! A newcomer who types each line that is printed, in the folder in which it is printed, then the lines that those print, until no line
//! is new. `newcomer/data.toml` has the situations and the values that a reader would fill in.
//!
//! A dead end is a line that fails without a new line to follow, a `next:` that only repeats what was typed, a placeholder without a value, and a
//! question without an answer.

mod data;
mod found;
mod walk;

use std::path::Path;
use std::sync::Mutex;
use std::{env, fs, thread};

use data::{Data, Row};
use walk::{DeadEnd, Walk};

const DATA: &str = "tests/it/newcomer/data.toml";

/// The number of situations at once. Many lines wait for a program to start.
const AT_ONCE: usize = 3;

#[test]
fn every_printed_line_leads_on() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(DATA);
    let text = fs::read_to_string(&path).unwrap();
    let data: Data = toml::from_str(&text).unwrap();
    let wanted = env::var("SITUATION").ok();
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|it| name.contains(it));
    let open = data.situation.iter().filter(|it| is_wanted(&it.name));
    let open = Mutex::new(open.rev());
    let ended = Mutex::new((0, Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(situation) = open.lock().unwrap().next() else {
                        break;
                    };
                    let (count, dead_ends) = Walk::new(&data, situation).finish();
                    eprintln!("{count:>5} lines: {}", situation.name);
                    let mut ended = ended.lock().unwrap();
                    ended.0 += count;
                    ended.1.extend(dead_ends);
                }
            });
        }
    });
    let (count, dead_ends) = ended.into_inner().unwrap();
    eprintln!("{count} lines followed");
    if wanted.is_none() && env::var_os("UPDATE").is_some() && count > data.count {
        let before = format!("count = {}\n", data.count);
        let text = text.replacen(&before, &format!("count = {count}\n"), 1);
        fs::write(&path, text).unwrap();
    }
    let rows = || data.pending.iter().chain(&data.right);
    let is_of =
        |row: &Row, it: &DeadEnd| it.line.contains(&row.line) && it.report.contains(&row.said);
    let unexpected = dead_ends
        .iter()
        .filter(|it| !rows().any(|row| is_of(row, it)));
    let unexpected: Vec<&str> = unexpected.map(|it| it.report.as_str()).collect();
    assert!(
        unexpected.is_empty(),
        "{} dead ends:\n{}",
        unexpected.len(),
        unexpected.join("\n")
    );
    if wanted.is_none() {
        let stale = rows().filter(|row| !dead_ends.iter().any(|it| is_of(row, it)));
        let stale: Vec<&Row> = stale.collect();
        assert!(stale.is_empty(), "these no longer fail: {stale:#?}");
        assert!(count >= data.count, "were {}", data.count);
    }
}
