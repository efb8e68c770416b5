//! The image for a deployment. By default, the service builds the image from the project.

use std::time::Instant;

use bot_cli_protocol::failure::{Exit, Failure};
use bot_cli_protocol::wording::count;
use bot_cli_terminal::shell::quoted;
use reqwest::Method;
use serde_json::json;

use super::follow::{clock, passing};
use super::not_deployed;
use crate::backend::Explained;
use crate::backend::hosted::ServiceError;
use crate::backend::hosted::http::Reach;
use crate::command::context::CommandContext;
use crate::command::project::Project;
use crate::deploy::context::{BuildContext, Rules, pack};
use crate::input::checked_id;
use crate::scope::Scope;
use crate::service::upload::UploadTarget;
use crate::service::{Build, BuildLog, OneBuild, Service, decoded};
use crate::text::theirs;
use crate::words::failed;

/// The number of lines to show from the end of a failed build's log.
const LAST_LINES: usize = 15;

/// The maximum number of attempts to upload a build context. Each attempt uses a new URL.
const TRIES: u32 = 3;

pub enum Image {
    /// An image in a registry, or a repository that the service builds.
    Given,
    /// An existing build.
    Build(Build),
    /// A build context that the service has not built yet.
    Packed {
        context: BuildContext,
        dockerfile: String,
        folder: String,
    },
}

impl Image {
    /// Determines the image. Packs the build context unless the settings specify an image, a build or a repository.
    pub fn of(
        context: &CommandContext<'_>,
        service: &Service<'_>,
        project: &Project,
        region: &str,
    ) -> Result<Self, Failure> {
        let settings = &project.settings;
        if settings.image.is_some() || settings.git.repo.is_some() {
            return Ok(Self::Given);
        }
        if let Some(id) = &settings.build_id {
            let id = checked_id("build_id", id)?;
            let found: OneBuild = service.get(&["builds", id], &[])?;
            let build = found.build;
            if build.is_usable() {
                return Ok(Self::Build(build));
            }
            let message = format!(
                "the build is {}, so it can't be deployed",
                theirs(&build.status)
            );
            return Err(failed("build_unusable", message).field(
                "build_id",
                Some("--build-id"),
                "is not a successful build",
            ));
        }
        let folder = match &settings.build.context_dir {
            Some(below) => project.folder.join(below),
            None => project.folder.clone(),
        };
        let dockerfile = settings.build.dockerfile.as_deref().unwrap_or("Dockerfile");
        let rules = Rules {
            dockerfile,
            extra: &settings.build.exclude.patterns,
        };
        context.progress("Packing the build context");
        let packed = pack(&folder, &rules, context)?;
        let query = [
            ("contextHash", Some(packed.hash.clone())),
            ("region", Some(region.to_owned())),
            ("status", Some("success".to_owned())),
            ("limit", Some("10".to_owned())),
        ];
        let builds = match service.rows(&["builds"], "builds", &query) {
            Err(error) if passing(&error) => {
                context.warn(&format!(
                    "earlier builds could not be listed: {}",
                    theirs(&error.to_string())
                ));
                Vec::new()
            }
            builds => builds?,
        };
        let builds = builds.into_iter();
        let mut builds = builds.filter_map(|build| serde_json::from_value(build).ok());
        let is_same =
            |build: &Build| build.is_usable() && build.is_of(&packed.hash, dockerfile, region);
        if let Some(build) = builds.find(is_same) {
            return Ok(Self::Build(build));
        }
        Ok(Self::Packed {
            context: packed,
            dockerfile: dockerfile.to_owned(),
            folder: folder.display().to_string(),
        })
    }

    pub fn build(&self) -> Option<&str> {
        match self {
            Self::Build(build) => Some(&build.id),
            Self::Given | Self::Packed { .. } => None,
        }
    }

    /// Describes the existing or future build, or returns `None` for [`Given`](Self::Given).
    pub fn words(&self) -> Option<String> {
        match self {
            Self::Given => None,
            Self::Build(build) => {
                Some(format!("build {}, which exists already", theirs(&build.id)))
            }
            Self::Packed {
                context, folder, ..
            } => {
                let files = count(context.files, "file");
                let size = context.bytes.div_ceil(1024);
                let left_out = context.left_out.iter();
                let left_out = left_out.map(|name| format!(", without {}", theirs(name)));
                let left_out: String = left_out.collect();
                Some(format!(
                    "built by the service from {folder} ({files}, {size} KiB{left_out})"
                ))
            }
        }
    }

