//! The checks for secrets backends: the contract of `BACKENDS.md`.

use super::{Bench, Check, Document, Stop};
use crate::conformance::checks::backend::{self, place, refusing, sets, unseen};
use crate::conformance::report::Level::{self, Must, Should};

/// The checks of a backend's declaration, which send nothing.
pub static DECLARED: [Check; 5] = [
    check(
        "backend_name",
        Must,
        "The manifest",
        backend::name,
        "name the file `bot-cli-secrets-NAME`, with a NAME of its own",
    ),
    check(
        "backend_schema",
        Must,
        "The manifest",
        backend::schema,
        "declare the version of the methods in the manifest: `\"secrets\":\"1.0\"`",
    ),
    check(
        "backend_versions",
        Must,
        "The manifest",
        backend::versions,
        "write versions as semver has them, and ranges as `>=0.1`",
    ),
    check(
        "settings_declared",
        Must,
        "The manifest",
        backend::settings,
        "name settings with lower-case letters, digits, `_` and `-`, each once",
    ),
    check(
        "settings_no_credentials",
        Should,
        "The manifest",
        backend::credentials,
        "take credentials from where the users have them, or ask for them: settings are kept in a plain file",
    ),
];

/// The checks of a backend's answers. Those from `place_opened` on need a place that `--argv` names.
pub static METHODS: [Check; 21] = [
    check(
        "open_comes_first",
        Must,
        "Sequence of requests",
        backend::open_first,
        "reply -32600 to every method of the role before `secrets/open`",
    ),
    check(
        "later_schema_refused",
        Must,
        "Versions",
        backend::later_major,
        "reply -32022 to another major version in `secrets`, with `data.supported`",
    ),
    check(
        "place_opened",
        Must,
        "`secrets/open`",
        place::opens,
        "return what the document lists: the place in a few words, rules for names within 1 to 63, a default among the regions",
    ),
    check(
        "open_only_once",
        Must,
        "Sequence of requests",
        place::opens_once,
        "reply -32600 to a second `secrets/open`",
    ),
    check(
        "later_minor_opened",
        Must,
        "Versions",
        place::later_minor,
        "serve every minor version of the major one, and ignore members that the backend does not know",
    ),
    check(
        "absent_set_is_none",
        Must,
        "`secrets/list` and `secrets/get`",
        sets::absent,
        "return `null` for a name that no set has, and every key of it as `missing`",
    ),
    check(
        "set_created",
        Must,
        "`secrets/put`",
        sets::created,
        "reply to `secrets/put` once the set is there for whoever asks",
    ),
    check(
        "set_kept",
        Must,
        "Sequence of requests",
        sets::kept,
        "keep sets where the next process finds them",
    ),
    check(
        "set_added_to",
        Must,
        "`secrets/put`",
        sets::added,
        "leave the keys of a set that are not in `entries` as they are",
    ),
    check(
        "values_returned",
        Must,
        "`secrets/values` and `secrets/credentials`",
        sets::values,
        "return values exactly as they were put, empty ones and line breaks among them",
    ),
    check(
        "keys_removed",
        Must,
        "`secrets/unset`",
        sets::removed,
        "remove the keys, name those that were not there, and keep a set without keys",
    ),
    check(
        "set_deleted",
        Must,
        "`secrets/delete`",
        sets::deleted,
        "remove the set before the reply, and return whether there was one",
    ),
    check(
        "image_pull_secret_kept",
        Must,
        "`secrets/put_image_pull_secret`",
        sets::image_pull_secrets,
        "keep host and credentials together, and return them as they were put",
    ),
    check(
        "absent_credentials_refused",
        Must,
        "`secrets/values` and `secrets/credentials`",
        sets::no_credentials,
        "reply with the code `not_found` where no image pull secret has the name",
    ),
    check(
        "other_kind_refused",
        Must,
        "`secrets/put`",
        sets::other_kind,
        "refuse a change of a set of the other kind with `conflict` and `not_done`",
    ),
    check(
        "prior_heeded",
        Should,
        "`secrets/put`",
        refusing::prior,
        "refuse with `conflict` and `not_done` where the set was made or removed meanwhile",
    ),
    check(
        "bad_name_refused",
        Must,
        "`secrets/open`",
        refusing::names,
        "check names against the backend's own rules: `invalid_name` and `not_done`",
    ),
    check(
        "too_large_refused",
        Must,
        "`secrets/open`",
        refusing::limits,
        "check values against the backend's own limits: `too_large` and `not_done`",
    ),
    check(
        "bad_parameters_refused",
        Must,
        "Done, not done, unknown",
        refusing::parameters,
        "check parameters before anything is changed, and reply -32602",
    ),
    check(
        "cancelled_change_told",
        Must,
        "Cancelling",
        refusing::cancelled,
        "reply to a cancelled change with its result, or with what became of it",
    ),
    check(
        "value_unseen",
        Must,
        "Values stay hidden",
        unseen::unseen,
        "leave values out of messages, hints, logs and standard error, also where parameters are wrong",
    ),
];

const fn check(
    id: &'static str,
    level: Level,
    section: &'static str,
    hold: fn(&Bench) -> Result<(), Stop>,
    mend: &'static str,
) -> Check {
    Check {
        document: Document::Backends,
        ..super::check(id, level, section, hold, mend)
    }
}
