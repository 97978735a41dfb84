//! A live view of a run: pages in a browser on this machine, served by the run itself.
//!
//! The run shows what there is to see in a [`Feed`], and waits for nobody: pages take the latest
//! frame when they can, and what they ask for stands in a row until the run comes to it. Whether
//! no page looks on or many do makes no difference to what happens.

mod feed;
mod http;
mod server;

pub use feed::{Feed, Frame, Order, Scene, Setup, Slider};
pub use server::serve;
