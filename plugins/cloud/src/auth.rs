//! Who the user is to the service.

pub mod credentials;
