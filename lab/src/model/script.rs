//! What the scripted model answers: read from the prompt itself, so that whoever looks at the agent's screen sees
//! what was asked for.
//!
//! A prompt holds directives, parted by `;;`; the n-th is the answer to the n-th request of the turn. Once they
//! are used up the turn ends with a line of text.
//!
//! | directive | answer |
//! |---|---|
//! | `LAB:say TEXT` | the text |
//! | `LAB:stream GATE` | words, one after the other, until the gate opens |
//! | `LAB:hang GATE` | nothing, until the gate opens |
//! | `LAB:think GATE` | thoughts, until the gate opens |
//! | `LAB:bash COMMAND` | a call of the shell tool |
//! | `LAB:outside COMMAND` | the same, asking to leave the agent's sandbox |
//! | `LAB:edit FILE` | a call of the tool that writes files |
//! | `LAB:ask` | a call of the tool that asks the user something |
//! | `LAB:error STATUS` | an error of that HTTP status |
//! | `LAB:limit` | the provider's own refusal of a used-up subscription |
//!
//! Not here: the dialects in which requests come and answers go.

use serde_json::{Map, Value, json};

/// A request, whatever dialect it came in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// The system prompt.
    pub(crate) system: String,
    /// The tools the model may call.
    pub(crate) tools: Vec<Tool>,
    /// The conversation.
    pub(crate) said: Vec<Said>,
    /// The answer is wanted in pieces.
    pub(crate) stream: bool,
}

/// A tool that the model may call.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tool {
    /// Its name.
    pub(crate) name: String,
    /// The JSON Schema of its arguments.
    pub(crate) schema: Value,
    /// Its argument is free text.
    pub(crate) freeform: bool,
    /// The namespace it is called in, where the dialect has them.
    pub(crate) namespace: Option<String>,
}

/// A part of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// By the user.
    User(String),
    /// By the model, with nothing called.
    Answer,
    /// By the model, calling tools.
    Call,
    /// By a tool.
    Result,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reply {
    /// Words, held back or not, and calls after them.
    Speak(Speech),
    /// An error.
    Fail {
        /// The HTTP status.
        status: u16,
        /// A used-up subscription, in the provider's words.
        limit: bool,
    },
}

/// Words and calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Speech {
    /// What is done until a gate opens, and the gate's name.
    pub(crate) hold: Option<(Hold, String)>,
    /// Said after that.
    pub(crate) text: String,
    /// Called after that.
    pub(crate) calls: Vec<Call>,
}

/// What is done until a gate opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Words come.
    Stream,
    /// Thoughts come.
    Think,
    /// Nothing comes.
    Hang,
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    /// The tool.
    pub(crate) tool: Tool,
    /// Its arguments; a string for a free-form tool.
    pub(crate) arguments: Value,
}

/// A directive: its word and the rest.
type Directive = (String, String);

/// The answer to a request, the first directive of its turn (empty where there is none) and how many requests the
/// turn had before. A request that only wants a title for the conversation gets one and has no turn.
pub(crate) fn answer(asked: &Asked) -> (String, usize, Reply) {
    let say = |text: String| Reply::Speak(Speech { text, ..Speech::default() });
    let system = asked.system.to_lowercase();
    if asked.tools.is_empty() && ["title", "summar", "topic"].iter().any(|word| system.contains(word)) {
        return (String::new(), 0, say("Lab conversation".to_owned()));
    }
    let Some((directives, round)) = turn(&asked.said) else {
        return (String::new(), 0, say("Noted.".to_owned()));
    };
    let key = directives.first().map(|(word, rest)| format!("{word} {rest}").trim().to_owned());
    let reply = match directives.get(round) {
        None => say(format!("The turn is over after {round} tool calls.")),
        Some((word, rest)) => obey(word, rest, &asked.tools),
    };
    (key.unwrap_or_default(), round, reply)
}

/// The directives of the turn that runs, and how many requests it had before this one.
fn turn(said: &[Said]) -> Option<(Vec<Directive>, usize)> {
    let (start, prompt) = said.iter().enumerate().rev().find_map(|(at, part)| match part {
        Said::User(text) if text.contains("LAB:") => Some((at, text)),
        _ => None,
    })?;
    let mut round = 0;
    let mut answered = false;
    for part in &said[start + 1..] {
        match part {
            Said::Call => (round, answered) = (round + 1, false),
            Said::Answer => answered = true,
            // A later prompt, without a directive. What an agent adds to its own prompt is no other one.
            Said::User(_) if answered => return None,
            Said::User(_) | Said::Result => {}
        }
    }
    Some((directives(prompt), round))
}

/// A prompt that failed may be sent again in front of the next: the last line of directives counts.
fn directives(prompt: &str) -> Vec<Directive> {
    let last = prompt.lines().rev().find(|line| line.trim_start().starts_with("LAB:"));
    let line = last.or_else(|| prompt.lines().find(|line| line.contains("LAB:"))).unwrap_or_default();
    let from = line.find("LAB:").unwrap_or(0);
    line[from..]
        .split(";;")
        .filter_map(|part| part.trim().strip_prefix("LAB:"))
        .map(|part| part.split_once(' ').unwrap_or((part, "")))
        .map(|(word, rest)| (word.to_owned(), rest.trim().trim_end_matches('"').trim().to_owned()))
        .collect()
}

