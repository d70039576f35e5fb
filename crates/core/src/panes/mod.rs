//! Panes: opening them, what their programs do, the verbs on them, and closing them.
//!
//! Not here: agents in them (`agents`), tabs and workspaces (`sessions`).

mod close;
mod floats;
mod life;
mod open;
mod spot;
mod typing;
mod verbs;

pub(crate) use close::close;
pub(crate) use floats::{float, place_float};
pub(crate) use life::{changed, exited, start_failed, started};
pub(crate) use open::{NewPane, open, open_asked, run};
pub(crate) use spot::Spot;
pub(crate) use typing::{Held, send_keys, send_text};
pub(crate) use verbs::{
    close_pane, explain, focus, list, move_pane, read, read_pane, rename, rerun, resize, reveal, swap, zoom,
};
