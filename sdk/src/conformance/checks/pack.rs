//! What a provider pack declares and brings.

use semver::Version;

use super::{Held, failed};
use crate::compat::range;
use crate::conformance::bench::{Bench, Stop};
use crate::discovery::{PluginName, is_role_name};
use crate::pack::{Contents, LeftOut, PREFIX, Problem, Rule, SCHEMA};
use crate::protocol::major_minor;

/// The number of problems that one sentence names; the messages have all of them.
const NAMED: usize = 3;

/// The folder says what it is.
pub fn folder(bench: &Bench) -> Held {
    bench.declared().map(drop)
}

/// The pack has a name that identifiers can begin with.
pub fn name(bench: &Bench) -> Held {
    let name = &bench.declared()?.name;
    let short = name.strip_prefix(PREFIX);
    let valid = PluginName::parse(name).is_some() && short.is_some_and(is_role_name);
    match short {
        Some(_) if valid => Ok(()),
        Some(short) => failed(format!("`{short}` can't be the name of a pack")),
        None => failed(format!(
            "its `name` is `{name}`, without `{PREFIX}` in front"
        )),
    }
}

/// It names a version of the catalogue that is known here.
pub fn catalogue(bench: &Bench) -> Held {
    let Some(version) = &bench.declared()?.catalogue else {
        return failed("it does not declare its version of the `catalogue`");
    };
    match (major_minor(version), major_minor(SCHEMA)) {
        (None, _) => failed(format!("its `catalogue` is `{version}`, not MAJOR.MINOR")),
        (Some((theirs, _)), Some((ours, _))) if theirs != ours => failed(format!(
            "its `catalogue` is {version}; this bot-cli knows {SCHEMA}"
        )),
        (Some(_), _) => Ok(()),
    }
}

/// It has a version of its own.
pub fn version(bench: &Bench) -> Held {
    let version = &bench.declared()?.version;
    match Version::parse(version) {
        Ok(_) => Ok(()),
        Err(_) if version.is_empty() => failed("it has no `version`"),
        Err(error) => failed(format!("its `version` is `{version}`: {error}")),
    }
}

/// Checks that the ranges can be read.
pub fn ranges(bench: &Bench) -> Held {
    let manifest = bench.declared()?;
    let framework = manifest.framework.iter();
    let framework = framework.map(|range| ("framework".to_owned(), range));
    let requires = manifest.requires.iter();
    let requires = requires.map(|(executable, range)| (format!("requires.{executable}"), range));
    for (member, text) in framework.chain(requires) {
        if let Err(reason) = range(text) {
            return failed(format!("`{member}` can't be read: {reason}"));
        }
    }
    let unknown = |name: &&String| {
        let plugin = name.strip_prefix(crate::discovery::PREFIX);
        *name != "bot-cli" && plugin.and_then(PluginName::parse).is_none()
    };
    match manifest.requires.keys().find(unknown) {
        None => Ok(()),
        Some(name) => failed(format!(
            "`requires` names `{name}`, which is no executable of ours or of a plugin"
        )),
    }
}

/// It says which versions of the framework it was made for.
pub fn framework(bench: &Bench) -> Held {
    match bench.declared()?.framework {
        Some(_) => Ok(()),
        None => failed("it does not declare its versions of the `framework`"),
    }
}

/// It brings something.
pub fn some(bench: &Bench) -> Held {
    let contents = contents(bench)?;
    if contents.providers.is_empty() && contents.left_out.is_empty() {
        return failed("it brings no service");
    }
    Ok(())
}

/// Checks for what is wrong without harm.
pub fn remarks(bench: &Bench) -> Held {
    let remarks = contents(bench)?.remarks.iter();
    judged(bench, remarks.map(ToString::to_string).collect())
}

macro_rules! rules {
    ($($name:ident: $rule:ident),*) => {$(
        /// Every service keeps this rule.
        pub fn $name(bench: &Bench) -> Held {
            kept(bench, Rule::$rule)
        }
    )*};
}
rules!(
    size: Size,
    shape: Shape,
    keys: Keys,
    identifiers: Identifiers,
    texts: Texts,
    code: Code,
    imports: Imports,
    sources: Sources,
    values: Values,
    variables: Variables,
    requirements: Requirements,
    place: Place
);

fn kept(bench: &Bench, rule: Rule) -> Held {
    let contents = match bench.contents()? {
        Ok(contents) => contents,
        Err(problem) if problem.rule == rule => return failed(problem.reason()),
        Err(problem) => return Err(unread(problem)),
    };
    let declared = bench.declared()?.catalogue.as_deref().and_then(major_minor);
    if rule == Rule::Keys && declared > major_minor(SCHEMA) {
        return Err(Stop::NotRun(format!(
            "the pack has a newer version of the catalogue than {SCHEMA}, whose keys are not known here"
        )));
    }
    let broken = contents.left_out.iter().flat_map(|left_out| {
        let broken = left_out.problems.iter();
        let broken = broken.filter(move |problem| problem.rule == rule);
        broken.map(|problem| line(left_out, problem))
    });
    judged(bench, broken.collect())
}

fn line(left_out: &LeftOut, problem: &Problem) -> String {
    format!("{}: {}", left_out.what, problem.reason())
}

fn judged(bench: &Bench, mut lines: Vec<String>) -> Held {
    if lines.is_empty() {
        return Ok(());
    }
    bench.add_messages(lines.clone());
    let more = lines.len().saturating_sub(NAMED);
    lines.truncate(NAMED);
    let more = match more {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    failed(format!("{}{more}", lines.join("; ")))
}

fn contents<'a>(bench: &'a Bench) -> Result<&'a Contents, Stop> {
    bench.contents()?.map_err(unread)
}

fn unread(problem: &Problem) -> Stop {
    Stop::NotRun(format!("its services can't be read: {}", problem.reason()))
}
