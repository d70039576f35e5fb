//! The verbs on a pane that is there.
//!
//! Not here: opening one (`open`), typing into one (`typing`), the agent in one (`agents`).

use kraal_api::events::Happening;
use kraal_api::layout::Axis;
use kraal_api::messages::{READ_LINES_DEFAULT, READ_LINES_MAX, Read};
use kraal_api::model::Phase;
use kraal_api::panes::{MovePane, PaneRow, ReadPane, Rename, ResizePane};
use kraal_api::{PaneId, Refusal, Response, TabId};

use super::close;
use super::close::tab_closed;
use super::floats;
use crate::caller::Caller;
use crate::desk::Desk;
use crate::effect::Effect;
use crate::outbox::{Answer, Change, Reply};
use crate::resume::{Again, again};
use crate::rights::{Permit, Reach};
use crate::tree::float;
use crate::tree::layout::{Push, auto_axis, push_border};
use crate::{views, words};

const DONE: Answer = Ok(Reply::Now(Response::Ok));

/// A name for a pane, as it is kept.
///
/// # Errors
///
/// `bad_request` for one that shows nothing or would be taken for a number.
pub(super) fn pane_name(said: &str) -> Result<String, Refusal> {
    let name = words::name(said).ok_or_else(|| Refusal::bad_request("the name is empty: say another"))?;
    if name.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Refusal::bad_request(format!("{name} would be taken for a pane's number: add a letter")));
    }
    Ok(name)
}

/// Verb `Panes`.
pub(crate) fn list(desk: &Desk<'_>, _: &Permit) -> Answer {
    let rows = desk.tree.in_order().into_iter().filter_map(|pane| row(desk, pane));
    Ok(Reply::Now(Response::Panes(rows.collect())))
}

fn row(desk: &Desk<'_>, pane: PaneId) -> Option<PaneRow> {
    let state = desk.tree.pane(pane)?;
    let (workspace, tab) = desk.tree.place(pane)?;
    let agent = state.facts.agent.as_ref();
    Some(PaneRow {
        pane,
        name: state.facts.name.clone(),
        workspace: workspace.name.clone(),
        tab: tab.id,
        argv: state.facts.argv.clone(),
        title: state.facts.title.clone(),
        cwd: state.facts.cwd.clone(),
        phase: state.facts.phase.clone(),
        pid: state.pid,
        cols: state.size.0,
        rows: state.size.1,
        focused: tab.focus == pane,
        floating: tab.floats(pane),
        branch: state.facts.branch.clone(),
        agent: agent.map(|agent| agent.name.clone()),
        state: agent.map(|agent| agent.verdict.state),
    })
}

/// `Read`.
pub(crate) fn read(desk: &mut Desk<'_>, permit: &Permit, ask: &Read) -> Answer {
    let lines = Some(ask.lines.unwrap_or(READ_LINES_DEFAULT).min(READ_LINES_MAX));
    let ansi = ask.ansi.unwrap_or(false);
    desk.out.act(Effect::ReadScreen { ticket: permit.asked().ticket, pane: permit.pane()?, lines, ansi });
    Ok(Reply::Later)
}

/// Verb `ReadPane`.
pub(crate) fn read_pane(desk: &mut Desk<'_>, permit: &Permit, ask: &ReadPane) -> Answer {
    let lines = ask.lines.map(|lines| lines.min(READ_LINES_MAX));
    desk.out.act(Effect::ReadScreen {
        ticket: permit.asked().ticket,
        pane: permit.pane()?,
        lines,
        ansi: ask.ansi,
    });
    Ok(Reply::Later)
}

/// Verb `Explain`.
pub(crate) fn explain(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    desk.out.act(Effect::Explain { ticket: permit.asked().ticket, pane: permit.pane()? });
    Ok(Reply::Later)
}

/// Verb `Focus`: keys go to the pane in its tab, and the user's client shows that tab. An agent moves
/// nobody's view.
pub(crate) fn focus(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    views::take_focus(desk, pane);
    let asked = permit.asked();
    let tab = desk.tree.place(pane).map(|(_, tab)| tab.id);
    if let (Some(tab), true) = (tab, acts_for_user(desk, asked.caller)) {
        views::go(desk, asked, tab);
    }
    DONE
}

/// Verb `Reveal`: `Focus`, and what floats over the pane is hidden. One request, decided where the
/// facts are: asked twice, it is the same.
pub(crate) fn reveal(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    let answer = focus(desk, permit);
    let area = desk.tree.place(pane).map(|(_, tab)| (tab.id, desk.tree.area(tab.id)));
    if let Some((tab, area)) = area
        && let Some(tab) = desk.tree.tab_mut(tab)
        && float::covers(tab, pane, area)
    {
        float::hide(tab);
        desk.out.restructure();
    }
    answer
}

fn acts_for_user(desk: &Desk<'_>, caller: Caller) -> bool {
    match caller {
        Caller::Client(_) => true,
        Caller::Terminal(pane) => desk.tree.pane(pane).is_some_and(|state| !state.runs_agent()),
        Caller::Unknown(_) | Caller::Token(_) => false,
    }
}

