//! What each text of a service may be: written down a second time, apart from the reader that is tested.

use bot_cli_templates::pack::{Arg, Literal, Provider, Service};

/// The texts of a provider that are not what they may be.
pub(super) fn breaches(provider: &Provider) -> Vec<String> {
    let mut found = Breaches::default();
    found.look("a label", &provider.label, is_line);
    found.look("a site", &provider.site, is_site);
    for (name, variable) in &provider.env {
        found.look("a variable", name, is_variable);
        found.look("words about a variable", &variable.about, is_line);
    }
    for service in &provider.services {
        found.service(service);
    }
    found.0
}

#[derive(Default)]
struct Breaches(Vec<String>);

impl Breaches {
    fn look(&mut self, what: &str, text: &str, fits: fn(&str) -> bool) {
        if !fits(text) {
            self.0.push(format!("{what} is {text:?}"));
        }
    }

    fn service(&mut self, service: &Service) {
        self.look("an identifier", &service.id, is_id);
        if let Some(alias) = &service.alias {
            self.look("an alias", alias, is_id);
        }
        self.look("a label", &service.label, is_line);
        self.look("a module", &service.module, is_of_the_pack);
        self.look("a class", &service.class, is_name);
        for (module, names) in &service.imports {
            self.look("a module", module, is_of_the_pack);
            for name in names {
                self.look("an imported name", name, is_name);
            }
        }
        for extra in &service.extras {
            self.look("an extra", extra, is_package);
        }
        for package in &service.packages {
            self.look("a requirement", package, is_requirement);
        }
        if let Some(python) = &service.requires_python {
            self.look("a version of Python", python, is_release);
        }
        for read in &service.reads {
            self.look("a variable", &read.name, is_variable);
        }
        for name in &service.one_of {
            self.look("a variable", name, is_variable);
        }
        if let Some(prompt) = &service.prompt {
            self.look("a place of the prompt", prompt, is_dotted);
        }
        for text in [&service.deprecated, &service.note].into_iter().flatten() {
            self.look("a sentence", text, is_line);
        }
        if service.recommended.is_some() {
            self.0.push("a pack recommends itself".to_owned());
        }
        for arg in &service.args {
            self.argument(arg);
        }
    }

    fn argument(&mut self, arg: &Arg) {
        self.look("an argument", &arg.name, is_dotted);
        if let Some(env) = &arg.env {
            self.look("a variable", env, is_variable);
        }
        let texts = arg
            .choices
            .iter()
            .chain(&arg.default)
            .chain(&arg.class_default);
        for text in texts {
            self.look("a value", text, is_line);
        }
        if let Some(value) = &arg.value {
            self.literal(value);
        }
        if let Some(code) = &arg.expr {
            self.look("an expression", code, is_dotted);
        }
        if let Some(callee) = &arg.call {
            self.look("a call", callee, is_name);
        }
        for inner in &arg.args {
            self.argument(inner);
        }
    }

    fn literal(&mut self, value: &Literal) {
        match value {
            Literal::Text(text) => {
                self.look("a text", text, |text| text.is_empty() || is_line(text));
            }
            Literal::Float(number) if !number.is_finite() => {
                self.0.push(format!("a number is {number}"));
            }
            Literal::List(items) => items.iter().for_each(|item| self.literal(item)),
            Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
        }
    }
}

/// A line that a terminal shows as it is, and that says something.
pub(super) fn is_line(text: &str) -> bool {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    !text.trim().is_empty() && !text.contains(hidden)
}

fn is_site(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_graphic() && !"\"'`<>()[]{}|\\^$;*!".contains(c);
    text.strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain))
}

fn is_id(text: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.starts_with("acme_x_") && text.chars().all(word)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// In the one module that the pack's package brings.
fn is_of_the_pack(text: &str) -> bool {
    is_dotted(text) && text.split('.').next() == Some("acme_x")
}

fn is_dotted(text: &str) -> bool {
    text.split('.').all(is_name)
}

fn is_variable(text: &str) -> bool {
    let word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    text.starts_with(|c: char| c.is_ascii_uppercase()) && text.chars().all(word)
}

fn is_package(text: &str) -> bool {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.starts_with('-') && !text.is_empty() && text.chars().all(word)
}

fn is_release(text: &str) -> bool {
    text.split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

fn is_requirement(text: &str) -> bool {
    let Some((name, range)) = text.split_once(">=") else {
        return false;
    };
    let (name, extras) = match name.split_once('[') {
        None => (name, None),
        Some((name, extras)) => (name, Some(extras)),
    };
    let extras_fit = extras.is_none_or(|extras| {
        extras
            .strip_suffix(']')
            .is_some_and(|extras| extras.split(',').all(is_package))
    });
    let range_fits = range
        .split_once(",<")
        .is_some_and(|(floor, ceiling)| is_release(floor) && is_release(ceiling));
    is_package(name) && extras_fit && range_fits
}
