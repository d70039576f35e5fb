//! Device control strings: DECRQSS and XTGETTCAP. Not here: images; sixel and any other
//! string is dropped.

use crate::face::{CursorShape, Modes};
use crate::handler::Handler;
use crate::sgr;
use std::fmt::Write;

/// Capabilities told by name: terminfo's or termcap's. An empty value is a flag.
const CAPABILITIES: &[(&str, &str)] = &[
    ("TN", "xterm-256color"),
    ("name", "xterm-256color"),
    ("Co", "256"),
    ("colors", "256"),
    ("RGB", "8"),
    ("Tc", ""),
    ("Su", ""),
    ("XT", ""),
    ("bce", ""),
    ("am", ""),
    ("Smulx", "\x1b[4:%p1%dm"),
    ("Setulc", "\x1b[58:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"),
    ("setrgbf", "\x1b[38:2:%p1%d:%p2%d:%p3%dm"),
    ("setrgbb", "\x1b[48:2:%p1%d:%p2%d:%p3%dm"),
    ("Ms", "\x1b]52;%p1%s;%p2%s\x1b\\"),
    ("Ss", "\x1b[%p1%d q"),
    ("Se", "\x1b[2 q"),
    ("Sync", "\x1b[?2026%?%p1%{1}%-%tl%eh%;"),
    ("BD", "\x1b[?2004l"),
    ("BE", "\x1b[?2004h"),
    ("PS", "\x1b[200~"),
    ("PE", "\x1b[201~"),
    ("fe", "\x1b[?1004h"),
    ("fd", "\x1b[?1004l"),
    ("kcuu1", "\x1bOA"),
    ("kcud1", "\x1bOB"),
    ("kcuf1", "\x1bOC"),
    ("kcub1", "\x1bOD"),
    ("khome", "\x1bOH"),
    ("kend", "\x1bOF"),
    ("kbs", "\x7f"),
    ("kdch1", "\x1b[3~"),
];

/// Names answered of one XTGETTCAP.
const MAX_NAMES: usize = 64;

impl Handler<'_> {
    /// One DCS, from after `ESC P`.
    pub(crate) fn dcs(&mut self, payload: &[u8]) {
        self.m.grid.close_cluster();
        if let Some(what) = payload.strip_prefix(b"$q") {
            self.setting(what);
        } else if let Some(names) = payload.strip_prefix(b"+q") {
            names.split(|b| *b == b';').take(MAX_NAMES).for_each(|name| self.capability(name));
        }
    }

    /// DECRQSS.
    fn setting(&mut self, what: &[u8]) {
        let grid = &self.m.grid;
        let m = grid.margins;
        let answer = match what {
            b"m" => sgr::numbers(&grid.pen.style(), true) + "m",
            b"r" => format!("{};{}r", m.top + 1, m.bottom + 1),
            b"s" => format!("{};{}s", m.left + 1, m.right + 1),
            b" q" => format!("{} q", self.cursor_number()),
            b"\"q" => format!("{}\"q", u8::from(grid.pen.protected())),
            b"\"p" => "64;1\"p".to_owned(),
            b"t" => format!("{}t", grid.rows()),
            b"$|" => format!("{}$|", grid.cols()),
            b"*|" => format!("{}*|", grid.rows()),
            _ => return self.reply("\x1bP0$r\x1b\\"),
        };
        self.reply(format!("\x1bP1$r{answer}\x1b\\"));
    }

    fn cursor_number(&self) -> u8 {
        let steady = u8::from(!self.m.grid.modes.contains(Modes::CURSOR_BLINK));
        let blinking = match self.m.look.shape {
            CursorShape::Block => 1,
            CursorShape::Underline => 3,
            CursorShape::Bar => 5,
        };
        blinking + steady
    }

    /// XTGETTCAP for one name in hexadecimal.
    fn capability(&mut self, hex: &[u8]) {
        let known = from_hex(hex).and_then(|name| CAPABILITIES.iter().find(|(n, _)| n.as_bytes() == name));
        let shown: String = hex.iter().filter(|b| b.is_ascii_hexdigit()).map(|b| *b as char).collect();
        match known {
            Some((_, "")) => self.reply(format!("\x1bP1+r{shown}\x1b\\")),
            Some((_, value)) => self.reply(format!("\x1bP1+r{shown}={}\x1b\\", to_hex(value))),
            None => self.reply(format!("\x1bP0+r{shown}\x1b\\")),
        }
    }
}

fn from_hex(hex: &[u8]) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    hex.chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

fn to_hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, b| {
        let _ = write!(out, "{b:02X}");
        out
    })
}
