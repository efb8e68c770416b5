//! Builds a provider's twin: the same services with harmless text that can't break out of its surroundings.

use bot_cli_templates::pack::{Arg, Literal, Provider, Type};

/// Returns the twin of each provider. Names, numbers and options that affect the generated code stay the same.
pub(super) fn of(providers: &[Provider]) -> Vec<Provider> {
    let mut twins = providers.to_vec();
    for (number, provider) in twins.iter_mut().enumerate() {
        provider.label = format!("Provider{number}");
        "https://twin.example".clone_into(&mut provider.site);
        for variable in provider.env.values_mut() {
            "About".clone_into(&mut variable.about);
        }
        for (index, service) in provider.services.iter_mut().enumerate() {
            service.label = format!("Label{number}{index}");
            for text in [&mut service.note, &mut service.deprecated]
                .into_iter()
                .flatten()
            {
                "Sentence".clone_into(text);
            }
            service.args.iter_mut().for_each(plain);
        }
    }
    twins
}

fn plain(arg: &mut Arg) {
    let choices = arg.choices.clone();
    let stands_for = |text: &str| match choices.iter().position(|choice| choice == text) {
        Some(number) => format!("choice{number}"),
        None => "text".to_owned(),
    };
    for default in [&mut arg.default, &mut arg.class_default]
        .into_iter()
        .flatten()
    {
        *default = match arg.r#type {
            // Numbers stay what they are.
            Type::Int | Type::Float => continue,
            Type::Str | Type::Choice => stands_for(default),
            Type::List => {
                let items = default
                    .split(',')
                    .filter(|item| !item.trim().is_empty())
                    .count();
                vec!["item"; items].join(",")
            }
        };
    }
    for (number, choice) in arg.choices.iter_mut().enumerate() {
        *choice = format!("choice{number}");
    }
    if let Some(value) = &mut arg.value {
        literal(value);
    }
    arg.args.iter_mut().for_each(plain);
}

fn literal(value: &mut Literal) {
    match value {
        Literal::Text(text) => "text".clone_into(text),
        Literal::List(items) => items.iter_mut().for_each(literal),
        Literal::Boolean(_) | Literal::Integer(_) | Literal::Float(_) => {}
    }
}
