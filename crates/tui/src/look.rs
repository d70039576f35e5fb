//! How one cell looks, packed to be compared and copied as plain words.
//!
//! Not here: which looks the chrome has (`theme`), how a look becomes SGR (`paint`).

use kraal_api::screen::{Colour, Style, Underline, attr};

/// Colours, attributes, underline and link of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Look {
    fg: u32,
    bg: u32,
    underline_colour: u32,
    /// Attributes in bits 0 to 7, the underline in 8 to 10, the link's number in 16 to 31.
    bits: u32,
}

const INDEXED: u32 = 1 << 24;
const RGB: u32 = 2 << 24;

const fn pack(colour: Colour) -> u32 {
    match colour {
        Colour::Default => 0,
        Colour::Indexed(i) => INDEXED | i as u32,
        Colour::Rgb(r, g, b) => RGB | (r as u32) << 16 | (g as u32) << 8 | b as u32,
    }
}

const fn unpack(word: u32) -> Colour {
    match word >> 24 {
        1 => Colour::Indexed(word as u8),
        2 => Colour::Rgb((word >> 16) as u8, (word >> 8) as u8, word as u8),
        _ => Colour::Default,
    }
}

impl Look {
    /// The terminal's own look.
    pub(crate) const PLAIN: Look = Look { fg: 0, bg: 0, underline_colour: 0, bits: 0 };

    /// Packs a style; `link` is a number of the pool, 0 for none.
    pub(crate) fn of(style: &Style, link: u16) -> Self {
        Look {
            fg: pack(style.fg),
            bg: pack(style.bg),
            underline_colour: pack(style.underline_colour),
            bits: u32::from(style.attrs) | (style.underline as u32) << 8 | u32::from(link) << 16,
        }
    }

    /// With another foreground.
    #[must_use]
    pub(crate) const fn fg(mut self, colour: Colour) -> Self {
        self.fg = pack(colour);
        self
    }

    /// With another background.
    #[cfg(test)]
    #[must_use]
    pub(crate) const fn bg(mut self, colour: Colour) -> Self {
        self.bg = pack(colour);
        self
    }

    /// With these bits of [`attr`] too.
    #[must_use]
    pub(crate) const fn with(mut self, attrs: u8) -> Self {
        self.bits |= attrs as u32;
        self
    }

    /// Without these bits of [`attr`].
    #[must_use]
    pub(crate) const fn without(mut self, attrs: u8) -> Self {
        self.bits &= !(attrs as u32);
        self
    }

    /// Bold.
    #[must_use]
    pub(crate) const fn bold(self) -> Self {
        self.with(attr::BOLD)
    }

    /// Dim.
    #[must_use]
    pub(crate) const fn dim(self) -> Self {
        self.with(attr::DIM)
    }

    /// With another link.
    #[must_use]
    pub(crate) const fn linked(mut self, link: u16) -> Self {
        self.bits = self.bits & 0xffff | (link as u32) << 16;
        self
    }

    /// The link's number in the pool; 0 is none.
    pub(crate) const fn link(self) -> u16 {
        (self.bits >> 16) as u16
    }

    /// Bits of [`attr`].
    pub(crate) const fn attrs(self) -> u8 {
        self.bits as u8
    }

    /// Of the text.
    pub(crate) const fn foreground(self) -> Colour {
        unpack(self.fg)
    }

    /// Behind it.
    pub(crate) const fn background(self) -> Colour {
        unpack(self.bg)
    }

    /// Of the underline.
    pub(crate) const fn underline_colour(self) -> Colour {
        unpack(self.underline_colour)
    }

    /// How it is underlined.
    pub(crate) const fn underline(self) -> Underline {
        match self.bits >> 8 & 7 {
            1 => Underline::Single,
            2 => Underline::Double,
            3 => Underline::Curly,
            4 => Underline::Dotted,
            5 => Underline::Dashed,
            _ => Underline::None,
        }
    }

    /// Whether a blank cell of this look is what erasing to the end of the line leaves.
    pub(crate) const fn erases(self) -> bool {
        // A background would need a terminal that erases with colour: not all do.
        self.bg == 0 && self.bits & 0xffff_0700 == 0 && self.attrs() & BLANK_SHOWS == 0
    }
}

const BLANK_SHOWS: u8 = attr::INVERSE | attr::STRIKE | attr::OVERLINE | attr::BLINK;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_survives_packing() {
        let style = Style {
            fg: Colour::Rgb(1, 2, 3),
            bg: Colour::Indexed(200),
            underline_colour: Colour::Rgb(255, 254, 253),
            underline: Underline::Dashed,
            attrs: 255,
        };
        let look = Look::of(&style, 65_535);
        let back = Style {
            fg: look.foreground(),
            bg: look.background(),
            underline_colour: look.underline_colour(),
            underline: look.underline(),
            attrs: look.attrs(),
        };
        assert_eq!((back, look.link()), (style, 65_535));
        assert!(Look::PLAIN.erases() && !Look::PLAIN.bg(Colour::Indexed(1)).erases());
    }
}
