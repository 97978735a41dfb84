//! The door: every MPI call, from C or Fortran, enters the library through [`enter`].
//!
//! `mpi!` declares a call once and generates its C symbol, its `PMPI_` twin for profiling tools
//! and, where marked, its large-count and Fortran forms. `plain!` declares the few functions that
//! do not return an error code.

use crate::abi::attempt::internal;
use crate::abi::scope::{News, Scope};
use crate::abi::tools::delivery;
use crate::abi::{current, handlers};
use crate::mpi::error::{Cause, Error, Result};
use crate::mpi::failure::recovery;
use crate::mpi::process::Process;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// When a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Season {
    /// Between MPI_Init and MPI_Finalize, like most calls.
    Inside,
    /// At any time, like MPI_Initialized and MPI_Get_version (MPI-5.0 §11.4.1).
    Always,
}

/// The outcome of a call. The error itself is stored in the process, so that no frame here owns
/// anything when a handler jumps out.
#[derive(Clone, Copy)]
enum Verdict {
    Done,
    Failed(News, Scope),
    Told(c_int),
    Died,
}

/// Runs one MPI call: notices failures first, keeps panics out of C, raises errors on `scope`.
#[inline]
pub(super) fn enter(
    name: &'static str, season: Season, scope: impl FnOnce() -> Scope,
    body: impl FnOnce(&'static Process) -> Result,
) -> c_int {
    let process = current::process_in(name);
    match judge(process, name, season, scope, body) {
        Verdict::Done if !process.has_more_at_end() => 0,
        verdict => conclude(process, name, verdict),
    }
}

/// The end of a call that has failed, or after which tools are to hear of something.
#[cold]
#[inline(never)]
fn conclude(process: &'static Process, name: &'static str, verdict: Verdict) -> c_int {
    if process.has_events() && !matches!(verdict, Verdict::Died) {
        delivery::deliver(process);
    }
    let code = match verdict {
        Verdict::Done => 0,
        Verdict::Failed(news, scope) => return handlers::raise(process, name, scope, news),
        Verdict::Told(code) => code,
        Verdict::Died => current::end(),
    };
    process.ends_call();
    code
}

#[inline]
fn judge(
    process: &'static Process, name: &'static str, season: Season, scope: impl FnOnce() -> Scope,
    body: impl FnOnce(&'static Process) -> Result,
) -> Verdict {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let is_counted = process.begins_call()?;
        if is_counted {
            process.enters(name)?;
        }
        if season == Season::Inside {
            process.is_inside()?;
        }
        body(process)?;
        if is_counted { process.leaves(0) } else { Ok(()) }
    }));
    match outcome {
        Ok(Ok(())) => Verdict::Done,
        Ok(Err(failure)) => match failure.cause() {
            Cause::Told(code) => match process.leaves(code) {
                Ok(()) => Verdict::Told(code),
                Err(_) => Verdict::Died,
            },
            Cause::Died => Verdict::Died,
            Cause::Error(error) => failed(process, name, scope(), error),
        },
        Err(panic) => failed(process, name, scope(), internal(panic.as_ref())),
    }
}

#[cold]
fn failed(process: &'static Process, name: &'static str, scope: Scope, error: Error) -> Verdict {
    let scope = error.on.map_or(scope, Scope::Hearer);
    let Error { class, is_of_a_death, .. } = error;
    let news = News { class, cause: error.cause.unwrap_or(class), is_of_a_death };
    process.remember(name, error);
    if is_of_a_death {
        process.engine.notice_for_observer();
    }
    // Where the library starts recoveries itself, the world recovers before the error is reported.
    let follow = || if news.is_of_a_death { recovery::follow(process) } else { Ok(()) };
    let followed = catch_unwind(AssertUnwindSafe(follow)).unwrap_or(Ok(()));
    if followed.is_err() || process.fails(class).is_err() {
        return Verdict::Died;
    }
    Verdict::Failed(news, scope)
}

