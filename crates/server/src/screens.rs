//! The rows of panes for an attached client: what it was sent, what changed since, and how fast.
//!
//! A client gets the newest rows when it can take them and never a backlog: one that stops reading
//! skips frames and catches up. Not here: sockets (`conn`), drawing (`tui`).

use std::collections::HashMap;

use kraal_api::PaneId;
use kraal_api::screen::{Colour, CursorShape, Fill, Head, MouseWish, Style, Underline, Writer, flag};
use kraal_api::stream;
use kraal_term::{Modes, Row, Terminal};

/// No pane is sent more often than this for long, in ms.
const PACE: u64 = 8;
/// A pane that was quiet may run ahead of its pace by this many ms: the echo of a key goes out at
/// once, also right after a prompt.
const BURST: u64 = 3 * PACE;
/// A program that began a frame and does not end it is shown after this long, in ms.
pub(crate) const SYNC_MAX: u64 = 1000;

/// What one client was sent of the panes it shows.
#[derive(Default)]
pub(crate) struct Screens {
    sent: HashMap<PaneId, Sent>,
}

#[derive(Default)]
struct Sent {
    head: Head,
    /// The terminal's stamp at that frame.
    stamp: u64,
    /// The rows the client has.
    rows: Vec<SentRow>,
    /// When the pane has earned its next frame, in monotonic ms.
    earned: u64,
    /// How far the client has scrolled up, counted in lines ever scrolled off: so that output does
    /// not move what it reads.
    reading: Option<u64>,
    fresh: bool,
}

/// A row as the client has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SentRow {
    /// The terminal's stamp of it: changes with every write.
    stamp: u64,
    /// What it holds: a program that paints the same again changes nothing.
    content: u64,
}

/// When a pane can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing changed.
    Never,
    /// Now.
    Now,
    /// Then.
    At(u64),
}

impl Screens {
    /// Keeps only these panes: what is not shown is not sent, and starts anew when shown again.
    pub(crate) fn retain(&mut self, shown: &[PaneId]) {
        self.sent.retain(|pane, _| shown.contains(pane));
        for pane in shown {
            self.sent.entry(*pane).or_insert_with(|| Sent { fresh: true, ..Sent::default() });
        }
    }

    /// The client scrolled a pane to this many rows above the live screen.
    pub(crate) fn scroll(&mut self, pane: PaneId, offset: u32, terminal: &Terminal) {
        let Some(sent) = self.sent.get_mut(&pane) else { return };
        let offset = (offset as usize).min(terminal.held_len());
        sent.reading = (offset > 0).then(|| terminal.lines_scrolled().saturating_sub(offset as u64));
        sent.stamp = u64::MAX;
    }

    /// Whether the client has scrolled up in a pane.
    pub(crate) fn reads(&self, pane: PaneId) -> bool {
        self.sent.get(&pane).is_some_and(|sent| sent.reading.is_some())
    }

    /// Whether a pane's frame is due.
    pub(crate) fn due(&self, pane: PaneId, terminal: &Terminal, sync_since: Option<u64>, now: u64) -> Due {
        let Some(sent) = self.sent.get(&pane) else { return Due::Never };
        if !sent.fresh && sent.stamp == terminal.stamp() {
            return Due::Never;
        }
        if let Some(since) = sync_since
            && !sent.fresh
            && now < since + SYNC_MAX
        {
            return Due::At(since + SYNC_MAX);
        }
        let at = sent.earned.saturating_sub(BURST);
        if sent.fresh || now >= at { Due::Now } else { Due::At(at) }
    }

    /// Appends the pane's frame: the rows that changed since the last.
    pub(crate) fn write(&mut self, pane: PaneId, terminal: &Terminal, now: u64, out: &mut Vec<u8>) {
        let Some(sent) = self.sent.get_mut(&pane) else { return };
        let offset = sent.reading.map_or(0, |at| {
            usize::try_from(terminal.lines_scrolled().saturating_sub(at))
                .unwrap_or(0)
                .min(terminal.held_len())
        });
        let mut head = head_of(pane, terminal, offset);
        let size = terminal.size();
        let fresh = std::mem::take(&mut sent.fresh)
            || (head.cols, head.rows) != (sent.head.cols, sent.head.rows)
            || sent.rows.len() != usize::from(size.rows);
        if fresh {
            head.flags |= flag::FRESH;
            sent.rows.clear();
            sent.rows.resize(usize::from(size.rows), SentRow::default());
        }
        let stamps: Vec<u64> = (0..size.rows).map(|y| terminal.view_row_stamp(offset, y)).collect();
        stream::frame(out, stream::Kind::Screen, |out| {
            let mut writer = Writer::new(out, &head);
            if !fresh && let Some(shift) = Shift::between(&sent.rows, &stamps) {
                writer.scroll(shift.top, shift.bottom, shift.by);
                shift.apply(&mut sent.rows);
            }
            for (y, (row, stamp)) in sent.rows.iter_mut().zip(&stamps).enumerate() {
                if !fresh && row.stamp == *stamp {
                    continue;
                }
                let mark = writer.mark();
                writer.row(y as u16);
                writer.forget_style();
                write_row(&mut writer, &terminal.view_row(offset, y as u16));
                let content = hash(&writer.since(&mark)[ROW_HEAD..]);
                if !fresh && row.content == content {
                    writer.rewind(mark);
                }
                *row = SentRow { stamp: *stamp, content };
            }
            writer.end();
        });
        head.flags &= !flag::FRESH;
        sent.head = head;
        sent.stamp = terminal.stamp();
        sent.earned = sent.earned.max(now) + PACE;
    }
}

