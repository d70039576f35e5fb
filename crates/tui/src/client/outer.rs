//! The outer terminal: what it is asked at the start, what it answered, and how it is told things
//! that are no cells: titles, notifications, the clipboard, modes.
//!
//! Not here: the tty (`app`), cells (`paint`).

use base64::Engine as _;
use kraal_api::PaneId;
use kraal_api::screen::MouseWish;
use kraal_api::stream;
use kraal_term::keys::Reply;

use crate::paint::{Caps, Extra};
use crate::text;

/// What is known of the outer terminal, and what was changed in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outer {
    facts: stream::Outer,
    caps: Caps,
    notifier: Notifier,
    keyboard: Keyboard,
    /// Whether it answered the last question: what it has not said by then, it will not.
    answered: bool,
    clusters: bool,
    motion: bool,
    title: Option<String>,
}

/// How keys are asked to be told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Keyboard {
    #[default]
    Plain,
    /// The kitty protocol's flags are pushed.
    Kitty,
    /// xterm's modifyOtherKeys is set.
    OtherKeys,
}

/// The sequence a terminal shows notifications for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Notifier {
    /// OSC 777, which most have.
    #[default]
    Osc777,
    /// OSC 9, iTerm2's.
    Osc9,
    /// OSC 99, kitty's.
    Osc99,
}

/// What changed by an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Learned {
    Nothing,
    /// Facts the server answers programs with.
    Facts,
    /// The theme.
    Dark(bool),
    /// The notification of this pane was clicked.
    Clicked(PaneId),
}

/// Disambiguate, event types, alternate keys: what a program in a pane may ask for, and what a
/// binding needs on any layout.
const KITTY_FLAGS: u8 = 1 | 2 | 4;

/// Whether the terminal is another's when it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It is: its title is kept for the end.
    Afresh,
    /// It was ours, and somebody changed its modes.
    Again,
}

/// Main screen kept, modes set, questions asked; the answer to the last one (DA1) says that no
/// other will come.
pub(crate) fn enter(caps: &Caps, entry: Entry) -> Vec<u8> {
    let mut out = Vec::new();
    if caps.modern == Extra::Present && entry == Entry::Afresh {
        out.extend_from_slice(b"\x1b[22;0t");
    }
    out.extend_from_slice(b"\x1b[?1049h\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h");
    if caps.modern == Extra::Present {
        out.extend_from_slice(b"\x1b[?2031h\x1b[?u\x1b[?2026$p\x1b[?2027$p\x1b[>0q\x1b[16t\x1b[?996n");
        out.extend_from_slice(b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b]12;?\x1b\\");
        for colour in 0..16 {
            out.extend_from_slice(format!("\x1b]4;{colour};?\x1b\\").as_bytes());
        }
    }
    out.extend_from_slice(b"\x1b[c");
    out
}

/// Everything taken back, in the order that leaves the terminal as it was.
pub(crate) fn leave(outer: &Outer) -> Vec<u8> {
    let mut out = b"\x1b[?2026l\x1b[0m".to_vec();
    let modern = outer.caps.modern == Extra::Present;
    match outer.keyboard {
        Keyboard::Kitty => out.extend_from_slice(b"\x1b[<u"),
        Keyboard::OtherKeys => out.extend_from_slice(b"\x1b[>4m"),
        Keyboard::Plain => {}
    }
    if outer.clusters {
        out.extend_from_slice(b"\x1b[?2027l");
    }
    out.extend_from_slice(b"\x1b[?1003l\x1b[?1002l\x1b[?1006l\x1b[?1004l\x1b[?2004l");
    if modern {
        out.extend_from_slice(b"\x1b[?2031l\x1b]8;;\x1b\\\x1b[0 q");
    }
    out.extend_from_slice(b"\x1b[?25h\x1b[?1049l");
    if modern {
        out.extend_from_slice(b"\x1b[23;0t");
    }
    out
}

impl Outer {
    /// A terminal of which only this is known.
    pub(crate) fn new(caps: Caps) -> Self {
        Outer { caps, ..Outer::default() }
    }

    /// What programs in panes are answered with.
    pub(crate) fn facts(&self) -> &stream::Outer {
        &self.facts
    }

    /// What it can do.
    pub(crate) fn caps(&self) -> &Caps {
        &self.caps
    }

