//! A refusal: a code a program can match and a sentence a person can act on.
//!
//! Not here: when something is refused (`core::rights` and the handlers decide).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a request was refused. Codes never change meaning in v1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The request itself is wrong: shape, field, value.
    BadRequest,
    /// A wrong token, or a peer of another user.
    Unauthorized,
    /// Another envelope or API version than the served one.
    UnsupportedVersion,
    /// No such thing.
    NotFound,
    /// It exists and belongs to somebody else.
    NotOwned,
    /// The caller may not do this.
    Forbidden,
    /// Memory the caller may not read.
    OutOfReach,
    /// Not now: it works, or it waits for the user.
    Busy,
    /// Not served here.
    Unsupported,
    /// It was tried and went wrong.
    Failed,
    /// The worktree holds something that would be lost.
    WorktreeNotClean,
}

impl Code {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Code::BadRequest => "bad_request",
            Code::Unauthorized => "unauthorized",
            Code::UnsupportedVersion => "unsupported_version",
            Code::NotFound => "not_found",
            Code::NotOwned => "not_owned",
            Code::Forbidden => "forbidden",
            Code::OutOfReach => "out_of_reach",
            Code::Busy => "busy",
            Code::Unsupported => "unsupported",
            Code::Failed => "failed",
            Code::WorktreeNotClean => "worktree_not_clean",
        }
    }
}

/// The error of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refusal {
    /// For programs.
    pub code: Code,
    /// One sentence for a person: what was refused and the way out.
    pub message: String,
}

impl Refusal {
    /// A refusal with its sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Refusal { code, message: message.into() }
    }

    /// `bad_request`.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    /// `not_found`.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// `forbidden`.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(Code::Forbidden, message)
    }

    /// `unsupported`.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(Code::Unsupported, message)
    }

    /// `failed`.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Code::Failed, message)
    }

    /// `busy`.
    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(Code::Busy, message)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code.word())
    }
}

impl std::error::Error for Refusal {}
