//! What was seen of the plugin in all conversations.

use super::Held;
use crate::conformance::bench::{Bench, Fault};

/// Standard output carries messages only.
pub fn only_messages(bench: &Bench) -> Held {
    bench.check_unseen(Fault::NoMessage)
}

/// Each request has one reply.
pub fn one_reply(bench: &Bench) -> Held {
    bench.check_unseen(Fault::Reply)
}

/// Nothing is sent that the host did not offer.
pub fn nothing_unoffered(bench: &Bench) -> Held {
    bench.check_unseen(Fault::NotOffered)
}

/// Checks the shape of what the plugin sends by itself.
pub fn well_formed(bench: &Bench) -> Held {
    bench.check_unseen(Fault::Shape)
}

/// No process is left behind.
pub fn nothing_left(bench: &Bench) -> Held {
    bench.check_unseen(Fault::LeftBehind)
}
