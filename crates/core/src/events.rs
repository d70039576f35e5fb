//! The log of what happened, and the streams that follow it: numbered without a gap within a boot,
//! kept for a while, so that a follower can come back and go on.
//!
//! Not here: how slow a reader may be (`server` ends its stream), the stream of rows (`agents`).

use std::collections::{BTreeMap, VecDeque};

use kraal_api::events::{Event, Events, Happening};
use kraal_api::time::rfc3339;
use kraal_api::{ConnId, Refusal, Response};

use crate::caller::Asked;
use crate::effect::Effect;
use crate::input::Ticket;
use crate::outbox::{Answer, Reply};
use crate::rights::Permit;
use crate::saved::SavedLog;
use crate::words::{did_you_mean, line};

/// How many events are kept for those who come back.
pub(crate) const KEPT: usize = 4096;
/// How many of them outlive the server.
const SAVED: usize = 64;

#[derive(Debug)]
struct Stream {
    conn: ConnId,
    ask: Events,
}

/// The log.
#[derive(Debug)]
pub(crate) struct Log {
    boot: String,
    seq: u64,
    kept: VecDeque<Event>,
    streams: BTreeMap<Ticket, Stream>,
}

impl Log {
    pub(crate) fn new(boot: String) -> Self {
        Log { boot, seq: 0, kept: VecDeque::new(), streams: BTreeMap::new() }
    }

    pub(crate) fn of_saved(boot: String, saved: &SavedLog<Event>) -> Self {
        let last = saved.recent.last().map_or(0, |event| event.seq);
        Log {
            boot,
            seq: saved.seq.max(last),
            kept: saved.recent.iter().cloned().collect(),
            streams: BTreeMap::new(),
        }
    }

    pub(crate) fn save(&self) -> SavedLog<Event> {
        let skipped = self.kept.len().saturating_sub(SAVED);
        SavedLog { seq: self.seq, recent: self.kept.iter().skip(skipped).cloned().collect() }
    }

    /// Whether nothing happened yet in this life.
    pub(crate) fn is_blank(&self) -> bool {
        self.seq == 0
    }

    pub(crate) fn boot(&self) -> &str {
        &self.boot
    }

    /// Numbers what happened and tells the followers.
    pub(crate) fn append(&mut self, happened: Vec<Happening>, now: u64) -> Vec<Effect> {
        let mut told = Vec::new();
        for what in happened {
            self.seq += 1;
            let event = self.event(self.seq, what, now);
            let wanting = self.streams.iter().filter(|(_, stream)| stream.ask.wants(event.what.word()));
            told.extend(wanting.map(|(ticket, _)| Effect::Event { ticket: *ticket, event: event.clone() }));
            if self.kept.len() == KEPT {
                self.kept.pop_front();
            }
            self.kept.push_back(event);
        }
        told
    }

    fn event(&self, seq: u64, what: Happening, now: u64) -> Event {
        Event { seq, boot: self.boot.clone(), at: rfc3339(now), what }
    }

    /// Opens a stream; the answer is its first items.
    pub(crate) fn open(&mut self, asked: &Asked, ask: Events, now: u64) -> Vec<Effect> {
        let first = ask.since.map_or_else(Vec::new, |since| self.since(since, &ask, now));
        let ticket = asked.ticket;
        self.streams.insert(ticket, Stream { conn: asked.conn, ask });
        first.into_iter().map(|event| Effect::Event { ticket, event }).collect()
    }

    fn since(&self, since: u64, ask: &Events, now: u64) -> Vec<Event> {
        let lost = |from, to| self.event(to, Happening::Lost { from, to }, now);
        if ask.boot.as_ref().is_some_and(|boot| *boot != self.boot) {
            // How many another life had is not known here: all of this one is told as missing.
            return vec![lost(1, self.seq.max(1))];
        }
        if since > self.seq {
            return vec![lost(self.seq.saturating_add(1), since)];
        }
        let oldest = self.kept.front().map_or(self.seq + 1, |event| event.seq);
        let missing = (since + 1 < oldest).then(|| lost(since + 1, oldest - 1));
        let kept = self.kept.iter().filter(|event| event.seq > since && ask.wants(event.what.word()));
        missing.into_iter().chain(kept.cloned()).collect()
    }

    /// A stream ends by itself.
    pub(crate) fn close(&mut self, ticket: Ticket) {
        self.streams.remove(&ticket);
    }

    /// A connection is gone.
    pub(crate) fn closed(&mut self, conn: ConnId) {
        self.streams.retain(|_, stream| stream.conn != conn);
    }
}

/// Verb `Events`: whether the stream can be opened as asked.
///
/// # Errors
///
/// `bad_request` for a type that does not exist.
pub(crate) fn check(_: &Permit, ask: &Events) -> Answer {
    let words = || Happening::TYPES.iter().map(|(word, _)| *word);
    for asked in &ask.types {
        let known =
            |word: &str| word == asked || word.strip_prefix(asked).is_some_and(|rest| rest.starts_with('.'));
        if !words().any(known) {
            let groups = words().filter_map(|word| word.split_once('.')).map(|(group, _)| group);
            let hint = did_you_mean(asked, words().chain(groups));
            let message = format!("there is no type of event {}{hint}", line(asked));
            return Err(Refusal::bad_request(message));
        }
    }
    Ok(Reply::Now(Response::Ok))
}
