//! What the world is told when it begins: the names and numbers of this server, the catalogue, the
//! rules' share of the configuration, and where tokens come from.
//!
//! Not here: anything that changes with a request (`tree`, `clients`), any randomness of its own.

use std::fmt;
use std::sync::Arc;

use kraal_agents::{Catalog, Process};

use crate::input::Settings;

/// How many problems are kept for `Info`.
const PROBLEMS_KEPT: usize = 32;

/// Where fresh pane tokens come from: randomness is a parameter.
pub type Tokens = Box<dyn FnMut() -> String + Send>;

/// What a world is made with.
pub struct Setup {
    /// The environment's name.
    pub environment: String,
    /// Names the environment's life; a restart under running programs keeps the saved one.
    pub boot: String,
    /// `kraal 0.1.0`.
    pub app: String,
    /// The agents kraal knows.
    pub catalog: Arc<Catalog>,
    /// The rules' share of the configuration.
    pub settings: Settings,
    /// The folder of whatever names none.
    pub home: String,
    /// The server's process, for `Info`.
    pub pid: i32,
    /// The keeper's process, for `Info`.
    pub keeper: i32,
    /// A fresh token each call, never twice the same.
    pub tokens: Tokens,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup")
            .field("environment", &self.environment)
            .field("boot", &self.boot)
            .finish_non_exhaustive()
    }
}

/// What the world was told, and what it learned about the server itself.
#[derive(Debug)]
pub(crate) struct House {
    pub(crate) setup: Setup,
    /// How often the server was started again in this boot.
    pub(crate) restarts: u32,
    /// Problems the user should know, oldest first.
    pub(crate) problems: Vec<String>,
    /// Problems of the configuration as it was read last.
    pub(crate) config_problems: Vec<String>,
}

impl House {
    pub(crate) fn new(setup: Setup, restarts: u32) -> Self {
        House { setup, restarts, problems: Vec::new(), config_problems: Vec::new() }
    }

    pub(crate) fn problem(&mut self, sentence: &str) {
        if self.problems.iter().any(|known| known == sentence) {
            return;
        }
        if self.problems.len() == PROBLEMS_KEPT {
            self.problems.remove(0);
        }
        self.problems.push(sentence.to_owned());
    }

    /// Whether a command line is an agent's.
    pub(crate) fn launches_agent(&self, argv: &[String]) -> bool {
        let process = Process { argv: argv.to_vec(), ..Process::default() };
        !argv.is_empty() && self.setup.catalog.recognise(&[process]).is_some()
    }

    pub(crate) fn token(&mut self) -> String {
        (self.setup.tokens)()
    }
}
