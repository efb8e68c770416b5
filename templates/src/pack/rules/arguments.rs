//! The rules of the arguments of a service.

use std::collections::BTreeSet;

use super::Found;
use crate::pack::form::{self, shown};
use crate::pack::{Arg, Literal, Rule, Service, Type};

/// The most bytes of a variable and its default together, so that they fit a line of code.
const LONGEST_DEFAULT_LINE: usize = 75;

/// The deepest name of an argument, counted in dots.
const DEEPEST: usize = 8;

impl Found {
    pub(super) fn arguments(&mut self, service: &Service) {
        let imported = service.imports.values().flatten();
        let imported: BTreeSet<&str> = imported.map(String::as_str).collect();
        self.calls("args", &service.args, &imported);
    }

    /// Checks the arguments of a call.
    fn calls(&mut self, path: &str, args: &[Arg], imported: &BTreeSet<&str>) {
        let is_class = path == "args";
        let mut names = BTreeSet::new();
        for arg in args {
            let field = format!("{path}.{}", shown(&arg.name));
            let setting = arg.name.strip_prefix("settings.").filter(|_| is_class);
            self.form(&field, setting.unwrap_or(&arg.name), &form::KEYWORD);
            let given = [
                arg.env.is_some(),
                arg.value.is_some(),
                arg.expr.is_some(),
                arg.call.is_some(),
            ];
            let sources = given.into_iter().filter(|given| *given).count();
            if sources != 1 || arg.call.is_none() && !arg.args.is_empty() {
                let one = "must have exactly one of `env`, `value`, `expr` and `call`, and `args` only with `call`";
                self.add(Rule::Sources, &field, one);
            }
            if is_class && arg.name == "settings" || !names.insert(&arg.name) {
                let twice = "is there twice, or is made of the arguments `settings.…`";
                self.add(Rule::Sources, &field, twice);
            }
            self.source(&field, arg, imported);
            self.unset(&field, arg, setting.is_some());
            if field.matches('.').count() > DEEPEST {
                self.add(Rule::Values, &field, "is too deep within other calls");
            } else {
                self.calls(&field, &arg.args, imported);
            }
        }
    }

    /// Checks where the value of an argument comes from.
    fn source(&mut self, field: &str, arg: &Arg, imported: &BTreeSet<&str>) {
        if let Some(value) = &arg.value {
            self.literal(&format!("{field}.value"), value);
        }
        for (code, key, form) in [
            (&arg.expr, "expr", &form::EXPRESSION),
            (&arg.call, "call", &form::NAME),
        ] {
            let Some(code) = code else { continue };
            let field = format!("{field}.{key}");
            self.form(&field, code, form);
            let first = code.split('.').next().unwrap_or_default();
            let is_known = key == "expr" && ["session", "None", "True", "False"].contains(&first);
            if !is_known && !imported.contains(first) {
                let unknown = format!("uses `{}`, which `imports` does not have", shown(first));
                self.add(Rule::Imports, &field, unknown);
            }
        }
    }

    fn literal(&mut self, field: &str, value: &Literal) {
        match value {
            Literal::Text(text) if text.is_empty() => {}
            Literal::Text(text) => self.form(field, text, &form::VALUE),
            // Whole numbers that 64 bits don't hold are read as these.
            Literal::Float(number) if number.is_nan() || number.abs() >= 1e15 => {
                self.add(Rule::Values, field, "is a number that is too large");
            }
            Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
            Literal::List(items) => items.iter().for_each(|item| self.literal(field, item)),
        }
    }

    /// Checks what the argument is while its variable is unset, and what it may be.
    fn unset(&mut self, field: &str, arg: &Arg, is_setting: bool) {
        let defaults = [&arg.default, &arg.class_default];
        let answers = defaults.iter().filter(|it| it.is_some()).count();
        let answers = answers + usize::from(arg.optional);
        let is_text = arg.r#type == Type::Str;
        let is_typed = answers > 0 || !is_text || !arg.choices.is_empty();
        let lengths = [&arg.env, &arg.default].map(|it| it.as_deref().map_or(0, str::len));
        let line: usize = lengths.iter().sum();
        let problem = if arg.env.is_none() && is_typed {
            "has a type or a default, but no `env`"
        } else if answers > 1 {
            "has more than one of `default`, `class_default` and `optional`"
        } else if arg.env.is_some() && answers == 0 && !is_text {
            "must be text, since its variable is required"
        } else if arg.class_default.is_some() && !is_setting {
            "has a `class_default`, which is for `settings.…` alone"
        } else if (arg.r#type == Type::Choice) == arg.choices.is_empty() {
            "must have `choices` if and only if its type is `choice`"
        } else if !defaults.into_iter().flatten().all(|it| has_type(it, arg)) {
            "has a default of another type"
        } else if line > LONGEST_DEFAULT_LINE {
            "has a default that is too long: with its variable, more than 75 characters"
        } else {
            ""
        };
        if !problem.is_empty() {
            self.add(Rule::Values, field, problem);
        }
        for text in arg.choices.iter().chain(defaults.into_iter().flatten()) {
            self.form(field, text, &form::VALUE);
        }
    }
}

fn has_type(default: &str, arg: &Arg) -> bool {
    match arg.r#type {
        Type::Int => default.parse::<i64>().is_ok(),
        Type::Float => default.parse::<f64>().is_ok_and(f64::is_finite),
        Type::Choice => arg.choices.iter().any(|choice| choice == default),
        Type::Str | Type::List => true,
    }
}
