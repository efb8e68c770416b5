//! `secrets copy`: from what gives values back to whatever can keep them.

use bot_cli_protocol::failure::{Failure, Field};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::change::target::{Target, target, wrong_type};
use super::change::{Change, Keys, Manner, Work, check_credentials, check_size, refused};
use super::context::CommandContext;
use super::open::{self, Opened};
use super::set::check_empty;
use super::{kind, run};
use crate::backend::Ability;
use crate::domain::{Entry, Key, Region, RegistryHost, SetKind, SetName};
use crate::options::Copy;
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words::failed;

/// The consequence of a backend that returns no values.
const NOTHING_TO_COPY: &str = "nothing can be copied from it";

/// The set to copy.
struct Original {
    name: SetName,
    region: Option<String>,
    scope: Scope,
    work: Work,
}

pub(super) fn copy(context: &CommandContext<'_>, options: &Copy) -> Result<Reply, Failure> {
    let (from, to) = names(options)?;
    let original = read(context, source(context, options)?, from)?;
    let wanted = Wanted {
        region: options.region.clone(),
        ..Wanted::of(&options.to, options.to_organization.as_deref())
    };
    let scope = open::scope(context, &wanted)?;
    if let Work::Save(keys) = &original.work {
        let name = &original.name;
        let unset = format!("`bot-cli cloud secrets unset {name}`");
        let hint = format!("give them values, or remove them with {unset}");
        check_empty(context, &scope, &keys.entries, &hint)?;
    }
    let mut opened = open::open_scope(context, scope)?;
    opened.backend.conceal(&original.work.secrets());
    if is_itself(&original, &opened, &to) {
        let problem = format!("`{to}` is the set itself; a copy needs another name");
        let field = Field::new("to_name", problem).flag("--to-name");
        return Err(Failure::invalid_input(vec![field]));
    }
    let from_where = from_where(&original);
    let target = place(context, &mut opened, &original, &to)?;
    if let Work::Save(keys) = &original.work {
        check_keys(&original.name, &keys.entries)?;
        check_size(&opened, &keys.entries, &target)?;
    }
    let manner = Manner {
        asks: !options.skip,
        dry_run: options.dry_run,
        wait: options.wait,
    };
    let change = Change {
        name: to,
        target,
        work: original.work,
    };
    let mut reply = change.make(context, &opened, manner)?;
    reply.data["from"] = from_where;
    Ok(reply)
}

/// The names of the original and of the copy; all problems at once.
fn names(options: &Copy) -> Result<(SetName, SetName), Failure> {
    let mut wrong = Vec::new();
    let from = SetName::parse_existing(&options.name)
        .map_err(|problem| wrong.push(Field::new("name", problem)));
    let to = options.to_name.as_deref().map(SetName::parse_existing);
    let to = to.transpose().map_err(|problem| {
        wrong.push(Field::new("to_name", problem).flag("--to-name"));
    });
    match (from, to) {
        (Ok(from), Ok(to)) => {
            let to = to.unwrap_or_else(|| from.clone());
            Ok((from, to))
        }
        (Err(()), _) | (_, Err(())) => Err(Failure::invalid_input(wrong)),
    }
}

fn read(context: &CommandContext<'_>, scope: Scope, name: SetName) -> Result<Original, Failure> {
    let opened = open::open_scope(context, scope)?;
    let reader = opened.reader(NOTHING_TO_COPY).map_err(again)?;
    let missing = || {
        let kinds = [SetKind::Secret, SetKind::ImagePullSecret];
        run::not_there(&opened, &name, &kinds)
    };
    let Some(details) = opened.backend.get(&name)? else {
        return Err(missing());
    };
    let work = match details.summary.kind {
        SetKind::Secret => reader.values(&name)?.map(saved),
        SetKind::ImagePullSecret => {
            let found = reader.credentials(&name)?;
            found
                .map(|(host, secret)| credentials(&host, secret))
                .transpose()?
        }
        SetKind::Unknown => return Err(wrong_type(&name, SetKind::Unknown)),
    };
    let work = work.ok_or_else(missing)?;
    Ok(Original {
        name,
        region: details.summary.region,
        scope: opened.scope,
        work,
    })
}

