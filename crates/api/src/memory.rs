//! The group *memory*: keepsakes and digests, and who may read them.
//!
//! Not here: how they are stored and searched.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kraddies::Switch;

/// Fields of `RememberKraddie`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RememberKraddie {
    /// A Kraddie's name or id.
    pub name: String,
    /// The keepsake, one line.
    pub text: String,
}

/// The keepsakes a Kraddie carries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KraddieMemory {
    /// The Kraddie's id.
    pub kraddie: String,
    /// Each a keepsake.
    pub lines: Vec<String>,
    /// How many it may keep.
    pub limit: u32,
}

/// Fields of `KraddieRecall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KraddieRecall {
    /// A Kraddie's name or id.
    pub name: String,
    /// `list` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<RecallView>,
}

/// How much `KraddieRecall` shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecallView {
    /// The titles.
    #[default]
    List,
    /// Every fact.
    Show,
}

/// The answer to `KraddieRecall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Recalled {
    /// The Kraddie's id.
    pub kraddie: String,
    /// Its keepsakes.
    pub keepsakes: Vec<String>,
    /// The digests of its chats.
    pub digests: Vec<Digest>,
    /// The Kraddies it reads.
    pub reads: Vec<String>,
    /// Whether digests are drawn by themselves.
    pub automatic_digests: bool,
}

/// Facts drawn from a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Digest {
    /// Its memory id.
    pub id: String,
    /// The chat's title.
    pub chat: String,
    /// One line each.
    pub facts: Vec<String>,
}

/// Fields of `ShareKraddieMemory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShareKraddieMemory {
    /// Who reads.
    pub reader: String,
    /// Whose memory.
    pub from: String,
    /// On or off.
    pub switch: Switch,
}

/// The answer to `ShareKraddieMemory`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KraddieShared {
    /// The reader's id.
    pub kraddie: String,
    /// Whom it reads.
    pub reads: Vec<String>,
}

/// Fields of `MemorySearch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemorySearch {
    /// Words.
    pub query: String,
    /// 8 unless given, between 1 and 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A hit of `MemorySearch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryHit {
    /// For `MemoryRead`.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Where the words stand.
    pub excerpt: String,
}

/// Fields of `MemoryRead`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryRead {
    /// A memory id.
    pub id: String,
}

/// The answer to `MemoryRead`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryEntry {
    /// Its id.
    pub id: String,
    /// All of it.
    pub text: String,
}
