//! The stores of secrets besides the vault, which is a library of its own: the hosting service and backends with their own executable. A
//! [`Profile`] says what commands need to know about a store.

pub mod external;
pub mod hosted;
mod profile;

pub use profile::Profile;
