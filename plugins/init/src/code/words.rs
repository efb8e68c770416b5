//! Splits Python code into tokens, discarding comments and whitespace.

/// The maximum nesting depth for brackets.
const DEEPEST: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, a keyword or a number.
    Name,
    String,
    Sign,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// The line number, starting at 1.
    pub line: usize,
    /// The number of enclosing brackets. A bracket does not enclose itself.
    pub depth: usize,
    /// The column of a statement's first token; `None` for all other tokens.
    pub indent: Option<usize>,
}

impl Word<'_> {
    fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }
}

/// Multi-character operators. Longer operators precede their prefixes, because the first match wins.
const SIGNS: &[&str] = &[
    "**=", "//=", "<<=", ">>=", "...", "==", "!=", "<=", ">=", ":=", "->", "+=", "-=", "*=", "/=",
    "%=", "@=", "&=", "|=", "^=", "**", "//", "<<", ">>",
];

/// Splits code into tokens. If the code has a syntax error, returns the error together with all preceding tokens.
pub(crate) fn words(code: &str) -> (Vec<Word<'_>>, Result<(), String>) {
    let mut reader = Reader {
        words: Vec::new(),
        open: Vec::new(),
        line: 1,
    };
    let read = reader.read(code);
    (reader.words, read)
}

fn error(line: usize) -> String {
    format!("it has a syntax error in line {line}")
}

struct Reader<'t> {
    words: Vec<Word<'t>>,
    open: Vec<(char, usize)>,
    line: usize,
}

impl<'t> Reader<'t> {
    fn read(&mut self, code: &'t str) -> Result<(), String> {
        let mut rest = code;
        let mut indents = vec![0];
        let mut is_begun = false;
        while let Some(c) = rest.chars().next() {
            let column = || {
                let before = code[..code.len() - rest.len()].rsplit('\n');
                before.map(str::len).next().unwrap_or(0)
            };
            match c {
                '\n' => {
                    self.line += 1;
                    is_begun &= !self.open.is_empty();
                    rest = &rest[1..];
                }
                '\\' if rest[1..].starts_with('\n') => {
                    self.line += 1;
                    rest = &rest[2..];
                }
                '#' => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
                c if c.is_whitespace() || c == '\u{feff}' => rest = &rest[c.len_utf8()..],
                _ => {
                    let at = self.words.len();
                    let column = (!std::mem::replace(&mut is_begun, true)).then(column);
                    rest = self.word(rest)?;
                    if let Some(column) = column {
                        let is_deeper = indents.last().is_some_and(|last| column > *last);
                        let opens = at
                            .checked_sub(1)
                            .is_none_or(|at| self.words[at].is_sign(":"));
                        indents.retain(|indent| *indent <= column);
                        if is_deeper && opens {
                            indents.push(column);
                        }
                        if indents.last() != Some(&column) || at > 0 && opens && !is_deeper {
                            return Err(error(self.line));
                        }
                        self.words[at].indent = Some(column);
                    }
                }
            }
        }
        match self.open.last() {
            Some((_, line)) => Err(error(*line)),
            None => Ok(()),
        }
    }

    fn word(&mut self, rest: &'t str) -> Result<&'t str, String> {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let name = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let is_prefix = name <= 2 && rest[..name].chars().all(|c| "rbfuRBFUtT".contains(c));
        if is_prefix && rest[name..].starts_with(['"', '\'']) {
            return self.string(rest, name);
        }
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (kind, length) = match name {
            0 => (Kind::Sign, sign.map_or(first, |sign| sign.len())),
            _ => (Kind::Name, name),
        };
        let text = &rest[..length];
        if let ")" | "]" | "}" = text {
            let closes = match self.open.pop() {
                Some((open, _)) => ["()", "[]", "{}"].contains(&format!("{open}{text}").as_str()),
                None => false,
            };
            if !closes {
                return Err(error(self.line));
            }
        }
        self.push(kind, text);
        if let Some(open @ ('(' | '[' | '{')) = text.chars().next() {
            self.open.push((open, self.line));
            if self.open.len() > DEEPEST {
                return Err("it is nested too deeply".to_owned());
            }
        }
        Ok(&rest[length..])
    }

    fn push(&mut self, kind: Kind, text: &'t str) {
        self.words.push(Word {
            kind,
            text,
            line: self.line,
            depth: self.open.len(),
            indent: None,
        });
    }

    /// Reads a string literal with a prefix of the given length. For an f-string, also reads the names in its expressions.
    fn string(&mut self, rest: &'t str, prefix: usize) -> Result<&'t str, String> {
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let quotes = quotes
            .into_iter()
            .find(|it| rest[prefix..].starts_with(it))
            .unwrap_or("\"");
        let inner = &rest[prefix + quotes.len()..];
        let mut end = 0;
        loop {
            match inner[end..].chars().next() {
                _ if inner[end..].starts_with(quotes) => break,
                None => return Err(error(self.line)),
                Some('\n') if quotes.len() == 1 => return Err(error(self.line)),
                Some('\\') => end += 1 + inner[end + 1..].chars().next().map_or(0, char::len_utf8),
                Some(c) => end += c.len_utf8(),
            }
        }
        self.push(Kind::String, &inner[..end]);
        if rest[..prefix].contains(['f', 'F', 't', 'T']) {
            // The names in braces. A format specification may contain braces, too.
            let evaluated = inner[..end].split('{').skip(1);
            for part in evaluated.filter_map(|part| part.split(['}', ':', '!']).next()) {
                let paths = part.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '.');
                for name in paths.filter_map(|path| path.split('.').next()) {
                    if name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                        self.push(Kind::Name, name);
                    }
                }
            }
        }
        self.line += inner[..end].matches('\n').count();
        Ok(&inner[end + quotes.len()..])
    }
}
