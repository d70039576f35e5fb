//! The four character sets and which is used. Only ASCII, DEC line drawing and the British pound sign
//! exist; any other designation is ASCII.

use serde::{Deserialize, Serialize};

/// One set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    Graphics,
    British,
}

/// G0 to G3, the one in use, and the one for the next character only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Charsets {
    sets: [Charset; 4],
    used: u8,
    once: Option<u8>,
}

/// DEC special graphics for 0x5f to 0x7e.
const GRAPHICS: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
    '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

impl Charsets {
    /// Whether bytes stand for themselves.
    pub(crate) fn plain(&self) -> bool {
        self.once.is_none() && self.sets[usize::from(self.used & 3)] == Charset::Ascii
    }

    /// ESC ( and its like: `slot` 0–3 becomes the set named by `final_byte`.
    pub(crate) fn designate(&mut self, slot: u8, final_byte: u8) {
        self.sets[usize::from(slot & 3)] = match final_byte {
            b'0' => Charset::Graphics,
            b'A' => Charset::British,
            _ => Charset::Ascii,
        };
    }

    /// SI, SO, LS2, LS3.
    pub(crate) fn shift(&mut self, slot: u8) {
        self.used = slot & 3;
    }

    /// SS2, SS3.
    pub(crate) fn shift_once(&mut self, slot: u8) {
        self.once = Some(slot & 3);
    }

    /// The character an ASCII byte stands for.
    pub(crate) fn map(&mut self, b: u8) -> char {
        let slot = self.once.take().unwrap_or(self.used) & 3;
        match (self.sets[usize::from(slot)], b) {
            (Charset::Graphics, 0x5f..=0x7e) => GRAPHICS[usize::from(b - 0x5f)],
            (Charset::British, b'#') => '£',
            _ => b as char,
        }
    }
}
