//! After every input: views, sizes, focus, events, rows, notifications and waits catch up with what
//! changed, and everything becomes one list of effects.
//!
//! Not here: what any of them decides.

use kraal_api::stream::Bye;

use super::World;
use super::requests::Opening;
use crate::caller::Asked;
use crate::effect::Effect;
use crate::outbox::{Change, Ending, Outbox};
use crate::{focus, notify, sizes, waits};

/// The effects of one input. The answer to a request is the last of them, but for the first items of
/// a stream and the end of everything.
pub(super) fn settle(world: &mut World, mut out: Outbox, opening: Option<(Asked, Opening)>) -> Vec<Effect> {
    if world.tree.is_empty() && !world.ended && out.noted(Change::Structure) {
        out.ending = out.ending.or(Some(Ending::Empty));
    }
    let views = look(world, &mut out);
    if !views.is_empty() {
        out.note(Change::Room);
    }
    sizes::settle(&mut world.tree, &world.clients, &mut out);
    world.held.settle(&world.tree, &mut out);
    say_facts(world, &mut out);
    out.acts.extend(views);
    focus::settle(&mut world.focus, &world.tree, &world.clients, &mut out);
    let told = world.log.append(std::mem::take(&mut out.happened), out.now);
    out.acts.extend(told);
    let setup = &world.house.setup;
    let names = (&*setup.catalog, setup.environment.as_str());
    let told = world.rows.settle(&world.tree, names, &out.touched, out.now);
    if !told.is_empty() {
        out.note(Change::Saved);
    }
    out.acts.extend(told);
    notify::settle(&mut world.notices, &world.tree, &world.focus, &setup.settings, &mut out);
    waits::settle(&mut world.waits, &world.tree, &mut out);
    if let Some((asked, opening)) = opening {
        out.after = match opening {
            Opening::Events(ask) => world.log.open(&asked, ask, out.now),
            Opening::Agents(ask) => world.rows.open(&asked, ask, &world.tree),
        };
    }
    finish(world, out)
}

/// What each client shows now, and that its workspace showed it last.
fn look(world: &mut World, out: &mut Outbox) -> Vec<Effect> {
    let mut views = Vec::new();
    for (conn, client) in world.clients.iter_mut() {
        let Some((workspace, tab)) =
            world.tree.tab(client.tab).map(|(workspace, tab)| (workspace.id, tab.id))
        else {
            continue;
        };
        if client.told == Some(tab) {
            continue;
        }
        client.told = Some(tab);
        world.tree.recent.insert(workspace, tab);
        world.tree.looked_at = Some(tab);
        out.note(Change::Saved);
        views.push(Effect::View { conn, tab });
    }
    views
}

fn say_facts(world: &World, out: &mut Outbox) {
    if out.noted(Change::Structure) {
        out.acts.push(Effect::Facts);
        return;
    }
    let panes = std::mem::take(&mut out.facts).into_iter().filter(|pane| world.tree.pane(*pane).is_some());
    out.acts.extend(panes.map(|pane| Effect::PaneFacts { pane }));
}

fn finish(world: &mut World, out: Outbox) -> Vec<Effect> {
    let save = out.noted(Change::Saved);
    let mut effects = out.acts;
    effects.extend(out.late);
    if save {
        effects.push(Effect::Save);
    }
    effects.extend(out.answer);
    effects.extend(out.after);
    let Some(ending) = out.ending else { return effects };
    let (why, last) = match ending {
        Ending::Empty => (Bye::Empty, Effect::End { ticket: None }),
        Ending::Killed(ticket) => (Bye::Killed, Effect::End { ticket: Some(ticket) }),
        Ending::Restart(ticket) => (Bye::Restarting, Effect::Restart { ticket }),
    };
    world.ended |= !matches!(ending, Ending::Restart(_));
    effects.extend(world.clients.iter().map(|(conn, _)| Effect::Bye { conn, why: why.clone() }));
    effects.push(last);
    effects
}
