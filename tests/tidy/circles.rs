//! Files that import each other in a circle. Such files can only be understood, moved and tested
//! together, so imports inside a room form no circles either.
//!
//! The unit is the file; a parent module and its children are files like others. Every path counts
//! that starts at `crate`, `super`, `self`, a child module or an imported name, in `use` and in
//! expressions. A path leads to the file that defines the item: a re-export is followed, and is an
//! import itself only if its file uses the name. Code for tests does not count. Neither do calls of
//! methods, which name no file: an `impl` may stand apart from its type.

use crate::paths::*;
use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The way to a module or an item, from the root of its crate.
pub(crate) type Route = Vec<String>;
/// Which files a file imports, and in which line and by which path it does so first.
type Imports = BTreeMap<PathBuf, BTreeMap<PathBuf, (usize, String)>>;

/// The circles of the crates that start at these roots.
pub(crate) fn complaints(
    roots: &[PathBuf], read: &impl Fn(&Path) -> Option<Source>,
) -> Vec<String> {
    let mut imports = Imports::new();
    for root in roots {
        Crate::open(root, read).enter_imports(&mut imports);
    }
    let found = circles(&imports);
    found.iter().map(|circle| format!("a circle of imports:{}", shown(circle, &imports))).collect()
}

/// The imports inside a circle.
fn shown(circle: &BTreeSet<PathBuf>, imports: &Imports) -> String {
    let mut lines = String::new();
    for file in circle {
        for (other, (line, path)) in
            imports[file].iter().filter(|(other, _)| circle.contains(*other))
        {
            let (file, other) = (file.display(), other.display());
            lines.push_str(&format!("\n    {file}:{line}: {path}, in {other}"));
        }
    }
    lines
}

/// The sets of files of which each reaches all others.
fn circles(imports: &Imports) -> Vec<BTreeSet<PathBuf>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|file| (file, reach(imports, file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in &reached {
        let leads_back = |other: &PathBuf| reached.get(other).is_some_and(|all| all.contains(file));
        let circle = others.iter().filter(|other| leads_back(other)).map(|&file| file.clone());
        found.insert(circle.collect::<BTreeSet<PathBuf>>());
    }
    found.into_iter().filter(|circle| !circle.is_empty()).collect()
}

/// The files that `start` imports, over others too: itself only if it is in a circle.
fn reach<'a>(imports: &'a Imports, start: &'a PathBuf) -> BTreeSet<&'a PathBuf> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(file) = open.pop() {
        let next = imports.get(file).into_iter().flat_map(BTreeMap::keys);
        open.extend(next.filter(|other| reached.insert(*other)));
    }
    reached
}

/// The modules of a crate, by their routes.
struct Crate {
    modules: BTreeMap<Route, Module>,
}

/// One file.
struct Module {
    file: PathBuf,
    /// What its `use` declarations bring in, and the way there; none to another crate.
    names: HashMap<String, Option<Route>>,
    /// The modules of which it takes everything.
    globs: Vec<Route>,
    /// The words behind `fn`, `struct` and the like.
    items: HashSet<String>,
    /// What it names, and in which line.
    paths: Vec<(usize, Route)>,
}

impl Crate {
    fn open(root: &Path, read: &impl Fn(&Path) -> Option<Source>) -> Crate {
        let mut house = Crate { modules: BTreeMap::new() };
        let mut open = vec![(Route::new(), vec![root.to_path_buf()])];
        let mut texts = Vec::new();
        while let Some((route, places)) = open.pop() {
            let found = places.into_iter().find_map(|place| Some((read(&place)?, place)));
            let Some((source, file)) = found else { continue };
            let code = without_tests(&source);
            open.extend(children(&route, &file, &source, &code));
            let items = items(&code);
            let module =
                Module { file, names: HashMap::new(), globs: Vec::new(), items, paths: Vec::new() };
            house.modules.insert(route.clone(), module);
            texts.push((route, code));
        }
        for (route, code) in &texts {
            house.enter_uses(route, code);
        }
        for (route, code) in &texts {
            house.enter_paths(route, code);
        }
        house
    }

