//! The colours of the picture: the terminal's 256 and the two defaults.
//!
//! One dark scheme; the picture does not follow the reader's theme.

use super::ansi::{Colour, DIM, INVERSE, Style};

/// What text without a colour is drawn in.
pub(crate) const FOREGROUND: [u8; 3] = [0xd0, 0xd4, 0xdc];
/// What lies behind it.
pub(crate) const BACKGROUND: [u8; 3] = [0x16, 0x18, 0x1d];

const SIXTEEN: [[u8; 3]; 16] = [
    [0x2a, 0x2d, 0x35],
    [0xe0, 0x6c, 0x75],
    [0x98, 0xc3, 0x79],
    [0xe5, 0xc0, 0x7b],
    [0x61, 0xaf, 0xef],
    [0xc6, 0x78, 0xdd],
    [0x56, 0xb6, 0xc2],
    [0xab, 0xb2, 0xbf],
    [0x5c, 0x63, 0x70],
    [0xf2, 0x8b, 0x93],
    [0xb5, 0xdd, 0x98],
    [0xf2, 0xd6, 0x9b],
    [0x86, 0xc5, 0xf5],
    [0xd8, 0x9b, 0xe8],
    [0x7f, 0xd0, 0xda],
    [0xee, 0xf0, 0xf4],
];

/// Foreground and background of a cell as they are drawn, inverse and dim applied.
pub(crate) fn colours(style: &Style) -> ([u8; 3], [u8; 3]) {
    let mut fg = style.fg.map_or(FOREGROUND, rgb);
    let mut bg = style.bg.map_or(BACKGROUND, rgb);
    if style.is(INVERSE) {
        std::mem::swap(&mut fg, &mut bg);
    }
    if style.is(DIM) {
        fg = std::array::from_fn(|i| ((u16::from(fg[i]) * 3 + u16::from(bg[i]) * 2) / 5) as u8);
    }
    (fg, bg)
}

/// Red, green and blue of a colour.
pub(crate) fn rgb(colour: Colour) -> [u8; 3] {
    match colour {
        Colour::Rgb(r, g, b) => [r, g, b],
        Colour::Indexed(n @ 0..16) => SIXTEEN[usize::from(n)],
        Colour::Indexed(n @ 16..232) => {
            let step = |digit: u8| if digit == 0 { 0 } else { 55 + 40 * digit };
            let n = n - 16;
            [step(n / 36), step(n / 6 % 6), step(n % 6)]
        }
        Colour::Indexed(n) => [8 + 10 * (n - 232); 3],
    }
}

/// `#rrggbb`.
pub(crate) fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cube_and_the_greys() {
        assert_eq!(rgb(Colour::Indexed(16)), [0, 0, 0]);
        assert_eq!(rgb(Colour::Indexed(196)), [255, 0, 0]);
        assert_eq!(rgb(Colour::Indexed(255)), [238, 238, 238]);
    }

    #[test]
    fn inverse_swaps_and_dim_moves_towards_the_background() {
        let inverse = Style { on: INVERSE, ..Style::default() };
        assert_eq!(colours(&inverse), (BACKGROUND, FOREGROUND));
        let dim = colours(&Style { on: DIM, ..Style::default() }).0;
        assert!(dim[0] < FOREGROUND[0] && dim[0] > BACKGROUND[0]);
    }
}
