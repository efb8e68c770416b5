//! Random faults for one operation.

use std::time::Duration;

use fastrand::Rng;

use crate::service::{Fault, Injection};

/// The faults during one operation, and the time until it is cancelled.
#[derive(Debug, Clone)]
pub struct Weather {
    /// The faults for the requests, in order.
    pub script: Vec<Option<Injection>>,
    /// The time after which the user cancels.
    pub stop: Option<Duration>,
}

/// One in so many users cancels.
const STOPS: u8 = 12;

/// Draws the faults. `patience` is the request timeout.
pub fn draw(random: &mut Rng, patience: Duration) -> Weather {
    // Some days are fine, some are bad throughout.
    let badness = [0, 1, 2, 4, 7][random.usize(..5)];
    let script = (0..24)
        .map(|_| (random.u8(..10) < badness).then(|| fault(random, patience)))
        .collect();
    let stop = (random.u8(..STOPS) == 0).then(|| patience.mul_f64(random.f64() * 2.0));
    Weather { script, stop }
}

/// Draws a fault, and whether the request takes effect anyway. A request that the service itself explicitly refuses never takes effect.
fn fault(random: &mut Rng, patience: Duration) -> Injection {
    let injection = |fault| Injection::new("*", "/", fault);
    let own = |status, error, code| injection(Fault::error(status, error, code));
    let soon = |fault: Fault| fault.with("retry-after", "0");
    match random.u8(..36) {
        // The service's own refusals.
        0 => own(400, "Value is not valid", "GENERIC_BAD_REQUEST"),
        1 => own(401, "Unauthorized", "UNAUTHORIZED"),
        2 => own(403, "Forbidden", "FORBIDDEN"),
        3 => own(409, "in use", "CONFLICT"),
        4 => own(
            409,
            "Set was modified concurrently. Please retry.",
            "CONFLICT",
        ),
        5 => own(413, "Too large", "TOO_LARGE"),
        6 => injection(soon(Fault::error(429, "Too many requests", "RATE"))),
        7 => injection(Fault::redirect("https://elsewhere.example/")),
        // What may have happened, or not.
        other => {
            // An error of the service itself ends what it was doing, and an answer that is late has its own effect.
            let is_open = !matches!(other, 14 | 15);
            let fault = match other {
                8 | 9 => Fault::Reset,
                10 => Fault::ResetInBody,
                11 => Fault::Truncated,
                12 => Fault::Drip(Duration::from_millis(5)),
                13 => Fault::Silence,
                14 => Fault::Late(patience.mul_f64(0.5 + random.f64())),
                15 => Fault::error(500, "boom", "INTERNAL"),
                16 => soon(Fault::error(503, "not now", "UNAVAILABLE")),
                17 => soon(Fault::html(502)),
                18 => soon(Fault::html(503)),
                19 => soon(Fault::html(504)),
                20 => soon(Fault::json(502, "{\"message\":\"upstream\"}")),
                21 => Fault::json(404, "{\"message\":\"no Route matched with those values\"}"),
                22 => Fault::html(404),
                23 => Fault::html(403),
                24 => Fault::html(200),
                25 => Fault::json(200, "{\"message\":\"welcome to hotel wifi\"}"),
                26 => Fault::json(200, "{}"),
                27 => Fault::json([200, 202, 206, 226][random.usize(..4)], ""),
                28 => Fault::json(204, ""),
                29 => Fault::html(400),
                30 => Fault::html(415),
                31 => Fault::json(
                    200,
                    "{\"status\":\"OK\",\"error\":\"in use\",\"code\":\"IN_USE\"}",
                ),
                32 => Fault::json(202, "{\"accepted\":true}"),
                33 => soon(Fault::error(504, "gateway timeout", "GATEWAY_TIMEOUT")),
                34 => Fault::json(200, "[1, 2"),
                // Words of its own that say nothing of a deletion.
                _ => return no_deletion(random),
            };
            let injection = injection(fault);
            match random.u8(..5) {
                0 | 1 => injection.applied(),
                2 if is_open => injection.applied_after(patience.mul_f64(random.f64() * 2.0)),
                _ => injection,
            }
        }
    }
}

/// Draws a response to a `DELETE` request that does not confirm the deletion. The request has no effect.
fn no_deletion(random: &mut Rng) -> Injection {
    let fault = match random.u8(..4) {
        0 => Fault::error(404, "Organization not found", "NOT_FOUND"),
        1 => Fault::json(200, "{\"region\":\"us-west\"}"),
        2 => Fault::json(200, "{\"region\":\"us-west\",\"status\":\"failed\"}"),
        _ => Fault::json(
            200,
            "{\"region\":\"us-west\",\"status\":\"ready\",\"secrets\":[{\"fieldName\":\"A\"}]}",
        ),
    };
    Injection::new("DELETE", "/", fault)
}
