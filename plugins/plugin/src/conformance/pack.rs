//! Checks the services in a provider pack with the pack reader.

use std::collections::BTreeSet;
use std::path::Path;

use super::bench::{Bench, Form, Held, Stop, failed, not_run};
use bot_cli_protocol::suggest::nearest;
use bot_cli_protocol::{Role, major_minor};
use bot_cli_templates::catalogue::{Catalogue, Service};
use bot_cli_templates::pack::{self, Contents, Effects, LeftOut, SCHEMA};

/// Returns the effects of a pack's services. The result is empty if the pack can't be read.
pub fn effects(bench: &Bench) -> Effects {
    let providers = match (&bench.role, contents(bench)) {
        (Role::ProviderPack, Ok(Ok(contents))) => contents.providers.as_slice(),
        _ => &[],
    };
    pack::effects(providers, &Catalogue::get().taken())
}

/// Reports whether any of a pack's services can be used.
pub fn brings_services(bench: &Bench) -> bool {
    let mut providers = match contents(bench) {
        Ok(Ok(contents)) => contents.providers.iter(),
        _ => return false,
    };
    providers.any(|provider| !provider.services.is_empty())
}

pub fn check_services(bench: &Bench) -> Held {
    let contents = contents(bench)?.or_else(failed)?;
    if contents.providers.is_empty() && contents.left_out.is_empty() {
        return failed("it brings no service");
    }
    let declared = bench.manifest()?.catalogue.as_deref().unwrap_or_default();
    let is_newer = major_minor(declared) > major_minor(SCHEMA);
    let is_unread = |it: &&LeftOut| is_newer && it.is_unknown;
    let (unread, broken): (Vec<_>, Vec<_>) = contents.left_out.iter().partition(is_unread);
    let listed = |parts: Vec<&LeftOut>| {
        let problems = parts.into_iter().flat_map(|part| {
            let problems = part.problems.iter();
            problems.map(|problem| format!("{}: {problem}", part.what))
        });
        problems.collect::<Vec<_>>().join("; ")
    };
    if !broken.is_empty() {
        return failed(listed(broken));
    }
    if !unread.is_empty() {
        let unread = listed(unread);
        return not_run(format!(
            "the pack is made for catalogue {declared}, and this is {SCHEMA}: {unread}"
        ));
    }
    Ok(())
}

/// Compares the framework names in a pack with those in the built-in services, because the framework itself is not available.
pub fn check_framework(bench: &Bench) -> Held {
    let Ok(contents) = contents(bench)? else {
        return not_run("its services can't be read".to_owned());
    };
    let built_in = Catalogue::get().providers();
    let built_in = built_in.flat_map(|provider| &provider.services);
    let built_in: Vec<&Service> = built_in.collect();
    let services = contents.providers.iter();
    let services = services.flat_map(|provider| &provider.services);
    let mut unknown = Vec::new();
    for service in services {
        let mut compare = |what: &str, name: &str, known: BTreeSet<&str>| {
            if !known.contains(name) {
                let near = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
                let near = near.unwrap_or_default();
                unknown.push(format!("{}: the {what} `{name}`{near}", service.id));
            }
        };
        for extra in &service.extras {
            let known = built_in.iter().flat_map(|it| &it.extras);
            compare("extra", extra, known.map(String::as_str).collect());
        }
        for (module, name) in taken_from_framework(service) {
            let known = built_in.iter().flat_map(|it| taken_from_framework(it));
            let (modules, names): (BTreeSet<_>, Vec<_>) = known
                .map(|(of, name)| (of, (of == module).then_some(name)))
                .unzip();
            if modules.contains(module) {
                compare("name", name, names.into_iter().flatten().collect());
            } else {
                compare("module", module, modules);
            }
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    failed(unknown.join("; "))
}

/// Returns the names that a service imports from the framework, as pairs of module and name.
fn taken_from_framework(service: &Service) -> impl Iterator<Item = (&str, &str)> {
    service
        .names()
        .filter(|(module, _)| module.starts_with("pipecat."))
}

/// Reads a pack in the same way as the commands that use packs.
fn contents<'a>(bench: &'a Bench) -> Result<Result<&'a Contents, &'a String>, Stop> {
    let manifest = bench.manifest()?;
    let read = || {
        let name = manifest.name.strip_prefix(pack::PREFIX);
        let name = name.unwrap_or(&manifest.name);
        let mut taken = Catalogue::get().taken();
        if bench.form == Form::Folder {
            let files = pack::Folder::providers(&bench.kit.program, &|_: &Path| Ok(()))?;
            return Ok(pack::read_files(name, files, &mut taken));
        }
        let providers = manifest.providers.clone().unwrap_or_default();
        pack::read(name, providers, &mut taken)
    };
    Ok(bench.contents.get_or_init(read).as_ref())
}
