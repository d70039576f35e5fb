//! The tables of the documents that follow from the code, written between their markers.
//!
//! Everything outside the markers is a person's and never touched.

use anyhow::{Context, Result};
use kraal_agents::Catalog;
use kraal_api::config::Config;
use kraal_api::events::Happening;

/// A generated part: the document, the marker's name, and what makes the lines.
type Part = (&'static str, &'static str, fn() -> String);

/// Every generated part.
const PARTS: &[Part] = &[
    ("docs/agents.md", "agents", agents),
    ("docs/agents.md", "integrations", integrations),
    ("docs/agents.md", "variables", variables),
    ("docs/agents.md", "rules", rules),
    ("docs/config.md", "options", Config::docs),
    ("docs/keys.md", "actions", actions),
    ("docs/scripting.md", "events", events),
];

/// The documents that differ from what the code says, with their new text. `read` gives a document's text now.
pub(crate) fn stale(read: impl Fn(&str) -> Result<String>) -> Result<Vec<(&'static str, String)>> {
    let mut documents: Vec<(&'static str, String, String)> = Vec::new();
    for (path, name, make) in PARTS {
        let at = match documents.iter().position(|(known, ..)| known == path) {
            Some(at) => at,
            None => {
                let text = read(path)?;
                documents.push((path, text.clone(), text));
                documents.len() - 1
            }
        };
        let text = &mut documents[at].2;
        *text = replace(text, name, &make()).with_context(|| format!("{path} has no part `{name}`"))?;
    }
    let changed = documents.into_iter().filter(|(_, before, after)| before != after);
    Ok(changed.map(|(path, _, after)| (path, after)).collect())
}

/// Puts lines between `<!-- generated: name -->` and the next `<!-- end -->`.
fn replace(text: &str, name: &str, lines: &str) -> Option<String> {
    let opening = format!("<!-- generated: {name} -->\n");
    let start = text.find(&opening)? + opening.len();
    let end = start + text[start..].find("<!-- end -->")?;
    Some(format!("{}\n{lines}\n{}", &text[..start], &text[end..]))
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn agents() -> String {
    let mut lines = row(&["agent", "name", "command", "in the API"]) + "|---|---|---|---|\n";
    for agent in Catalog::builtin().iter().filter(|agent| !agent.hidden()) {
        let commands: Vec<String> = agent.commands().iter().map(|command| format!("`{command}`")).collect();
        let name = format!("`{}`", agent.name());
        lines += &row(&[agent.label(), &name, &commands.join(", "), &format!("`{}`", agent.harness())]);
    }
    lines
}

/// The agents with hooks: the files these stand in, what they do not tell, what else there is to know.
fn integrations() -> String {
    let mut lines =
        row(&["agent", "name", "files", "the hooks do not tell", "to know"]) + "|---|---|---|---|---|\n";
    for agent in Catalog::builtin().iter().filter(|agent| !agent.hidden()) {
        let folder = agent.home().map_or(String::new(), |home| home.folder().to_owned());
        let files = agent.integrations();
        let places: Vec<String> = files.iter().map(|one| format!("`~/{folder}/{}`", one.file())).collect();
        let silent = files.iter().find_map(|one| one.silent()).unwrap_or("–");
        let note = files.iter().find_map(|one| one.note()).unwrap_or("–");
        if !files.is_empty() {
            lines += &row(&[agent.label(), &format!("`{}`", agent.name()), &places.join(", "), silent, note]);
        }
    }
    lines
}

/// The variables by which agents' folders are found.
fn variables() -> String {
    let mut lines = row(&["variable", "agent", "names"]) + "|---|---|---|\n";
    for agent in Catalog::builtin().iter().filter(|agent| !agent.hidden() && !agent.integrations().is_empty())
    {
        let Some(home) = agent.home() else { continue };
        let of_config = home.folder().strip_prefix(".config/").map(|_| "XDG_CONFIG_HOME");
        let named = [
            (home.variable(), format!("what is else `~/{}`", home.folder())),
            (
                home.home_variable().or(of_config),
                format!("where `{}` is", home.folder().trim_start_matches(".config/")),
            ),
        ];
        for (variable, what) in named {
            if let Some(variable) = variable {
                lines += &row(&[&format!("`{variable}`"), agent.label(), &what]);
            }
        }
    }
    lines
}

/// Rules that nobody saw on a screen: taken from documents or from a program's text.
fn rules() -> String {
    let mut lines = String::new();
    for agent in Catalog::builtin().iter().filter(|agent| !agent.hidden()) {
        let unseen = agent.rules().filter(|(_, _, seen)| !seen);
        let list: Vec<String> = unseen.map(|(id, expected, _)| format!("`{id}` ({expected})")).collect();
        if !list.is_empty() {
            lines += &format!("- {}: {}\n", agent.label(), list.join(", "));
        }
    }
    if lines.is_empty() { "None.\n".to_owned() } else { lines }
}

fn events() -> String {
    let mut lines = row(&["type", "meaning"]) + "|---|---|\n";
    for (word, meaning) in Happening::TYPES {
        lines += &row(&[&format!("`{word}`"), meaning]);
    }
    lines
}

fn actions() -> String {
    let mut lines = row(&["keys", "does", "action"]) + "|---|---|---|\n";
    for action in kraal_tui::actions::table(&Config::default()) {
        let keys: Vec<String> = action.keys.iter().map(|key| format!("`{key}`")).collect();
        lines += &row(&[&keys.join(", "), action.title, &format!("`{}`", action.name)]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_between_the_markers_is_replaced() {
        let text = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb <!-- end -->\n";
        let expected = "a\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nb <!-- end -->\n";
        assert_eq!(replace(text, "x", "new\n").as_deref(), Some(expected));
        assert_eq!(replace(expected, "x", "new\n").as_deref(), Some(expected));
        assert_eq!(replace(text, "y", "new"), None);
        assert_eq!(row(&["a|b", "c"]), "| a\\|b | c |\n");
    }

    #[test]
    fn the_documents_say_what_the_code_says() {
        let read = |path: &str| Ok(std::fs::read_to_string(crate::root().join(path))?);
        let stale: Vec<&str> = stale(read).unwrap().into_iter().map(|(path, _)| path).collect();
        assert_eq!(stale, [""; 0], "run `cargo xtask docs` and commit what it changed");
    }
}