    /// Enters which files the files of this crate import.
    fn enter_imports(&self, imports: &mut Imports) {
        for module in self.modules.values() {
            for (line, path) in &module.paths {
                let Some(other) = self.file_of(path) else { continue };
                if *other != module.file {
                    let known = imports.entry(module.file.clone()).or_default();
                    known.entry(other.clone()).or_insert((*line, path.join("::")));
                }
            }
        }
    }

    /// Enters what the `use` declarations of a module bring in.
    fn enter_uses(&mut self, route: &Route, code: &str) {
        for (at, declaration) in uses(code) {
            let here = inside(route, code, at);
            let line = line_of(code, at);
            for (path, name) in leaves(declaration) {
                let way = self.absolute(&here, &path);
                let is_module = way.as_ref().is_some_and(|way| self.modules.contains_key(way));
                let is_imported = !is_module && (!is_exported(code, at) || uses_name(code, &name));
                let module = self.modules.get_mut(route).expect("every text has its module");
                match (way, name.as_str()) {
                    (Some(way), "*") => {
                        if !is_exported(code, at) {
                            module.paths.push((line, way.clone()));
                        }
                        module.globs.push(way);
                    }
                    (way, _) => {
                        let imported = way.clone().filter(|_| is_imported);
                        module.paths.extend(imported.map(|way| (line, way)));
                        module.names.insert(name, way);
                    }
                }
            }
        }
    }

    /// Enters the paths of a module that stand outside `use`.
    fn enter_paths(&mut self, route: &Route, code: &str) {
        let mut found = Vec::new();
        for (at, path) in paths(code) {
            let here = inside(route, code, at);
            if let Some(way) = self.absolute(&here, &path) {
                found.push((line_of(code, at), way));
            }
        }
        let module = self.modules.get_mut(route).expect("every text has its module");
        module.paths.extend(found);
    }

    /// The way of a path that is named in module `here`; none to another crate or to a local name.
    fn absolute(&self, here: &Route, path: &[String]) -> Option<Route> {
        let mut base = match path.first()?.as_str() {
            "crate" => return Some(path[1..].to_vec()),
            "self" => return Some([here, &path[1..]].concat()),
            "super" => here.clone(),
            first => {
                let child: Route = [here.as_slice(), &[first.to_string()]].concat();
                if self.modules.contains_key(&child) {
                    return Some([child.as_slice(), &path[1..]].concat());
                }
                let file = (0..=here.len()).rev().find_map(|n| self.modules.get(&here[..n]))?;
                let way = file.names.get(first)?.as_ref()?;
                return Some([way.as_slice(), &path[1..]].concat());
            }
        };
        let ups = path.iter().take_while(|part| *part == "super").count();
        base.truncate(base.len().saturating_sub(ups));
        Some([base.as_slice(), &path[ups..]].concat())
    }

    /// The file that defines what stands at the end of the way.
    fn file_of(&self, way: &Route) -> Option<&PathBuf> {
        let mut way = way.clone();
        // Re-exports of re-exports come to an end.
        for _ in 0..16 {
            let depth = (0..=way.len()).rev().find(|n| self.modules.contains_key(&way[..*n]))?;
            let module = &self.modules[&way[..depth]];
            let Some(item) = way.get(depth) else { return Some(&module.file) };
            way = match module.names.get(item) {
                Some(target) => [target.as_ref()?.as_slice(), &way[depth + 1..]].concat(),
                None if module.items.contains(item) => return Some(&module.file),
                None => match module.globs.iter().find(|glob| self.offers(glob, item, 4)) {
                    Some(glob) => [glob.as_slice(), &way[depth..]].concat(),
                    None => return Some(&module.file),
                },
            };
        }
        None
    }

    /// Whether an item can be had from the module at the end of the way.
    fn offers(&self, way: &Route, item: &String, depth: usize) -> bool {
        let Some(module) = self.modules.get(way) else { return false };
        let is_child =
            self.modules.contains_key(&[way.as_slice(), std::slice::from_ref(item)].concat());
        let globs = || module.globs.iter().any(|glob| self.offers(glob, item, depth - 1));
        let is_known = module.items.contains(item) || module.names.contains_key(item);
        is_child || is_known || depth > 0 && globs()
    }
}
