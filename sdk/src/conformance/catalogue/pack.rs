//! The checks for provider packs.

use super::{Check, Document, Gate, check, gate};
use crate::conformance::checks::{file, pack, services};
use crate::conformance::report::Level::{Must, Should};
use crate::pack::Rule;

/// For an executable that is never started, because its services stand in its manifest.
pub static STATIC: [Check; 4] = [
    gate(
        check(
            "file_executable",
            Must,
            "How a plugin is run",
            file::mode,
            "run `chmod +x` on the file: what can't be executed is not taken for a plugin",
        ),
        super::NO_PLUGIN,
    ),
    super::every::FILE[1],
    super::every::FILE[2],
    super::every::FILE[3],
];

/// For a folder.
pub static FOLDER: [Check; 2] = [
    gate(
        of_packs(
            "pack_folder",
            "A folder",
            pack::folder,
            "make a folder with the pack's name, with `pack.toml` and `providers/NAME.toml` in it",
        ),
        Gate::Shuts("the folder is not a pack"),
    ),
    super::every::FILE[2],
];

/// For every pack: what it says of itself.
pub static DECLARED: [Check; 5] = [
    of_packs(
        "pack_name",
        "Names",
        pack::name,
        "call the pack `pack-NAME` in its manifest and its file `bot-cli-pack-NAME`; call a folder `NAME`",
    ),
    gate(
        of_packs(
            "pack_catalogue",
            "Versions",
            pack::catalogue,
            "declare the version of the catalogue that the services are written in, as `catalogue`: `1.0`",
        ),
        Gate::Shuts("the pack has no version of the catalogue that is known here"),
    ),
    of_packs(
        "pack_version",
        "Versions",
        pack::version,
        "give the pack a version of its own as semver.org has it: `0.1.0`",
    ),
    of_packs(
        "pack_ranges",
        "Versions",
        pack::ranges,
        "write ranges such as `>=1.14,<2`, in `requires` behind the name of an executable: `bot-cli-init`",
    ),
    Check {
        level: Should,
        ..of_packs(
            "pack_framework",
            "Versions",
            pack::framework,
            "declare the versions of the framework that the services were made for, as `framework`: `>=1.14,<2`",
        )
    },
];

/// For a pack that is asked for its services.
pub static ASKED: [Check; 4] = [
    gate(
        of_packs(
            "services_replied",
            "`pack/services`",
            services::replied,
            "reply to `pack/services` with `{\"providers\":[…]}`",
        ),
        Gate::Shuts("the pack does not reply with its services"),
    ),
    of_packs(
        "services_later_minor",
        "Versions",
        services::later_minor,
        "ignore members that the pack does not know, and compare only the part of `protocol` in front of the dot",
    ),
    of_packs(
        "services_later_major",
        "Versions",
        services::later_major,
        "reply to a request with another major version of `protocol` with -32022, and list the `supported` versions",
    ),
    Check {
        level: Should,
        ..of_packs(
            "services_alike",
            "`pack/services`",
            services::alike,
            "reply with the same services whenever the file is the same: the first reply is kept",
        )
    },
];

/// For every pack: what it brings, a check for each rule.
pub static SERVICES: [Check; 14] = [
    of_packs(
        "pack_services",
        "Rules",
        pack::some,
        "bring at least one service",
    ),
    of_rule("pack_size", pack::size, Rule::Size),
    of_rule("pack_shape", pack::shape, Rule::Shape),
    of_rule("pack_keys", pack::keys, Rule::Keys),
    of_rule("pack_identifiers", pack::identifiers, Rule::Identifiers),
    of_rule("pack_texts", pack::texts, Rule::Texts),
    of_rule("pack_code", pack::code, Rule::Code),
    of_rule("pack_imports", pack::imports, Rule::Imports),
    of_rule("pack_sources", pack::sources, Rule::Sources),
    of_rule("pack_values", pack::values, Rule::Values),
    of_rule("pack_variables", pack::variables, Rule::Variables),
    of_rule("pack_requirements", pack::requirements, Rule::Requirements),
    of_rule("pack_place", pack::place, Rule::Place),
    Check {
        level: Should,
        ..of_packs(
            "pack_remarks",
            "Rules",
            pack::remarks,
            "leave out variables that no service reads",
        )
    },
];

const fn of_packs(
    id: &'static str,
    section: &'static str,
    hold: super::Hold,
    mend: &'static str,
) -> Check {
    Check {
        document: Document::Packs,
        ..check(id, Must, section, hold, mend)
    }
}

const fn of_rule(id: &'static str, hold: super::Hold, rule: Rule) -> Check {
    of_packs(id, "Rules", hold, rule.mend())
}
