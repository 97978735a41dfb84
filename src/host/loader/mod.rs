//! The image loader: gives every rank its own copy of the program and of the libraries that hold
//! its state.
//!
//! How an image is made: ld.so has loaded the program and its libraries once (the *template*, whose
//! constructors and `main` never run) → [`policy`] decides which objects are private → [`relocs`]
//! resolves their references once, with [`scope`]'s lookup → every rank maps the same files again
//! ([`object`]), at equal distances from each other, and applies the relocations → the rank runs
//! the constructors of its own images, and its own `main`.

mod elf;
mod gates;
mod globals;
mod images;
pub(in crate::host) mod misfit;
pub(in crate::host) mod nowhere;
mod object;
mod open;
mod opened;
mod order;
pub(in crate::host) mod plugins;
mod policy;
mod reloc_program;
mod relocs;
mod scope;
mod template;

use crate::launch::Job;
use elf::{PAGE, PF_X};
pub(super) use images::Images;
use object::{Object, Piece};
use plugins::Plugins;
use reloc_program::{Base, Own};
use relocs::StandIn;
use scope::Scope;
use std::ffi::CStr;
use std::fmt::Write;
use std::io::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A program that is loaded: its entry points, and what its references are bound to.
pub struct Program {
    /// Addresses in the template.
    main: usize,
    /// What programs linked with a glibc before 2.34 pass: it runs the program's constructors.
    init: Option<usize>,
    scope: Scope,
}

impl Program {
    /// The one that the process has started with.
    pub fn of_process(main: usize, init: Option<usize>) -> Program {
        Program { main, init, scope: template::known() }
    }

    /// Another one.
    pub fn open(file: &Path, job: &Job) -> Result<Program, String> {
        open::open(file, job).map(|open::Opened { main, init, scope }| Program {
            main,
            init,
            scope,
        })
    }
}

/// All private objects, ready to be mapped for any number of ranks.
pub(super) struct Template {
    objects: Vec<Object>,
    /// Dependencies first.
    init_order: Vec<usize>,
    main: usize,
    init: Option<usize>,
    /// Bytes that the images of one rank take.
    pub(super) bytes: usize,
    pub(super) alignment: usize,
    /// libm: a thread inside it holds no lock.
    pub(super) harmless_code: Vec<Range<usize>>,
    /// OpenMP's thread pool: a thread that sleeps there holds no lock.
    pub(super) waiting_code: Vec<Range<usize>>,
    /// This library.
    pub(super) own_code: Range<usize>,
    /// Whether an object needs an executable stack (nested functions of C and Fortran do).
    pub(super) has_executable_stack: bool,
    /// All ranks run in one copy.
    pub(super) is_shared: bool,
    /// Images are copies in plain memory, all of it writable and executable.
    pub(super) is_flat: bool,
    /// Where the images of all ranks are, if they share them.
    shared_at: OnceLock<usize>,
    plugins: Plugins,
}

/// Where the objects of this process define `name`, in the order of symbol lookup. To be called
/// before there are ranks, or where there are none.
pub fn definitions(name: &'static CStr) -> Vec<usize> {
    let scope = template::known();
    let wanted = scope::Reference { name, version: None };
    let found = (0..scope.objects.len()).filter_map(|object| scope.find_at_home(object, wanted));
    found.map(|found| scope.objects[found.object].address(found.symbol)).collect()
}

/// Whether the program, or a library that it has loaded, refers to a symbol whose name `is_meant`.
/// To be called before there are ranks, or where there are none.
pub fn refers_to(is_meant: impl Fn(&str) -> bool) -> bool {
    let scope = template::known();
    let own = definitions as *const () as usize;
    let others = scope.objects.iter().filter(|object| !object.span.contains(&own));
    let mut names = others.flat_map(|object| {
        let dynamic = &object.dynamic;
        let references = dynamic.rela.iter().chain(dynamic.jump_slots);
        let symbols = references.map(|reference| dynamic.symbol(reference.symbol()));
        symbols.map(|symbol| dynamic.string(symbol.name as usize))
    });
    names.any(|name| name.to_str().is_ok_and(&is_meant))
}

