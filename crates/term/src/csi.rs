//! Control sequences: which one does what to the grid. Not here: modes, SGR and answers, which have modules
//! of their own.

use crate::edit::Part;
use crate::face::{CursorShape, Modes, Notice};
use crate::grid::Margins;
use crate::handler::Handler;
use crate::params::Csi;
use crate::sgr;
use crate::style::PROTECTED;

/// Pens XTPUSHSGR keeps.
const MAX_PENS: usize = 10;
/// Titles XTWINOPS 22 keeps.
const MAX_TITLES: usize = 10;

impl Handler<'_> {
    /// Does what a control sequence says.
    pub(crate) fn csi(&mut self, csi: &Csi) {
        if (csi.prefix, csi.intermediate, csi.last) == (0, 0, b'm') {
            let grid = &mut self.m.grid;
            sgr::apply(&mut grid.pen, &csi.params);
            grid.repen();
            return;
        }
        match (csi.prefix, csi.intermediate) {
            (0, 0) => {
                if csi.last != b'b' {
                    self.m.grid.close_cluster();
                }
                self.plain(csi);
            }
            (b'?', 0) => self.private(csi),
            (b'>' | b'=' | b'<', 0) => self.extended(csi),
            _ => self.intermediate(csi),
        }
    }

    fn plain(&mut self, csi: &Csi) {
        let p = &csi.params;
        let (first, n) = (p.get(0), p.count(0));
        let grid = &mut self.m.grid;
        let (x, y) = grid.reported();
        match csi.last {
            b'@' => grid.insert_chars(n),
            b'A' => grid.up(n),
            b'B' => grid.down(n),
            b'C' => grid.right(n),
            b'D' => grid.left(n),
            b'E' => {
                grid.down(n);
                grid.carriage_return();
            }
            b'F' => {
                grid.up(n);
                grid.carriage_return();
            }
            b'G' | b'`' => grid.go(n - 1, y),
            b'a' => grid.go(x + n, y),
            b'e' => grid.go(x, y + n),
            b'd' => grid.go(x, n - 1),
            b'j' => grid.go(x.saturating_sub(n), y),
            b'k' => grid.go(x, y.saturating_sub(n)),
            b'H' | b'f' => grid.go(p.count(1) - 1, n - 1),
            b'I' => grid.tab(n),
            b'Z' => grid.back_tab(n),
            b'J' if first == 3 => {
                grid.history.clear();
                grid.owed = None;
                self.notice(Notice::HistoryCleared);
            }
            b'J' => part(first).into_iter().for_each(|part| grid.erase_screen(part, false)),
            b'K' => part(first).into_iter().for_each(|part| grid.erase_line(part, false)),
            b'L' => grid.insert_lines(n),
            b'M' => grid.delete_lines(n),
            b'P' => grid.delete_chars(n),
            b'S' => grid.scroll_up(grid.margins.top, grid.margins.bottom, n),
            // Five numbers are xterm's highlight tracking, which is not built.
            b'T' if p.all().len() > 1 => {}
            b'T' | b'^' => grid.scroll_down(grid.margins.top, grid.margins.bottom, n),
            b'X' => grid.erase_chars(n),
            b'b' => grid.repeat(n),
            b'g' => self.clear_tabs(first),
            b'r' => self.set_region(csi),
            b's' if grid.modes.contains(Modes::LR_MARGINS) => self.set_side_margins(csi),
            b's' => grid.save_cursor(),
            b'u' => grid.restore_cursor(),
            b'h' | b'l' => p.all().iter().for_each(|&n| self.set_mode(n, false, csi.last == b'h')),
            b'c' if first == 0 => self.primary_attributes(),
            b'n' => self.status(first),
            b't' => self.window(csi),
            b'x' => self.terminal_parameters(first),
            _ => {}
        }
    }

    fn private(&mut self, csi: &Csi) {
        let first = csi.params.get(0);
        self.m.grid.close_cluster();
        match csi.last {
            b'h' | b'l' => {
                for &n in csi.params.all() {
                    self.set_mode(n, true, csi.last == b'h');
                }
            }
            b'J' => part(first).into_iter().for_each(|part| self.m.grid.erase_screen(part, true)),
            b'K' => part(first).into_iter().for_each(|part| self.m.grid.erase_line(part, true)),
            b'W' if first == 5 => self.m.grid.tabs = crate::grid::tab_stops(self.m.grid.cols()),
            b'n' => self.private_status(first),
            b'r' | b's' => {
                for &n in csi.params.all() {
                    self.keep_mode(n, csi.last == b's');
                }
            }
            b'u' => {
                let flags = self.m.grid.screen.kitty.flags();
                self.reply(format!("\x1b[?{flags}u"));
            }
            b'm' if first == 4 => {
                let level = self.m.extras.modify_other_keys;
                self.reply(format!("\x1b[>4;{level}m"));
            }
            _ => {}
        }
    }

    fn extended(&mut self, csi: &Csi) {
        let first = csi.params.get(0);
        let kitty = &mut self.m.grid.screen.kitty;
        match (csi.prefix, csi.last) {
            (b'>', b'u') => kitty.push(first.min(255) as u8),
            (b'<', b'u') => kitty.pop(usize::from(first)),
            (b'=', b'u') => kitty.change(first.min(255) as u8, csi.params.get(1)),
            (b'>', b'm') if first == 4 => {
                self.m.extras.modify_other_keys = csi.params.get(1).min(2) as u8;
            }
            (b'>', b'm') if first == 0 && csi.params.all().len() == 1 => self.m.extras.modify_other_keys = 0,
            (b'>', b'n') if first == 4 => self.m.extras.modify_other_keys = 0,
            (b'>', b'c') if first == 0 => self.secondary_attributes(),
            (b'=', b'c') if first == 0 => self.tertiary_attributes(),
            (b'>', b'q') if first == 0 => self.version(),
            _ => {}
        }
    }

    fn intermediate(&mut self, csi: &Csi) {
        let p = &csi.params;
        let (first, n) = (p.get(0), p.count(0));
        self.m.grid.close_cluster();
        let grid = &mut self.m.grid;
        match (csi.prefix, csi.intermediate, csi.last) {
            (0, b' ', b'q') => self.cursor_style(first),
            (0, b'!', b'p') => self.soft_reset(),
            (0, b'"', b'p') => self.soft_reset(),
            (0, b'"', b'q') => {
                grid.pen.bits = grid.pen.bits & !PROTECTED | if first == 1 { PROTECTED } else { 0 };
                grid.repen();
            }
            (0, b'$', b'p') => self.report_mode(first, false),
            (b'?', b'$', b'p') => self.report_mode(first, true),
            (0, b'\'', b'}') => grid.shift_columns(n, true),
            (0, b'\'', b'~') => grid.shift_columns(n, false),
            (0, b' ', b'@') => grid.shift_screen(n, false),
            (0, b' ', b'A') => grid.shift_screen(n, true),
            (0, b'#', b'p' | b'{') => {
                let pen = grid.pen;
                if self.m.extras.pens.len() < MAX_PENS {
                    self.m.extras.pens.push(crate::style::Pen { link: 0, ..pen });
                }
            }
            (0, b'#', b'q' | b'}') => {
                if let Some(pen) = self.m.extras.pens.pop() {
                    grid.pen = crate::style::Pen { link: grid.pen.link, ..pen };
                    grid.repen();
                }
            }
            _ => {}
        }
    }

    fn cursor_style(&mut self, n: u16) {
        let (shape, blink) = match n {
            0 | 1 => (CursorShape::Block, true),
            2 => (CursorShape::Block, false),
            3 => (CursorShape::Underline, true),
            4 => (CursorShape::Underline, false),
            5 => (CursorShape::Bar, true),
            6 => (CursorShape::Bar, false),
            _ => return,
        };
        self.m.look.shape = shape;
        self.m.grid.modes.set(Modes::CURSOR_BLINK, blink);
    }

    fn clear_tabs(&mut self, what: u16) {
        let grid = &mut self.m.grid;
        match what {
            0 => {
                let x = grid.cursor.x;
                grid.tabs[x] = false;
            }
            3 => grid.tabs.fill(false),
            _ => {}
        }
    }

    /// DECSTBM.
    fn set_region(&mut self, csi: &Csi) {
        let grid = &mut self.m.grid;
        let rows = grid.rows();
        let bottom = match csi.params.get(1) {
            0 => rows,
            n => usize::from(n).min(rows),
        };
        let top = csi.params.count(0);
        if top < bottom || rows == 1 {
            grid.margins = Margins { top: top.min(bottom) - 1, bottom: bottom - 1, ..grid.margins };
            grid.go(0, 0);
        }
    }

    /// DECSLRM.
    fn set_side_margins(&mut self, csi: &Csi) {
        let grid = &mut self.m.grid;
        let cols = grid.cols();
        let right = match csi.params.get(1) {
            0 => cols,
            n => usize::from(n).min(cols),
        };
        let left = csi.params.count(0);
        if left < right {
            grid.margins = Margins { left: left - 1, right: right - 1, ..grid.margins };
            grid.go(0, 0);
        }
    }

    /// XTWINOPS: only the questions and the title stack.
    fn window(&mut self, csi: &Csi) {
        let which = csi.params.get(1);
        match csi.params.get(0) {
            22 => self.push_title(),
            23 => self.pop_title(which),
            n => self.report_window(n),
        }
    }

    fn push_title(&mut self) {
        let words = &mut self.m.words;
        if words.stack.len() == MAX_TITLES {
            words.stack.remove(0);
        }
        words.stack.push((words.icon.clone(), words.title.clone()));
    }

    fn pop_title(&mut self, which: u16) {
        let Some((icon, title)) = self.m.words.stack.pop() else { return };
        if which != 2 {
            self.set_icon(icon);
        }
        if which != 1 {
            self.set_title(title);
        }
    }
}

fn part(n: u16) -> Option<Part> {
    match n {
        0 => Some(Part::Right),
        1 => Some(Part::Left),
        2 => Some(Part::All),
        _ => None,
    }
}
