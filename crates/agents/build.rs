//! Lists `catalog/*.toml` so that a new agent is one new file and no list is edited.
//!
//! Not here: any reading of the files; the crate parses what is embedded.

#![allow(clippy::print_stdout)] // this is how a build script speaks to cargo

use std::{env, fs, path::Path};

fn main() {
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("catalog");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .expect("the crate has a catalog folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    names.sort();
    let mut code = String::from("&[\n");
    for name in &names {
        let path = folder.join(name);
        println!("cargo:rerun-if-changed={}", path.display());
        let path = path.display().to_string();
        code.push_str(&format!("    ({name:?}, include_str!({path:?})),\n"));
    }
    code.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("catalog.rs");
    fs::write(out, code).expect("OUT_DIR is writable");
}
