//! Sets as rows: one word a column, so that `awk` reads them, and no wrapped rows at a terminal.

use bot_cli_terminal::table;

use crate::backend::Summary;
use crate::domain::Status;
use crate::text::theirs;

/// Returns a row for each set, and below them why a set failed. A row that is wider than a terminal of `columns` has its
/// name on a line of its own.
pub fn rows(sets: &[Summary], columns: Option<usize>) -> String {
    let header = ["NAME", "TYPE", "REGION", "STATUS"].map(str::to_owned);
    let cells: Vec<[String; 4]> = sets.iter().map(cells).collect();
    let mut rows: Vec<Vec<String>> = vec![header.to_vec()];
    rows.extend(cells.iter().map(|row| row.to_vec()));
    let whole = table(&rows);
    let mut text = match columns {
        Some(columns) if whole.lines().any(|line| line.chars().count() > columns) => {
            folded(rows, columns)
        }
        Some(_) | None => whole,
    };
    let reasons: Vec<String> = sets.iter().filter_map(reason).collect();
    if !reasons.is_empty() {
        text.push('\n');
        for reason in reasons {
            text += &wrapped(&reason, columns);
        }
    }
    text
}

fn cells(set: &Summary) -> [String; 4] {
    [
        theirs(&set.name),
        set.kind.name().to_owned(),
        // One word a column, also where there is none.
        set.region.as_deref().map_or_else(|| "-".to_owned(), theirs),
        set.status.name().to_owned(),
    ]
}

/// "`prod` has failed: no such region".
fn reason(set: &Summary) -> Option<String> {
    let error = set.error.as_deref()?;
    let status = match set.status {
        Status::Failed => "has failed",
        Status::Pending => "is pending",
        Status::Ready => "is ready",
    };
    Some(format!(
        "`{}` {status}: {}",
        theirs(&set.name),
        theirs(error)
    ))
}

/// The rows, long names above the rest of their row.
fn folded(mut rows: Vec<Vec<String>>, columns: usize) -> String {
    let width =
        |row: &[String], column: usize| row.get(column).map_or(0, |cell| cell.chars().count());
    let rest: usize = (1..4)
        .map(|column| 2 + rows.iter().map(|row| width(row, column)).max().unwrap_or(0))
        .sum();
    let longest = columns.saturating_sub(rest);
    let mut names = Vec::with_capacity(rows.len());
    for row in &mut rows {
        let is_long = width(row, 0) > longest;
        names.push(is_long.then(|| std::mem::take(&mut row[0])));
    }
    let mut text = String::new();
    for (line, name) in table(&rows).lines().zip(names) {
        if let Some(name) = name {
            text += &name;
            text.push('\n');
        }
        text += line;
        text.push('\n');
    }
    text
}

/// Breaks a sentence between its words.
fn wrapped(sentence: &str, columns: Option<usize>) -> String {
    let columns = columns.unwrap_or(usize::MAX);
    let mut text = String::new();
    let mut used = 0;
    for word in sentence.split_whitespace() {
        let width = word.chars().count();
        if used > 0 && used + 1 + width > columns {
            text.push('\n');
            used = 0;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += width;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::{rows, wrapped};
    use crate::backend::Summary;
    use crate::domain::{SetKind, Status};

    fn set(name: &str, kind: SetKind, error: Option<&str>) -> Summary {
        Summary {
            name: name.to_owned(),
            kind,
            region: Some("us-west".to_owned()),
            status: error.map_or(Status::Ready, |_| Status::Failed),
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn a_row_has_one_word_a_column_and_fits() {
        let long = "n".repeat(63);
        let sets = [
            set(&long, SetKind::Secret, None),
            set(
                "registry",
                SetKind::ImagePullSecret,
                Some("the registry does not answer"),
            ),
        ];
        let piped = rows(&sets, None);
        let fields: Vec<usize> = piped
            .lines()
            .take(3)
            .map(|line| line.split_whitespace().count())
            .collect();
        assert_eq!(fields, [4, 4, 4], "{piped}");
        let expected = format!(
            "NAME      TYPE               REGION   STATUS\n\
             {long}\n          secret             us-west  ready\n\
             registry  image_pull_secret  us-west  failed\n\n\
             `registry` has failed: the registry does not answer\n"
        );
        assert_eq!(rows(&sets, Some(80)), expected);
    }

    #[test]
    fn a_sentence_breaks_between_words() {
        let shown = wrapped("one two three four", Some(9));
        assert_eq!(shown, "one two\nthree\nfour\n");
        assert_eq!(wrapped("one two", None), "one two\n");
    }
}
