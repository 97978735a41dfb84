//! One-sided communication (MPI-5.0 §12).

mod access;
mod attr;
mod fast_path;
mod request;
mod sync;
mod window;
