//! The predefined operations.

/// The predefined operations, in the order of their handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Sum,
    Min,
    Max,
    Prod,
    Band,
    Bor,
    Bxor,
    Land,
    Lor,
    Lxor,
    Minloc,
    Maxloc,
    Replace,
    NoOp,
}
