//! The arguments of the framework's constructors, as a tree for the templates.

use bot_cli_templates::catalogue::{Arg, Literal, Service};
use serde::Serialize;

use super::PlanError;
use super::variables::{Reading, Unset};

/// An argument of a call, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// The keyword; empty for an item of a list.
    pub name: String,
    /// The form of the value.
    pub kind: Form,
    /// The text, the code, or the class or function that is called; empty for a list.
    pub value: String,
    /// The arguments of the call, or the items of the list.
    pub arguments: Vec<Argument>,
}

impl Argument {
    /// Whether the code that writes it names `NOT_GIVEN`.
    pub(super) fn may_be_not_given(&self) -> bool {
        self.kind == Form::OrNotGiven || self.arguments.iter().any(Self::may_be_not_given)
    }
}

/// The form of a value in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// A string, which the template has to quote.
    Text,
    /// A name, a number, `True`, `None`: Python as it is.
    Code,
    /// A setting that may be `None`, in a place that knows `NOT_GIVEN` instead.
    OrNotGiven,
    /// A call.
    Call,
    /// A list.
    List,
}

/// Returns the arguments of a service's class, the prompt among them.
pub(super) fn of_service(
    service: &Service,
    readings: &[Reading],
) -> Result<Vec<Argument>, PlanError> {
    let mut arguments = Vec::new();
    for arg in &service.args {
        let is_setting = arg.name.starts_with("settings.");
        let argument = argument(arg, is_setting, readings)?;
        place(&mut arguments, service, &arg.name, argument)?;
    }
    if let Some(prompt) = &service.prompt {
        place(&mut arguments, service, prompt, code("system_prompt"))?;
    }
    Ok(arguments)
}

/// Returns arguments that the catalogue lists.
pub(super) fn listed(args: &[Arg], readings: &[Reading]) -> Result<Vec<Argument>, PlanError> {
    args.iter()
        .map(|arg| argument(arg, false, readings))
        .collect()
}

/// Whether an argument is the bot's `aiohttp.ClientSession`, or one of its call's arguments is.
pub(super) fn uses_session(arg: &Arg) -> bool {
    arg.expr.as_deref() == Some("session") || arg.args.iter().any(uses_session)
}

/// Returns the variables that arguments and those of their calls read.
pub(super) fn variables(args: &[Arg]) -> Vec<&str> {
    let own = args.iter().filter_map(|arg| arg.env.as_deref());
    own.chain(args.iter().flat_map(|arg| variables(&arg.args)))
        .collect()
}

/// Sets the argument that a dotted name leads to. `settings` is made on the way, every other call has to be there.
fn place(
    arguments: &mut Vec<Argument>,
    service: &Service,
    dotted: &str,
    mut argument: Argument,
) -> Result<(), PlanError> {
    let Some((first, rest)) = dotted.split_once('.') else {
        dotted.clone_into(&mut argument.name);
        arguments.push(argument);
        return Ok(());
    };
    if first == "settings" && arguments.iter().all(|known| known.name != first) {
        arguments.push(Argument {
            name: first.to_owned(),
            kind: Form::Call,
            value: format!("{}.Settings", service.class),
            arguments: Vec::new(),
        });
    }
    let call = arguments
        .iter_mut()
        .find(|known| known.name == first && known.kind == Form::Call)
        .ok_or_else(|| {
            let reason = format!("`{}` has no call `{first}`", service.id);
            PlanError::broken("server/services.py", reason)
        })?;
    place(&mut call.arguments, service, rest, argument)
}

fn argument(arg: &Arg, is_setting: bool, readings: &[Reading]) -> Result<Argument, PlanError> {
    let found = if let Some(name) = &arg.env {
        let reading = readings.iter().find(|reading| reading.name == *name);
        // Two services share the variable and only this one may leave it to its class.
        let fallback = is_setting && reading.is_some_and(|reading| reading.unset == Unset::None);
        Argument {
            kind: if fallback {
                Form::OrNotGiven
            } else {
                Form::Code
            },
            ..code(name)
        }
    } else if let Some(value) = &arg.value {
        literal(value)
    } else if let Some(expression) = &arg.expr {
        code(expression)
    } else if let Some(callee) = &arg.call {
        Argument {
            kind: Form::Call,
            arguments: listed(&arg.args, readings)?,
            ..code(callee)
        }
    } else {
        let reason = format!("`{}` has no value", arg.name);
        return Err(PlanError::broken("server/services.py", reason));
    };
    Ok(Argument {
        name: arg.name.clone(),
        ..found
    })
}

fn literal(value: &Literal) -> Argument {
    match value {
        Literal::Text(text) => Argument {
            kind: Form::Text,
            ..code(text)
        },
        Literal::Integer(number) => code(&number.to_string()),
        Literal::Float(number) => code(&format!("{number:?}")),
        Literal::Boolean(true) => code("True"),
        Literal::Boolean(false) => code("False"),
        Literal::List(items) => Argument {
            kind: Form::List,
            arguments: items.iter().map(literal).collect(),
            ..code("")
        },
    }
}

fn code(text: &str) -> Argument {
    Argument {
        name: String::new(),
        kind: Form::Code,
        value: text.to_owned(),
        arguments: Vec::new(),
    }
}
