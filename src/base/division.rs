//! How the ranks of a job are divided among its processes: evenly, the first ranks first.

use std::ops::Range;

/// Which process each seat is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    seats: usize,
    processes: usize,
    /// How many seats each process has, and how many processes have one more: the first.
    each: usize,
    longer: usize,
}

impl Division {
    /// So many seats in so many processes, of which each has one at least.
    pub fn new(seats: usize, processes: usize) -> Division {
        let processes = processes.clamp(1, seats.max(1));
        Division { seats, processes, each: seats / processes, longer: seats % processes }
    }

    /// Each seat in a process of its own.
    pub fn of_one_each(seats: usize) -> Division {
        Division::new(seats, seats)
    }

    pub fn seats(&self) -> usize {
        self.seats
    }

    pub fn processes(&self) -> usize {
        self.processes
    }

    /// Whether some process has several seats.
    #[inline]
    pub fn is_shared(&self) -> bool {
        self.processes < self.seats
    }

    /// The process in which a seat is.
    #[inline]
    pub fn process_of(&self, seat: usize) -> usize {
        if !self.is_shared() {
            return seat;
        }
        let of_longer = self.longer * (self.each + 1);
        match seat.checked_sub(of_longer) {
            None => seat / (self.each + 1),
            Some(behind) => self.longer + behind / self.each,
        }
    }

    /// The seats of a process.
    pub fn seats_of(&self, process: usize) -> Range<usize> {
        let first = |process: usize| process * self.each + process.min(self.longer);
        first(process)..first(process + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seat_is_in_one_process_and_none_has_two_more_than_another() {
        for seats in 1..40 {
            for processes in 1..=seats {
                let it = Division::new(seats, processes);
                let all: Vec<Range<usize>> = (0..processes).map(|one| it.seats_of(one)).collect();
                let laid: Vec<usize> = all.iter().cloned().flatten().collect();
                assert_eq!(laid, (0..seats).collect::<Vec<_>>(), "{it:?}");
                for (process, own) in all.iter().enumerate() {
                    assert!(own.clone().all(|seat| it.process_of(seat) == process), "{it:?}");
                    assert!(own.len() == it.each || own.len() == it.each + 1, "{it:?}");
                }
                assert_eq!(it.is_shared(), processes < seats);
            }
        }
    }
}
