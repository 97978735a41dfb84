//! The order of constructors: ld.so's, a depth-first walk that ends with what no object depends on.

use super::scope::Scope;

/// The places of all objects in `scope`, each after the objects that it needs.
pub(super) fn dependencies_first(scope: &Scope) -> Vec<usize> {
    walk(&needs(scope))
}

/// The dependencies of each object in `scope`.
pub(super) fn needs(scope: &Scope) -> Vec<Vec<usize>> {
    let find = |name| scope.objects.iter().position(|other| other.is_called(name));
    let needs = |names: &[_]| names.iter().filter_map(|&name| find(name)).collect();
    scope.objects.iter().map(|object| needs(&object.dynamic.needed)).collect()
}

fn walk(needs: &[Vec<usize>]) -> Vec<usize> {
    let mut done = Vec::with_capacity(needs.len());
    let mut is_seen = vec![false; needs.len()];
    for start in (0..needs.len()).rev() {
        // Each entry: an object, and how many of its dependencies have been visited.
        let mut path = vec![(start, 0)];
        while let Some((object, looked_at)) = path.last_mut() {
            let object = *object;
            if *looked_at == 0 && std::mem::replace(&mut is_seen[object], true) {
                path.pop();
                continue;
            }
            let next = needs[object].get(*looked_at);
            *looked_at += 1;
            match next {
                Some(&next) if !is_seen[next] => path.push((next, 0)),
                Some(_) => {}
                None => {
                    done.push(object);
                    path.pop();
                }
            }
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::walk;

    #[test]
    fn what_is_needed_comes_first() {
        // A program that needs 1 and 2; 1 needs 3; 3 and 2 need each other.
        assert_eq!(walk(&[vec![1, 2], vec![3], vec![3], vec![2]]), [2, 3, 1, 0]);
        assert_eq!(walk(&[vec![2, 1], vec![], vec![1]]), [1, 2, 0]);
    }
}
