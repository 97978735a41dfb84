//! Declares calls that are not implemented yet: each fails with an error that says so.

/// Declares calls that are not implemented yet. Their parameters are placeholders, except for the
/// communicator that the error is raised on. The constant lists the calls for tests.
macro_rules! unsupported {
    (
        $(#[doc = $doc:literal])*
        $scope:ident: $($name:ident [$($fortran:ident)?] ($($arg:tt)*);)*
    ) => {
        $(unsupported_door!($scope, $name, [$($fortran)?], [$($arg)*]);)*

        $(#[doc = $doc])*
        #[cfg(test)]
        #[allow(non_upper_case_globals)]
        const $scope: &[(&str, &[&str])] =
            &[$((stringify!($name), &[$(stringify!($arg)),*])),*];
    };
}

macro_rules! unsupported_door {
    ($scope:ident, $name:ident, [$($fortran:ident)?], [$($arg:tt)*]) => {
        #[allow(non_snake_case, clippy::too_many_arguments)]
        mod $name {
            use $crate::abi::door::refuse;
            use $crate::abi::scope::Scope;
            use ::std::ffi::c_int;

            #[unsafe(export_name = stringify!($name))]
            unsafe extern "C-unwind" fn mpi($($arg: usize),*) -> c_int {
                refuse(stringify!($name), unsupported_scope!($scope, $($arg)*))
            }

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            unsafe extern "C-unwind" fn pmpi($($arg: usize),*) -> c_int {
                refuse(stringify!($name), unsupported_scope!($scope, $($arg)*))
            }

            unsupported_fortran!($scope, $name, [$($fortran)?], [$($arg)*]);
        }
    };
}

macro_rules! unsupported_fortran {
    ($scope:ident, $name:ident, [], $args:tt) => {};
    ($scope:ident, $name:ident, [$fortran:ident], $args:tt) => {
        unsupported_form!($scope, $name, fortran, [$fortran, ""], $args);
        unsupported_form!($scope, $name, modern, [$fortran, "f08_"], $args);
        unsupported_form!($scope, $name, described, [$fortran, "f08ts_"], $args);
    };
}

/// One form and its profiling twin.
macro_rules! unsupported_form {
    ($scope:ident, $name:ident, $form:ident, [$fortran:ident, $end:literal], [$($arg:tt)*]) => {
        mod $form {
            use super::*;

            #[unsafe(export_name = concat!(stringify!($fortran), $end))]
            unsafe extern "C-unwind" fn mpi(
                $($arg: *const c_int,)* ierror: $crate::abi::kinds::Ierror,
            ) {
                let scope = unsupported_scope!(@fortran $scope, $($arg)*);
                ierror.set(refuse(stringify!($name), scope));
            }

            #[unsafe(export_name = concat!("p", stringify!($fortran), $end))]
            unsafe extern "C-unwind" fn pmpi(
                $($arg: *const c_int,)* ierror: $crate::abi::kinds::Ierror,
            ) {
                let scope = unsupported_scope!(@fortran $scope, $($arg)*);
                ierror.set(refuse(stringify!($name), scope));
            }
        }
    };
}

macro_rules! unsupported_scope {
    (Comm, _ $($rest:tt)*) => {
        unsupported_scope!(Comm, $($rest)*)
    };
    (Comm, $comm:ident $($rest:tt)*) => {
        Scope::Comm($comm)
    };
    (@fortran Comm, _ $($rest:tt)*) => {
        unsupported_scope!(@fortran Comm, $($rest)*)
    };
    (@fortran Comm, $comm:ident $($rest:tt)*) => {
        // SAFETY: Fortran passes scalars by reference, and the reference is live here.
        Scope::Comm(unsafe { *$comm } as u32 as usize)
    };
    ($(@fortran)? $scope:ident, $($arg:tt)*) => {
        Scope::$scope
    };
}
