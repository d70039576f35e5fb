//! Escape sequences that are not control sequences, and the resets.

use crate::face::{Modes, Notice};
use crate::grid::{START_MODES, Saved, tab_stops};
use crate::handler::Handler;

impl Handler<'_> {
    /// ESC, an intermediate or 0, a final byte.
    pub(crate) fn esc(&mut self, intermediate: u8, last: u8) {
        let grid = &mut self.m.grid;
        grid.close_cluster();
        match (intermediate, last) {
            (0, b'7') => grid.save_cursor(),
            (0, b'8') => grid.restore_cursor(),
            (0, b'D') => grid.index(),
            (0, b'E') => {
                grid.carriage_return();
                grid.index();
            }
            (0, b'M') => grid.reverse_index(),
            (0, b'H') => {
                let x = grid.cursor.x;
                grid.tabs[x] = true;
            }
            (0, b'N') => grid.charsets.shift_once(2),
            (0, b'O') => grid.charsets.shift_once(3),
            (0, b'n') => grid.charsets.shift(2),
            (0, b'o') => grid.charsets.shift(3),
            (0, b'=') => grid.modes.insert(Modes::APP_KEYPAD),
            (0, b'>') => grid.modes.remove(Modes::APP_KEYPAD),
            (0, b'6') => grid.back_index(),
            (0, b'9') => grid.forward_index(),
            (0, b'c') => self.full_reset(),
            (0, b'Z') => self.primary_attributes(),
            (b'#', b'8') => grid.alignment_test(),
            (slot @ b'('..=b'+', set) => grid.charsets.designate(slot - b'(', set),
            (slot @ b'-'..=b'/', set) => grid.charsets.designate(slot - b',', set),
            _ => {}
        }
    }

    /// RIS: as new, but for history, title and what the outer terminal said.
    fn full_reset(&mut self) {
        if self.m.grid.modes.contains(Modes::SYNC) {
            self.notice(Notice::SyncEnded);
        }
        let m = &mut *self.m;
        let grid = &mut m.grid;
        grid.show_alternate(false);
        grid.pen = Default::default();
        grid.repen();
        grid.charsets = Default::default();
        grid.cursor = Default::default();
        grid.last = Default::default();
        grid.owed = None;
        for screen in [&mut grid.screen, &mut grid.other] {
            screen.saved = None;
            screen.kitty.clear();
            screen.parked = Default::default();
            for line in &mut screen.lines {
                grid.clock += 1;
                line.clear(0);
                line.stamp = grid.clock;
            }
        }
        grid.modes = START_MODES;
        grid.tabs = tab_stops(grid.cols());
        grid.reset_margins();
        m.colours.reset_all();
        m.look = Default::default();
        m.extras = crate::handler::Extras { dark: m.extras.dark, ..Default::default() };
        if m.words.progress.take().is_some() {
            self.notice(Notice::Progress(None));
        }
    }

    /// DECSTR.
    pub(crate) fn soft_reset(&mut self) {
        let grid = &mut self.m.grid;
        grid.pen = Default::default();
        grid.repen();
        grid.charsets = Default::default();
        grid.modes.remove(
            Modes::ORIGIN
                | Modes::INSERT
                | Modes::APP_CURSOR
                | Modes::APP_KEYPAD
                | Modes::LR_MARGINS
                | Modes::REVERSE_WRAP
                | Modes::EXTENDED_REVERSE_WRAP
                | Modes::KEYBOARD_LOCKED,
        );
        grid.modes.insert(Modes::CURSOR_VISIBLE | Modes::AUTOWRAP);
        grid.reset_margins();
        grid.screen.saved = Some(Saved::default());
        grid.cursor.pending = false;
        self.m.extras.modify_other_keys = 0;
    }
}
