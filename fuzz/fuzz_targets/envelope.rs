//! A line on the socket.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kraal_testkit::fuzz::envelope(data));
