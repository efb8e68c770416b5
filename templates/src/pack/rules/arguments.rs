//! The rules for arguments of a service's class.

use std::collections::BTreeSet;

use super::Found;
use crate::pack::form::{self, shown};
use crate::pack::{Arg, Literal, Type};

impl Found {
    /// Checks a call's arguments, whose expressions may use the `imported` names.
    pub(super) fn arguments(&mut self, path: &str, args: &[Arg], imported: &BTreeSet<&str>) {
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
            if given.into_iter().filter(|given| *given).count() != 1 {
                let problem = "must have exactly one of `env`, `value`, `expr` and `call`";
                self.add(&field, problem);
            }
            if is_class && arg.name == "settings" || !names.insert(&arg.name) {
                let problem = "is there twice, or is made of the arguments `settings.…`";
                self.add(&field, problem);
            }
            self.source(&field, arg, imported);
            self.unset(&field, arg);
            self.arguments(&field, &arg.args, imported);
        }
    }

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
                let first = shown(first);
                let problem = format!("uses `{first}`, which `imports` does not have");
                self.add(&field, &problem);
            }
        }
    }

    fn literal(&mut self, field: &str, value: &Literal) {
        match value {
            Literal::Text(text) if text.is_empty() => {}
            Literal::Text(text) => self.form(field, text, &form::VALUE),
            Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
            Literal::List(items) => items.iter().for_each(|item| self.literal(field, item)),
        }
    }

    fn unset(&mut self, field: &str, arg: &Arg) {
        let defaults = [&arg.default, &arg.class_default];
        let texts = defaults.into_iter().flatten();
        let is_required = texts.clone().next().is_none() && !arg.optional;
        if arg.env.is_some() && is_required && arg.r#type != Type::Str {
            self.add(field, "must be text, since its variable is required");
        }
        if (arg.r#type == Type::Choice) == arg.choices.is_empty() {
            let problem = "must have `choices` if and only if its type is `choice`";
            self.add(field, problem);
        } else if !texts.clone().all(|text| has_type(text, arg)) {
            self.add(field, "has a default of another type");
        }
        for text in arg.choices.iter().chain(texts) {
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
