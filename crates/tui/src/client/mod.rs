//! The client as a state machine: what the terminal and the server send comes in with the time,
//! bytes for both go out, and the screen is drawn when asked. No tty, no socket, no clock.
//!
//! Not here: how a key becomes an action (`keymap`), how things look (`draw`, `layers`).

mod act;
mod ask;
mod float;
mod frames;
mod hold;
mod keys;
mod mouse;
mod opens;
mod outer;
mod scroll;
mod select;

use kraal_api::config::{self, Config};
use kraal_api::layout::Rect;
use kraal_api::stream::{Area, Attach, Bye, FromClient, STREAM, control};
use kraal_api::{PaneId, TabId};
use kraal_term::keys::Event;

use crate::areas::{Areas, Sidebar};
use crate::draw::{self, Canvas, Hit, Mood, Scene};
use crate::grid::{Grid, Pool};
use crate::keymap::Keymap;
use crate::layers::{Layer, draw_menu, menu_entries};
use crate::mirror::Mirror;
use crate::paint::{Brush, Cursor, Painter};
use crate::theme::Theme;

pub(crate) use outer::{Entry, Outer, enter, leave};

/// What a client is told at its start.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// What the user chose.
    pub(crate) config: Config,
    /// The environment's name.
    pub(crate) session: String,
    /// The workspace to show.
    pub(crate) workspace: Option<String>,
    /// The folder a new workspace starts in.
    pub(crate) folder: Option<String>,
    /// A line for the bar while there is nothing else to say.
    pub(crate) hint: Option<String>,
    /// Whether the chrome goes without colours.
    pub(crate) colourless: bool,
}

/// How a client ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The user left; the session lives on.
    Detached,
    /// The session ended.
    Killed,
    /// The last pane closed, and the session with it.
    Empty,
    /// Something else, in one sentence.
    Because(String),
}

/// The time, which the client never asks for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Now {
    /// Milliseconds of a clock that never goes back.
    pub(crate) ms: u64,
    /// Milliseconds since 1970.
    pub(crate) unix_ms: u64,
}

/// What comes in.
#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// Something the outer terminal sent.
    Event(Event),
    /// The outer terminal's size.
    Resize(u16, u16),
    /// The line that answers `Attach`.
    Answer(&'a [u8]),
    /// A frame of the server.
    Frame(Option<kraal_api::stream::Kind>, &'a [u8]),
    /// A new connection was made; the attach line was sent.
    Connected,
    /// The connection ended.
    Lost,
    /// Time passed.
    Tick,
}

/// What goes out.
#[derive(Debug, Default)]
pub(crate) struct Out {
    /// Bytes for the server.
    pub(crate) send: Vec<u8>,
    /// Bytes for the outer terminal, beside the screen.
    pub(crate) write: Vec<u8>,
    /// The client ends.
    pub(crate) end: Option<Ending>,
    /// The connection is of no use any more.
    pub(crate) hang_up: bool,
}

impl Out {
    fn tell(&mut self, message: &FromClient) {
        control(&mut self.send, message);
    }
}

/// How the connection is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// The attach line was sent.
    Attaching,
    /// Frames flow.
    Live,
    /// It is being made again.
    Lost,
}

/// A sentence in the bar.
#[derive(Clone, Debug)]
struct Notice {
    words: String,
    wrong: bool,
    until: u64,
}

/// How long a sentence stays.
const NOTICE_MS: u64 = 6_000;
/// How long it takes to read one.
const READ_MS: u64 = 1_500;
/// How long after the prefix the menu shows: a fast typist never sees it.
const MENU_AFTER_MS: u64 = 300;

/// How much must be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stale {
    Nothing,
    /// Rows of panes.
    Rows,
    Everything,
}

/// What is on the screen.
#[derive(Debug)]
struct Stage {
    size: (u16, u16),
    sidebar: Sidebar,
    areas: Areas,
    grid: Grid,
    hits: Vec<(Rect, Hit)>,
    painter: Painter,
    stale: Stale,
}

/// Where the user was before.
#[derive(Debug, Default)]
struct Past {
    now: Option<(TabId, PaneId)>,
    last_tab: Option<TabId>,
    last_pane: Option<PaneId>,
}

