//! The terminal's state and the handler that changes it: one call for each thing the bytes say. What
//! each kind of call means is split by subject: `csi`, `sgr`, `modes`, `esc`, `osc`, `dcs`, `reply`.
//! Not here: how bytes are taken apart (`feed`).

use crate::colours::Colours;
use crate::face::{CursorShape, Modes, Notice, Outbox, Progress};
use crate::grid::Grid;
use crate::params::Csi;
use crate::style::Pen;

/// Notices one call of `feed` collects at most; a program that shouts louder is not heard further.
const MAX_NOTICES: usize = 4096;

/// What a program said about itself.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Words {
    pub(crate) title: String,
    pub(crate) icon: String,
    /// Pushed titles: (icon, title).
    pub(crate) stack: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    pub(crate) progress: Option<Progress>,
    /// A notification of OSC 99 not yet complete: id, title, body.
    pub(crate) partial: Option<(String, String, String)>,
}

/// What DECSCUSR set.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Look {
    pub(crate) shape: CursorShape,
}

/// Settings that are neither grid nor mode bits.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Extras {
    /// 0, 1 or 2.
    pub(crate) modify_other_keys: u8,
    /// Modes kept by XTSAVE: number and whether set.
    pub(crate) saved_modes: Vec<(u16, bool)>,
    /// XTPUSHSGR.
    pub(crate) pens: Vec<Pen>,
    /// The scheme the owner told of; `None` is judged by the background.
    pub(crate) dark: Option<bool>,
}

/// Everything of a terminal but the bytes not yet read.
pub(crate) struct Machine {
    pub(crate) grid: Grid,
    pub(crate) words: Words,
    pub(crate) colours: Colours,
    pub(crate) look: Look,
    pub(crate) extras: Extras,
    pub(crate) name: String,
    pub(crate) cell_pixels: (u16, u16),
}

/// A machine at work, with where its answers go.
pub(crate) struct Handler<'a> {
    pub(crate) m: &'a mut Machine,
    pub(crate) out: &'a mut Outbox,
}

impl Handler<'_> {
    pub(crate) fn print_ascii(&mut self, bytes: &[u8]) {
        self.m.grid.print_ascii(bytes);
    }

    pub(crate) fn print_char(&mut self, c: char) {
        self.m.grid.print_char(c);
    }

    pub(crate) fn notice(&mut self, notice: Notice) {
        let repeated = notice == Notice::Bell && self.out.notices.last() == Some(&Notice::Bell);
        if !repeated && self.out.notices.len() < MAX_NOTICES {
            self.out.notices.push(notice);
        }
    }

    pub(crate) fn reply(&mut self, bytes: impl AsRef<[u8]>) {
        self.out.replies.extend_from_slice(bytes.as_ref());
    }

    /// A C0 control.
    pub(crate) fn execute(&mut self, b: u8) {
        let grid = &mut self.m.grid;
        grid.close_cluster();
        match b {
            0x07 => self.notice(Notice::Bell),
            0x08 => grid.left(1),
            0x09 => grid.tab(1),
            0x0a..=0x0c => {
                grid.index();
                if grid.modes.contains(Modes::NEWLINE) {
                    grid.carriage_return();
                }
            }
            0x0d => grid.carriage_return(),
            0x0e => grid.charsets.shift(1),
            0x0f => grid.charsets.shift(0),
            _ => {}
        }
    }
}

impl vte::Perform for Handler<'_> {
    fn execute(&mut self, byte: u8) {
        Handler::execute(self, byte);
    }

    fn csi_dispatch(&mut self, params: &vte::Params, intermediates: &[u8], ignore: bool, action: char) {
        if let Some(csi) = Csi::from_vte(params, intermediates, action).filter(|_| !ignore) {
            self.csi(&csi);
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        match intermediates {
            [] => self.esc(0, byte),
            [one] => self.esc(*one, byte),
            _ => {}
        }
    }
}
