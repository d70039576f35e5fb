//! What the kernel says of a connection's peer: which pane it descends from, if any.
//!
//! Not here: what such a caller may do (`core::rights`).

use std::collections::HashMap;

use kraal_api::PaneId;
use kraal_core::Peer;
use kraal_host::{keeper, process};

/// The facts of a peer by its pid. The nearest keeper among its ancestors decides: a process under
/// another session's keeper is in no pane of ours. One that is gone already cannot be placed, and
/// counts as somebody's pane.
pub(crate) fn peer(
    pid: u32,
    panes: &HashMap<u32, PaneId>,
    own_keeper: u32,
    dirs: &kraal_host::dirs::EnvironmentDirs,
) -> Peer {
    let mut peer = Peer::default();
    let Some(own) = process::identity(pid) else {
        peer.under_keeper = true;
        return peer;
    };
    peer.cwd = process::cwd(pid).map(|path| path.to_string_lossy().into_owned());
    let mut line = vec![own];
    line.extend(process::ancestors(pid));
    for ancestor in line {
        if let Some(pane) = panes.get(&ancestor.pid) {
            peer.pane = Some(*pane);
            return peer;
        }
        if ancestor.pid == own_keeper || keeper::is_keeper(&dirs.keepers, ancestor) {
            peer.under_keeper = true;
            return peer;
        }
    }
    peer
}
