//! The data behind generated projects: the catalogue of AI services and transports, the project's templates
//! and the coding-agent guides. A typed door to embedded files; nothing here renders or decides.

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

/// The checks of `PACKS.md`, in files by their name.
pub const CHECKS: [(&str, &str); 2] = [
    ("folder", include_str!("../checks/folder.toml")),
    ("pack", include_str!("../checks/pack.toml")),
];
