//! `secrets copy`: from what gives values back to whatever can keep them.

mod credentials;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::secret::Secret;
use bot_cli_sdk::plugin::Reply;
use serde_json::{Value, json};

use super::context::CommandContext;
use super::open::{self, Opened};
use super::set::carry_out::carry_out;
use super::set::plan::Plan;
use super::set::report::{Progress, reply};
use super::set::{check_empty, check_size};
use super::target::{Target, target};
use super::{confirm, kind, run};
use crate::backend::Ability;
use crate::domain::{Entry, Key, Region, SetKind, SetName};
use crate::input::invalid;
use crate::options::Copy;
use crate::scope::{Scope, Setting, Wanted};
use crate::source::Source;
use crate::text::theirs;
use crate::words;

/// The consequence of a backend that returns no values.
const NOTHING_TO_COPY: &str = "nothing can be copied from it";

/// The set to copy.
struct Original {
    name: SetName,
    region: Option<String>,
    scope: Scope,
    contents: Contents,
}

enum Contents {
    Keys(Vec<Entry>),
    Credentials { host: String, credentials: Secret },
}

impl Contents {
    fn secrets(&self) -> Vec<Secret> {
        match self {
            Self::Keys(entries) => entries.iter().map(|entry| entry.value.clone()).collect(),
            Self::Credentials { credentials, .. } => vec![credentials.clone()],
        }
    }
}

pub(super) fn copy(context: &CommandContext<'_>, options: &Copy) -> Result<Reply, Failure> {
    let (from, to) = names(options)?;
    let original = read(context, source(context, options)?, from)?;
    let wanted = Wanted {
        organization: options.to_organization.clone(),
        region: options.region.clone(),
        backend: Some(options.to.clone()),
    };
    let scope = open::scope(context, &wanted)?;
    if let Contents::Keys(entries) = &original.contents {
        let hint = format!(
            "give them values, or remove them with `bot-cli cloud secrets unset {}`",
            original.name
        );
        check_empty(context, &scope, entries, &hint)?;
    }
    let mut opened = open::open_scope(context, scope)?;
    opened.backend.conceal(&original.contents.secrets());
    if is_itself(&original, &opened, &to) {
        let problem = format!("`{to}` is the set itself; a copy needs another name");
        return Err(invalid(vec![(
            "to_name".to_owned(),
            Some("--to-name"),
            problem,
        )]));
    }
    match original.contents {
        Contents::Keys(_) => keys(context, options, &mut opened, original, to),
        Contents::Credentials { .. } => {
            credentials::copy(context, options, &mut opened, &original, &to)
        }
    }
}

/// The names of the original and of the copy; all problems at once.
fn names(options: &Copy) -> Result<(SetName, SetName), Failure> {
    let mut wrong = Vec::new();
    let from = SetName::parse_existing(&options.name)
        .map_err(|problem| wrong.push(("name".to_owned(), None, problem)));
    let to = options.to_name.as_deref().map(SetName::parse_existing);
    let to = to.transpose().map_err(|problem| {
        wrong.push(("to_name".to_owned(), Some("--to-name"), problem));
    });
    match (from, to) {
        (Ok(from), Ok(to)) => {
            let to = to.unwrap_or_else(|| from.clone());
            Ok((from, to))
        }
        (Err(()), _) | (_, Err(())) => Err(invalid(wrong)),
    }
}

fn read(context: &CommandContext<'_>, scope: Scope, name: SetName) -> Result<Original, Failure> {
    let opened = open::open_scope(context, scope)?;
    let reader = opened.reader(NOTHING_TO_COPY).map_err(again)?;
    let failed = |error| words::failure(&error);
    let missing = || {
        let kinds = [SetKind::Secret, SetKind::ImagePullSecret];
        run::not_there(&opened, &name, &kinds)
    };
    let Some(details) = opened.get(&name)? else {
        return Err(missing());
    };
    let contents = match details.summary.kind {
        SetKind::Secret => reader.values(&name).map_err(failed)?.map(Contents::Keys),
        SetKind::ImagePullSecret => reader
            .credentials(&name)
            .map_err(failed)?
            .map(|(host, credentials)| Contents::Credentials { host, credentials }),
        SetKind::Unknown => return Err(super::target::wrong_type(&name, SetKind::Unknown)),
    };
    let contents = contents.ok_or_else(missing)?;
    Ok(Original {
        name,
        region: details.summary.region,
        scope: opened.scope,
        contents,
    })
}