/// A terminal client.
#[derive(Debug)]
pub(crate) struct Client {
    settings: Settings,
    mirror: Mirror,
    pool: Pool,
    keymap: Keymap,
    theme: Theme,
    stage: Stage,
    layers: Vec<Layer>,
    prefix: Option<u64>,
    link: Link,
    notice: Option<Notice>,
    outer: Outer,
    asks: ask::Asks,
    hold: Option<hold::Hold>,
    hands: keys::Hands,
    past: Past,
}

fn sidebar_of(option: config::Sidebar) -> Sidebar {
    match option {
        config::Sidebar::Auto => Sidebar::Auto,
        config::Sidebar::Off => Sidebar::Off,
    }
}

impl Client {
    /// A client whose attach line is about to be sent.
    pub(crate) fn new(settings: Settings, size: (u16, u16), outer: Outer) -> Self {
        let sidebar = sidebar_of(settings.config.sidebar);
        Client {
            keymap: Keymap::new(&settings.config.keys),
            theme: Theme::new(settings.config.theme, settings.colourless),
            settings,
            mirror: Mirror::default(),
            pool: Pool::default(),
            stage: Stage {
                size,
                sidebar,
                areas: Areas::new(size.0, size.1, sidebar),
                grid: Grid::new(size.0, size.1),
                hits: Vec::new(),
                painter: Painter::new(),
                stale: Stale::Everything,
            },
            layers: Vec::new(),
            prefix: None,
            link: Link::Attaching,
            notice: None,
            outer,
            asks: ask::Asks::default(),
            hold: Some(hold::Hold::from_the_start()),
            hands: keys::Hands::default(),
            past: Past::default(),
        }
    }

    /// What asks the server for the screen; after a lost connection, for the tab that was shown.
    pub(crate) fn attach(&self) -> Attach {
        Attach {
            stream: STREAM,
            area: self.area(),
            workspace: self.settings.workspace.clone().filter(|_| self.mirror.tab_id().is_none()),
            tab: self.mirror.tab_id(),
            folder: self.settings.folder.clone(),
            outer: self.outer.facts().clone(),
        }
    }

    fn area(&self) -> Area {
        let panes = self.stage.areas.panes;
        Area { cols: panes.w, rows: panes.h }
    }

    /// Takes what came in.
    pub(crate) fn handle(&mut self, input: Input<'_>, now: Now, out: &mut Out) {
        match input {
            Input::Event(event) => self.event(event, now, out),
            Input::Resize(cols, rows) => self.resize(cols, rows, out),
            Input::Answer(line) => self.attached(line, now, out),
            Input::Frame(kind, payload) => self.frame(kind, payload, now, out),
            Input::Connected => self.link = Link::Attaching,
            Input::Lost => self.lost(),
            Input::Tick => self.tick(now, out),
        }
        self.remember();
        self.outer.title(
            self.mirror.tab().map(|(w, _)| w.name.as_str()),
            &self.settings.session,
            &mut out.write,
        );
        let wish = self.mirror.focus().map(|pane| self.mirror.head(pane).mouse).unwrap_or_default();
        self.outer.motion(wish, &mut out.write);
    }

    /// When [`Input::Tick`] is wanted next, in [`Now::ms`].
    pub(crate) fn deadline(&self) -> Option<u64> {
        let menu = self.prefix.filter(|_| self.stage.stale == Stale::Nothing).map(|at| at + MENU_AFTER_MS);
        let notice = self.notice.as_ref().map(|n| n.until);
        let hold = self.hold.as_ref().and_then(hold::Hold::deadline);
        [menu.filter(|_| !self.menu_shown()), notice, hold].into_iter().flatten().min()
    }

    /// Whether the screen is not what it should be.
    pub(crate) fn wants_drawing(&self) -> bool {
        self.stage.stale > Stale::Nothing
    }

    /// Appends the bytes that make the outer terminal show what it should.
    pub(crate) fn draw(&mut self, now: Now, out: &mut Vec<u8>) {
        let cursor = self.compose(now);
        self.tidy_pool();
        let brush = Brush { pool: &self.pool, caps: self.outer.caps() };
        self.stage.painter.paint(&mut self.stage.grid, cursor, &brush, out);
    }

    /// The outer terminal may show anything: draw all of it again.
    pub(crate) fn forget_screen(&mut self) {
        self.stage.painter.forget();
        self.stage.stale = Stale::Everything;
    }

