//! The eight bytes of a cell: what it shows and the number of its style. Numbers are looked up in
//! `tables`; a cell alone cannot say which text a cluster is.
//! Not here: how cells are moved and erased (`grid`, `edit`).

/// One cell. `content` 0 is erased; otherwise a code point or a cluster number with the flags below.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) content: u32,
    pub(crate) style: u32,
}

/// `content` is a cluster number, not a code point.
const CLUSTER: u32 = 1 << 31;
/// First cell of two.
const WIDE: u32 = 1 << 30;
/// Second cell of two; shows nothing itself.
const SPACER: u32 = 1 << 29;
const VALUE: u32 = (1 << 24) - 1;

/// What a cell shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Blank,
    Char(char),
    Cluster(u32),
}

impl Cell {
    pub(crate) const fn blank(style: u32) -> Self {
        Self { content: 0, style }
    }

    pub(crate) const fn ascii(b: u8, style: u32) -> Self {
        Self { content: b as u32, style }
    }

    pub(crate) fn char(c: char, wide: bool, style: u32) -> Self {
        Self { content: c as u32 | if wide { WIDE } else { 0 }, style }
    }

    pub(crate) fn cluster(index: u32, wide: bool, style: u32) -> Self {
        Self { content: CLUSTER | index & VALUE | if wide { WIDE } else { 0 }, style }
    }

    pub(crate) const fn spacer(style: u32) -> Self {
        Self { content: SPACER, style }
    }

    pub(crate) fn is_blank(self) -> bool {
        self.content == 0
    }

    pub(crate) fn is_wide(self) -> bool {
        self.content & WIDE != 0
    }

    pub(crate) fn is_spacer(self) -> bool {
        self.content & SPACER != 0
    }

    /// The same cell squeezed into one column.
    pub(crate) fn narrowed(self) -> Self {
        Self { content: self.content & !WIDE, ..self }
    }

    /// The same cell as the first of two columns.
    pub(crate) fn widened(self) -> Self {
        Self { content: self.content | WIDE, ..self }
    }

    pub(crate) fn content(self) -> Content {
        if self.content & CLUSTER != 0 {
            Content::Cluster(self.content & VALUE)
        } else {
            match char::from_u32(self.content & VALUE) {
                Some('\0') | None => Content::Blank,
                Some(c) => Content::Char(c),
            }
        }
    }
}

/// Clusters a table may hold, from the bits of a cell.
pub(crate) const MAX_CLUSTERS: usize = VALUE as usize;