fn saved(entries: Vec<Entry>) -> Work {
    Work::Save(Keys {
        entries,
        ..Keys::default()
    })
}

fn credentials(host: &str, credentials: Secret) -> Result<Work, Failure> {
    let host = RegistryHost::parse(host).map_err(|problem| {
        let message =
            format!("the image pull secret can't be used: the address of its registry {problem}");
        failed("vault_damaged", message)
    })?;
    Ok(Work::Credentials { host, credentials })
}

/// Returns the scope of the original. A backend that is known to return no values is not asked.
fn source(context: &CommandContext<'_>, options: &Copy) -> Result<Scope, Failure> {
    let wanted = Wanted::of(&options.from, options.organization.as_deref());
    let scope = open::scope(context, &wanted)?;
    let profile = kind::of(&context.environment, &scope.backend)?.profile();
    if profile.can(Ability::Values) {
        return Ok(scope);
    }
    let failure = open::not_readable(&profile, NOTHING_TO_COPY);
    Err(again(failure.field(
        "from",
        Some("--from"),
        "must be a backend that gives values back, such as `local`",
    )))
}

fn again(failure: Failure) -> Failure {
    failure.hint(
        "set the values again where they came from: `bot-cli cloud secrets set NAME --file FILE`",
    )
}

fn is_itself(original: &Original, opened: &Opened<'_>, to: &SetName) -> bool {
    let place = |scope: &Scope| {
        let organization = scope.organization.as_ref();
        (
            scope.backend.value.clone(),
            organization.map(|organization| organization.value.clone()),
            scope.place.clone(),
        )
    };
    place(&opened.scope) == place(&original.scope) && original.name == *to
}

/// A backend may have keys that were made elsewhere and that no new set can have.
fn check_keys(name: &SetName, entries: &[Entry]) -> Result<(), Failure> {
    if entries.is_empty() {
        let message = format!("`{name}` has no keys, so there is nothing to copy");
        return Err(failed("empty_set", message));
    }
    let wrong = entries.iter().filter_map(|entry| {
        let key = entry.key.as_str();
        Some(Field::new(theirs(key), Key::parse(key).err()?))
    });
    refused(wrong.collect())
        .map_err(|failure| failure.hint("rename or remove these keys where the set was made"))
}

/// Returns the place of the copy. By default, a new one is in the region of the original.
fn place(
    context: &CommandContext<'_>,
    opened: &mut Opened<'_>,
    original: &Original,
    to: &SetName,
) -> Result<Target, Failure> {
    let kind = match original.work {
        Work::Credentials { .. } => {
            check_credentials(opened)?;
            SetKind::ImagePullSecret
        }
        Work::Save(_) | Work::Remove(_) | Work::Delete(_) => SetKind::Secret,
    };
    let existing = opened.backend.get(to)?;
    if existing.is_none() {
        check_name(opened, to)?;
        if opened.scope.region.is_none() {
            let region = original.region.as_deref().map(Region::parse);
            let region = region.and_then(Result::ok);
            opened.scope.region = region.map(|value| Setting::new(value, Source::Existing));
        }
    }
    target(opened, to, kind, existing, context)
}

/// Checks the name of a new set, and offers one where only its spelling is in the way.
fn check_name(opened: &Opened<'_>, name: &SetName) -> Result<(), Failure> {
    let check = |name: &str| opened.profile().check_name(&SetName::parse(name)?);
    check(name.as_str()).map_err(|problem| {
        let field = Field::new("name", problem).flag("--to-name");
        let near = name.as_str().to_lowercase().replace('.', "-");
        let near = if check(&near).is_ok() { &near } else { "NAME" };
        Failure::invalid_input(vec![field])
            .hint(format!("`--to-name {near}` gives the copy another name"))
    })
}

/// The original, for programs.
fn from_where(original: &Original) -> Value {
    json!({
        "name": original.name.as_str(),
        "region": original.region,
        "organization": original.scope.organization.as_ref().map(|setting| setting.value.as_str()),
        "backend": original.scope.backend.value.to_string(),
    })
}
