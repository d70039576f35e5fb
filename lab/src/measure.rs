//! Holds what kraal said against the truth: how much of the time it was right, how soon it saw each change, and
//! whether it ever said something that was not so.
//!
//! Not here: where either comes from. Pure.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use kraal_api::state::State;

/// A change may take this long before the time counts as wrong. How long it really took is told beside it.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// The same where nothing tells kraal but a screen at rest: a prompt refused, a turn interrupted.
pub(crate) const LONG_GRACE: Duration = Duration::from_secs(2);

/// A time in which the truth is certain.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    /// The step of the scenario.
    pub(crate) step: &'static str,
    /// Its first instant.
    pub(crate) from: Instant,
    /// Its last.
    pub(crate) to: Instant,
    /// What is right in it.
    pub(crate) want: &'static [State],
    /// What kraal may take to see it.
    pub(crate) grace: Duration,
    /// It is a change, whose delay is worth telling; else the state before goes on.
    pub(crate) change: bool,
}

/// What kraal said, from an instant on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// From when.
    pub(crate) at: Instant,
    /// The state; None when it knew no agent there.
    pub(crate) state: Option<State>,
}

/// How one step went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// The time that counts.
    pub(crate) counted: Duration,
    /// The time of it that was right.
    pub(crate) right: Duration,
    /// How long each change took to be seen; none for one that never was.
    pub(crate) delays: Vec<Option<Duration>>,
    /// What was said and was not so, once the grace was over.
    pub(crate) wrong: Vec<String>,
}

/// The state at an instant.
fn at(seen: &[Seen], when: Instant) -> Option<State> {
    seen.iter().rev().find(|seen| seen.at <= when).and_then(|seen| seen.state)
}

fn is_right(span: &Span, state: Option<State>) -> bool {
    state.is_some_and(|state| span.want.contains(&state))
}

/// Holds what was seen against the spans, step by step.
pub(crate) fn measure(spans: &[Span], seen: &[Seen]) -> BTreeMap<&'static str, Step> {
    let mut steps: BTreeMap<&'static str, Step> = BTreeMap::new();
    for span in spans {
        let step = steps.entry(span.step).or_default();
        let inside = |instant: Instant| instant > span.from && instant < span.to;
        let mut points: Vec<Instant> = vec![span.from];
        points.extend(seen.iter().map(|seen| seen.at).filter(|at| inside(*at)));
        if span.change {
            let first = points.iter().find(|point| is_right(span, at(seen, **point)));
            step.delays.push(first.map(|point| *point - span.from));
        }
        points.push(span.to);
        for pair in points.windows(2) {
            let start = pair[0].max(span.from + span.grace);
            let Some(length) = pair[1].checked_duration_since(start).filter(|length| !length.is_zero())
            else {
                continue;
            };
            step.counted += length;
            let state = at(seen, pair[0]);
            if is_right(span, state) {
                step.right += length;
            } else {
                let word = state.map_or("no agent", State::word);
                step.wrong.push(format!("{word} for {:.1} s", length.as_secs_f64()));
            }
        }
    }
    steps
}

/// The states between two instants, without repetitions, the one at the first of them included.
pub(crate) fn order(seen: &[Seen], from: Instant, to: Instant) -> Vec<State> {
    let later = seen.iter().filter(|seen| seen.at > from && seen.at <= to).filter_map(|seen| seen.state);
    let mut states: Vec<State> = at(seen, from).into_iter().chain(later).collect();
    states.dedup();
    states
}

/// Whether states come in this order of groups: never back, none left out, and the last is of the last group.
pub(crate) fn follows(states: &[State], groups: &[&[State]]) -> bool {
    let mut group = 0;
    for state in states {
        while !groups.get(group).is_some_and(|group| group.contains(state)) {
            group += 1;
            // Never back, and never over one.
            if group >= groups.len() || !groups[group].contains(state) {
                return false;
            }
        }
    }
    group + 1 == groups.len()
}

#[cfg(test)]
mod tests {
    use State::{Blocked, Done, Idle, Working};

    use super::*;

    const QUIET: &[State] = &[Idle, Done];

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn time_is_counted_after_the_grace_and_delays_from_the_change() {
        let zero = Instant::now();
        let span = Span {
            step: "streaming",
            from: zero,
            to: zero + seconds(11),
            want: &[Working],
            grace: seconds(1),
            change: true,
        };
        let seen = [
            Seen { at: zero - seconds(5), state: Some(Idle) },
            Seen { at: zero + seconds(2), state: Some(Working) },
            Seen { at: zero + seconds(7), state: Some(Blocked) },
            Seen { at: zero + seconds(8), state: Some(Working) },
        ];
        let steps = measure(&[span], &seen);
        let step = &steps["streaming"];
        assert_eq!(step.counted, seconds(10));
        assert_eq!(step.right, seconds(8));
        assert_eq!(step.delays, [Some(seconds(2))]);
        assert_eq!(step.wrong, ["idle for 1.0 s", "blocked for 1.0 s"]);
    }

    #[test]
    fn a_change_that_is_never_seen_has_no_delay() {
        let zero = Instant::now();
        let span = Span {
            step: "x",
            from: zero,
            to: zero + seconds(3),
            want: QUIET,
            grace: seconds(1),
            change: true,
        };
        let steps = measure(&[span], &[Seen { at: zero - seconds(1), state: Some(Working) }]);
        assert_eq!(steps["x"].delays, [None]);
        assert_eq!(steps["x"].right, Duration::ZERO);
    }

    #[test]
    fn no_agent_is_never_right() {
        let zero = Instant::now();
        let span = Span {
            step: "x",
            from: zero,
            to: zero + seconds(3),
            want: QUIET,
            grace: seconds(1),
            change: false,
        };
        let steps = measure(&[span], &[]);
        assert_eq!(steps["x"].wrong, ["no agent for 2.0 s"]);
    }

    #[test]
    fn the_order_goes_forward_and_leaves_nothing_out() {
        let turn: &[&[State]] = &[QUIET, &[Working], QUIET];
        assert!(follows(&[Idle, Working, Done], turn));
        assert!(follows(&[Done, Idle, Working, Done, Idle], turn));
        assert!(!follows(&[Idle, Working], turn), "not over");
        assert!(!follows(&[Idle, Done], turn), "never worked");
        assert!(!follows(&[Idle, Working, Blocked, Working, Done], turn), "a false permission");
        assert!(!follows(&[Idle, Working, Done, Working, Done], turn), "a false end");
    }

    #[test]
    fn an_order_is_what_was_said_between_two_instants() {
        let zero = Instant::now();
        let seen = [
            Seen { at: zero - seconds(5), state: Some(Idle) },
            Seen { at: zero + seconds(1), state: Some(Working) },
            Seen { at: zero + seconds(2), state: None },
            Seen { at: zero + seconds(3), state: Some(Working) },
            Seen { at: zero + seconds(9), state: Some(Done) },
        ];
        assert_eq!(order(&seen, zero, zero + seconds(8)), [Idle, Working]);
    }
}
