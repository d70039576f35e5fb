//! The four ways in which agents speak to a model: how a request is read, and how an answer is told in pieces.
//!
//! Not here: what is answered (`script`), and when (`server`). Nothing here touches a connection.

#![expect(clippy::needless_pass_by_value, reason = "documents are written where they are passed")]

mod anthropic;
mod chat;
mod gemini;
mod responses;

use serde_json::Value;

use super::script::{Asked, Call, Said, Speech, Tool};

/// An event of an answer: its name, where the dialect has names, and its data.
pub(crate) type Frame = (Option<&'static str>, String);

/// A dialect, in the middle of telling one answer.
pub(crate) trait Dialect {
    /// Reads a request.
    fn read(&self, body: &Value) -> Asked;
    /// What comes before everything.
    fn begin(&mut self) -> Vec<Frame>;
    /// A piece of thought; all of them come before the text.
    fn thought(&mut self, piece: &str) -> Vec<Frame>;
    /// A piece of text.
    fn text(&mut self, piece: &str) -> Vec<Frame>;
    /// A call of a tool.
    fn call(&mut self, call: &Call) -> Vec<Frame>;
    /// The end.
    fn end(&mut self) -> Vec<Frame>;
    /// The same answer in one document.
    fn whole(&self, speech: &Speech) -> Value;
    /// An error; `limit` for a used-up subscription.
    fn fail(&self, status: u16, limit: bool) -> Value;
}

/// The dialect of a path, if it is one of a model.
pub(crate) fn of(path: &str) -> Option<Box<dyn Dialect>> {
    if path.ends_with("/messages") {
        Some(Box::<anthropic::Anthropic>::default())
    } else if path.ends_with("/responses") {
        Some(Box::<responses::Responses>::default())
    } else if path.ends_with("/chat/completions") {
        Some(Box::<chat::Chat>::default())
    } else if path.ends_with("enerateContent") {
        Some(Box::new(gemini::Gemini { streamed: path.ends_with(":streamGenerateContent") }))
    } else {
        None
    }
}

/// The text of a content that is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block.as_str().or_else(|| block["text"].as_str()))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The kind of error that goes with a status, in the words that two of the dialects share.
fn kind(status: u16) -> &'static str {
    match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::script::{Hold, answer};
    use super::*;

    /// A request in each dialect whose last prompt is `prompt`, with the shell tool.
    fn requests(prompt: &str) -> Vec<(&'static str, Value)> {
        let schema = json!({"type": "object", "properties": {"command": {"type": "string"}}});
        let user = json!([{"role": "user", "content": prompt}]);
        let chat = json!({"name": "bash", "parameters": schema});
        vec![
            (
                "/v1/messages",
                json!({"stream": true, "messages": user,
                "tools": [{"name": "Bash", "input_schema": schema}]}),
            ),
            (
                "/v1/responses",
                json!({"stream": true, "input": user,
                "tools": [{"type": "function", "name": "shell_command", "parameters": schema}]}),
            ),
            (
                "/v1/chat/completions",
                json!({"stream": true, "messages": user,
                "tools": [{"type": "function", "function": chat}]}),
            ),
            (
                "/v1beta/models/m:streamGenerateContent",
                json!({
                "contents": [{"role": "user", "parts": [{"text": prompt}]}],
                "tools": [{"functionDeclarations": [{"name": "run_shell_command", "parameters": schema}]}]}),
            ),
        ]
    }

    #[test]
    fn the_same_prompt_is_read_in_every_dialect() {
        for (path, body) in requests("LAB:stream gate") {
            let dialect = of(path).expect("a dialect");
            let asked = dialect.read(&body);
            assert!(asked.stream, "{path}");
            assert_eq!(asked.tools.len(), 1, "{path}");
            let super::super::script::Reply::Speak(speech) = answer(&asked).2 else { panic!("{path}") };
            assert_eq!(speech.hold, Some((Hold::Stream, "gate".to_owned())), "{path}");
        }
    }

    #[test]
    fn an_answer_told_in_pieces_holds_its_text_and_its_call() {
        for (path, body) in requests("LAB:bash echo hi") {
            let mut dialect = of(path).expect("a dialect");
            let asked = dialect.read(&body);
            let super::super::script::Reply::Speak(speech) = answer(&asked).2 else { panic!("{path}") };
            let mut frames = dialect.begin();
            frames.extend(dialect.thought("hmm"));
            frames.extend(dialect.text(&speech.text));
            frames.extend(dialect.call(&speech.calls[0]));
            frames.extend(dialect.end());
            let told: String = frames.iter().map(|(_, data)| data.as_str()).collect();
            assert!(told.contains("echo hi") && told.contains("Lab: calling"), "{path}: {told}");
            let whole = dialect.whole(&speech).to_string();
            assert!(whole.contains("echo hi") && whole.contains("Lab: calling"), "{path}: {whole}");
        }
    }

    #[test]
    fn a_turn_with_a_tool_goes_on_where_it_was() {
        let calls = [
            (
                "/v1/messages",
                json!({"messages": [
                {"role": "user", "content": [{"type": "text", "text": "LAB:bash a"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "Bash", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "a"}]}]}),
            ),
            (
                "/v1/responses",
                json!({"input": [
                {"role": "user", "content": [{"type": "input_text", "text": "LAB:bash a"}]},
                {"type": "message", "role": "assistant", "content": []},
                {"type": "function_call", "name": "shell"},
                {"type": "function_call_output", "output": "a"}]}),
            ),
            (
                "/v1/chat/completions",
                json!({"messages": [
                {"role": "user", "content": "LAB:bash a"},
                {"role": "assistant", "tool_calls": [{}]}, {"role": "tool", "content": "a"}]}),
            ),
            (
                "/v1beta/models/m:generateContent",
                json!({"contents": [
                {"role": "user", "parts": [{"text": "LAB:bash a"}]},
                {"role": "model", "parts": [{"functionCall": {}}]},
                {"role": "user", "parts": [{"functionResponse": {}}]}]}),
            ),
        ];
        for (path, body) in calls {
            let asked = of(path).expect("a dialect").read(&body);
            let (key, round, _) = answer(&asked);
            assert_eq!((key.as_str(), round), ("bash a", 1), "{path}");
        }
    }
}
