//! The sources of settings.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Flag,
    Environment,
    Config,
    /// The project's `cloud-deploy.toml`.
    DeployFile,
    Service,
    Backend,
    /// The region of an existing set.
    Existing,
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

    /// Returns the source as a suffix for messages, such as " (from the environment)". The suffix is empty for sources that need no
    /// explanation.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Environment => " (from the environment)",
            Self::Config => " (from the configuration)",
            Self::DeployFile => " (from the deployment file)",
            Self::Flag | Self::Service | Self::Backend | Self::Existing | Self::Default => "",
        }
    }
}