fn obey(word: &str, rest: &str, tools: &[Tool]) -> Reply {
    let held = |hold| {
        let text = "Lab answer at the end.".to_owned();
        Reply::Speak(Speech { hold: Some((hold, rest.to_owned())), text, ..Speech::default() })
    };
    match word {
        "say" => Reply::Speak(Speech { text: rest.to_owned(), ..Speech::default() }),
        "stream" => held(Hold::Stream),
        "think" => held(Hold::Think),
        "hang" => held(Hold::Hang),
        "error" => Reply::Fail { status: rest.parse().unwrap_or(500), limit: false },
        "limit" => Reply::Fail { status: 429, limit: true },
        _ => match call(word, rest, tools) {
            Some(call) => Reply::Speak(Speech {
                text: format!("Lab: calling {}.", call.tool.name),
                calls: vec![call],
                ..Speech::default()
            }),
            None => Reply::Speak(Speech {
                text: format!(
                    "Lab: no tool for {word} among {}.",
                    tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(", ")
                ),
                ..Speech::default()
            }),
        },
    }
}

/// The names under which the agents have a tool, the one that is wanted first.
fn names(word: &str) -> &'static [&'static str] {
    match word {
        "bash" | "outside" => &[
            "bash",
            "shell_command",
            "exec_command",
            "shell",
            "run_shell_command",
            "execute_command",
            "run_commands",
            "run_terminal_cmd",
            "run_command",
            "launch-process",
            "terminal",
        ],
        "edit" => &["write", "write_file", "create_file", "create", "apply_patch", "edit"],
        "ask" => &[
            "askuserquestion",
            "ask_user_question",
            "question",
            "request_user_input",
            "ask_user",
            "ask_followup_question",
            "ask_question",
            "askquestion",
        ],
        _ => &[],
    }
}

fn call(word: &str, rest: &str, tools: &[Tool]) -> Option<Call> {
    let tool = names(word).iter().find_map(|name| {
        tools
            .iter()
            .find(|tool| tool.name.rsplit('.').next().is_some_and(|own| own.eq_ignore_ascii_case(name)))
    })?;
    let wanted = match word {
        "bash" => shell(tool, rest, json!({})),
        "outside" => shell(
            tool,
            rest,
            json!({"sandbox_permissions": "require_escalated", "justification": "May this run outside?"}),
        ),
        "edit" => write(rest),
        "ask" => question(tool),
        _ => return None,
    };
    let arguments = if tool.freeform { Value::String(patch(rest)) } else { fill(&tool.schema, &wanted) };
    Some(Call { tool: tool.clone(), arguments })
}

fn shell(tool: &Tool, command: &str, extra: Value) -> Value {
    let properties = &tool.schema["properties"];
    let name = ["command", "cmd", "commands"].into_iter().find(|name| properties.get(name).is_some());
    let name = name.unwrap_or("command");
    let many = properties[name]["type"] == "array";
    let value = match (many, name) {
        (true, "commands") => json!([command]),
        (true, _) => json!(["bash", "-lc", command]),
        (false, _) => json!(command),
    };
    let mut wanted = json!({"description": "A command of the lab", "requires_approval": true, "wait": true});
    merge(&mut wanted, extra);
    merge(&mut wanted, json!({ name: value }));
    wanted
}

fn write(path: &str) -> Value {
    let text = "one line of the lab\nand another\n";
    json!({
        "file_path": path, "filePath": path, "path": path, "absolute_path": path,
        "content": text, "contents": text, "file_text": text, "fileText": text,
        "input": patch(path), "patchText": patch(path),
    })
}

fn patch(path: &str) -> String {
    format!("*** Begin Patch\n*** Add File: {path}\n+one line of the lab\n+and another\n*** End Patch")
}

fn question(tool: &Tool) -> Value {
    let properties = &tool.schema["properties"];
    let text = "Which lab colour do you want?";
    let options = json!([
        {"label": "Red", "description": "A warm colour"},
        {"label": "Blue", "description": "A cold colour"},
    ]);
    if properties.get("requestedSchema").is_some() {
        let colour = json!({"type": "string", "title": "Colour", "enum": ["Red", "Blue"]});
        return json!({
            "message": text, "requestedSchema": {"properties": {"colour": colour}, "required": ["colour"]},
        });
    }
    if properties.get("questions").is_none() {
        let plain = properties["options"]["items"]["type"] == "string" || properties["choices"].is_object();
        let options = if plain { json!(["Red", "Blue"]) } else { options };
        return json!({"question": text, "options": options, "choices": options, "type": "choice"});
    }
    let one = json!({
        "id": "colour", "header": "Colour", "question": text, "type": "choice",
        "multiSelect": false, "multiple": false, "options": options,
    });
    json!({"questions": [fill(&properties["questions"]["items"], &one)]})
}

