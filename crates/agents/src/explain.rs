//! Why the detector said what it said: its last decisions with the evidence they stand on.
//!
//! Not here: how they are shown (`kraal agents explain`).

use std::collections::VecDeque;

use kraal_api::Verdict;
use serde::{Deserialize, Serialize};

/// One change of the verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// When, in the clock the detector is fed with.
    pub at_ms: u64,
    /// What it became.
    pub verdict: Verdict,
    /// The rule or event that decided: a rule's id, `status working`, `hook Stop`, `looked at`.
    pub rule: String,
    /// The rows, title or report it rests on, as they were.
    pub evidence: Vec<String>,
}

/// How many decisions are kept.
const KEPT: usize = 32;
/// A quoted row is cut at this many characters.
const QUOTE: usize = 200;

/// The last decisions, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explanation {
    decisions: VecDeque<Decision>,
}

impl Explanation {
    pub(crate) fn add(&mut self, mut decision: Decision) {
        for line in &mut decision.evidence {
            if let Some((at, _)) = line.char_indices().nth(QUOTE) {
                line.truncate(at);
                line.push('…');
            }
        }
        if self.decisions.len() == KEPT {
            self.decisions.pop_front();
        }
        self.decisions.push_back(decision);
    }

    pub(crate) fn list(&self) -> Vec<Decision> {
        self.decisions.iter().cloned().collect()
    }
}

impl From<Vec<Decision>> for Explanation {
    fn from(decisions: Vec<Decision>) -> Self {
        let mut explanation = Explanation::default();
        for decision in decisions {
            explanation.add(decision);
        }
        explanation
    }
}
