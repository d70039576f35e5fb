//! What the outer terminal sends.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kraal_testkit::fuzz::keys(data));
