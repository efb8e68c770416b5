//! The settings and the build context of a deployment.

pub mod context;
pub mod settings;
