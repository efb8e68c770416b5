//! A version of a Python file: its lines, its syntax tree and its tokens.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::{Node, Parser, Tree, TreeCursor};

/// The places of a file's versions in a list of the three.
pub(super) const BASE: usize = 0;
pub(super) const YOURS: usize = 1;
pub(super) const NEW: usize = 2;

/// What is larger or deeper is merged by lines.
const MOST_BYTES: usize = 1 << 20;
const DEEPEST: usize = 200;

/// Tokens for the two ends of an indented block; no other token begins with a line break.
const INDENT: &str = "\n>";
const DEDENT: &str = "\n<";

pub(super) struct Source<'t> {
    pub text: &'t str,
    pub tree: Tree,
    /// The places where lines begin, and the end of the text.
    starts: Vec<usize>,
    tokens: Vec<Token>,
}

struct Token {
    text: String,
    /// Its first byte.
    start: usize,
    row: usize,
    /// The last row, for strings of several lines.
    last_row: usize,
    column: usize,
    is_comment: bool,
    /// It may as well be left out.
    is_optional: bool,
    /// A comma between entries.
    is_separator: bool,
}

impl<'t> Source<'t> {
    /// Parses a file; `None` if that is not possible.
    pub fn parse(text: &'t str) -> Option<Self> {
        if text.len() > MOST_BYTES {
            return None;
        }
        let mut parser = Parser::new();
        parser
            .set_language(&tree_sitter_python::LANGUAGE.into())
            .ok()?;
        let tree = parser.parse(text, None)?;
        if tree.root_node().has_error() {
            return None;
        }
        let mut starts: Vec<usize> = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        let tokens = Tokens::of(text, &tree)?;
        Some(Self {
            text,
            tree,
            starts,
            tokens,
        })
    }

    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn rows(&self, rows: &Range<usize>) -> &'t str {
        let at = |row: usize| self.starts.get(row).copied().unwrap_or(self.text.len());
        self.text
            .get(at(rows.start)..at(rows.end))
            .unwrap_or_default()
    }

    pub fn text_of(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The tokens that begin in these rows. Layout makes no difference to them, comments do.
    pub fn tokens<'s>(
        &'s self,
        rows: &Range<usize>,
    ) -> impl Iterator<Item = &'s str> + use<'s, 't> {
        // An entry is the same whether others follow or not.
        let tokens = match self.within(rows) {
            [tokens @ .., last] if last.is_separator => tokens,
            tokens => tokens,
        };
        tokens
            .iter()
            .filter(|token| !token.is_optional)
            .map(|token| token.text.as_str())
    }

    pub fn has_comment(&self, rows: &Range<usize>) -> bool {
        self.within(rows).iter().any(|token| token.is_comment)
    }

    /// The tokens of a node, which may begin within a row.
    pub fn words(&self, node: Node) -> String {
        let at = |byte: usize| self.tokens.partition_point(|token| token.start < byte);
        let tokens = self.tokens.get(at(node.start_byte())..at(node.end_byte()));
        let words = tokens.unwrap_or_default().iter();
        let words = words.filter(|token| !token.is_optional);
        let words: Vec<&str> = words.map(|token| token.text.as_str()).collect();
        words.join(" ")
    }

    /// The row behind the last token in these rows that is no comment.
    pub fn end_of_code(&self, rows: &Range<usize>) -> usize {
        let code = self.within(rows).iter().filter(|token| !token.is_comment);
        code.map(|token| token.last_row + 1)
            .max()
            .unwrap_or(rows.start)
    }

    /// The row behind the last comment in these rows, of those at their start that are indented more than `column`.
    pub fn end_of_deeper(&self, rows: &Range<usize>, column: usize) -> usize {
        self.within(rows)
            .iter()
            .take_while(|token| token.is_comment && token.column > column)
            .last()
            .map_or(rows.start, |token| token.row + 1)
    }

    /// Whether nothing precedes this place in its row.
    pub fn begins_its_row(&self, node: Node) -> bool {
        let at = node.start_position();
        let row = self.rows(&(at.row..at.row + 1));
        row.get(..at.column)
            .is_some_and(|before| before.trim().is_empty())
    }

    /// How many rows at the start of these have nothing in them.
    pub fn blank_rows(&self, rows: &Range<usize>) -> usize {
        let lines = self.rows(rows).split_inclusive('\n');
        lines.take_while(|line| line.trim().is_empty()).count()
    }

    pub fn refers_to(&self, name: &str, except: &Range<usize>) -> bool {
        self.tokens
            .iter()
            .any(|token| token.text == name && !except.contains(&token.row))
    }

    /// How many strings have a name in them, as annotations may.
    pub fn strings_with(&self, name: &str) -> usize {
        let is_string = |token: &&Token| token.text.ends_with(['"', '\'']);
        let has_name = |token: &&Token| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            token.text.split(|c| !is_part(c)).any(|word| word == name)
        };
        self.tokens
            .iter()
            .filter(is_string)
            .filter(has_name)
            .count()
    }

    /// The first row with a name that another version doesn't have.
    pub fn first_use(&self, name: &str, other: &Self) -> Option<usize> {
        let known: HashSet<&str> = other.text.lines().collect();
        let tokens = self.tokens.iter().filter(|token| token.text == name);
        let mut rows = tokens.map(|token| token.row);
        rows.find(|row| !known.contains(self.rows(&(*row..row + 1)).trim_end_matches('\n')))
    }

    /// How often a name occurs.
    pub fn count(&self, name: &str) -> usize {
        let tokens = self.tokens.iter();
        tokens.filter(|token| token.text == name).count()
    }

    fn within(&self, rows: &Range<usize>) -> &[Token] {
        let at = |row: usize| self.tokens.partition_point(|token| token.row < row);
        self.tokens
            .get(at(rows.start)..at(rows.end))
            .unwrap_or_default()
    }
}

