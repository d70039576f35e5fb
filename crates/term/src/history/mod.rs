//! Rows that left the screen: encoded once, kept in blocks, shown at any width. What a row looks like
//! in bytes is `encode`'s, where it lies `index`'s business; which rows come here is the grid's.
//!
//! Rows are numbered from 0 for ever. Rows written at the current width are one row of the view each;
//! older ones are re-wrapped when somebody looks, never when the terminal is resized.

mod blocks;
pub(crate) mod encode;
mod index;

pub use blocks::{HeapBlocks, HistoryBlocks};

use crate::cell::Cell;
use crate::reflow;
use crate::tables::Tables;
use encode::{CONTINUES, Decoded, Keep, Source, WIDE};
use index::Index;
use std::cell::RefCell;

/// Rows of one logical line that are wrapped together at another width; a longer one is cut there.
const MAX_JOINED: usize = 256;

/// A logical line of rows written at another width, as it falls at this one.
#[derive(Clone, Copy, Debug)]
struct Folded {
    /// Its first row's number.
    seq: u64,
    /// Rows of the view before it, counted from where the map starts.
    before: usize,
}

/// The re-wrapped part of the history.
#[derive(Clone, Debug, Default)]
struct Map {
    lines: Vec<Folded>,
    rows: usize,
}

/// Everything that scrolled away.
pub(crate) struct History {
    index: Index,
    limit: usize,
    cols: u16,
    /// Rows from this number on were written at `cols`.
    native: u64,
    /// Rows before this number were cleared by the program; a reader who is among them may stay.
    cleared: u64,
    map: RefCell<Option<Map>>,
    scratch: Vec<u8>,
}

/// A row of the view rebuilt, with the tables its numbers are of.
pub(crate) struct Rebuilt {
    pub(crate) row: Decoded,
    pub(crate) tables: Tables,
}

impl History {
    /// What `blocks` hold of rows before number `before`, to show at `cols`.
    pub(crate) fn open(blocks: Box<dyn HistoryBlocks>, limit: usize, cols: u16, before: u64) -> Self {
        let index = Index::open(blocks, before);
        let native = index.next();
        Self { index, limit, cols, native, cleared: 0, map: RefCell::default(), scratch: Vec::new() }
    }

    /// What is held, copied.
    pub(crate) fn copy(&self) -> HeapBlocks {
        self.index.copy()
    }

    /// The number the next row gets: rows ever pushed, less those taken back by a resize.
    pub(crate) fn next(&self) -> u64 {
        self.index.next()
    }

    /// Rows from this number on were written at the current width.
    pub(crate) fn native(&self) -> u64 {
        self.native
    }

    /// Takes over what a snapshot says of the rows: numbers go on from `next` where nothing was found.
    pub(crate) fn resume(&mut self, next: u64, native: u64, cleared: u64) {
        self.index.start_at(next);
        self.native = native.min(self.index.next());
        self.cleared = cleared.min(self.index.next());
        *self.map.get_mut() = None;
    }

    pub(crate) fn cleared(&self) -> u64 {
        self.cleared
    }

    /// Numbers of the oldest row and the next.
    pub(crate) fn span(&self) -> (u64, u64) {
        (self.first(), self.index.next())
    }

    /// The oldest row still held, cleared or not.
    fn oldest(&self) -> u64 {
        self.index.first().max(self.index.next().saturating_sub(self.limit as u64))
    }

    /// The oldest row not cleared.
    fn first(&self) -> u64 {
        self.oldest().max(self.cleared)
    }

    /// Takes a row that left the screen.
    pub(crate) fn push(&mut self, row: Source<'_>, tables: &Tables) {
        if self.limit == 0 {
            return;
        }
        let mut body = std::mem::take(&mut self.scratch);
        for keep in [Keep::All, Keep::NoLinks, Keep::BareText] {
            body.clear();
            encode::encode(row, tables, keep, &mut body);
            if body.len() <= self.index.room() {
                break;
            }
        }
        if body.len() <= self.index.room() {
            self.index.push(&body);
            self.index.drop_before(self.index.next().saturating_sub(self.limit as u64));
        }
        self.scratch = body;
    }

    /// Whether the last row continues on the screen.
    pub(crate) fn continues(&self) -> bool {
        self.last_entry().is_some_and(|e| e.flags & CONTINUES != 0)
    }

    fn last_entry(&self) -> Option<index::Entry> {
        let last = self.index.next().checked_sub(1)?;
        (last >= self.first()).then(|| self.index.entry(last))?
    }

    /// Takes the last row back, as it was written.
    pub(crate) fn pop(&mut self, tables: &mut Tables) -> Option<Decoded> {
        self.last_entry()?;
        let row = encode::decode(self.index.body(self.index.next() - 1)?, tables);
        self.index.pop();
        if self.native > self.index.next() {
            self.native = self.index.next();
            *self.map.get_mut() = None;
        }
        Some(row)
    }

    /// The grid has another width; nothing is re-wrapped before somebody looks.
    pub(crate) fn set_cols(&mut self, cols: u16) {
        if self.cols != cols {
            self.cols = cols;
            self.native = self.index.next();
            *self.map.get_mut() = None;
        }
    }

    /// CSI 3 J: there is no history any more. The rows stay until [`History::drop_cleared`] or until newer
    /// ones need their place, for a reader who is looking at them.
    pub(crate) fn clear(&mut self) {
        self.cleared = self.index.next();
    }

    /// Nobody looks at cleared rows: their memory is free.
    pub(crate) fn drop_cleared(&mut self) {
        self.index.drop_before(self.cleared);
    }

