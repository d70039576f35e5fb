//! A frame of a screen.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kraal_testkit::fuzz::frame(data));
