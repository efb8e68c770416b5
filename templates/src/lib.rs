//! The data for generated projects: the catalogue of AI services and transports, the project templates and the coding-agent guides. The
//! crate provides typed access to embedded files. It doesn't render them or make decisions.

pub mod catalogue;
mod embedded;
mod framework;
mod migrations;
pub mod pack;
pub mod packs;
mod presets;

pub use embedded::{generated_files, guide, project_file, project_files};
pub use framework::{FRAMEWORK, Framework};
pub use migrations::Migration;
pub use presets::Preset;

/// The checks of `PACKS.md`: name and contents of each file.
pub const CHECKS: [(&str, &str); 2] = [
    ("folder", include_str!("../checks/folder.toml")),
    ("pack", include_str!("../checks/pack.toml")),
];
