//! Where a setting comes from.

/// The source of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// An option.
    Flag,
    /// A variable of the environment.
    Environment,
    /// `config.toml`.
    Config,
    /// `cloud-deploy.toml` of a project.
    DeployFile,
    /// The service said so.
    Service,
    /// The backend said so.
    Backend,
    /// The set must exist.
    Existing,
    /// Nobody said otherwise.
    Default,
}

impl Source {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Config => "config",
            Self::DeployFile => "deploy_file",
            Self::Service => "service",
            Self::Backend => "backend",
            Self::Existing => "existing",
            Self::Default => "default",
        }
    }

    /// Behind what is wrong with a value, where it is not on the command line.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Environment => " (from the environment)",
            Self::Config => " (from the configuration)",
            Self::DeployFile => " (from cloud-deploy.toml)",
            Self::Flag | Self::Service | Self::Backend | Self::Existing | Self::Default => "",
        }
    }
}
