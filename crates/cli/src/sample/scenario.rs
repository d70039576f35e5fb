//! What the sample agent does, step by step: a script in one line.
//!
//! Not here: doing it (`play`).

use std::collections::VecDeque;
use std::time::Duration;

/// The steps, in order. Afterwards it waits for prompts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scenario(pub(super) Vec<Step>);

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A turn runs for a while.
    Work(Duration),
    /// A line of an answer.
    Say(String),
    /// Asks leave for this.
    Ask(Leave),
    /// Asks which colour.
    Question,
    /// The turn ends.
    End(How),
    /// Waits for a prompt; the rest is what it does then.
    Prompt,
    /// The program ends.
    Exit(u8),
}

/// What leave is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Leave {
    /// To run a command.
    Run(String),
    /// To edit a file.
    Edit(String),
}

/// How a turn ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Well.
    Done,
    /// Well, and something goes on for this long.
    Background(Duration),
    /// With an error.
    Failed(String),
    /// At a usage limit.
    Limit,
    /// For want of a login.
    Login,
}

impl Scenario {
    /// Reads `work:2s,ask,work:300ms,done`.
    pub(super) fn parse(text: &str) -> Result<Scenario, String> {
        let steps = text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(step);
        let steps = steps.collect::<Result<Vec<_>, _>>()?;
        if steps.is_empty() { Err("it is empty".to_owned()) } else { Ok(Scenario(steps)) }
    }

    /// What a typed prompt makes it do: a scenario is played, anything else gets a short turn.
    pub(super) fn of_prompt(prompt: &str) -> Scenario {
        Scenario::parse(prompt).unwrap_or_else(|_| {
            Scenario(vec![
                Step::Work(Duration::from_secs(2)),
                Step::Say("I would change the code here, were I a real agent.".to_owned()),
                Step::Work(Duration::from_secs(2)),
                Step::End(How::Done),
            ])
        })
    }
}

/// Leaves out what is left of a turn that was interrupted.
pub(super) fn skip_turn(steps: &mut VecDeque<Step>) {
    while let Some(step) = steps.front() {
        match step {
            Step::Prompt | Step::Exit(_) => return,
            Step::End(_) => {
                steps.pop_front();
                return;
            }
            _ => {
                steps.pop_front();
            }
        }
    }
}

fn step(word: &str) -> Result<Step, String> {
    let (name, value) = word.split_once(':').unwrap_or((word, ""));
    let or = |default: &str| if value.is_empty() { default.to_owned() } else { value.to_owned() };
    Ok(match name {
        "work" => Step::Work(time(&or("2s"))?),
        "say" => Step::Say(or("The change is small.")),
        "ask" => Step::Ask(Leave::Run(or("cargo test login"))),
        "edit" => Step::Ask(Leave::Edit(or("src/login.rs"))),
        "question" => Step::Question,
        "done" => Step::End(How::Done),
        "background" => Step::End(How::Background(time(&or("2s"))?)),
        "fail" => Step::End(How::Failed(or("the model is not reachable"))),
        "limit" => Step::End(How::Limit),
        "login" => Step::End(How::Login),
        "prompt" => Step::Prompt,
        "exit" => Step::Exit(or("0").parse().map_err(|_| format!("exit: {value} is no status"))?),
        _ => return Err(format!("there is no step {name}")),
    })
}

fn time(text: &str) -> Result<Duration, String> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: u64 = digits.parse().map_err(|_| format!("{text} is no time: write 2s or 300ms"))?;
    match unit {
        "s" => Ok(Duration::from_secs(number)),
        "ms" => Ok(Duration::from_millis(number)),
        _ => Err(format!("{text} is no time: write 2s or 300ms")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read() {
        let script =
            Scenario::parse("work:2s, ask,edit:a b.rs,work:300ms,done,prompt,fail:no,exit:3").unwrap();
        assert_eq!(
            script.0,
            [
                Step::Work(Duration::from_secs(2)),
                Step::Ask(Leave::Run("cargo test login".into())),
                Step::Ask(Leave::Edit("a b.rs".into())),
                Step::Work(Duration::from_millis(300)),
                Step::End(How::Done),
                Step::Prompt,
                Step::End(How::Failed("no".into())),
                Step::Exit(3),
            ]
        );
        for wrong in ["", "wrok", "work:2", "work:s", "exit:x"] {
            assert!(Scenario::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Scenario::of_prompt("limit").0, [Step::End(How::Limit)]);
        assert_eq!(Scenario::of_prompt("Fix it, please").0.len(), 4);
    }

    #[test]
    fn an_interrupt_leaves_out_the_rest_of_the_turn() {
        let mut steps: VecDeque<Step> = Scenario::parse("say,ask,done,prompt,work").unwrap().0.into();
        skip_turn(&mut steps);
        assert_eq!(steps.front(), Some(&Step::Prompt));
        skip_turn(&mut steps);
        assert_eq!(steps.len(), 2);
    }
}
