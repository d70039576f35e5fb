//! Anthropic's Messages, as Claude Code speaks them.
//!
//! Not here: thinking that is signed, images, caching.

use serde_json::{Value, json};

use super::{Asked, Call, Dialect, Frame, Said, Speech, Tool, items, kind, text_of, word};

/// An answer being told: the block that is open, and how many there were.
#[derive(Default)]
pub(super) struct Anthropic {
    open: Option<&'static str>,
    index: usize,
    called: bool,
}

const USAGE: &str = r#"{"input_tokens":1200,"cache_creation_input_tokens":0,"cache_read_input_tokens":4800,"output_tokens":12}"#;

fn usage() -> Value {
    serde_json::from_str(USAGE).unwrap_or_default()
}

fn frame(name: &'static str, mut data: Value) -> Frame {
    data["type"] = json!(name);
    (Some(name), data.to_string())
}

/// A prompt without what the program adds to it by itself.
fn unreminded(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = inside.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    kept + rest
}

impl Anthropic {
    fn close(&mut self) -> Vec<Frame> {
        if self.open.take().is_none() {
            return Vec::new();
        }
        self.index += 1;
        vec![frame("content_block_stop", json!({"index": self.index - 1}))]
    }

    fn open(&mut self, kind: &'static str, block: Value) -> Vec<Frame> {
        if self.open == Some(kind) {
            return Vec::new();
        }
        let mut frames = self.close();
        self.open = Some(kind);
        frames.push(frame("content_block_start", json!({"index": self.index, "content_block": block})));
        frames
    }

    fn delta(&self, delta: Value) -> Frame {
        frame("content_block_delta", json!({"index": self.index, "delta": delta}))
    }
}

impl Dialect for Anthropic {
    fn read(&self, body: &Value) -> Asked {
        let tools = items(&body["tools"])
            .map(|tool| Tool {
                name: word(tool.get("name").unwrap_or(&tool["type"])).to_owned(),
                schema: tool["input_schema"].clone(),
                ..Tool::default()
            })
            .collect();
        let mut said = Vec::new();
        for message in items(&body["messages"]) {
            let content = &message["content"];
            if message["role"] == "assistant" {
                let called = items(content).any(|block| block["type"] == "tool_use");
                said.push(if called { Said::Call } else { Said::Answer });
                continue;
            }
            match content {
                Value::String(text) => said.push(Said::User(text.clone())),
                _ => said.extend(items(content).filter_map(|block| {
                    match word(&block["type"]) {
                        "tool_result" => Some(Said::Result),
                        "text" => Some(unreminded(word(&block["text"])))
                            .filter(|text| !text.trim().is_empty())
                            .map(Said::User),
                        _ => None,
                    }
                })),
            }
        }
        Asked { system: text_of(&body["system"]), tools, said, stream: body["stream"] == true }
    }

    fn begin(&mut self) -> Vec<Frame> {
        let message = json!({
            "id": format!("msg_lab_{}", super::super::number()), "type": "message", "role": "assistant", "model": "lab-model", "content": [],
            "stop_reason": null, "stop_sequence": null, "usage": usage(),
        });
        vec![frame("message_start", json!({"message": message})), frame("ping", json!({}))]
    }

    fn thought(&mut self, piece: &str) -> Vec<Frame> {
        let mut frames = self.open("thinking", json!({"type": "thinking", "thinking": "", "signature": ""}));
        frames.push(self.delta(json!({"type": "thinking_delta", "thinking": piece})));
        frames
    }

    fn text(&mut self, piece: &str) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.open == Some("thinking") {
            frames.push(self.delta(json!({"type": "signature_delta", "signature": "bGFi"})));
        }
        frames.extend(self.open("text", json!({"type": "text", "text": ""})));
        frames.push(self.delta(json!({"type": "text_delta", "text": piece})));
        frames
    }

    fn call(&mut self, call: &Call) -> Vec<Frame> {
        let mut frames = self.close();
        let id = format!("toolu_lab_{}_{}", super::super::number(), self.index);
        let block = json!({"type": "tool_use", "id": id, "name": call.tool.name, "input": {}});
        frames.extend(self.open("tool", block));
        frames.push(
            self.delta(json!({"type": "input_json_delta", "partial_json": call.arguments.to_string()})),
        );
        frames.extend(self.close());
        self.called = true;
        frames
    }

    fn end(&mut self) -> Vec<Frame> {
        let mut frames = self.close();
        let reason = if self.called { "tool_use" } else { "end_turn" };
        let delta = json!({"stop_reason": reason, "stop_sequence": null});
        frames.push(frame("message_delta", json!({"delta": delta, "usage": usage()})));
        frames.push(frame("message_stop", json!({})));
        frames
    }

    fn whole(&self, speech: &Speech) -> Value {
        let mut content = vec![json!({"type": "text", "text": speech.text})];
        content.extend(speech.calls.iter().enumerate().map(|(at, call)| {
            let id = format!("toolu_lab_{}_{at}", super::super::number());
            json!({"type": "tool_use", "id": id, "name": call.tool.name, "input": call.arguments})
        }));
        json!({
            "id": format!("msg_lab_{}", super::super::number()), "type": "message", "role": "assistant", "model": "lab-model", "content": content,
            "stop_reason": if speech.calls.is_empty() { "end_turn" } else { "tool_use" },
            "stop_sequence": null, "usage": usage(),
        })
    }

    fn fail(&self, status: u16, limit: bool) -> Value {
        let message = if limit {
            "This request would exceed your account's rate limit. Please try again later.".to_owned()
        } else {
            format!("Lab error {status}")
        };
        json!({"type": "error", "error": {"type": kind(status), "message": message}})
    }
}
