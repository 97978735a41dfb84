//! Functions of libraries that are opened at run time.

/// Declares `Symbols`, with these functions of a library.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        #[derive(Clone, Copy)]
        #[allow(non_snake_case, reason = "as the library calls them")]
        pub(super) struct Symbols {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Symbols {
            /// Finds them; or says which is missing.
            ///
            /// # Safety
            /// The library of `handle` must be the one whose functions have these types.
            unsafe fn find(handle: *mut std::ffi::c_void) -> Result<Symbols, &'static str> {
                Ok(Symbols {
                    $($name: {
                        const NAME: &str = concat!(stringify!($name), "\0");
                        // SAFETY: a name that ends with a zero.
                        let found = unsafe { libc::dlsym(handle, NAME.as_ptr().cast()) };
                        if found.is_null() {
                            return Err(stringify!($name));
                        }
                        // SAFETY: the function has this type in every version of the library.
                        unsafe {
                            std::mem::transmute::<
                                *mut c_void,
                                unsafe extern "C" fn($($argument),*) $(-> $result)?,
                            >(found)
                        }
                    },)*
                })
            }
        }
    };
}

pub(crate) use functions;