    /// Rows at the current width.
    pub(crate) fn len(&self) -> usize {
        self.rows_from(self.first())
    }

    /// The same with rows that were cleared and are still held.
    pub(crate) fn held(&self) -> usize {
        self.rows_from(self.oldest())
    }

    fn rows_from(&self, seq: u64) -> usize {
        let native = (self.index.next() - seq.max(self.native)) as usize;
        native + self.folded_from(seq)
    }

    fn folded_from(&self, seq: u64) -> usize {
        if seq >= self.native { 0 } else { self.with_map(|map| map.rows - map.gone(seq)) }
    }

    /// Row `at` of those [`History::held`], 0 being the oldest.
    pub(crate) fn row(&self, at: usize) -> Option<Rebuilt> {
        let first = self.oldest();
        let mut tables = Tables::default();
        let folded = self.folded_from(first);
        if at >= folded {
            let seq = first.max(self.native) + (at - folded) as u64;
            let row = encode::decode(self.index.body(seq)?, &mut tables);
            return Some(Rebuilt { row, tables });
        }
        let (seq, sub) = self.with_map(|map| map.locate(at + map.gone(first)))?;
        let (cells, fill, continues) = self.join(seq, &mut tables);
        let mut rows = reflow::wrap(cells, fill, self.cols.into());
        let last = rows.len().saturating_sub(1);
        let mut line = std::mem::take(rows.get_mut(sub)?);
        line.wrapped |= sub == last && continues;
        let row = Decoded { cells: line.cells, fill: line.fill, continues: line.wrapped };
        Some(Rebuilt { row, tables })
    }

    /// The stamp of row `at` of the view, without rebuilding it.
    pub(crate) fn row_stamp(&self, at: usize) -> u64 {
        let first = self.oldest();
        let folded = self.folded_from(first);
        if at >= folded {
            return self.stamp(first.max(self.native) + (at - folded) as u64, 0);
        }
        let place = self.with_map(|map| map.locate(at + map.gone(first)));
        place.map_or(0, |(seq, sub)| self.stamp(seq, sub))
    }

    /// A stamp no row of the screen has: the same row at the same width has the same.
    fn stamp(&self, seq: u64, sub: usize) -> u64 {
        let mut mixed = seq ^ (sub as u64) << 40 ^ u64::from(self.cols) << 52;
        for k in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
            mixed = (mixed ^ mixed >> 33).wrapping_mul(k);
        }
        mixed | 1 << 63
    }

    /// The last `rows` rows as written, oldest first, starting where a logical line starts.
    pub(crate) fn tail(&self, lines: usize, mut each: impl FnMut(Rebuilt)) {
        let (first, next) = (self.first(), self.index.next());
        let (mut from, mut ends) = (next, 0);
        while from > first {
            if self.index.entry(from - 1).is_some_and(|e| e.flags & CONTINUES == 0) {
                ends += 1;
                if ends > lines {
                    break;
                }
            }
            from -= 1;
        }
        for seq in from..next {
            let mut tables = Tables::default();
            if let Some(body) = self.index.body(seq) {
                let row = encode::decode(body, &mut tables);
                each(Rebuilt { row, tables });
            }
        }
    }

    /// The cells of the logical line that starts at row `seq`.
    fn join(&self, seq: u64, tables: &mut Tables) -> (Vec<Cell>, u32, bool) {
        let mut cells = Vec::new();
        for at in seq..(seq + MAX_JOINED as u64).min(self.native) {
            let Some(body) = self.index.body(at) else { break };
            let row = encode::decode(body, tables);
            cells.extend_from_slice(&row.cells);
            if !row.continues {
                return (cells, row.fill, false);
            }
        }
        (cells, 0, true)
    }

    fn with_map<R>(&self, f: impl FnOnce(&Map) -> R) -> R {
        f(self.map.borrow_mut().get_or_insert_with(|| self.fold()))
    }

    /// Counts how the rows of other widths fall at this one.
    fn fold(&self) -> Map {
        let cols = usize::from(self.cols);
        let mut map = Map::default();
        let mut line: Option<(u64, usize, bool, usize)> = None;
        for (seq, entry) in self.index.entries(self.oldest(), self.native) {
            let (start, mut width, mut wide, mut rows) = line.take().unwrap_or((seq, 0, false, 0));
            width += usize::from(entry.cols);
            wide |= entry.flags & WIDE != 0;
            rows += 1;
            if entry.flags & CONTINUES != 0 && rows < MAX_JOINED && seq + 1 < self.native {
                line = Some((start, width, wide, rows));
                continue;
            }
            map.lines.push(Folded { seq: start, before: map.rows });
            map.rows += if wide {
                let mut tables = Tables::default();
                let (cells, fill, _) = self.join(start, &mut tables);
                reflow::wrap(cells, fill, cols).len()
            } else {
                width.div_ceil(cols).max(1)
            };
        }
        map
    }
}

impl Map {
    /// Rows of the view that belong to lines whose start is no longer held.
    fn gone(&self, first: u64) -> usize {
        let at = self.lines.partition_point(|l| l.seq < first);
        self.lines.get(at).map_or(self.rows, |l| l.before)
    }

    /// Line and row within it of row `at`.
    fn locate(&self, at: usize) -> Option<(u64, usize)> {
        if at >= self.rows {
            return None;
        }
        let i = self.lines.partition_point(|l| l.before <= at).checked_sub(1)?;
        Some((self.lines[i].seq, at - self.lines[i].before))
    }
}
