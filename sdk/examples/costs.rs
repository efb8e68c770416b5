//! `bot-cli costs` estimates what a bot costs per hour of talk. `costs.json` in the project has the prices in cents per hour, by currency
//! and service: `{"USD": {"deepgram_stt": 26}}`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{self, Stdio};
use std::{env, fs};

use bot_cli_sdk::plugin::{self, Command, Exit, Failure, OrFail as _, Question, Reply, Session};
use serde_json::{Value, json};

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
    fn run(self, session: &Session) -> Result<Reply, Failure> {
        let currency = self.currency;
        let project = project(session)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let services = project["services"].as_array().into_iter().flatten();
        let services: Vec<_> = services
            .map(|it| (text(&it["id"]), text(&it["label"])))
            .collect();
        let file = Path::new(&text(&project["root"])).join("costs.json");
        let mut known = prices(&file, &currency)?;
        let missing = services.iter().filter(|(id, _)| !known.contains_key(id));
        let questions: Vec<Question> = missing
            .map(|(id, label)| {
                let message = format!("Price of {label} in cents per hour ({currency})");
                Question::text(id, message)
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
        for (number, (id, label)) in (1..).zip(&services) {
            session.progress(&format!("Adding {label}"), Some(number), count);
            let cents = known[id];
            row(label, cents);
            total += cents;
            listed.push(json!({ "id": id, "label": label, "cents": cents }));
        }
        row("Total", total);
        let data = json!({
            "project": project["name"], "currency": currency, "services": listed, "cents": total
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

/// Returns the description of the user's bot project.
fn project(session: &Session) -> Result<Value, Failure> {
    let host = env::var_os("BOT_CLI_HOST").unwrap_or_else(|| "bot-cli".into());
    let output = process::Command::new(host)
        .args(["init", "--describe", "--json"])
        .arg(session.cwd())
        .stderr(Stdio::null())
        .output()
        .or_fail("could not run `bot-cli init --describe`")?;
    let document: Value = serde_json::from_slice(&output.stdout)
        .or_fail("`bot-cli init --describe` printed no document")?;
    let Some(error) = document.get("error") else {
        return Ok(document);
    };
    let text = |member: &str| error[member].as_str().unwrap_or("failed");
    let failure = Failure::new(Exit::Usage, text("code"), text("message"));
    let hints = error["hints"].as_array().into_iter().flatten();
    Err(hints.filter_map(Value::as_str).fold(failure, Failure::hint))
}

fn main() -> std::process::ExitCode {
    plugin::main::<Costs>()
}
