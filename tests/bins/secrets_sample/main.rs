//! A secrets backend that keeps the protocol, but for the fault that a file beside it names. It writes raw lines.

mod wire;

use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio, exit};
use std::{env, fs, thread};

use bot_cli_sdk::process::{Listened, listen_to_stop_signals};
use bot_cli_tests::patience::wait_for_file;
use serde_json::{Map, Value, json};

use wire::{error, fits, note, print, result, say};

const MANIFEST: &str = concat!(
    "bot-cli-plugin: ",
    r#"{"protocol":"1.0","name":"secrets-sample","version":"1.0.0","about":"Have one fault","role":"secrets-backend","secrets":"1.0","#,
    r#""settings":[{"name":"file","about":"The file that keeps the sets"}]}"#,
    "\n"
);

/// The most bytes of a value.
const LARGEST: usize = 65_536;

fn main() {
    std::hint::black_box(MANIFEST);
    let beside = env::current_exe().map(|file| file.with_extension("fault"));
    let fault = beside.and_then(fs::read_to_string).unwrap_or_default();
    if env::args_os().len() > 1 {
        print("A secrets backend for tests");
        return;
    }
    drop(listen_to_stop_signals(Listened::All, |signal| {
        exit(signal.status().into())
    }));
    let mut sample = Sample { fault, kept: None };
    let mut input = BufReader::new(io::stdin());
    let mut line = Vec::new();
    while input
        .read_until(b'\n', &mut line)
        .is_ok_and(|read| read > 0)
    {
        let read = std::str::from_utf8(&line)
            .ok()
            .map(serde_json::from_str::<Value>);
        match read {
            _ if line.trim_ascii().is_empty() => {}
            Some(Ok(message)) if message["jsonrpc"] == "2.0" => sample.take(&message, &mut input),
            Some(Ok(_)) => error(&Value::Null, -32600, "no message", &json!({})),
            Some(Err(_)) | None => error(&Value::Null, -32700, "not JSON", &json!({})),
        }
        line.clear();
    }
}

/// Waits until the user has the question, which a file beside this one says.
fn wait_until_open() {
    let open = env::current_exe().map(|file| file.with_extension("open"));
    let open = open.unwrap_or_default();
    wait_for_file(&open);
}

struct Sample {
    fault: String,
    /// The file of the sets, once the place is open.
    kept: Option<PathBuf>,
}

/// The outcome of a request that failed.
struct Refused(&'static str, &'static str);

/// The sets by their names, each with its `kind` and `values`.
type Sets = Map<String, Value>;

