//! The statements of `bot.py` that read its environment variables.

use bot_cli_templates::catalogue::Type;

use super::PlanError;
use super::python::LINE_LENGTH;
use super::quote::py;
use super::variables::{Reading, Unset};

/// `NAME = …` for one variable.
pub(super) fn setting(reading: &Reading) -> Result<String, PlanError> {
    let name = &reading.name;
    let broken = |why: &str| PlanError::broken("server/bot.py", format!("{name} {why}"));
    let unset = match &reading.unset {
        Unset::NotGiven => "NOT_GIVEN".to_owned(),
        Unset::None => "None".to_owned(),
        Unset::Default(text) => {
            literal(text, reading).ok_or_else(|| broken("has a default of another type"))?
        }
        Unset::Required if !reading.is_argument => return Ok(format!("required({})", py(name))),
        Unset::Required if reading.kind == Type::Str => {
            return Ok(format!("{name} = required({})", py(name)));
        }
        Unset::Required => return Err(broken("is required, but not text")),
    };
    let choices: Vec<String> = reading.choices.iter().map(|choice| py(choice)).collect();
    let choices = format!("[{}]", choices.join(", "));
    let (python, reader, how) = match reading.kind {
        Type::Str => {
            let value = format!("os.getenv({}) or {unset}", py(name));
            let line = format!("{name} = {value}");
            let fits = line.chars().count() <= LINE_LENGTH;
            return Ok(if fits {
                line
            } else {
                format!("{name} = (\n    {value}\n)")
            });
        }
        Type::Int => ("int".to_owned(), "converted", "int".to_owned()),
        Type::Float => ("float".to_owned(), "converted", "float".to_owned()),
        Type::List => ("list[str]".to_owned(), "converted", "split".to_owned()),
        Type::Choice => (format!("Literal{choices}"), "one_of", choices),
    };
    let annotation = match reading.unset {
        Unset::NotGiven => format!("{python} | NotGiven"),
        Unset::None => format!("{python} | None"),
        Unset::Default(_) | Unset::Required => python,
    };
    let args = [py(name), how, unset];
    let line = format!("{name}: {annotation} = {reader}({})", args.join(", "));
    if line.chars().count() <= LINE_LENGTH {
        return Ok(line);
    }
    Ok(format!(
        "{name}: {annotation} = {reader}(\n    {},\n)",
        args.join(",\n    ")
    ))
}

/// The statement that one of several variables is needed.
pub(super) fn one_required(ways: &[String]) -> String {
    let names: Vec<String> = ways.iter().map(|name| py(name)).collect();
    let line = format!("one_required({})", names.join(", "));
    if line.chars().count() <= LINE_LENGTH {
        return line;
    }
    format!("one_required(\n    {},\n)", names.join(",\n    "))
}

/// The text of a default as Python.
fn literal(text: &str, reading: &Reading) -> Option<String> {
    match reading.kind {
        Type::Str => Some(py(text)),
        Type::Choice => reading
            .choices
            .iter()
            .any(|choice| choice == text)
            .then(|| py(text)),
        Type::Int => text.parse::<i64>().ok().map(|number| number.to_string()),
        Type::Float => text.parse::<f64>().ok().map(|number| format!("{number:?}")),
        Type::List => {
            let items: Vec<String> = text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(py)
                .collect();
            Some(format!("[{}]", items.join(", ")))
        }
    }
}
