//! What must hold for any bytes that come from outside: a program's output, the outer terminal's
//! keys, a line on the socket, a frame. `fuzz/` looks for bytes for which it does not; the tests here
//! run a few thousand from fixed seeds, changed from ones that are nearly right.
//!
//! Not here: a running server (`cli/tests/robust.rs`).

use kraal_api::envelope;
use kraal_api::screen::{self, Fill, Head, Style, Visitor};
use kraal_term::keys::Decoder;
use kraal_term::{Options, Outbox, Size, Terminal};

/// A program's output gives the same screen however it is cut, and at any size.
///
/// # Panics
///
/// When that does not hold.
pub fn terminal(data: &[u8]) {
    let Some((&[cols, rows, cut], bytes)) = data.split_first_chunk::<3>() else { return };
    let size = Size { cols: u16::from(cols) + 1, rows: u16::from(rows) + 1 };
    let options = || Options { scrollback_lines: 50, ..Options::default() };
    let mut out = Outbox::default();
    let mut whole = Terminal::new(size, options());
    whole.feed(bytes, &mut out);
    let mut pieces = Terminal::new(size, options());
    for piece in bytes.chunks(usize::from(cut) + 1) {
        pieces.feed(piece, &mut out);
    }
    assert_eq!(whole.screen_lines(), pieces.screen_lines());
    assert_eq!(whole.cursor(), pieces.cursor());
    assert_eq!(whole.title(), pieces.title());
    for size in [Size { cols: 1, rows: 1 }, Size { cols: 300, rows: 2 }, size] {
        whole.resize(size);
        let cursor = whole.cursor();
        assert!(cursor.x < size.cols && cursor.y < size.rows, "{cursor:?} in {size:?}");
        assert_eq!(whole.screen_lines().len(), usize::from(size.rows));
    }
}

/// Keys and answers of the outer terminal are read without end or harm, and what is held is bounded.
///
/// # Panics
///
/// When that does not hold.
pub fn keys(data: &[u8]) {
    let mut decoder = Decoder::new();
    let mut events = Vec::new();
    for piece in data.chunks(data.first().map_or(1, |cut| usize::from(*cut) + 1)) {
        decoder.feed(piece, &mut events);
    }
    decoder.flush_escape(&mut events);
    // At most one event a byte, and those that say that a paste began and ended.
    assert!(events.len() <= 2 * data.len() + 2, "{} of {} bytes", events.len(), data.len());
}

/// A line on the socket is a request that reads back as itself, or is refused in one line.
///
/// # Panics
///
/// When that does not hold.
pub fn envelope(data: &[u8]) {
    match envelope::read(data) {
        Ok(call) => {
            let line = envelope::request_line(&call.id, call.token.as_deref(), &call.request);
            assert!(!line.trim_end().contains('\n'), "{line:?}");
            let again = envelope::read(line.trim_end().as_bytes());
            let again = again.unwrap_or_else(|unread| panic!("{line}: {:?}", unread.refusal));
            assert_eq!((again.id, again.token, again.request), (call.id, call.token, call.request));
        }
        Err(unread) => {
            let said = &unread.refusal.message;
            assert!(!said.is_empty() && !said.contains(char::is_control), "{said:?}");
        }
    }
}

