//! The rules of the house, checked: what ARCHITECTURE.md marks with a star, and a few habits beside it.
//!
//! Every rule is a function from texts to findings, so each is tested on a good and a bad text. It reads
//! tokens, not types: it knows no macros and no name resolution, and errs on the side of silence.

mod arrows;
mod circles;
mod dependencies;
mod finding;
mod habits;
mod links;
mod paths;
mod purity;
mod repository;
mod source;
mod world;

pub(crate) use finding::Finding;
pub(crate) use repository::Repository;

/// Runs every rule; the findings come sorted by file and line.
pub(crate) fn check(repository: &Repository) -> Vec<Finding> {
    let mut findings = Vec::new();
    let table = arrows::read_table(repository.text("ARCHITECTURE.md").unwrap_or_default(), &mut findings);
    for krate in &repository.crates {
        arrows::check(krate, &table, &mut findings);
        circles::check(krate, &mut findings);
        if let Some(row) = table.iter().find(|row| row.name == krate.name) {
            purity::check(krate, &row.pure, &mut findings);
        }
        if krate.name == "core" {
            world::check(krate, &mut findings);
        }
    }
    for source in repository.sources() {
        habits::check(source, &mut findings);
    }
    dependencies::check(
        repository.text("Cargo.toml").unwrap_or_default(),
        repository.text("docs/dependencies.md").unwrap_or_default(),
        &mut findings,
    );
    for (path, text) in repository.texts() {
        habits::check_machine_paths(path, text, &mut findings);
        if path.ends_with(".md") {
            links::check(path, text, repository, &mut findings);
        }
    }
    findings.sort();
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let repository = Repository::read(&crate::root()).unwrap();
        let findings = check(&repository);
        let list: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "\n{}", list.join("\n"));
    }
}
