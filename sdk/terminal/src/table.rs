//! Aligns the columns of tables.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// Truncates `text` to a width in columns. Truncated text ends with `…`.
pub fn cut(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut used = 1;
    let fitting = text.chars().take_while(|character| {
        used += character.width().unwrap_or(0);
        used <= columns
    });
    fitting.chain(['…']).collect()
}

/// Formats rows as a table with two spaces between columns. The first row contains the column names.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.width())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_stand_one_below_the_other() {
        let rows = [["NAME", "ABOUT"], ["a", "first"], ["你好", ""]]
            .map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "NAME  ABOUT\na     first\n你好\n");
        assert_eq!(table(&[]), "");
    }
}
