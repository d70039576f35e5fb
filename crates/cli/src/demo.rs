//! `kraal demo`: a throwaway session in a temporary home, with a sample repository and three sample
//! agents. It touches nothing of the user's and leaves nothing behind.
//!
//! Not here: the agents themselves (`sample`), the client (`tui`).

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kraal_api::panes::{AtEnd, Attention, OpenWorkspace, Opening, Place, Run};
use kraal_api::{PaneRef, Response, Verb};
use kraal_host::dirs::{Dirs, LONGEST_SOCKET_PATH};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use tempfile::TempDir;

use crate::client::Client;
use crate::failure::{Done, Failure};
use crate::output::{Format, Output};
use crate::sessions;
use crate::target::Target;

/// The session's name, and the workspace's.
const SESSION: &str = "demo";
const WORKSPACE: &str = "shop";

const HINT: &str = "alt+a: the agent that needs you · ctrl+b: the menu · ctrl+b d: leave the demo";

/// The files of the sample repository.
const FILES: &[(&str, &str)] = &[
    ("README.md", "# Shop\n\nA sample repository of `kraal demo`. Nothing in it is real.\n"),
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("src/main.rs", "mod cart;\nmod login;\n\nfn main() {\n    login::redirect(\"/cart\");\n}\n"),
    ("src/login.rs", "pub fn redirect(to: &str) {\n    println!(\"go to {to}\");\n}\n"),
    ("src/cart.rs", "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n"),
];

/// A sample agent of the demo.
struct Agent {
    name: &'static str,
    place: Place,
    /// The worktree it works in; the main checkout unless given.
    worktree: Option<&'static str>,
    scenario: &'static str,
    prompt: &'static str,
}

const AGENTS: &[Agent] = &[
    Agent {
        name: "login",
        place: Place::Right,
        worktree: None,
        scenario: "work:3s,say:I look at how the redirect is made.,work:3s,ask:cargo test login,work:4s,\
                   say:The redirect keeps its target now.,done",
        prompt: "Fix the login redirect",
    },
    Agent {
        name: "cart",
        place: Place::Down,
        worktree: None,
        scenario: "work:4s,say:The sum is taken once now instead of at every change.,work:5s,done",
        prompt: "Make the cart faster",
    },
    Agent {
        name: "changelog",
        place: Place::Tab,
        worktree: Some("changelog"),
        scenario: "work:12s,say:I collect what changed since the last version.,work:12s,edit:CHANGELOG.md,work:3s,done",
        prompt: "Write the changelog",
    },
];

pub(crate) fn run() -> Done {
    sessions::need_terminal()?;
    let asked_to_end = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // Without this, a signal while the demo is set up would leave its folder behind.
        signal_hook::flag::register(signal, Arc::clone(&asked_to_end))
            .map_err(|error| Failure::Failed(format!("cannot watch for signals: {error}")))?;
    }
    let home = Home::make()?;
    let demo = Demo { target: home.target()?, home };
    demo.fill(&asked_to_end)?;
    if !asked_to_end.load(Ordering::Relaxed) {
        let folder = demo.home.repository().display().to_string();
        sessions::show(&demo.target, Some(WORKSPACE.to_owned()), Some(folder), Some(HINT.to_owned()))?;
    }
    let folder = demo.home.0.path().to_owned();
    drop(demo);
    if folder.exists() {
        return Err(Failure::Failed(format!("the demo ended but left {}: remove it", folder.display())));
    }
    Output::new(Format::Table).line("[the demo ended and left nothing behind]")
}

/// The session and its home; dropped in this order: first the session ends, then the folder goes.
struct Demo {
    target: Target,
    home: Home,
}

impl Drop for Demo {
    fn drop(&mut self) {
        sessions::end_quietly(&self.target);
    }
}

impl Demo {
    /// Makes the repository and opens its panes.
    fn fill(&self, asked_to_end: &AtomicBool) -> Done {
        self.home.write_files()?;
        let repository = Git::make(&self.home);
        let mut client = self.target.client_or_start()?;
        let folder = self.home.repository().display().to_string();
        client.verb(Verb::OpenWorkspace(OpenWorkspace {
            name: Some(WORKSPACE.into()),
            folder: Some(folder),
        }))?;
        let mut from = None;
        for agent in AGENTS {
            if asked_to_end.load(Ordering::Relaxed) {
                return Ok(());
            }
            from = Some(self.open(&mut client, agent, repository.as_ref(), from)?);
        }
        Ok(())
    }

