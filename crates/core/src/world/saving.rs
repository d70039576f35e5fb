//! A world to what is saved, and back: under programs that run on, or after a reboot.
//!
//! Not here: the saved form itself (`saved`), mending what does not fit together (`tree::repair`).

use std::collections::BTreeMap;

use kraal_api::events::Happening;
use kraal_api::model::{Exit, Pane, Phase};
use kraal_api::panes::AtEnd;
use kraal_api::{PaneId, WorkspaceId};

use super::World;
use crate::agents::Rows;
use crate::clients::Clients;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::events::Log;
use crate::focus::Focus;
use crate::house::{House, Setup};
use crate::notify::Notices;
use crate::outbox::Outbox;
use crate::panes::{self, Held};
use crate::resume::{Again, again};
use crate::saved::{Revival, Saved, SavedLog, SavedPane, SavedRows, VERSION};
use crate::tree::repair::Parts;
use crate::tree::{Opener, PaneState, Tree};
use crate::waits::Waits;
use crate::worktrees::Jobs;

/// How a program ended that nobody saw ending: its terminal was hung up.
const HUNG_UP: Exit = Exit::Signal(1);

/// What must outlive this server.
pub(super) fn save(world: &World) -> Saved {
    let tree = &world.tree;
    Saved {
        version: VERSION,
        boot: world.log.boot().to_owned(),
        restarts: world.house.restarts,
        next: tree.next(),
        workspaces: tree.workspaces().to_vec(),
        panes: tree.panes().map(saved_pane).collect(),
        recent: tree.recent.clone(),
        areas: tree.areas.clone(),
        looked_at: tree.looked_at,
        events: world.log.save(),
        agents: world.rows.save(),
        notified: world.notices.save(),
    }
}

fn saved_pane(pane: &PaneState) -> SavedPane {
    SavedPane {
        facts: pane.facts.clone(),
        token: pane.token.clone(),
        pid: pane.pid,
        size: pane.size,
        opened_by: pane.opener.pane(),
        opened_by_agent: matches!(pane.opener, Opener::Agent(_)),
        at_end: pane.at_end,
        env: pane.env.clone(),
        lead: pane.lead,
        busy: pane.busy,
        run: pane.run.clone(),
        was_shell: pane.was_shell,
        before: pane.before.clone(),
    }
}

fn pane_of(house: &House, saved: &SavedPane) -> PaneState {
    PaneState {
        launches_agent: house.launches_agent(&saved.facts.argv),
        facts: saved.facts.clone(),
        token: saved.token.clone(),
        pid: saved.pid,
        size: (saved.size.0.max(1), saved.size.1.max(1)),
        opener: match saved.opened_by {
            None => Opener::Outside,
            Some(opener) if saved.opened_by_agent => Opener::Agent(opener),
            Some(opener) => Opener::Pane(opener),
        },
        at_end: saved.at_end,
        env: saved.env.clone(),
        lead: saved.lead,
        busy: saved.busy,
        run: saved.run.clone(),
        asked: None,
        was_shell: saved.was_shell,
        before: saved.before.clone(),
        rang_at: 0,
    }
}

/// An empty world, with what it was told.
pub(super) fn empty(setup: Setup) -> World {
    let boot = setup.boot.clone();
    let house = House::new(setup, 0);
    assemble(house, Tree::default(), Log::new(boot.clone()), Rows::new(boot))
}

fn assemble(house: House, tree: Tree, log: Log, rows: Rows) -> World {
    World {
        house,
        tree,
        clients: Clients::default(),
        focus: Focus::default(),
        log,
        rows,
        waits: Waits::default(),
        notices: Notices::default(),
        held: Held::default(),
        jobs: Jobs::default(),
        ended: false,
    }
}

/// A world as it was saved, and what happened to its programs meanwhile.
pub(super) fn restore(setup: Setup, saved: &Saved, revival: Revival, out: &mut Outbox) -> World {
    let reboot = matches!(revival, Revival::Rebooted);
    let boot = if reboot { setup.boot.clone() } else { saved.boot.clone() };
    let house = House::new(setup, if reboot { 0 } else { saved.restarts.saturating_add(1) });
    let panes = saved.panes.iter().map(|pane| (pane.facts.id, pane_of(&house, pane))).collect();
    let tree = Tree::of_parts(Parts {
        workspaces: saved.workspaces.clone(),
        panes,
        recent: saved.recent.clone(),
        areas: saved.areas.clone(),
        looked_at: saved.looked_at,
        next: saved.next,
    });
    let (events, rows) = if reboot {
        (SavedLog { seq: 0, recent: Vec::new() }, SavedRows::default())
    } else {
        (saved.events.clone(), saved.agents.clone())
    };
    let log = Log::of_saved(boot.clone(), &events);
    let rows = Rows::of_saved(boot, &rows, &tree);
    let mut world = assemble(house, tree, log, rows);
    out.tell(Happening::ServerStarted { restarts: world.house.restarts });
    out.touched = world.rows.known();
    out.touched.extend(world.tree.in_order());
    match revival {
        Revival::Rebooted => rebooted(&mut world, out),
        Revival::Running { alive } => {
            world.notices = Notices::of_saved(&saved.notified, &world.tree);
            running(&mut world, out, &alive.into_iter().collect());
        }
    }
    world
}

