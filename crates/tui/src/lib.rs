//! The terminal client: it mirrors the server's facts and the shown panes' screens, turns keys into
//! actions, and draws. Everything but `app` is pure: input and time come in, bytes go out.
//!
//! Not here: any back door to the server (the client asks like anyone else), ptys, sockets being
//! found or servers being started (the command line does that).

pub mod actions;
pub mod app;
mod areas;
mod chord;
mod client;
mod draw;
mod editor;
mod grid;
pub mod keymap;
mod layers;
mod look;
mod mirror;
mod paint;
mod text;
mod theme;
