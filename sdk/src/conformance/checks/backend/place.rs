//! A place where a backend may work, as `--argv` names it, and what is done there.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::super::{Held, failed, shown, shown_error};
use crate::conformance::bench::{Bench, Stop};
use crate::conformance::dialogue::{Answers, Dialogue, Reply};
use crate::protocol::secrets::{
    Ability, Code, DeleteResult, GetResult, ListResult, NameRules, OpenResult, SetDetails,
    SetSummary, methods,
};
use crate::protocol::{ErrorObject, Role, codes, shape};
use crate::suggest;
use crate::terminal::printable;

/// The most characters of a place.
const LONGEST_PLACE: usize = 200;

/// A backend with its place open.
pub struct Work<'a> {
    bench: &'a Bench<'a>,
    /// The conversation.
    pub plugin: Dialogue<'a>,
    /// Returns what the backend says of the place.
    pub opened: OpenResult,
    /// The region for new sets.
    region: Option<String>,
    /// The sets that were made and are to go again.
    made: Vec<String>,
}

/// Does `work` where the backend may, and removes what it has made there.
pub fn work(bench: &Bench, work: impl FnOnce(&mut Work) -> Held) -> Held {
    let mut place = Work::open(bench, None)?;
    let held = work(&mut place);
    place.end(held)
}

/// The place can be opened, and what is said of it can be used.
pub fn opens(bench: &Bench) -> Held {
    let asked = scope(bench)?;
    let opened = Work::open(bench, None)?.opened;
    if let (Some(asked), Some(got)) = (asked.get("organization"), &opened.organization)
        && asked != got
    {
        return failed(format!(
            "`organization` is `{got}`, not the one that was named"
        ));
    }
    let place = opened.place.chars().count();
    if place > LONGEST_PLACE
        || opened.place.contains('\n')
        || printable(&opened.place, false) != opened.place
    {
        return failed("`place` is not one short line");
    }
    let NameRules {
        shortest, longest, ..
    } = opened.names;
    if shortest < 1 || longest < shortest || longest > 63 {
        return failed("`names` is not within 1 to 63 characters");
    }
    let Some(regions) = &opened.regions else {
        return Ok(());
    };
    let is_code = |code: &str| {
        !code.is_empty()
            && code.len() <= 63
            && code.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    if let Some(region) = regions.all.iter().find(|region| !is_code(&region.code)) {
        let code = printable(&region.code, false);
        return failed(format!("`{code}` can't be the code of a region"));
    }
    match &regions.default {
        Some(default) if !regions.all.iter().any(|region| region.code == *default) => {
            failed("the default region is not one of the regions")
        }
        Some(_) | None => Ok(()),
    }
}

/// A place is opened once.
pub fn opens_once(bench: &Bench) -> Held {
    work(bench, |place| {
        match place.request(methods::OPEN, json!({ "secrets": "1.0", "settings": {} }))? {
            Reply::Error(error) if error.code == codes::INVALID_REQUEST => Ok(()),
            reply @ (Reply::Error(_) | Reply::Result(_)) => {
                failed(format!("a second `secrets/open` got {}", shown(&reply)))
            }
        }
    })
}

/// A later minor version, and what it may add, is no obstacle.
pub fn later_minor(bench: &Bench) -> Held {
    let mut place = Work::open(
        bench,
        Some(&|params| {
            params["secrets"] = json!("1.7");
            params["later"] = json!({ "x": [1] });
            params["capabilities"]["clipboard"] = json!({});
            params["context"]["later"] = json!([1]);
        }),
    )?;
    place.sweep()
}

/// Returns what is wrong with the place that `--argv` names, as far as the manifest of the backend tells.
pub fn wrong(bench: &Bench) -> Option<String> {
    let words = bench.argv().ok()?;
    let manifest = bench.declared().ok()?;
    if manifest.role != Role::SecretsBackend {
        return None;
    }
    let own = manifest
        .settings
        .iter()
        .map(|setting| setting.name.as_str());
    let known: Vec<&str> = own.chain(["organization", "region"]).collect();
    let mut named = Vec::new();
    for word in words {
        let Some((name, _)) = word.split_once('=') else {
            return Some("has a word that is not NAME=VALUE".to_owned());
        };
        if !known.contains(&name) {
            let near = suggest::nearest(name, known.iter().copied());
            let mend = near.map_or_else(
                || format!("possible are {}", known.join(", ")),
                |near| suggest::did_you_mean(&[near]),
            );
            return Some(format!(
                "names `{}`, which is no setting of the backend: {mend}",
                printable(name, false)
            ));
        }
        named.push(name);
    }
    let required = manifest.settings.iter().filter(|setting| setting.required);
    let mut missing = required.map(|setting| setting.name.as_str());
    let missing = missing.find(|name| !named.contains(name))?;
    Some(format!(
        "lacks the setting `{missing}`, which the backend requires: `{missing}=VALUE`"
    ))
}

/// The words of `--argv` as members: `organization=scratch`.
fn scope(bench: &Bench) -> Result<BTreeMap<String, String>, Stop> {
    let argv = bench.argv().map_err(|_| {
        let what = "it needs a place to work in: `--argv \"organization=NAME SETTING=VALUE\"`, or `--argv \"\"`";
        Stop::NotRun(what.to_owned())
    })?;
    argv.iter()
        .map(|word| match word.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Stop::NotRun(
                "a word of `--argv` is not NAME=VALUE".to_owned(),
            )),
        })
        .collect()
}

