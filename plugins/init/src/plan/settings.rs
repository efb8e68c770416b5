//! The environment variables that `services.py` reads, for the statements that read them.

use std::collections::BTreeSet;

use bot_cli_templates::catalogue::Type;
use serde::Serialize;

use super::PlanError;
use super::variables::{Reading, Unset};
use crate::config::Config;

/// The settings of a bot.
#[derive(Debug, Clone, Serialize)]
pub struct Settings {
    /// Each variable once, in the order in which the services use them.
    pub variables: Vec<Setting>,
    /// Sets of variables of which at least one has to be set.
    pub ways: Vec<Vec<String>>,
    /// The import statements of the code that reads them.
    pub imports: BTreeSet<&'static str>,
}

/// An environment variable as `services.py` reads it.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// The name of the variable, and of the constant that holds its value.
    pub name: String,
    /// `text`, `int`, `float`, `choice` or `list`.
    pub kind: &'static str,
    /// The values that a `choice` allows.
    pub choices: Vec<String>,
    /// The meaning while it is unset: `required`, `none`, `not_given` or `default`.
    pub unset: &'static str,
    /// The default: text, or a number as Python writes it.
    pub default: String,
    /// The default of a list.
    pub items: Vec<String>,
    /// Whether code uses it; otherwise a class reads it by itself.
    pub used: bool,
}

impl Settings {
    pub(super) fn new(config: &Config, readings: &[Reading]) -> Result<Self, PlanError> {
        let variables: Vec<Setting> = readings
            .iter()
            .filter(|reading| reading.is_argument || reading.unset == Unset::Required)
            .map(Setting::new)
            .collect::<Result<_, _>>()?;
        let ways: BTreeSet<&Vec<String>> = config
            .services()
            .map(|service| &service.one_of)
            .filter(|ways| !ways.is_empty())
            .collect();
        let mut imports: BTreeSet<&'static str> =
            variables.iter().flat_map(Setting::imports).collect();
        if !ways.is_empty() {
            imports.insert("from settings import one_required");
        }
        Ok(Self {
            variables,
            ways: ways.into_iter().cloned().collect(),
            imports,
        })
    }
}

impl Setting {
    fn new(reading: &Reading) -> Result<Self, PlanError> {
        let broken =
            |why: &str| PlanError::broken("server/services.py", format!("{} {why}", reading.name));
        if reading.unset == Unset::Required && reading.kind != Type::Str {
            return Err(broken("is required, but not text"));
        }
        let mut setting = Self {
            name: reading.name.clone(),
            kind: match reading.kind {
                Type::Str => "text",
                Type::Int => "int",
                Type::Float => "float",
                Type::Choice => "choice",
                Type::List => "list",
            },
            choices: reading.choices.clone(),
            unset: match reading.unset {
                Unset::Required => "required",
                Unset::None => "none",
                Unset::NotGiven => "not_given",
                Unset::Default(_) => "default",
            },
            default: String::new(),
            items: Vec::new(),
            used: reading.is_argument,
        };
        if let Unset::Default(text) = &reading.unset {
            let fits = setting.take(text, reading.kind);
            fits.ok_or_else(|| broken("has a default of another type"))?;
        }
        Ok(setting)
    }

    /// Takes a default, unless it is of another type.
    fn take(&mut self, text: &str, kind: Type) -> Option<()> {
        match kind {
            Type::Str => text.clone_into(&mut self.default),
            Type::Choice => {
                let choice = self.choices.iter().find(|choice| *choice == text)?;
                self.default.clone_from(choice);
            }
            Type::Int => self.default = text.parse::<i64>().ok()?.to_string(),
            Type::Float => self.default = format!("{:?}", text.parse::<f64>().ok()?),
            Type::List => {
                let items = text.split(',').map(str::trim);
                let items = items.filter(|item| !item.is_empty());
                self.items = items.map(str::to_owned).collect();
            }
        }
        Some(())
    }

    fn imports(&self) -> impl Iterator<Item = &'static str> {
        let by_kind: &[&str] = match self.kind {
            _ if self.unset == "required" => &["from settings import required"],
            "int" | "float" => &["from settings import converted"],
            "list" => &["from settings import converted, split"],
            "choice" => &["from settings import one_of", "from typing import Literal"],
            _ => &["import os"],
        };
        let by_unset: &[&str] = match (self.unset, self.kind) {
            ("not_given", "text") => &["from pipecat.utils.types import NOT_GIVEN"],
            ("not_given", _) => &["from pipecat.utils.types import NOT_GIVEN, NotGiven"],
            _ => &[],
        };
        by_kind.iter().chain(by_unset).copied()
    }
}
