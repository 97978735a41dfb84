//! The one seam through which everything waits: `park`, `unpark`, `yield_now`.
//!
//! The executor behind it runs each rank on an OS thread.
