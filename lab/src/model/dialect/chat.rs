//! OpenAI's Chat Completions, which most agents speak to a provider of one's own.
//!
//! Not here: several choices, images.

use serde_json::{Value, json};

use super::{Asked, Call, Dialect, Frame, Said, Speech, Tool, items, kind, text_of, word};

/// An answer being told.
pub(super) struct Chat {
    id: u64,
    calls: usize,
}

impl Default for Chat {
    fn default() -> Self {
        Chat { id: super::super::number(), calls: 0 }
    }
}

fn usage() -> Value {
    json!({"prompt_tokens": 6000, "completion_tokens": 12, "total_tokens": 6012})
}

impl Chat {
    fn document(&self, kind: &str, choices: Value) -> Value {
        json!({
            "id": format!("chatcmpl-lab-{}", self.id), "object": kind, "created": 1_700_000_000,
            "model": "lab-model", "choices": choices,
        })
    }

    fn chunk(&self, delta: Value, finish: Value) -> Frame {
        let choice = json!([{"index": 0, "delta": delta, "finish_reason": finish}]);
        (None, self.document("chat.completion.chunk", choice).to_string())
    }
}

fn called(call: &Call, index: usize) -> Value {
    json!({
        "index": index, "id": format!("call_lab_{}_{index}", super::super::number()), "type": "function",
        "function": {"name": call.tool.name, "arguments": call.arguments.to_string()},
    })
}

impl Dialect for Chat {
    fn read(&self, body: &Value) -> Asked {
        let tools = items(&body["tools"])
            .map(|tool| Tool {
                name: word(&tool["function"]["name"]).to_owned(),
                schema: tool["function"]["parameters"].clone(),
                ..Tool::default()
            })
            .collect();
        let (mut said, mut system) = (Vec::new(), String::new());
        for message in items(&body["messages"]) {
            let text = text_of(&message["content"]);
            match word(&message["role"]) {
                "system" | "developer" => system.push_str(&text),
                "assistant" if items(&message["tool_calls"]).next().is_some() => said.push(Said::Call),
                "assistant" => said.push(Said::Answer),
                "tool" => said.push(Said::Result),
                _ => said.push(Said::User(text)),
            }
        }
        Asked { system, tools, said, stream: body["stream"] == true }
    }

    fn begin(&mut self) -> Vec<Frame> {
        vec![self.chunk(json!({"role": "assistant", "content": ""}), Value::Null)]
    }

    fn thought(&mut self, piece: &str) -> Vec<Frame> {
        vec![self.chunk(json!({"reasoning_content": piece}), Value::Null)]
    }

    fn text(&mut self, piece: &str) -> Vec<Frame> {
        vec![self.chunk(json!({"content": piece}), Value::Null)]
    }

    fn call(&mut self, call: &Call) -> Vec<Frame> {
        let called = called(call, self.calls);
        self.calls += 1;
        vec![self.chunk(json!({"tool_calls": [called]}), Value::Null)]
    }

    fn end(&mut self) -> Vec<Frame> {
        let reason = if self.calls > 0 { "tool_calls" } else { "stop" };
        let mut last = self.document("chat.completion.chunk", json!([]));
        last["usage"] = usage();
        vec![self.chunk(json!({}), json!(reason)), (None, last.to_string()), (None, "[DONE]".to_owned())]
    }

    fn whole(&self, speech: &Speech) -> Value {
        let mut message = json!({"role": "assistant", "content": speech.text});
        let calls: Vec<Value> = speech.calls.iter().enumerate().map(|(at, call)| called(call, at)).collect();
        let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
        if !calls.is_empty() {
            message["tool_calls"] = Value::Array(calls);
        }
        let choices = json!([{"index": 0, "message": message, "finish_reason": reason}]);
        let mut document = self.document("chat.completion", choices);
        document["usage"] = usage();
        document
    }

    fn fail(&self, status: u16, limit: bool) -> Value {
        if limit {
            return json!({"error": {
                "type": "insufficient_quota", "code": "insufficient_quota",
                "message": "You exceeded your current quota, please check your plan and billing details.",
            }});
        }
        json!({"error": {"type": kind(status), "code": kind(status), "message": format!("Lab error {status}")}})
    }
}