    /// Whether frames flow.
    pub(crate) fn is_live(&self) -> bool {
        self.link == Link::Live
    }

    /// The outer terminal was taken again: what was set in it is set no more.
    pub(crate) fn entered_again(&mut self) {
        self.outer.entered_again();
    }

    /// Which modes of the outer terminal must be taken back at the end.
    pub(crate) fn outer(&self) -> &Outer {
        &self.outer
    }

    fn redraw(&mut self) {
        self.stage.stale = Stale::Everything;
    }

    fn say(&mut self, words: impl Into<String>, now: Now) {
        self.notice = Some(Notice { words: words.into(), wrong: false, until: now.ms + NOTICE_MS });
        self.redraw();
    }

    fn complain(&mut self, words: impl Into<String>, now: Now) {
        self.notice = Some(Notice { words: words.into(), wrong: true, until: now.ms + NOTICE_MS });
        self.redraw();
    }

    /// The configuration was read again: what it says of looks and keys counts from now on. A sidebar that the user
    /// showed or hid since stays so unless that option changed.
    fn configure(&mut self, config: Config, out: &mut Out) {
        self.keymap = Keymap::new(&config.keys);
        self.theme = Theme::new(config.theme, self.settings.colourless);
        if config.sidebar != self.settings.config.sidebar {
            self.stage.sidebar = sidebar_of(config.sidebar);
            self.place(out);
        }
        self.settings.config = config;
        self.forget_screen();
    }

    /// Whoever goes on with other keys has read the sentence: what stands under it is of more use.
    fn heed_notice(&mut self, now: Now) {
        let read = |notice: &Notice| now.ms + NOTICE_MS >= notice.until + READ_MS;
        if self.notice.take_if(|notice| read(notice)).is_some() {
            self.redraw();
        }
    }

    fn resize(&mut self, cols: u16, rows: u16, out: &mut Out) {
        if self.stage.size != (cols, rows) {
            self.stage.size = (cols, rows);
            self.stage.grid = Grid::new(cols, rows);
            self.place(out);
        }
        // Also at the size it had: it may have had another in between, which took cells with it.
        self.forget_screen();
    }

    /// Gives everything its place again, and tells the server when panes have another room.
    fn place(&mut self, out: &mut Out) {
        let before = self.area();
        let (cols, rows) = self.stage.size;
        self.stage.areas = Areas::new(cols, rows, self.stage.sidebar);
        self.redraw();
        if self.area() != before && self.link == Link::Live {
            out.tell(&FromClient::Area(self.area()));
        }
    }

    fn tick(&mut self, now: Now, out: &mut Out) {
        if self.notice.as_ref().is_some_and(|n| n.until <= now.ms) {
            self.notice = None;
            self.redraw();
        }
        if self.prefix.is_some_and(|at| at + MENU_AFTER_MS <= now.ms) && !self.menu_shown() {
            self.redraw();
        }
        self.hold_timeout(now, out);
    }

    /// Notes where the user is, for going back.
    fn remember(&mut self) {
        let place = self.mirror.tab().zip(self.mirror.focus()).map(|((_, tab), pane)| (tab.id, pane));
        let (Some(place), before) = (place, self.past.now) else { return };
        if before == Some(place) {
            return;
        }
        if let Some((tab, pane)) = before {
            if tab == place.0 {
                self.past.last_pane = Some(pane);
            } else {
                self.past.last_tab = Some(tab);
            }
        }
        self.past.now = Some(place);
    }

    fn lost(&mut self) {
        self.link = Link::Lost;
        self.mirror.lost();
        self.asks.forget();
        self.hold = None;
        self.hands.let_go();
        self.redraw();
    }

    fn ended(&mut self, bye: Bye, out: &mut Out) {
        match bye {
            Bye::Killed => out.end = Some(Ending::Killed),
            Bye::Empty => out.end = Some(Ending::Empty),
            Bye::Because(why) => out.end = Some(Ending::Because(crate::text::clean(&why))),
            Bye::Restarting => out.hang_up = true,
        }
    }

    fn menu_shown(&self) -> bool {
        self.stage.hits.iter().any(|(_, hit)| matches!(hit, Hit::Menu(_)))
    }

