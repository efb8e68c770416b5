//! The rules of the arguments of a service.

use std::collections::BTreeSet;

use super::{Checker, DEEPEST, LONGEST_DEFAULT_LINE, MOST, arguments};
use crate::pack::grammar::{self, shown};
use crate::pack::{Arg, Literal, Rule, Service, Type};

impl Checker {
    pub(super) fn arguments(&mut self, service: &Service) {
        let imported: BTreeSet<&str> = service
            .imports
            .values()
            .flatten()
            .map(String::as_str)
            .collect();
        self.count("args", arguments(service).len(), MOST);
        self.calls("args", &service.args, &imported, 0);
    }

    /// The arguments of a call; `depth` calls are around it.
    fn calls(&mut self, field: &str, args: &[Arg], imported: &BTreeSet<&str>, depth: usize) {
        if depth == DEEPEST {
            return self.found(
                Rule::Sources,
                field,
                format!("has more than {DEEPEST} calls within each other"),
            );
        }
        let mut names = BTreeSet::new();
        for arg in args {
            let field = format!("{field}.{}", shown(&arg.name));
            let setting = arg.name.strip_prefix("settings.").filter(|_| depth == 0);
            self.form(&field, setting.unwrap_or(&arg.name), &grammar::KEYWORD);
            if arg.name == "settings" && depth == 0 {
                self.found(
                    Rule::Sources,
                    &field,
                    "is made of the arguments `settings.…`",
                );
            }
            if !names.insert(&arg.name) {
                self.found(Rule::Sources, &field, "is there twice");
            }
            self.source(&field, arg, imported);
            self.answers(&field, arg, setting.is_some());
            self.calls(&field, &arg.args, imported, depth + 1);
        }
    }

    /// Checks where the value of an argument comes from.
    fn source(&mut self, field: &str, arg: &Arg, imported: &BTreeSet<&str>) {
        let sources = [
            arg.env.is_some(),
            arg.value.is_some(),
            arg.expr.is_some(),
            arg.call.is_some(),
        ];
        if sources.iter().filter(|given| **given).count() != 1 {
            self.found(
                Rule::Sources,
                field,
                "must have exactly one of `env`, `value`, `expr` and `call`",
            );
        }
        if !arg.args.is_empty() && arg.call.is_none() {
            self.found(Rule::Sources, field, "has `args` without a `call`");
        }
        if let Some(value) = &arg.value {
            self.literal(&format!("{field}.value"), value, 0);
        }
        if let Some(code) = &arg.expr {
            let field = format!("{field}.expr");
            self.form(&field, code, &grammar::EXPRESSION);
            let first = code.split('.').next().unwrap_or_default();
            if !["session", "None", "True", "False"].contains(&first) && !imported.contains(first) {
                self.found(
                    Rule::Imports,
                    &field,
                    format!("uses `{}`, which `imports` does not have", shown(first)),
                );
            }
        }
        if let Some(callee) = &arg.call {
            let field = format!("{field}.call");
            self.form(&field, callee, &grammar::NAME);
            if !imported.contains(callee.as_str()) {
                self.found(
                    Rule::Imports,
                    &field,
                    format!("is `{}`, which `imports` does not have", shown(callee)),
                );
            }
        }
    }

    fn literal(&mut self, field: &str, value: &Literal, depth: usize) {
        match value {
            Literal::Text(text) if text.is_empty() => {}
            Literal::Text(text) => self.form(field, text, &grammar::VALUE),
            // Whole numbers that 64 bits don't hold are read as these.
            Literal::Float(number) if number.is_nan() || number.abs() >= 1e15 => {
                self.found(Rule::Values, field, "is a number that is too large");
            }
            Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
            Literal::List(_) if depth == DEEPEST => {
                self.found(
                    Rule::Values,
                    field,
                    format!("has more than {DEEPEST} lists within each other"),
                );
            }
            Literal::List(items) => {
                self.count(field, items.len(), MOST);
                for item in items.iter().take(MOST) {
                    self.literal(field, item, depth + 1);
                }
            }
        }
    }

    /// Checks what holds while the variable is unset, and what it may be.
    fn answers(&mut self, field: &str, arg: &Arg, is_setting: bool) {
        let answers = [
            arg.optional,
            arg.default.is_some(),
            arg.class_default.is_some(),
        ];
        let given = answers.iter().filter(|given| **given).count();
        if arg.env.is_none() && (given > 0 || arg.r#type != Type::Str || !arg.choices.is_empty()) {
            self.found(Rule::Values, field, "has a type or a default, but no `env`");
        }
        if given > 1 {
            self.found(
                Rule::Values,
                field,
                "says twice what holds while the variable is unset",
            );
        }
        if given == 0 && arg.env.is_some() && arg.r#type != Type::Str {
            self.found(
                Rule::Values,
                field,
                "must be text, since its variable is required",
            );
        }
        if arg.class_default.is_some() && !is_setting {
            self.found(
                Rule::Values,
                field,
                "has a `class_default`, which is for `settings.…` alone",
            );
        }
        if (arg.r#type == Type::Choice) == arg.choices.is_empty() {
            self.found(
                Rule::Values,
                field,
                "must have `choices` if and only if its type is `choice`",
            );
        }
        self.count(field, arg.choices.len(), MOST);
        for choice in arg.choices.iter().take(MOST) {
            self.form(&format!("{field}.choices"), choice, &grammar::VALUE);
        }
        for (name, default) in [
            ("default", &arg.default),
            ("class_default", &arg.class_default),
        ] {
            let Some(default) = default else { continue };
            let field = format!("{field}.{name}");
            self.form(&field, default, &grammar::VALUE);
            if !has_type(default, arg) {
                self.found(Rule::Values, &field, "is not of the argument's type");
            }
            let variable = arg.env.as_deref().unwrap_or_default();
            if name == "default" && variable.len() + default.chars().count() > LONGEST_DEFAULT_LINE
            {
                self.found(
                    Rule::Values,
                    &field,
                    format!(
                        "and the variable have more than {LONGEST_DEFAULT_LINE} characters together"
                    ),
                );
            }
        }
    }
}

fn has_type(default: &str, arg: &Arg) -> bool {
    match arg.r#type {
        Type::Int => default.parse::<i64>().is_ok(),
        Type::Float => default.parse::<f64>().is_ok_and(f64::is_finite),
        Type::Choice => arg.choices.iter().any(|choice| choice == default),
        Type::Str | Type::List => !default.is_empty(),
    }
}
