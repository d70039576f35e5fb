//! Modes: one table of numbers, setting and resetting, DECRQM, XTSAVE and XTRESTORE.
//! Most of what a mode changes is not here but where it shows: `print`, `grid`, `keys`, `mouse`.

use crate::edit::Part;
use crate::face::{Modes, Notice};
use crate::handler::Handler;

/// Number, whether DEC private, bit. A mode whose bit does nothing is recorded so that DECRQM is true.
const TABLE: [(u16, bool, Modes); 42] = [
    (2, false, Modes::KEYBOARD_LOCKED),
    (4, false, Modes::INSERT),
    (12, false, Modes::NO_LOCAL_ECHO),
    (20, false, Modes::NEWLINE),
    (1, true, Modes::APP_CURSOR),
    (2, true, Modes::ANSI),
    (3, true, Modes::COLUMNS_132),
    (4, true, Modes::SMOOTH_SCROLL),
    (5, true, Modes::REVERSE_SCREEN),
    (6, true, Modes::ORIGIN),
    (7, true, Modes::AUTOWRAP),
    (8, true, Modes::AUTO_REPEAT),
    (9, true, Modes::MOUSE_X10),
    (12, true, Modes::CURSOR_BLINK),
    (25, true, Modes::CURSOR_VISIBLE),
    (40, true, Modes::ALLOW_COLUMNS),
    (45, true, Modes::REVERSE_WRAP),
    (47, true, Modes::ALT_SCREEN),
    (66, true, Modes::APP_KEYPAD),
    (67, true, Modes::BACKARROW),
    (69, true, Modes::LR_MARGINS),
    (95, true, Modes::NO_CLEAR_ON_COLUMNS),
    (1000, true, Modes::MOUSE_CLICK),
    (1002, true, Modes::MOUSE_DRAG),
    (1003, true, Modes::MOUSE_MOTION),
    (1004, true, Modes::FOCUS_EVENTS),
    (1005, true, Modes::UTF8_MOUSE),
    (1006, true, Modes::SGR_MOUSE),
    (1007, true, Modes::ALT_SCROLL),
    (1015, true, Modes::URXVT_MOUSE),
    (1016, true, Modes::PIXEL_MOUSE),
    (1035, true, Modes::NUM_LOCK),
    (1036, true, Modes::META_ESC),
    (1042, true, Modes::BELL_URGENT),
    (1045, true, Modes::EXTENDED_REVERSE_WRAP),
    (1047, true, Modes::ALT_SCREEN),
    (1049, true, Modes::ALT_SCREEN),
    (2004, true, Modes::BRACKETED_PASTE),
    (2026, true, Modes::SYNC),
    (2031, true, Modes::COLOUR_SCHEME_UPDATES),
    (2048, true, Modes::RESIZE_UPDATES),
    (1048, true, Modes::empty()),
];

const TRACKING: Modes =
    Modes::MOUSE_X10.union(Modes::MOUSE_CLICK).union(Modes::MOUSE_DRAG).union(Modes::MOUSE_MOTION);
const MOUSE_FORM: Modes =
    Modes::UTF8_MOUSE.union(Modes::SGR_MOUSE).union(Modes::URXVT_MOUSE).union(Modes::PIXEL_MOUSE);

fn find(number: u16, private: bool) -> Option<Modes> {
    TABLE.iter().find(|(n, p, _)| (*n, *p) == (number, private)).map(|(_, _, mode)| *mode)
}

impl Handler<'_> {
    /// SM, RM, DECSET, DECRST for one number.
    pub(crate) fn set_mode(&mut self, number: u16, private: bool, on: bool) {
        let Some(mode) = find(number, private) else { return };
        let grid = &mut self.m.grid;
        match number {
            47 | 1047 | 1049 if private => return self.alternate(number, on),
            1048 if private && on => grid.save_cursor(),
            1048 if private => grid.restore_cursor(),
            2026 if private => return self.sync(on),
            3 if private => return self.columns(on),
            _ => {}
        }
        // Of the ways to report the mouse, and of the forms of a report, one holds at a time.
        for group in [TRACKING, MOUSE_FORM] {
            if group.intersects(mode) {
                grid.modes.remove(group);
            }
        }
        grid.modes.set(mode, on);
        match mode {
            Modes::ORIGIN => grid.go(0, 0),
            Modes::LR_MARGINS if !on => {
                grid.margins.left = 0;
                grid.margins.right = grid.cols() - 1;
            }
            Modes::AUTOWRAP if !on => grid.cursor.pending = false,
            Modes::RESIZE_UPDATES if on => self.report_resize(),
            _ => {}
        }
    }

    fn alternate(&mut self, number: u16, on: bool) {
        let grid = &mut self.m.grid;
        let was = grid.alt();
        if number == 1049 && on && !was {
            grid.save_cursor();
        }
        if number == 1047 && !on && was {
            grid.erase_all();
        }
        grid.show_alternate(on);
        if number == 1049 && on && !was {
            grid.erase_all();
        }
        if number == 1049 && !on {
            grid.restore_cursor();
        }
    }

    fn sync(&mut self, on: bool) {
        let modes = &mut self.m.grid.modes;
        if modes.contains(Modes::SYNC) != on {
            modes.set(Modes::SYNC, on);
            self.notice(if on { Notice::SyncStarted } else { Notice::SyncEnded });
        }
    }

    /// DECCOLM: the width stays the pane's, but what it does besides is done where it is allowed.
    fn columns(&mut self, on: bool) {
        let grid = &mut self.m.grid;
        if !grid.modes.contains(Modes::ALLOW_COLUMNS) {
            return;
        }
        grid.modes.set(Modes::COLUMNS_132, on);
        grid.modes.remove(Modes::LR_MARGINS);
        grid.reset_margins();
        if !grid.modes.contains(Modes::NO_CLEAR_ON_COLUMNS) {
            grid.erase_screen(Part::All, false);
        }
        grid.go(0, 0);
    }

    /// XTSAVE and XTRESTORE for one number.
    pub(crate) fn keep_mode(&mut self, number: u16, save: bool) {
        let Some(mode) = find(number, true) else { return };
        let saved = &mut self.m.extras.saved_modes;
        let at = saved.iter().position(|(n, _)| *n == number);
        match (save, at) {
            (true, at) => {
                let entry = (number, self.m.grid.modes.contains(mode));
                match at {
                    Some(i) => saved[i] = entry,
                    None => saved.push(entry),
                }
            }
            (false, Some(i)) => {
                let on = saved[i].1;
                self.set_mode(number, true, on);
            }
            (false, None) => {}
        }
    }

    /// DECRQM.
    pub(crate) fn report_mode(&mut self, number: u16, private: bool) {
        let value = match (find(number, private), number, private) {
            // Clusters are always one unit here, and 132 columns never come.
            (_, 2027, true) => 3,
            (Some(mode), _, _) if self.m.grid.modes.contains(mode) => 1,
            (Some(_), _, _) => 2,
            (None, 1 | 5 | 7 | 10 | 11 | 13..=19, false) => 4,
            (None, _, _) => 0,
        };
        let mark = if private { "?" } else { "" };
        self.reply(format!("\x1b[{mark}{number};{value}$y"));
    }
}
