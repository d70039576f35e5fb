//! The shortest SGR from one look to another, in the colours a terminal has.
//!
//! Not here: links (an OSC, `paint` writes it), which looks there are.

use kraal_api::screen::{Colour, Underline, attr};

use crate::look::Look;

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Depth {
    /// None: attributes only.
    Mono,
    /// The sixteen.
    Sixteen,
    /// The palette of 256.
    Palette,
    /// All.
    True,
}

/// Each attribute with the parameters that set and reset it.
const ATTRS: [(u8, &str, &str); 8] = [
    (attr::BOLD, "1", "22"),
    (attr::DIM, "2", "22"),
    (attr::ITALIC, "3", "23"),
    (attr::BLINK, "5", "25"),
    (attr::INVERSE, "7", "27"),
    (attr::HIDDEN, "8", "28"),
    (attr::STRIKE, "9", "29"),
    (attr::OVERLINE, "53", "55"),
];

/// Appends what changes the pen; nothing when both look the same on this terminal.
pub(super) fn change(from: Look, to: Look, depth: Depth, modern: bool, out: &mut Vec<u8>) {
    let mut steps = Params::default();
    steps.between(from, to, depth, modern);
    if steps.0.is_empty() {
        return;
    }
    let mut fresh = Params::default();
    fresh.push("0");
    fresh.between(Look::PLAIN, to, depth, modern);
    let best = if fresh.0.len() < steps.0.len() { fresh } else { steps };
    out.extend_from_slice(b"\x1b[");
    // A lone 0 may be left out.
    out.extend_from_slice(if best.0 == "0" { b"" } else { best.0.as_bytes() });
    out.push(b'm');
}

#[derive(Default)]
struct Params(String);

impl Params {
    fn push(&mut self, param: &str) {
        if !self.0.is_empty() {
            self.0.push(';');
        }
        self.0.push_str(param);
    }

    fn between(&mut self, from: Look, to: Look, depth: Depth, modern: bool) {
        let (mut had, wants) = (from.attrs(), to.attrs());
        for (bit, _, reset) in ATTRS {
            if had & bit != 0 && wants & bit == 0 {
                self.push(reset);
                // 22 takes bold and dim away together.
                had &= if reset == "22" { !(attr::BOLD | attr::DIM) } else { !bit };
            }
        }
        for (bit, set, _) in ATTRS {
            if wants & bit != 0 && had & bit == 0 {
                self.push(set);
            }
        }
        let (was, is) = (underline(from, modern), underline(to, modern));
        if was != is {
            self.push(is);
        }
        for (base, was, is) in
            [(30, from.foreground(), to.foreground()), (40, from.background(), to.background())]
        {
            let (was, is) = (reduce(was, depth), reduce(is, depth));
            if was != is {
                self.colour(base, is);
            }
        }
        let (was, is) = (reduce(from.underline_colour(), depth), reduce(to.underline_colour(), depth));
        if modern && was != is {
            match is {
                Colour::Default => self.push("59"),
                Colour::Indexed(i) => self.push(&format!("58:5:{i}")),
                Colour::Rgb(r, g, b) => self.push(&format!("58:2::{r}:{g}:{b}")),
            }
        }
    }

    fn colour(&mut self, base: u8, colour: Colour) {
        match colour {
            Colour::Default => self.push(&(base + 9).to_string()),
            Colour::Indexed(i @ 0..8) => self.push(&(base + i).to_string()),
            Colour::Indexed(i @ 8..16) => self.push(&(base + 60 + i - 8).to_string()),
            Colour::Indexed(i) => self.push(&format!("{};5;{i}", base + 8)),
            Colour::Rgb(r, g, b) => self.push(&format!("{};2;{r};{g};{b}", base + 8)),
        }
    }
}

