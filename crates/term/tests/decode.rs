//! The key decoder: what the outer terminal's bytes become, in whatever pieces they come.

use kraal_term::keys::{Decoder, Event, KeyCode, KeyEvent, Mods, Reply};
use kraal_term::{MouseButton, MouseEvent, MouseKind, Rgb};

fn decode(pieces: &[&[u8]]) -> Vec<Event> {
    let mut d = Decoder::new();
    let mut out = Vec::new();
    for piece in pieces {
        d.feed(piece, &mut out);
    }
    if d.pending() {
        d.flush_escape(&mut out);
    }
    out
}

/// Keys by name; anything else by its debug form.
fn names(pieces: &[&[u8]]) -> Vec<String> {
    decode(pieces)
        .into_iter()
        .map(|e| match e {
            Event::Key(k) => k.to_string(),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn keys_of_both_encodings() {
    for (bytes, name) in [
        (&b"a"[..], "a"),
        (b"A", "shift+a"),
        (b"\x01", "ctrl+a"),
        (b"\r", "enter"),
        (b"\t", "tab"),
        (b"\x7f", "backspace"),
        (b"\x00", "ctrl+space"),
        (b"\x1c", "ctrl+\\"),
        ("é".as_bytes(), "é"),
        (b"\x1ba", "alt+a"),
        (b"\x1b\r", "alt+enter"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"\x1b[1;5A", "ctrl+up"),
        (b"\x1b[3~", "delete"),
        (b"\x1b[3;2~", "shift+delete"),
        (b"\x1bOP", "f1"),
        (b"\x1b[[A", "f1"),
        (b"\x1b[15~", "f5"),
        (b"\x1b[1;2R", "shift+f3"),
        (b"\x1b[Z", "shift+tab"),
        (b"\x1b[97;5u", "ctrl+a"),
        (b"\x1b[13;2u", "shift+enter"),
        (b"\x1b[27u", "esc"),
        (b"\x1b[27;5;97~", "ctrl+a"),
        (b"\x1b[27;6;65~", "ctrl+shift+a"),
        (b"\x1b[57399u", "0"),
        (b"\x1b\x1b[A", "alt+up"),
    ] {
        assert_eq!(names(&[bytes]), [name], "{bytes:?}");
    }
}

#[test]
fn kitty_tells_everything() {
    let Event::Key(key) = &decode(&[b"\x1b[97:65:113;2:2;65u"])[0] else { panic!("a key") };
    assert_eq!((key.shifted, key.base, key.text.as_deref()), (Some('A'), Some('q'), Some("A")));
    assert_eq!(key.kind, kraal_term::keys::KeyKind::Repeat);
    let slash = &decode(&[b"\x1b[47:63;4u"])[0];
    let want = KeyEvent { shifted: Some('?'), ..KeyEvent::new(KeyCode::Char('/'), Mods::ALT | Mods::SHIFT) };
    assert_eq!(slash, &Event::Key(want));
}

/// BR-18.
#[test]
fn escapes_and_reports_in_pieces() {
    let click = |x, y| {
        let button = Some(MouseButton::Left);
        Event::Mouse(MouseEvent { kind: MouseKind::Press, button, x, y, mods: Mods::empty() })
    };
    let escape = Event::Key(KeyEvent::new(KeyCode::Escape, Mods::empty()));
    assert_eq!(decode(&[b"\x1b", b"[<0;10;5M"]), [click(9, 4)]);
    assert_eq!(decode(&[b"\x1b[<0;1", b"0;5M"]), [click(9, 4)]);
    assert_eq!(decode(&[b"\x1b\x1b[<0;10;5M"]), [escape.clone(), click(9, 4)]);
    assert_eq!(decode(&[b"\x1b", b"\x1b[<0;10;5M"]), [escape.clone(), click(9, 4)]);
    assert_eq!(names(&[b"\x1b", b"a"]), ["esc", "a"]);
    assert_eq!(names(&[b"\x1ba"]), ["alt+a"]);
    assert_eq!(names(&[b"\x1b"]), ["esc"]);
    assert_eq!(names(&[b"\x1b\x1b"]), ["esc", "esc"]);
    assert_eq!(names(&[b"\x1b["]), ["alt+["]);
    assert_eq!(names(&[b"\x1b", b"["]), ["esc", "["]);
    // The wait was shorter than the pause in the report.
    let mut d = Decoder::new();
    let mut out = Vec::new();
    d.feed(b"\x1b", &mut out);
    d.flush_escape(&mut out);
    d.feed(b"[<0;10;5M", &mut out);
    assert_eq!(out, [escape, click(9, 4)]);
}

#[test]
fn pastes_stream() {
    let mut d = Decoder::new();
    let mut out = Vec::new();
    d.feed(b"x\x1b[200~abc\x1b[20", &mut out);
    d.feed(b"0~def\x1b[201", &mut out);
    d.feed(b"~y", &mut out);
    let pasted: Vec<u8> = out
        .iter()
        .filter_map(|e| if let Event::Paste(p) = e { Some(p.clone()) } else { None })
        .flatten()
        .collect();
    assert_eq!(pasted, b"abc\x1b[200~def");
    assert_eq!(out.first(), Some(&Event::Key(KeyEvent::char('x'))));
    assert_eq!(out[out.len() - 2..], [Event::PasteEnd, Event::Key(KeyEvent::char('y'))]);
}

#[test]
fn answers() {
    for (bytes, reply) in [
        (&b"\x1b[?62;22c"[..], Reply::PrimaryAttributes(vec![62, 22])),
        (b"\x1b[>41;380;0c", Reply::SecondaryAttributes(vec![41, 380, 0])),
        (b"\x1b[12;40R", Reply::CursorPosition { x: 39, y: 11 }),
        (b"\x1b[?1;3;1R", Reply::CursorPosition { x: 2, y: 0 }),
        (b"\x1b]11;rgb:1a1a/1b1b/1c1c\x1b\\", Reply::Background(Rgb(0x1a, 0x1b, 0x1c))),
        (b"\x1b]10;rgb:ff/00/00\x07", Reply::Foreground(Rgb(255, 0, 0))),
        (b"\x1b]4;3;rgb:ff/00/00\x07", Reply::Palette(3, Rgb(255, 0, 0))),
        (b"\x1b[?1u", Reply::KittyFlags(1)),
        (b"\x1b[?2026;2$y", Reply::Mode { mode: 2026, private: true, value: 2 }),
        (b"\x1b[?997;2n", Reply::ColourScheme { dark: false }),
        (b"\x1b[6;20;10t", Reply::CellPixels(10, 20)),
        (b"\x1bP>|kitty 0.40\x1b\\", Reply::Version("kitty 0.40".into())),
        (b"\x1bP1+r524742=38\x1b\\", Reply::Capability("RGB".into(), Some("8".into()))),
        (b"\x1b]52;c;aGk=\x07", Reply::Clipboard(b"hi".to_vec())),
        (b"\x1b[0n", Reply::Ok),
    ] {
        assert_eq!(decode(&[bytes]), [Event::Reply(reply.clone())]);
        // However it is cut (but right after the ESC, where a person may have typed it), it stays an answer.
        for at in 2..bytes.len() {
            assert_eq!(decode(&[&bytes[..at], &bytes[at..]]), [Event::Reply(reply.clone())], "cut at {at}");
        }
    }
    assert_eq!(decode(&[b"\x1b[I\x1b[O"]), [Event::FocusIn, Event::FocusOut]);
}

#[test]
fn an_endless_report_is_bounded_and_ends() {
    let mut d = Decoder::new();
    let mut out = Vec::new();
    d.feed(b"\x1b]52;c;", &mut out);
    for _ in 0..300 {
        d.feed(&[b'A'; 10_000], &mut out);
    }
    d.feed(b"\x07x", &mut out);
    assert_eq!(out, [Event::Key(KeyEvent::char('x'))]);
}
