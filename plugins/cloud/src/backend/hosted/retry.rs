//! Whether and when a request is tried again. Every request of this service can be: it says what shall be, not what to add.

use std::time::Duration;

use crate::backend::hosted::ServiceError;
use crate::pace::Pace;

/// The maximum number of attempts.
pub const TRIES: u32 = 3;

/// Returns the pause after the `tried`-th attempt failed; `None` if another attempt would fail as well.
pub fn pause(error: &ServiceError, tried: u32, pace: Pace) -> Option<Duration> {
    if !is_passing(error) {
        return None;
    }
    let asked = if let ServiceError::Unavailable { retry_after, .. } = error {
        retry_after.map(Duration::from_secs)
    } else {
        None
    };
    match asked {
        Some(asked) if asked > pace.longest_wait => None,
        Some(asked) => Some(asked.max(pace.first_retry)),
        None => Some(pace.first_retry * 2_u32.pow(tried - 1)),
    }
}

/// Whether the same request may well succeed in a moment.
fn is_passing(error: &ServiceError) -> bool {
    if let ServiceError::Conflict(message) = error {
        return message.contains("modified concurrently");
    }
    matches!(
        error,
        ServiceError::Unreachable { .. }
            | ServiceError::TimedOut(_)
            | ServiceError::Unavailable {
                status: 429 | 502 | 503 | 504,
                ..
            }
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::pause;
    use crate::backend::hosted::ServiceError;
    use crate::pace::Pace;

    const PACE: Pace = Pace::USUAL;

    fn unavailable(status: u16, retry_after: Option<u64>) -> ServiceError {
        ServiceError::Unavailable {
            status,
            message: String::new(),
            retry_after,
        }
    }

    #[test]
    fn what_may_pass_is_tried_again_and_ever_later() {
        let error = unavailable(503, None);
        let pauses: Vec<_> = (1..=2).map(|tried| pause(&error, tried, PACE)).collect();
        let (first, second) = (Duration::from_millis(250), Duration::from_millis(500));
        assert_eq!(pauses, [Some(first), Some(second)]);
        assert!(
            pause(&unavailable(500, None), 1, PACE).is_none(),
            "the service is broken, not busy"
        );
        let conflict = |message: &str| ServiceError::Conflict(message.to_owned());
        assert!(
            pause(
                &conflict("Set 'a' was modified concurrently. Please retry."),
                1,
                PACE
            )
            .is_some()
        );
        assert!(pause(&conflict("in use"), 1, PACE).is_none());
        assert!(pause(&ServiceError::NotSignedIn(String::new()), 1, PACE).is_none());
    }

    #[test]
    fn the_service_may_say_when_but_not_too_late() {
        assert_eq!(
            pause(&unavailable(429, Some(2)), 1, PACE),
            Some(Duration::from_secs(2))
        );
        assert_eq!(
            pause(&unavailable(429, Some(0)), 1, PACE),
            Some(Duration::from_millis(250))
        );
        assert_eq!(pause(&unavailable(429, Some(31)), 1, PACE), None);
    }
}