impl<'a> Work<'a> {
    /// Starts the backend and opens the place; `change` makes the request another.
    fn open(bench: &'a Bench<'a>, change: Option<&dyn Fn(&mut Value)>) -> Result<Self, Stop> {
        let scope = scope(bench)?;
        if bench.is_closed() {
            return Err(Stop::NotRun("the place can't be opened".to_owned()));
        }
        let plugin = bench.start()?.offering(Answers::Defaults);
        let opened = Self::open_with(bench, plugin, scope, change);
        if change.is_none() && matches!(opened, Err(Stop::Failed(_))) {
            bench.set_closed();
        }
        opened
    }

    /// Goes on with another process, which finds what this one has left on the disk.
    pub fn again(mut self) -> Result<Self, Stop> {
        let bench = self.bench;
        let made = std::mem::take(&mut self.made);
        let folder: Rc<TempDir> = self.plugin.folder();
        self.plugin.finish()?;
        drop(self);
        let plugin = bench.start_in(folder)?.offering(Answers::Defaults);
        let mut place = Self::open_with(bench, plugin, scope(bench)?, None)?;
        place.made = made;
        Ok(place)
    }

    fn open_with(
        bench: &'a Bench<'a>,
        mut plugin: Dialogue<'a>,
        mut scope: BTreeMap<String, String>,
        change: Option<&dyn Fn(&mut Value)>,
    ) -> Result<Self, Stop> {
        let mut own = Map::new();
        own.insert("secrets".to_owned(), json!("1.0"));
        for name in ["organization", "region"] {
            if let Some(value) = scope.remove(name) {
                own.insert(name.to_owned(), value.into());
            }
        }
        let region = own.get("region").and_then(Value::as_str).map(str::to_owned);
        own.insert("settings".to_owned(), json!(scope));
        let mut params = with_context(&plugin, own);
        // These belong to the client's own user.
        if let Some(offered) = params["capabilities"].as_object_mut() {
            offered.remove("stdin");
            offered.remove("output");
        }
        if let Some(change) = change {
            change(&mut params);
        }
        let opened = match plugin.request(methods::OPEN, params)? {
            Reply::Result(result) => shape::read::<OpenResult>("result", result),
            Reply::Error(error) => {
                return failed(format!("`secrets/open` got {}", shown_error(&error)));
            }
        };
        let opened = opened.or_else(|problem| {
            failed(format!(
                "the result of `secrets/open` has another shape: {problem}"
            ))
        })?;
        let first = opened.regions.as_ref().and_then(|regions| {
            let default = regions.default.clone();
            default.or_else(|| regions.all.first().map(|region| region.code.clone()))
        });
        plugin.offer_nothing();
        Ok(Self {
            bench,
            plugin,
            opened,
            region: region.or(first),
            made: Vec::new(),
        })
    }

    /// A name that nobody else has, for a set that is going to be made.
    pub fn name(&mut self) -> String {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let nanoseconds = time.map_or(0, |time| time.as_nanos());
        let rules = self.opened.names;
        let mut name = format!(
            "check-{:x}-{}",
            nanoseconds & 0xffff_ffff_ffff,
            self.made.len()
        );
        name.truncate(rules.longest);
        while name.len() < rules.shortest {
            name.push('x');
        }
        self.made.push(name.clone());
        name
    }

    /// Whether the backend says that it can do this; otherwise the check is not made.
    pub fn needs(&self, ability: &Ability) -> Held {
        if self.opened.can.contains(ability) {
            return Ok(());
        }
        Err(Stop::NotRun(
            "the backend does not list the ability in `can`".to_owned(),
        ))
    }

