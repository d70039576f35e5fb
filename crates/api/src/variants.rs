//! The group *variants*: one task given to several harnesses, to compare.
//!
//! Not here: how a run goes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fields of `RunVariants`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunVariants {
    /// The task.
    pub prompt: String,
    /// Two to four.
    pub variants: Vec<Variant>,
    /// Run in each worktree once its variant finishes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The caller's unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// One variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// `ClaudeCode`, `Codex`, `Opencode` or `Acp:<id>`.
    pub harness: String,
    /// Its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Said besides the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// The answer to `RunVariants`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VariantsStarted {
    /// The run.
    pub run: u64,
    /// Uncommitted changes that the variants do not have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<u32>,
}

/// Fields of `Variants`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variants {
    /// All runs of the group unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<u64>,
}

/// Fields of `PickVariant`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PickVariant {
    /// The run.
    pub run: u64,
    /// The winner.
    pub variant: u32,
    /// What becomes of it.
    pub outcome: PickOutcome,
    /// Must be true.
    pub confirmed: bool,
}

/// What becomes of the winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PickOutcome {
    /// Its worktree becomes its session.
    KeepWorktree,
    /// Its changes are applied onto the base worktree.
    ApplyOntoBase,
}

/// The answer to `PickVariant`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VariantPicked {
    /// The run.
    pub run: u64,
    /// The winner.
    pub variant: u32,
}
