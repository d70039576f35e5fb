//! Rows of cells to SVG: backgrounds, then lines and blocks, then runs of text.
//!
//! Each run says how wide it is, so that no font can shift what comes after it. No script, no font file,
//! nothing fetched.

use std::fmt::Write;

use super::ansi::{BOLD, Cell, HIDDEN, ITALIC, STRIKE, Style, Underline};
use super::boxes::{self, Place};
use super::palette::{self, BACKGROUND, FOREGROUND, hex};

const CELL_WIDTH: f64 = 8.4;
const CELL_HEIGHT: f64 = 18.0;
const FONT_SIZE: f64 = 14.0;
/// From the top of a row to the feet of its letters.
const BASELINE: f64 = 13.5;
const MARGIN: f64 = 14.0;
const FONT: &str = "ui-monospace, 'JetBrains Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// Cells of one row with the same look, drawn as one text.
struct Run<'a> {
    column: usize,
    columns: usize,
    text: String,
    style: &'a Style,
}

/// The whole picture.
pub(crate) fn paint(rows: &[Vec<Cell>]) -> String {
    let columns = rows.iter().map(|row| row.iter().map(|cell| cell.width).sum()).max().unwrap_or(0);
    let width = x_of(columns) + MARGIN;
    let height = y_of(rows.len()) + MARGIN;
    let (bg, fg) = (hex(BACKGROUND), hex(FOREGROUND));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" \
         width=\"{width:.1}\" height=\"{height:.1}\" font-family=\"{FONT}\" font-size=\"{FONT_SIZE}\" fill=\"{fg}\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{bg}\"/>\n"
    );
    for (row, cells) in rows.iter().enumerate() {
        paint_backgrounds(row, cells, &mut svg);
    }
    svg.push_str("<g fill=\"none\" stroke-width=\"1.2\">\n");
    let mut blocks = String::new();
    for (row, cells) in rows.iter().enumerate() {
        paint_shapes(row, cells, &mut svg, &mut blocks);
    }
    svg.push_str("</g>\n");
    svg.push_str(&blocks);
    for (row, cells) in rows.iter().enumerate() {
        for run in runs(cells) {
            paint_run(row, &run, &mut svg);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn x_of(column: usize) -> f64 {
    MARGIN + column as f64 * CELL_WIDTH
}

fn y_of(row: usize) -> f64 {
    MARGIN + row as f64 * CELL_HEIGHT
}

/// Each cell with the column it starts at.
fn placed(cells: &[Cell]) -> impl Iterator<Item = (usize, &Cell)> {
    cells.iter().scan(0, |column, cell| {
        let here = *column;
        *column += cell.width;
        Some((here, cell))
    })
}

fn paint_backgrounds(row: usize, cells: &[Cell], svg: &mut String) {
    let mut stretch: Option<(usize, usize, [u8; 3])> = None;
    let mut flush = |stretch: &mut Option<(usize, usize, [u8; 3])>| {
        if let Some((from, to, bg)) = stretch.take().filter(|(_, _, bg)| *bg != BACKGROUND) {
            let (x, y, width, fill) = (x_of(from), y_of(row), (to - from) as f64 * CELL_WIDTH, hex(bg));
            let _ = writeln!(
                svg,
                r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{CELL_HEIGHT}" fill="{fill}"/>"#
            );
        }
    };
    for (column, cell) in placed(cells) {
        let bg = palette::colours(&cell.style).1;
        match &mut stretch {
            Some((_, to, same)) if *same == bg => *to += cell.width,
            _ => {
                flush(&mut stretch);
                stretch = Some((column, column + cell.width, bg));
            }
        }
    }
    flush(&mut stretch);
}

fn paint_shapes(row: usize, cells: &[Cell], lines: &mut String, blocks: &mut String) {
    for (column, cell) in placed(cells).filter(|(_, cell)| !cell.style.is(HIDDEN)) {
        let place = Place { x: x_of(column), y: y_of(row), width: CELL_WIDTH, height: CELL_HEIGHT };
        if let Some(shape) = boxes::shape(&cell.text, place, &hex(palette::colours(&cell.style).0)) {
            let target = if shape.starts_with("<path") { &mut *lines } else { &mut *blocks };
            target.push_str(&shape);
            target.push('\n');
        }
    }
}

/// Whether the font draws this cell.
fn is_written(cell: &Cell) -> bool {
    let place = Place { x: 0.0, y: 0.0, width: 1.0, height: 1.0 };
    !cell.style.is(HIDDEN) && boxes::shape(&cell.text, place, "").is_none()
}

/// Cuts a row into texts without plain blanks around them: some viewers drop those, and shift the rest.
fn runs(cells: &[Cell]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for (column, cell) in placed(cells).filter(|(_, cell)| is_written(cell)) {
        // A cluster that is not one plain character stands alone: fonts disagree on its width.
        let alone = cell.width > 1 || cell.text.chars().count() > 1;
        let joins = runs.last().is_some_and(|run| {
            !alone && run.column + run.columns == column && *run.style == cell.style && run.text.is_ascii()
        });
        match runs.last_mut().filter(|_| joins) {
            Some(run) => {
                run.text.push_str(&cell.text);
                run.columns += cell.width;
            }
            None => {
                runs.push(Run { column, columns: cell.width, text: cell.text.clone(), style: &cell.style });
            }
        }
    }
    for run in &mut runs {
        if run.style.underline == Underline::None && !run.style.is(STRIKE) {
            let text = run.text.trim_start();
            run.column += run.text.len() - text.len();
            let text = text.trim_end();
            run.columns -= run.text.len() - text.len();
            run.text = text.to_owned();
        }
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}

fn paint_run(row: usize, run: &Run<'_>, svg: &mut String) {
    let (x, y) = (x_of(run.column), y_of(row) + BASELINE);
    let length = run.columns as f64 * CELL_WIDTH;
    let _ = write!(
        svg,
        r#"<text x="{x:.2}" y="{y:.2}" textLength="{length:.2}" lengthAdjust="spacingAndGlyphs" xml:space="preserve""#
    );
    let fg = palette::colours(run.style).0;
    if fg != FOREGROUND {
        let _ = write!(svg, r#" fill="{}""#, hex(fg));
    }
    if run.style.is(BOLD) {
        svg.push_str(r#" font-weight="bold""#);
    }
    if run.style.is(ITALIC) {
        svg.push_str(r#" font-style="italic""#);
    }
    if let Some(decoration) = decoration(run.style) {
        let _ = write!(svg, r#" style="text-decoration: {decoration}""#);
    }
    let _ = writeln!(svg, ">{}</text>", escaped(&run.text));
}

fn decoration(style: &Style) -> Option<String> {
    let shape = match style.underline {
        Underline::None => None,
        Underline::Single => Some("underline"),
        Underline::Double => Some("underline double"),
        Underline::Curly => Some("underline wavy"),
        Underline::Dotted => Some("underline dotted"),
        Underline::Dashed => Some("underline dashed"),
    };
    let struck = style.is(STRIKE).then_some("line-through");
    let colour = style.underline_colour.map(|colour| hex(palette::rgb(colour)));
    let parts: Vec<&str> = shape.into_iter().chain(struck).chain(colour.as_deref()).collect();
    (shape.is_some() || struck.is_some()).then(|| parts.join(" "))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::ansi::rows;

    fn texts(capture: &str) -> Vec<(usize, usize, String)> {
        let rows = rows(capture);
        runs(&rows[0]).into_iter().map(|run| (run.column, run.columns, run.text)).collect()
    }

    #[test]
    fn runs_break_at_styles_wide_clusters_and_drawn_characters() {
        assert_eq!(
            texts("ab \x1b[1mc世d│e  "),
            [
                (0, 2, "ab".to_owned()),
                (3, 1, "c".to_owned()),
                (4, 2, "世".to_owned()),
                (6, 1, "d".to_owned()),
                (8, 1, "e".to_owned())
            ]
        );
    }

    #[test]
    fn backgrounds_of_one_colour_are_one_rectangle() {
        let svg = paint(&rows("\x1b[41mab\x1b[1mc\x1b[0md\n"));
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains(r##"width="25.20" height="18" fill="#e06c75""##), "{svg}");
    }

    #[test]
    fn looks_become_attributes() {
        let svg = paint(&rows("\x1b[1;3;4:3;58;5;1;38;2;1;2;3mx"));
        for part in ["bold", "italic", "underline wavy #e06c75", "fill=\"#010203\""] {
            assert!(svg.contains(part), "{part} in {svg}");
        }
        assert!(!paint(&rows("\x1b[8msecret")).contains("secret"));
    }
}
