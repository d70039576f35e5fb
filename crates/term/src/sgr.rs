//! SGR: numbers to the pen, and the pen back to numbers. Not here: which colour a number shows as
//! (`colours`).

use crate::params::Params;
use crate::style::{Attrs, Colour, Packed, Pen, Style, Underline, indexed, rgb};
use std::fmt::Write;

/// Applies the numbers of an SGR sequence.
pub(crate) fn apply(pen: &mut Pen, params: &Params) {
    let all = params.all();
    let mut i = 0;
    while i < all.len() {
        let group = params.group(i);
        i += match group[0] {
            38 | 48 | 58 => {
                let (colour, used) = extended(group, &all[i..]);
                if let Some(c) = colour {
                    match group[0] {
                        38 => pen.fg = c,
                        48 => pen.bg = c,
                        _ => pen.underline_colour = c,
                    }
                }
                used
            }
            4 if group.len() > 1 => {
                pen.set_underline(underline(group[1]));
                group.len()
            }
            n => {
                simple(pen, n);
                group.len()
            }
        };
    }
}

fn underline(n: u16) -> Underline {
    match n {
        0 => Underline::None,
        2 => Underline::Double,
        3 => Underline::Curly,
        4 => Underline::Dotted,
        5 => Underline::Dashed,
        _ => Underline::Single,
    }
}

fn simple(pen: &mut Pen, n: u16) {
    match n {
        0 => pen.reset(),
        1 => pen.set(Attrs::BOLD),
        2 => pen.set(Attrs::DIM),
        3 => pen.set(Attrs::ITALIC),
        4 => pen.set_underline(Underline::Single),
        5 | 6 => pen.set(Attrs::BLINK),
        7 => pen.set(Attrs::INVERSE),
        8 => pen.set(Attrs::HIDDEN),
        9 => pen.set(Attrs::STRIKE),
        21 => pen.set_underline(Underline::Double),
        22 => pen.clear(Attrs::BOLD | Attrs::DIM),
        23 => pen.clear(Attrs::ITALIC),
        24 => pen.set_underline(Underline::None),
        25 => pen.clear(Attrs::BLINK),
        27 => pen.clear(Attrs::INVERSE),
        28 => pen.clear(Attrs::HIDDEN),
        29 => pen.clear(Attrs::STRIKE),
        30..=37 => pen.fg = indexed((n - 30) as u8),
        39 => pen.fg = 0,
        40..=47 => pen.bg = indexed((n - 40) as u8),
        49 => pen.bg = 0,
        53 => pen.set(Attrs::OVERLINE),
        55 => pen.clear(Attrs::OVERLINE),
        59 => pen.underline_colour = 0,
        90..=97 => pen.fg = indexed((n - 90 + 8) as u8),
        100..=107 => pen.bg = indexed((n - 100 + 8) as u8),
        _ => {}
    }
}

/// The colour of 38, 48 or 58 and how many numbers it took: in one group with colons (with or without
/// the colour space), or as separate numbers.
fn extended(group: &[u16], rest: &[u16]) -> (Option<Packed>, usize) {
    let byte = |n: u16| u8::try_from(n).ok();
    let triple = |r: u16, g: u16, b: u16| Some(rgb(byte(r)?, byte(g)?, byte(b)?));
    if group.len() > 1 {
        let colour = match *group {
            [_, 2, r, g, b] | [_, 2, _, r, g, b, ..] => triple(r, g, b),
            [_, 5, n, ..] => byte(n).map(indexed),
            _ => None,
        };
        return (colour, group.len());
    }
    match *rest {
        [_, 2, r, g, b, ..] => (triple(r, g, b), 5),
        [_, 5, n, ..] => (byte(n).map(indexed), 3),
        [_, 2 | 5, ..] => (None, rest.len()),
        [_, _, ..] => (None, 2),
        _ => (None, 1),
    }
}

