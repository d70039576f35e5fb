//! The private stream between a server and an attached terminal client: length-prefixed frames on
//! the connection that asked `Attach`. Control travels as JSON, what flows travels as bytes.
//!
//! Not here: the rows inside a screen frame (`screen`), sockets. This stream may change with every
//! version: client and server are always of one version, and say so when they are not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::ids::{ConnId, PaneId, TabId};
use crate::model::{Model, Pane};
use crate::refusal::Refusal;
use crate::request::{Request, Response};

/// Client and server must agree on this number.
pub const STREAM: u32 = 1;
/// The longest frame, in bytes, without its length prefix.
pub const FRAME_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Verb `Attach`: this terminal wants to show the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attach {
    /// [`STREAM`].
    pub stream: u32,
    /// Cells there are for panes and their frames.
    pub area: Area,
    /// The workspace to show, by name; it is made when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The tab to show: a client that comes back after a restart names the one it showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab: Option<TabId>,
    /// The folder a new workspace starts in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What the outer terminal said of itself.
    #[serde(default)]
    pub outer: Outer,
}

/// Columns and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Area {
    /// Columns.
    pub cols: u16,
    /// Rows.
    pub rows: u16,
}

/// What the outer terminal said of itself; programs in panes are answered with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outer {
    /// Its foreground colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreground: Option<[u8; 3]>,
    /// Its background colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<[u8; 3]>,
    /// Its cursor's colour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<[u8; 3]>,
    /// Entries of its palette.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub palette: Vec<(u8, [u8; 3])>,
    /// The size of a cell in pixels, width and height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_pixels: Option<[u16; 2]>,
}

/// The answer to `Attach`; frames follow it on the connection, both ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attached {
    /// This client's number.
    pub client: ConnId,
    /// `kraal 0.1.0`.
    pub app: String,
    /// The environment's name.
    pub environment: String,
    /// The environment's life.
    pub boot: String,
}

/// From a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FromClient {
    /// A request, like anyone else's.
    Ask {
        /// Echoed in the answer.
        id: u64,
        /// What is asked.
        request: Request,
    },
    /// The room for panes changed.
    Area(Area),
    /// The outer terminal gained or lost the focus.
    Focus(bool),
    /// What the outer terminal said of itself.
    Outer(Outer),
    /// The outer terminal's theme turned dark or light.
    Dark(bool),
    /// Shows a pane scrolled up by this many rows; 0 follows the output again.
    Scroll {
        /// The pane.
        pane: PaneId,
        /// Rows above the live screen.
        offset: u32,
    },
    /// Something the mouse did in a pane, in its cells.
    Mouse {
        /// The pane.
        pane: PaneId,
        /// What.
        event: Mouse,
    },
}

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mouse {
    /// Pressed, released, moved, turned.
    pub kind: MouseKind,
    /// Column, 0-based.
    pub x: u16,
    /// Row, 0-based.
    pub y: u16,
    /// Shift 1, alt 2, ctrl 4.
    pub mods: u8,
}

/// The kinds of mouse events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MouseKind {
    /// A button went down: 0 left, 1 middle, 2 right, 8 to 11 the side buttons.
    Press(u8),
    /// A button went up.
    Release(u8),
    /// Moved with this button down.
    Drag(u8),
    /// Moved with none.
    Move,
    /// The wheel, up.
    WheelUp,
    /// The wheel, down.
    WheelDown,
    /// The wheel, left.
    WheelLeft,
    /// The wheel, right.
    WheelRight,
}

/// To a client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToClient {
    /// All facts.
    Facts(Model),
    /// The facts of one pane changed.
    Pane(Pane),
    /// What this client shows: a tab.
    View {
        /// The tab.
        tab: TabId,
    },
    /// The answer to an `Ask`.
    Answer {
        /// The asker's.
        id: u64,
        /// How it went.
        answer: Result<Response, Refusal>,
    },
    /// A notification for the outer terminal, cleaned of control characters.
    Notification {
        /// One line.
        title: String,
        /// More.
        body: String,
        /// The pane a click goes to.
        pane: Option<PaneId>,
    },
    /// One sentence for the bottom bar.
    Say(String),
    /// The configuration was read again.
    Config(Box<Config>),
    /// A program set the clipboard (OSC 52).
    Clipboard {
        /// `c`, `p`, …
        selection: String,
        /// The text.
        data: Vec<u8>,
    },
    /// A program in a shown pane rang the bell.
    Bell,
    /// The stream ends.
    Bye(Bye),
}

/// Why a stream ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bye {
    /// The session ended.
    Killed,
    /// The last pane closed, and with it the session.
    Empty,
    /// The server starts again: come back.
    Restarting,
    /// Something else, in one sentence.
    Because(String),
}

/// The kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// [`FromClient`] or [`ToClient`] as JSON.
    Control = 1,
    /// Rows of a pane (`screen`), to a client.
    Screen = 2,
    /// Keys for a pane, from a client: the pane's id, then canonical key bytes.
    Keys = 3,
    /// A part of a paste for a pane, from a client: the pane's id, a [`Part`], then bytes.
    Paste = 4,
}

