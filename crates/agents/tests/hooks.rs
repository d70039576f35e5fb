//! What the agents' own hooks say, by their files: payloads cut down to what decides.

use kraal_agents::{Catalog, Meaning};
use kraal_api::{Kind, State};
use serde_json::{Value, json};

fn says(agent: &str, event: &str, payload: &Value) -> Option<Meaning> {
    let catalog = Catalog::builtin();
    let agent = catalog.get(agent).expect("it is in the catalogue");
    agent.report(event, payload).map(|report| report.meaning)
}

fn is(state: State, kind: impl Into<Option<Kind>>) -> Option<Meaning> {
    Some(Meaning::Is(state, kind.into()))
}

#[test]
fn claude() {
    let said = |event, payload: Value| says("claude", event, &payload);
    assert_eq!(said("SessionStart", json!({"source": "startup"})), Some(Meaning::Start));
    assert_eq!(said("SessionStart", json!({"source": "compact"})), Some(Meaning::Nothing));
    assert_eq!(said("UserPromptSubmit", json!({"prompt": "x"})), is(State::Working, None));
    let asked = |tool| json!({"tool_name": tool});
    assert_eq!(said("PermissionRequest", asked("Bash")), is(State::Blocked, Kind::Permission));
    assert_eq!(said("PermissionRequest", asked("AskUserQuestion")), is(State::Blocked, Kind::Question));
    assert_eq!(said("PermissionRequest", asked("ExitPlanMode")), is(State::Blocked, Kind::Question));
    assert_eq!(said("Stop", json!({"background_tasks": []})), is(State::Done, None));
    let shell = json!({"background_tasks": [{"id": "b", "type": "shell"}]});
    assert_eq!(said("Stop", shell), is(State::Working, Kind::Background));
    let idle = json!({"notification_type": "idle_prompt"});
    assert_eq!(said("Notification", idle), is(State::Idle, None));
    let late = json!({"notification_type": "permission_prompt"});
    assert_eq!(said("Notification", late), Some(Meaning::Nothing));
    assert_eq!(said("SessionEnd", json!({"reason": "clear"})), Some(Meaning::Nothing));
    assert_eq!(said("SessionEnd", json!({"reason": "prompt_input_exit"})), Some(Meaning::End));
    assert_eq!(said("MessageDisplay", json!({})), None);
}

#[test]
fn conversation_subagent_and_prompt() {
    let catalog = Catalog::builtin();
    let claude = catalog.get("claude").unwrap();
    let report = claude.report("PostToolUse", &json!({"session_id": "s1", "agent_id": "a1"})).unwrap();
    assert_eq!(report.conversation.as_deref(), Some("s1"));
    assert!(report.child);
    assert!(!claude.report("PostToolUse", &json!({"session_id": "s1", "agent_id": ""})).unwrap().child);

    let codex = catalog.get("codex").unwrap();
    let payload = json!({"thread-id": "t", "input-messages": ["one", "two"]});
    let report = codex.report("agent-turn-complete", &payload).unwrap();
    assert_eq!(report.prompt.as_deref(), Some("two"));
    assert!(codex.reports_are_shared() && !claude.reports_are_shared());

    let opencode = catalog.get("opencode").unwrap();
    let report = opencode.report("session.idle", &json!({"sessionID": "o", "kraal_pid": 77})).unwrap();
    assert_eq!((report.process, report.meaning), (Some(77), Meaning::Is(State::Done, None)));
}

#[test]
fn a_nested_path_and_a_list_decide() {
    let said = |status: &str| says("opencode", "session.status", &json!({"status": {"type": status}}));
    assert_eq!(said("retry"), is(State::Working, None));
    assert_eq!(said("idle"), is(State::Done, None));
    assert_eq!(said("something new"), None);
    assert_eq!(says("opencode", "session.status", &json!({"status": "busy"})), None);
}
