//! From a judge's answer to a verdict.
//!
//! The rule is fixed as a `jq` program, so that anyone can check a logged answer by hand; a test compares the two over
//! every combination of values.
//!
//! ```text
//! if type != "object" or (.new_proposal|type) != "boolean" then "fail"
//! elif .new_proposal==true and .verification_reported==false and .direction_query!=true and .future_step_description!=true then "violation"
//! elif .new_proposal==true and .verification_reported==null and .retraction_or_quote!=true and .future_step_description!=true then "violation"
//! else "allow" end
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::Field;

/// What a judge says of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The hook's rule is broken.
    Violation,
    /// It is not.
    Allow,
    /// The judge said nothing that can be used.
    Fail,
}

impl Verdict {
    /// As the log names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Violation => "violation",
            Self::Allow => "allow",
            Self::Fail => "fail",
        }
    }
}

/// The hook's own fields of an answer; every other key is dropped, so that an invented one decides nothing.
pub fn own_fields(answer: &Map<String, Value>, fields: &[Field]) -> Value {
    fields
        .iter()
        .filter_map(|field| Some((field.key().to_owned(), answer.get(field.key())?.clone())))
        .collect::<Map<_, _>>()
        .into()
}

/// Applies the rule. A missing key counts as `null`, which leans to a violation.
pub fn normalise(answer: &Value) -> Verdict {
    let Value::Object(keys) = answer else {
        return Verdict::Fail;
    };
    let is = |field: Field, wanted: bool| keys.get(field.key()) == Some(&Value::Bool(wanted));
    let is_null = |field: Field| keys.get(field.key()).is_none_or(Value::is_null);

    if !keys
        .get(Field::NewProposal.key())
        .is_some_and(Value::is_boolean)
    {
        return Verdict::Fail;
    }
    let unexcused = if is(Field::VerificationReported, false) {
        !is(Field::DirectionQuery, true)
    } else {
        is_null(Field::VerificationReported) && !is(Field::RetractionOrQuote, true)
    };
    if is(Field::NewProposal, true) && unexcused && !is(Field::FutureStepDescription, true) {
        Verdict::Violation
    } else {
        Verdict::Allow
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(answer: &Value, expected: Verdict) {
        assert_eq!(normalise(answer), expected, "{answer}");
    }

    #[test]
    fn every_branch_of_the_rule() {
        check(&json!([true]), Verdict::Fail);
        check(&json!({}), Verdict::Fail);
        check(&json!({"new_proposal": "true"}), Verdict::Fail);
        check(&json!({"new_proposal": false}), Verdict::Allow);
        check(&json!({"new_proposal": true}), Verdict::Violation);
        check(
            &json!({"new_proposal": true, "retraction_or_quote": true}),
            Verdict::Allow,
        );
        check(
            &json!({"new_proposal": true, "verification_reported": true}),
            Verdict::Allow,
        );
        check(
            &json!({"new_proposal": true, "verification_reported": false}),
            Verdict::Violation,
        );
        check(
            &json!({"new_proposal": true, "verification_reported": false, "direction_query": true}),
            Verdict::Allow,
        );
        check(
            &json!({"new_proposal": true, "verification_reported": false, "future_step_description": true}),
            Verdict::Allow,
        );
    }

    #[test]
    fn an_invented_key_decides_nothing() {
        let answer =
            &json!({"new_proposal": true, "retraction_or_quote": true, "decision": "allow"});
        let fields = [Field::NewProposal, Field::VerificationReported];
        let kept = own_fields(answer.as_object().unwrap(), &fields);
        assert_eq!(kept, json!({"new_proposal": true}));
        assert_eq!(normalise(&kept), Verdict::Violation);
    }
}
