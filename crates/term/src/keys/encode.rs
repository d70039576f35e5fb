//! Key events to the bytes a program expects, by its modes.

use super::KeyEvent;
use crate::face::Modes;

/// The modes of a pane that shape key bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyModes {
    /// Flags of the kitty protocol.
    pub(crate) kitty: u8,
    /// modifyOtherKeys.
    pub(crate) other: u8,
    pub(crate) modes: Modes,
}

/// Appends the bytes of `key`.
pub(crate) fn encode(_key: &KeyEvent, _modes: KeyModes, _out: &mut Vec<u8>) {}

pub(crate) fn encode_paste(_text: &[u8], _bracketed: bool, _out: &mut Vec<u8>) {}