fn head_of(pane: PaneId, terminal: &Terminal, offset: usize) -> Head {
    let size = terminal.size();
    let cursor = terminal.cursor();
    let modes = terminal.modes();
    let mut flags = 0;
    // A reader who scrolled up sees the cursor only where it really is.
    let y = usize::from(cursor.y) + offset;
    if cursor.visible && y < usize::from(size.rows) {
        flags |= flag::CURSOR_VISIBLE;
    }
    for (on, bit) in [
        (cursor.blink, flag::CURSOR_BLINKS),
        (modes.contains(Modes::ALT_SCREEN), flag::ALTERNATE),
        (modes.contains(Modes::BRACKETED_PASTE), flag::BRACKETED_PASTE),
    ] {
        if on {
            flags |= bit;
        }
    }
    Head {
        pane,
        cols: size.cols,
        rows: size.rows,
        cursor: (cursor.x, y.min(usize::from(size.rows) - 1) as u16),
        shape: match cursor.shape {
            kraal_term::CursorShape::Block => CursorShape::Block,
            kraal_term::CursorShape::Underline => CursorShape::Underline,
            kraal_term::CursorShape::Bar => CursorShape::Bar,
        },
        flags,
        mouse: if modes.contains(Modes::MOUSE_MOTION) {
            MouseWish::Motion
        } else if modes.contains(Modes::MOUSE_DRAG) {
            MouseWish::Drags
        } else if modes.wants_mouse() {
            MouseWish::Clicks
        } else {
            MouseWish::None
        },
        offset: offset as u32,
        history: terminal.held_len() as u32,
    }
}

/// A block of rows that moved as a whole: a scroll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    top: u16,
    bottom: u16,
    by: i16,
}

impl Shift {
    /// The scroll that explains most of what changed, when one does.
    fn between(had: &[SentRow], new: &[u64]) -> Option<Shift> {
        let old: Vec<u64> = had.iter().map(|row| row.stamp).collect();
        let top = old.iter().zip(new).position(|(a, b)| a != b)?;
        let bottom = old.len() - old.iter().zip(new).rev().position(|(a, b)| a != b)?;
        let (old, new) = (&old[top..bottom], &new[top..bottom]);
        if new.len() < 3 {
            return None;
        }
        // Up: the new first row stood further down. Down: the old first row stands further down now.
        let up = old.iter().position(|s| *s == new[0]).filter(|by| *by > 0);
        let down = new.iter().position(|s| *s == old[0]).filter(|by| *by > 0);
        let fits_up = |by: usize| new.iter().zip(&old[by..]).filter(|(a, b)| a == b).count();
        let fits_down = |by: usize| new[by..].iter().zip(old).filter(|(a, b)| a == b).count();
        let best = up
            .map(|by| (fits_up(by), by as i16))
            .into_iter()
            .chain(down.map(|by| (fits_down(by), -(by as i16))))
            .max()?;
        (best.0 * 3 >= new.len()).then_some(Shift { top: top as u16, bottom: bottom as u16, by: best.1 })
    }

    fn apply(self, rows: &mut [SentRow]) {
        let block = &mut rows[usize::from(self.top)..usize::from(self.bottom)];
        let by = usize::from(self.by.unsigned_abs()).min(block.len());
        let keep = block.len() - by;
        if self.by > 0 {
            block.rotate_left(by);
            block[keep..].fill(SentRow::default());
        } else {
            block.rotate_right(by);
            block[..by].fill(SentRow::default());
        }
    }
}

/// A row's tag and number stand before what it holds.
const ROW_HEAD: usize = 3;

/// Tells rows apart; two that differ are mistaken for each other once in 2⁶⁴.
fn hash(bytes: &[u8]) -> u64 {
    use std::hash::Hasher as _;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish()
}

fn write_row(writer: &mut Writer<'_>, row: &Row<'_>) {
    for run in row.runs() {
        let style = style_of(&run.style);
        row_text(&run, &mut |fill, text| writer.run(&style, run.link, fill, text));
    }
}

/// Parts a run's text by how it fills cells.
fn row_text(run: &kraal_term::Run<'_>, emit: &mut dyn FnMut(Fill, &str)) {
    let text: &str = &run.text;
    if text.is_ascii() {
        emit(Fill::Narrow, text);
        return;
    }
    // Single characters of one width go together; a cluster of several goes alone.
    let (mut from, mut at, mut width) = (0, 0, 0);
    for (cluster, cells) in run.clusters() {
        let single = cluster.chars().nth(1).is_none();
        if from < at && (!single || cells != width) {
            emit(if width == 2 { Fill::Wide } else { Fill::Narrow }, &text[from..at]);
            from = at;
        }
        at += cluster.len();
        width = cells;
        if !single {
            emit(if cells == 2 { Fill::WideCluster } else { Fill::NarrowCluster }, cluster);
            from = at;
        }
    }
    if from < at {
        emit(if width == 2 { Fill::Wide } else { Fill::Narrow }, &text[from..at]);
    }
}

