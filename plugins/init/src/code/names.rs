//! The names in Python code, by its scopes.

use std::collections::{BTreeSet, HashSet};

use bot_cli_templates::pack::{BUILTINS, KEYWORDS};

use super::words::{Kind, Word, words};

/// Statements with a block.
const BLOCKS: &[&str] = &[
    "if", "elif", "else", "while", "for", "try", "except", "finally", "with", "match", "case",
    "class", "def",
];

/// Signs that change what is before them.
const CHANGES: &[&str] = &[
    "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**=",
];

/// A module, class, function, lambda or comprehension.
#[derive(Default)]
struct Scope<'t> {
    parent: Option<usize>,
    is_class: bool,
    bound: HashSet<&'t str>,
}

/// A name that a statement imports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub module: String,
    /// `None`: the module as a whole.
    pub name: Option<String>,
    /// The lines of the statement and of the name, counted from 1.
    pub lines: (usize, usize),
}

pub(crate) struct Names<'t> {
    scopes: Vec<Scope<'t>>,
    /// Each with the scope it is in.
    used: Vec<(&'t str, usize)>,
    pub imports: Vec<Import>,
}

impl<'t> Names<'t> {
    /// # Errors
    /// The code can't be read.
    pub(crate) fn of(code: &'t str) -> Result<Self, String> {
        let (words, read) = words(code);
        read?;
        let mut names = Self {
            scopes: vec![Scope::default()],
            used: Vec::new(),
            imports: Vec::new(),
        };
        // The scopes around, each with the column of what opens it.
        let mut around: Vec<(usize, usize)> = Vec::new();
        let starts = words
            .iter()
            .enumerate()
            .filter_map(|(at, word)| Some((at, word.indent?)));
        let starts: Vec<(usize, usize)> = starts.collect();
        for (number, (start, indent)) in starts.iter().enumerate() {
            let end = starts.get(number + 1).map_or(words.len(), |next| next.0);
            around.retain(|(column, _)| column < indent);
            let mut scope = around.last().map_or(0, |(_, scope)| *scope);
            let mut rest = &words[*start..end];
            while !rest.is_empty() {
                rest = names.head(rest, &mut scope)?;
            }
            if scope != around.last().map_or(0, |(_, scope)| *scope) {
                around.push((*indent, scope));
            }
        }
        Ok(names)
    }