/// Verb `Rename`.
pub(crate) fn rename(desk: &mut Desk<'_>, permit: &Permit, ask: &Rename) -> Answer {
    let pane = permit.pane()?;
    let name = ask.name.as_deref().map(pane_name).transpose()?;
    let Some(state) = desk.tree.pane_mut(pane) else { return DONE };
    if state.facts.name != name {
        state.facts.name.clone_from(&name);
        desk.out.tell(Happening::PaneRenamed { pane, name });
        desk.out.touch(pane);
    }
    DONE
}

/// Verb `ClosePane`.
pub(crate) fn close_pane(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    close(desk, permit.pane()?);
    DONE
}

/// Verb `Rerun`.
pub(crate) fn rerun(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    let Some(state) = desk.tree.pane_mut(pane) else { return DONE };
    if state.lives() {
        return Err(Refusal::busy(format!(
            "the program of pane {pane} still runs: close it, or wait for its end"
        )));
    }
    // A command that is shown runs as it is shown; an ended agent goes on with its conversation.
    let ended = matches!(state.facts.phase, Phase::Exited(_)) && state.launches_agent;
    let next = if ended { again(desk.house, state) } else { Again::No };
    state.facts.title.clear();
    match next {
        Again::Run(argv) => state.take_up(argv),
        Again::Show(argv) if argv != state.facts.argv => {
            state.take_up(argv);
            state.facts.phase = Phase::Waiting;
            desk.out.touch(pane);
            desk.out.note(Change::Saved);
            return DONE;
        }
        Again::Show(_) | Again::No => {}
    }
    state.facts.phase = Phase::Starting;
    state.facts.progress = None;
    desk.out.passed_on = permit.asked().env.clone();
    desk.out.starts.insert(pane);
    desk.out.touch(pane);
    desk.out.note(Change::Saved);
    DONE
}

/// Verb `Zoom`: the pane fills its tab, or stops to.
pub(crate) fn zoom(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let pane = permit.pane()?;
    views::take_focus(desk, pane);
    let id = desk.tree.place(pane).map(|(_, tab)| tab.id);
    if let Some(tab) = id.and_then(|id| desk.tree.tab_mut(id)) {
        tab.zoomed = if tab.zoomed == Some(pane) { None } else { Some(pane) };
        desk.out.restructure();
    }
    DONE
}

/// Verb `ResizePane`.
pub(crate) fn resize(desk: &mut Desk<'_>, permit: &Permit, ask: &ResizePane) -> Answer {
    let pane = permit.pane()?;
    let Some(id) = desk.tree.place(pane).map(|(_, tab)| tab.id) else { return DONE };
    let area = desk.tree.area(id);
    if let Some(answer) = floats::resize(desk, (id, pane), ask) {
        return answer;
    }
    let push = Push { pane, direction: ask.direction, cells: ask.cells };
    if let Some(tab) = desk.tree.tab_mut(id)
        && push_border(&mut tab.layout, area, push)
    {
        desk.out.restructure();
    }
    DONE
}

/// Verb `SwapPane`.
pub(crate) fn swap(desk: &mut Desk<'_>, permit: &Permit) -> Answer {
    let (one, other) = (permit.pane()?, permit.other_pane()?);
    if one != other {
        desk.tree.swap(one, other);
        desk.out.touched.extend([one, other]);
        desk.out.restructure();
    }
    DONE
}

/// Verb `MovePane`.
pub(crate) fn move_pane(desk: &mut Desk<'_>, permit: &Permit, ask: &MovePane) -> Answer {
    let pane = permit.pane()?;
    let Some(from) = desk.tree.place(pane).map(|(_, tab)| tab.id) else { return DONE };
    let (removed, to) = match ask.to {
        Some(to) if to == from => return DONE,
        Some(to) => match beside_focus(desk, to, pane)? {
            Some(removed) => (removed, to),
            None => return DONE,
        },
        None => match desk.tree.move_to_tab(pane) {
            Some((removed, to)) => {
                let workspace = desk.tree.tab(to).map_or_else(String::new, |(own, _)| own.name.clone());
                desk.out.tell(Happening::TabOpened { tab: to, workspace });
                (removed, to)
            }
            None => return DONE,
        },
    };
    desk.out.touched.insert(pane);
    desk.out.restructure();
    if let Some(pane) = removed.focus {
        desk.out.tell(Happening::PaneFocused { pane });
    }
    tab_closed(desk, &removed);
    views::take_focus(desk, pane);
    if permit.reach() == Reach::Everywhere {
        views::go(desk, permit.asked(), to);
    }
    DONE
}

/// Moves a pane beside the focused one of a tab, along the side that is longer.
fn beside_focus(
    desk: &mut Desk<'_>,
    to: TabId,
    pane: PaneId,
) -> Result<Option<crate::tree::Removed>, Refusal> {
    let Some(at) = desk.tree.tab(to).map(|(_, tab)| tab.focus) else {
        return Err(Refusal::not_found(format!("there is no tab {to}: ask for one that there is")));
    };
    let axis = desk.tree.rect(at).and_then(auto_axis).unwrap_or(Axis::Row);
    Ok(desk.tree.move_beside(pane, at, axis))
}