/// The numbers that give `style` from the default, starting with 0, without CSI and `m`. Colours of 38 and
/// 48 are written with `;`, which old programs read too, or with colons as xterm reports them.
pub(crate) fn numbers(style: &Style, colons: bool) -> String {
    const ATTRS: [(Attrs, u8); 8] = [
        (Attrs::BOLD, 1),
        (Attrs::DIM, 2),
        (Attrs::ITALIC, 3),
        (Attrs::BLINK, 5),
        (Attrs::INVERSE, 7),
        (Attrs::HIDDEN, 8),
        (Attrs::STRIKE, 9),
        (Attrs::OVERLINE, 53),
    ];
    let mut out = String::from("0");
    for (attr, n) in ATTRS {
        if style.attrs.contains(attr) {
            let _ = write!(out, ";{n}");
        }
        if attr == Attrs::ITALIC {
            match style.underline {
                Underline::None => {}
                Underline::Single => out.push_str(";4"),
                other => {
                    let _ = write!(out, ";4:{}", other as u8);
                }
            }
        }
    }
    colour(&mut out, style.fg, 30, colons);
    colour(&mut out, style.bg, 40, colons);
    if let Some(c) = style.underline_colour {
        colour(&mut out, c, 50, true);
    }
    out
}

/// `base` is 30, 40 or 50 (underline, which has no short forms).
fn colour(out: &mut String, colour: Colour, base: u8, colons: bool) {
    let _ = match colour {
        Colour::Default => Ok(()),
        Colour::Indexed(n @ 0..=7) if base < 50 => write!(out, ";{}", base + n),
        Colour::Indexed(n @ 8..=15) if base < 50 => write!(out, ";{}", base + 60 + n - 8),
        Colour::Indexed(n) if colons => write!(out, ";{}:5:{n}", base + 8),
        Colour::Indexed(n) => write!(out, ";{};5;{n}", base + 8),
        Colour::Rgb(r, g, b) if colons => write!(out, ";{}:2::{r}:{g}:{b}", base + 8),
        Colour::Rgb(r, g, b) => write!(out, ";{};2;{r};{g};{b}", base + 8),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Parsed, parse_csi};

    fn pen(sgr: &str) -> Pen {
        let mut pen = Pen::default();
        let Parsed::Csi(csi, _) = parse_csi(format!("{sgr}m").as_bytes()) else { panic!("{sgr}") };
        apply(&mut pen, &csi.params);
        pen
    }

    #[test]
    fn colours_in_all_their_forms() {
        for form in ["38;2;1;2;3", "38:2:1:2:3", "38:2::1:2:3", "38:2:0:1:2:3"] {
            assert_eq!(pen(form).fg, rgb(1, 2, 3), "{form}");
        }
        assert_eq!(pen("48;5;200").bg, indexed(200));
        assert_eq!(pen("58:5:9").underline_colour, indexed(9));
        assert_eq!(pen("38;5;300").fg, 0);
        assert_eq!(pen("97;107").style().fg, Colour::Indexed(15));
        let both = pen("38;2;1;2;3;48;5;7;1").style();
        assert_eq!((both.bg, both.attrs), (Colour::Indexed(7), Attrs::BOLD));
    }

    #[test]
    fn underlines() {
        assert_eq!(pen("4:3").underline(), Underline::Curly);
        assert_eq!(pen("4").underline(), Underline::Single);
        assert_eq!(pen("21").underline(), Underline::Double);
        assert_eq!(pen("4:3;24").underline(), Underline::None);
        assert_eq!(pen("4:0").underline(), Underline::None);
    }

    #[test]
    fn numbers_give_the_same_pen() {
        for form in ["1;2;3;4:3;5;7;8;9;53", "31;42", "93;104", "38;5;99;48;2;1;2;3;58;5;3"] {
            let style = pen(form).style();
            assert_eq!(pen(&numbers(&style, true)).style(), style, "{form}");
            assert_eq!(pen(&numbers(&style, false)).style(), style, "{form}");
        }
    }
}