impl Kind {
    fn of(byte: u8) -> Option<Kind> {
        [Kind::Control, Kind::Screen, Kind::Keys, Kind::Paste].into_iter().find(|k| *k as u8 == byte)
    }
}

/// Which part of a paste a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// The first of several.
    First = 0,
    /// Neither first nor last.
    Middle = 1,
    /// The last of several.
    Last = 2,
    /// All of it.
    Whole = 3,
}

impl Part {
    /// The part of a byte on the wire.
    pub fn of(byte: u8) -> Option<Part> {
        [Part::First, Part::Middle, Part::Last, Part::Whole].into_iter().find(|p| *p as u8 == byte)
    }

    /// Whether a paste begins with it.
    pub fn begins(self) -> bool {
        matches!(self, Part::First | Part::Whole)
    }

    /// Whether a paste ends with it.
    pub fn ends(self) -> bool {
        matches!(self, Part::Last | Part::Whole)
    }
}

/// Appends a frame whose payload `fill` writes.
pub fn frame(out: &mut Vec<u8>, kind: Kind, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.push(kind as u8);
    fill(out);
    let length = u32::try_from(out.len() - start - 4).expect("frames are far below 4 GiB");
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Appends a control frame.
pub fn control(out: &mut Vec<u8>, message: &impl Serialize) {
    frame(out, Kind::Control, |out| {
        serde_json::to_writer(out, message).expect("our own types have string keys");
    });
}

/// Appends a frame of keys.
pub fn keys(out: &mut Vec<u8>, pane: PaneId, canonical: &[u8]) {
    frame(out, Kind::Keys, |out| {
        out.extend_from_slice(&pane.0.to_le_bytes());
        out.extend_from_slice(canonical);
    });
}

/// Appends a frame of a paste.
pub fn paste(out: &mut Vec<u8>, pane: PaneId, part: Part, bytes: &[u8]) {
    frame(out, Kind::Paste, |out| {
        out.extend_from_slice(&pane.0.to_le_bytes());
        out.push(part as u8);
        out.extend_from_slice(bytes);
    });
}

/// A frame as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Its kind; None is one this version does not know, to be skipped.
    pub kind: Option<Kind>,
    /// What it holds.
    pub payload: &'a [u8],
    /// Bytes it takes in the stream.
    pub taken: usize,
}

/// The frame at the start of `bytes`, when all of it is there.
///
/// # Errors
///
/// A length that no frame of ours has: the stream cannot be trusted any more.
pub fn next(bytes: &[u8]) -> Result<Option<Frame<'_>>, TooLong> {
    let Some(prefix) = bytes.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(*prefix) as usize;
    if length == 0 || length > FRAME_BYTES_MAX {
        return Err(TooLong(length));
    }
    Ok(bytes.get(4..4 + length).map(|body| Frame {
        kind: Kind::of(body[0]),
        payload: &body[1..],
        taken: 4 + length,
    }))
}

/// A frame of this many bytes is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong(pub usize);

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a frame of {} bytes is none of ours: client and server are of different versions", self.0)
    }
}

impl std::error::Error for TooLong {}

/// Splits the payload of a keys frame.
pub fn read_keys(payload: &[u8]) -> Option<(PaneId, &[u8])> {
    let (id, rest) = payload.split_first_chunk::<8>()?;
    Some((PaneId(u64::from_le_bytes(*id)), rest))
}

/// Splits the payload of a paste frame.
pub fn read_paste(payload: &[u8]) -> Option<(PaneId, Part, &[u8])> {
    let (pane, rest) = read_keys(payload)?;
    let (part, bytes) = rest.split_first()?;
    Some((pane, Part::of(*part)?, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_from_any_split() {
        let mut wire = Vec::new();
        control(&mut wire, &FromClient::Focus(true));
        keys(&mut wire, PaneId(7), b"abc");
        paste(&mut wire, PaneId(9), Part::Whole, b"text");
        let mut kinds = Vec::new();
        let mut have = Vec::new();
        for byte in &wire {
            have.push(*byte);
            while let Some(frame) = next(&have).expect("well formed") {
                kinds.push(frame.kind);
                match frame.kind {
                    Some(Kind::Keys) => assert_eq!(read_keys(frame.payload), Some((PaneId(7), &b"abc"[..]))),
                    Some(Kind::Paste) => {
                        assert_eq!(read_paste(frame.payload), Some((PaneId(9), Part::Whole, &b"text"[..])));
                    }
                    _ => assert_eq!(
                        serde_json::from_slice::<FromClient>(frame.payload).ok(),
                        Some(FromClient::Focus(true))
                    ),
                }
                let taken = frame.taken;
                have.drain(..taken);
            }
        }
        assert_eq!(kinds, [Some(Kind::Control), Some(Kind::Keys), Some(Kind::Paste)]);
        assert!(next(&[0, 0, 0, 0, 1]).is_err());
        assert!(next(&[255, 255, 255, 255, 1]).is_err());
    }
}
