//! What leaves the terminal: answers and notices.

mod common;
use common::Bench;
use kraal_term::{
    BlockKind, Mark, Modes, Notice, NotificationSource, OuterColours, ProgramState, Progress, ProgressState,
    Rgb,
};

fn answer(question: &str) -> String {
    Bench::with(80, 24, question).replies()
}

#[test]
fn attributes_and_status() {
    assert_eq!(answer("\x1b[c"), "E[?64;6;21;22;52c");
    assert_eq!(answer("\x1b[>c"), "E[>41;380;0c");
    assert_eq!(answer("\x1b[=c"), "EP!|4B52414CE\\");
    assert_eq!(answer("\x1b[>q"), format!("EP>|kraal {}E\\", env!("CARGO_PKG_VERSION")));
    assert_eq!(answer("\x1b[5n"), "E[0n");
    assert_eq!(answer("\x1b[3;4H\x1b[6n"), "E[3;4R");
    assert_eq!(answer("\x1b[3;4H\x1b[?6n"), "E[?3;4;1R");
    assert_eq!(answer("\x1b[14t\x1b[16t\x1b[18t"), "E[4;480;800tE[6;20;10tE[8;24;80t");
}

#[test]
fn modes_are_reported_as_they_are() {
    assert_eq!(answer("\x1b[?2004$p\x1b[?2004h\x1b[?2004$p"), "E[?2004;2$yE[?2004;1$y");
    assert_eq!(answer("\x1b[?7$p\x1b[4$p\x1b[?9999$p"), "E[?7;1$yE[4;2$yE[?9999;0$y");
    assert_eq!(answer("\x1b[?2026$p\x1b[?2026h\x1b[?2026$p"), "E[?2026;2$yE[?2026;1$y");
    assert_eq!(answer("\x1b[?2004h\x1b[?2004s\x1b[?2004l\x1b[?2004r\x1b[?2004$p"), "E[?2004;1$y");
}

#[test]
fn settings_are_reported() {
    assert_eq!(answer("\x1b[1;4:3;38;2;1;2;3m\x1bP$qm\x1b\\"), "EP1$r0;1;4:3;38:2::1:2:3mE\\");
    assert_eq!(answer("\x1b[2;5r\x1bP$qr\x1b\\"), "EP1$r2;5rE\\");
    assert_eq!(answer("\x1b[4 q\x1bP$q q\x1b\\"), "EP1$r4 qE\\");
    assert_eq!(answer("\x1bP$qnonsense\x1b\\"), "EP0$rE\\");
    assert_eq!(answer("\x1bP+q544e;5858\x1b\\"), "EP1+r544e=787465726D2D323536636F6C6F72E\\EP0+r5858E\\");
}

/// BR-15.
#[test]
fn kitty_flags_are_a_bounded_stack_per_screen() {
    let mut b = Bench::with(80, 24, "\x1b[>1u\x1b[>u\x1b[?u");
    assert_eq!(b.replies(), "E[?0u");
    b.feed("\x1b[<u\x1b[?u");
    assert_eq!(b.replies(), "E[?1u");
    b.feed("\x1b[?1049h\x1b[?u\x1b[>5u\x1b[?u\x1b[?1049l\x1b[?u");
    assert_eq!(b.replies(), "E[?0uE[?5uE[?1u");
    for _ in 0..10_000 {
        b.feed("\x1b[>1u");
    }
    b.feed("\x1b[<65535u\x1b[?u\x1b[=9u\x1b[?u\x1b[=1;3u\x1b[?u");
    assert_eq!(b.replies(), "E[?0uE[?9uE[?8u");
}

#[test]
fn modify_other_keys_is_kept() {
    let mut b = Bench::with(80, 24, "\x1b[>4;2m\x1b[?4m");
    assert_eq!(b.replies(), "E[>4;2m");
    assert!(b.t.modes().contains(Modes::MODIFY_OTHER_KEYS));
}

/// BR-10.
#[test]
fn colours_are_the_outer_terminals_until_set() {
    let mut b = Bench::new(80, 24);
    b.t.set_outer_colours(OuterColours {
        bg: Some(Rgb(1, 2, 3)),
        palette: vec![(1, Rgb(9, 9, 9))],
        ..Default::default()
    });
    b.feed("\x1b]11;?\x07\x1b]4;1;?\x1b\\");
    assert_eq!(b.replies(), "E]11;rgb:0101/0202/0303\x07E]4;1;rgb:0909/0909/0909E\\");
    b.feed("\x1b]11;#ffffff\x07\x1b]11;?\x07\x1b]111\x07\x1b]11;?\x07");
    assert_eq!(b.replies(), "E]11;rgb:ffff/ffff/ffff\x07E]11;rgb:0101/0202/0303\x07");
    b.feed("\x1b]4;200;rgb:1/2/3;201;?\x07\x1b]104;200\x07");
    assert_eq!(b.replies(), "E]4;201;rgb:ffff/0000/ffff\x07");
    b.feed("\x1b[?996n\x1b[?2031h");
    assert_eq!(b.replies(), "E[?997;1n");
    b.t.set_colour_scheme(false, &mut b.out);
    b.t.set_colour_scheme(false, &mut b.out);
    assert_eq!(b.replies(), "E[?997;2n");
}

