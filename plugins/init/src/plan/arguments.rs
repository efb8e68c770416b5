//! Constructor arguments for framework classes, as a tree for the templates.

use bot_cli_templates::catalogue::{Arg, Literal, Service};
use serde::Serialize;

use super::variables::{Reading, Unset};

#[derive(Debug, Clone, Serialize)]
pub(super) struct Argument {
    /// The keyword, or an empty string for a list item.
    pub name: String,
    pub kind: ArgumentKind,
    /// The text, the code, or the name of the called class or function. Empty for lists.
    pub value: String,
    pub arguments: Vec<Argument>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ArgumentKind {
    /// A string that the template must quote.
    Text,
    /// Python code, such as a name, a number, `True` or `None`.
    Code,
    /// A setting that may be unset, in which case the generated code passes `NOT_GIVEN`.
    OrNotGiven,
    Call,
    List,
}

impl Argument {
    fn new(kind: ArgumentKind, value: &str, arguments: Vec<Self>) -> Self {
        Self {
            name: String::new(),
            kind,
            value: value.to_owned(),
            arguments,
        }
    }

    pub(super) fn may_be_not_given(&self) -> bool {
        self.kind == ArgumentKind::OrNotGiven || self.arguments.iter().any(Self::may_be_not_given)
    }
}

pub(super) fn of_service(service: &Service, language: &str, readings: &[Reading]) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for arg in &service.args {
        let is_setting = arg.name.starts_with("settings.");
        let argument = argument(arg, is_setting, readings);
        place(&mut arguments, service, &arg.name, argument);
    }
    if let Some(language) = service.language(language) {
        let member = language.to_uppercase().replace('-', "_");
        let (field, form, value) = match &service.language_list {
            None => ("language", ArgumentKind::Text, language.to_owned()),
            Some(field) => (&**field, ArgumentKind::Code, format!("[Language.{member}]")),
        };
        let told = Argument::new(form, &value, Vec::new());
        place(&mut arguments, service, &format!("settings.{field}"), told);
    }
    if let Some(prompt) = &service.prompt {
        let argument = Argument::new(ArgumentKind::Code, "system_prompt", Vec::new());
        place(&mut arguments, service, prompt, argument);
    }
    arguments
}

pub(super) fn listed(args: &[Arg], readings: &[Reading]) -> Vec<Argument> {
    let arguments = args.iter().map(|arg| argument(arg, false, readings));
    arguments.collect()
}

/// Reports whether an argument or one of its nested arguments is the bot's `aiohttp.ClientSession`.
pub(super) fn uses_session(arg: &Arg) -> bool {
    arg.expr.as_deref() == Some("session") || arg.args.iter().any(uses_session)
}

pub(super) fn variables(args: &[Arg]) -> Vec<&str> {
    let own = args.iter().filter_map(|arg| arg.env.as_deref());
    own.chain(args.iter().flat_map(|arg| variables(&arg.args)))
        .collect()
}

/// Inserts an argument at a dotted path, creating a missing `settings` call. Pack validation ensures that all other calls exist.
fn place(arguments: &mut Vec<Argument>, service: &Service, dotted: &str, mut argument: Argument) {
    let Some((first, rest)) = dotted.split_once('.') else {
        dotted.clone_into(&mut argument.name);
        return arguments.push(argument);
    };
    if first == "settings" && arguments.iter().all(|known| known.name != first) {
        let class = format!("{}.Settings", service.class);
        arguments.push(Argument {
            name: first.to_owned(),
            ..Argument::new(ArgumentKind::Call, &class, Vec::new())
        });
    }
    if let Some(call) = arguments.iter_mut().find(|known| known.name == first) {
        place(&mut call.arguments, service, rest, argument);
    }
}

fn argument(arg: &Arg, is_setting: bool, readings: &[Reading]) -> Argument {
    let found = if let Some(name) = &arg.env {
        let reading = readings.iter().find(|reading| reading.name == *name);
        // Two services share the variable, but only this one may leave the default to its class.
        let fallback = is_setting && reading.is_some_and(|reading| reading.unset == Unset::None);
        let kind = if fallback {
            ArgumentKind::OrNotGiven
        } else {
            ArgumentKind::Code
        };
        Argument::new(kind, name, Vec::new())
    } else if let Some(value) = &arg.value {
        literal(value)
    } else if let Some(callee) = &arg.call {
        Argument::new(ArgumentKind::Call, callee, listed(&arg.args, readings))
    } else {
        let code = arg.expr.as_deref().unwrap_or_default();
        Argument::new(ArgumentKind::Code, code, Vec::new())
    };
    Argument {
        name: arg.name.clone(),
        ..found
    }
}

fn literal(value: &Literal) -> Argument {
    let code = |text: &str| Argument::new(ArgumentKind::Code, text, Vec::new());
    match value {
        Literal::Text(text) => Argument::new(ArgumentKind::Text, text, Vec::new()),
        Literal::Integer(number) => code(&number.to_string()),
        Literal::Float(number) => code(&format!("{number:?}")),
        Literal::Boolean(true) => code("True"),
        Literal::Boolean(false) => code("False"),
        Literal::List(items) => {
            Argument::new(ArgumentKind::List, "", items.iter().map(literal).collect())
        }
    }
}
