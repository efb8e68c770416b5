//! `bot-cli costs` estimates what a bot costs per hour of talk. `costs.json` in the project has the prices in cents per hour, by currency
//! and service: `{"USD": {"deepgram_stt": 26}}`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use bot_cli_sdk::plugin::{self, Command, Exit, Failure, Question, Reply, Session};
use serde_json::json;

/// Estimates what a bot costs per hour of talk
#[derive(clap::Parser)]
#[command(name = "bot-cli-costs", version = "1.0.0")]
struct Costs {
    /// Currency of the prices
    #[arg(long, default_value = "USD", value_parser = ["USD", "EUR", "GBP"])]
    currency: String,
}

bot_cli_sdk::manifest!(Costs, "costs.json");

impl Command for Costs {
    const RESULTS: &'static [(&'static str, &'static str)] =
        &[("", include_str!("costs.schema.json"))];

    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let currency = self.currency;
        let project = session.project()?;
        let services = &project.services;
        let file = project.root.join("costs.json");
        let mut known = prices(&file, &currency)?;
        let missing = services.iter().filter(|it| !known.contains_key(&it.id));
        let questions: Vec<Question> = missing
            .map(|it| {
                let message = format!("Price of {} in cents per hour ({currency})", it.label);
                Question::text(&it.id, message)
            })
            .collect();
        let answers = session.ask_all_until(&questions, |_, answer| {
            let cents = answer.as_text().and_then(|it| it.parse::<u32>().ok());
            cents.ok_or_else(|| "must be a whole number".to_owned())
        })?;
        known.extend(questions.into_iter().map(|it| it.key).zip(answers));
        let count = u64::try_from(services.len()).ok();
        let (mut listed, mut table, mut total) = (Vec::new(), String::new(), 0);
        let mut row = |label: &str, cents: u32| {
            let (whole, rest) = (cents / 100, cents % 100);
            let _ = writeln!(table, "{label:24}{whole:5}.{rest:02} {currency}");
        };
        for (number, service) in (0..).zip(services) {
            let label = &service.label;
            session.progress(&format!("Adding {label}"), Some(number), count);
            let cents = known[&service.id];
            row(label, cents);
            total += cents;
            listed.push(json!({ "id": service.id, "label": label, "cents": cents }));
        }
        row("Total", total);
        let data = json!({
            "project": project.name, "currency": currency, "services": listed, "cents": total
        });
        Ok(Reply::text(table).data(data))
    }
}

/// Reads the prices in a currency. Without a file, there are none.
fn prices(file: &Path, currency: &str) -> Result<BTreeMap<String, u32>, Failure> {
    let text = fs::read_to_string(file).unwrap_or_else(|_| "{}".to_owned());
    let table: Result<BTreeMap<String, BTreeMap<String, u32>>, _> = serde_json::from_str(&text);
    let mut table = table.map_err(|_| {
        let message = format!("`{}` is not a table of prices", file.display());
        Failure::new(Exit::Usage, "invalid_prices", message)
            .hint(r#"write it like {"USD": {"deepgram_stt": 26}}"#)
    })?;
    Ok(table.remove(currency).unwrap_or_default())
}

fn main() -> std::process::ExitCode {
    plugin::main::<Costs>()
}