/// Shells start where they were, agents whose conversation is known are taken up again; commands and
/// other agents wait for the user.
fn rebooted(world: &mut World, out: &mut Outbox) {
    for id in world.tree.in_order() {
        let token = world.house.token();
        let World { tree, house, .. } = &mut *world;
        let Some(pane) = tree.pane_mut(id) else { continue };
        pane.token = token;
        pane.pid = None;
        pane.busy = None;
        pane.lead = false;
        let ran = pane.facts.agent.take().is_some();
        pane.facts.progress = None;
        pane.facts.branch = None;
        pane.facts.title.clear();
        let next = if ran { again(house, pane) } else { Again::No };
        if let Again::Run(argv) = next {
            pane.take_up(argv);
            pane.facts.phase = Phase::Starting;
            out.starts.insert(id);
        } else if let Again::Show(argv) = next {
            pane.take_up(argv);
            pane.facts.phase = Phase::Waiting;
        } else if pane.facts.argv.is_empty() || pane.was_shell {
            pane.begin_shell();
            out.starts.insert(id);
        } else if !matches!(pane.facts.phase, Phase::Exited(_)) {
            pane.facts.phase = Phase::Waiting;
        }
    }
}

/// What the keeper says of each program.
fn running(world: &mut World, out: &mut Outbox, alive: &BTreeMap<PaneId, Option<Exit>>) {
    let World { tree, clients, house, .. } = world;
    let desk = &mut Desk { tree, clients, house, out };
    for (id, exit) in alive {
        if desk.tree.pane(*id).is_none() && exit.is_none() {
            adopt(desk, *id);
        }
    }
    for id in desk.tree.in_order() {
        match alive.get(&id) {
            // It was started, and the word of it died with the server.
            Some(None) => {
                if let Some(pane) =
                    desk.tree.pane_mut(id).filter(|pane| !matches!(pane.facts.phase, Phase::Running))
                {
                    pane.facts.phase = Phase::Running;
                    desk.out.touch(id);
                }
            }
            Some(Some(exit)) => panes::exited(desk, id, *exit),
            // The server went between saving and starting it.
            None if desk.tree.pane(id).is_some_and(|pane| pane.facts.phase == Phase::Starting) => {
                desk.out.starts.insert(id);
            }
            None => panes::exited(desk, id, HUNG_UP),
        }
    }
}

/// A program runs whose pane was never saved: it gets a tab of its own, and nothing is lost.
fn adopt(desk: &mut Desk<'_>, id: PaneId) {
    let home = desk.house.setup.home.clone();
    let facts = Pane {
        id,
        name: None,
        title: String::new(),
        argv: Vec::new(),
        cwd: home.clone(),
        phase: Phase::Running,
        branch: None,
        agent: None,
        progress: None,
    };
    let pane = PaneState {
        facts,
        token: desk.house.token(),
        pid: None,
        size: (1, 1),
        opener: Opener::Outside,
        at_end: AtEnd::Auto,
        env: BTreeMap::new(),
        lead: false,
        launches_agent: false,
        busy: None,
        run: None,
        asked: None,
        was_shell: false,
        before: None,
        rang_at: 0,
    };
    let last: Option<WorkspaceId> = desk.tree.workspaces().last().map(|workspace| workspace.id);
    let tab = match last {
        Some(workspace) => desk.tree.add_tab(workspace, None, pane),
        None => Some(desk.tree.add_workspace("main".to_owned(), home, pane).1),
    };
    desk.tree.number_above(id);
    let Some(tab) = tab else { return };
    let workspace = desk.tree.tab(tab).map_or_else(String::new, |(workspace, _)| workspace.name.clone());
    desk.out.tell(Happening::TabOpened { tab, workspace: workspace.clone() });
    desk.out.tell(Happening::PaneOpened { pane: id, tab, workspace, argv: Vec::new() });
    desk.out.touched.insert(id);
    desk.out.restructure();
}

/// Effects of coming back, for nobody is there to be told facts.
pub(super) fn without_clients(effects: Vec<Effect>) -> Vec<Effect> {
    let for_clients = |effect: &Effect| {
        matches!(effect, Effect::Facts | Effect::PaneFacts { .. } | Effect::View { .. } | Effect::Bell { .. })
    };
    effects.into_iter().filter(|effect| !for_clients(effect)).collect()
}
