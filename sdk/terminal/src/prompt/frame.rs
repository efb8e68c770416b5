//! The screen area of a question, redrawn in place.

use anstyle::{AnsiColor, Style};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::stream::to_stderr;
use crate::{look, one_line};

pub const ASKED: Style = AnsiColor::BrightGreen.on_default();
pub const CHOSEN: Style = AnsiColor::BrightCyan.on_default();
pub const WRONG: Style = AnsiColor::BrightRed.on_default();
pub const PLAIN: Style = Style::new();

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(Style, String),
    LineEnd,
    /// The position of the cursor. Without this piece, the cursor is at the end.
    Cursor,
}

impl Piece {
    /// Creates a piece from `text`, as a single line that can't control a terminal.
    pub fn text(style: Style, text: &str) -> Self {
        Self::Text(style, one_line(text))
    }
}

#[derive(Debug)]
pub struct Frame {
    color: bool,
    drawn: Option<Layout>,
}

impl Frame {
    pub fn begin(color: bool) -> Self {
        Self { color, drawn: None }
    }

    pub fn draw(&mut self, pieces: &[Piece]) {
        let (columns, rows) = look::size();
        let layout = Layout::new(pieces, columns, rows, self.color);
        let text = self.to_start(columns) + "\r\x1b[J" + &layout.draw();
        to_stderr(&text);
        self.drawn = Some(layout);
    }

    /// Draws what stays on the screen. Returns the widths of its rows.
    pub fn finish(mut self, pieces: &[Piece]) -> Vec<usize> {
        self.draw(pieces);
        to_stderr("\n");
        let rows = self.drawn.into_iter().flat_map(|drawn| drawn.rows);
        rows.map(|row| row.width).collect()
    }

    pub fn erase(self) {
        let (columns, _) = look::size();
        to_stderr(&(self.to_start(columns) + "\r\x1b[J"));
    }

    /// Returns the escape sequence that moves the cursor to the first row. Accounts for rows that wrapped because the terminal became
    /// narrower.
    fn to_start(&self, columns: usize) -> String {
        let Some(drawn) = &self.drawn else {
            return String::new();
        };
        let (row, column) = drawn.cursor;
        let before = drawn.rows[..row].iter();
        let rows: usize = before.map(|row| rows_of(row.width, columns)).sum();
        up(rows + column / columns.max(1))
    }
}

/// Returns the escape sequence that erases rows of these widths above the cursor.
pub fn erased(widths: &[usize]) -> String {
    let (columns, _) = look::size();
    let rows = widths.iter().map(|width| rows_of(*width, columns)).sum();
    up(rows) + "\r\x1b[J"
}

fn up(rows: usize) -> String {
    match rows {
        0 => String::new(),
        rows => format!("\x1b[{rows}A"),
    }
}

fn rows_of(width: usize, columns: usize) -> usize {
    width.div_ceil(columns.max(1)).max(1)
}

/// Pieces laid out in rows that fit the terminal's width and height.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    rows: Vec<Row>,
    /// The row and column of the cursor.
    cursor: (usize, usize),
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    text: String,
    width: usize,
}

impl Layout {
    fn new(pieces: &[Piece], columns: usize, height: usize, color: bool) -> Self {
        // Terminals behave differently after the last column.
        let columns = columns.saturating_sub(1).max(2);
        let mut rows = vec![Row::default()];
        let mut cursor = None;
        for piece in pieces {
            match piece {
                Piece::LineEnd => rows.push(Row::default()),
                Piece::Cursor => cursor = Some(end_of(&rows, columns)),
                Piece::Text(style, text) => write(&mut rows, *style, text, columns, color),
            }
        }
        let mut cursor = cursor.unwrap_or_else(|| end_of(&rows, columns));
        if cursor.0 == rows.len() {
            rows.push(Row::default());
        }
        // Keeps as many rows as fit, first those above the cursor, because the cursor can't move above the screen.
        let height = height.saturating_sub(1).max(1);
        if rows.len() > height {
            let first = (cursor.0 + 1).saturating_sub(height);
            rows = rows.drain(first..first + height).collect();
            cursor.0 -= first;
        }
        Self { rows, cursor }
    }