impl Sample {
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }

    fn take(&mut self, message: &Value, input: &mut impl BufRead) {
        let (id, params) = (&message["id"], &message["params"]);
        let Some(method) = message["method"].as_str().filter(|_| !id.is_null()) else {
            return;
        };
        let Some(name) = method.strip_prefix("secrets/") else {
            return error(id, -32601, "no such method", &json!({}));
        };
        let known = [
            "open",
            "list",
            "get",
            "values",
            "credentials",
            "put",
            "put_image_pull_secret",
            "unset",
            "delete",
        ];
        let is_open = self.kept.is_some();
        match name {
            _ if !known.contains(&name) => error(id, -32601, "no such method", &json!({})),
            "open" if !is_open || self.has("opens-twice") => self.open(id, params, input),
            "list" if !is_open && self.has("lists-unopened") => result(id, &json!({ "sets": [] })),
            _ if name == "open" || !is_open => error(id, -32600, "out of turn", &json!({})),
            _ if !fits(name, params) && !self.has("takes-anything") => {
                error(id, -32602, "a parameter is missing", &json!({}));
                if self.has("quotes-parameters") {
                    drop(writeln!(io::stderr(), "bad parameters: {params}"));
                }
            }
            _ => self.work(id, name, params),
        }
    }

    fn open(&mut self, id: &Value, params: &Value, input: &mut impl BufRead) {
        let schema = params["secrets"].as_str().unwrap_or_default();
        if !schema.starts_with("1.") && !self.has("opens-every-major") {
            return error(
                id,
                -32022,
                "another version",
                &json!({ "supported": ["1.0"] }),
            );
        }
        if self.has("knows-one-minor") && schema != "1.0" {
            return error(
                id,
                -32022,
                "another version",
                &json!({ "supported": ["1.0"] }),
            );
        }
        match self.fault.as_str() {
            "dies-at-open" => {
                drop(writeln!(io::stderr(), "the keyring is locked"));
                exit(3);
            }
            "signed-out" => {
                let data = json!({ "code": "not_signed_in", "hints": ["sample login\u{1b}[31m"] });
                return error(id, 4, "the sign-in has\nexpired", &data);
            }
            "asks" | "asks-with-default" | "dies-asking" | "gives-up-asking" => {
                let mut question =
                    json!({ "key": "code", "kind": "text", "message": "Code", "flag": "--code" });
                if self.has("asks-with-default") {
                    question["default"] = json!("1234");
                }
                say(&json!({ "jsonrpc": "2.0", "id": "q", "method": "ask", "params": question }));
                match self.fault.as_str() {
                    "dies-asking" => {
                        wait_until_open();
                        exit(3);
                    }
                    "gives-up-asking" => {
                        wait_until_open();
                        return error(id, 7, "no time left", &json!({ "code": "timed_out" }));
                    }
                    _ => {}
                }
                let mut answer = String::new();
                drop(input.read_line(&mut answer));
                let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
                match answer["result"]["action"].as_str() {
                    Some("accept") => note(
                        "log",
                        &json!({ "id": id, "level": "note", "message": "signed in" }),
                    ),
                    Some(_) => return error(id, 130, "cancelled", &json!({ "code": "cancelled" })),
                    None => {
                        let data = json!({ "code": "input_required" });
                        return error(id, 2, "a code is needed", &data);
                    }
                }
            }
            _ => {}
        }
        let data = env::var_os("XDG_DATA_HOME").map_or_else(env::temp_dir, PathBuf::from);
        let file = params["settings"]["file"].as_str();
        self.kept = Some(file.map_or_else(|| data.join("sample.json"), PathBuf::from));
        if self.has("forgets") {
            self.write(&Sets::new());
        }
        let place = if self.has("long-place") {
            "x".repeat(300)
        } else {
            "a file for tests".to_owned()
        };
        let capitals = self.has("any-name");
        result(
            id,
            &json!({
                "organization": params["organization"].as_str().unwrap_or("home"),
                "place": place,
                "regions": { "all": [{ "code": "eu", "name": "Europe" }, { "code": "us" }], "default": "eu" },
                "names": { "shortest": 1, "longest": 63, "capitals": capitals },
                "limits": { "value_bytes": LARGEST },
                "can": ["values", "image_pull_secrets", "of_a_later_version"],
            }),
        );
    }

    fn work(&self, id: &Value, method: &str, params: &Value) {
        if method == "put" && !self.begin_put(id, params) {
            return;
        }
        match self.done(method, params) {
            Ok(reply) => {
                match self.fault.as_str() {
                    "dies-in-put" if method == "put" => exit(3),
                    "dies-after-put" if method == "put" => {
                        result(id, &reply);
                        exit(3);
                    }
                    "replies-twice" if method == "put" => result(id, &reply),
                    "wrong-shape" if method == "put" => return result(id, &json!("saved")),
                    "unreadable" if method == "put" => {
                        return print(&format!(
                            r#"{{"jsonrpc":"2.0","id":{id},"result":{{}},"error":{{}}}}"#
                        ));
                    }
                    "denies" if method == "put" => {
                        let data = json!({ "code": "refused", "effect": "not_done" });
                        return error(id, 1, "refused", &data);
                    }
                    "denies-cancelled" if method == "put" => {
                        let data = json!({ "code": "cancelled", "effect": "not_done" });
                        return error(id, 130, "cancelled", &data);
                    }
                    "names-others" if method == "unset" => {
                        return result(id, &json!({ "missing": ["SOMETHING_ELSE"] }));
                    }
                    "leaves-child" if method == "put" => leave_child(),
                    "answers-late" if method == "put" => {
                        let again = json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string();
                        result(id, &reply);
                        thread::sleep(std::time::Duration::from_millis(300));
                        return print(&again);
                    }
                    _ => {}
                }
                result(id, &reply);
            }
            Err(Refused(code, message)) => {
                let effect = if self.has("no-effect") {
                    "later"
                } else {
                    "not_done"
                };
                let data = json!({ "code": code, "effect": effect });
                error(id, 1, message, &data);
            }
        }
    }

    /// Does what some faults do instead of the change. Returns whether it is made all the same.
    fn begin_put(&self, id: &Value, params: &Value) -> bool {
        let value = &params["entries"]["A"];
        match self.fault.as_str() {
            "dies-before-put" => exit(3),
            "hangs" => loop {
                thread::park();
            },
            "lies" => result(id, &json!({})),
            "quotes" => {
                drop(writeln!(io::stderr(), "saving {value}"));
                note(
                    "log",
                    &json!({ "id": id, "level": "warn", "message": format!("saving {value}") }),
                );
                note(
                    "progress",
                    &json!({ "id": id, "message": format!("saving {value}") }),
                );
                print(&format!("saving {value}"));
                let data = json!({ "code": "refused", "effect": "not_done", "hints": [format!("not {value}")] });
                error(id, 1, &format!("{value} is not allowed"), &data);
            }
            "asks-in-put" => {
                let question =
                    json!({ "key": "sure", "kind": "confirm", "message": format!("Save {value}") });
                say(&json!({ "jsonrpc": "2.0", "id": "q", "method": "ask", "params": question }));
                return true;
            }
            "partly" => {
                let parts = json!({ "done": ["A"], "unknown": [], "not_done": ["B"] });
                let data = json!({ "code": "unreachable", "effect": { "partly": parts }, "retry_after": 5 });
                error(id, 3, "the connection was lost", &data);
            }
            "partly-more" => {
                let parts = json!({ "done": ["A", "B", "C"] });
                error(
                    id,
                    3,
                    "lost",
                    &json!({ "code": "unreachable", "effect": { "partly": parts } }),
                );
            }
            "without-effect" => error(id, 1, "lost", &json!({ "code": "unreachable" })),
            "later-words" => error(
                id,
                1,
                "lost",
                &json!({ "code": "tired", "effect": "mostly" }),
            ),
            _ => return true,
        }
        false
    }

    fn done(&self, method: &str, params: &Value) -> Result<Value, Refused> {
        let name = params["name"].as_str().unwrap_or_default();
        let mut sets = self.read();
        match method {
            "list" => {
                let listed: Vec<Value> =
                    sets.iter().map(|(name, set)| summary(name, set)).collect();
                let listed = if self.has("hides") {
                    Vec::new()
                } else {
                    listed
                };
                Ok(json!({ "sets": listed }))
            }
            "get" => Ok(json!({ "set": self.details(name, &sets) })),
            "values" => {
                let set = sets.get(name).filter(|set| set["kind"] == "secret");
                let mut values = set.map_or(Value::Null, |set| set["values"].clone());
                if self.has("trims")
                    && let Some(values) = values.as_object_mut()
                {
                    for value in values.values_mut() {
                        *value = json!(value.as_str().unwrap_or_default().trim());
                    }
                }
                Ok(json!({ "values": values }))
            }
            "credentials" => match sets.get(name) {
                Some(set) if set["kind"] == "image_pull_secret" => Ok(set["values"].clone()),
                _ if self.has("makes-credentials-up") => {
                    Ok(json!({ "host": "", "credentials": "" }))
                }
                _ => Err(Refused("not_found", "there is no such image pull secret")),
            },
            "put" | "put_image_pull_secret" => self.put(method, params, &mut sets),
            "unset" => {
                let Some(set) = sets.get_mut(name) else {
                    let missing = if self.has("misses-nothing") {
                        json!([])
                    } else {
                        params["keys"].clone()
                    };
                    return Ok(json!({ "missing": missing }));
                };
                let keys = params["keys"].as_array().into_iter().flatten();
                let missing: Vec<&Value> = keys
                    .filter(|key| {
                        let values = set["values"].as_object_mut();
                        let key = key.as_str().unwrap_or_default();
                        values.is_none_or(|values| values.remove(key).is_none())
                    })
                    .collect();
                let reply = json!({ "missing": missing });
                if !self.has("keeps-keys") {
                    self.write(&sets);
                }
                Ok(reply)
            }
            _ => {
                let deleted = sets.remove(name).is_some();
                if !self.has("keeps-sets") {
                    self.write(&sets);
                }
                Ok(json!({ "deleted": deleted }))
            }
        }
    }

    fn put(&self, method: &str, params: &Value, sets: &mut Sets) -> Result<Value, Refused> {
        let name = params["name"].as_str().unwrap_or_default();
        let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let is_name = (1..=63).contains(&name.len())
            && name.chars().all(is_allowed)
            && !name.starts_with('-')
            && !name.ends_with('-');
        if !is_name && !self.has("any-name") {
            return Err(Refused("invalid_name", "no set can have this name"));
        }
        let entries = params["entries"].as_object();
        let is_large = |value: &Value| value.as_str().is_some_and(|value| value.len() > LARGEST);
        if entries.is_some_and(|entries| entries.values().any(is_large)) && !self.has("takes-all") {
            return Err(Refused("too_large", "the value is too large"));
        }
        if (params["prior"] == "absent") == sets.contains_key(name) && !self.has("forgets-prior") {
            return Err(Refused("conflict", "it was made or removed meanwhile"));
        }
        let kind = if method == "put" {
            "secret"
        } else {
            "image_pull_secret"
        };
        let region = params["region"].as_str().unwrap_or("eu");
        let new = json!({ "kind": kind, "region": region, "values": {} });
        let set = sets.entry(name).or_insert(new);
        if set["kind"] != kind && !self.has("mixes-kinds") {
            return Err(Refused("conflict", "it is of the other kind"));
        }
        set["kind"] = json!(kind);
        if method == "put" {
            if self.has("replaces") {
                set["values"] = json!({});
            }
            for (key, value) in entries.into_iter().flatten() {
                set["values"][key] = value.clone();
            }
        } else {
            let host = if self.has("one-registry") {
                &json!("ghcr.io")
            } else {
                &params["host"]
            };
            set["values"] = json!({ "host": host, "credentials": params["credentials"] });
        }
        self.write(sets);
        Ok(json!({}))
    }

    fn details(&self, name: &str, sets: &Sets) -> Value {
        let Some(set) = sets.get(name) else {
            return if self.has("imagines") {
                json!({ "name": name, "kind": "secret", "keys": [] })
            } else {
                Value::Null
            };
        };
        let mut details = summary(name, set);
        if self.has("another-set") {
            details["name"] = json!("another");
        }
        if set["kind"] == "secret" {
            let keys = set["values"].as_object().into_iter().flatten();
            details["keys"] = keys.map(|(key, _)| key.as_str()).collect();
        }
        details
    }

    fn read(&self) -> Sets {
        let text = self.kept.as_ref().and_then(|file| fs::read(file).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    fn write(&self, sets: &Sets) {
        if let Some(file) = &self.kept {
            let folder = file.parent().map(fs::create_dir_all);
            drop(folder);
            drop(fs::write(file, json!(sets).to_string()));
        }
    }
}

fn summary(name: &str, set: &Value) -> Value {
    json!({ "name": name, "kind": set["kind"], "region": set["region"], "status": "ready", "error": null })
}

fn leave_child() {
    let child = Command::new("sleep")
        .arg("60")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(child);
}
