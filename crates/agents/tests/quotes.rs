//! An agent's answer may quote the agent's own screens: each row of its recorded work and dialogs,
//! said by the answer at the answer's own margin, leaves the state what it was.
//!
//! Not here: whole screens quoted by hand (samples `quoted-words`), others' hints (`signals.rs`).

use std::{collections::BTreeSet, fs, path::Path};

use kraal_agents::{Catalog, ScreenShot};

/// What the recorded answers end with.
const SAID: [&str; 4] = [
    "Finished: the lab task is complete.",
    "Hello, this is the lab model answering.",
    "The lab turn is finished after",
    "The end of the lab answer.",
];

/// Kimi writes the row of an error where an answer's rows stand, without a sign of its own.
const ALIKE: [(&str, &str); 1] = [("kimi", "Error: [provider.api_error]")];

/// State and screen of each recording.
fn recordings(agent: &Path) -> Vec<(String, String)> {
    let Ok(sizes) = fs::read_dir(agent) else { return Vec::new() };
    let folders = sizes.map(|size| size.expect("readable").path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).expect("a folder of one size"));
    files
        .map(|file| {
            let text = fs::read_to_string(file.expect("readable").path()).expect("text");
            let (head, screen) = text.split_once("---\n").expect("a sample has a head");
            let state = head.lines().find_map(|line| line.strip_prefix("state: ")).expect("a state");
            (state.to_owned(), screen.to_owned())
        })
        .collect()
}

/// The last row of the answer, and the column of its text.
fn answer(screen: &str) -> Option<(usize, usize)> {
    let column = |row: &str| {
        let at = SAID.iter().find_map(|words| row.find(words))?;
        Some(row[..at].chars().count())
    };
    let rows = screen.lines().enumerate().filter_map(|(n, row)| Some((n, column(row)?)));
    rows.last()
}

fn with_row(screen: &str, at: usize, rows: &[String]) -> ScreenShot {
    let mut all: Vec<String> = screen.lines().map(str::to_owned).collect();
    all.splice(at..at, rows.iter().cloned());
    ScreenShot::of_text(&all.join("\n"))
}

#[test]
fn an_agents_own_hints_in_its_answer_change_nothing() {
    let catalog = Catalog::builtin();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("catalog/samples");
    let (mut wrong, mut tried) = (Vec::new(), BTreeSet::new());
    for agent in catalog.iter() {
        let recordings = recordings(&samples.join(agent.name()));
        let busy = recordings
            .iter()
            .filter(|(state, _)| state.starts_with("working") || state.starts_with("blocked"));
        let hints: BTreeSet<&str> = busy
            .flat_map(|(_, screen)| screen.lines().map(str::trim))
            .filter(|row| !row.is_empty())
            .collect();
        let rests = recordings.iter().filter(|(state, _)| state == "done" || state == "idle");
        for (state, screen) in rests {
            let Some((last, column)) = answer(screen) else { continue };
            tried.insert(agent.name());
            for hint in &hints {
                if ALIKE.iter().any(|(name, row)| *name == agent.name() && hint.starts_with(row)) {
                    continue;
                }
                let row = format!("{}{hint}", " ".repeat(column));
                for rows in [vec![row.clone()], vec![String::new(), row.clone()]] {
                    let reading = agent.read(&with_row(screen, last + 1, &rows));
                    // What ends the answer may hide that it ended, never say work or a question.
                    let got = reading.map_or("unknown".to_owned(), |reading| reading.expected().to_string());
                    if got.starts_with("working") || got.starts_with("blocked") || got.contains("error") {
                        wrong.push(format!("{}: {state}, with {hint:?} {got}", agent.name()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried.len() >= 15, "only {tried:?}");
}
