//! The looks and signs of the chrome: three themes over the terminal's own sixteen colours, so that
//! they fit whatever the user's terminal looks like. Nothing is told by colour alone.
//!
//! Not here: what is drawn with them (`draw`), colours a terminal lacks (`paint`).

use kraal_api::State;
use kraal_api::config;
use kraal_api::screen::{Colour, attr};

use crate::look::Look;

/// Looks and signs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Theme {
    /// The looks.
    pub(crate) looks: Looks,
    /// The signs.
    pub(crate) signs: Signs,
}

/// What things look like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Looks {
    /// Names and titles.
    pub(crate) text: Look,
    /// What matters less.
    pub(crate) faint: Look,
    /// Headings.
    pub(crate) heading: Look,
    /// Keys, and what can be pressed.
    pub(crate) key: Look,
    /// The frame of a pane.
    pub(crate) frame: Look,
    /// The frame of the pane that keys go to.
    pub(crate) focus: Look,
    /// The name in that frame.
    pub(crate) focus_name: Look,
    /// The chosen row of a list, the shown tab.
    pub(crate) chosen: Look,
    /// Letters that a search found.
    pub(crate) found: Look,
    /// Something went wrong.
    pub(crate) wrong: Look,
    /// The looks of the states, by urgency.
    pub(crate) states: [Look; 4],
}

/// What things are drawn with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signs {
    /// Top left, top right, bottom left, bottom right.
    pub(crate) corners: [char; 4],
    /// Along a row.
    pub(crate) across: char,
    /// Along a column.
    pub(crate) upright: char,
    /// The dots of the states, by urgency.
    pub(crate) dots: [&'static str; 4],
    /// What was cut.
    pub(crate) more: char,
    /// Before a branch.
    pub(crate) branch: &'static str,
    /// Before commits its upstream lacks.
    pub(crate) ahead: &'static str,
    /// Beside the scroll position.
    pub(crate) up: &'static str,
    /// Leads to a menu.
    pub(crate) leads: &'static str,
    /// Tabs before and after those that fit.
    pub(crate) hidden: [&'static str; 2],
    /// Marks a chosen row where looks do not.
    pub(crate) pointer: &'static str,
    /// Between facts.
    pub(crate) dot: &'static str,
}

const RED: Colour = Colour::Indexed(1);
const GREEN: Colour = Colour::Indexed(2);
const YELLOW: Colour = Colour::Indexed(3);
const CYAN: Colour = Colour::Indexed(6);

const CALM: Looks = Looks {
    text: Look::PLAIN,
    faint: Look::PLAIN.dim(),
    heading: Look::PLAIN.dim().bold(),
    key: Look::PLAIN.fg(CYAN),
    frame: Look::PLAIN.dim(),
    focus: Look::PLAIN.fg(CYAN),
    focus_name: Look::PLAIN.fg(CYAN).bold(),
    chosen: Look::PLAIN.with(attr::INVERSE),
    found: Look::PLAIN.fg(CYAN).bold(),
    wrong: Look::PLAIN.fg(RED),
    states: [Look::PLAIN.fg(RED).bold(), Look::PLAIN.fg(GREEN), Look::PLAIN.fg(YELLOW), Look::PLAIN],
};

const STRONG: Looks = Looks {
    text: Look::PLAIN.bold(),
    faint: Look::PLAIN,
    heading: Look::PLAIN.bold(),
    key: Look::PLAIN.fg(Colour::Indexed(14)).bold(),
    frame: Look::PLAIN,
    focus: Look::PLAIN.fg(Colour::Indexed(14)).bold(),
    focus_name: Look::PLAIN.bold().with(attr::INVERSE),
    chosen: Look::PLAIN.bold().with(attr::INVERSE),
    found: Look::PLAIN.fg(Colour::Indexed(11)).bold(),
    wrong: Look::PLAIN.fg(Colour::Indexed(9)).bold(),
    states: [
        Look::PLAIN.fg(Colour::Indexed(9)).bold(),
        Look::PLAIN.fg(Colour::Indexed(10)).bold(),
        Look::PLAIN.fg(Colour::Indexed(11)).bold(),
        Look::PLAIN.bold(),
    ],
};

const ROUND: Signs = Signs {
    corners: ['╭', '╮', '╰', '╯'],
    across: '─',
    upright: '│',
    dots: ["●", "●", "●", "○"],
    more: '…',
    branch: "⎇ ",
    ahead: "↑",
    up: "↑",
    leads: "›",
    hidden: ["‹", "›"],
    pointer: " ",
    dot: "·",
};

const HEAVY: Signs =
    Signs { corners: ['┏', '┓', '┗', '┛'], across: '━', upright: '┃', pointer: ">", ..ROUND };

const ASCII: Signs = Signs {
    corners: ['+', '+', '+', '+'],
    across: '-',
    upright: '|',
    dots: ["!", "+", "*", "o"],
    more: '~',
    branch: "git:",
    ahead: "^",
    up: "^",
    leads: ">",
    hidden: ["<", ">"],
    pointer: ">",
    dot: "-",
};

impl Looks {
    /// Takes the colours away; weight tells what they told.
    fn fade(&mut self) {
        let Looks { text, faint, heading, key, frame, focus, focus_name, chosen, found, wrong, states } =
            self;
        let strong = [key, focus, focus_name, found, wrong];
        for look in strong {
            *look = look.fg(Colour::Default).bold();
        }
        for look in [text, faint, heading, frame, chosen].into_iter().chain(states) {
            *look = look.fg(Colour::Default);
        }
    }
}

impl Theme {
    /// The theme the user chose.
    pub(crate) fn new(theme: config::Theme, colourless: bool) -> Self {
        let mut theme = match theme {
            config::Theme::Default => Theme { looks: CALM, signs: ROUND },
            config::Theme::Ascii => Theme { looks: CALM, signs: ASCII },
            config::Theme::HighContrast => Theme { looks: STRONG, signs: HEAVY },
        };
        if colourless {
            theme.looks.fade();
        }
        theme
    }

    /// The look of a state; dim when it is not certain.
    pub(crate) fn state(&self, state: State, certain: bool) -> Look {
        let look = self.looks.states[usize::from(state.urgency())];
        if certain { look } else { look.without(attr::BOLD).dim() }
    }

    /// The dot of a state.
    pub(crate) fn dot(&self, state: State) -> &'static str {
        self.signs.dots[usize::from(state.urgency())]
    }
}
