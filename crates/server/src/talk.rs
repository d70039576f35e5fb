//! Listening: new connections, the lines and frames on them, and what clients type.
//!
//! Not here: what a request means (`core`), what clients are shown (`show`).

use std::os::fd::AsFd;

use kraal_api::envelope;
use kraal_api::stream::{self, FromClient, Kind, Mouse, MouseKind, Outer, Part};
use kraal_api::{ConnId, PaneId, Refusal, Request, Verb};
use kraal_core::Input;
use kraal_host::sentinel::Sentinel;
use kraal_host::socket;
use kraal_term::keys::{KeyEvent, Mods};
use kraal_term::{Modes, MouseButton, MouseEvent, Outbox, OuterColours, Rgb};
use mio::Interest;

use crate::caller;
use crate::conn::{Asker, Client, Conn, Face, Incoming};
use crate::pane::INPUT_MAX;
use crate::server::{LISTENER, Server, conn_token};

/// A wheel's turn on the alternate screen is this many arrow keys, as in xterm.
const WHEEL_ARROWS: usize = 3;

impl Server {
    /// Takes what waits at the door.
    pub(crate) fn accept(&mut self) {
        loop {
            match self.conns.listener.accept() {
                Ok((stream, _)) => self.accepted(stream),
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => return,
                Err(error) => {
                    // No descriptors left: those who are in are still served, and who waits has
                    // its turn when one of them leaves.
                    self.conns.full = true;
                    tracing::warn!(%error, "a connection cannot be accepted");
                    return;
                }
            }
        }
    }

    /// The socket's file was taken away: it is made again, so that the session can be reached.
    pub(crate) fn socket_gone(&mut self) {
        if !self.conns.sentinel.as_ref().is_some_and(Sentinel::is_gone) {
            return;
        }
        let made = socket::bind(&self.setting.environment.socket)
            .map_err(|error| error.to_string())
            .and_then(|listener| {
                listener.set_nonblocking(true).map_err(|error| error.to_string())?;
                let mut listener = mio::net::UnixListener::from_std(listener);
                let registry = self.poll.registry();
                // The old one is closed next, which takes it out of the poll in any case.
                let _ = registry.deregister(&mut self.conns.listener);
                registry
                    .register(&mut listener, LISTENER, Interest::READABLE)
                    .map_err(|error| error.to_string())?;
                self.conns.listener = listener;
                Ok(())
            });
        if let Err(error) = made {
            self.feed(Input::Problem(format!(
                "the session's socket was removed and cannot be made again: {error}"
            )));
        }
        if let Some(Err(error)) = self.conns.sentinel.as_ref().map(Sentinel::watch) {
            tracing::warn!(%error, "the socket's folder cannot be watched");
        }
    }

    fn accepted(&mut self, mut stream: mio::net::UnixStream) {
        self.conns.last += 1;
        let id = ConnId(self.conns.last);
        let Ok(who) = peer_of(&stream) else { return };
        if who.uid != rustix::process::geteuid().as_raw() {
            tracing::warn!(uid = who.uid, "a connection of another user is refused");
            return;
        }
        let registered = self.poll.registry().register(&mut stream, conn_token(id), Interest::READABLE);
        if let Err(error) = registered {
            tracing::warn!(%error, "a connection cannot be watched");
            return;
        }
        let (peer, line) =
            caller::peer(who.pid, &self.panes.by_pid, self.setting.keeper, &self.setting.environment);
        self.conns.all.insert(id, Conn::new(id, stream, (peer, line)));
    }

    /// Reads every connection that has something, keys before anything a pane wrote.
    pub(crate) fn read_conns(&mut self) {
        let ready: Vec<ConnId> = self.conns.all.values().filter(|c| c.readable).map(|c| c.id).collect();
        for id in ready {
            let Some(conn) = self.conns.all.get_mut(&id) else { continue };
            let open = conn.read();
            while let Some(incoming) = self.conns.all.get_mut(&id).filter(|c| !c.ending).and_then(Conn::next)
            {
                match incoming {
                    Incoming::Line(line) => self.line(id, &line),
                    Incoming::Frame(kind, payload) => self.frame(id, kind, &payload),
                    Incoming::Garbage(why) => {
                        tracing::warn!(conn = id.0, why, "a client's stream is broken");
                        self.end_conn(id);
                    }
                }
            }
            if !open {
                // It may have closed its own half only, and still read its answers.
                self.end_conn(id);
            }
        }
    }

