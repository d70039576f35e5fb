//! Transcripts of the requests on worktrees: what leaves for the machine, and what follows from what
//! comes back.
//!
//! Not here: git, and what may go (`core::worktrees` has its own tests).

mod common;

use common::{Scene, inside, outside, request, verb};
use kraal_api::worktrees::{Removal, RemoveWorktree};
use kraal_api::{PaneId, Refusal, Response, State};
use kraal_core::jobs::{Before, Done, Job, Made};
use kraal_core::{Effect, Input, Revival};

const NEW: &str = r#"{"NewWorktree":{"folder":"/src/api","name":"fix-login","agent":"claude"}}"#;

fn made() -> Made {
    Made {
        name: "fix-login".into(),
        path: "/src/api.worktrees/fix-login".into(),
        branch: "kraal/fix-login".into(),
        number: 1,
        repository: "api".into(),
        home: "/src/api".into(),
        checkouts: vec!["/src/api".into(), "/src/api.worktrees/fix-login".into()],
        before: Some(Before {
            from: Some("/src/api".into()),
            copy: vec![".env".into()],
            run: vec!["npm ci".into()],
        }),
        ..Made::default()
    }
}

fn job(effects: &[Effect]) -> (kraal_core::Ticket, Job) {
    effects
        .iter()
        .find_map(|effect| match effect {
            Effect::Worktrees { ticket, job, .. } => Some((*ticket, job.clone())),
            _ => None,
        })
        .expect("a job leaves")
}

fn finish(scene: &mut Scene, effects: &[Effect], done: Done) -> Vec<Effect> {
    let (ticket, _) = job(effects);
    scene.input(Input::Worktrees { ticket, done })
}

#[test]
fn an_agent_in_a_new_worktree() {
    let mut scene = Scene::attached();
    scene.note("the user asks: a tab of its own, shown, with the setup before the agent");
    let asked = scene.user(NEW);
    finish(&mut scene, &asked, Done::Made(Box::new(made())));
    scene.tree();
    scene.note("the server goes before it is started: the setup is not left out");
    scene.restart(Revival::Running { alive: vec![(PaneId(1), None)] });
    scene.input(Input::Started { pane: PaneId(2), pid: 7 });
    scene.note("it started: the setup never runs again");
    scene.restart(Revival::Running { alive: vec![(PaneId(1), None)] });
    scene.note("an agent nobody knows: nothing is made");
    scene.user(r#"{"NewWorktree":{"folder":"/src/api","name":"b","agent":"claud"}}"#);
    scene.user(r#"{"NewWorktree":{"folder":"/src/api","name":"b","args":["-c"]}}"#);
    scene.note("the machine refuses");
    let asked = scene.user(NEW);
    finish(&mut scene, &asked, Done::Answer(Err(Refusal::failed("there is no repository in /src/api"))));
    insta::assert_snapshot!(scene.text);
}

#[test]
fn where_a_new_worktree_opens() {
    let mut scene = Scene::default();
    scene.note("into an empty session, from outside: a workspace named like the repository");
    let asked = scene.ask(7, outside(), verb(NEW));
    finish(&mut scene, &asked, Done::Made(Box::new(Made { before: None, ..made() })));
    scene.tree();
    scene.note("from outside again: the repository's workspace");
    let asked = scene.ask(7, outside(), verb(NEW));
    finish(&mut scene, &asked, Done::Made(Box::new(Made { before: None, name: "b".into(), ..made() })));
    scene.tree();
    scene.note("by an agent: in its own workspace, and nobody's view moves");
    scene.user(r#"{"OpenWorkspace":{"name":"web","folder":"/src/web"}}"#);
    scene.input(Input::Started { pane: PaneId(3), pid: 30 });
    scene.agent(3, State::Working, None);
    let asked = scene.ask(7, inside(3), verb(NEW));
    finish(&mut scene, &asked, Done::Made(Box::new(Made { before: None, name: "c".into(), ..made() })));
    scene.tree();
    scene.note("as a group of its own, by the API");
    let asked = scene.ask(7, inside(3), request(r#"{"CreateWorktree":{"name":"fix-login"}}"#));
    let left_out = Made { before: None, branch: "fix-login".into(), needs_approval: true, ..made() };
    finish(&mut scene, &asked, Done::Made(Box::new(left_out)));
    scene.tree();
    insta::assert_snapshot!(scene.text);
}

#[test]
fn panes_close_before_their_worktree_goes() {
    let mut scene = Scene::attached();
    scene.quietly(|scene| {
        for _ in 0..2 {
            scene.running(
                r#"{"Run":{"argv":["top"],"opening":{"cwd":"/src/api.worktrees/a","place":"tab"}}}"#,
            );
        }
    });
    let remove = RemoveWorktree {
        folder: "/src/api".into(),
        name: "a".into(),
        force: false,
        close: true,
        dry_run: false,
    };
    let close = || Done::Close {
        panes: vec![PaneId(2), PaneId(3)],
        home: "/src/api".into(),
        then: Box::new(Job::Remove { ask: remove.clone(), closed: vec![PaneId(2), PaneId(3)] }),
    };
    let ask = r#"{"RemoveWorktree":{"folder":"/src/api","name":"a","close":true}}"#;
    scene.note("asked from within: nothing closes");
    let asked = scene.ask(7, inside(3), verb(ask));
    finish(&mut scene, &asked, close());
    scene.note("asked by the user: the panes close, then the job goes on");
    let asked = scene.user(ask);
    let closed = finish(&mut scene, &asked, close());
    let removal = Removal {
        name: "a".into(),
        path: "/src/api.worktrees/a".into(),
        branch: Some("kraal/a".into()),
        at: Some("1a2b3c4".into()),
        branch_kept: None,
        lost: Vec::new(),
        ignored: Vec::new(),
        panes: vec![PaneId(2), PaneId(3)],
        refused: Vec::new(),
    };
    finish(&mut scene, &closed, Done::Answer(Ok(Response::WorktreeRemoved(removal))));
    scene.tree();
    scene.note("all panes of the session: a shell is left in the repository");
    let asked = scene.ask(8, outside(), verb(ask));
    let all = Done::Close {
        panes: vec![PaneId(1)],
        home: "/src/api".into(),
        then: Box::new(Job::Remove { ask: remove.clone(), closed: vec![PaneId(1)] }),
    };
    finish(&mut scene, &asked, all);
    scene.tree();
    scene.note("an agent closes nobody, forces nothing, approves nothing");
    scene.quietly(|scene| {
        scene.input(Input::Started { pane: PaneId(4), pid: 40 });
        scene.agent(4, State::Working, None);
    });
    for ask in [
        ask,
        r#"{"RemoveWorktree":{"folder":"/src/api","name":"a","force":true}}"#,
        r#"{"PruneWorktrees":{"folder":"/src/api","discard_ignored":true}}"#,
        r#"{"TrustWorktree":{"folder":"/src/api","content":"x"}}"#,
        r#"{"NewWorktree":{"folder":"/src/api","name":"b","preparing":{"approved":"x"}}}"#,
        r#"{"SetupWorktree":{"folder":"/src/api","preparing":{"approved":"x"}}}"#,
    ] {
        scene.ask(7, inside(4), verb(ask));
    }
    insta::assert_snapshot!(scene.text);
}
