//! Where links lead: those of the documents, and those of the pages that are made of them.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

#[derive(Debug, Default)]
pub(crate) struct Links {
    pub(crate) pages: usize,
    pub(crate) links: usize,
    /// The page, and where its link leads.
    pub(crate) broken: Vec<String>,
}

/// All files below a directory that end so.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("it is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|its| its == ending) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// What stands between two marks, again and again.
fn between<'a>(text: &'a str, from: &'a str, to: char) -> impl Iterator<Item = &'a str> {
    text.split(from).skip(1).filter_map(move |rest| rest.split_once(to).map(|(inside, _)| inside))
}

/// A path without `..`.
fn straight(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}

/// Follows the links of pages, whose places (headings, ids) are known.
fn follow(pages: &HashMap<PathBuf, (Vec<String>, HashSet<String>)>) -> Links {
    let mut seen = Links { pages: pages.len(), ..Links::default() };
    for (page, (links, _)) in pages {
        for link in links {
            let is_elsewhere = ["http://", "https://", "mailto:", "data:", "javascript:"]
                .iter()
                .any(|scheme| link.starts_with(scheme));
            if is_elsewhere || link.is_empty() {
                continue;
            }
            seen.links += 1;
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let directory = page.parent().expect("a page is in a directory");
            let target =
                if file.is_empty() { page.clone() } else { straight(&directory.join(file)) };
            let is_right = match pages.get(&target) {
                Some((_, places)) => place.is_empty() || places.contains(place),
                None => target.exists(),
            };
            if !is_right {
                seen.broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    seen.broken.sort();
    seen
}

/// Links of the pages of a site, and nothing that a page would load from elsewhere.
pub(crate) fn of_site(site: &Path) -> Links {
    let mut pages = HashMap::new();
    let mut loaded = Vec::new();
    for page in files(site, "html") {
        let text = std::fs::read_to_string(&page).expect("it can be read");
        let links = between(&text, "href=\"", '"').chain(between(&text, " src=\"", '"'));
        // A page for what is missing does not know where it is.
        let is_known = !page.ends_with("404.html");
        let links = links.filter(|_| is_known).map(str::to_string).collect();
        let places = between(&text, "id=\"", '"').map(str::to_string).collect();
        let outside = between(&text, " src=\"", '"').filter(|from| from.starts_with("http"));
        loaded.extend(outside.map(|from| format!("{} loads {from}", page.display())));
        pages.insert(page, (links, places));
    }
    let mut seen = follow(&pages);
    seen.broken.extend(loaded);
    seen
}

/// Links of the documents of the project, as they are read in a checkout.
pub(crate) fn of_documents(root: &Path) -> Links {
    let mut pages = HashMap::new();
    let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root.join(name));
    for page in files(&root.join("docs"), "md").into_iter().chain(beside) {
        let text = std::fs::read_to_string(&page).expect("it can be read");
        // These pages are generated with the site.
        let links = between(&text, "](", ')').filter(|link| !link.contains("reference/"));
        let is_summary = page.ends_with("SUMMARY.md");
        let links = links
            .filter(|link| !(is_summary && ["CONTRIBUTING.md", "CHANGELOG.md"].contains(link)));
        let links = links.map(str::to_string).collect();
        let headings = text.lines().filter(|line| line.starts_with('#'));
        pages.insert(page.clone(), (links, headings.map(place).collect()));
    }
    follow(&pages)
}

/// The name of a heading as a place: small letters, digits, hyphens.
fn place(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |letter: &char| letter.is_alphanumeric() || [' ', '-', '_'].contains(letter);
    words.chars().filter(kept).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}
