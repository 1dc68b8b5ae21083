//! Inputs as hosts write them, and as they might.

use std::os::unix::net::UnixStream;

use super::*;

#[test]
fn a_host_that_never_closes_the_pipe_is_not_waited_for() {
    let (_host, hook) = UnixStream::pair().unwrap();
    let read = HookInput::read_within(Duration::from_millis(20), hook);
    assert!(matches!(read, Err(Error::Late)), "{read:?}");
}

#[test]
fn a_field_of_another_type_costs_that_field_alone() {
    let whole = |name: &str, value: &str| {
        let input = format!(
            r#"{{"hook_event_name":"Stop","last_assistant_message":"Done.","{name}":{value}}}"#
        );
        HookInput::parse(input.as_bytes())
    };
    let fields = "session_id prompt_id turn_id transcript_path agent_transcript_path agent_id agent_type cwd \
                  stop_hook_active background_tasks tool_name tool_input effort session_crons";
    for name in fields.split_whitespace() {
        for value in [
            "null",
            "7",
            "-1.5",
            "true",
            r#""x""#,
            "[]",
            r#"[{"a":[1]},7]"#,
            r#"{"a":{}}"#,
        ] {
            let input = whole(name, value);
            let message = input
                .as_ref()
                .ok()
                .and_then(|input| input.last_assistant_message.as_deref());
            assert_eq!(message, Some("Done."), "{name}: {value}: {input:?}");
        }
    }
    // Without the words, or the event, something else would be judged.
    for input in [
        r#"{"hook_event_name":"Stop","last_assistant_message":["Done."]}"#,
        r#"{"hook_event_name":["Stop"]}"#,
        r#"{"hook_event_name":"Start"}"#,
        "{}",
    ] {
        assert!(HookInput::parse(input.as_bytes()).is_err(), "{input}");
    }
}

#[test]
fn what_is_left_of_odd_fields() {
    let tasks = r#"[{"type":"shell","status":7,"command":"make"},"x",null,{"type":[]}]"#;
    let input = format!(
        r#"{{"hook_event_name":"Stop","turn_id":5,"stop_hook_active":"yes","background_tasks":{tasks}}}"#
    );
    let input = HookInput::parse(input.as_bytes()).unwrap();
    let told: Vec<_> = input
        .background_tasks
        .iter()
        .map(|task| (task.r#type.as_deref(), task.command.as_deref()))
        .collect();
    assert_eq!(told, [(Some("shell"), Some("make")), (None, None)]);
    assert_eq!((input.host(), input.turn()), (Host::Codex, None));
    assert!(input.stop_hook_active);
}

#[test]
fn half_a_character_costs_that_character_alone() {
    let input = br#"{"hook_event_name":"Stop","cwd":"/\ud83d","last_assistant_message":"a\ude00 \ud83d\ude00"}"#;
    let input = HookInput::parse(input).unwrap();
    assert_eq!(input.last_assistant_message.unwrap(), "a\u{fffd} \u{1f600}");
    let input =
        b"{\"hook_event_name\":\"Stop\",\"cwd\":\"/\xff\",\"last_assistant_message\":\"a\xe9 b\"}";
    let input = HookInput::parse(input).unwrap();
    assert_eq!(input.last_assistant_message.unwrap(), "a\u{fffd} b");
}
