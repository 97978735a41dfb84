//! Notes: short active messages from one process to another, which are handled in order even while
//! the rank there computes. What they say is for the floors above.

use super::peer::Parcel;
use super::stream::{self, Broken, Frame, NOTE};
use super::{NoteHandler, Processes, Taken};
use crate::base::Member;

impl Processes {
    /// Sends a note, of at most [`Processes::longest_note`] bytes. One to a process that has ended
    /// is lost.
    pub fn note(&self, from: Member, to: Member, bytes: &[u8]) {
        assert!(bytes.len() <= self.longest_note(), "notes are short");
        let frame = Frame {
            kind: NOTE,
            from: from.seat as u32,
            sender: from.incarnation,
            to: to.seat as u32,
            addressee: to.incarnation,
            bytes: bytes.len() as u64,
            ..Frame::default()
        };
        self.push(to, Parcel::Note(frame, bytes.into()));
    }

    /// How long a note may be.
    pub fn longest_note(&self) -> usize {
        stream::longest(self.geometry.ring)
    }

    /// `handler` reads the notes that come from now on. The first call counts.
    pub fn handle_notes(&self, handler: Box<NoteHandler>) {
        self.note_handler.get_or_init(|| handler);
    }

    /// Reads notes whenever some come, while the rank may be computing. Never returns.
    pub fn attend_notes(&self) -> ! {
        let bell = &self.head().note_bell;
        loop {
            let heard = bell.listen();
            // Another thread may have looked before this one listened.
            self.take_all(&mut self.incoming.visit(), |_| Taken::No);
            bell.wait(heard);
        }
    }

    pub(super) fn read_note(
        &self, process: usize, frame: &Frame, bytes: &[u8],
    ) -> Result<(), Broken> {
        if !self.is_between(process, frame) {
            return Err(Broken);
        }
        let from = Member { seat: frame.from as usize, incarnation: frame.sender };
        let to = Member { seat: frame.to as usize, incarnation: frame.addressee };
        let is_for_this_life = self.wire().port(to.seat).is_alive(to.incarnation);
        if let Some(handle) = self.note_handler.get().filter(|_| is_for_this_life) {
            handle(from, to, bytes);
        }
        Ok(())
    }
}