    /// Builds the image if necessary and returns the build ID, if any.
    pub fn built(
        &self,
        context: &CommandContext<'_>,
        service: &Service<'_>,
        scope: &Scope,
        region: &str,
    ) -> Result<Option<String>, Failure> {
        let Self::Packed {
            context: packed,
            dockerfile,
            ..
        } = self
        else {
            return Ok(self.build().map(str::to_owned));
        };
        let begun = Instant::now();
        let target = uploaded(context, service, scope, packed, region).map_err(not_deployed)?;
        context.note(&format!(
            "uploaded the build context ({})",
            clock(begun.elapsed())
        ));
        let body = json!({
            "uploadId": target.id,
            "region": region,
            "dockerfilePath": dockerfile,
        });
        let list = scope.command("builds list");
        let sent = service.send_once(&Method::POST, &["builds"], &body);
        let created: OneBuild = sent.and_then(decoded).map_err(|unconfirmed| {
            let may_go_on = unconfirmed.reach != Reach::Nothing;
            let failure = not_deployed(unconfirmed.error.explain());
            if may_go_on {
                return failure.hint(format!(
                    "a build may go on at the service: `{list}` shows it"
                ));
            }
            failure
        })?;
        let id = created.build.id.clone();
        let build = finished(context, service, scope, created.build)?;
        if !build.is_usable() {
            return Err(not_built(context, service, scope, &build));
        }
        let took = clock(begun.elapsed());
        if created.cached {
            context.note("the service had built this before");
        } else {
            context.note(&format!("built the image ({took})"));
        }
        Ok(Some(id))
    }
}

/// Uploads the build context, retrying temporary failures, and returns the upload target.
fn uploaded(
    context: &CommandContext<'_>,
    service: &Service<'_>,
    scope: &Scope,
    packed: &BuildContext,
    region: &str,
) -> Result<UploadTarget, Failure> {
    let mut turn = 1;
    loop {
        let body = json!({ "region": region });
        // A target without an upload has no effect.
        let sent = service.send_once(&Method::POST, &["builds", "upload-url"], &body);
        let target: UploadTarget = sent.and_then(decoded).map_err(|it| it.error)?;
        let Err(error) = service.upload(packed, &target, scope.pace, context) else {
            return Ok(target);
        };
        if !passing(&error) || turn == TRIES {
            let mut failure = error.explain();
            failure.message = format!(
                "the build context could not be uploaded: {}",
                failure.message
            );
            return Err(failure);
        }
        turn += 1;
        context.warn(&format!(
            "the upload failed: {}; trying again ({turn} of {TRIES})",
            theirs(&error.to_string())
        ));
        service.client.pause(scope.pace.first_retry)?;
    }
}

/// Waits for a build to finish and returns the finished build.
fn finished(
    context: &CommandContext<'_>,
    service: &Service<'_>,
    scope: &Scope,
    mut build: Build,
) -> Result<Build, Failure> {
    let (begun, mut pause, mut failures) = (Instant::now(), scope.pace.first_look, 0);
    let show = scope.command(&format!("builds status {}", quoted(&build.id)));
    let goes_on = |failure: Failure| {
        not_deployed(failure).hint(format!(
            "the build may go on at the service: `{show}` shows it"
        ))
    };
    while !build.is_over() {
        if begun.elapsed() >= scope.pace.build {
            let message = "the build is not finished after a long time".to_owned();
            return Err(goes_on(Failure::new(
                Exit::Unavailable,
                "not_ready",
                message,
            )));
        }
        context.progress(&format!("Building the image, {}", clock(begun.elapsed())));
        let waited = service.client.pause(pause);
        waited.map_err(|error| goes_on(error.explain()))?;
        pause = (pause * 2).min(scope.pace.longest_look);
        let path = ["builds", &build.id];
        match service.get::<OneBuild>(&path, &[]) {
            Ok(found) => (build, failures) = (found.build, 0),
            Err(error) if passing(&error) && failures < 4 => failures += 1,
            Err(error) => return Err(goes_on(error.explain())),
        }
    }
    Ok(build)
}

/// Shows the last lines of a failed build's log and returns the failure.
fn not_built(
    context: &CommandContext<'_>,
    service: &Service<'_>,
    scope: &Scope,
    build: &Build,
) -> Failure {
    let limit = [("limit", Some("10000".to_owned()))];
    let log: Result<BuildLog, ServiceError> = service.get(&["builds", &build.id, "logs"], &limit);
    let lines = log.map(BuildLog::lines).unwrap_or_default();
    for line in lines.iter().skip(lines.len().saturating_sub(LAST_LINES)) {
        context.note(&theirs(line));
    }
    let why = match (build.error_message.as_deref(), build.status.as_str()) {
        (Some(why), _) => theirs(why),
        (None, "timeout") => "it took too long".to_owned(),
        (None, status) => format!("its status is {}", theirs(status)),
    };
    let message = format!("the image was not built: {why}");
    let show = scope.command(&format!("builds logs {}", quoted(&build.id)));
    not_deployed(failed("build_failed", message)).hint(show)
}