fn merge(into: &mut Value, from: Value) {
    if let (Value::Object(into), Value::Object(from)) = (into, from) {
        into.extend(from);
    }
}

/// The wanted arguments that the schema knows, and something for the rest of those it requires.
fn fill(schema: &Value, wanted: &Value) -> Value {
    let properties = schema["properties"].as_object();
    let mut arguments: Map<String, Value> = wanted
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| properties.is_none_or(|known| known.contains_key(*name)))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            arguments.insert(name.to_owned(), something(&schema["properties"][name]));
        }
    }
    Value::Object(arguments)
}

/// A value that a schema accepts.
fn something(schema: &Value) -> Value {
    if let Some(value) = schema.get("default").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(first) = schema["anyOf"].get(0).or_else(|| schema["oneOf"].get(0)) {
        return something(first);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("string");
    match kind.to_lowercase().as_str() {
        "integer" | "number" => json!(1),
        "boolean" => json!(false),
        "array" => json!([]),
        "object" => fill(schema, &json!({})),
        _ => json!("lab"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bash() -> Tool {
        let schema = json!({
            "type": "object",
            "properties": {"command": {"type": "string"}, "seconds": {"type": "integer"}},
            "required": ["command", "seconds"],
        });
        Tool { name: "Bash".into(), schema, ..Tool::default() }
    }

    fn asked(said: Vec<Said>) -> Asked {
        Asked { tools: vec![bash()], said, ..Asked::default() }
    }

    fn user(text: &str) -> Said {
        Said::User(text.to_owned())
    }

    fn text(reply: &Reply) -> &str {
        match reply {
            Reply::Speak(speech) => &speech.text,
            Reply::Fail { .. } => panic!("an error"),
        }
    }

    #[test]
    fn the_prompt_says_what_is_answered() {
        let (key, round, reply) = answer(&asked(vec![user("LAB:say hello you")]));
        assert_eq!((key.as_str(), round, text(&reply)), ("say hello you", 0, "hello you"));
        let (.., reply) = answer(&asked(vec![user("LAB:error 400")]));
        assert_eq!(reply, Reply::Fail { status: 400, limit: false });
    }

    #[test]
    fn of_two_prompts_in_one_message_the_later_counts() {
        let both = user("LAB:error 400\nLAB:say hello ;; LAB:say over");
        assert_eq!(text(&answer(&asked(vec![both])).2), "hello");
        let quoted = user("<prompt>LAB:say hello</prompt>\nmore of it");
        assert_eq!(text(&answer(&asked(vec![quoted])).2), "hello</prompt>");
    }

    #[test]
    fn each_request_of_a_turn_has_its_directive_and_then_the_turn_ends() {
        let prompt = user("LAB:bash ls ;; LAB:stream g");
        let (.., reply) = answer(&asked(vec![prompt.clone()]));
        let Reply::Speak(speech) = reply else { panic!("an error") };
        assert_eq!(speech.calls[0].arguments, json!({"command": "ls", "seconds": 1}));
        let (key, round, reply) = answer(&asked(vec![prompt.clone(), Said::Call, Said::Result]));
        let Reply::Speak(speech) = reply else { panic!("an error") };
        assert_eq!((key.as_str(), round), ("bash ls", 1));
        assert_eq!(speech.hold, Some((Hold::Stream, "g".to_owned())));
        let twice = vec![prompt, Said::Call, Said::Result, Said::Call, Said::Result];
        assert!(text(&answer(&asked(twice)).2).starts_with("The turn is over"));
    }

    #[test]
    fn a_later_prompt_without_a_directive_is_not_the_old_turn() {
        let said = vec![user("LAB:bash ls"), Said::Answer, user("and now?")];
        assert_eq!(text(&answer(&asked(said)).2), "Noted.");
    }

    #[test]
    fn a_request_for_a_title_has_no_turn() {
        let asked = Asked {
            system: "Write a short title.".into(),
            said: vec![user("LAB:stream g")],
            ..Asked::default()
        };
        assert_eq!(answer(&asked).0, "");
    }

    #[test]
    fn a_question_in_a_form_has_its_text_and_its_choices() {
        let schema = json!({
            "type": "object", "required": ["message"],
            "properties": {"message": {"type": "string"}, "requestedSchema": {"type": "object"}},
        });
        let tool = Tool { name: "ask_user".into(), schema, ..Tool::default() };
        let asked = Asked { said: vec![user("LAB:ask g1")], tools: vec![tool], ..Asked::default() };
        let (.., Reply::Speak(speech)) = answer(&asked) else { panic!("an error") };
        let arguments = &speech.calls[0].arguments;
        assert_eq!(arguments["message"], "Which lab colour do you want?");
        assert_eq!(arguments["requestedSchema"]["properties"]["colour"]["enum"], json!(["Red", "Blue"]));
    }

    #[test]
    fn a_missing_tool_is_said() {
        let asked = Asked { said: vec![user("LAB:ask")], tools: vec![bash()], ..Asked::default() };
        assert!(text(&answer(&asked).2).contains("no tool for ask among Bash"));
    }
}
