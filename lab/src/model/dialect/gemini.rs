//! Google's generateContent, as Gemini CLI speaks it.
//!
//! Not here: images, several candidates.

use serde_json::{Value, json};

use super::{Asked, Call, Dialect, Frame, Said, Speech, Tool, items, text_of, word};

/// An answer being told.
pub(super) struct Gemini {
    /// The path asked for pieces.
    pub(super) streamed: bool,
}

fn document(parts: Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({
        "candidates": [candidate], "modelVersion": "lab-model", "responseId": format!("lab-{}", super::super::number()),
        "usageMetadata": {"promptTokenCount": 6000, "candidatesTokenCount": 12, "totalTokenCount": 6012},
    })
}

fn frame(parts: Value, finish: Option<&str>) -> Vec<Frame> {
    vec![(None, document(parts, finish).to_string())]
}

fn called(call: &Call) -> Value {
    let id = format!("lab-{}", super::super::number());
    json!({"functionCall": {"name": call.tool.name, "args": call.arguments, "id": id}})
}

impl Dialect for Gemini {
    fn read(&self, body: &Value) -> Asked {
        let tools = items(&body["tools"])
            .flat_map(|group| items(&group["functionDeclarations"]))
            .map(|tool| Tool {
                name: word(&tool["name"]).to_owned(),
                schema: tool.get("parametersJsonSchema").unwrap_or(&tool["parameters"]).clone(),
                ..Tool::default()
            })
            .collect();
        let mut said = Vec::new();
        for content in items(&body["contents"]) {
            let parts = &content["parts"];
            let text = text_of(parts);
            if content["role"] == "model" {
                let called = items(parts).any(|part| part.get("functionCall").is_some());
                said.push(if called { Said::Call } else { Said::Answer });
                continue;
            }
            if items(parts).any(|part| part.get("functionResponse").is_some()) {
                said.push(Said::Result);
            }
            if !text.trim().is_empty() {
                said.push(Said::User(text));
            }
        }
        let system = text_of(&body["systemInstruction"]["parts"]);
        Asked { system, tools, said, stream: self.streamed }
    }

    fn begin(&mut self) -> Vec<Frame> {
        Vec::new()
    }

    fn thought(&mut self, piece: &str) -> Vec<Frame> {
        frame(json!([{"text": format!("**Lab**\n\n{piece}"), "thought": true}]), None)
    }

    fn text(&mut self, piece: &str) -> Vec<Frame> {
        frame(json!([{"text": piece}]), None)
    }

    fn call(&mut self, call: &Call) -> Vec<Frame> {
        frame(json!([called(call)]), None)
    }

    fn end(&mut self) -> Vec<Frame> {
        frame(json!([{"text": ""}]), Some("STOP"))
    }

    fn whole(&self, speech: &Speech) -> Value {
        let mut parts = vec![json!({"text": speech.text})];
        parts.extend(speech.calls.iter().map(called));
        document(Value::Array(parts), Some("STOP"))
    }

    fn fail(&self, status: u16, limit: bool) -> Value {
        let (kind, message) = match (limit, status) {
            (true, _) => {
                ("RESOURCE_EXHAUSTED", "You have exhausted your daily quota on this model.".to_owned())
            }
            (false, 400) => ("INVALID_ARGUMENT", format!("Lab error {status}")),
            (false, _) => ("INTERNAL", format!("Lab error {status}")),
        };
        json!({"error": {"code": status, "status": kind, "message": message}})
    }
}
