//! Checks the services in a provider pack with the pack reader.

use std::path::Path;

use super::bench::{Bench, Form, Held, Stop, failed, not_run};
use bot_cli_protocol::{Role, major_minor};
use bot_cli_templates::catalogue::Catalogue;
use bot_cli_templates::pack::{self, Contents, Effects, SCHEMA};

/// Returns the effects of a pack's services. The result is empty if the pack can't be read.
pub fn effects(bench: &Bench) -> Effects {
    let providers = match (&bench.role, contents(bench)) {
        (Role::ProviderPack, Ok(Ok(contents))) => contents.providers.as_slice(),
        _ => &[],
    };
    pack::effects(providers)
}

pub fn check_services(bench: &Bench) -> Held {
    let contents = contents(bench)?.or_else(failed)?;
    if contents.providers.is_empty() && contents.left_out.is_empty() {
        return failed("it brings no service");
    }
    let broken = contents.left_out.iter().flat_map(|left_out| {
        let problems = left_out.problems.iter();
        problems.map(|problem| format!("{}: {problem}", left_out.what))
    });
    let broken: Vec<String> = broken.collect();
    if broken.is_empty() {
        return Ok(());
    }
    let declared = bench.manifest()?.catalogue.as_deref().and_then(major_minor);
    if declared > major_minor(SCHEMA) {
        return not_run(format!(
            "the pack has a newer version of the catalogue than {SCHEMA}, and something of it is not known here"
        ));
    }
    failed(broken.join("; "))
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
            return Ok(pack::read_files(name, files, None, &mut taken));
        }
        let providers = manifest.providers.clone().unwrap_or_default();
        pack::read(name, providers, None, &mut taken)
    };
    Ok(bench.contents.get_or_init(read).as_ref())
}
