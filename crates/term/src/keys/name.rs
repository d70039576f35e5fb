//! Names of keys as people write them: `ctrl+b`, `shift+tab`, `f5`.

use super::KeyEvent;

/// Why a name is no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyNameError(String);

impl std::fmt::Display for KeyNameError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is no key; write it like ctrl+b, shift+tab, enter, f5 or alt+left", self.0)
    }
}

impl std::error::Error for KeyNameError {}

/// Reads a key's name.
pub fn parse_name(name: &str) -> Result<KeyEvent, KeyNameError> {
    Err(KeyNameError(name.to_owned()))
}

impl std::fmt::Display for KeyEvent {
    fn fmt(&self, _f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}