    fn mood(&self) -> Mood {
        if self.link == Link::Lost {
            return Mood::Wrong("reconnecting… what is typed now is not sent".to_owned());
        }
        if self.prefix.is_some() {
            return Mood::Prefix;
        }
        if let Some(notice) = &self.notice {
            let words = notice.words.clone();
            return if notice.wrong { Mood::Wrong(words) } else { Mood::Saying(words) };
        }
        if self.link == Link::Attaching && self.mirror.tab().is_none() {
            return Mood::Saying("connecting…".to_owned());
        }
        if self.focus_offset() > 0 {
            return Mood::Scrolled;
        }
        if let Some(waiting) = self.focus_ended() {
            return Mood::Ended { waiting };
        }
        match &self.settings.hint {
            Some(hint) => Mood::Hint(hint.clone()),
            None => Mood::Normal,
        }
    }

    /// Draws what is stale into the grid; says where the cursor belongs.
    fn compose(&mut self, now: Now) -> Cursor {
        let stale = std::mem::replace(&mut self.stage.stale, Stale::Nothing);
        let menu = self.prefix.is_some_and(|at| at + MENU_AFTER_MS <= now.ms);
        let covered = menu || !self.layers.is_empty();
        // What is selected changes the look of rows that did not change themselves.
        let selecting = self.hands.selection.is_some();
        let mood = self.mood();
        let scene = Scene { mirror: &self.mirror, keymap: &self.keymap, areas: self.stage.areas, mood };
        let mut cursor = None;
        if stale == Stale::Everything || covered || selecting {
            let mut canvas = Canvas {
                grid: &mut self.stage.grid,
                pool: &mut self.pool,
                theme: &self.theme,
                hits: &mut self.stage.hits,
            };
            draw::all(&scene, &mut canvas);
            let area = self.stage.areas.panes;
            for layer in &mut self.layers {
                cursor = layer.draw(&mut canvas, &self.keymap, area);
            }
            if menu {
                let title = self.keymap.prefix().to_string();
                draw_menu(&mut canvas, &menu_entries(&self.keymap, None), &title, area);
            }
        } else if stale == Stale::Rows {
            draw::changed_rows(&scene, &mut self.stage.grid);
        }
        if !covered {
            self.show_selection();
        }
        self.mirror.settle();
        if covered { Cursor { at: cursor, ..Cursor::default() } } else { self.pane_cursor() }
    }

    fn pane_cursor(&self) -> Cursor {
        use kraal_api::screen::flag;
        let place =
            self.mirror.focus().and_then(|pane| Some((self.pane_rect(pane)?, self.mirror.screen(pane)?)));
        let Some((rect, screen)) = place else { return Cursor::default() };
        let inner = rect.inside_frame();
        let (x, y) = screen.head.cursor;
        let shows = screen.has(flag::CURSOR_VISIBLE) && screen.head.offset == 0 && x < inner.w && y < inner.h;
        Cursor {
            at: shows
                .then_some((inner.x + x, inner.y + y))
                .filter(|(x, y)| {
                    self.pane_at(*x, *y).is_some_and(|(on_top, _)| Some(on_top) == self.mirror.focus())
                })
                .filter(|(x, y)| *x < self.stage.size.0 && *y < self.stage.size.1),
            shape: screen.head.shape,
            blinks: screen.has(flag::CURSOR_BLINKS),
        }
    }

    /// Where a pane of the shown tab lies, frame included.
    fn pane_rect(&self, pane: PaneId) -> Option<Rect> {
        let (_, tab) = self.mirror.tab()?;
        let rects = tab.in_sight(self.stage.areas.panes);
        rects.into_iter().find(|(id, rect)| *id == pane && rect.w > 0 && rect.h > 0).map(|(_, rect)| rect)
    }

    /// Forgets the texts no cell names any more, when there are many.
    fn tidy_pool(&mut self) {
        if !self.pool.crowded() {
            return;
        }
        let old = std::mem::take(&mut self.pool);
        for grid in self.mirror.grids() {
            self.pool.adopt(grid, &old);
        }
        self.pool.adopt(&mut self.stage.grid, &old);
        self.pool.adopt(self.stage.painter.shown_mut(), &old);
    }
}

#[cfg(test)]
mod tests;
