//! The services of a provider pack, which the reader of packs judges.

use std::path::Path;

use super::bench::{Bench, Form, Held, Stop, failed, not_run};
use bot_cli_protocol::{Role, major_minor};
use bot_cli_templates::pack::{self, Contents, Effects, Problem, Rule, SCHEMA};

/// Returns the effects of a pack's services, as far as they can be read.
pub fn effects(bench: &Bench) -> Effects {
    let providers = match (&bench.role, contents(bench)) {
        (Role::ProviderPack, Ok(Ok(contents))) => contents.providers.as_slice(),
        _ => &[],
    };
    pack::effects(providers)
}

/// Checks that every service keeps the rule of this name. One is no rule of the reader: that there are `services` at all.
pub fn check_rule(bench: &Bench, rule: &str) -> Held {
    let contents = match contents(bench)? {
        Ok(contents) => contents,
        Err(problem) if problem.rule.id() == rule => return failed(problem.reason()),
        Err(problem) => {
            return not_run(format!("its services can't be read: {}", problem.reason()));
        }
    };
    let declared = bench.manifest()?.catalogue.as_deref().and_then(major_minor);
    if rule == Rule::Keys.id() && declared > major_minor(SCHEMA) {
        return not_run(format!(
            "the pack has a newer version of the catalogue than {SCHEMA}, whose keys are not known here"
        ));
    }
    let left_out = contents.left_out.iter();
    let broken = left_out.flat_map(|left_out| {
        let broken = left_out.problems.iter();
        let broken = broken.filter(move |problem| problem.rule.id() == rule);
        broken.map(|problem| format!("{}: {}", left_out.what, problem.reason()))
    });
    let broken: Vec<String> = broken.collect();
    if rule == "services" && contents.providers.is_empty() && contents.left_out.is_empty() {
        return failed("it brings no service");
    }
    if broken.is_empty() {
        return Ok(());
    }
    failed(broken.join("; "))
}

/// Reads a pack as its users do.
fn contents<'a>(bench: &'a Bench) -> Result<Result<&'a Contents, &'a Problem>, Stop> {
    let manifest = bench.manifest()?;
    let read = || {
        let name = manifest.name.strip_prefix(pack::PREFIX);
        let name = name.unwrap_or(&manifest.name);
        let mut taken = bench.kit.taken.clone();
        let mut reader = pack::Reader::new(name, None, &mut taken);
        let listed = match bench.form {
            Form::Spoken => bench.services.get(),
            Form::Declared => manifest.providers.as_ref(),
            Form::Folder => {
                let trusted = |_: &Path| Ok(());
                for (file, value) in pack::Folder::providers(&bench.kit.program, &trusted)? {
                    match value {
                        Ok(value) => reader.provider(&file, value),
                        Err(problem) => reader.leave_out(file, vec![problem]),
                    }
                }
                return Ok(reader.finish());
            }
        };
        reader.list(listed.cloned().unwrap_or_default())?;
        Ok(reader.finish())
    };
    Ok(bench.contents.get_or_init(read).as_ref())
}