    /// Ends a connection once what waits for it is sent.
    pub(crate) fn end_conn(&mut self, id: ConnId) {
        let Some(conn) = self.conns.all.get_mut(&id) else { return };
        conn.ending = true;
        if !conn.flush() || conn.out.is_empty() {
            self.close_conn(id);
        }
    }

    /// A connection is gone.
    pub(crate) fn close_conn(&mut self, id: ConnId) {
        let Some(mut conn) = self.conns.all.remove(&id) else { return };
        // It is closed next, which takes it out of the poll in any case.
        let _ = self.poll.registry().deregister(&mut conn.stream);
        self.conns.tickets.forget(id);
        if self.conns.active == Some(id) {
            self.conns.active = None;
        }
        self.feed(Input::Closed { conn: id });
        if std::mem::take(&mut self.conns.full) {
            self.accept();
        }
    }

    fn line(&mut self, id: ConnId, line: &[u8]) {
        if line.iter().all(u8::is_ascii_whitespace) && !line.is_empty() {
            return;
        }
        match envelope::read(line) {
            Err(unread) => {
                let Some(conn) = self.conns.all.get_mut(&id) else { return };
                conn.line(&envelope::unread_line(&unread));
                if unread.hang_up {
                    self.end_conn(id);
                } else if !conn.flush() {
                    self.close_conn(id);
                }
            }
            Ok(call) => {
                let Some(conn) = self.conns.all.get_mut(&id) else { return };
                let mut peer = conn.peer.clone();
                peer.token = call.token;
                // What it may do hangs on whether an agent runs there, now and not at the last look.
                if let Some(pane) = peer.pane
                    && self.panes.all.get(&pane).is_some_and(|pane| pane.watch.detector.is_none())
                {
                    self.look_at(pane);
                }
                let asker = match &call.request {
                    Request::Verb(Verb::Attach(attach)) => Asker::Attach(call.id, Box::new(attach.clone())),
                    Request::SubscribeAgents(_) | Request::Verb(Verb::Events(_)) => Asker::Stream(call.id),
                    _ => Asker::Line(call.id),
                };
                let ticket = self.conns.tickets.issue(id, asker);
                self.feed(Input::Request { ticket, conn: id, peer, request: call.request });
            }
        }
    }

    /// A connection became an attached client.
    pub(crate) fn attached(&mut self, id: ConnId, attach: &stream::Attach) {
        let Some(conn) = self.conns.all.get_mut(&id) else { return };
        conn.face = Face::Client(Box::new(Client { facts: true, ..Client::default() }));
        conn.peer.attached = true;
        if self.conns.active.is_none() {
            self.conns.active = Some(id);
        }
        self.outer(&attach.outer);
        if let Some(tab) = self.world.view(id)
            && let Some(conn) = self.conns.all.get_mut(&id)
        {
            conn.control(&stream::ToClient::View { tab });
        }
    }

    fn frame(&mut self, id: ConnId, kind: Option<Kind>, payload: &[u8]) {
        match kind {
            Some(Kind::Control) => match serde_json::from_slice::<FromClient>(payload) {
                Ok(message) => self.client_says(id, message),
                Err(error) => tracing::warn!(conn = id.0, %error, "a client's message cannot be read"),
            },
            Some(Kind::Keys) => {
                if let Some((pane, bytes)) = stream::read_keys(payload) {
                    self.keys(id, pane, bytes);
                }
            }
            Some(Kind::Paste) => {
                if let Some((pane, part, bytes)) = stream::read_paste(payload) {
                    self.paste(id, pane, part, bytes);
                }
            }
            Some(Kind::Screen) | None => {}
        }
    }

