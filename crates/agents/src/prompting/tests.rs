//! Prompts on their way to the sample agent, look by look.

use super::*;
use crate::Catalog;
use kraal_api::Source;

struct Scene {
    prompting: Prompting,
    verdict: Verdict,
    since: u64,
    shot: ScreenShot,
    typed: Option<u64>,
    now: u64,
}

impl Scene {
    fn new(text: &str) -> Scene {
        let agent = Catalog::builtin().get("sample").expect("it is built in").clone();
        let verdict = Verdict { state: State::Idle, kind: None, certain: true, source: Source::Screen };
        let mut scene = Scene {
            prompting: Prompting::new(agent, text, 0),
            verdict,
            since: 0,
            shot: ScreenShot::default(),
            typed: None,
            now: 0,
        };
        scene.screen("> ");
        scene
    }

    fn screen(&mut self, text: &str) {
        self.shot = ScreenShot::of_text(text);
    }

    fn state(&mut self, state: State) {
        self.verdict.state = state;
        self.since = self.now;
    }

    fn at(&mut self, now: u64) -> Step {
        self.now = now;
        let sight =
            Sight { verdict: &self.verdict, since_ms: self.since, typed_ms: self.typed, shot: &self.shot };
        self.prompting.look(&sight, now)
    }
}

const DIALOG: &str = "╭────────────────────────────────────────────────╮\n│ Allow this?                                    │\n│ ❯ 1. Yes                                       │\n│   2. No                                        │\n╰────────────────────────────────────────────────╯\n  ↑↓ choose · enter confirm · esc reject";

fn refused(step: &Step, word: &str) {
    let Step::Over(Err(why)) = step else { panic!("{step:?}") };
    assert!(why.contains(word), "{why}");
}

#[test]
fn typed_seen_sent_and_begun() {
    let mut scene = Scene::new("do it");
    assert_eq!(scene.at(10), Step::Paste("do it".into()));
    assert_eq!(scene.at(20), Step::Wait);
    scene.screen("> do it");
    assert_eq!(scene.at(40), Step::Enter);
    scene.screen("* Thinking… (0s · esc to interrupt)");
    assert_eq!(scene.at(60), Step::Wait, "the screen alone is no verdict yet");
    scene.state(State::Working);
    assert_eq!(scene.at(80), Step::Over(Ok(())));
    assert_eq!(scene.prompting.next_deadline(), None);
}

#[test]
fn nothing_goes_into_a_dialog_or_beside_a_draft() {
    let mut scene = Scene::new("yes");
    scene.screen(DIALOG);
    assert_eq!(scene.at(0), Step::Wait);
    assert_eq!(scene.prompting.next_deadline(), Some(STEADY_MS));
    refused(&scene.at(STEADY_MS), "waits for an answer (permission); nothing was typed");

    let mut scene = Scene::new("more");
    scene.screen("> half a sen");
    assert_eq!(scene.at(0), Step::Wait);
    refused(&scene.at(2_000), "draft");

    // A dialog that comes up between the paste and the Enter.
    let mut scene = Scene::new("more");
    assert!(matches!(scene.at(0), Step::Paste(_)));
    scene.screen(DIALOG);
    refused(&scene.at(10), "nothing was sent");
}

#[test]
fn a_turn_that_runs_is_waited_for_and_not_for_ever() {
    let mut scene = Scene::new("next");
    scene.state(State::Working);
    scene.screen("* Thinking… (3s · esc to interrupt)");
    assert_eq!(scene.at(5_000), Step::Wait);
    scene.screen("* Finished in 4s\n\n> ");
    scene.now = 6_000;
    scene.state(State::Done);
    assert!(matches!(scene.at(6_000), Step::Paste(_)));

    let mut scene = Scene::new("next");
    scene.verdict.certain = false;
    assert_eq!(scene.at(29_000), Step::Wait);
    refused(&scene.at(30_000), "not surely at rest");
}

#[test]
fn enter_is_pressed_again_only_while_the_text_stands_there() {
    let mut scene = Scene::new("do it");
    scene.at(0);
    scene.screen("> do it");
    assert_eq!(scene.at(10), Step::Enter);
    assert_eq!(scene.at(1_000), Step::Wait);
    assert_eq!(scene.at(1_600), Step::Enter);
    scene.screen("> ");
    assert_eq!(scene.at(5_000), Step::Wait, "gone: never sent twice");
    refused(&scene.at(10_010), "input is empty");

    let mut scene = Scene::new("do it");
    scene.at(0);
    scene.screen("> do it");
    for (at, step) in [(10, Step::Enter), (1_510, Step::Enter), (3_010, Step::Enter), (9_000, Step::Wait)] {
        assert_eq!(scene.at(at), step);
    }
    refused(&scene.at(10_010), "stands in its input, not sent");
}

