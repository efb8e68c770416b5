//! Tokenizes Python code and collects the names that the code binds, uses and imports.

mod words;

use std::collections::BTreeSet;

pub(crate) use words::{Kind, Word, words};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    pub module: String,
    /// The imported name, or `None` if the module itself is imported.
    pub name: Option<String>,
    /// The line numbers of the import statement and of the imported name, starting at 1.
    pub lines: (usize, usize),
}

/// The names in a file, collected from all scopes. Captures in `match` patterns count as used names unless bound with `as`.
#[derive(Debug, Default)]
pub(crate) struct Names<'t> {
    /// Names bound by imports, definitions, parameters, assignments and loops.
    pub bound: BTreeSet<&'t str>,
    /// Bound names that other modules can import.
    pub top: BTreeSet<&'t str>,
    /// Names that are read, including keywords.
    pub used: BTreeSet<&'t str>,
    pub imports: Vec<Import>,
    /// Top-level functions and classes, with one entry per definition.
    pub defined: Vec<&'t str>,
}

impl<'t> Names<'t> {
    /// Collects the names in `code`. Returns an error if the code is syntactically invalid or nested too deeply.
    pub(crate) fn of(code: &'t str) -> Result<Self, String> {
        let (words, read) = words(code);
        read?;
        let mut names = Self::default();
        let mut rest = words.as_slice();
        while let [_, after @ ..] = rest {
            let end = after.iter().position(|word| word.indent.is_some());
            let (statement, next) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            match statement[0].text {
                "import" | "from" => names.import(statement),
                _ => names.statement(statement),
            }
            rest = next;
        }
        Ok(names)
    }

    fn statement(&mut self, words: &[Word<'t>]) {
        let first = words[0];
        let is_function = words.iter().take(2).any(|word| word.text == "def");
        let is_value = |word: &Word| word.text == "=" && word.depth == first.depth;
        // In `a: T = b`, only `a` is a target; in `else:`, nothing is.
        let targets = match words.get(1) {
            Some(colon) if colon.text == ":" && words.len() > 2 => 1,
            _ => words.iter().rposition(is_value).unwrap_or(0),
        };
        let mut binder = "";
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |at| words[at].text);
            let after = words.get(at + 1).map_or("", |next| next.text);
            match word.text {
                "for" | "lambda" => binder = word.text,
                "in" if binder == "for" => binder = "",
                ":" if binder == "lambda" => binder = "",
                _ => {}
            }
            if word.kind != Kind::Name || before == "." {
                continue;
            }
            let opens = ["(", ",", "*", "**", "lambda"].contains(&before);
            let is_parameter = opens && is_function && word.depth == first.depth + 1;
            // `a[b] = c` binds no name.
            let is_index = before == "[" && at > 1;
            let is_bound = ["def", "class", "as"].contains(&before)
                || after == ":="
                || is_parameter
                || binder == "lambda" && opens
                || (binder == "for" && word.text != "for" || at < targets && !is_index)
                    && ![".", "[", "("].contains(&after);
            if is_bound {
                self.bound.insert(word.text);
                if first.indent == Some(0) && !is_parameter && binder.is_empty() {
                    self.top.insert(word.text);
                }
            } else if after != "=" || word.depth == 0 {
                self.used.insert(word.text);
            }
            if ["def", "class"].contains(&before) && first.indent == Some(0) && at < 3 {
                self.defined.push(word.text);
            }
        }
    }

    /// Records an import: `import a.b` binds `a`, `from m import b` binds `b`, and `… as c` binds `c`.
    fn import(&mut self, statement: &[Word<'t>]) {
        let join = |words: &[Word]| words.iter().map(|word| word.text).collect::<String>();
        let at = (statement.iter().position(|word| word.text == "import")).unwrap_or(0);
        let names = statement[at + 1..].split(|word| [",", "(", ")"].contains(&word.text));
        for name in names.filter(|name| !name.is_empty() && name[0].text != "*") {
            let (whole, alias) = match name.iter().position(|word| word.text == "as") {
                Some(place) => (&name[..place], name.get(place + 1)),
                None => (name, None),
            };
            let name_here = alias.unwrap_or(&name[0]).text;
            self.bound.insert(name_here);
            self.top.insert(name_here);
            let (module, name_in_it) = match at {
                0 => (join(whole), None),
                _ => (join(&statement[1..at]), Some(join(whole))),
            };
            self.imports.push(Import {
                module,
                name: name_in_it,
                lines: (statement[0].line, name[0].line),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_bound_or_used() {
        for (code, bound, used) in [
            ("x = timedelta(seconds=2)", "x", "timedelta"),
            (
                "def f(a, *b, c=D, **e) -> G:\n    return h",
                "a b c e f",
                "D G h return",
            ),
            ("def f(a: A, b: B | None = C): ...", "a b f", "A B C"),
            ("class A(B):\n    c = 1", "A c", "B"),
            ("f(lambda x: x + y)", "lambda x", "f y"),
            ("with open(p) as f:\n    print(f)", "f", "open p print with"),
            ("import a.b\nfrom c import d as e, f", "a e f", ""),
            ("a.b = c.d(e=f)\ng[h] = 1", "", "a c f g h"),
            ("x: dict[str, A] = {}", "x", "A dict str"),
            (
                "for i, (j, *k) in x:\n    f'{i!r:>{l}} {{c}}'",
                "i j k",
                "c for i in l x",
            ),
            ("if (n := m):\n    n += o", "n", "if m o"),
            ("if a:\n    b\nelse:\n    c if d else e", "", "a b c d e"),
            ("_p = 'timedelta'  # timedelta", "_p", ""),
        ] {
            let names = Names::of(code).unwrap();
            let words = |names: &std::collections::BTreeSet<&str>| {
                let words = names
                    .iter()
                    .filter(|it| it.starts_with(|c: char| !c.is_numeric()));
                words.copied().collect::<Vec<_>>().join(" ")
            };
            assert_eq!(words(&names.bound), bound, "{code}");
            let used_here = words(&names.used);
            for name in used.split_whitespace() {
                assert!(
                    used_here.split(' ').any(|it| it == name),
                    "{code}: {used_here}"
                );
            }
        }
    }

    #[test]
    fn a_syntax_error_has_its_line_and_hostile_nesting_is_one() {
        for code in [
            "x = 1\ndef f(:\n    pass\n",
            "x = 1\ny = 'a\n",
            "x = 1\n  y = 2\n",
            "if x:\ny = 2\n",
            "x = 1\n(]\n",
        ] {
            let error = Names::of(code).err();
            let expected = "it has a syntax error in line 2";
            assert_eq!(error.as_deref(), Some(expected), "{code}");
        }
        let deep = format!("x = {}1{}", "(".repeat(5000), ")".repeat(5000));
        let error = Names::of(&deep).err();
        assert_eq!(error.as_deref(), Some("it is nested too deeply"));
    }
}
