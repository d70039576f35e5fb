//! Unix sockets: bound safely, asked for their peer, and carrying descriptors.
//!
//! Who may talk is the caller's verdict; here are only the kernel's facts about a peer.

use std::fs;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
};
use thiserror::Error;

use crate::dirs::{self, DirsError};

/// The most descriptors one message carries (`SCM_MAX_FD` of Linux is 253; macOS takes more).
pub const MOST_FDS: usize = 253;

/// Why a socket was not bound.
#[derive(Debug, Error)]
pub enum SocketError {
    /// Somebody accepts on it.
    #[error("a server already listens on {0}: attach to it or end it first")]
    Live(PathBuf),
    /// A file that is no socket stands there.
    #[error("{0} is no socket: remove it")]
    NotASocket(PathBuf),
    /// Its folder is not fit.
    #[error(transparent)]
    Folder(#[from] DirsError),
    /// The system refused.
    #[error("cannot listen on {path}: {source}")]
    Io {
        /// The socket's path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What the kernel says of the process at the other end, at the time it connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Its effective user.
    pub uid: u32,
    /// Its process.
    pub pid: u32,
}

/// Listens on `path`: folder 0700, socket 0600 whatever the umask, a stale socket replaced, a live one never.
///
/// The socket is bound beside its path and renamed onto it, so nobody can connect before its mode is set.
/// Two callers at once are kept apart by [`crate::lock`], not here. The listener is blocking and close-on-exec.
pub fn bind(path: &Path) -> Result<UnixListener, SocketError> {
    let failed = |source| SocketError::Io { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        dirs::make_private(parent)?;
    }
    match fs::symlink_metadata(path) {
        Ok(found) if !found.file_type().is_socket() => return Err(SocketError::NotASocket(path.to_owned())),
        Ok(_) if is_live(path) => return Err(SocketError::Live(path.to_owned())),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    // Not longer than `api.sock`, whose length is what the folder was checked for.
    let beside = path.with_file_name(format!(".{:07x}", std::process::id()));
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let listener = UnixListener::bind(&beside).map_err(failed)?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o600))
        .and_then(|()| fs::rename(&beside, path))
        .map_err(|error| {
            let _ = fs::remove_file(&beside);
            failed(error)
        })?;
    Ok(listener)
}

/// Whether somebody accepts connections on `path`. Never blocks: a full queue of a living server is alive.
pub fn is_live(path: &Path) -> bool {
    matches!(connect_nonblocking(path), Ok(_) | Err(Errno::AGAIN | Errno::INPROGRESS))
}

/// Connects to `path`. Blocks only while a living server's queue is full.
pub fn connect(path: &Path) -> io::Result<UnixStream> {
    UnixStream::connect(path)
}

/// Connects to `path` at once or not at all; neither this nor anything done with the stream blocks.
///
/// # Errors
///
/// Of kind `WouldBlock` when a living server's queue is full, else what the system says.
pub fn connect_at_once(path: &Path) -> io::Result<UnixStream> {
    Ok(UnixStream::from(connect_nonblocking(path)?))
}

fn connect_nonblocking(path: &Path) -> rustix::io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket)
}

/// Who is at the other end of `stream` (`SO_PEERCRED`).
pub fn peer(stream: impl AsFd) -> io::Result<Peer> {
    let found = rustix::net::sockopt::socket_peercred(&stream)?;
    Ok(Peer { uid: found.uid.as_raw(), pid: found.pid.as_raw_nonzero().get() as u32 })
}

/// Sends `bytes` with `fds` in one message; answers how many bytes went. Never raises `SIGPIPE`.
/// At most [`MOST_FDS`] descriptors, and at least one byte when there are any.
pub fn send_fds(socket: impl AsFd, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<usize> {
    let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(fds.len()))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many descriptors for one message"));
    }
    let slices = [IoSlice::new(bytes)];
    loop {
        match rustix::net::sendmsg(&socket, &slices, &mut control, SendFlags::NOSIGNAL) {
            Err(Errno::INTR) => {}
            other => return Ok(other?),
        }
    }
}

/// Receives into `buffer`, with whatever descriptors came along (close-on-exec). 0 bytes is the end.
/// A message longer than `buffer` is an error; a process without room for more descriptors gets fewer, or none.
pub fn recv_fds(socket: impl AsFd, buffer: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let mut slices = [IoSliceMut::new(buffer)];
        match rustix::net::recvmsg(&socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other?,
        }
    };
    let mut fds = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(list) = message {
            fds.extend(list);
        }
    }
    if received.flags.contains(rustix::net::ReturnFlags::TRUNC) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a message longer than its buffer was cut"));
    }
    Ok((received.bytes, fds))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn modes_and_replacement() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("run/api.sock");
        assert!(!is_live(&path));
        let first = bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        assert!(is_live(&path));
        assert!(matches!(bind(&path), Err(SocketError::Live(_))));
        drop(first);
        // The file alone is no server; another test's fork may be one for a moment longer.
        while is_live(&path) {
            std::thread::yield_now();
        }
        let second = bind(&path).unwrap();
        let names: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["api.sock"]);
        drop(second);
        fs::remove_file(&path).unwrap();
        fs::write(&path, "x").unwrap();
        assert!(matches!(bind(&path), Err(SocketError::NotASocket(_))));
    }

    #[test]
    fn a_full_queue_is_alive() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("s");
        let listener = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).unwrap();
        rustix::net::bind(&listener, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let mut held = Vec::new();
        while let Ok(socket) = connect_nonblocking(&path) {
            held.push(socket);
        }
        assert!(is_live(&path));
    }

    #[test]
    fn the_peer_is_us() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("s");
        let listener = bind(&path).unwrap();
        let _client = connect(&path).unwrap();
        let (server, _) = listener.accept().unwrap();
        let found = peer(&server).unwrap();
        assert_eq!(found, Peer { uid: rustix::process::geteuid().as_raw(), pid: std::process::id() });
    }

    #[test]
    fn descriptors_travel() {
        let (a, b) = UnixStream::pair().unwrap();
        let (mut near, far) = UnixStream::pair().unwrap();
        let sent = send_fds(&a, b"x", &[far.as_fd(), far.as_fd()]).unwrap();
        assert_eq!(sent, 1);
        let mut buffer = [0; 8];
        let (length, fds) = recv_fds(&b, &mut buffer).unwrap();
        assert_eq!((length, fds.len()), (1, 2));
        drop(far);
        UnixStream::from(fds.into_iter().next().unwrap()).write_all(b"hello").unwrap();
        let mut text = String::new();
        near.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
        drop(a);
        assert_eq!(recv_fds(&b, &mut buffer).unwrap().0, 0);
    }
}
