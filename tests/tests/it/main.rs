//! Every integration test, in one executable: one module a feature.

mod architecture;
mod conversation;
mod framework;
#[cfg(test)]
mod host;
mod init;
#[cfg(test)]
mod protocol;
mod scaffold;
#[cfg(test)]
mod wizard;
