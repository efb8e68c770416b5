//! What a deployment sends: its settings and its build context.

pub mod context;
pub mod settings;
pub mod table;
