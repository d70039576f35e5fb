//! Its hooks: a command of the user's that is run at each event with a payload on its standard
//! input, as real agents have them. As with some of those, breaking off a turn and refusing a
//! permission run none.
//!
//! And its own folder, where `SAMPLE_HOME` names one: a live file that says what it does, and a
//! transcript once there is something to keep.
//!
//! Not here: what listens to them.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The user's command and the conversation it is told of.
pub(super) struct Hooks {
    command: Option<String>,
    conversation: String,
    folder: Option<PathBuf>,
}

impl Hooks {
    pub(super) fn new(command: Option<String>, resumed: Option<&str>) -> Self {
        let conversation = resumed.map_or_else(|| format!("sample-{}", std::process::id()), str::to_owned);
        let folder = std::env::var_os("SAMPLE_HOME").map(PathBuf::from);
        Hooks { command, conversation, folder }
    }

    /// Writes the live file, whole or not at all.
    pub(super) fn live(&self, state: &str) {
        let Some(folder) = &self.folder else { return };
        let said = json!({ "state": state, "conversation": self.conversation });
        let file = folder.join("live").join(format!("{}.json", std::process::id()));
        let new = file.with_extension("new");
        // Nobody has to be able to read it.
        let _ = std::fs::create_dir_all(folder.join("live"))
            .and_then(|()| std::fs::write(&new, said.to_string()))
            .and_then(|()| std::fs::rename(&new, &file));
    }

    /// Keeps the conversation, and takes the live file away at the end.
    pub(super) fn keep(&self, prompt: &str) {
        let Some(folder) = &self.folder else { return };
        let _ = std::fs::create_dir_all(folder.join("kept"))
            .and_then(|()| std::fs::write(folder.join("kept").join(&self.conversation), prompt));
    }

    /// Runs the command, with the event as its first argument, and waits for it.
    pub(super) fn fire(&self, event: &str, detail: Value) {
        let Some(command) = &self.command else { return };
        let mut payload = json!({ "conversation": self.conversation, "event": event });
        if let (Some(all), Value::Object(detail)) = (payload.as_object_mut(), detail) {
            all.extend(detail);
        }
        let mut run = Command::new("sh");
        run.args(["-c", command, "hook", event]);
        run.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let Ok(mut child) = run.spawn() else { return };
        if let Some(mut stdin) = child.stdin.take() {
            // A hook need not read what it is told.
            let _ = stdin.write_all(payload.to_string().as_bytes());
        }
        let _ = child.wait();
    }
}
