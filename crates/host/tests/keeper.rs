//! Keeper.
fn main() {}