impl Template {
    /// Reads the objects of `program` that ld.so has loaded.
    pub(super) fn of(program: Program, job: &Job, stand_in: StandIn) -> Result<Template, String> {
        let scope = program.scope;
        let choices = policy::choose(&scope, job)?;
        if scope.objects[0].base == 0 {
            return Err("the program is not position independent; link it without -no-pie".into());
        }
        let mut private = vec![None; scope.objects.len()];
        let mut objects: Vec<Object> = Vec::new();
        let (mut end, mut alignment) = (0usize, PAGE);
        for (index, loaded) in scope.objects.iter().enumerate() {
            if !choices[index].is_private {
                continue;
            }
            alignment = alignment.max(loaded.alignment());
            let at = loaded.aligned(end);
            private[index] = Some(objects.len());
            let mut object = Object::new(loaded, at)?;
            if let Some(tls) = object.tls.as_mut().filter(|_| index == 0 && scope.host.is_some()) {
                tls.below_thread = Some(loaded.tls_block().0);
            }
            objects.push(object);
            end = at + loaded.span.len();
        }
        let biases: Vec<usize> = objects.iter().map(|object| object.bias).collect();
        let linker = relocs::Linker { scope: &scope, private: &private, biases: &biases, stand_in };
        for (index, own) in private.iter().enumerate() {
            if let &Some(own) = own {
                linker.link(&mut objects[own], index)?;
                objects[own].cut();
            }
        }
        if job.shares_image {
            objects
                .iter()
                .enumerate()
                .try_for_each(|(index, object)| refuse_globals(index, object))?;
        }
        let init_order = order::dependencies_first(&scope).into_iter();
        let places = private.iter().map(|own| own.map(|own| objects[own].bias)).collect();
        let mut template = Template {
            init_order: init_order.filter_map(|index| private[index]).collect(),
            objects,
            main: 0,
            init: None,
            bytes: end.next_multiple_of(PAGE),
            alignment,
            harmless_code: scope.spans_of("libm.so"),
            waiting_code: scope.spans_of("libgomp.so"),
            own_code: scope.span_around(policy::here()),
            has_executable_stack: scope.objects.iter().any(|object| {
                let is_stack = |it: &&libc::Elf64_Phdr| it.p_type == elf::PT_GNU_STACK;
                object.headers.iter().find(is_stack).is_some_and(|it| it.p_flags & PF_X != 0)
            }),
            is_shared: job.shares_image,
            is_flat: false,
            shared_at: OnceLock::new(),
            plugins: Plugins::of(scope.clone(), &choices, places, end, job, stand_in),
        };
        let own = |address| template.offset_of(address);
        let lost = || "the program's main is not where it was loaded".to_string();
        (template.main, template.init) =
            (own(program.main).ok_or_else(lost)?, program.init.and_then(own));
        if job.explain {
            template.explain(&scope, job, &choices, &private);
        }
        Ok(template)
    }

    /// Makes the images that all ranks share.
    ///
    /// # Safety
    /// As for [`Template::make`].
    pub(super) unsafe fn make_for_all(&self, start: usize) -> Result<(), Error> {
        // SAFETY: as our caller promises.
        unsafe { self.make(start, &|_| None) }?;
        self.shared_at.get_or_init(|| start);
        Ok(())
    }

    /// Maps and relocates images on zeroed memory. `own` finds a rank's own variables of libc;
    /// images for all ranks have none.
    ///
    /// # Safety
    /// The memory at `start` is unused and large enough; `start` is aligned as the template
    /// requires.
    unsafe fn make(&self, start: usize, own: Own<'_>) -> Result<(), Error> {
        let base = Base { images: start, boundary: usize::MAX >> 1, opened: 0 };
        for object in &self.objects {
            object.place(base)?;
        }
        for object in self.objects.iter().rev() {
            // SAFETY: libraries come after the objects that need them, so they are done first.
            unsafe { object.program.apply(base, own) };
        }
        for object in self.objects.iter().rev() {
            // SAFETY: everything is relocated.
            unsafe { object.program.ask_resolvers(base) };
        }
        Ok(())
    }

