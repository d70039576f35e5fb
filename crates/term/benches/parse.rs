//! Bytes a second into the terminal, by kind of output. Run with `cargo bench -p kraal-term`.

use divan::Bencher;
use divan::counter::BytesCount;
use kraal_term::{Options, Outbox, Size, Terminal};

fn main() {
    divan::main();
}

const SIZE: usize = 4 << 20;

fn repeated(piece: impl Fn(usize) -> String) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIZE + 256);
    let mut i = 0;
    while bytes.len() < SIZE {
        bytes.extend_from_slice(piece(i).as_bytes());
        i += 1;
    }
    bytes
}

fn measure(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let mut t = Terminal::new(Size { cols: 200, rows: 50 }, Options::default());
        let mut out = Outbox::default();
        for chunk in bytes.chunks(64 << 10) {
            t.feed(chunk, &mut out);
            out.clear();
        }
        t.stamp()
    });
}

#[divan::bench]
fn ascii_log(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &repeated(|i| {
            format!(
                "{i:08} the quick brown fox jumps over the lazy dog, then some more words follow to the end\r\n"
            )
        }),
    );
}

#[divan::bench]
fn seq(bencher: Bencher<'_, '_>) {
    measure(bencher, &repeated(|i| format!("{i}\r\n")));
}

#[divan::bench]
fn sgr_compiler(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &repeated(|i| {
            format!(
                "\x1b[0m\x1b[1m\x1b[38;5;9merror\x1b[0m\x1b[1m: unused variable `x{i}`\x1b[0m\r\n\x1b[1m\x1b[34m  |\x1b[0m let x = 5; \x1b[32m// ok\x1b[0m\r\n"
            )
        }),
    );
}

#[divan::bench]
fn rgb_words(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &repeated(|i| {
            let n = (i as u32).wrapping_mul(2_654_435_761);
            let end = if i % 20 == 19 { "\r\n" } else { " " };
            format!("\x1b[38;2;{};{};{}mword{end}", n >> 24, n >> 16 & 255, n >> 8 & 255)
        }),
    );
}

#[divan::bench]
fn cjk_emoji(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &repeated(|_| "世界你好こんにちは안녕하세요 😀🎉 e\u{301}x 👩\u{200d}💻\r\n".to_owned()),
    );
}

#[divan::bench]
fn agent_repaint(bencher: Bencher<'_, '_>) {
    measure(
        bencher,
        &repeated(|i| {
            let mut s = String::from("\x1b[?2026h\x1b[H");
            for y in 0..40 {
                s += &format!(
                    "\x1b[{};1H\x1b[38;5;{}m│ line {y} of frame {i}\x1b[0m some text that stays\x1b[K",
                    y + 1,
                    30 + y
                );
            }
            s + "\x1b[?2026l"
        }),
    );
}
