//! What the kernel says of a connection's peer: which pane it descends from, if any.
//!
//! Not here: what such a caller may do (`core::rights`).

use std::collections::HashMap;

use kraal_api::PaneId;
use kraal_core::Peer;
use kraal_host::{keeper, process};

/// The facts of a peer by its pid, and the processes from it up to its pane's program, itself first. The nearest keeper among its ancestors decides: a process under
/// another session's keeper is in no pane of ours. One that is gone already cannot be placed, and
/// counts as somebody's pane.
pub(crate) fn peer(
    pid: u32,
    panes: &HashMap<u32, PaneId>,
    own_keeper: u32,
    dirs: &kraal_host::dirs::EnvironmentDirs,
) -> (Peer, Vec<u32>) {
    let mut peer = Peer::default();
    let Some(own) = process::identity(pid) else {
        peer.under_keeper = true;
        return (peer, Vec::new());
    };
    peer.cwd = process::cwd(pid).map(|path| path.to_string_lossy().into_owned());
    let mut line = vec![own];
    line.extend(process::ancestors(pid).into_iter().skip(1));
    let mut below = Vec::new();
    for ancestor in line {
        below.push(ancestor.pid);
        if let Some(pane) = panes.get(&ancestor.pid) {
            peer.pane = Some(*pane);
            return (peer, below);
        }
        if ancestor.pid == own_keeper || keeper::is_keeper(&dirs.keepers, ancestor) {
            peer.under_keeper = true;
            below.pop();
            return (peer, below);
        }
    }
    (peer, Vec::new())
}
