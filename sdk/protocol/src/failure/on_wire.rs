//! Converts failures to and from the errors of the protocol.

use super::{Exit, Failure};
use crate::{ErrorData, ErrorObject, VERSION, codes};

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
        } else if error.code <= 0 {
            let broken = format!(
                "the plugin broke the protocol: its error has the code {}",
                error.code
            );
            failure.hints.push(broken);
        }
        failure
    }
}

#[cfg(test)]
mod tests {
    use crate::Message;
    use crate::failure::{ChangeState, Exit, Failure};

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
}