#[test]
fn an_end_from_before_is_no_evidence() {
    let mut scene = Scene::new("do it");
    scene.state(State::Done);
    scene.at(100);
    scene.screen("> do it");
    assert_eq!(scene.at(200), Step::Enter);
    scene.screen("> ");
    assert_eq!(scene.at(300), Step::Wait);
    scene.now = 900;
    scene.state(State::Done);
    assert_eq!(scene.at(900), Step::Over(Ok(())), "a turn began and ended");
}

#[test]
fn a_turn_between_two_looks_is_told_by_the_conversation() {
    let mut scene = Scene::new("do it");
    scene.state(State::Done);
    scene.screen("> do it\n\nDid it.\n* Finished in 1s\n\n> ");
    scene.at(100);
    scene.screen("> do it\n\nDid it.\n* Finished in 1s\n\n> do it");
    assert_eq!(scene.at(200), Step::Enter);
    scene.screen("> do it\n\nDid it.\n* Finished in 1s\n\n> ");
    assert_eq!(scene.at(300), Step::Wait, "that is the one before");
    scene.screen("> do it\n\nDid it.\n* Finished in 1s\n\n> do it\n\nDone.\n* Finished in 0s\n\n> ");
    assert_eq!(scene.at(400), Step::Over(Ok(())));
}

#[test]
fn the_end_of_a_long_text_tells_of_it_where_its_beginning_scrolled_away() {
    let long: Vec<String> = (1..60).map(|line| format!("this is line {line} of a long text")).collect();
    let mut scene = Scene::new(&long.join("\n"));
    scene.at(0);
    scene.screen("> [Pasted text #1 +58 lines]");
    assert_eq!(scene.at(10), Step::Enter);
    scene.screen(&format!("  {}\n\nDone.\n* Finished in 0s\n\n> ", long[50..].join("\n  ")));
    assert_eq!(scene.at(100), Step::Over(Ok(())));
}

#[test]
fn an_enter_of_this_moment_may_have_begun_a_turn() {
    let mut scene = Scene::new("more");
    scene.typed = Some(900);
    assert_eq!(scene.at(1_000), Step::Wait);
    assert_eq!(scene.prompting.next_deadline(), Some(900 + FRESH_MS));
    scene.screen("* Thinking… (0s · esc to interrupt)");
    scene.state(State::Working);
    assert_eq!(scene.at(1_200), Step::Wait);
    scene.screen("> ");
    scene.now = 1_300;
    scene.state(State::Done);
    assert_eq!(scene.at(1_300), Step::Paste("more".into()), "it was answered");

    let mut scene = Scene::new("more");
    scene.typed = Some(900);
    assert_eq!(scene.at(1_000), Step::Wait);
    assert_eq!(scene.at(900 + FRESH_MS), Step::Paste("more".into()), "nothing came of it");
}

#[test]
fn a_question_of_its_start_is_no_turn() {
    let mut scene = Scene::new("do it");
    scene.at(0);
    scene.screen("> do it");
    assert_eq!(scene.at(200), Step::Enter);
    scene.screen(DIALOG);
    scene.now = 300;
    scene.state(State::Blocked);
    scene.verdict.kind = Some(Kind::Question);
    assert_eq!(scene.at(300), Step::Wait);
    assert_eq!(scene.prompting.next_deadline(), Some(200 + AGAIN_MS));
    refused(&scene.at(1_700), "before a turn was seen to begin");
}

#[test]
fn a_command_needs_no_turn_and_a_long_text_shows_as_a_paste() {
    let mut scene = Scene::new("/compact");
    scene.at(0);
    scene.screen("> /compact");
    assert_eq!(scene.at(10), Step::Enter);
    scene.screen("> ");
    assert_eq!(scene.at(400), Step::Over(Ok(())));

    // What it shows covers the input.
    let mut scene = Scene::new("/status");
    scene.at(0);
    scene.screen("> /status");
    assert_eq!(scene.at(10), Step::Enter);
    scene.screen("  Status\n  1 plugin");
    assert_eq!(scene.at(500), Step::Wait);
    assert_eq!(scene.at(1_510), Step::Over(Ok(())));

    let long = "line of many words\n".repeat(100);
    let mut scene = Scene::new(&long);
    scene.at(0);
    scene.screen("> [Pasted text #1 +99 lines]");
    assert_eq!(scene.at(10), Step::Enter);
}

#[test]
fn what_a_person_types_meanwhile_is_never_sent_along() {
    let mut scene = Scene::new("do it");
    scene.at(0);
    refused(&scene.prompting.disturbed(), "not sent");
    let mut scene = Scene::new("do it");
    assert_eq!(scene.prompting.disturbed(), Step::Wait);
    refused(&scene.prompting.left(), "nothing was typed");
}

#[test]
fn what_would_act_on_the_terminal_is_left_out() {
    let mut scene = Scene::new("a\u{1b}[201~b\r\nc\u{7}\n\n");
    assert_eq!(scene.at(0), Step::Paste("a[201~b\nc".into()));
}
