//! A dragonfly (Kim et al. 2008), of the shape that Cray's Cascade has: nodes at routers, routers
//! in chassis, chassis in groups. All routers of a chassis are linked to each other, and so are all
//! at one place of the chassis of a group. Each router may have one link to another group: the
//! router of number g in its group leads to group g.
//!
//! Routes are minimal: within a chassis, then between chassis; to another group by way of the
//! router that leads there.

use super::path::Path;

/// How many there are of each, in the next larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub groups: u32,
    pub chassis: u32,
    pub routers: u32,
    pub nodes: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dragonfly {
    groups: usize,
    chassis: usize,
    /// Of a chassis.
    routers: usize,
    /// Of a router.
    nodes: usize,
}

impl Dragonfly {
    pub fn new(shape: Shape) -> Result<Dragonfly, String> {
        let Shape { groups, chassis, routers, nodes } = shape;
        let product = [groups, chassis, routers, nodes].iter().try_fold(1u64, |all, extent| {
            all.checked_mul(u64::from(*extent)).filter(|all| *all > 0 && *all <= 1 << 31)
        });
        let what = format!(
            "a dragonfly of {groups} groups of {chassis} chassis of {routers} routers of {nodes} \
             nodes"
        );
        if product.is_none() {
            return Err(format!("{what}: use 1 or more of each, and at most 2^31 nodes"));
        }
        if u64::from(groups) > u64::from(chassis) * u64::from(routers) {
            return Err(format!("{what}: each router leads to one group; use at most as many"));
        }
        let [groups, chassis, routers, nodes] =
            [groups, chassis, routers, nodes].map(|many| many as usize);
        Ok(Dragonfly { groups, chassis, routers, nodes })
    }

    /// Of a group.
    fn all_routers(&self) -> usize {
        self.chassis * self.routers
    }

    pub(super) fn nodes(&self) -> usize {
        self.groups * self.all_routers() * self.nodes
    }

    /// Those that leave a router: to its nodes, to the others of its chassis, to those at its place
    /// in the others of its group, and to another group; and those from nodes to their router.
    pub(super) fn links(&self) -> usize {
        self.groups * self.all_routers() * self.ways() + self.nodes()
    }

    fn ways(&self) -> usize {
        self.nodes + self.routers + self.chassis + 1
    }

    pub(super) fn each_link(&self, from: usize, to: usize, mut visit: impl FnMut(usize)) {
        if from == to {
            return;
        }
        let (here, there) = (from / self.nodes, to / self.nodes);
        visit(self.groups * self.all_routers() * self.ways() + from);
        self.each_hop(here, there, |router, way| visit(router * self.ways() + self.nodes + way));
        visit(there * self.ways() + to % self.nodes);
    }

    /// From router to router: which one is left, by which of its ways to other routers.
    fn each_hop(&self, from: usize, to: usize, mut visit: impl FnMut(usize, usize)) {
        let all = self.all_routers();
        let (group, goal) = (from / all, to / all);
        if group == goal {
            return self.each_hop_within(from, to % all, visit);
        }
        self.each_hop_within(from, goal, &mut visit);
        visit(group * all + goal, self.routers + self.chassis);
        self.each_hop_within(goal * all + group, to % all, visit);
    }

    /// To the router of this number in the same group.
    fn each_hop_within(&self, from: usize, to: usize, mut visit: impl FnMut(usize, usize)) {
        let all = self.all_routers();
        let (group, within) = (from / all, from % all);
        let (chassis, router) = (within / self.routers, within % self.routers);
        let (to_chassis, to_router) = (to / self.routers, to % self.routers);
        if router != to_router {
            visit(from, to_router);
        }
        if chassis != to_chassis {
            let corner = group * all + chassis * self.routers + to_router;
            visit(corner, self.routers + to_chassis);
        }
    }

    pub(super) fn path(&self, from: usize, to: usize) -> Path {
        let mut hops = 0;
        self.each_link(from, to, |_| hops += 1);
        Path { hops, turns: u32::from(hops > 0) }
    }

    pub(super) fn siblings(&self, node: usize) -> Vec<usize> {
        let first = node / self.nodes * self.nodes;
        (first..first + self.nodes).filter(|&other| other != node).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Dragonfly {
        Dragonfly::new(Shape { groups: 3, chassis: 2, routers: 4, nodes: 2 }).unwrap()
    }

    #[test]
    fn routes_lead_from_router_to_router() {
        let dragonfly = small();
        assert_eq!(dragonfly.nodes(), 48);
        // From node 0 of group 0: to its neighbour, within a chassis, to another one, to both.
        for (to, hops) in [(0, 0), (1, 2), (2, 3), (8, 3), (10, 4)] {
            assert_eq!(dragonfly.path(0, to).hops, hops, "{to}");
        }
        // Router 1 of group 0 leads to router 0 of group 1.
        for (from, to, hops) in [(2, 16, 3), (0, 16, 4), (0, 18, 5), (0, 26, 6), (10, 26, 6)] {
            assert_eq!(dragonfly.path(from, to).hops, hops, "{from} {to}");
        }
        let mut uses = vec![0; dragonfly.links()];
        for from in 0..16 {
            dragonfly.each_link(from, 16 + from, |link| uses[link] += 1);
        }
        assert_eq!(uses.iter().max(), Some(&16), "all share the link between two groups");
    }

    #[test]
    fn what_is_no_dragonfly_is_refused() {
        let why = |groups, nodes| {
            Dragonfly::new(Shape { groups, chassis: 2, routers: 2, nodes }).unwrap_err()
        };
        assert!(why(5, 1).contains("each router leads to one group"));
        assert!(why(4, 0).contains("1 or more of each"));
        assert!(why(4, u32::MAX).contains("at most 2^31"));
    }
}
