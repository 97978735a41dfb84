//! How ranks share processes: so many processes in all, or so many ranks in each. Pure.

use crate::shared::refusal::Refusal;
use ftmpi_base::division::evenly;

/// How ranks share processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// So many processes in all.
    InAll(usize),
    /// So many ranks in each process at most.
    OfEach(usize),
}

impl Sharing {
    /// How many ranks each process has, where each host has so many.
    pub(crate) fn sizes(self, by_host: &[usize]) -> Result<Vec<usize>, Refusal> {
        let (ranks, hosts) = (by_host.iter().sum::<usize>(), by_host.len());
        let counts = match self {
            Sharing::OfEach(most) => by_host.iter().map(|ranks| ranks.div_ceil(most)).collect(),
            Sharing::InAll(count) if count > ranks => {
                return Err(Refusal::usage(format!(
                    "--processes={count}: there are only {ranks} ranks, and each process has one \
                     at least"
                )));
            }
            Sharing::InAll(count) if count < hosts => {
                return Err(Refusal::usage(format!(
                    "--processes={count}: the ranks are on {hosts} hosts, and each of these needs \
                     a process at least"
                )));
            }
            Sharing::InAll(count) => {
                let mut counts = vec![1; hosts];
                for _ in hosts..count {
                    // Where they are most crowded.
                    let of = |host: &usize| by_host[*host].div_ceil(counts[*host]);
                    let most = (0..hosts).rev().max_by_key(of).expect("there is a host");
                    counts[most] += 1;
                }
                counts
            }
        };
        let each = by_host.iter().zip(counts);
        Ok(each.flat_map(|(ranks, count): (&usize, usize)| evenly(*ranks, count)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_process_is_on_two_hosts() {
        let sizes = |sharing: Sharing, by_host: &[usize]| sharing.sizes(by_host).ok();
        assert_eq!(sizes(Sharing::InAll(2), &[4, 2]), Some(vec![4, 2]));
        assert_eq!(sizes(Sharing::InAll(3), &[4, 2]), Some(vec![2, 2, 2]));
        assert_eq!(sizes(Sharing::InAll(5), &[4, 2]), Some(vec![1, 1, 1, 1, 2]));
        assert_eq!(sizes(Sharing::InAll(1), &[4, 2]), None);
        assert_eq!(sizes(Sharing::InAll(7), &[4, 2]), None);
        assert_eq!(sizes(Sharing::OfEach(2), &[5, 2, 1]), Some(vec![2, 2, 1, 2, 1]));
        assert_eq!(sizes(Sharing::OfEach(9), &[5, 2]), Some(vec![5, 2]));
        for processes in 3..12 {
            let sizes = sizes(Sharing::InAll(processes), &[3, 7, 1]).expect("there is room");
            assert_eq!((sizes.len(), sizes.iter().sum::<usize>()), (processes, 11));
        }
    }
}
