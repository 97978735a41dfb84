//! Messages beside a ring, from one end to the other.

use super::payloads::LONGEST;
use super::{Arrival, Envelope, Glance, Incoming, Outgoing, Wire};
use crate::base::Member;
use crate::host::memory::{self, Span};

const FROM: Member = Member { seat: 0, incarnation: 0 };
const TO: Member = Member { seat: 1, incarnation: 0 };

/// Lengths around those of lines, pieces and blocks.
const LENGTHS: [usize; 22] = [
    0, 40, 41, 64, 65, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3000, 4095, 4096, 4097, 6000,
    8191, 8192, 8193, 12000, LONGEST,
];

fn two_ends() -> (Outgoing, Incoming) {
    let wire = Wire::new(2, 2);
    [FROM, TO].into_iter().for_each(|member| wire.open(member));
    let outgoing = wire.connect(FROM, TO).expect("both are alive");
    (outgoing, wire.fresh_ring(TO.seat, FROM).expect("it was made just now"))
}

fn data(number: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (number + index / 3) as u8).collect()
}

fn send(outgoing: &mut Outgoing, number: usize, bytes: usize) -> bool {
    let envelope = Envelope { context: 2, source: 0, tag: number as i32 };
    let sent = outgoing.send_span(envelope, Span::of(&data(number, bytes)));
    sent.expect("the tests' memory is there")
}

/// Takes the next message in one of the two ways.
fn take(incoming: &mut Incoming, number: usize, bytes: usize) {
    let mut into = vec![0; bytes + 1];
    let target = Span::of_mut(&mut into);
    let message = match number % 2 {
        0 => match incoming.glance() {
            Glance::Message { envelope, data } => {
                assert_eq!(incoming.take(data, target), Ok(true));
                Some((envelope, data.bytes()))
            }
            _ => None,
        },
        _ => incoming.arrival().and_then(|arrival| {
            let Arrival::Message { envelope, data } = arrival else { return None };
            assert_eq!(memory::copy(data, target), Ok(()));
            incoming.pass(data);
            Some((envelope, data.bytes()))
        }),
    };
    assert_eq!(
        message.map(|(envelope, bytes)| (envelope.tag, bytes)),
        Some((number as i32, bytes))
    );
    assert!(into[..bytes] == data(number, bytes), "message {number} of {bytes} bytes is whole");
}

#[test]
fn messages_of_all_lengths_arrive_whole_however_many_are_on_their_way() {
    for window in [1, 2, 3, 20] {
        let (mut outgoing, mut incoming) = two_ends();
        let rounds = if cfg!(miri) { 2 } else { 50 };
        let all: Vec<usize> = LENGTHS.repeat(rounds);
        for (place, lengths) in all.chunks(window).enumerate() {
            let numbers = place * window..;
            for (number, bytes) in numbers.clone().zip(lengths) {
                assert!(send(&mut outgoing, number, *bytes));
            }
            numbers.zip(lengths).for_each(|(number, bytes)| take(&mut incoming, number, *bytes));
        }
        assert!(!incoming.has_next());
    }
}

#[test]
fn one_thread_sends_while_another_takes() {
    let rounds = if cfg!(miri) { 2 } else { 2000 };
    let (mut outgoing, mut incoming) = two_ends();
    let numbered = || LENGTHS.iter().copied().cycle().enumerate().take(rounds * LENGTHS.len());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (number, bytes) in numbered() {
                while !send(&mut outgoing, number, bytes) {
                    std::thread::yield_now();
                }
            }
        });
        for (number, bytes) in numbered() {
            let mut into = vec![0; bytes];
            // Some pieces may be late.
            loop {
                if let Glance::Message { data, .. } = incoming.glance()
                    && incoming.take(data, Span::of_mut(&mut into)) == Ok(true)
                {
                    break;
                }
            }
            assert!(into == data(number, bytes), "message {number} of {bytes} bytes is whole");
        }
    });
}

#[test]
fn when_the_blocks_are_full_shorter_messages_still_go_and_all_goes_on_when_they_are_taken() {
    let (mut outgoing, mut incoming) = two_ends();
    for _ in 0..3 {
        let long = (0..).take_while(|number| send(&mut outgoing, *number, LONGEST)).count();
        assert!(send(&mut outgoing, long, 3000) && send(&mut outgoing, long + 1, 8));
        (0..long).for_each(|number| take(&mut incoming, number, LONGEST));
        take(&mut incoming, long, 3000);
        take(&mut incoming, long + 1, 8);
        assert!(!incoming.has_next());
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri has no signals")]
fn a_message_whose_memory_ends_in_the_middle_is_passed_over() {
    memory::expect_faults();
    let (mut outgoing, mut incoming) = two_ends();
    let start = memory::brink() - 3000;
    let bad = Span::new(std::ptr::with_exposed_provenance(start), 8000);
    for number in 0..40 {
        let envelope = Envelope { context: 2, source: 0, tag: 7 };
        assert!(outgoing.send_span(envelope, bad).is_err_and(|fault| fault.in_source));
        if number % 3 == 0 {
            let Glance::Message { data, .. } = incoming.glance() else { panic!("it has begun") };
            let mut into = vec![0; 8000];
            assert_eq!(incoming.take(data, Span::of_mut(&mut into)), Ok(false));
        }
        assert!(send(&mut outgoing, 2 * number + 1, 9000));
        take(&mut incoming, 2 * number + 1, 9000);
    }
    assert!(!incoming.has_next());
}

#[test]
fn a_message_of_which_only_a_part_is_there_is_none_and_the_ring_serves_others_afterwards() {
    for number in 0..20 {
        let (mut outgoing, mut incoming) = two_ends();
        (0..number).for_each(|number| assert!(send(&mut outgoing, number, 5000)));
        let envelope = Envelope { context: 2, source: 0, tag: number as i32 };
        outgoing.send_half(envelope, Span::of(&data(number, 9000)));
        (0..number).for_each(|number| take(&mut incoming, number, 5000));
        for _ in 0..3 {
            let Glance::Message { data, .. } = incoming.glance() else { panic!("it has begun") };
            let mut into = vec![0; 9000];
            assert_eq!(incoming.take(data, Span::of_mut(&mut into)), Ok(false));
            assert!(incoming.arrival().is_none());
        }
        drop(outgoing);
    }
}