    fn draw(&self) -> String {
        let rows: Vec<&str> = self.rows.iter().map(|row| row.text.as_str()).collect();
        let (row, column) = self.cursor;
        let right = match column {
            0 => String::new(),
            column => format!("\x1b[{column}C"),
        };
        rows.join("\n") + &up(self.rows.len() - 1 - row) + "\r" + &right
    }
}

/// Returns the row and column of the next character.
fn end_of(rows: &[Row], columns: usize) -> (usize, usize) {
    let last = rows.len() - 1;
    match rows[last].width {
        width if width < columns => (last, width),
        _ => (last + 1, 0),
    }
}

fn write(rows: &mut Vec<Row>, style: Style, text: &str, columns: usize, color: bool) {
    let (on, off) = if color && style != PLAIN {
        (style.render().to_string(), style.render_reset().to_string())
    } else {
        (String::new(), String::new())
    };
    let mut open = false;
    for character in text.graphemes(true) {
        let width = character.width();
        if rows.last().is_some_and(|row| row.width + width > columns) {
            if let Some(row) = rows.last_mut().filter(|_| std::mem::take(&mut open)) {
                row.text.push_str(&off);
            }
            rows.push(Row::default());
        }
        if let Some(row) = rows.last_mut() {
            if !std::mem::replace(&mut open, true) {
                row.text.push_str(&on);
            }
            row.text.push_str(character);
            row.width += width;
        }
    }
    if let Some(row) = rows.last_mut().filter(|_| open) {
        row.text.push_str(&off);
    }
}

#[cfg(test)]
mod tests {
    use super::{CHOSEN, Layout, PLAIN, Piece};

    fn laid_out(pieces: &[Piece], columns: usize, height: usize) -> (Vec<String>, (usize, usize)) {
        let layout = Layout::new(pieces, columns, height, false);
        let rows = layout.rows.into_iter().map(|row| row.text).collect();
        (rows, layout.cursor)
    }

    #[test]
    fn what_is_wider_than_the_terminal_goes_on_in_the_next_row() {
        let text = |text: &str| Piece::Text(PLAIN, text.to_owned());
        for (pieces, rows, cursor) in [
            (vec![text("abc")], &["abc"][..], (0, 3)),
            (vec![text("abcd")], &["abcd", ""], (1, 0)),
            (vec![text("abcdef")], &["abcd", "ef"], (1, 2)),
            (vec![text("abc你好")], &["abc", "你好", ""], (2, 0)),
            (vec![text("abe\u{301}d")], &["abe\u{301}d", ""], (1, 0)),
            (
                vec![
                    text("ab"),
                    Piece::Cursor,
                    text("cdef"),
                    Piece::LineEnd,
                    text("g"),
                ],
                &["abcd", "ef", "g"],
                (0, 2),
            ),
            (
                vec![text("ab"), Piece::LineEnd, Piece::LineEnd],
                &["ab", "", ""],
                (2, 0),
            ),
        ] {
            let expected: Vec<String> = rows.iter().map(|&row| row.to_owned()).collect();
            assert_eq!(laid_out(&pieces, 5, 10), (expected, cursor), "{pieces:?}");
        }
    }

    #[test]
    fn no_more_rows_are_drawn_than_the_terminal_has() {
        let mut pieces = vec![Piece::Text(PLAIN, "abcdefghijkl".to_owned())];
        let (rows, cursor) = laid_out(&pieces, 5, 3);
        assert_eq!(
            (rows, cursor),
            (vec!["ijkl".to_owned(), String::new()], (1, 0))
        );
        pieces.insert(0, Piece::Cursor);
        let (rows, cursor) = laid_out(&pieces, 5, 3);
        assert_eq!(rows, ["abcd", "efgh"]);
        assert_eq!(cursor, (0, 0));
    }

    #[test]
    fn a_colour_ends_with_its_row() {
        let pieces = [Piece::Text(CHOSEN, "abcdef".to_owned())];
        let rows = Layout::new(&pieces, 5, 9, true).rows;
        let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        assert_eq!(texts, ["\x1b[96mabcd\x1b[0m", "\x1b[96mef\x1b[0m"]);
    }

    #[test]
    fn text_commands_no_terminal() {
        let piece = Piece::text(PLAIN, "a\u{1b}[2J\nb\tc");
        assert_eq!(piece, Piece::Text(PLAIN, "a b c".to_owned()));
    }
}
