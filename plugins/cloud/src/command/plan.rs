//! What `set` is about to do, before anybody is asked.

use bot_cli_sdk::failure::{Exit, Failure};

use super::open::Opened;
use crate::backend::{Details, Keys, Summary};
use crate::domain::{Entry, Region, SetKind, SetName};
use crate::input::invalid;
use crate::scope::{BackendKind, Source};
use crate::words::{count, theirs};

/// A set as it will be.
pub struct Plan {
    /// Its name.
    pub name: SetName,
    /// Where it will be, or is.
    pub region: Region,
    /// What is put there.
    pub entries: Vec<Entry>,
    /// Whether the set is there already.
    pub exists: bool,
    /// The keys it has already.
    pub known: Vec<String>,
}

impl Plan {
    /// Keys that are new, and keys that are there.
    pub fn changes(&self) -> (Vec<String>, Vec<String>) {
        let (overwritten, created): (Vec<_>, Vec<_>) = self
            .entries
            .iter()
            .partition(|entry| self.overwrites(entry));
        let names =
            |entries: Vec<&Entry>| entries.iter().map(|entry| entry.key.to_string()).collect();
        (names(created), names(overwritten))
    }

    /// For people: where, and every key with its size.
    pub fn words(&self, opened: &Opened<'_>) -> String {
        let verb = if self.exists { "Update" } else { "Create" };
        let mut lines = vec![format!(
            "{verb} the secret set `{}` in {}\n",
            self.name,
            where_to(opened, &self.region)
        )];
        let width = self
            .entries
            .iter()
            .map(|entry| entry.key.as_str().len())
            .max()
            .unwrap_or(0);
        for entry in &self.entries {
            let change = if self.overwrites(entry) {
                "~ overwrite"
            } else {
                "+ create"
            };
            let size = count(entry.value.expose().chars().count(), "character");
            lines.push(format!(
                "  {change:<11}  {:<width$}  {size}\n",
                entry.key.as_str()
            ));
        }
        lines.concat()
    }

    fn overwrites(&self, entry: &Entry) -> bool {
        self.known.iter().any(|key| key == entry.key.as_str())
    }
}

/// "organization acme, region us-west (the default), hosted".
pub fn where_to(opened: &Opened<'_>, region: &Region) -> String {
    let default = match opened.scope.region.as_ref().map(|region| region.source) {
        Some(Source::Service | Source::Default) => " (the default)",
        Some(
            Source::Flag
            | Source::Environment
            | Source::Config
            | Source::DeployFile
            | Source::Existing,
        )
        | None => "",
    };
    let keeper = match opened.scope.backend.value {
        BackendKind::Hosted => "the hosting service",
        BackendKind::Local => "the vault of this machine",
    };
    format!("{}, region {region}{default}, {keeper}", opened.place())
}

/// The same of a set that is there.
pub fn where_is(opened: &Opened<'_>, set: &Summary) -> String {
    Region::parse(&set.region).map_or_else(|_| opened.place(), |region| where_to(opened, &region))
}

/// What must be true of a set that is there already.
pub struct Target {
    /// Whether it is there.
    pub exists: bool,
    /// Its region, or that of a new one.
    pub region: Region,
    /// Its keys.
    pub known: Vec<String>,
}

/// Looks at the set that is to be changed; a kind or a region that can't be is told before anything is asked.
pub async fn target(
    opened: &mut Opened<'_>,
    name: &SetName,
    kind: SetKind,
    found: Option<Details>,
    warn: &dyn Fn(&str),
) -> Result<Target, Failure> {
    let Some(Details { summary, keys }) = found else {
        if opened.scope.backend.value == BackendKind::Hosted {
            let problem = |problem| invalid(vec![("name".to_owned(), None, problem)]);
            name.check_hosted().map_err(problem)?;
        }
        return Ok(Target {
            exists: false,
            region: opened.region().await?,
            known: Vec::new(),
        });
    };
    if summary.kind != kind {
        return Err(wrong_type(name, summary.kind));
    }
    let known = match keys {
        Keys::Known(keys) => keys,
        Keys::None => Vec::new(),
        Keys::Referenced => return Err(referenced(name)),
    };
    let region = Region::parse(&summary.region).map_err(|_| {
        Failure::new(
            Exit::Failed,
            "invalid_response",
            format!("the region of `{name}` is not the code of a region"),
        )
    })?;
    if let Some(wanted) = &opened.scope.region
        && wanted.value != region
    {
        if wanted.source == Source::Flag {
            // Another region, or one that there is not?
            opened.region().await?;
            return Err(Failure::new(
                Exit::Failed,
                "region_conflict",
                format!("`{name}` is in the region {region}, and the region of a set can't change"),
            )
            .field(
                "region",
                Some("--region"),
                format!("must be {region} or left out"),
            )
            .hint("use another name, or delete the set first"));
        }
        warn(&format!(
            "`{name}` is in the region {}, not in {}{}",
            theirs(region.as_str()),
            wanted.value,
            wanted.source.words()
        ));
    }
    // Where it is, is where it stays.
    opened.scope.region = Some(crate::scope::Setting {
        value: region.clone(),
        source: match &opened.scope.region {
            Some(wanted) if wanted.value == region => wanted.source,
            Some(_) | None => Source::Existing,
        },
    });
    Ok(Target {
        exists: true,
        region,
        known,
    })
}

/// The name stands for something else.
pub fn wrong_type(name: &SetName, is: SetKind) -> Failure {
    let failure = Failure::new(
        Exit::Failed,
        "wrong_type",
        format!("`{name}` is an {}", is.words()).replace("an secret", "a secret"),
    );
    match is {
        SetKind::Secret => failure.hint("use another name for the credentials"),
        SetKind::ImagePullSecret => {
            failure.hint("`bot-cli cloud secrets image-pull-secret` changes it")
        }
    }
}

/// The set is not in the service's hands.
pub fn referenced(name: &SetName) -> Failure {
    Failure::new(
        Exit::Failed,
        "referenced",
        format!("`{name}` lives in your own cluster: its keys can be changed only there"),
    )
}
