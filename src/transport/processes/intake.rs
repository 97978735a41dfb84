//! What comes from other processes is taken in: messages first, then notes.
//!
//! A note may end what a rank waits for, as that of a revocation does. So what others had written
//! before it comes first, in whichever ring it is.

use super::stream::{self, Broken, NOTE, Reader, Short, Taken};
use super::{Incoming, Processes};
use crate::transport::packet::pool::Pool;

/// Why no more messages are taken.
#[derive(PartialEq, Eq)]
enum Halt {
    /// There are none.
    AtEnd,
    /// In some rings, a note is next.
    AtNotes,
    /// Somebody has got what he wanted.
    Enough,
}

impl Processes {
    /// Takes in whatever comes while ranks of this process sleep or compute. Never returns.
    pub fn attend_messages(&self) -> ! {
        let bell = self.bell();
        loop {
            let heard = bell.listen();
            // Another thread may have looked before this one listened.
            self.take_all(&mut self.incoming.visit(), |_| Taken::No);
            self.call_watchers();
            bell.wait(heard);
        }
    }

    pub(super) fn take_all(&self, incoming: &mut Incoming, mut wants: impl FnMut(Short) -> Taken) {
        while self.take_messages(incoming, &mut wants) == Halt::AtNotes {
            let noted = |(_, reader): &&(usize, Reader)| reader.has_note();
            let noted: Vec<usize> = incoming.readers.iter().filter(noted).map(|it| it.0).collect();
            // What was written before these notes may be in rings that were read before, or new.
            if self.take_messages(incoming, &mut wants) == Halt::Enough {
                break;
            }
            noted.into_iter().for_each(|process| self.take_note(incoming, process, &mut wants));
        }
        if let Some(hosts) = self.hosts.get().filter(|hosts| !hosts.has_outbox()) {
            self.take_distant(hosts, incoming, &mut wants);
        }
        if self.porch.has_returned() {
            self.porch.returned().for_each(|packet| incoming.pool.keep(packet));
        }
    }

    /// Takes what is in the rings, up to a note in each.
    fn take_messages(
        &self, incoming: &mut Incoming, wants: &mut impl FnMut(Short) -> Taken,
    ) -> Halt {
        let contacts = self.head().contacts();
        if contacts != incoming.contacts {
            self.find_senders(incoming, contacts);
        }
        let Incoming { readers, first, pool, broken, .. } = incoming;
        let (begin, count) = (*first, readers.len());
        let mut halt = Halt::AtEnd;
        for place in (begin..count).chain(0..begin.min(count)) {
            let (process, reader) = &mut readers[place];
            match self.take_from(*process, reader, pool, wants) {
                Ok(Halt::AtEnd) => {}
                Ok(Halt::AtNotes) => halt = Halt::AtNotes,
                Ok(Halt::Enough) => {
                    *first = place + 1;
                    halt = Halt::Enough;
                    break;
                }
                Err(Broken) => broken.push(*process),
            }
        }
        if !broken.is_empty() {
            // Whatever else it writes, nobody listens. Its end will be told.
            readers.retain(|(process, _)| !broken.contains(process));
        }
        halt
    }

    #[inline]
    fn take_from(
        &self, process: usize, reader: &mut Reader, pool: &mut Pool,
        wants: &mut impl FnMut(Short) -> Taken,
    ) -> Result<Halt, Broken> {
        loop {
            let Some((frame, bytes)) = reader.next()? else { return Ok(Halt::AtEnd) };
            let taken = match frame.kind {
                NOTE => return Ok(Halt::AtNotes),
                stream::FILLER => Some(Taken::No),
                _ => self.accept(process, &frame, bytes, pool, wants)?,
            };
            // `None`: it has to wait where it is.
            let Some(taken) = taken else { return Ok(Halt::AtEnd) };
            reader.pass();
            if taken == Taken::Enough {
                return Ok(Halt::Enough);
            }
        }
    }

    /// Takes the note that is next in the ring of this process.
    #[cold]
    fn take_note(
        &self, incoming: &mut Incoming, process: usize, wants: &mut impl FnMut(Short) -> Taken,
    ) {
        let Incoming { readers, pool, broken, .. } = incoming;
        let Some(place) = readers.iter().position(|(of, _)| *of == process) else { return };
        let reader = &mut readers[place].1;
        let taken = match reader.next() {
            Ok(Some((frame, bytes))) => self.accept(process, &frame, bytes, pool, wants),
            Ok(None) => return,
            Err(Broken) => Err(Broken),
        };
        match taken {
            Ok(_) => reader.pass(),
            Err(Broken) => {
                broken.push(process);
                readers.remove(place);
            }
        }
    }

    #[cold]
    fn find_senders(&self, incoming: &mut Incoming, contacts: u32) {
        incoming.contacts = contacts;
        for process in (0..self.peers.len()).filter(|process| self.head().has_sender(*process)) {
            let is_known = incoming.readers.iter().any(|(of, _)| *of == process);
            if is_known || incoming.broken.contains(&process) {
                continue;
            }
            if let Ok(region) = self.segment.region_of(process) {
                incoming.readers.push((process, Reader::new(region, self.geometry.ring)));
            }
        }
    }
}