#[test]
fn titles_are_cleaned_kept_and_stacked() {
    let mut b = Bench::with(80, 24, "\x1b]2;one\u{85}\x07\x1b[22;0t\x1b]0;two\x1b\\\x1b[23;0t");
    assert_eq!(b.t.title(), "one");
    assert_eq!(
        b.out.notices,
        [
            Notice::Title("one".into()),
            Notice::Icon("two".into()),
            Notice::Title("two".into()),
            Notice::Icon(String::new()),
            Notice::Title("one".into()),
        ]
    );
    b.feed(format!("\x1b]2;{}\x07", "x".repeat(100_000)));
    assert_eq!(b.t.title().len(), 1000);
    b.feed("\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1bkold title\x1b\\");
    assert_eq!(b.t.title().len(), 1000, "an APC is no title");
    for _ in 0..1000 {
        b.feed("\x1b[22t");
    }
}

fn notices(bytes: &str) -> Vec<Notice> {
    Bench::with(80, 24, bytes).out.notices
}

/// BR-08, BR-09.
#[test]
fn clipboard() {
    assert_eq!(notices("\x1b]52;c;\x07\x1b]52;;!!\x07"), []);
    assert_eq!(
        notices("\x1b]52;;aGk\x07"),
        [Notice::ClipboardSet { selection: "c".into(), data: b"hi".into() }]
    );
    assert_eq!(notices("\x1b]52;p;?\x1b\\"), [Notice::ClipboardQuery { selection: "p".into() }]);
}

#[test]
fn notifications() {
    let note = |id: Option<&str>, title: &str, body: &str, source| Notice::Notification {
        id: id.map(str::to_owned),
        title: title.into(),
        body: body.into(),
        source,
    };
    assert_eq!(notices("\x1b]9;hello; you\x07"), [note(None, "", "hello; you", NotificationSource::Osc9)]);
    assert_eq!(notices("\x1b]777;notify;t;b;c\x07"), [note(None, "t", "b;c", NotificationSource::Osc777)]);
    assert_eq!(
        notices("\x1b]99;i=a:d=0;Ti\x1b\\\x1b]99;i=a:d=0:p=title;tle\x1b\\\x1b]99;i=a:p=body:e=1;aGk=\x1b\\"),
        [note(Some("a"), "Title", "hi", NotificationSource::Osc99)]
    );
    assert_eq!(
        notices("\x1b]777;kilo;activity;1;busy;5\x07"),
        [Notice::Osc { number: 777, payload: "kilo;activity;1;busy;5".into() }]
    );
}

#[test]
fn progress_cwd_marks() {
    let p = |state, percent| Notice::Progress(Some(Progress { state, percent }));
    assert_eq!(
        notices("\x1b]9;4;1;40\x07\x1b]9;4;1;40\x07\x1b]9;4;3\x07\x1b]9;4;0\x07"),
        [p(ProgressState::Normal, Some(40)), p(ProgressState::Indeterminate, None), Notice::Progress(None)]
    );
    assert_eq!(notices("\x1b]7;file://h/tmp\x07"), [Notice::Cwd("file://h/tmp".into())]);
    assert_eq!(
        notices("\x1b]133;A;k=1\x07\x1b]133;B\x07\x1b]133;C\x07\x1b]133;D;2\x07\x1b]133;D\x07"),
        [Mark::Prompt, Mark::Command, Mark::Output, Mark::End(Some(2)), Mark::End(None)]
            .map(Notice::PromptMark)
    );
    assert_eq!(notices("\x07\x07\x07"), [Notice::Bell]);
}

#[test]
fn program_status() {
    assert_eq!(
        answer("\x1b]7501;?\x1b\\"),
        "E]7501;?:states=idle,working,done,blocked,error:kinds=permission,question,authE\\"
    );
    let said = notices("\x1b]7501;state=blocked:kind=permission:app=claude-code:msg=YXBwcm92ZQ==\x1b\\");
    let [Notice::ProgramStatus(s)] = &said[..] else { panic!("{said:?}") };
    assert_eq!((s.state, &s.kind), (ProgramState::Blocked, &Some(BlockKind::Permission)));
    assert_eq!((s.app.as_deref(), s.msg.as_deref()), (Some("claude-code"), Some("approve")));
    let said = notices("\x1b]7501;clear:id=x\x07");
    let [Notice::ProgramStatus(s)] = &said[..] else { panic!("{said:?}") };
    assert_eq!((s.state, s.id.as_deref()), (ProgramState::Clear, Some("x")));
    assert_eq!(notices("\x1b]7501;state=what\x07\x1b]7501;kind=auth\x07"), []);
}

#[test]
fn synchronized_frames() {
    let mut b = Bench::with(80, 24, "\x1b[?2026hx");
    assert!(b.t.sync_pending());
    assert_eq!(b.screen(), "x", "applied at once, only not published");
    b.feed("\x1b[?2026l");
    assert!(!b.t.sync_pending());
    assert_eq!(b.out.notices, [Notice::SyncStarted, Notice::SyncEnded]);
    b.feed("\x1b[?2026h");
    b.t.release_sync();
    assert!(!b.t.sync_pending());
}

#[test]
fn strings_broken_off_say_nothing() {
    let b = Bench::with(80, 24, "\x1b]2;no\x18a\x1b]2;no\x1b[Cb\x1bPabc\x18c");
    assert_eq!((b.t.title(), b.screen().as_str()), ("", "a bc"));
    let b = Bench::with(80, 24, format!("\x1b]2;{}\x07ok", "y".repeat(3 << 20)));
    assert_eq!((b.t.title(), b.screen().as_str()), ("", "ok"));
}

#[test]
fn controls_inside_sequences_are_done() {
    let b = Bench::with(80, 24, "ab\x1b[\r3Cx\x1b[1\x18y\x1b[2\x1b[Bz");
    assert_eq!(b.screen(), "ab xy\n     z");
}
