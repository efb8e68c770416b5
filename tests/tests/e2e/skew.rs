//! Executables of an older commit beside those of this one, and newer plugins beside both: every pairing works, or is refused in one
//! line that names both versions, with what mends it.
//!
//! | | meets | |
//! |---|---|---|
//! | either host | either `init`, either `cloud` | works |
//! | either host | a plugin of protocol 1.1 | works, without what 1.1 adds |
//! | either host | a plugin of protocol 2.0 | is refused |
//! | a host of protocol 1.1 | either `init`, either `cloud` | works |
//! | a host of protocol 2.0 | either `init`, either `cloud` | is refused |
//! | `init` | a pack of schema 1.1 | uses what it can read, and names the rest |
//! | `init` | a pack of schema 2.0, or for other versions of `init` or of the framework | refuses it |
//! | the older `init`, which knows no packs | a pack | goes on without it |
//! | `cloud` | a backend of schema 1.1 | uses what it can read; what came of a change it does not take for granted |
//! | `cloud` | a backend of schema 2.0, or for another version of `cloud` | refuses it |
//! | a `cloud` of schema 1.1, 2.0 | a backend | is served, is refused |
//! | the older `cloud`, which knows no backends but its own | a backend | refuses its name, and goes on |
//! | the older `cloud` | a vault and settings of this one, and the other way round | works |

mod backends;
mod hosts;
mod kept;
mod newer;
mod packs;
mod sides;
