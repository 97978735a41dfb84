//! The search of `ftrun explore`: which failures and orders of a program to try next, and what the
//! runs have shown. Pure: no clock, no process, no file. Runs come in as [`Trace`]s and [`Seen`]s,
//! and what to run next goes out as a [`Schedule`].

#![forbid(unsafe_code)]

mod choices;
mod coverage;
mod expect;
mod finding;
mod html;
mod judge;
mod kept;
mod matches;
mod messages;
mod orders;
mod output;
mod plan;
mod points;
mod quota;
mod shrink;
mod story;
mod tables;
mod trace;

pub use coverage::{Coverage, Site};
pub use expect::{Expect, Expected};
pub use finding::{Finding, Findings};
pub use html::page;
pub use judge::{Failure, Kind, Seen, judge, leaks};
pub use matches::taken;
pub use orders::Orders;
pub use plan::{Limits, Plan, Why};
pub use points::{Point, Schedule};
pub use shrink::Shrink;
pub use story::{Lines, story};
pub use tables::{junit, lcov, table};
pub use trace::{Call, Death, Place, Trace, Who};
