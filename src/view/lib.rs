//! A live view of a run: pages in a browser on this machine, served by the run itself.
//!
//! The run shows what there is to see in a [`Feed`], and waits for nobody: pages take the latest
//! frame when they can, and what they ask for stands in a row until the run comes to it. Whether
//! no page looks on or many do makes no difference to what happens. What is seen can be written
//! down (see [`record`]), and pages can look at that later ([`replay`]).

#![forbid(unsafe_code)]

mod ahead;
mod colour;
mod easel;
mod feed;
mod http;
mod image;
mod record;
mod replay;
mod scene;
mod server;
mod start;
mod terminal;

pub use colour::{DEAD, kind, shade};
pub use feed::{Feed, Order};
pub use image::Image;
pub use record::{Flaw, Recorder, Slow};
pub use replay::{Replay, Seen};
pub use scene::{Frame, Line, Scene, Setup, Slider, heat};
pub use server::serve;
pub use start::{Start, thread};
pub use terminal::Terminal;