    /// Returns the names that the code looks up and nothing in it binds; those of Python itself are not among them.
    pub(crate) fn free(&self) -> BTreeSet<&'t str> {
        let is_pythons = |name: &str| name.starts_with("__") || BUILTINS.contains(name);
        self.used
            .iter()
            .filter(|(name, scope)| !self.is_bound(name, *scope) && !is_pythons(name))
            .map(|(name, _)| *name)
            .collect()
    }

    /// Returns the names that the code binds outside its classes and functions.
    pub(crate) fn top(&self) -> BTreeSet<&'t str> {
        self.scopes[0].bound.iter().copied().collect()
    }

    /// Returns the names that the code binds or looks up.
    #[cfg(test)]
    pub(crate) fn all(&self) -> BTreeSet<&'t str> {
        let bound = self.scopes.iter().flat_map(|scope| &scope.bound);
        bound
            .copied()
            .chain(self.used.iter().map(|(name, _)| *name))
            .collect()
    }

    /// Functions within a class do not see its names.
    fn is_bound(&self, name: &str, scope: usize) -> bool {
        let mut at = Some(scope);
        while let Some(found) = at.and_then(|index| self.scopes.get(index)) {
            let is_seen = !found.is_class || at == Some(scope);
            if is_seen && found.bound.contains(name) {
                return true;
            }
            at = found.parent;
        }
        false
    }

    /// Reads the first statement of a line, or the head of one with a block, and returns the rest of the line. `scope` is that of the
    /// rest.
    fn head<'w>(
        &mut self,
        line: &'w [Word<'t>],
        scope: &mut usize,
    ) -> Result<&'w [Word<'t>], String> {
        let line = match line {
            [first, rest @ ..] if first.text == "async" || first.text == ";" => rest,
            line => line,
        };
        let Some(first) = line.first() else {
            return Ok(line);
        };
        let depth = first.depth;
        let is_block = BLOCKS.contains(&first.text)
            && line
                .get(1)
                .is_none_or(|next| !["=", ".", ",", ")"].contains(&next.text));
        let mut lambdas = 0;
        let end = line.iter().position(|word| {
            lambdas += usize::from(word.text == "lambda" && word.depth == depth);
            let is_colon = word.text == ":" && word.depth == depth && word.kind == Kind::Sign;
            let is_of_lambda = is_colon && lambdas > 0;
            lambdas -= usize::from(is_of_lambda);
            is_block && is_colon && !is_of_lambda || word.text == ";" && word.depth == depth
        });
        let (statement, rest) = line.split_at(end.unwrap_or(line.len()));
        match first.text {
            "def" | "class" => *scope = self.definition(statement, *scope),
            "import" | "from" => self.import(statement, *scope),
            "global" | "nonlocal" => {}
            "case" if is_block => self.pattern(&statement[1..], *scope),
            "match" if is_block => self.expression(&statement[1..], *scope),
            _ if is_block => self.expression(statement, *scope),
            _ => self.simple(statement, *scope)?,
        }
        Ok(match rest {
            [colon, rest @ ..] if colon.text == ":" => rest,
            rest => rest,
        })
    }

    fn simple(&mut self, statement: &[Word<'t>], scope: usize) -> Result<(), String> {
        let Some(first) = statement.first() else {
            return Ok(());
        };
        let depth = first.depth;
        // The parameters of a lambda have signs of their own.
        let is_lambda = |word: &Word| word.text == "lambda" && word.depth == depth;
        let lambda = statement
            .iter()
            .position(is_lambda)
            .unwrap_or(statement.len());
        let signs = statement[..lambda].iter().enumerate();
        let signs = signs.filter(|(_, word)| word.text == "=" && word.depth == depth);
        let mut parts: Vec<&[Word]> = Vec::new();
        let mut start = 0;
        for (at, _) in signs {
            parts.push(&statement[start..at]);
            start = at + 1;
        }
        parts.push(&statement[start..]);
        if parts.len() > 1 && parts.iter().any(|part| part.is_empty()) {
            return Err(format!("it has a syntax error in line {}", first.line));
        }
        let Some((value, targets)) = parts.split_last() else {
            return Ok(());
        };
        for target in targets.iter().chain([value]) {
            let place = |signs: &[&str]| {
                let is_it = |word: &Word| word.depth == depth && signs.contains(&word.text);
                target.iter().position(is_it)
            };
            let changed = place(CHANGES);
            let typed = place(&[":", "lambda"]).filter(|at| target[*at].text == ":");
            let end = match changed.or(typed) {
                Some(end) => end,
                None if std::ptr::eq(*target, *value) => 0,
                None => target.len(),
            };
            let (bound, used) = target.split_at(end);
            self.target(bound, scope);
            self.expression(used, scope);
            if changed.is_some() {
                self.expression(bound, scope);
            }
        }
        Ok(())
    }

    /// Binds the names of a target, such as `a, *b` or `(a, b)`; those of `a.b` and `a[b]` are looked up.
    fn target(&mut self, words: &[Word<'t>], scope: usize) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let end = at + 1 + trailers(&words[at + 1..]);
            if word.kind == Kind::Name && end > at + 1 {
                self.expression(&words[at..end], scope);
            } else if word.kind == Kind::Name {
                self.bind(word.text, scope);
            }
            at = if word.kind == Kind::Name { end } else { at + 1 };
        }
    }

    fn bind(&mut self, name: &'t str, scope: usize) {
        if !KEYWORDS.contains(name) {
            self.scopes[scope].bound.insert(name);
        }
    }

    /// Binds what a case of `match` binds; classes and values are looked up.
    fn pattern(&mut self, words: &[Word<'t>], scope: usize) {
        let guard = words
            .iter()
            .position(|word| word.text == "if")
            .unwrap_or(words.len());
        for (at, word) in words[..guard].iter().enumerate() {
            let next = words.get(at + 1).map_or("", |next| next.text);
            let is_attribute = at > 0 && words[at - 1].text == ".";
            match next {
                _ if word.kind != Kind::Name || is_attribute || next == "=" => {}
                "(" | "." => self.expression(&words[at..=at], scope),
                _ => self.bind(word.text, scope),
            }
        }
        self.expression(&words[guard..], scope);
    }

    /// Reads the head of a function or class, and returns its scope.
    fn definition(&mut self, head: &[Word<'t>], scope: usize) -> usize {
        let is_class = head[0].text == "class";
        let inner = self.open(scope, is_class);
        let Some(name) = head.get(1) else {
            return inner;
        };
        self.bind(name.text, scope);
        let mut rest = &head[2..];
        if rest.first().is_some_and(|word| word.text == "[") {
            let end = group(rest);
            self.parameters(&rest[1..end], inner);
            rest = &rest[(end + 1).min(rest.len())..];
        }
        let end = group(rest);
        if is_class || rest.is_empty() {
            self.expression(rest, scope);
        } else {
            self.parameters(&rest[1..end], inner);
            self.expression(&rest[(end + 1).min(rest.len())..], scope);
        }
        inner
    }

    /// Binds the parameters of a function; what they are by default is looked up.
    fn parameters(&mut self, words: &[Word<'t>], scope: usize) {
        let depth = words.first().map_or(0, |word| word.depth);
        for parameter in words.split(|word| word.text == "," && word.depth == depth) {
            let name = parameter.iter().position(|word| word.kind == Kind::Name);
            if let Some(name) = name {
                self.bind(parameter[name].text, scope);
                self.expression(&parameter[name + 1..], scope);
            }
        }
    }

    /// `import a.b` binds `a`, `from m import b` binds `b`, and `… as c` binds `c`.
    fn import(&mut self, statement: &[Word<'t>], scope: usize) {
        let join = |words: &[Word]| words.iter().map(|word| word.text).collect::<String>();
        let line = statement[0].line;
        let at = statement
            .iter()
            .position(|word| word.text == "import")
            .unwrap_or(0);
        let module = join(&statement[1.min(at)..at]);
        let names = statement[at + 1..].split(|word| [",", "(", ")"].contains(&word.text));
        for name in names.filter(|name| !name.is_empty() && name[0].text != "*") {
            let alias = name.iter().position(|word| word.text == "as");
            let whole = &name[..alias.unwrap_or(name.len())];
            let bound = alias
                .and_then(|alias| name.get(alias + 1))
                .unwrap_or(&name[0]);
            self.bind(bound.text, scope);
            let is_module = at == 0;
            self.imports.push(Import {
                module: if is_module {
                    join(whole)
                } else {
                    module.clone()
                },
                name: (!is_module).then(|| join(whole)),
                lines: (line, name[0].line),
            });
        }
    }

    /// Looks up the names of an expression, or of the head of a block.
    fn expression(&mut self, words: &[Word<'t>], scope: usize) {
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let next = words.get(at + 1).map_or("", |next| next.text);
            let is_attribute = at > 0 && words[at - 1].text == ".";
            at += 1;
            let rest = &words[at..];
            match word.text {
                _ if word.kind == Kind::String || is_attribute => {}
                "(" | "[" | "{" => {
                    let end = at - 1 + group(&words[at - 1..]);
                    let inner = &words[at..end];
                    let is_for = |it: &Word| it.text == "for" && it.depth == word.depth + 1;
                    let scope = if inner.iter().any(is_for) {
                        self.open(scope, false)
                    } else {
                        scope
                    };
                    self.expression(inner, scope);
                    at = end + 1;
                }
                "lambda" => {
                    let colon = rest
                        .iter()
                        .position(|it| it.text == ":" && it.depth == word.depth);
                    let colon = colon.unwrap_or(rest.len());
                    let end = rest[colon..]
                        .iter()
                        .position(|it| it.text == "," && it.depth == word.depth);
                    let end = end.map_or(rest.len(), |end| colon + end);
                    let inner = self.open(scope, false);
                    self.parameters(&rest[..colon], inner);
                    self.expression(&rest[colon..end], inner);
                    at += end;
                }
                "for" => {
                    let end = rest
                        .iter()
                        .position(|it| it.text == "in" && it.depth == word.depth);
                    let end = end.unwrap_or(rest.len());
                    self.target(&rest[..end], scope);
                    at += end;
                }
                "as" => {
                    let end = match next {
                        "(" | "[" => group(rest) + 1,
                        _ => (1 + trailers(&words[(at + 1).min(words.len())..])).min(rest.len()),
                    };
                    self.target(&rest[..end.min(rest.len())], scope);
                    at += end;
                }
                name if word.kind == Kind::Name => {
                    let is_argument = next == "=" && word.depth > 0;
                    let is_other =
                        KEYWORDS.contains(name) || name.starts_with(|c: char| c.is_ascii_digit());
                    if next == ":=" {
                        self.bind(name, scope);
                    } else if !is_argument && !is_other {
                        self.used.push((name, scope));
                    }
                }
                _ => {}
            }
        }
    }

    fn open(&mut self, parent: usize, is_class: bool) -> usize {
        self.scopes.push(Scope {
            parent: Some(parent),
            is_class,
            bound: HashSet::new(),
        });
        self.scopes.len() - 1
    }
}

/// The place of the bracket that closes the first word.
fn group(words: &[Word]) -> usize {
    let depth = words.first().map_or(0, |word| word.depth);
    let closes = |word: &Word| {
        word.depth == depth && [")", "]", "}"].contains(&word.text) && word.kind == Kind::Sign
    };
    words.iter().position(closes).unwrap_or(words.len())
}

/// How many words after a name belong to it: attributes, subscripts and arguments.
fn trailers(words: &[Word]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at = match word.text {
            "." => at + 2,
            "[" | "(" if word.kind == Kind::Sign => at + group(&words[at..]) + 1,
            _ => break,
        };
    }
    at.min(words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free_in(code: &str) -> Vec<String> {
        Names::of(code)
            .unwrap()
            .free()
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn what_nothing_binds_is_free() {
        for (code, expected) in [
            ("x = timedelta(seconds=2)", &["timedelta"][..]),
            (
                "def f(a, *b, c=D, **e) -> G:\n    return a, b, c, e, h",
                &["D", "G", "h"],
            ),
            ("def f(a: A, b: B | None = C): ...", &["A", "B", "C"]),
            ("def f():\n    x = 1\n\n\ndef g():\n    return x", &["x"]),
            (
                "class A(B):\n    c = 1\n\n    def f(self):\n        return c",
                &["B", "c"],
            ),
            ("a = [b for b in c if b.d]\nb", &["b", "c"]),
            ("f = lambda x: x + y", &["y"]),
            (
                "with open(p) as f, g() as (h, i):\n    print(f, h, i)",
                &["g", "p"],
            ),
            (
                "try:\n    pass\nexcept E as error:\n    raise F from error",
                &["E", "F"],
            ),
            (
                "import a.b\nfrom c import d as e, f\na, e, f, d, c",
                &["c", "d"],
            ),
            ("a.b = c.d(e=f)\ng[h] = 1", &["a", "c", "f", "g", "h"]),
            (
                "x: dict[str, A] = {}\nfor i, (j, *k) in x:\n    print(f'{i}{j}{k}{l}')",
                &["A", "l"],
            ),
            ("if (n := m):\n    n += o", &["m", "o"]),
            ("if a: b = c; d(b)\nelse: e.f += 1", &["a", "c", "d", "e"]),
            (
                "print(f'{a!r:>{b}} {{c}} {d[\"e\"]}', r'\\\\', '{f}')",
                &["a", "b", "d"],
            ),
            (
                "f = lambda x, y=z: (x, y)\ng(key=lambda h: h.i, j=k)",
                &["g", "k", "z"],
            ),
            (
                "match a:\n    case B(c=d, e=[f, *g]) if h:\n        d, f, g",
                &["B", "a", "h"],
            ),
            ("match = a\nmatch.b\n", &["a"]),
            (
                "a = {b: c for b, c in d.items()}\nasync for e in f: e",
                &["d", "f"],
            ),
            ("x = (  # (\n    y\n    + z)\n\\\nw", &["w", "y", "z"]),
            (
                "class A:\n    def b(self):\n        def c(): return d\n        d = 1\n    e = c",
                &["c"],
            ),
            ("@app.get('/x')\nasync def f(): await g", &["app", "g"]),
            (
                "if __name__ == '__main__':\n    _p = 'timedelta'  # timedelta",
                &[],
            ),
        ] {
            assert_eq!(free_in(code), expected, "{code}");
        }
    }

    #[test]
    fn hostile_nesting_is_an_error() {
        let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
        let error = Names::of(&deep).err();
        assert_eq!(error.as_deref(), Some("it is nested too deeply"));
    }

    #[test]
    fn a_syntax_error_has_its_line() {
        for code in [
            "x = 1\ndef f(:\n    pass\n",
            "x = 1\ny = = 2\n",
            "x = 1\ny = 'a\n",
            "x = 1\n  y = 2\n",
            "x = 1\n(]\n",
        ] {
            let error = Names::of(code).err();
            assert_eq!(
                error.as_deref(),
                Some("it has a syntax error in line 2"),
                "{code}"
            );
        }
    }
}