/// Returns the scope of the original. A backend that is known to return no values is not asked.
fn source(context: &CommandContext<'_>, options: &Copy) -> Result<Scope, Failure> {
    let wanted = Wanted {
        organization: options.organization.clone(),
        region: None,
        backend: Some(options.from.clone()),
    };
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

fn keys(
    context: &CommandContext<'_>,
    options: &Copy,
    opened: &mut Opened<'_>,
    original: Original,
    to: SetName,
) -> Result<Reply, Failure> {
    let from = from(&original);
    let target = place(context, opened, &original, &to, SetKind::Secret)?;
    let entries = match original.contents {
        Contents::Keys(entries) => entries,
        Contents::Credentials { .. } => Vec::new(),
    };
    if entries.is_empty() {
        let message = format!(
            "`{}` has no keys, so there is nothing to copy",
            original.name
        );
        return Err(Failure::new(Exit::Failed, "empty_set", message));
    }
    let plan = Plan {
        name: to,
        target,
        entries,
        removed: None,
        skipped: Vec::new(),
        missing: Vec::new(),
    };
    check_keys(&plan.entries)?;
    check_size(opened, &plan.entries, &plan.target.known)?;
    let mut reply = if options.dry_run {
        reply(context, opened, &plan, Progress::Shown)
    } else {
        if !options.skip {
            confirm::yes(
                context,
                plan.question(),
                plan.words(opened),
                !plan.target.exists,
            )?;
        }
        let status = carry_out(context, opened, &plan, options.wait)?;
        reply(context, opened, &plan, Progress::Done(status))
    };
    reply.data["from"] = from;
    Ok(reply)
}

/// A backend may have keys that were made elsewhere and that no new set can have.
fn check_keys(entries: &[Entry]) -> Result<(), Failure> {
    let wrong = entries.iter().filter_map(|entry| {
        let problem = Key::parse(entry.key.as_str()).err()?;
        Some((theirs(entry.key.as_str()), None, problem))
    });
    let wrong: Vec<_> = wrong.collect();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(invalid(wrong).hint("rename or remove these keys where the set was made"))
}

/// Returns the place of the copy. By default, a new one is in the region of the original.
fn place(
    context: &CommandContext<'_>,
    opened: &mut Opened<'_>,
    original: &Original,
    to: &SetName,
    kind: SetKind,
) -> Result<Target, Failure> {
    let existing = opened.get(to)?;
    if existing.is_none() {
        check_name(opened, to)?;
        if opened.scope.region.is_none() {
            let region = original.region.as_deref().map(Region::parse);
            let region = region.and_then(Result::ok);
            opened.scope.region = region.map(|value| Setting {
                value,
                source: Source::Existing,
            });
        }
    }
    target(opened, to, kind, existing, &|line| context.warn(line))
}

/// Checks the name of a new set, and offers one where only its spelling is in the way.
fn check_name(opened: &Opened<'_>, name: &SetName) -> Result<(), Failure> {
    let check = |name: &str| opened.profile().names.check(&SetName::parse(name)?);
    check(name.as_str()).map_err(|problem| {
        let field = ("name".to_owned(), Some("--to-name"), problem);
        let near = name.as_str().to_lowercase().replace('.', "-");
        let near = if check(&near).is_ok() { &near } else { "NAME" };
        invalid(vec![field]).hint(format!("`--to-name {near}` gives the copy another name"))
    })
}

/// The original, for programs.
fn from(original: &Original) -> Value {
    json!({
        "name": original.name.as_str(),
        "region": original.region,
        "organization": original.scope.organization.as_ref().map(|setting| setting.value.as_str()),
        "backend": original.scope.backend.value.to_string(),
    })
}
