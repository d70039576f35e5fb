//! Key events to the bytes a program expects, by its modes.

use super::KeyEvent;

/// The modes of a pane that shape key bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyModes;

/// Appends the bytes of `key`.
pub(crate) fn encode(_key: &KeyEvent, _modes: KeyModes, _out: &mut Vec<u8>) {}