    /// Makes images copies in plain memory, which take no mappings; false if they are too large for
    /// that. A rank is then not prevented from writing into its own code.
    pub(super) fn flatten(&mut self) -> bool {
        const MOST_BYTES: usize = 64 << 10;
        let bytes: usize = self.objects.iter().map(Object::bytes_of_file).sum();
        self.is_flat = bytes <= MOST_BYTES;
        if self.is_flat {
            self.objects.iter_mut().for_each(Object::flatten);
        }
        self.is_flat
    }

    /// How many mappings the images of one rank take, the anonymous memory before them included.
    pub(super) fn maps(&self) -> usize {
        if self.is_shared || self.is_flat {
            return 0;
        }
        // Parts of the images that come from no file are anonymous memory like their surroundings,
        // and adjacent parts of that kind are one mapping: the end of the images counts with what
        // follows.
        let (mut maps, mut cursor, mut is_anonymous) = (1, 0, true);
        for object in &self.objects {
            for piece in &object.pieces {
                let (Piece::Text { at, bytes, .. } | Piece::Data { at, bytes, .. }) = *piece else {
                    continue;
                };
                if cursor < at || self.has_copied(cursor..at + 1) {
                    maps += usize::from(!is_anonymous);
                }
                maps += 1;
                (cursor, is_anonymous) = (at + bytes, false);
            }
        }
        maps
    }

    fn has_copied(&self, range: Range<usize>) -> bool {
        let pieces = self.objects.iter().flat_map(|object| &object.pieces);
        pieces
            .filter(|piece| matches!(piece, Piece::Copied { .. }))
            .any(|piece| matches!(*piece, Piece::Copied { at, .. } if range.contains(&at)))
    }

    /// The offset in the images of the copy of the template's `address`.
    fn offset_of(&self, address: usize) -> Option<usize> {
        let object = self.objects.iter().find(|object| object.template.contains(&address))?;
        Some(object.moved(address))
    }

    fn explain(
        &self, scope: &Scope, job: &Job, choices: &[policy::Choice], private: &[Option<usize>],
    ) {
        let program = scope.objects[0].path.display();
        let mut text = match scope.host {
            None => String::from("ftrun: how each library was loaded\n"),
            Some(_) => format!("ftrun: how each library of {program} was loaded\n"),
        };
        for (index, loaded) in scope.objects.iter().enumerate() {
            let choice = choices[index];
            let how = if choice.is_private { "private" } else { "shared " };
            let _ = write!(text, "  {how}  {} ({})", loaded.path.display(), choice.reason);
            if let Some(own) = private[index] {
                let object = &self.objects[own];
                let tls = object.tls.as_ref().map_or(0, |tls| tls.bytes);
                let (relocs, bytes) = (object.program.count(), loaded.span.len());
                let _ = write!(text, ": {relocs} relocations, {bytes} bytes, {tls} of TLS image");
                for name in &object.program.unresolved {
                    let _ =
                        write!(text, "\n           undefined symbol: {}", name.to_string_lossy());
                }
            }
            text.push('\n');
        }
        for (option, wanted) in policy::missed(scope, job) {
            let _ = writeln!(
                text,
                "  {option} {wanted}: the program loads no library of that name at start"
            );
        }
        eprint!("{text}");
    }
}

/// Refuses to run all ranks in one copy of a private object that holds mutable variables; the
/// program is number 0.
fn refuse_globals(index: usize, object: &Object) -> Result<(), String> {
    const SHOWN: usize = 4;
    let found = globals::of(object);
    if found.is_empty() {
        return Ok(());
    }
    let path = object.name.to_string_lossy();
    let file = path.rsplit('/').next().unwrap_or(&path);
    let mut names = found.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if found.len() > SHOWN {
        let _ = write!(names, " and {} more", found.len() - SHOWN);
    }
    let cure = match index {
        0 => "make them const or _Thread_local".to_string(),
        _ => format!("if the job never changes them, use --shared {file}"),
    };
    Err(format!(
        "--share-image: all ranks would share variables of {file}: {names}; {cure}, or run without \
         --share-image"
    ))
}
