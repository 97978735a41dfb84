//! A live view of a run: pages in a browser on this machine, served by the run itself.
//!
//! The run shows its state in a [`Feed`] and never waits: pages take the latest frame when they
//! can, and their requests are queued until the run handles them. The number of pages does not
//! change what happens in the run. What is seen can be recorded (see [`record`]), and pages can
//! look at that later ([`replay`]).

#![forbid(unsafe_code)]

mod ahead;
mod colour;
mod easel;
mod feed;
mod http;
mod image;
mod marks;
mod record;
mod replay;
mod scene;
mod server;
mod start;
mod terminal;
mod words;

pub use colour::{DEAD, kind, shade};
pub use feed::{Feed, Order};
pub use image::Image;
pub use record::{Flaw, Recorder, Slow};
pub use replay::{Replay, Seen};
pub use scene::{Frame, Line, Scene, Setup, Slider, Vacant, heat};
pub use server::serve;
pub use start::{Start, thread};
pub use terminal::Terminal;