    fn client_says(&mut self, id: ConnId, message: FromClient) {
        match message {
            FromClient::Ask { id: asked, request } => {
                let Some(conn) = self.conns.all.get(&id) else { return };
                let peer = conn.peer.clone();
                if matches!(request, Request::Verb(Verb::Attach(_))) {
                    let refusal = Refusal::bad_request("this connection is attached already");
                    self.answer_frame(id, asked, Err(refusal));
                    return;
                }
                let ticket = self.conns.tickets.issue(id, Asker::Frame(asked));
                self.feed(Input::Request { ticket, conn: id, peer, request });
            }
            FromClient::Area(area) => self.feed(Input::ClientArea { conn: id, area }),
            FromClient::Focus(focused) => self.feed(Input::ClientFocus { conn: id, focused }),
            FromClient::Outer(outer) => self.outer(&outer),
            FromClient::Dark(dark) => {
                let ids: Vec<PaneId> = self.panes.all.keys().copied().collect();
                for pane in ids {
                    let mut out = Outbox::default();
                    if let Some(pane) = self.panes.all.get_mut(&pane) {
                        pane.terminal.set_colour_scheme(dark, &mut out);
                    }
                    self.type_bytes(pane, &out.replies);
                }
            }
            FromClient::Scroll { pane, offset } => {
                let terminal = self.panes.all.get(&pane).map(|p| &p.terminal);
                let client = self.conns.all.get_mut(&id).and_then(Conn::client);
                if let (Some(terminal), Some(client)) = (terminal, client) {
                    client.screens.scroll(pane, offset, terminal);
                }
                if offset == 0 {
                    self.history_cleared(pane);
                }
            }
            FromClient::Mouse { pane, event } => self.mouse(id, pane, event),
        }
    }

    /// What the outer terminal said: programs in all panes are answered with it.
    fn outer(&mut self, outer: &Outer) {
        let rgb = |c: [u8; 3]| Rgb(c[0], c[1], c[2]);
        let said = OuterColours {
            fg: outer.foreground.map(rgb).or(self.colours.fg),
            bg: outer.background.map(rgb).or(self.colours.bg),
            cursor: outer.cursor.map(rgb).or(self.colours.cursor),
            palette: if outer.palette.is_empty() {
                self.colours.palette.clone()
            } else {
                outer.palette.iter().map(|(index, c)| (*index, rgb(*c))).collect()
            },
        };
        if said != self.colours {
            self.colours = said;
            for pane in self.panes.all.values_mut() {
                pane.terminal.set_outer_colours(self.colours.clone());
            }
        }
        if let Some([width, height]) = outer.cell_pixels {
            for pane in self.panes.all.values_mut() {
                pane.terminal.set_cell_pixels(width, height);
            }
        }
    }

    /// This client is the one that acts: its size counts.
    fn acts(&mut self, id: ConnId) {
        if self.conns.active.replace(id) != Some(id) {
            self.feed(Input::ClientActive { conn: id });
        }
    }

    fn keys(&mut self, id: ConnId, pane: PaneId, mut bytes: &[u8]) {
        self.acts(id);
        let Some(target) = self.panes.all.get_mut(&pane) else { return };
        if target.input.len() > INPUT_MAX {
            self.say(id, "this pane's program reads nothing any more: the key was not typed");
            return;
        }
        while let Some((key, taken)) = KeyEvent::from_wire(bytes) {
            bytes = &bytes[taken.max(1)..];
            target.terminal.encode_key(&key, target.input.tail());
        }
        self.typed(pane);
    }

