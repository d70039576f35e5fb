//! OSC 4, 10–12 and their resets: set, read back, answer.

use crate::colours::{Special, parse, write};
use crate::handler::Handler;

impl Handler<'_> {
    pub(super) fn colour(&mut self, number: u32, rest: &str, terminator: &str) {
        match number {
            4 => self.palette(rest, terminator),
            104 if rest.is_empty() => self.m.colours.reset_palette(),
            104 => {
                for i in rest.split(';').filter_map(|n| n.parse().ok()) {
                    self.m.colours.set_indexed(i, None);
                }
            }
            110..=112 => {
                if let Some(which) = Special::of(number - 100) {
                    self.m.colours.set_special(which, None);
                }
            }
            // Each further value is the next number's.
            _ => {
                for (n, value) in (number..).zip(rest.split(';')) {
                    if let Some(which) = Special::of(n) {
                        self.special(n, which, value, terminator);
                    }
                }
            }
        }
    }

    fn special(&mut self, number: u32, which: Special, value: &str, terminator: &str) {
        if value == "?" {
            let colour = write(self.m.colours.special(which));
            self.reply(format!("\x1b]{number};{colour}{terminator}"));
        } else if let Some(colour) = parse(value) {
            self.m.colours.set_special(which, Some(colour));
        }
    }

    fn palette(&mut self, rest: &str, terminator: &str) {
        let mut parts = rest.split(';');
        while let (Some(index), Some(value)) = (parts.next(), parts.next()) {
            let Ok(i) = index.parse::<u8>() else { continue };
            if value == "?" {
                let colour = write(self.m.colours.indexed(i));
                self.reply(format!("\x1b]4;{i};{colour}{terminator}"));
            } else if let Some(colour) = parse(value) {
                self.m.colours.set_indexed(i, Some(colour));
            }
        }
    }
}
