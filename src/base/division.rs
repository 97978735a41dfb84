//! How the ranks of a job are divided among its processes: in blocks, the first ranks first.

use std::ops::Range;
use std::sync::Arc;

/// Which process each seat is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The first seat of each process, and behind the last one the number of all seats.
    starts: Arc<[usize]>,
    /// The process of each seat, if some process has several.
    processes: Option<Arc<[usize]>>,
}

impl Division {
    /// So many seats in so many processes, of which each has one at least: evenly, and the first
    /// ones have one more if that does not work out.
    pub fn new(seats: usize, processes: usize) -> Division {
        Division::of(&evenly(seats, processes.clamp(1, seats.max(1))))
    }

    /// Each seat in a process of its own.
    pub fn of_one_each(seats: usize) -> Division {
        Division::new(seats, seats)
    }

    /// Processes that have so many seats each.
    pub fn of(sizes: &[usize]) -> Division {
        let mut starts = vec![0];
        for size in sizes {
            starts.push(starts[starts.len() - 1] + size);
        }
        let is_shared = sizes.iter().any(|size| *size > 1);
        let numbered = sizes.iter().enumerate();
        let of_seats = numbered.flat_map(|(process, size)| std::iter::repeat_n(process, *size));
        let processes = is_shared.then(|| of_seats.collect());
        Division { starts: starts.into(), processes }
    }

    pub fn seats(&self) -> usize {
        self.starts[self.processes()]
    }

    pub fn processes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether some process has several seats.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.processes.is_some()
    }

    /// The process in which a seat is.
    #[inline]
    pub fn process_of(&self, seat: usize) -> usize {
        self.processes.as_ref().map_or(seat, |processes| processes[seat])
    }

    /// The seats of a process.
    pub fn seats_of(&self, process: usize) -> Range<usize> {
        self.starts[process]..self.starts[process + 1]
    }
}

/// How many of so many each of `among` gets: as many as the others, or one more.
pub fn evenly(count: usize, among: usize) -> Vec<usize> {
    (0..among).map(|one| count / among + usize::from(one < count % among)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_consistent(it: &Division, seats: usize, processes: usize) {
        assert_eq!((it.seats(), it.processes()), (seats, processes));
        let laid: Vec<usize> = (0..processes).flat_map(|one| it.seats_of(one)).collect();
        assert_eq!(laid, (0..seats).collect::<Vec<_>>(), "{it:?}");
        for process in 0..processes {
            assert!(it.seats_of(process).all(|seat| it.process_of(seat) == process), "{it:?}");
        }
        assert_eq!(it.is_shared(), processes < seats);
    }

    #[test]
    fn every_seat_is_in_one_process_and_none_has_two_more_than_another() {
        for seats in 1..40 {
            for processes in 1..=seats {
                let it = Division::new(seats, processes);
                is_consistent(&it, seats, processes);
                let (least, most) = (seats / processes, seats.div_ceil(processes));
                let sizes = (0..processes).map(|process| it.seats_of(process).len());
                assert!(sizes.clone().all(|size| size == least || size == most), "{it:?}");
                assert!(sizes.is_sorted_by(|one, next| one >= next), "{it:?}");
            }
        }
    }

    #[test]
    fn processes_may_have_any_sizes() {
        is_consistent(&Division::of(&[1, 3, 2]), 6, 3);
        is_consistent(&Division::of(&[1, 1]), 2, 2);
    }
}