    fn paste(&mut self, id: ConnId, pane: PaneId, part: Part, bytes: &[u8]) {
        self.acts(id);
        let Some(target) = self.panes.all.get_mut(&pane) else { return };
        let Some(client) = self.conns.all.get_mut(&id).and_then(Conn::client) else { return };
        if part.begins() {
            client.paste = Some((pane, Vec::new()));
        }
        // Without a beginning it is the rest of one that was refused.
        let Some((_, text)) = client.paste.as_mut().filter(|(into, _)| *into == pane) else { return };
        text.extend_from_slice(bytes);
        if target.input.len() + text.len() > INPUT_MAX {
            client.paste = None;
            self.say(id, "over 64 MiB would wait for this pane's program: nothing of the paste was typed");
            return;
        }
        if part.ends() {
            let text = std::mem::take(text);
            client.paste = None;
            target.terminal.encode_paste(&text, target.input.tail());
            self.typed(pane);
        }
    }

    fn mouse(&mut self, id: ConnId, pane: PaneId, mouse: Mouse) {
        self.acts(id);
        let now = self.now();
        let Some(target) = self.panes.all.get_mut(&pane) else { return };
        let modes = target.terminal.modes();
        let mut report = Vec::new();
        let wheel = matches!(mouse.kind, MouseKind::WheelUp | MouseKind::WheelDown);
        if !modes.wants_mouse() && wheel && modes.contains(Modes::ALT_SCREEN) {
            let up = mouse.kind == MouseKind::WheelUp;
            let code = if up { kraal_term::keys::KeyCode::Up } else { kraal_term::keys::KeyCode::Down };
            for _ in 0..WHEEL_ARROWS {
                target.terminal.encode_key(&KeyEvent::new(code, Mods::empty()), &mut report);
            }
        } else {
            target.terminal.encode_mouse(&mouse_of(mouse), &mut report);
        }
        // Not what a person typed: an agent's draft or dialog is as it was.
        target.report(&report);
        target.watch.activity(now);
    }

    /// The terminal's answers to a pane's program.
    pub(crate) fn type_bytes(&mut self, pane: PaneId, bytes: &[u8]) {
        if let Some(target) = self.panes.all.get_mut(&pane)
            && !bytes.is_empty()
        {
            target.report(bytes);
        }
    }

    /// Something was typed into a pane: hand it over, and look at what comes of it.
    pub(crate) fn typed(&mut self, pane: PaneId) {
        self.prompt_disturbed(pane);
        self.handed_over(pane);
    }

    /// What waits to be typed into a pane is handed over.
    pub(crate) fn handed_over(&mut self, pane: PaneId) {
        let now = self.now();
        let Some(target) = self.panes.all.get_mut(&pane) else { return };
        target.flush_input();
        // The kernel's echo is there already: no need to be told.
        if target.program.is_some() && !self.panes.ready.contains(&pane) {
            self.panes.ready.push_front(pane);
        }
        let Some(target) = self.panes.all.get_mut(&pane) else { return };
        if let Some(found) = target.watch.typed(now) {
            self.take_found(pane, found);
        }
    }
}

fn peer_of(stream: &mio::net::UnixStream) -> std::io::Result<socket::Peer> {
    socket::peer(stream.as_fd())
}

fn mouse_of(mouse: Mouse) -> MouseEvent {
    use kraal_term::MouseKind as Kind;
    let button = |b: u8| match b {
        0 => MouseButton::Left,
        1 => MouseButton::Middle,
        2 => MouseButton::Right,
        other => MouseButton::Other(other),
    };
    let (kind, held) = match mouse.kind {
        MouseKind::Press(b) => (Kind::Press, Some(button(b))),
        MouseKind::Release(b) => (Kind::Release, Some(button(b))),
        MouseKind::Drag(b) => (Kind::Move, Some(button(b))),
        MouseKind::Move => (Kind::Move, None),
        MouseKind::WheelUp => (Kind::WheelUp, None),
        MouseKind::WheelDown => (Kind::WheelDown, None),
        MouseKind::WheelLeft => (Kind::WheelLeft, None),
        MouseKind::WheelRight => (Kind::WheelRight, None),
    };
    MouseEvent { kind, button: held, x: mouse.x, y: mouse.y, mods: Mods::from_bits_truncate(mouse.mods) }
}