struct Tokens<'t> {
    text: &'t str,
    found: Vec<Token>,
    end: usize,
}

impl<'t> Tokens<'t> {
    fn of(text: &'t str, tree: &Tree) -> Option<Vec<Token>> {
        let mut tokens = Self {
            text,
            found: Vec::new(),
            end: 0,
        };
        let mut cursor = tree.walk();
        // The kinds of the nodes around.
        let mut around: Vec<&str> = Vec::new();
        loop {
            let node = cursor.node();
            if node.kind() == "block" {
                tokens.mark(INDENT, node.start_position().row);
            }
            let is_whole = matches!(node.kind(), "string" | "comment");
            if !is_whole && node.child_count() > 0 {
                around.push(node.kind());
                if around.len() > DEEPEST {
                    return None;
                }
                cursor.goto_first_child();
                continue;
            }
            tokens.leaf(node, &around);
            if !tokens.leave(&mut cursor, &mut around) {
                break;
            }
        }
        tokens.gap(text.len());
        Some(tokens.found)
    }

    /// Goes on to the next node that was not visited.
    fn leave(&mut self, cursor: &mut TreeCursor, around: &mut Vec<&str>) -> bool {
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            around.pop();
            if cursor.node().kind() == "block" {
                let row = self.found.last().map_or(0, |token| token.row);
                self.mark(DEDENT, row);
            }
        }
        true
    }

    fn leaf(&mut self, node: Node, around: &[&str]) {
        self.gap(node.start_byte());
        self.end = node.end_byte().max(self.end);
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        if text.is_empty() || node.kind() == "line_continuation" {
            return;
        }
        let parent = around.last().copied().unwrap_or_default();
        let is_tuple = matches!(
            parent,
            "tuple" | "subscript" | "tuple_pattern" | "expression_list" | "pattern_list"
        );
        let closes = matches!(text, ")" | "]" | "}") && !node.is_named();
        if closes && !is_tuple {
            self.pass_over_comma();
        }
        self.found.push(Token {
            text: match node.kind() {
                "string" => quoted(text),
                _ => text.to_owned(),
            },
            start: node.start_byte(),
            row: node.start_position().row,
            last_row: node.end_position().row,
            column: node.start_position().column,
            is_comment: node.kind() == "comment",
            is_separator: text == "," && !is_tuple,
            is_optional: matches!(text, "(" | ")") && !node.is_named() && is_optional(around),
        });
    }

    /// Passes over a comma at the end, which formatters add and remove.
    fn pass_over_comma(&mut self) {
        let mut tokens = self.found.iter_mut().rev();
        if let Some(last) = tokens.find(|token| !token.is_comment)
            && last.text == ","
        {
            last.is_optional = true;
        }
    }

    /// Takes text that no leaf covers as a token, so that none is overlooked.
    fn gap(&mut self, to: usize) {
        let gap = self.text.get(self.end..to).unwrap_or_default();
        let row = self.found.last().map_or(0, |token| token.last_row);
        let gap = gap.trim_matches(|c: char| c.is_whitespace() || c == '\\');
        if !gap.is_empty() {
            self.mark(gap, row);
        }
    }

    fn mark(&mut self, text: &str, row: usize) {
        self.found.push(Token {
            text: text.to_owned(),
            start: self.end,
            row,
            last_row: row,
            column: 0,
            is_comment: false,
            is_optional: false,
            is_separator: false,
        });
    }
}

/// Whether parentheses directly within these nodes could as well be left out.
fn is_optional(around: &[&str]) -> bool {
    match around {
        [.., "import_from_statement"] => true,
        [.., outer, "parenthesized_expression"] => matches!(
            *outer,
            "assignment" | "return_statement" | "argument_list" | "keyword_argument" | "pair"
        ),
        _ => false,
    }
}

/// A string with double quotes if it may have them.
fn quoted(text: &str) -> String {
    if text.contains(['"', '\\', '{']) || text.contains("'''") {
        text.to_owned()
    } else {
        text.replace('\'', "\"")
    }
}
