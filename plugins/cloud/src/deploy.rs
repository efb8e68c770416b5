pub mod context;
pub mod settings;