    fn open(
        &self,
        client: &mut Client,
        agent: &Agent,
        git: Option<&Git<'_>>,
        from: Option<PaneRef>,
    ) -> Result<PaneRef, Failure> {
        let exe = std::env::current_exe()
            .map_err(|error| Failure::failed(format!("cannot find this program's own file: {error}")))?;
        let worktree = agent.worktree.zip(git).and_then(|(name, git)| git.worktree(name));
        let cwd = worktree.unwrap_or_else(|| self.home.repository());
        let argv = [&exe.display().to_string(), "__sample-agent", "--scenario", agent.scenario, agent.prompt];
        let opening = Opening {
            place: agent.place,
            from,
            workspace: Some(WORKSPACE.to_owned()),
            name: Some(agent.name.to_owned()),
            cwd: Some(cwd.display().to_string()),
            attention: Attention::Background,
            at_end: AtEnd::Auto,
            ..Opening::default()
        };
        let run = Run { argv: argv.map(str::to_owned).to_vec(), opening };
        match client.verb(Verb::Run(run))? {
            Response::PaneOpened(opened) => Ok(PaneRef::Id(opened.pane)),
            other => Err(crate::panes::unexpected(&other)),
        }
    }
}

/// The temporary home, removed when dropped.
struct Home(TempDir);

impl Home {
    fn make() -> Result<Self, Failure> {
        let make = |within: &Path| tempfile::Builder::new().prefix("kraal-demo-").tempdir_in(within);
        let temporary = std::env::temp_dir();
        // A socket's path is short; a long TMPDIR would not leave room for it.
        let within = if temporary.as_os_str().len() + 60 > LONGEST_SOCKET_PATH {
            PathBuf::from("/tmp")
        } else {
            temporary
        };
        make(&within).map(Home).map_err(|error| {
            Failure::Failed(format!(
                "cannot make a temporary folder in {}: {error}: set TMPDIR to another",
                within.display()
            ))
        })
    }

    fn repository(&self) -> PathBuf {
        self.0.path().join(WORKSPACE)
    }

    /// The variables that keep everything within the temporary home.
    fn vars(&self) -> Vec<(&'static str, PathBuf)> {
        let home = self.0.path();
        vec![
            ("HOME", home.to_owned()),
            ("XDG_CONFIG_HOME", home.join(".config")),
            ("XDG_STATE_HOME", home.join(".local/state")),
            ("XDG_DATA_HOME", home.join(".local/share")),
            ("XDG_CACHE_HOME", home.join(".cache")),
            ("XDG_RUNTIME_DIR", home.join("run")),
        ]
    }

    fn target(&self) -> Result<Target, Failure> {
        let vars = self.vars();
        let find =
            |name: &str| vars.iter().find(|(known, _)| *known == name).map(|(_, path)| path.clone().into());
        let dirs = Dirs::from_vars(find, rustix::process::geteuid().as_raw())?;
        let vars =
            self.vars().into_iter().map(|(name, path)| (OsString::from(name), Some(path.into()))).collect();
        Ok(Target::given(SESSION, dirs, vars))
    }

    fn write_files(&self) -> Done {
        let written = FILES.iter().try_for_each(|(name, text)| {
            let path = self.repository().join(name);
            fs::create_dir_all(path.parent().expect("the files lie in the repository"))?;
            fs::write(path, text)
        });
        written.map_err(|error| Failure::Failed(format!("cannot write the sample repository: {error}")))
    }
}

/// The sample repository in git; without git it is only a folder.
struct Git<'a> {
    home: &'a Home,
}

impl<'a> Git<'a> {
    fn make(home: &'a Home) -> Option<Self> {
        let git = Git { home };
        let made = git.run(&["init", "--quiet", "--initial-branch=main"])
            && git.run(&["add", "."])
            && git.run(&["commit", "--quiet", "-m", "Open the shop"]);
        let changed = "pub fn redirect(to: &str) {\n    println!(\"going to {to}\");\n}\n";
        // A change and a new file, so that the branch mark has something to say.
        let _ = fs::write(home.repository().join("src/login.rs"), changed);
        let _ = fs::write(home.repository().join("NOTES.md"), "What the agents found.\n");
        made.then_some(git)
    }

    /// Makes a worktree on a branch of its own.
    fn worktree(&self, name: &str) -> Option<PathBuf> {
        let path = self.home.0.path().join(format!("{WORKSPACE}.worktrees")).join(name);
        let branch = format!("kraal/{name}");
        self.run(&["worktree", "add", "--quiet", "-b", &branch, &path.display().to_string()]).then_some(path)
    }

    fn run(&self, args: &[&str]) -> bool {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false"])
            .args(args);
        for (name, _) in std::env::vars_os() {
            // A repository named by the environment would be the user's.
            if name.to_string_lossy().starts_with("GIT_") {
                command.env_remove(name);
            }
        }
        command.envs(self.home.vars()).env("GIT_CONFIG_NOSYSTEM", "1");
        command
            .current_dir(self.home.repository())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_is_whole_and_goes() {
        let home = Home::make().unwrap();
        let path = home.0.path().to_owned();
        let target = home.target().unwrap();
        let dirs = target.dirs().unwrap();
        for folder in [&dirs.runtime, &dirs.state, &target.roots().unwrap().config] {
            assert!(folder.starts_with(&path), "{}", folder.display());
        }
        home.write_files().unwrap();
        if let Some(git) = Git::make(&home) {
            assert!(git.worktree("changelog").unwrap().join("README.md").exists());
        }
        drop(home);
        assert!(!path.exists());
    }
}