/// Declares one MPI function. The body receives parameters that are already checked. `Count` and
/// similar names mean the width of the twin at hand; a twin with other parameters is declared on
/// its own and names its Fortran form in `twin_of`. The declaration reads as an ordinary `fn` item,
/// so that rustfmt formats it. `at_once` names the fast path: a function that may complete the
/// call, given the parameters unchecked.
macro_rules! mpi {
    (
        $(#[doc = $doc:literal])*
        $(#[large($large:ident)])?
        $(#[fortran($fortran:ident)])?
        $(#[raises_on($on:ident)])?
        $(#[season($season:ident)])?
        $(#[at_once($short:path)])?
        fn $name:ident($process:ident: &Process $(, $($param:ident: $kind:ty),* $(,)?)?) $body:block
    ) => {
        door!(
            [$name], small, $process, ($($($param: $kind),*)?),
            [$($on)?], [$($season)?], [$($short)?], $body, [$($fortran)?]
        );
        door!(
            [$($large)?], large, $process, ($($($param: $kind),*)?),
            [$($on)?], [$($season)?], [$($short)?], $body, [$($fortran)?]
        );
    };
    (
        $(#[doc = $doc:literal])*
        #[twin_of($fortran:ident)]
        $(#[raises_on($on:ident)])?
        $(#[season($season:ident)])?
        fn $name:ident($process:ident: &Process $(, $($param:ident: $kind:ty),* $(,)?)?) $body:block
    ) => {
        door!(
            [$name], large, $process, ($($($param: $kind),*)?),
            [$($on)?], [$($season)?], [], $body, [$fortran]
        );
    };
}

/// Declares the blocking, nonblocking and persistent form of a collective operation, each with its
/// twins. The body makes the plan that all three carry out.
macro_rules! collective {
    (
        $(#[doc = $doc:literal])*
        $(#[large($large:ident, $start_large:ident, $init_large:ident)])?
        #[fortran($fortran:ident, $start_fortran:ident, $init_fortran:ident)]
        #[forms($start:ident, $init:ident)]
        #[raises_on($comm:ident)]
        fn $name:ident($process:ident: &Process, $($param:ident: $kind:ty),* $(,)?) $body:block
    ) => {
        mpi!(
            $(#[doc = $doc])*
            $(#[large($large)])?
            #[fortran($fortran)]
            #[raises_on($comm)]
            fn $name($process: &Process, $($param: $kind),*) {
                let plan = (|| $body)();
                $crate::mpi::coll::block($process, &$comm, &plan)
            }
        );
        mpi!(
            $(#[doc = $doc])*
            $(#[large($start_large)])?
            #[fortran($start_fortran)]
            #[raises_on($comm)]
            fn $start($process: &Process, $($param: $kind,)* request: Var<MPI_Request>) {
                let plan = (|| $body)();
                request.set($crate::mpi::coll::start($process, &$comm, plan)?);
                Ok(())
            }
        );
        mpi!(
            $(#[doc = $doc])*
            $(#[large($init_large)])?
            #[fortran($init_fortran)]
            #[raises_on($comm)]
            fn $init(
                $process: &Process, $($param: $kind,)* info: Hints, request: Var<MPI_Request>,
            ) {
                let plan = (|| $body)();
                request.set($crate::mpi::coll::persist($process, &$comm, plan)?);
                Ok(())
            }
        );
    };
}

macro_rules! door {
    ([], $($absent:tt)*) => {};
    (
        [$name:ident], $width:ident, $process:ident, ($($arg:ident: $kind:ty),*),
        [$($on:ident)?], [$($season:ident)?], $short:tt, $body:block, $fortran:tt
    ) => {
        #[allow(
            non_snake_case, unused_imports, unused_variables, clippy::useless_conversion,
            clippy::too_many_arguments, clippy::redundant_closure_call
        )]
        mod $name {
            use super::*;
            use $crate::abi::kinds::width::$width::*;
            use $crate::abi::kinds::{Fortran, Kind};

            call!(
                $short, ($($arg: $kind),*), stringify!($name), season!($($season)?),
                scope!($($on)?), |$process| {
                    $(let $arg = <$kind as Kind>::check($arg, $process, stringify!($arg))?;)*
                    $body
                }
            );

            #[unsafe(export_name = stringify!($name))]
            unsafe extern "C-unwind" fn mpi(
                $($arg: <$kind as Kind>::Raw),*
            ) -> ::std::ffi::c_int {
                call($(<$kind as Kind>::from_c($arg)),*)
            }

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            unsafe extern "C-unwind" fn pmpi(
                $($arg: <$kind as Kind>::Raw),*
            ) -> ::std::ffi::c_int {
                call($(<$kind as Kind>::from_c($arg)),*)
            }

            fortran_door!($width, $name, $fortran, [$($arg: $kind),*]);

            #[cfg(test)]
            #[test]
            fn matches_header() {
                let kinds = [$(<$kind as Kind>::C),*];
                $crate::abi::header::expect("int", stringify!($name), &kinds);
            }
        }
    };
}

/// The call itself: its fast path first, if it has one. A fast path that declines has done nothing.
macro_rules! call {
    ([], ($($arg:ident: $kind:ty),*), $($door:expr),*) => {
        fn call($($arg: $kind),*) -> ::std::ffi::c_int {
            $crate::abi::door::enter($($door),*)
        }
    };
    (
        [$way:path], ($($arg:ident: $kind:ty),*), $name:expr, $season:expr, $scope:expr, $body:expr
    ) => {
        fn call($($arg: $kind),*) -> ::std::ffi::c_int {
            let way = move |process| $way(process, $($arg),*);
            let fail = |failure| fail($($arg,)* failure);
            $crate::abi::attempt::at_once($name, way, || long($($arg),*), fail)
        }

        #[cold]
        #[inline(never)]
        fn fail(
            $($arg: $kind,)* failure: $crate::mpi::error::Failure,
        ) -> ::std::ffi::c_int {
            $crate::abi::door::enter($name, $season, $scope, |_| Err(failure))
        }

        /// A separate function: its stack frame would cost the fast path time, too.
        #[inline(never)]
        fn long($($arg: $kind),*) -> ::std::ffi::c_int {
            $crate::abi::door::enter($name, $season, $scope, $body)
        }
    };
}

/// Generates the Fortran forms. Lengths of CHARACTER arguments follow `ierror`, in order; for any
/// other argument the length is a zero-sized type, which takes no place among C's parameters on
/// this machine. Every step of the recursion brings its own `length`, which macro hygiene keeps
/// apart. Only `mpi_f08` has large counts. Its forms have their own names: `_f08ts` with a choice
/// buffer, otherwise `_f08` (MPI-5.0 §19.1.5). A macro cannot see which applies, so every call gets
/// both.
macro_rules! fortran_door {
    ($width:ident, $c:ident, [], $params:tt) => {};
    ($width:ident, $c:ident, [$name:ident], [$($params:tt)*]) => {
        fortran_door!(@pair [$width $c $name] [] $($params)*);
        modules_door!($width, $c, $name, [], [$($params)*]);
    };
    (@pair $names:tt [$($paired:tt)*] $arg:ident: $kind:ty $(, $($rest:tt)*)?) => {
        fortran_door!(@pair $names [$($paired)* ($arg, $kind, length)] $($($rest)*)?);
    };
    (@pair [small $c:ident $name:ident] $paired:tt) => {
        fortran_form!(fortran, [stringify!($name)], $paired);
        fortran_form!(pfortran, [concat!("p", stringify!($name))], $paired);
        modern_form!(modern, [concat!(stringify!($name), "f08_")], $paired);
        modern_form!(pmodern, [concat!("p", stringify!($name), "f08_")], $paired);
        modern_form!(described, [concat!(stringify!($name), "f08ts_")], $paired);
        modern_form!(pdescribed, [concat!("p", stringify!($name), "f08ts_")], $paired);
    };
    (@pair [large $c:ident $name:ident] $paired:tt) => {
        modern_form!(modern, [concat!(stringify!($name), "c_f08_")], $paired);
        modern_form!(pmodern, [concat!("p", stringify!($name), "c_f08_")], $paired);
        modern_form!(described, [concat!(stringify!($name), "c_f08ts_")], $paired);
        modern_form!(pdescribed, [concat!("p", stringify!($name), "c_f08ts_")], $paired);
    };
}

/// The form for `mpif.h` and the module `mpi`.
macro_rules! fortran_form {
    ($form:ident, [$symbol:expr], [$(($arg:ident, $kind:ty, $length:ident))*]) => {
        #[unsafe(export_name = $symbol)]
        #[allow(improper_ctypes_definitions, reason = "a length of no size is not passed")]
        unsafe extern "C-unwind" fn $form(
            $($arg: <$kind as Fortran>::Wire,)*
            ierror: $crate::abi::kinds::Ierror,
            $($length: <$kind as Fortran>::Length),*
        ) {
            // SAFETY: the caller is Fortran; each argument is what it passed for that parameter.
            ierror.set(call($(unsafe { <$kind as Fortran>::enter($arg, $length) }),*));
        }
    };
}

/// The form for the module `mpi_f08`. With a choice buffer it has BIND(C) and no lengths: the
/// length parameters then hold garbage, which is never read.
macro_rules! modern_form {
    ($form:ident, [$symbol:expr], [$(($arg:ident, $kind:ty, $length:ident))*]) => {
        #[unsafe(export_name = $symbol)]
        #[allow(improper_ctypes_definitions, reason = "a length of no size is not passed")]
        unsafe extern "C-unwind" fn $form(
            $($arg: <$kind as Fortran>::Wire,)*
            ierror: $crate::abi::kinds::Ierror,
            $($length: <$kind as Fortran>::Length),*
        ) {
            const IS_DESCRIBED: bool =
                $crate::abi::kinds::Form::are_described(&[$(<$kind as Fortran>::FORM),*]);
            #[allow(unused_mut, reason = "a call without arguments has nothing to describe")]
            let mut copies = $crate::abi::kinds::Sections::default();
            let code = call($({
                let copies = if IS_DESCRIBED { Some(&mut copies) } else { None };
                // SAFETY: the caller is Fortran; each argument is what it passed for that
                // parameter.
                unsafe { <$kind as Fortran>::enter_modern($arg, $length, copies) }
            }),*);
            if IS_DESCRIBED {
                copies.settle(code, None $(.or(<$kind as Fortran>::request($arg)))*);
            }
            ierror.set(code);
        }
    };
}

/// Registers a call with the generator of the Fortran modules.
macro_rules! modules_door {
    ($width:ident, $c:ident, $name:ident, [$($returned:ident)?], [$($arg:ident: $kind:ty),*]) => {
        #[cfg(test)]
        const _: () = {
            use $crate::abi::modules::Door;

            static DOOR: Door = Door {
                c: stringify!($c),
                symbol: stringify!($name),
                is_large: $crate::abi::modules::is_large(stringify!($width)),
                returned: concat!($(stringify!($returned))?),
                params: &[$((stringify!($arg), <$kind as Fortran>::FORM)),*],
            };

            #[used]
            // SAFETY: the section holds nothing but references of this type.
            #[unsafe(link_section = "ftmpi_doors")]
            static LISTED: &Door = &DOOR;
        };
    };
}

/// A function of Fortran whose parameters differ from those of C; errors are reported under C's
/// name.
macro_rules! fortran {
    (
        $(#[doc = $doc:literal])*
        $(#[raises_on($on:ident)])?
        $(#[season($season:ident)])?
        #[name($name:ident)]
        fn $fortran:ident($process:ident: &Process $(, $($arg:ident: $kind:ty),* $(,)?)?)
        $body:block
    ) => {
        #[allow(unused_imports, unused_variables, clippy::too_many_arguments)]
        mod $fortran {
            use super::*;
            use $crate::abi::kinds::width::small::*;
            use $crate::abi::kinds::{Fortran, Kind};

            fn call($($($arg: $kind),*)?) -> ::std::ffi::c_int {
                $crate::abi::door::enter(
                    stringify!($name), season!($($season)?), scope!($($on)?), |$process| {
                        $($(
                            let $arg = <$kind as Kind>::check($arg, $process, stringify!($arg))?;
                        )*)?
                        $body
                    },
                )
            }

            fortran_door!(small, $name, [$fortran], [$($($arg: $kind),*)?]);
        }
    };
}

/// A function that returns a value instead of an error code. It may be called at any time.
macro_rules! plain {
    (
        $(#[doc = $doc:literal])*
        $(#[fortran($fortran:ident)])?
        fn $name:ident($($arg:ident: $kind:ty),*) -> $value:ident $body:block
    ) => {
        #[allow(non_snake_case, unused_imports, unused_variables)]
        mod $name {
            use super::*;
            use $crate::abi::kinds::{Fortran, Kind, Value};

            fn call($($arg: $kind),*) -> $value $body

            #[unsafe(export_name = stringify!($name))]
            #[allow(improper_ctypes_definitions, reason = "a variadic rest is not looked at")]
            unsafe extern "C-unwind" fn mpi(
                $($arg: <$kind as Kind>::Raw),*
            ) -> <$value as Value>::Raw {
                call($(<$kind as Kind>::from_c($arg)),*).into_c()
            }

            #[unsafe(export_name = concat!("P", stringify!($name)))]
            #[allow(improper_ctypes_definitions, reason = "as above")]
            unsafe extern "C-unwind" fn pmpi(
                $($arg: <$kind as Kind>::Raw),*
            ) -> <$value as Value>::Raw {
                call($(<$kind as Kind>::from_c($arg)),*).into_c()
            }

            plain_fortran_door!($name, [$($fortran)?], [$($arg: $kind),*], $value);

            #[cfg(test)]
            #[test]
            fn matches_header() {
                let kinds = [$(<$kind as Kind>::C),*];
                let kinds: &[&str] = &kinds;
                $crate::abi::header::expect(<$value as Value>::C, stringify!($name), kinds);
            }
        }
    };
}

macro_rules! plain_fortran_door {
    ($c:ident, [], $($absent:tt)*) => {};
    ($c:ident, [$name:ident], [$($arg:ident: $kind:ty),*], $value:ident) => {
        modules_door!(small, $c, $name, [$value], [$($arg: $kind),*]);

        #[unsafe(export_name = stringify!($name))]
        #[allow(improper_ctypes_definitions, reason = "as above")]
        unsafe extern "C-unwind" fn fortran(
            $($arg: <$kind as Fortran>::Wire),*
        ) -> <$value as Value>::Raw {
            // SAFETY: the caller is Fortran; each argument is what it passed for that parameter.
            call($(unsafe { <$kind as Fortran>::enter($arg, Default::default()) }),*).into_c()
        }

        #[unsafe(export_name = concat!("p", stringify!($name)))]
        #[allow(improper_ctypes_definitions, reason = "as above")]
        unsafe extern "C-unwind" fn pfortran(
            $($arg: <$kind as Fortran>::Wire),*
        ) -> <$value as Value>::Raw {
            // SAFETY: the caller is Fortran; each argument is what it passed for that parameter.
            call($(unsafe { <$kind as Fortran>::enter($arg, Default::default()) }),*).into_c()
        }
    };
}

macro_rules! scope {
    (Tool) => {
        || $crate::abi::scope::Scope::Tool
    };
    () => {
        || $crate::abi::scope::Scope::Initial
    };
    ($on:ident) => {
        move || $crate::abi::scope::Scope::from($on)
    };
}

macro_rules! season {
    () => {
        $crate::abi::door::Season::Inside
    };
    ($season:ident) => {
        $crate::abi::door::Season::$season
    };
}
