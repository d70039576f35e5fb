//! Which of an agent's files each event goes into, where it reads its hooks from several and one of them
//! silences another's: beside the user's own.
//!
//! Not here: reading the files (the command line), writing into one (`hooks_json`).

use serde::Deserialize;

use super::{Integration, LeftAlone, hooks_json};

/// When a file is written into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Place {
    /// Always; of several that share events, unless these belong elsewhere.
    #[default]
    Here,
    /// For the events of which the user keeps hooks there, and for all where they keep them nowhere else.
    Kept,
    /// Instead of the first file, where this one is there and that is not.
    Older,
}

impl Integration {
    /// The same files with the events that belong in each, given their texts: beside the user's own hooks for
    /// the same event. A file that gets none is one that kraal's part is taken out of.
    ///
    /// # Errors
    ///
    /// A text cannot be understood: which, and why.
    pub fn share_out(
        mut files: Vec<Integration>,
        texts: &[Option<String>],
    ) -> Result<Vec<Integration>, (usize, LeftAlone)> {
        let find = |place: Place| files.iter().position(|file| file.first().file.place == place);
        let Some(kept) = find(Place::Kept) else { return Ok(files) };
        let Some(usual) = find(Place::Here) else { return Ok(files) };
        let is_there = |at: &usize| texts.get(*at).is_some_and(Option::is_some);
        let older = find(Place::Older).filter(|older| is_there(older) && !is_there(&usual));
        let usual = older.unwrap_or(usual);
        let theirs = |at: usize| {
            let text = texts.get(at).and_then(Option::as_deref);
            hooks_json::theirs(files[at].first(), text).map_err(|why| (at, why))
        };
        let (in_usual, in_kept) = (theirs(usual)?, theirs(kept)?);
        let rest = if in_usual.is_empty() && !in_kept.is_empty() { kept } else { usual };
        let place = |event: &String| match () {
            () if in_usual.contains(event) => usual,
            () if in_kept.contains(event) => kept,
            () => rest,
        };
        for (at, file) in files.iter_mut().enumerate() {
            for part in &mut file.parts {
                part.events.retain(|event| place(event) == at);
            }
        }
        Ok(files)
    }

    /// Whether anything of kraal's belongs in it.
    pub fn is_wanted(&self) -> bool {
        self.parts.iter().any(|part| !part.events.is_empty())
    }
}
