//! Lines, corners and blocks as shapes, so that frames close whatever font the reader has.
//!
//! Only the light lines, rounded corners and plain blocks; other characters are left to the font.

/// Which halves of a light line a character has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Arms {
    up: bool,
    down: bool,
    left: bool,
    right: bool,
}

/// Character and its arms, as a string of u, d, l and r.
const LINES: &[(char, &str)] = &[
    ('─', "lr"),
    ('│', "ud"),
    ('┌', "dr"),
    ('┐', "dl"),
    ('└', "ur"),
    ('┘', "ul"),
    ('├', "udr"),
    ('┤', "udl"),
    ('┬', "dlr"),
    ('┴', "ulr"),
    ('┼', "udlr"),
    ('╴', "l"),
    ('╵', "u"),
    ('╶', "r"),
    ('╷', "d"),
];

/// Rounded corners and their arms.
const CORNERS: &[(char, &str)] = &[('╭', "dr"), ('╮', "dl"), ('╰', "ur"), ('╯', "ul")];

/// Where a cell lies, in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The SVG element of a drawn character, or `None` for one that the font draws.
pub(crate) fn shape(text: &str, place: Place, colour: &str) -> Option<String> {
    let mut chars = text.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    if let Some((_, arms)) = LINES.iter().find(|line| line.0 == c) {
        return Some(stroke(&straight(arms_of(arms), place), colour));
    }
    if let Some((_, arms)) = CORNERS.iter().find(|corner| corner.0 == c) {
        return Some(stroke(&rounded(arms_of(arms), place), colour));
    }
    block(c, place).map(|part| {
        let Place { x, y, width, height } = part;
        format!(r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" fill="{colour}"/>"#)
    })
}

fn arms_of(list: &str) -> Arms {
    let has = |arm| list.contains(arm);
    Arms { up: has('u'), down: has('d'), left: has('l'), right: has('r') }
}

fn stroke(path: &str, colour: &str) -> String {
    format!(r#"<path d="{path}" stroke="{colour}"/>"#)
}

fn middle(place: Place) -> (f64, f64) {
    (place.x + place.width / 2.0, place.y + place.height / 2.0)
}

fn straight(arms: Arms, place: Place) -> String {
    let (mx, my) = middle(place);
    let mut path = String::new();
    if arms.left || arms.right {
        let from = if arms.left { place.x } else { mx };
        let to = if arms.right { place.x + place.width } else { mx };
        path.push_str(&format!("M{from:.2} {my:.2}H{to:.2}"));
    }
    if arms.up || arms.down {
        let from = if arms.up { place.y } else { my };
        let to = if arms.down { place.y + place.height } else { my };
        path.push_str(&format!("M{mx:.2} {from:.2}V{to:.2}"));
    }
    path
}

fn rounded(arms: Arms, place: Place) -> String {
    let (mx, my) = middle(place);
    let x = if arms.left { place.x } else { place.x + place.width };
    let y = if arms.up { place.y } else { place.y + place.height };
    // The bend takes half a cell's width, so that it is a quarter of a circle.
    let bend = place.width / 2.0;
    let near = if arms.up { my - bend } else { my + bend };
    format!("M{mx:.2} {y:.2}V{near:.2}Q{mx:.2} {my:.2} {x:.2} {my:.2}")
}

/// The part of the cell that a block character fills.
fn block(c: char, place: Place) -> Option<Place> {
    let Place { x, y, width, height } = place;
    let code = u32::from(c);
    let eighths = |n: u32| f64::from(n) / 8.0;
    match code {
        0x2580 => Some(Place { height: height / 2.0, ..place }),
        // ▁ to █ grow from the bottom.
        0x2581..=0x2588 => {
            let part = height * eighths(code - 0x2580);
            Some(Place { y: y + height - part, height: part, ..place })
        }
        // ▉ to ▏ shrink towards the left.
        0x2589..=0x258f => Some(Place { width: width * eighths(0x2590 - code), ..place }),
        0x2590 => Some(Place { x: x + width / 2.0, width: width / 2.0, ..place }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Place = Place { x: 10.0, y: 20.0, width: 8.0, height: 16.0 };

    #[test]
    fn lines_reach_the_edges_of_their_cell() {
        assert_eq!(straight(arms_of("lr"), CELL), "M10.00 28.00H18.00");
        assert_eq!(straight(arms_of("udr"), CELL), "M14.00 28.00H18.00M14.00 20.00V36.00");
        assert_eq!(rounded(arms_of("dr"), CELL), "M14.00 36.00V32.00Q14.00 28.00 18.00 28.00");
    }

    #[test]
    fn blocks_fill_their_part_and_letters_are_left_to_the_font() {
        let half = block('▄', CELL).map(|part| (part.y, part.height));
        assert_eq!(half, Some((28.0, 8.0)));
        assert_eq!(block('▌', CELL).map(|part| part.width), Some(4.0));
        assert_eq!(shape("a", CELL, "#fff"), None);
        assert_eq!(shape("─x", CELL, "#fff"), None);
    }
}
