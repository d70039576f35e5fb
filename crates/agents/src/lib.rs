//! The coding agents, as data, and what follows from their evidence: which process is which agent
//! (`Catalog::recognise`), what it is doing (`Detector`), how it is started and resumed (`Agent`).
//!
//! An agent is one file `catalog/<name>.toml`; nothing in the code names one. Deliberately not
//! here: processes, screens and clocks themselves (`host`, `term`, `server` bring what they saw),
//! and what a change of state leads to (`core`).

mod agent;
mod catalog;
mod detector;
mod evidence;
mod explain;
mod file;
mod home;
mod hooks;
mod integrate;
mod process;
mod prompting;
mod reading;
mod resume;
mod screen;
mod sight;

pub use agent::{Agent, RunKind, Sample};
pub use catalog::{Catalog, Problem};
pub use detector::{Detector, Saved};
pub use evidence::{Evidence, HookReport, Progress, StatusReport};
pub use explain::Decision;
pub use home::{Home, Live};
pub use hooks::{Meaning, Report};
pub use integrate::{Edit, Integration, LeftAlone, Standing};
pub use process::Process;
pub use prompting::{Prompting, Sight as PromptSight, Step as PromptStep};
pub use reading::{Expected, Reading};
pub use resume::Resume;
pub use screen::{InputBox, ScreenShot};
