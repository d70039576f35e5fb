//! How many columns a character or a cluster takes, and what joins the cluster before it. One rule for
//! grid, reports and readers; no locale, ambiguous width is narrow.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Code points in one cell at most; what comes after is dropped.
pub(crate) const MAX_CLUSTER_CHARS: usize = 20;
const MAX_CLUSTER_BYTES: usize = 80;

/// Columns of a character that stands alone: 0, 1 or 2.
pub fn char_width(c: char) -> u16 {
    match c {
        // Marks of their own width, not combining ones (they are Extend by the letter of the standard).
        '\u{ff9e}' | '\u{ff9f}' => 1,
        // A flag's half is drawn as a wide letter where it stands alone.
        '\u{1f1e6}'..='\u{1f1ff}' => 2,
        '\u{ad}' => 1,
        _ => c.width().unwrap_or(0).min(2) as u16,
    }
}

/// What the fast path may assume about a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Joins nothing unless something [`sticky`] stands before it; of this width.
    Alone(u16),
    /// May join the cluster before it; ask [`joins`].
    Maybe,
}

/// Sorts a character beyond ASCII.
#[inline]
pub(crate) fn class(c: char) -> Class {
    match c as u32 {
        0xa1..=0xac | 0xae..=0x2ff | 0x370..=0x482 | 0x48a..=0x52f => Class::Alone(1),
        0x2500..=0x259f | 0x2800..=0x28ff => Class::Alone(1),
        0x3041..=0x3096 | 0x30a1..=0x30fa | 0x3400..=0x4dbf | 0x4e00..=0x9fff => Class::Alone(2),
        0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff01..=0xff60 | 0x2_0000..=0x2_fffd | 0x3_0000..=0x3_fffd => {
            Class::Alone(2)
        }
        0x2010..=0x2027 | 0x2030..=0x205e | 0x20a0..=0x20cf | 0x2100..=0x24ff | 0x25a0..=0x27ff => {
            Class::Alone(char_width(c))
        }
        0x2900..=0x2bff | 0x3000..=0x3029 | 0xe000..=0xf8ff => Class::Alone(char_width(c)),
        0x1f000..=0x1f1e5 | 0x1f200..=0x1f3fa | 0x1f400..=0x1faff => Class::Alone(char_width(c)),
        _ => Class::Maybe,
    }
}

/// Whether anything at all may join a cluster that ends in `c`: joiners, the first part of a Hangul
/// syllable, and the letters the standard calls prepended.
pub(crate) fn sticky(c: char) -> bool {
    matches!(
        c as u32,
        0x200d | 0x1100..=0x115f | 0xa960..=0xa97c
            | 0x600..=0x605 | 0x6dd | 0x70f | 0x890..=0x891 | 0x8e2 | 0xd4e | 0x1_1000..=0x1_1fff
    )
}

/// Whether `c` belongs to the cluster `before`, and how wide the whole is then.
/// `buffer` is scratch and holds the joined cluster afterwards.
pub(crate) fn joins(before: &str, c: char, buffer: &mut String) -> Option<u16> {
    if matches!(c, '\u{ff9e}' | '\u{ff9f}') {
        return None;
    }
    buffer.clear();
    buffer.push_str(before);
    buffer.push(c);
    if buffer.graphemes(true).nth(1).is_some() {
        return None;
    }
    let width = cluster_width(buffer);
    let wide_modifier =
        matches!(c, '\u{1f3fb}'..='\u{1f3ff}') && buffer.width() > cluster_width(before).into();
    (!wide_modifier).then_some(width)
}

/// Whether a cluster has no room for more marks.
pub(crate) fn cluster_full(cluster: &str) -> bool {
    cluster.len() >= MAX_CLUSTER_BYTES || cluster.chars().count() >= MAX_CLUSTER_CHARS
}

/// Columns of one cluster: 1 or 2.
pub(crate) fn cluster_width(cluster: &str) -> u16 {
    let mut chars = cluster.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => char_width(c).max(1),
        _ => cluster.width().clamp(1, 2) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_agree_with_the_rule() {
        for c in (0x80..0x3_ffff).filter_map(char::from_u32) {
            if let Class::Alone(w) = class(c) {
                assert_eq!(w, char_width(c), "width of {:x}", c as u32);
                assert_eq!(joins("a", c, &mut String::new()), None, "{:x} joins a letter", c as u32);
            }
        }
    }

    #[test]
    fn only_after_something_sticky_may_everything_join() {
        let mut joined = String::new();
        for c in (0xa1..0x2_0000).filter_map(char::from_u32) {
            let before = String::from(c);
            let joins_any = ['世', '한', '─', '\u{1f600}', 'ж', '…']
                .into_iter()
                .any(|next| joins(&before, next, &mut joined).is_some());
            assert!(!joins_any || sticky(c), "{:x}", c as u32);
        }
    }

    #[test]
    fn clusters_have_one_width() {
        let mut s = String::new();
        assert_eq!(joins("\u{27a1}", '\u{fe0f}', &mut s), Some(2));
        assert_eq!(joins("a", '\u{fe0f}', &mut s), Some(1));
        assert_eq!(joins("a", '\u{301}', &mut s), Some(1));
        assert_eq!(joins("\u{1f44d}", '\u{1f3fd}', &mut s), Some(2));
        assert_eq!(joins("\u{1f469}\u{200d}", '\u{1f4bb}', &mut s), Some(2));
        assert_eq!(joins("\u{1f1eb}", '\u{1f1f7}', &mut s), Some(2));
        assert_eq!(joins("\u{1f1eb}\u{1f1f7}", '\u{1f1eb}', &mut s), None);
        assert_eq!(joins("\u{ff76}", '\u{ff9e}', &mut s), None);
        assert_eq!(joins("a", '\u{1f3fd}', &mut s), None);
    }
}
