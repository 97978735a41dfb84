//! Unwinders and backtraces find the frames of private images through these two functions.
