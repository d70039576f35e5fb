//! Answers to what a program asks: attributes, version, status, cursor, sizes.
//! Not here: answers about modes (`modes`), colours (`osc::colour`) and settings (`dcs`).

use crate::face::Modes;
use crate::handler::Handler;

impl Handler<'_> {
    /// DA1: a VT420 with selective erase, horizontal scrolling, colour and clipboard.
    pub(crate) fn primary_attributes(&mut self) {
        self.reply("\x1b[?64;6;21;22;52c");
    }

    /// DA2: programs read the second number as xterm's patch level and switch on what it can do.
    pub(crate) fn secondary_attributes(&mut self) {
        self.reply("\x1b[>41;380;0c");
    }

    /// DA3: the unit's identifier, `KRAL` in hexadecimal.
    pub(crate) fn tertiary_attributes(&mut self) {
        self.reply("\x1bP!|4B52414C\x1b\\");
    }

    /// XTVERSION.
    pub(crate) fn version(&mut self) {
        let name = self.m.name.clone();
        self.reply(format!("\x1bP>|{name}\x1b\\"));
    }

    /// DECREQTPARM.
    pub(crate) fn terminal_parameters(&mut self, which: u16) {
        if which <= 1 {
            self.reply(format!("\x1b[{};1;1;128;128;1;0x", which + 2));
        }
    }

    /// DSR.
    pub(crate) fn status(&mut self, what: u16) {
        match what {
            5 => self.reply("\x1b[0n"),
            6 => {
                let (x, y) = self.m.grid.reported();
                self.reply(format!("\x1b[{};{}R", y + 1, x + 1));
            }
            _ => {}
        }
    }

    /// DSR with `?`.
    pub(crate) fn private_status(&mut self, what: u16) {
        match what {
            6 => {
                let (x, y) = self.m.grid.reported();
                self.reply(format!("\x1b[?{};{};1R", y + 1, x + 1));
            }
            // No printer, no user-defined keys, a North American keyboard, no locator, no macros.
            15 => self.reply("\x1b[?13n"),
            25 => self.reply("\x1b[?20n"),
            26 => self.reply("\x1b[?27;1;0;0n"),
            53 | 55 => self.reply("\x1b[?50n"),
            56 => self.reply("\x1b[?57;0n"),
            62 => self.reply("\x1b[0*{"),
            63 => self.reply("\x1bP0!~0000\x1b\\"),
            75 => self.reply("\x1b[?70n"),
            85 => self.reply("\x1b[?83n"),
            996 => self.report_scheme(),
            _ => {}
        }
    }

    /// The colour scheme, as asked or as pushed.
    pub(crate) fn report_scheme(&mut self) {
        let dark = self.m.extras.dark.unwrap_or_else(|| self.m.colours.dark());
        self.reply(if dark { "\x1b[?997;1n" } else { "\x1b[?997;2n" });
    }

    /// The report of mode 2048.
    pub(crate) fn report_resize(&mut self) {
        let (rows, cols) = (self.m.grid.rows(), self.m.grid.cols());
        let (w, h) = self.pixels();
        self.reply(format!("\x1b[48;{rows};{cols};{h};{w}t"));
    }

    fn pixels(&self) -> (usize, usize) {
        let (w, h) = self.m.cell_pixels;
        (self.m.grid.cols() * usize::from(w), self.m.grid.rows() * usize::from(h))
    }

    /// XTWINOPS questions.
    pub(crate) fn report_window(&mut self, what: u16) {
        let (rows, cols) = (self.m.grid.rows(), self.m.grid.cols());
        let (w, h) = self.pixels();
        let (cell_w, cell_h) = self.m.cell_pixels;
        match what {
            11 => self.reply("\x1b[1t"),
            13 => self.reply("\x1b[3;0;0t"),
            14 => self.reply(format!("\x1b[4;{h};{w}t")),
            15 => self.reply(format!("\x1b[5;{h};{w}t")),
            16 => self.reply(format!("\x1b[6;{cell_h};{cell_w}t")),
            18 => self.reply(format!("\x1b[8;{rows};{cols}t")),
            19 => self.reply(format!("\x1b[9;{rows};{cols}t")),
            // A title is words of a program: never typed back into another.
            20 => self.reply("\x1b]L\x1b\\"),
            21 => self.reply("\x1b]l\x1b\\"),
            _ => {}
        }
    }

    /// The modes a reader sees, with those kept elsewhere.
    pub(crate) fn shown_modes(m: &crate::handler::Machine) -> Modes {
        let mut modes = m.grid.modes;
        modes.set(Modes::KITTY_KEYBOARD, m.grid.screen.kitty.flags() != 0);
        modes.set(Modes::MODIFY_OTHER_KEYS, m.extras.modify_other_keys != 0);
        modes
    }
}
