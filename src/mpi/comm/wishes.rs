//! What the members of a split wish for, and who gets together.

use crate::mpi::coll;
use crate::mpi::comm::Contexts;
use crate::mpi::comm::prepared::{Reader, Words};
use crate::mpi::error::{Class, Result};
use crate::mpi::lane::Lane;
use crate::mpi::run;

pub(super) const UNDEFINED: i32 = -32766;

/// What a member wants of a split.
#[derive(Clone, Copy)]
pub struct Wish {
    color: i32,
    key: i32,
}

impl Wish {
    pub fn new(color: i32, key: i32) -> Result<Wish> {
        if color < 0 && color != UNDEFINED {
            let words = format!("color is {color}; it must not be negative, or be MPI_UNDEFINED");
            return Err(Class::ARG.because(words));
        }
        Ok(Wish { color, key })
    }

    /// The color, unless the member wants no part in it.
    pub(in crate::mpi) fn color(self) -> Option<i32> {
        (self.color != UNDEFINED).then_some(self.color)
    }

    fn read(reader: &mut Reader<'_>) -> Wish {
        Wish { color: reader.number() as i32, key: reader.number() as i32 }
    }
}

/// What all members of a lane wish for, those of both groups of an intercommunicator in the order
/// of their union; and contexts for what comes of it.
pub(in crate::mpi) fn wishes(lane: &Lane<'_>, mine: Wish) -> Result<(Contexts, Vec<Wish>)> {
    let lane = lane.union();
    let drawn = Contexts::draw(lane.process(), lane.rank());
    let said = Words::default().contexts(drawn).number(mine.color as u32).number(mine.key as u32);
    let all = coll::unite_alike(&lane, said.bytes());
    let all = Words::new(run::block(all)?);
    let (mut reader, mut wishes) = (all.read(), Vec::new());
    while !reader.is_empty() {
        let _of_the_first = reader.contexts();
        wishes.push(Wish::read(&mut reader));
    }
    Ok((all.read().contexts(), wishes))
}

/// The ranks of the members that chose `color`, in the order of keys.
pub(in crate::mpi) fn chosen(wishes: &[Wish], color: i32) -> impl Iterator<Item = usize> {
    let alike = wishes.iter().enumerate().filter(|(_, wish)| wish.color == color);
    let mut chosen: Vec<(i32, usize)> = alike.map(|(rank, wish)| (wish.key, rank)).collect();
    chosen.sort_unstable();
    chosen.into_iter().map(|(_, rank)| rank)
}
