//! The libc variables of a rank, and how they get their first values.

use super::homes::Variable;
use super::state::LibcState;
use super::{environ, stdio};
use std::ffi::{CStr, c_char, c_long};

/// Where the private images of a rank find libc's variable `name` (`stdout`, `environ`, `optind`).
pub(in crate::host) fn variable(state: &LibcState, name: &str) -> Option<*const ()> {
    let variable = Variable::named(name)?;
    state.settle(variable);
    Some(state.homes.address::<()>(variable).cast_const())
}

impl LibcState {
    /// Puts `name=value` into the rank's environment.
    pub(in crate::host) fn set_variable(&self, line: &CStr) {
        environ::set(self, line);
    }

    /// The rank's image has its own copy of the variable `name`, at `address`: from now on that is
    /// the variable. Its first value is written there. Names that are not ours are left alone.
    pub(in crate::host) fn set_home(&self, name: &str, address: *mut ()) {
        if let Some(variable) = Variable::named(name) {
            self.homes.set(variable, address);
            self.settle(variable);
        }
    }

    /// The variable `name` is the one at `address`, for all ranks: of the standard streams that is
    /// so where they run in one image. Other variables of this rank stay its own.
    pub(in crate::host) fn share_home(&self, name: &str, address: *mut ()) {
        let streams = [Variable::Stdin, Variable::Stdout, Variable::Stderr];
        if let Some(variable) = Variable::named(name).filter(|it| streams.contains(it)) {
            self.homes.set(variable, address);
        }
    }

    /// The environment of this rank, for its `main`.
    pub(in crate::host) fn envp(&self) -> *mut *mut c_char {
        self.settle(Variable::Environ);
        self.homes.read(Variable::Environ)
    }

    /// Gives a variable that is still empty the value it has at the start of a program.
    pub(super) fn settle(&self, variable: Variable) {
        match variable {
            Variable::Stdin | Variable::Stdout | Variable::Stderr => stdio::settle(self, variable),
            Variable::Environ => environ::settle(self),
            Variable::Optind | Variable::Opterr => self.homes.write(variable, 1),
            Variable::Optopt => self.homes.write(variable, i32::from(b'?')),
            Variable::Optarg => self.homes.write(variable, std::ptr::null_mut::<c_char>()),
            Variable::Tzname => {
                let unknown = c"GMT".as_ptr().cast_mut();
                self.homes.write(variable, [unknown, unknown]);
            }
            Variable::Timezone => self.homes.write::<c_long>(variable, 0),
            Variable::Daylight | Variable::Signgam => self.homes.write(variable, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_start_as_in_a_fresh_program() {
        let state = LibcState::new(3);
        let optind = variable(&state, "optind").unwrap().cast::<i32>();
        // SAFETY: the state lives, and the slot is an int.
        assert_eq!(unsafe { optind.read() }, 1);
        let mut copy = 17;
        state.set_home("optind", (&raw mut copy).cast());
        assert_eq!(copy, 1);
        assert_eq!(variable(&state, "optind"), Some((&raw const copy).cast()));
        assert_eq!(variable(&state, "program_invocation_name"), None);
        assert_eq!(variable(&state, "environ"), variable(&state, "__environ"));
    }
}