    /// Sends a request with what belongs to every one.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let Value::Object(own) = params else {
            return failed("a request of this kit has no object as its parameters");
        };
        let params = with_context(&self.plugin, own);
        self.plugin.request(method, params)
    }

    /// Sends a request that must be served.
    pub fn served<T: DeserializeOwned>(&mut self, method: &str, params: Value) -> Result<T, Stop> {
        match self.request(method, params)? {
            Reply::Result(result) => shape::read("result", result).or_else(|problem| {
                failed(format!(
                    "the result of `{method}` has another shape: {problem}"
                ))
            }),
            Reply::Error(error) => failed(format!("`{method}` got {}", shown_error(&error))),
        }
    }

    /// Sends a change that must be refused with this code, and leave everything as it is.
    pub fn refused(&mut self, method: &str, params: Value, code: Code, why: &str) -> Held {
        match self.request(method, params)? {
            Reply::Result(_) => failed(format!("`{method}` {why} got a result")),
            Reply::Error(error) => refusal(&error, code, &format!("`{method}` {why}")),
        }
    }

    /// Makes a set that was not there.
    pub fn put_new(&mut self, name: &str, entries: &Value) -> Held {
        self.put(name, entries, &json!("absent"))
    }

    /// Puts into a set that was `prior`.
    pub fn put(&mut self, name: &str, entries: &Value, prior: &Value) -> Held {
        let mut params = json!({ "name": name, "entries": entries, "prior": prior });
        self.add_region(&mut params);
        self.served::<Map<String, Value>>(methods::PUT, params)
            .map(drop)
    }

    /// The region of a new set.
    pub fn add_region(&self, params: &mut Value) {
        if let Some(region) = &self.region
            && params["prior"] == "absent"
        {
            params["region"] = json!(region);
        }
    }

    /// Looks at a set.
    pub fn get(&mut self, name: &str) -> Result<Option<SetDetails>, Stop> {
        let result: GetResult = self.served(methods::GET, json!({ "name": name }))?;
        match result.set {
            Some(set) if set.name != name => {
                failed(format!("`secrets/get` of `{name}` returned another set"))
            }
            set => Ok(set),
        }
    }

    /// Looks at a set that must be there, with exactly these keys.
    pub fn has_keys(&mut self, name: &str, expected: &[&str]) -> Held {
        let Some(set) = self.get(name)? else {
            return failed(format!("the set `{name}` was made and is not there"));
        };
        let mut keys: Vec<&str> = set.keys.iter().map(String::as_str).collect();
        let mut expected = expected.to_vec();
        keys.sort_unstable();
        expected.sort_unstable();
        if keys == expected {
            return Ok(());
        }
        failed(format!(
            "the set has the keys {}, and should have {}",
            printable(&keys.join(", "), false),
            expected.join(", ")
        ))
    }

    /// Every set of a name that this check has made.
    pub fn list(&mut self) -> Result<Vec<SetSummary>, Stop> {
        let result: ListResult = self.served(methods::LIST, json!({}))?;
        let made = |set: &SetSummary| self.made.contains(&set.name);
        Ok(result.sets.into_iter().filter(made).collect())
    }

    /// Removes what was made.
    fn sweep(&mut self) -> Held {
        for name in std::mem::take(&mut self.made) {
            let deleted = self.served::<DeleteResult>(methods::DELETE, json!({ "name": name }));
            if let Err(Stop::Failed(reason)) = deleted {
                return failed(format!("the set `{name}` may be left behind: {reason}"));
            }
            deleted?;
        }
        Ok(())
    }

    /// Removes what was made, after a check that came out as `held`. Where the backend is gone another process does it.
    pub fn end(mut self, held: Held) -> Held {
        let made = self.made.clone();
        let mut swept = self.sweep();
        if swept.is_err() {
            let (bench, folder) = (self.bench, self.plugin.folder());
            drop(self);
            swept = bench.start_in(folder).and_then(|plugin| {
                let plugin = plugin.offering(Answers::Defaults);
                let mut place = Self::open_with(bench, plugin, scope(bench)?, None)?;
                place.made = made;
                place.sweep()
            });
        }
        match (held, swept) {
            (Err(Stop::Failed(reason)), Err(Stop::Failed(also))) => {
                Err(Stop::Failed(format!("{reason}; {also}")))
            }
            (held, swept) => held.and(swept),
        }
    }

    /// Starts for a check that goes on in another process.
    pub fn start(bench: &'a Bench<'a>) -> Result<Self, Stop> {
        Self::open(bench, None)
    }
}

/// An error of a change that says what went wrong, and that nothing has changed.
fn refusal(error: &ErrorObject, code: Code, what: &str) -> Held {
    let data = error.data.as_ref();
    let member = |name: &str| data.and_then(|data| data.get(name)).and_then(Value::as_str);
    if member("code") != Some(code.name()) {
        return failed(format!(
            "{what} got {}, whose `data.code` is not `{}`",
            shown_error(error),
            code.name()
        ));
    }
    if member("effect") != Some("not_done") {
        return failed(format!("{what} was refused without the effect `not_done`"));
    }
    Ok(())
}

fn with_context(plugin: &Dialogue<'_>, own: Map<String, Value>) -> Value {
    let mut params = plugin.run_params(&[""; 0]);
    if let Some(members) = params.as_object_mut() {
        members.remove("argv");
        members.extend(own);
    }
    params
}
