//! Colours a program asks for and sets by OSC: palette, foreground, background, cursor. What it set
//! comes first, then what the outer terminal answered, then xterm's defaults. Not here: the
//! sequences that ask and set (`osc::colour`), nor the colours of cells (`style`).

use crate::face::OuterColours;
use crate::style::Rgb;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The three colours that are not of the palette, with their OSC numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Foreground = 10,
    Background = 11,
    Cursor = 12,
}

impl Special {
    pub(crate) fn of(number: u32) -> Option<Self> {
        match number {
            10 => Some(Self::Foreground),
            11 => Some(Self::Background),
            12 => Some(Self::Cursor),
            _ => None,
        }
    }
}

/// What the program set over what the outer terminal has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Colours {
    palette: BTreeMap<u8, Rgb>,
    special: [Option<Rgb>; 3],
    #[serde(skip)]
    pub(crate) outer: OuterColours,
}

impl Colours {
    pub(crate) fn new(outer: OuterColours) -> Self {
        Self { outer, ..Self::default() }
    }

    pub(crate) fn special(&self, which: Special) -> Rgb {
        let set = self.special[which as usize - 10];
        set.unwrap_or_else(|| match which {
            Special::Foreground => self.outer.fg.unwrap_or(Rgb(0xd0, 0xd0, 0xd0)),
            Special::Background => self.outer.bg.unwrap_or(Rgb(0, 0, 0)),
            Special::Cursor => self.outer.cursor.unwrap_or_else(|| self.special(Special::Foreground)),
        })
    }

    pub(crate) fn indexed(&self, i: u8) -> Rgb {
        let outer = || self.outer.palette.iter().find(|(n, _)| *n == i).map(|(_, c)| *c);
        self.palette.get(&i).copied().or_else(outer).unwrap_or_else(|| default_palette(i))
    }

    pub(crate) fn set_special(&mut self, which: Special, to: Option<Rgb>) {
        self.special[which as usize - 10] = to;
    }

    pub(crate) fn set_indexed(&mut self, i: u8, to: Option<Rgb>) {
        match to {
            Some(c) => {
                self.palette.insert(i, c);
            }
            None => {
                self.palette.remove(&i);
            }
        }
    }

    pub(crate) fn reset_palette(&mut self) {
        self.palette.clear();
    }

    pub(crate) fn reset_all(&mut self) {
        self.palette.clear();
        self.special = [None; 3];
    }

    /// Only what the program set.
    pub(crate) fn set_by_program(&self) -> OuterColours {
        let [fg, bg, cursor] = self.special;
        OuterColours { fg, bg, cursor, palette: self.palette.iter().map(|(i, c)| (*i, *c)).collect() }
    }

    /// Whether the background is a dark one.
    pub(crate) fn dark(&self) -> bool {
        let Rgb(r, g, b) = self.special(Special::Background);
        299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) < 128_000
    }
}

/// xterm's 16 colours, the cube and the greys.
fn default_palette(i: u8) -> Rgb {
    const BASE: [u32; 16] = [
        0x00_0000, 0xcd_0000, 0x00_cd00, 0xcd_cd00, 0x00_00ee, 0xcd_00cd, 0x00_cdcd, 0xe5_e5e5, 0x7f_7f7f,
        0xff_0000, 0x00_ff00, 0xff_ff00, 0x5c_5cff, 0xff_00ff, 0x00_ffff, 0xff_ffff,
    ];
    match i {
        0..16 => {
            let [_, r, g, b] = BASE[usize::from(i)].to_be_bytes();
            Rgb(r, g, b)
        }
        16..232 => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = i - 16;
            Rgb(level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        232.. => {
            let v = 8 + 10 * (i - 232);
            Rgb(v, v, v)
        }
    }
}

/// `rgb:RRRR/GGGG/BBBB`.
pub(crate) fn write(Rgb(r, g, b): Rgb) -> String {
    format!("rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}")
}

/// Reads `rgb:…` and `rgba:…` with one to four digits a part, `#rgb` in its four lengths, and a few
/// names.
pub(crate) fn parse(text: &str) -> Option<Rgb> {
    if let Some(parts) = text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:")) {
        let mut parts = parts.split('/').map(scaled);
        return Some(Rgb(parts.next()??, parts.next()??, parts.next()??));
    }
    if let Some(digits) = text.strip_prefix('#') {
        let n = digits.len() / 3;
        if digits.len() % 3 != 0 || !(1..=4).contains(&n) || !digits.is_ascii() {
            return None;
        }
        // The digits are the high ones, whatever their number.
        let part = |i: usize| u32::from_str_radix(&digits[i * n..(i + 1) * n], 16).ok();
        let high = |v: u32| (if n == 1 { v << 4 } else { v >> (4 * (n - 2)) }) as u8;
        return Some(Rgb(high(part(0)?), high(part(1)?), high(part(2)?)));
    }
    let names = [("black", 0), ("red", 9), ("green", 10), ("yellow", 11), ("white", 15)];
    match text.to_ascii_lowercase().as_str() {
        "blue" => Some(Rgb(0, 0, 255)),
        name => names.iter().find(|(n, _)| *n == name).map(|(_, i)| default_palette(*i)),
    }
}

fn scaled(digits: &str) -> Option<u8> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    let max = (1u32 << (4 * digits.len())) - 1;
    let v = u32::from_str_radix(digits, 16).ok()?;
    Some((v * 255 / max) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_their_forms() {
        for (text, want) in [
            ("rgb:ff/80/00", Rgb(255, 128, 0)),
            ("rgb:ffff/8080/0000", Rgb(255, 128, 0)),
            ("rgb:f/0/0", Rgb(255, 0, 0)),
            ("#ff8000", Rgb(255, 128, 0)),
            ("#f80", Rgb(0xf0, 0x80, 0)),
            ("#ffff80800000", Rgb(255, 128, 0)),
            ("rgba:0102/0304/0506/ffff", Rgb(1, 3, 5)),
        ] {
            assert_eq!(parse(text), Some(want), "{text}");
        }
        for bad in ["", "rgb:", "rgb:1/2", "#12", "#zzzzzz", "nonsense", "rgb:12345/1/1"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_program_comes_first_then_the_outer_terminal() {
        let mut c = Colours::new(OuterColours { bg: Some(Rgb(255, 255, 255)), ..Default::default() });
        assert!(!c.dark());
        c.set_special(Special::Background, Some(Rgb(1, 1, 1)));
        assert_eq!(c.special(Special::Background), Rgb(1, 1, 1));
        c.reset_all();
        assert_eq!(c.special(Special::Background), Rgb(255, 255, 255));
        assert_eq!(c.indexed(231), Rgb(255, 255, 255));
    }
}
