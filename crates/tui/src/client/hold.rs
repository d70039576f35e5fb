//! Keys that are typed while the pane they are meant for is still opening, or the one they must not
//! reach is still closing, wait here: nothing typed goes astray.
//!
//! Not here: keys themselves (`keys`).

use kraal_api::request::Response;
use kraal_api::{PaneId, Refusal};
use kraal_term::keys::Event;

use super::{Client, Now, Out};

/// What the held keys wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// The answer to a request.
    Answer(u64),
    /// The facts that follow the answer to a request: until they come, where the focus goes is the
    /// server's to know.
    FactsAfter(u64),
    /// The next facts.
    Facts,
    /// This pane has the focus.
    Focused(PaneId),
    /// This pane is gone.
    Gone(PaneId),
    /// The session shows for the first time.
    Begun,
    /// A workspace of this name is shown.
    Shown(String),
}

/// Keys that wait.
#[derive(Debug)]
pub(super) struct Hold {
    until: Until,
    deadline: u64,
    queue: Vec<Event>,
    bytes: usize,
}

/// A server that takes longer is in trouble: what was typed is given up, and said.
const PATIENCE_MS: u64 = 3_000;
/// More than a large paste is never kept.
const BYTES_MAX: usize = 16 * 1024 * 1024;

impl Hold {
    /// What is typed before the session shows: it is for the pane that shows then. There is no
    /// deadline, for there is a server or the client ends.
    pub(super) fn from_the_start() -> Self {
        Hold { until: Until::Begun, deadline: u64::MAX, queue: Vec::new(), bytes: 0 }
    }

    pub(super) fn deadline(&self) -> Option<u64> {
        (self.deadline < u64::MAX).then_some(self.deadline)
    }
}

impl Client {
    pub(super) fn hold(&mut self, until: Until, now: Now) {
        let queue = Vec::new();
        self.hold = Some(Hold { until, deadline: now.ms + PATIENCE_MS, queue, bytes: 0 });
    }

    /// Takes a key or a paste while keys wait; gives it back otherwise.
    pub(super) fn held(&mut self, event: Event) -> Option<Event> {
        let Some(hold) = &mut self.hold else { return Some(event) };
        if !matches!(event, Event::Key(_) | Event::Paste(_) | Event::PasteStart | Event::PasteEnd) {
            return Some(event);
        }
        if let Event::Paste(bytes) = &event {
            hold.bytes += bytes.len();
        }
        if hold.bytes <= BYTES_MAX {
            hold.queue.push(event);
        }
        None
    }

    pub(super) fn hold_answered(
        &mut self,
        id: u64,
        answer: &Result<Response, Refusal>,
        now: Now,
        out: &mut Out,
    ) {
        let Some(hold) = &mut self.hold else { return };
        match (&hold.until, answer) {
            (Until::Answer(ask), Ok(Response::PaneOpened(opened))) if *ask == id => {
                hold.until = Until::Focused(opened.pane);
                self.hold_check(now, out);
            }
            (Until::Answer(ask), Ok(_)) if *ask == id => self.release(now, out),
            (Until::FactsAfter(ask), Ok(_)) if *ask == id => hold.until = Until::Facts,
            // Nothing moved, so the keys are for where they were typed.
            (Until::FactsAfter(ask), Err(_)) if *ask == id => self.release(now, out),
            (_, Err(_)) => self.hold = None,
            (_, Ok(_)) => self.hold_check(now, out),
        }
    }

    /// The facts changed: perhaps what was waited for is there.
    pub(super) fn hold_check(&mut self, now: Now, out: &mut Out) {
        let Some(hold) = &self.hold else { return };
        let there = match &hold.until {
            Until::Answer(_) | Until::FactsAfter(_) | Until::Facts => false,
            Until::Focused(pane) => self.mirror.focus() == Some(*pane),
            Until::Gone(pane) => self.mirror.model().pane(*pane).is_none(),
            Until::Begun => self.mirror.focus().is_some(),
            Until::Shown(name) => self.mirror.tab().is_some_and(|(w, _)| w.name == *name),
        };
        if there {
            self.release(now, out);
        }
    }

    /// All facts came anew.
    pub(super) fn hold_facts(&mut self, now: Now, out: &mut Out) {
        if self.hold.as_ref().is_some_and(|hold| hold.until == Until::Facts) {
            self.release(now, out);
        }
    }

    pub(super) fn hold_timeout(&mut self, now: Now, _out: &mut Out) {
        if self.hold.as_ref().is_some_and(|h| h.deadline <= now.ms) {
            let lost = self.hold.take().is_some_and(|h| !h.queue.is_empty());
            if lost {
                self.complain("the server took too long: what was typed meanwhile was not sent", now);
            }
        }
    }

    fn release(&mut self, now: Now, out: &mut Out) {
        let Some(hold) = self.hold.take() else { return };
        for event in hold.queue {
            // One of them may open the next pane: the rest waits again.
            self.event(event, now, out);
        }
    }
}
