//! Failures as errors of the protocol.

use super::{Exit, Failure};
use crate::protocol::{ErrorData, ErrorObject, VERSION, codes};

impl From<Failure> for ErrorObject {
    fn from(failure: Failure) -> Self {
        let data = ErrorData {
            inputs: failure.inputs().to_vec(),
            code: failure.code,
            fields: failure.fields,
            hints: failure.hints,
            outcome: failure.outcome,
            supported: Vec::new(),
        };
        Self {
            code: failure.exit.status().into(),
            message: failure.message,
            data: serde_json::to_value(data).ok(),
        }
    }
}

impl From<ErrorObject> for Failure {
    fn from(error: ErrorObject) -> Self {
        let details = error.details();
        let (exit, code) = match error.code {
            codes::UNSUPPORTED_PROTOCOL => (Exit::Protocol, "unsupported_protocol"),
            codes::METHOD_NOT_FOUND => (Exit::Protocol, "method_not_found"),
            negative if negative <= 0 => (Exit::Protocol, "protocol_error"),
            positive => (Exit::from_plugin(positive), "failed"),
        };
        let code = if details.code.is_empty() {
            code
        } else {
            &details.code
        };
        let mut failure = Self::new(exit, code, error.message);
        failure.fields = details.fields;
        failure.hints = details.hints;
        failure = failure.with_inputs(details.inputs);
        failure.outcome = details.outcome.or(failure.outcome);
        if !details.supported.is_empty() {
            let supported = details.supported.join(", ");
            failure.hints.push(format!(
                "the plugin speaks {supported}, this host {VERSION}"
            ));
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::failure::{ChangeState, Exit, Failure};
    use crate::protocol::{ErrorObject, Message};

    #[test]
    fn a_failure_arrives_with_what_became_of_the_change() {
        for outcome in [
            None,
            Some(ChangeState::NotDone),
            Some(ChangeState::PartlyDone),
            Some(ChangeState::Unknown),
        ] {
            let mut failure = Failure::new(Exit::Unavailable, "lost", "lost").hint("try again");
            failure.outcome = outcome;
            let line = Message::Error {
                id: None,
                error: failure.clone().into(),
            }
            .to_line();
            let Ok(Message::Error { error, .. }) = Message::from_line(line.as_bytes()) else {
                panic!("{line}")
            };
            assert_eq!(Failure::from(error), failure);
        }
    }

    #[test]
    fn an_outcome_of_a_later_version_is_unknown_and_one_that_is_not_named_is_that_of_the_status() {
        for (code, data, outcome) in [
            (
                1,
                json!({ "outcome": "half_done", "hints": ["h"] }),
                Some(ChangeState::Unknown),
            ),
            (1, json!({ "outcome": null, "hints": ["h"] }), None),
            (1, json!({ "hints": ["h"] }), None),
            (3, json!({ "hints": ["h"] }), Some(ChangeState::Unknown)),
        ] {
            let failure = Failure::from(ErrorObject {
                code,
                message: "lost".to_owned(),
                data: Some(data.clone()),
            });
            assert_eq!(failure.outcome, outcome, "{data}");
            assert_eq!(failure.hints, ["h"], "{data}");
        }
    }
}