fn underline(look: Look, modern: bool) -> &'static str {
    match (look.underline(), modern) {
        (Underline::None, _) => "24",
        (Underline::Single, _) | (_, false) => "4",
        (Underline::Double, true) => "4:2",
        (Underline::Curly, true) => "4:3",
        (Underline::Dotted, true) => "4:4",
        (Underline::Dashed, true) => "4:5",
    }
}

/// The nearest colour a terminal of this depth has.
fn reduce(colour: Colour, depth: Depth) -> Colour {
    match (colour, depth) {
        (Colour::Default, _) | (_, Depth::Mono) => Colour::Default,
        (_, Depth::True) | (Colour::Indexed(_), Depth::Palette) | (Colour::Indexed(0..16), _) => colour,
        (Colour::Rgb(r, g, b), Depth::Palette) => Colour::Indexed(to_palette([r, g, b])),
        (Colour::Rgb(r, g, b), Depth::Sixteen) => Colour::Indexed(to_sixteen([r, g, b])),
        (Colour::Indexed(i), Depth::Sixteen) => Colour::Indexed(to_sixteen(of_palette(i))),
    }
}

/// The levels of the palette's 6×6×6 cube.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

fn to_palette(rgb: [u8; 3]) -> u8 {
    let step =
        |v: u8| LEVELS.iter().enumerate().min_by_key(|(_, l)| l.abs_diff(v)).map_or(0, |(i, _)| i as u8);
    let [r, g, b] = rgb.map(step);
    let cube = 16 + 36 * r + 6 * g + b;
    let mean = (u16::from(rgb[0]) + u16::from(rgb[1]) + u16::from(rgb[2])) / 3;
    let grey = 232 + (mean.saturating_sub(3) / 10).min(23) as u8;
    if distance(rgb, of_palette(grey)) < distance(rgb, of_palette(cube)) { grey } else { cube }
}

fn of_palette(index: u8) -> [u8; 3] {
    match index {
        0..16 => SIXTEEN[usize::from(index)],
        16..232 => {
            let cube = index - 16;
            [cube / 36, cube / 6 % 6, cube % 6].map(|step| LEVELS[usize::from(step)])
        }
        232.. => [8 + 10 * (index - 232); 3],
    }
}

fn to_sixteen(rgb: [u8; 3]) -> u8 {
    (0..16u8).min_by_key(|i| distance(rgb, SIXTEEN[usize::from(*i)])).unwrap_or(7)
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// xterm's sixteen.
const SIXTEEN: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(from: Look, to: Look, depth: Depth) -> String {
        let mut out = Vec::new();
        change(from, to, depth, true, &mut out);
        String::from_utf8_lossy(&out).replace('\x1b', "")
    }

    #[test]
    fn only_the_difference_is_said() {
        let red = Look::PLAIN.fg(Colour::Indexed(1));
        assert_eq!(bytes(Look::PLAIN, red, Depth::True), "[31m");
        assert_eq!(bytes(red, red.bold(), Depth::True), "[1m");
        assert_eq!(bytes(red.bold(), red, Depth::True), "[22m");
        assert_eq!(bytes(red.bold(), Look::PLAIN, Depth::True), "[m");
        assert_eq!(bytes(red.bold().dim(), red.dim(), Depth::True), "[22;2m");
        assert_eq!(bytes(red, red.fg(Colour::Rgb(1, 2, 3)), Depth::True), "[38;2;1;2;3m");
        assert_eq!(bytes(red, red, Depth::True), "");
    }

    #[test]
    fn colours_a_terminal_lacks_become_near_ones() {
        let rgb = Look::PLAIN.fg(Colour::Rgb(250, 10, 10));
        assert_eq!(bytes(Look::PLAIN, rgb, Depth::Palette), "[38;5;196m");
        assert_eq!(bytes(Look::PLAIN, rgb, Depth::Sixteen), "[91m");
        assert_eq!(bytes(Look::PLAIN, rgb, Depth::Mono), "");
        assert_eq!(to_palette([128, 128, 128]), 244);
    }
}
