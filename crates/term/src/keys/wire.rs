//! Key events between client and server.

use super::KeyEvent;

pub(crate) fn write(_key: &KeyEvent, _out: &mut Vec<u8>) {}

pub(crate) fn read(_bytes: &[u8]) -> Option<(KeyEvent, usize)> {
    None
}
