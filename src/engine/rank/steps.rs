//! Steps of calls, for deaths ordered in the middle of a call: a step is a message sent, or a wait
//! begun. Without such an order they cost nothing.

/// What counts steps.
pub trait Steps: Send + Sync {
    /// The calling thread has made a step; whether the rank ends here.
    fn step(&self) -> bool;
}
