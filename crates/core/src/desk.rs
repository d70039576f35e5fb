//! What a handler works with: the tree, the clients, the house and the outbox.
//!
//! Not here: the stores of single features; a handler that has one gets it besides.

use crate::clients::Clients;
use crate::house::House;
use crate::outbox::Outbox;
use crate::tree::Tree;

/// The common ground of all handlers.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) tree: &'a mut Tree,
    pub(crate) clients: &'a mut Clients,
    pub(crate) house: &'a mut House,
    pub(crate) out: &'a mut Outbox,
}