/// A frame of a screen is walked or refused.
pub fn frame(data: &[u8]) {
    struct Nobody;
    impl Visitor for Nobody {
        fn head(&mut self, _: &Head) {}
        fn scroll(&mut self, _: u16, _: u16, _: i16) {}
        fn row(&mut self, _: u16) {}
        fn run(&mut self, _: &Style, _: Option<&str>, _: Fill, _: &str) {}
    }
    let _ = screen::read(data, &mut Nobody);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An xorshift generator: the same numbers in each run.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, most: usize) -> usize {
            (self.next() % most as u64) as usize
        }
    }

    /// Some of the seeds in a row, with bytes changed, added, doubled and cut.
    fn nearly(seeds: &[&[u8]], random: &mut Random) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..3).map(|_| random.next() as u8).collect();
        for _ in 0..=random.below(8) {
            bytes.extend_from_slice(seeds[random.below(seeds.len())]);
        }
        changed(bytes, random)
    }

    fn changed(mut bytes: Vec<u8>, random: &mut Random) -> Vec<u8> {
        for _ in 0..random.below(8) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at.max(1)),
                2 => bytes.insert(at, random.next() as u8),
                _ => bytes.extend_from_within(at..(at + random.below(20)).min(bytes.len())),
            }
        }
        bytes
    }

    const OUTPUT: [&[u8]; 14] = [
        b"\x1b[2J\x1b[5;7Hword",
        "e\u{301}👩\u{200d}💻世界\u{fe0f}".as_bytes(),
        b"\x1b[?1049h\x1b[3;9r\x1b[2S\x1b[T",
        b"\x1b[?2026h\x1b[38:2::1:2:3;4:3mstyled\x1b[?2026l",
        b"\x1b]8;id=1;https://example.org\x1b\\link\x1b]8;;\x07",
        b"\x1b]7501;state=working:app=x\x07\x1b]52;c;aGk=\x07",
        b"\x1bP$qm\x1b\\\x1b[?1$p\x1b[6n\x1b[c",
        b"\x1b[4h\x1b[?6h\x1b[3@\x1b[2P\x1b[L\x1b[M\x1b[9X",
        b"a\tb\x1b[3g\x1bH\x1b[I\x1b[Z\r\n\x08\x0b\x0c",
        b"\x1b[>5u\x1b[=3;2u\x1b[<u\x1b[?u\x1b[>4;1m",
        b"\x1b7\x1b[s\x1b8\x1b[u\x1bM\x1bD\x1bE\x1bc\x1b[!p",
        b"\x1b(0qqx\x1b(B\x1b#8\x1b)A\x0e\x0f",
        b"\x1b[99999999999;-1;:::H\x1b[?69h\x1b[5;2s",
        b"\xff\xfe\xc3\x28\xf0\x9f\x92\x1b\x1b[",
    ];
    const KEYS: [&[u8]; 8] = [
        b"\x1b[A\x1bOP\x1b[1;5C\x1b[3~",
        b"\x1b[97;5:3u\x1b[57441;2u",
        b"\x1b[200~pasted\x1b[20\x1b[201~",
        b"\x1b[<0;10;20M\x1b[<35;1;1m\x1b[M !!",
        b"\x1b]11;rgb:0000/1111/2222\x1b\\\x1b]99;i=kraal-1;\x07",
        b"\x1bP>|kitty(0.43)\x1b\\\x1b[?62;4c",
        "x\u{e9}世\x1b\x1b\x1bx".as_bytes(),
        b"\x1b[I\x1b[O\x1b[?2026;2$y\x1b[?997;1n\x1b[?65536;65536R",
    ];

    #[test]
    fn any_output_gives_one_screen() {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        for _ in 0..3_000 {
            terminal(&nearly(&OUTPUT, &mut random));
        }
    }

    #[test]
    fn any_keys_are_read() {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        for _ in 0..20_000 {
            keys(&nearly(&KEYS, &mut random));
        }
    }

    #[test]
    fn any_line_is_a_request_or_refused() {
        const LINES: [&str; 6] = [
            r#"{"v":1,"id":1,"request":"List"}"#,
            r#"{"v":1,"id":"a","token":"x","request":{"Read":{"target":1,"lines":3}}}"#,
            r#"{"v":1,"id":2,"request":{"Verb":{"SendText":{"pane":1,"text":"hello"}}}}"#,
            r#"{"v":1,"id":3,"request":{"Verb":{"Attach":{"stream":1,"area":{"cols":80,"rows":24}}}}}"#,
            r#"{"v":1,"id":4,"request":{"Verb":{"Events":{"types":["pane"]}}}}"#,
            r#"{"v":1,"id":5,"request":{"Spawn":{"profile":"a","prompt":"do \u0000 it"}}}"#,
        ];
        let mut random = Random(0x0dd0_5eed_0dd0_5eed);
        for line in LINES {
            envelope(line.as_bytes());
        }
        for _ in 0..20_000 {
            envelope(&changed(LINES[random.below(LINES.len())].into(), &mut random));
        }
    }

    #[test]
    fn any_frame_is_walked_or_refused() {
        let mut random = Random(0x1234_5678_9abc_def1);
        for _ in 0..20_000 {
            let length = 30 + random.below(60);
            let bytes: Vec<u8> = (0..length)
                .map(|at| {
                    if at > 25 && random.below(2) == 0 { random.below(5) as u8 } else { random.next() as u8 }
                })
                .collect();
            frame(&bytes);
        }
    }
}
