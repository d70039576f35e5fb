//! What a program writes to its terminal.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kraal_testkit::fuzz::terminal(data));
