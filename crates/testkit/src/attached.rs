//! The real client on a terminal of our own: its bytes go into `kraal_term`, whose screen the test
//! reads and whose answers go back, as with any terminal.
//!
//! Not here: the panes' own terminals (`Sandbox::read`).

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use kraal_host::pty;
use kraal_host::spawn::{self, Program, Streams};
use kraal_term::keys::parse_name;
use kraal_term::{MouseEvent, Notice, Options, Outbox, Size, Terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::termios::LocalModes;

use crate::sandbox::{Sandbox, signal};
use crate::wait::PATIENCE;

/// The client, running.
pub struct Attached {
    shared: Arc<Shared>,
    pid: i32,
    reader: Option<JoinHandle<()>>,
}

struct Shared {
    master: OwnedFd,
    inner: Mutex<Inner>,
    changed: Condvar,
    stop: AtomicBool,
}

struct Inner {
    terminal: Terminal,
    notices: Vec<Notice>,
    /// Set when the client closed the terminal.
    ended: bool,
}

/// What the terminal shows at one moment.
#[derive(Clone, Debug)]
pub struct Screen {
    /// Its rows, without trailing blanks.
    pub rows: Vec<String>,
    /// The cursor's column and row, when it shows.
    pub cursor: Option<(u16, u16)>,
    /// The alternate screen shows.
    pub alternate: bool,
    /// The terminal's modes.
    pub modes: kraal_term::Modes,
    /// Its line discipline edits lines and echoes, as for a shell: the client has not taken it.
    pub cooked: bool,
    /// The client left the terminal.
    pub ended: bool,
}

impl Screen {
    /// Whether any row holds this.
    pub fn has(&self, text: &str) -> bool {
        self.rows.iter().any(|row| row.contains(text))
    }

    /// The column and row of a text.
    pub fn find(&self, text: &str) -> Option<(u16, u16)> {
        self.rows.iter().enumerate().find_map(|(y, row)| {
            let x = row[..row.find(text)?].chars().count();
            Some((u16::try_from(x).ok()?, u16::try_from(y).ok()?))
        })
    }

    /// All of it.
    pub fn text(&self) -> String {
        self.rows.join("\n")
    }
}

impl Attached {
    pub(crate) fn start(sandbox: &Sandbox, args: &[&str], cols: u16, rows: u16) -> Self {
        let pair = pty::open(pty::Size { cols, rows }).expect("a terminal can be opened");
        let argv: Vec<OsString> = std::iter::once(sandbox.exe().as_os_str().to_owned())
            .chain(args.iter().map(OsString::from))
            .collect();
        let env: Vec<(OsString, OsString)> = sandbox.vars().map(|(k, v)| (k.into(), v.into())).collect();
        let pid = spawn::spawn(&Program {
            argv: &argv,
            env: &env,
            cwd: &sandbox.work(),
            streams: Streams::Terminal(std::os::fd::AsFd::as_fd(&pair.slave)),
            pass: &[],
            open_files: None,
        })
        .expect("the client starts");
        drop(pair.slave);
        let options = Options { name: "testkit".to_owned(), ..Options::default() };
        let shared = Arc::new(Shared {
            master: pair.master,
            inner: Mutex::new(Inner {
                terminal: Terminal::new(Size { cols, rows }, options),
                notices: Vec::new(),
                ended: false,
            }),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let reader = Some(std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.read()
        }));
        Attached { shared, pid: i32::try_from(pid).expect("a pid fits"), reader }
    }

    /// The client's pid.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// What shows now.
    pub fn screen(&self) -> Screen {
        self.shared.screen(&self.shared.lock())
    }

    /// Waits until the screen is so, and gives it.
    ///
    /// # Panics
    ///
    /// When it does not come to that in time; says `what` and shows the screen.
    pub fn wait_for(&self, what: &str, fits: impl Fn(&Screen) -> bool) -> Screen {
        let deadline = Instant::now() + PATIENCE;
        let mut inner = self.shared.lock();
        loop {
            let screen = self.shared.screen(&inner);
            if fits(&screen) {
                return screen;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "never seen: {what}\n{}", screen.text());
            inner = self.shared.changed.wait_timeout(inner, left).expect("no reader panicked").0;
        }
    }

    /// Waits until the screen holds this text.
    pub fn wait_text(&self, text: &str) -> Screen {
        self.wait_for(text, |screen| screen.has(text))
    }

    /// Takes what the client said to the terminal beside the screen.
    pub fn notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.shared.lock().notices)
    }

    /// Presses keys by name, one after the other: `ctrl+b`, `d`, `alt+a`.
    ///
    /// # Panics
    ///
    /// On a name that is none.
    pub fn keys(&self, names: &[&str]) {
        for name in names {
            let key = parse_name(name).unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut bytes = Vec::new();
            self.shared.lock().terminal.encode_key(&key, &mut bytes);
            self.shared.write(&bytes);
        }
    }

    /// Types text, as keys.
    pub fn type_text(&self, text: &str) {
        self.shared.write(text.as_bytes());
    }

    /// Pastes text, bracketed where the client asked for that.
    pub fn paste(&self, text: &str) {
        let mut bytes = Vec::new();
        self.shared.lock().terminal.encode_paste(text.as_bytes(), &mut bytes);
        self.shared.write(&bytes);
    }

    /// Uses the mouse.
    pub fn mouse(&self, event: &MouseEvent) {
        let mut bytes = Vec::new();
        self.shared.lock().terminal.encode_mouse(event, &mut bytes);
        self.shared.write(&bytes);
    }

    /// Gives the terminal the focus, or takes it.
    pub fn focus(&self, gained: bool) {
        let mut bytes = Vec::new();
        self.shared.lock().terminal.encode_focus(gained, &mut bytes);
        self.shared.write(&bytes);
    }

    /// Resizes the terminal.
    ///
    /// # Panics
    ///
    /// When the kernel refuses.
    pub fn resize(&self, cols: u16, rows: u16) {
        self.shared.lock().terminal.resize(Size { cols, rows });
        pty::set_size(&self.shared.master, pty::Size { cols, rows }).expect("a size can be set");
    }

    /// Sends the client a signal.
    pub fn signal(&self, number: i32) {
        signal(self.pid, number);
    }

    /// Waits for the client's end: its exit status (128 and the signal's number where one ended it),
    /// and what the terminal shows then.
    ///
    /// # Panics
    ///
    /// When it does not end in time.
    pub fn end(mut self) -> (i32, Screen) {
        let screen = self.wait_for("the client's end", |screen| screen.ended);
        let pid = Pid::from_raw(self.pid).expect("a real pid");
        let status = waitpid(Some(pid), WaitOptions::empty()).expect("it is our child").expect("it ended").1;
        self.pid = 0;
        let code = status.exit_status().unwrap_or_else(|| 128 + status.terminating_signal().unwrap_or(0));
        (code, screen)
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        if let Some(pid) = Pid::from_raw(self.pid).filter(|_| self.pid > 1) {
            signal(self.pid, 9);
            let _ = waitpid(Some(pid), WaitOptions::empty());
        }
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Shared {
    fn screen(&self, inner: &Inner) -> Screen {
        let cursor = inner.terminal.cursor();
        let modes = inner.terminal.modes();
        let line = rustix::termios::tcgetattr(&self.master).map(|attributes| attributes.local_modes);
        Screen {
            rows: inner.terminal.screen_lines(),
            cursor: cursor.visible.then_some((cursor.x, cursor.y)),
            alternate: modes.contains(kraal_term::Modes::ALT_SCREEN),
            modes,
            cooked: line.is_ok_and(|line| line.contains(LocalModes::ICANON | LocalModes::ECHO)),
            ended: inner.ended,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The reader's life: until the client closes the terminal, or the test is over.
    fn read(&self) {
        let mut buffer = vec![0; 64 * 1024];
        while !self.stop.load(Ordering::Relaxed) {
            match pty::read(&self.master, &mut buffer) {
                Ok(None) => self.until(PollFlags::IN),
                Ok(Some(length)) if length > 0 => self.take(&buffer[..length]),
                Ok(Some(_)) | Err(_) => break,
            }
        }
        self.lock().ended = true;
        self.changed.notify_all();
    }

    fn take(&self, bytes: &[u8]) {
        let mut out = Outbox::default();
        {
            let mut inner = self.lock();
            inner.terminal.feed(bytes, &mut out);
            inner.notices.append(&mut out.notices);
        }
        self.changed.notify_all();
        self.write(&out.replies);
    }

    fn write(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match pty::write(&self.master, bytes) {
                Ok(Some(length)) => bytes = &bytes[length..],
                Ok(None) if !self.stop.load(Ordering::Relaxed) => self.until(PollFlags::OUT),
                // Nobody reads any more: the test will see the end.
                Ok(None) => return,
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return,
                Err(error) => panic!("the terminal cannot be written: {error}"),
            }
        }
    }

    fn until(&self, flags: PollFlags) {
        let wait = Timespec { tv_sec: 0, tv_nsec: Duration::from_millis(50).subsec_nanos().into() };
        let _ = poll(&mut [PollFd::new(&self.master, flags)], Some(&wait));
    }
}
