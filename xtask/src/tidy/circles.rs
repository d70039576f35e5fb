//! No circle between module folders that lie beside each other, and none at all between the top-level
//! modules of `core`.
//!
//! A parent and its own children are no circle: a folder's `mod.rs` may gather what lies in it. Nor is a way
//! through a loose file, which belongs to the folder it lies in; only `core` has its files looked at as well.

use std::collections::{BTreeMap, BTreeSet};

use super::finding::{Finding, Rule};
use super::paths;
use super::repository::Crate;

/// Where one module first names another.
#[derive(Clone, Debug)]
struct Place {
    file: String,
    line: usize,
}

/// From a child to another child of the same parent.
type Edges = BTreeMap<String, BTreeMap<String, Place>>;

/// Checks every level of a crate's module tree.
pub(crate) fn check(krate: &Crate, findings: &mut Vec<Finding>) {
    let tree = Tree::read(krate);
    for parent in tree.children.keys() {
        let strict = krate.name == "core" && parent.is_empty();
        let mut edges = tree.edges_below(parent);
        if !strict {
            edges.retain(|from, _| tree.is_folder(parent, from));
            edges.values_mut().for_each(|targets| targets.retain(|to, _| tree.is_folder(parent, to)));
        }
        findings.extend(circles(&edges).iter().map(|circle| report(circle, &edges)));
    }
}

/// The modules of a crate and what they name.
#[derive(Default)]
struct Tree {
    /// Names of the modules in each module.
    children: BTreeMap<Vec<String>, BTreeSet<String>>,
    /// `(module, name)` that the module re-exports from its child.
    exports: BTreeMap<(Vec<String>, String), String>,
    /// From module to absolute path, outside tests.
    uses: Vec<(Vec<String>, Vec<String>, Place)>,
}

impl Tree {
    fn read(krate: &Crate) -> Self {
        let mut tree = Self::default();
        for (path, _) in krate.modules() {
            for depth in 0..path.len() {
                tree.children.entry(path[..depth].to_vec()).or_default().insert(path[depth].clone());
            }
        }
        for (module, source) in krate.modules() {
            for named in paths::named(&source.tokens).into_iter().filter(|named| !named.in_test) {
                let place = Place { file: source.path.clone(), line: named.line };
                if let Some(absolute) = tree.absolute(&module, &named.segments) {
                    tree.remember_export(&module, &absolute);
                    tree.uses.push((module.clone(), absolute, place));
                }
            }
        }
        tree
    }

    /// The path from the crate's root, when it leads into this crate.
    fn absolute(&self, module: &[String], segments: &[String]) -> Option<Vec<String>> {
        let mut base = module.to_vec();
        let mut rest = segments;
        match rest.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    base.pop()?;
                    rest = &rest[1..];
                }
            }
            child if self.children.get(module).is_some_and(|names| names.contains(child)) => {}
            _ => return None,
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// A module that names `child::x` may hand `x` on as its own.
    fn remember_export(&mut self, module: &[String], absolute: &[String]) {
        if let Some([child, .., name]) = absolute.strip_prefix(module) {
            self.exports.entry((module.to_vec(), name.clone())).or_insert_with(|| child.clone());
        }
    }

    fn is_folder(&self, parent: &[String], name: &str) -> bool {
        let mut path = parent.to_vec();
        path.push(name.to_owned());
        self.children.contains_key(&path)
    }

    /// Which child of `parent` names which other child.
    fn edges_below(&self, parent: &[String]) -> Edges {
        let children = &self.children[parent];
        let mut edges = Edges::new();
        for (module, absolute, place) in &self.uses {
            let Some([from, ..]) = module.strip_prefix(parent) else { continue };
            let Some([to, ..]) = absolute.strip_prefix(parent) else { continue };
            let to = if children.contains(to) {
                to
            } else if let Some(child) = self.exports.get(&(parent.to_vec(), to.clone())) {
                child
            } else {
                continue;
            };
            if from != to && children.contains(from) {
                edges.entry(from.clone()).or_default().entry(to.clone()).or_insert_with(|| place.clone());
            }
        }
        edges
    }
}