    /// Whether it answered the last question.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered
    }

    /// It is asked everything again; what it cannot do has not changed.
    pub(super) fn entered_again(&mut self) {
        *self =
            Outer { facts: self.facts.clone(), caps: self.caps, notifier: self.notifier, ..Outer::default() };
    }

    /// Takes an answer; may set a mode the answer promised.
    pub(super) fn reply(&mut self, reply: Reply, write: &mut Vec<u8>) -> Learned {
        let before = self.facts.clone();
        let rgb = |c: kraal_term::Rgb| [c.0, c.1, c.2];
        match reply {
            Reply::Foreground(c) => self.facts.foreground = Some(rgb(c)),
            Reply::Background(c) => self.facts.background = Some(rgb(c)),
            Reply::CursorColour(c) => self.facts.cursor = Some(rgb(c)),
            Reply::Palette(index, c) => {
                self.facts.palette.retain(|(i, _)| *i != index);
                self.facts.palette.push((index, rgb(c)));
            }
            Reply::CellPixels(w, h) if w > 0 && h > 0 => self.facts.cell_pixels = Some([w, h]),
            Reply::Mode { mode, private: true, value } => self.mode(mode, value, write),
            Reply::KittyFlags(_) if self.keyboard != Keyboard::Kitty => {
                self.keyboard = Keyboard::Kitty;
                write.extend_from_slice(format!("\x1b[>{KITTY_FLAGS}u").as_bytes());
            }
            Reply::Version(name) => self.notifier = Notifier::of(&name),
            Reply::ColourScheme { dark } => return Learned::Dark(dark),
            Reply::Osc(99, said) => return clicked(&said).map_or(Learned::Nothing, Learned::Clicked),
            Reply::PrimaryAttributes(_) => {
                self.all_answered(write);
                return if self.facts == stream::Outer::default() {
                    Learned::Nothing
                } else {
                    Learned::Facts
                };
            }
            _ => {}
        }
        if self.answered && self.facts != before { Learned::Facts } else { Learned::Nothing }
    }

    fn mode(&mut self, mode: u32, value: u8, write: &mut Vec<u8>) {
        let has = matches!(value, 1..=3);
        match mode {
            2026 if has => self.caps.sync = Extra::Present,
            // Off, and can be set: widths by cluster, as the grid has them.
            2027 if value == 2 && !self.clusters => {
                self.clusters = true;
                write.extend_from_slice(b"\x1b[?2027h");
            }
            _ => {}
        }
    }

    fn all_answered(&mut self, write: &mut Vec<u8>) {
        if std::mem::replace(&mut self.answered, true) {
            return;
        }
        if self.keyboard == Keyboard::Plain && self.caps.modern == Extra::Present {
            self.keyboard = Keyboard::OtherKeys;
            write.extend_from_slice(b"\x1b[>4;1m");
        }
    }

    /// Whether the outer terminal tells when a key goes up.
    pub(super) fn tells_releases(&self) -> bool {
        self.keyboard == Keyboard::Kitty
    }

    /// Names the window after the workspace.
    pub(super) fn title(&mut self, workspace: Option<&str>, session: &str, write: &mut Vec<u8>) {
        let title = match workspace {
            Some(workspace) => format!("{} - kraal", text::clean(workspace)),
            None => format!("{} - kraal", text::clean(session)),
        };
        if self.caps.modern == Extra::Present && self.title.as_ref() != Some(&title) {
            write.extend_from_slice(format!("\x1b]2;{title}\x1b\\").as_bytes());
            self.title = Some(title);
        }
    }

    /// Asks for all motion only while the focused pane's program wants it.
    pub(super) fn motion(&mut self, wish: MouseWish, write: &mut Vec<u8>) {
        let wants = wish == MouseWish::Motion;
        if wants != self.motion {
            self.motion = wants;
            // Resetting 1003 ends all reporting in some terminals: 1002 is set again.
            write.extend_from_slice(if wants { b"\x1b[?1003h" } else { b"\x1b[?1003l\x1b[?1002h" });
        }
    }

    /// Shows a notification of the desktop. A click on it is told where the terminal can (OSC 99).
    pub(super) fn notify(&self, (title, body): (&str, &str), pane: Option<PaneId>, write: &mut Vec<u8>) {
        // A semicolon parts the fields.
        let (title, body) = (text::clean(title).replace(';', ","), text::clean(body));
        let sequence = match self.notifier {
            _ if self.caps.modern == Extra::Missing => return,
            Notifier::Osc777 => format!("\x1b]777;notify;{title};{body}\x1b\\"),
            Notifier::Osc9 if body.is_empty() => format!("\x1b]9;{title}\x1b\\"),
            Notifier::Osc9 => format!("\x1b]9;{title}: {body}\x1b\\"),
            Notifier::Osc99 => {
                // Always the same name for a pane: a newer one takes the older one's place.
                let name = pane.map_or_else(|| "kraal".to_owned(), |pane| format!("{CLICKED}{pane}"));
                format!("\x1b]99;i={name}:d=0:a=report;{title}\x1b\\\x1b]99;i={name}:p=body;{body}\x1b\\")
            }
        };
        write.extend_from_slice(sequence.as_bytes());
    }

    /// Sets the clipboard.
    pub(super) fn clipboard(&self, selection: &str, data: &[u8], write: &mut Vec<u8>) {
        let selection: String =
            selection.chars().filter(|c| matches!(c, 'c' | 'p' | 'q' | 's' | '0'..='7')).collect();
        let data = base64::engine::general_purpose::STANDARD.encode(data);
        if self.caps.modern == Extra::Present {
            write.extend_from_slice(format!("\x1b]52;{selection};{data}\x1b\\").as_bytes());
        }
    }
}

/// What the name of a pane's notification begins with.
const CLICKED: &str = "kraal-";

/// The pane whose notification was clicked: `i=kraal-12;`. A closed one has `p=close`.
fn clicked(said: &str) -> Option<PaneId> {
    let (fields, _) = said.split_once(';')?;
    let mut fields = fields.split(':');
    let name = fields.clone().find_map(|field| field.strip_prefix("i="))?;
    let other = fields.any(|field| field.starts_with("p="));
    name.strip_prefix(CLICKED).filter(|_| !other)?.parse().ok().map(PaneId)
}

impl Notifier {
    /// By the name XTVERSION answers: seen `kitty(0.43.1)`, `iTerm2 3.5.14`; WezTerm, Ghostty,
    /// foot and the rest take OSC 777.
    fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if name.starts_with("kitty") {
            Notifier::Osc99
        } else if name.starts_with("iterm") {
            Notifier::Osc9
        } else {
            Notifier::Osc777
        }
    }
}
