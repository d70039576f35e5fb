//! OpenAI's Responses, as Codex speaks them.
//!
//! Not here: a conversation that the provider keeps, tools that it runs itself.

use serde_json::{Value, json};

use super::{Asked, Call, Dialect, Frame, Said, Speech, Tool, items, kind, text_of, word};

/// An answer being told: what is open, what was told.
pub(super) struct Responses {
    id: u64,
    number: usize,
    told: Vec<Value>,
    open: Option<(Item, String)>,
}

impl Default for Responses {
    fn default() -> Self {
        Responses { id: super::super::number(), number: 0, told: Vec::new(), open: None }
    }
}

/// An item that is told in pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    Thought,
    Text,
}

fn usage() -> Value {
    json!({
        "input_tokens": 6000, "input_tokens_details": {"cached_tokens": 4800}, "output_tokens": 12,
        "output_tokens_details": {"reasoning_tokens": 4}, "total_tokens": 6012,
    })
}

fn response(id: u64, status: &str, output: &[Value], usage: Value) -> Value {
    json!({
        "id": format!("resp_lab_{id}"), "object": "response", "created_at": 1_700_000_000, "model": "lab-model",
        "status": status, "output": output, "usage": usage,
    })
}

fn message(id: u64, text: &str) -> Value {
    json!({
        "type": "message", "id": format!("msg_lab_{id}"), "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    })
}

fn reasoning(id: u64, text: &str) -> Value {
    json!({
        "type": "reasoning", "id": format!("rs_lab_{id}"), "encrypted_content": "bGFi",
        "summary": [{"type": "summary_text", "text": text}],
    })
}

fn called(call: &Call) -> Value {
    let number = super::super::number();
    let mut item = json!({
        "id": format!("fc_lab_{number}"), "call_id": format!("call_lab_{number}"), "name": call.tool.name,
        "status": "completed",
    });
    match &call.arguments {
        Value::String(text) => {
            item["type"] = json!("custom_tool_call");
            item["input"] = json!(text);
        }
        arguments => {
            item["type"] = json!("function_call");
            item["arguments"] = json!(arguments.to_string());
        }
    }
    if let Some(namespace) = &call.tool.namespace {
        item["namespace"] = json!(namespace);
    }
    item
}

impl Responses {
    fn item(&self, item: Item) -> String {
        match item {
            Item::Thought => format!("rs_lab_{}", self.id),
            Item::Text => format!("msg_lab_{}", self.id),
        }
    }

    fn frame(&mut self, name: &'static str, mut data: Value) -> Frame {
        data["type"] = json!(name);
        data["sequence_number"] = json!(self.number);
        self.number += 1;
        (Some(name), data.to_string())
    }

    fn close(&mut self) -> Vec<Frame> {
        let Some((item, text)) = self.open.take() else { return Vec::new() };
        let index = self.told.len();
        let mut frames = Vec::new();
        let done = match item {
            Item::Thought => {
                let at = json!({"item_id": self.item(Item::Thought), "output_index": index, "summary_index": 0, "text": text});
                frames.push(self.frame("response.reasoning_summary_text.done", at));
                reasoning(self.id, &text)
            }
            Item::Text => {
                let at = json!({"item_id": self.item(Item::Text), "output_index": index, "content_index": 0, "text": text});
                frames.push(self.frame("response.output_text.done", at));
                message(self.id, &text)
            }
        };
        frames.extend(self.done(done));
        frames
    }

    fn done(&mut self, item: Value) -> Vec<Frame> {
        let frame = json!({"output_index": self.told.len(), "item": item});
        self.told.push(item);
        vec![self.frame("response.output_item.done", frame)]
    }

    /// Opens an item unless it is the one that is open.
    fn open(&mut self, item: Item) -> Vec<Frame> {
        if self.open.as_ref().is_some_and(|(open, _)| *open == item) {
            return Vec::new();
        }
        let mut frames = self.close();
        let index = self.told.len();
        match item {
            Item::Thought => {
                let empty = json!({"type": "reasoning", "id": self.item(Item::Thought), "summary": []});
                frames.push(
                    self.frame("response.output_item.added", json!({"output_index": index, "item": empty})),
                );
                let part = json!({
                    "item_id": self.item(Item::Thought), "output_index": index, "summary_index": 0,
                    "part": {"type": "summary_text", "text": ""},
                });
                frames.push(self.frame("response.reasoning_summary_part.added", part));
            }
            Item::Text => {
                let mut empty = message(self.id, "");
                empty["status"] = json!("in_progress");
                empty["content"] = json!([]);
                frames.push(
                    self.frame("response.output_item.added", json!({"output_index": index, "item": empty})),
                );
                let part = json!({
                    "item_id": self.item(Item::Text), "output_index": index, "content_index": 0,
                    "part": {"type": "output_text", "text": "", "annotations": []},
                });
                frames.push(self.frame("response.content_part.added", part));
            }
        }
        self.open = Some((item, String::new()));
        frames
    }

    fn piece(&mut self, item: Item, piece: &str) -> Vec<Frame> {
        let mut frames = self.open(item);
        if let Some((_, text)) = &mut self.open {
            text.push_str(piece);
        }
        let index = self.told.len();
        let frame = match item {
            Item::Thought => {
                let at = json!({"item_id": self.item(Item::Thought), "output_index": index, "summary_index": 0, "delta": piece});
                self.frame("response.reasoning_summary_text.delta", at)
            }
            Item::Text => {
                let at = json!({"item_id": self.item(Item::Text), "output_index": index, "content_index": 0, "delta": piece});
                self.frame("response.output_text.delta", at)
            }
        };
        frames.push(frame);
        frames
    }
}

impl Dialect for Responses {
    fn read(&self, body: &Value) -> Asked {
        let mut tools = Vec::new();
        for tool in items(&body["tools"]) {
            if tool["type"] == "namespace" {
                let space = tool["name"].as_str();
                tools.extend(items(&tool["tools"]).map(|inner| read_tool(inner, space)));
            } else {
                tools.push(read_tool(tool, None));
            }
        }
        let mut said = Vec::new();
        if let Some(text) = body["input"].as_str() {
            said.push(Said::User(text.to_owned()));
        }
        for item in items(&body["input"]) {
            match item["type"].as_str().unwrap_or("message") {
                "message" if item["role"] == "assistant" => said.push(Said::Answer),
                "message" if item["role"] == "user" => said.push(Said::User(text_of(&item["content"]))),
                "function_call" | "custom_tool_call" | "local_shell_call" => {
                    // The words before a call belong to it.
                    if said.last() == Some(&Said::Answer) {
                        said.pop();
                    }
                    if said.last() != Some(&Said::Call) {
                        said.push(Said::Call);
                    }
                }
                kind if kind.ends_with("_output") => said.push(Said::Result),
                _ => {}
            }
        }
        let system = word(&body["instructions"]).to_owned();
        Asked { system, tools, said, stream: body["stream"] == true }
    }

    fn begin(&mut self) -> Vec<Frame> {
        let response = json!({"response": response(self.id, "in_progress", &[], Value::Null)});
        vec![self.frame("response.created", response.clone()), self.frame("response.in_progress", response)]
    }

    fn thought(&mut self, piece: &str) -> Vec<Frame> {
        self.piece(Item::Thought, piece)
    }

    fn text(&mut self, piece: &str) -> Vec<Frame> {
        self.piece(Item::Text, piece)
    }

    fn call(&mut self, call: &Call) -> Vec<Frame> {
        let mut frames = self.close();
        let item = called(call);
        let index = self.told.len();
        frames.push(self.frame("response.output_item.added", json!({"output_index": index, "item": item})));
        frames.extend(self.done(item));
        frames
    }

    fn end(&mut self) -> Vec<Frame> {
        let mut frames = self.close();
        let response = response(self.id, "completed", &self.told, usage());
        frames.push(self.frame("response.completed", json!({"response": response})));
        frames
    }

    fn whole(&self, speech: &Speech) -> Value {
        let mut output = vec![message(self.id, &speech.text)];
        output.extend(speech.calls.iter().map(called));
        response(self.id, "completed", &output, usage())
    }

    fn fail(&self, status: u16, limit: bool) -> Value {
        if limit {
            return json!({"error": {
                "type": "usage_limit_reached", "message": "The usage limit has been reached",
                "plan_type": "plus", "resets_in_seconds": 7200,
            }});
        }
        json!({"error": {"type": kind(status), "code": kind(status), "message": format!("Lab error {status}")}})
    }
}

fn read_tool(tool: &Value, namespace: Option<&str>) -> Tool {
    Tool {
        name: word(tool.get("name").unwrap_or(&tool["type"])).to_owned(),
        schema: tool["parameters"].clone(),
        freeform: tool["type"] == "custom",
        namespace: namespace.map(str::to_owned),
    }
}