/// The groups of modules that reach each other, each sorted.
fn circles(edges: &Edges) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        edges.keys().map(|from| (from, reachable(edges, from))).collect();
    let mut groups = BTreeSet::new();
    for (from, reached) in &reach {
        let group: Vec<String> = reached
            .iter()
            .filter(|to| reach.get(**to).is_some_and(|back| back.contains(from)))
            .map(|to| (*to).clone())
            .collect();
        if group.len() > 1 {
            groups.insert(group);
        }
    }
    groups.into_iter().collect()
}

fn reachable<'a>(edges: &'a Edges, from: &'a String) -> BTreeSet<&'a String> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for to in edges.get(at).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

/// One finding per circle, at the first of its arrows, naming them all.
fn report(circle: &[String], edges: &Edges) -> Finding {
    let inside = circle.iter().flat_map(|from| {
        let targets = edges.get(from).into_iter().flatten();
        targets.filter(|(to, _)| circle.contains(to)).map(move |(to, place)| (from, to, place))
    });
    let arrows: Vec<_> = inside.collect();
    let list: Vec<String> = arrows
        .iter()
        .map(|(from, to, place)| format!("{from} → {to} ({}:{})", place.file, place.line))
        .collect();
    let (_, _, place) = arrows.first().expect("a circle has arrows");
    Finding::new(&place.file, place.line, Rule::Circle, list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::repository::sample_crate;

    fn found(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let mut findings = Vec::new();
        check(&sample_crate(name, "", files), &mut findings);
        findings.into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn folders_that_name_each_other_are_a_circle() {
        let files = [
            ("src/lib.rs", "mod a; mod b;"),
            ("src/a/mod.rs", "mod x;"),
            ("src/a/x.rs", "use crate::b::Y;"),
            ("src/b/mod.rs", "mod y;"),
            ("src/b/y.rs", "fn f() { super::super::a::x::g() }"),
        ];
        assert_eq!(
            found("tui", &files),
            ["a → b (crates/tui/src/a/x.rs:1), b → a (crates/tui/src/b/y.rs:1)"]
        );
    }

    #[test]
    fn one_way_is_fine_and_so_are_loose_files_and_tests() {
        let files = [
            ("src/lib.rs", "mod a; mod b; mod c;"),
            ("src/a/mod.rs", "use crate::{b::Y, c::Z};"),
            ("src/a/x.rs", ""),
            ("src/b/mod.rs", "#[cfg(test)] mod tests { use crate::a::X; }"),
            ("src/b/y.rs", "use super::Y;"),
            ("src/c.rs", "use crate::a::X;"),
        ];
        assert_eq!(found("tui", &files), [""; 0], "a → b, a → c → a through a loose file");
    }

    #[test]
    fn in_core_files_are_a_circle_too_even_through_a_re_export() {
        let files = [
            ("src/lib.rs", "mod a; mod b; mod c; pub use a::Thing; pub use c::Other;"),
            ("src/a.rs", "use crate::b::Y;"),
            ("src/b.rs", "use crate::Thing;"),
            ("src/c.rs", "use crate::a::X;"),
        ];
        assert_eq!(found("core", &files), ["a → b (crates/core/src/a.rs:1), b → a (crates/core/src/b.rs:1)"]);
        assert_eq!(found("term", &files), [""; 0]);
    }

    #[test]
    fn folders_inside_a_folder_are_checked_as_well() {
        let files = [
            ("src/lib.rs", "mod p;"),
            ("src/p/mod.rs", "mod a; mod b;"),
            ("src/p/a/mod.rs", "use super::b::Y;"),
            ("src/p/a/x.rs", ""),
            ("src/p/b/mod.rs", "use crate::p::a::X;"),
            ("src/p/b/y.rs", ""),
        ];
        assert_eq!(found("tui", &files).len(), 1);
    }
}
