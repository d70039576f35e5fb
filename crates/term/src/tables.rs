//! What cells refer to by number: styles, grapheme clusters, links. Entries are interned and swept by
//! marking what the screens still use, so that a program with a new colour for every word costs no more
//! than what it shows. History keeps its own copies and is not marked.

use crate::cell::{Cell, Content, MAX_CLUSTERS};
use crate::style::Pen;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A multiply-and-fold hasher: the keys are a few words a program cannot profit from colliding, as a
/// table never holds more than what is on two screens.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fold(u64);

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, v: u8) {
        self.write_u64(u64::from(v));
    }

    fn write_u32(&mut self, v: u32) {
        self.write_u64(u64::from(v));
    }

    fn write_u64(&mut self, v: u64) {
        let wide = u128::from(self.0 ^ v ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }
}

type FoldMap<K> = HashMap<K, u32, BuildHasherDefault<Fold>>;

/// Interned styles; number 0 is the default.
#[derive(Clone)]
pub(crate) struct Styles {
    pens: Vec<Pen>,
    ids: FoldMap<Pen>,
    free: Vec<u32>,
    limit: usize,
}

/// Interned strings (clusters, links); number 0 is unused.
#[derive(Clone)]
pub(crate) struct Texts {
    texts: Vec<Box<str>>,
    ids: FoldMap<Box<str>>,
    free: Vec<u32>,
    limit: usize,
    bytes: usize,
    byte_limit: usize,
}

/// Entries after which a first sweep is due.
const FIRST_LIMIT: usize = 2048;
/// Bytes of text after which a first sweep is due, and those no table goes beyond.
const FIRST_BYTES: usize = 2 << 20;
const MAX_BYTES: usize = 16 << 20;

impl Default for Styles {
    fn default() -> Self {
        Self { pens: vec![Pen::default()], ids: FoldMap::default(), free: Vec::new(), limit: FIRST_LIMIT }
    }
}

impl Default for Texts {
    fn default() -> Self {
        Self {
            texts: vec!["".into()],
            ids: FoldMap::default(),
            free: Vec::new(),
            limit: FIRST_LIMIT,
            bytes: 0,
            byte_limit: FIRST_BYTES,
        }
    }
}

impl Styles {
    pub(crate) fn intern(&mut self, pen: Pen) -> u32 {
        if pen == Pen::default() {
            return 0;
        }
        if let Some(&id) = self.ids.get(&pen) {
            return id;
        }
        let id = match self.free.pop() {
            Some(id) => {
                self.pens[id as usize] = pen;
                id
            }
            None => {
                self.pens.push(pen);
                (self.pens.len() - 1) as u32
            }
        };
        self.ids.insert(pen, id);
        id
    }

    pub(crate) fn get(&self, id: u32) -> &Pen {
        &self.pens[id as usize]
    }

    pub(crate) fn full(&self) -> bool {
        self.ids.len() >= self.limit
    }

    fn sweep(&mut self, used: &[bool]) {
        let pens = &self.pens;
        self.ids.retain(|_, id| used[*id as usize]);
        self.free.clear();
        self.free.extend((1..pens.len() as u32).rev().filter(|&i| !used[i as usize]));
        self.limit = (self.ids.len() * 2).max(FIRST_LIMIT);
    }
}

impl Texts {
    /// The number of `text`; 0 when the table can take no more.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        if self.bytes + text.len() > MAX_BYTES {
            return 0;
        }
        let id = match self.free.pop() {
            Some(id) => {
                self.texts[id as usize] = text.into();
                id
            }
            None if self.texts.len() > MAX_CLUSTERS => return 0,
            None => {
                self.texts.push(text.into());
                (self.texts.len() - 1) as u32
            }
        };
        self.ids.insert(text.into(), id);
        self.bytes += text.len();
        id
    }

    pub(crate) fn get(&self, id: u32) -> &str {
        self.texts.get(id as usize).map_or("", |t| t)
    }

    pub(crate) fn full(&self) -> bool {
        self.ids.len() >= self.limit || self.bytes >= self.byte_limit
    }

    fn sweep(&mut self, used: &[bool]) {
        self.ids.retain(|_, id| used[*id as usize]);
        self.free.clear();
        for i in (1..self.texts.len()).rev().filter(|&i| !used[i]) {
            self.texts[i] = "".into();
            self.free.push(i as u32);
        }
        self.limit = (self.ids.len() * 2).max(FIRST_LIMIT);
        self.bytes = self.ids.keys().map(|t| t.len()).sum();
        self.byte_limit = (self.bytes * 2).max(FIRST_BYTES);
    }
}

/// The three tables of a terminal.
#[derive(Clone, Default)]
pub(crate) struct Tables {
    pub(crate) styles: Styles,
    pub(crate) clusters: Texts,
    pub(crate) links: Texts,
}

impl Tables {
    pub(crate) fn full(&self) -> bool {
        self.styles.full() || self.clusters.full() || self.links.full()
    }

    /// Frees every entry that none of `cells`, `styles` and `pens` refers to.
    pub(crate) fn sweep<'a>(
        &mut self,
        cells: impl Iterator<Item = &'a [Cell]>,
        styles: impl Iterator<Item = u32>,
        pens: impl Iterator<Item = Pen>,
    ) {
        let mut style_used = vec![false; self.styles.pens.len()];
        let mut cluster_used = vec![false; self.clusters.texts.len()];
        let mut link_used = vec![false; self.links.texts.len()];
        for cell in cells.flatten() {
            style_used[cell.style as usize] = true;
            if let Content::Cluster(id) = cell.content() {
                cluster_used[id as usize] = true;
            }
        }
        styles.for_each(|s| style_used[s as usize] = true);
        pens.for_each(|p| link_used[p.link as usize] = true);
        for (pen, _) in self.styles.pens.iter().zip(&style_used).filter(|(_, used)| **used) {
            link_used[pen.link as usize] = true;
        }
        self.styles.sweep(&style_used);
        self.clusters.sweep(&cluster_used);
        self.links.sweep(&link_used);
    }

    /// Appends what `cell` shows: nothing for a spacer, a space for a blank.
    pub(crate) fn push_text(&self, cell: Cell, to: &mut String) {
        if cell.is_spacer() {
            return;
        }
        match cell.content() {
            Content::Blank => to.push(' '),
            Content::Char(c) => to.push(c),
            Content::Cluster(id) => to.push_str(self.clusters.get(id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sweep_frees_what_is_not_marked() {
        let mut t = Tables::default();
        let pen = |n| Pen { fg: n, link: 0, ..Pen::default() };
        let kept = t.styles.intern(pen(1));
        (2..5000).for_each(|n| {
            t.styles.intern(pen(n));
        });
        assert!(t.full());
        let cells = [Cell::ascii(b'x', kept)];
        t.sweep([&cells[..]].into_iter(), std::iter::empty(), std::iter::empty());
        assert!(!t.full());
        assert_eq!((t.styles.get(kept).fg, t.styles.intern(pen(1))), (1, kept));
        assert_eq!(t.styles.pens.len(), 5000);
        t.styles.intern(pen(9999));
        assert_eq!(t.styles.pens.len(), 5000, "a freed number is used again");
    }

    #[test]
    fn texts_are_bounded_in_bytes() {
        let mut t = Texts::default();
        let long = "x".repeat(4000);
        let refused = (0..10_000).filter(|i| t.intern(&format!("{i}{long}")) == 0).count();
        assert!(refused > 5000 && t.bytes <= MAX_BYTES);
    }
}
