//! Times as the API writes them: RFC 3339, UTC, milliseconds.
//!
//! Not here: a clock (`host`).

/// `2026-11-30T20:15:03.120Z` for unix milliseconds.
pub fn rfc3339(unix_ms: u64) -> String {
    let ms = i64::try_from(unix_ms).unwrap_or(i64::MAX);
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(at) => format!("{at:.3}"),
        // Beyond the year 9999: no clock of ours says so.
        Err(_) => "9999-12-31T23:59:59.999Z".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn milliseconds_always_show() {
        assert_eq!(super::rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(super::rfc3339(1_796_000_000_120), "2026-11-30T00:53:20.120Z");
        assert_eq!(super::rfc3339(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
