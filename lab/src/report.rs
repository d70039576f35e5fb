//! What a run says: on the terminal, and as a row of the document.
//!
//! Not here: measuring.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::measure::Step;

/// The document's marks around its rows.
const OPENING: &str = "<!-- generated: accuracy -->\n";
const CLOSING: &str = "<!-- end -->";

const HEAD: &str = "\
| agent | version | evidence | terminal | right | changes seen after | slowest |
|---|---|---|---|---|---|---|
";

/// The whole of a run in figures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sum {
    /// Of the time in which the truth is certain.
    pub(crate) percent: f64,
    /// Half of the changes were seen sooner.
    pub(crate) median: Duration,
    /// The slowest; none when one was never seen.
    pub(crate) slowest: Option<Duration>,
    /// How many changes.
    pub(crate) changes: usize,
}

/// Sums up the steps of a run.
pub(crate) fn sum(steps: &BTreeMap<&'static str, Step>) -> Sum {
    let counted: f64 = steps.values().map(|step| step.counted.as_secs_f64()).sum();
    let right: f64 = steps.values().map(|step| step.right.as_secs_f64()).sum();
    let all: Vec<Option<Duration>> = steps.values().flat_map(|step| step.delays.iter().copied()).collect();
    let mut known: Vec<Duration> = all.iter().flatten().copied().collect();
    known.sort_unstable();
    Sum {
        percent: if counted > 0.0 { 100.0 * right / counted } else { 0.0 },
        median: known.get(known.len() / 2).copied().unwrap_or_default(),
        slowest: all.iter().copied().collect::<Option<Vec<_>>>().and_then(|all| all.into_iter().max()),
        changes: all.len(),
    }
}

fn milliseconds(duration: Duration) -> String {
    format!("{} ms", duration.as_millis())
}

fn slowest(sum: &Sum) -> String {
    sum.slowest.map_or("never".to_owned(), milliseconds)
}

/// A line for each step, and one for all.
pub(crate) fn lines(title: &str, steps: &BTreeMap<&'static str, Step>) -> String {
    let mut text = String::new();
    for (name, step) in steps {
        let percent = 100.0 * step.right.as_secs_f64() / step.counted.as_secs_f64().max(f64::EPSILON);
        let delays: Vec<String> =
            step.delays.iter().map(|delay| delay.map_or("never".to_owned(), milliseconds)).collect();
        let wrong =
            if step.wrong.is_empty() { String::new() } else { format!("  said {}", step.wrong.join(", ")) };
        text.push_str(&format!(
            "{title:<34} {name:<20} {percent:>5.1} %  seen after {}{wrong}\n",
            delays.join(", ")
        ));
    }
    let sum = sum(steps);
    text.push_str(&format!(
        "{title:<34} {:<20} {:>5.1} %  {} changes seen after {} in the middle, {} at most\n",
        "all",
        sum.percent,
        sum.changes,
        milliseconds(sum.median),
        slowest(&sum)
    ));
    text
}

/// A row of the document.
pub(crate) fn row(agent: &str, version: &str, evidence: &str, size: &str, sum: &Sum) -> String {
    format!(
        "| {agent} | {version} | {evidence} | {size} | {:.1} % | {} | {} |\n",
        sum.percent,
        milliseconds(sum.median),
        slowest(sum)
    )
}

/// The document with these rows, each in the place of the one for the same agent, evidence and terminal. None when
/// the document has no place for them.
pub(crate) fn merge(document: &str, rows: &[String]) -> Option<String> {
    let start = document.find(OPENING)? + OPENING.len();
    let end = start + document[start..].find(CLOSING)?;
    let old = document[start..end].lines().filter(|line| line.starts_with("| ")).skip(1);
    let mut all: BTreeMap<[String; 3], String> = BTreeMap::new();
    for line in old.chain(rows.iter().map(|row| row.trim_end())) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, agent, _, evidence, size, ..] = cells.as_slice() {
            all.insert([agent.to_lowercase(), (*evidence).to_owned(), (*size).to_owned()], line.to_owned());
        }
    }
    let rows: String = all.into_values().map(|row| row + "\n").collect();
    Some(format!("{}\n{HEAD}{rows}\n{}", &document[..start], &document[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(counted: u64, right: u64, delays: &[Option<u64>]) -> Step {
        Step {
            counted: Duration::from_secs(counted),
            right: Duration::from_secs(right),
            delays: delays.iter().map(|delay| delay.map(Duration::from_millis)).collect(),
            wrong: Vec::new(),
        }
    }

    #[test]
    fn a_sum_counts_time_and_has_the_slowest_change() {
        let steps =
            BTreeMap::from([("a", step(6, 6, &[Some(100), Some(900)])), ("b", step(4, 3, &[Some(200)]))]);
        let sum = sum(&steps);
        assert_eq!(sum.percent, 90.0);
        assert_eq!((sum.median, sum.slowest), (Duration::from_millis(200), Some(Duration::from_millis(900))));
    }

    #[test]
    fn a_change_that_was_never_seen_is_not_hidden() {
        let sum = sum(&BTreeMap::from([("a", step(6, 0, &[Some(100), None]))]));
        assert!(row("A", "1", "screen", "80x24", &sum).ends_with("| never |\n"));
    }

    #[test]
    fn a_new_row_takes_the_place_of_the_old_one() {
        let document = format!(
            "before\n{OPENING}\n{HEAD}| A | 1 | hooks | 80x24 | old |\n| B | 1 | hooks | 80x24 | b |\n\n{CLOSING}\nafter\n"
        );
        let rows =
            ["| A | 2 | hooks | 80x24 | new |\n".to_owned(), "| A | 2 | screen | 80x24 | s |\n".to_owned()];
        let merged = merge(&document, &rows).expect("it has a place");
        assert!(merged.contains("| new |") && merged.contains("| s |") && merged.contains("| b |"));
        assert!(!merged.contains("| old |") && merged.starts_with("before\n") && merged.ends_with("after\n"));
        assert_eq!(merge(&merged, &rows), Some(merged.clone()));
    }
}
