//! What a cell looks like: colours, underline, attributes. The public words ([`Style`], [`Colour`])
//! and the packed form the grid interns. Not the table of interned styles (that is `tables`).

use bitflags::bitflags;
use serde::{Deserialize, Serialize};

/// A colour as a program names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Colour {
    /// The default foreground or background.
    #[default]
    Default,
    /// Palette entry 0–255.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// Red, green, blue, eight bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// The line under a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Underline {
    /// No line.
    #[default]
    None,
    /// SGR 4 or 4:1.
    Single,
    /// SGR 21 or 4:2.
    Double,
    /// SGR 4:3.
    Curly,
    /// SGR 4:4.
    Dotted,
    /// SGR 4:5.
    Dashed,
}

bitflags! {
    /// Attributes of a cell that are on or off.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub struct Attrs: u16 {
        /// SGR 1.
        const BOLD = 1;
        /// SGR 2.
        const DIM = 1 << 1;
        /// SGR 3.
        const ITALIC = 1 << 2;
        /// SGR 5 and 6.
        const BLINK = 1 << 3;
        /// SGR 7.
        const INVERSE = 1 << 4;
        /// SGR 8.
        const HIDDEN = 1 << 5;
        /// SGR 9.
        const STRIKE = 1 << 6;
        /// SGR 53.
        const OVERLINE = 1 << 7;
    }
}

/// How a run of cells looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Style {
    /// Foreground.
    pub fg: Colour,
    /// Background.
    pub bg: Colour,
    /// Kind of underline.
    pub underline: Underline,
    /// Colour of the underline; `None` follows the foreground.
    pub underline_colour: Option<Colour>,
    /// Everything that is on or off.
    pub attrs: Attrs,
}

/// Packed colour: 0 default, `1 << 24 | index`, `2 << 24 | rgb`.
pub(crate) type Packed = u32;

pub(crate) const fn indexed(i: u8) -> Packed {
    1 << 24 | i as u32
}

pub(crate) const fn rgb(r: u8, g: u8, b: u8) -> Packed {
    2 << 24 | (r as u32) << 16 | (g as u32) << 8 | b as u32
}

/// The colour a packed word stands for.
pub(crate) fn unpack(p: Packed) -> Colour {
    match p >> 24 {
        1 => Colour::Indexed(p as u8),
        2 => Colour::Rgb((p >> 16) as u8, (p >> 8) as u8, p as u8),
        _ => Colour::Default,
    }
}

/// The style word the grid works with: what SGR changes in place and what the table interns.
/// `bits` holds [`Attrs`] in its low byte, the underline in bits 8–10 and "protected" in bit 11.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Pen {
    pub(crate) fg: Packed,
    pub(crate) bg: Packed,
    pub(crate) underline_colour: Packed,
    pub(crate) bits: u32,
    /// Index in the link table; 0 is no link.
    pub(crate) link: u32,
}

pub(crate) const PROTECTED: u32 = 1 << 11;
const UNDERLINE_SHIFT: u32 = 8;
const UNDERLINE_MASK: u32 = 7 << UNDERLINE_SHIFT;

impl Pen {
    pub(crate) fn set(&mut self, attr: Attrs) {
        self.bits |= u32::from(attr.bits());
    }

    pub(crate) fn clear(&mut self, attr: Attrs) {
        self.bits &= !u32::from(attr.bits());
    }

    pub(crate) fn set_underline(&mut self, u: Underline) {
        self.bits = self.bits & !UNDERLINE_MASK | (u as u32) << UNDERLINE_SHIFT;
    }

    pub(crate) fn underline(&self) -> Underline {
        match (self.bits & UNDERLINE_MASK) >> UNDERLINE_SHIFT {
            1 => Underline::Single,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => Underline::None,
        }
    }

    pub(crate) fn attrs(&self) -> Attrs {
        Attrs::from_bits_truncate(self.bits as u16 & 0xff)
    }

    pub(crate) fn protected(&self) -> bool {
        self.bits & PROTECTED != 0
    }

    /// SGR 0: everything but the link and the protection, which have their own sequences.
    pub(crate) fn reset(&mut self) {
        *self = Pen { link: self.link, bits: self.bits & PROTECTED, ..Pen::default() };
    }

    /// What an erased cell keeps: the background.
    pub(crate) fn blank(&self) -> Pen {
        Pen { bg: self.bg, ..Pen::default() }
    }

    pub(crate) fn style(&self) -> Style {
        Style {
            fg: unpack(self.fg),
            bg: unpack(self.bg),
            underline: self.underline(),
            underline_colour: (self.underline_colour != 0).then(|| unpack(self.underline_colour)),
            attrs: self.attrs(),
        }
    }
}
