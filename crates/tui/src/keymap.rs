//! Which keys run which action, as data.

use kraal_api::config::{Keys, Problem};

/// What is wrong with the keys of a configuration; the rest of them apply.
pub fn check(_keys: &Keys) -> Vec<Problem> {
    Vec::new()
}