fn colour_of(colour: kraal_term::Colour) -> Colour {
    match colour {
        kraal_term::Colour::Default => Colour::Default,
        kraal_term::Colour::Indexed(i) => Colour::Indexed(i),
        kraal_term::Colour::Rgb(r, g, b) => Colour::Rgb(r, g, b),
    }
}

fn style_of(style: &kraal_term::Style) -> Style {
    Style {
        fg: colour_of(style.fg),
        bg: colour_of(style.bg),
        underline_colour: style.underline_colour.map_or(Colour::Default, colour_of),
        underline: match style.underline {
            kraal_term::Underline::None => Underline::None,
            kraal_term::Underline::Single => Underline::Single,
            kraal_term::Underline::Double => Underline::Double,
            kraal_term::Underline::Curly => Underline::Curly,
            kraal_term::Underline::Dotted => Underline::Dotted,
            kraal_term::Underline::Dashed => Underline::Dashed,
        },
        // Both sides number the attributes alike; the test below holds them to it.
        attrs: style.attrs.bits() as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kraal_api::screen::attr;
    use kraal_term::Attrs;

    #[test]
    fn attributes_are_numbered_alike() {
        for (term, wire) in [
            (Attrs::BOLD, attr::BOLD),
            (Attrs::DIM, attr::DIM),
            (Attrs::ITALIC, attr::ITALIC),
            (Attrs::BLINK, attr::BLINK),
            (Attrs::INVERSE, attr::INVERSE),
            (Attrs::HIDDEN, attr::HIDDEN),
            (Attrs::STRIKE, attr::STRIKE),
            (Attrs::OVERLINE, attr::OVERLINE),
        ] {
            assert_eq!(term.bits() as u8, wire);
        }
    }

    fn rows(stamps: &[u64]) -> Vec<SentRow> {
        stamps.iter().map(|stamp| SentRow { stamp: *stamp, content: *stamp }).collect()
    }

    #[test]
    fn a_scroll_is_seen_as_one() {
        let old: Vec<u64> = (1..=10).collect();
        let new: Vec<u64> = [1, 2, 5, 6, 7, 8, 11, 12, 9, 10].into();
        let shift = Shift::between(&rows(&old), &new).expect("a scroll");
        assert_eq!(shift, Shift { top: 2, bottom: 8, by: 2 });
        let mut moved = rows(&old);
        shift.apply(&mut moved);
        assert_eq!(moved, rows(&[1, 2, 5, 6, 7, 8, 0, 0, 9, 10]));

        let down: Vec<u64> = [99, 1, 2, 3, 4, 5, 6, 7, 8, 9].into();
        assert_eq!(Shift::between(&rows(&old), &down), Some(Shift { top: 0, bottom: 10, by: -1 }));
        assert_eq!(Shift::between(&rows(&old), &old), None);
        assert_eq!(Shift::between(&rows(&old), &(101..=110).collect::<Vec<_>>()), None);
    }

    #[test]
    fn a_burst_goes_out_at_once_and_a_flood_at_its_pace() {
        let mut terminal = Terminal::new(kraal_term::Size { cols: 80, rows: 24 }, Default::default());
        let mut screens = Screens::default();
        let pane = PaneId(1);
        screens.retain(&[pane]);
        let mut sent = Vec::new();
        for now in 1000..2000 {
            terminal.feed(b"x\r\n", &mut Default::default());
            if screens.due(pane, &terminal, None, now) == Due::Now {
                screens.write(pane, &terminal, now, &mut Vec::new());
                sent.push(now);
            }
        }
        assert_eq!(sent[..4], [1000, 1001, 1002, 1003]);
        assert!((120..=130).contains(&sent.len()), "{} frames in a second", sent.len());
    }

    #[test]
    fn what_is_painted_again_the_same_is_not_sent_again() {
        let mut terminal = Terminal::new(kraal_term::Size { cols: 80, rows: 24 }, Default::default());
        let mut screens = Screens::default();
        let pane = PaneId(1);
        screens.retain(&[pane]);
        let mut frame = |terminal: &mut Terminal, counter: u32| {
            let mut text = String::from("\x1b[2J\x1b[H");
            for row in 0..20 {
                text += &format!("row {row} of a screen \x1b[3{}mpainted again\x1b[0m\r\n", row % 8);
            }
            terminal.feed(format!("{text}counter {counter}").as_bytes(), &mut Default::default());
            let mut out = Vec::new();
            screens.write(pane, terminal, u64::from(counter) * 100, &mut out);
            out.len()
        };
        let first = frame(&mut terminal, 1);
        let second = frame(&mut terminal, 2);
        assert!(first > 500 && second < 80, "{first} bytes, then {second}");
    }
}
