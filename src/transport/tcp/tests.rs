//! Two workers that talk, and what strangers and deaths do to them.

use super::{Endpoint, Worker};
use crate::host::memory::{self, Span};
use crate::transport::readable::wait_for;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ptr;
use std::time::{Duration, Instant};

fn worker() -> Worker {
    Worker::open(&[]).expect("there are sockets")
}

/// Lets both work until it is so; what the second one has got.
fn until(one: &mut Worker, other: &mut Worker, is_so: impl Fn(&[Vec<u8>]) -> bool) -> Vec<Vec<u8>> {
    let (mut seen, until) = (Vec::new(), Instant::now() + Duration::from_secs(20));
    loop {
        one.progress();
        seen.append(&mut other.progress());
        if is_so(&seen) {
            return seen;
        }
        assert!(Instant::now() < until, "{} messages", seen.len());
        wait_for(&[one.descriptor(), other.descriptor()], Duration::from_millis(1));
    }
}

fn connect(from: &mut Worker, to: &Worker) -> Endpoint {
    from.connect(&to.address()).expect("it is there")
}

#[test]
fn messages_of_any_length_arrive_whole_and_in_order() {
    let (mut one, mut other) = (worker(), worker());
    let endpoint = connect(&mut one, &other);
    let sizes = [0, 1, 100, 8 << 10, 64 << 10, 300 << 10, 3, 5 << 20, (64 << 10) - 4, 0, 7];
    for (number, bytes) in sizes.iter().enumerate() {
        let message = vec![number as u8; *bytes];
        let (start, end) = message.split_at(bytes / 3);
        one.send(&endpoint, start, end);
    }
    assert!(one.is_sending());
    let seen = until(&mut one, &mut other, |seen| seen.len() == sizes.len());
    for (number, message) in seen.iter().enumerate() {
        assert_eq!(message.len(), sizes[number]);
        assert!(message.iter().all(|it| *it == number as u8));
    }
    assert!(!one.is_sending() && !endpoint.is_broken() && endpoint.refusal().is_none());
}

#[test]
fn memory_that_is_lent_is_sent_from_where_it_is_and_what_is_missing_becomes_zeros() {
    let (mut one, mut other) = (worker(), worker());
    let endpoint = connect(&mut one, &other);
    let (long, few) = (vec![7; 6 << 20], [8; 100]);
    let brink = memory::brink();
    let edge = Span::new(ptr::with_exposed_provenance(brink - 10), 50);
    let lent = [[Span::of(&long), Span::of(&few)], [Span::of(&long), edge], [edge, edge]];
    let whole = |lent: &[Span]| lent.iter().map(|span| span.bytes()).sum::<usize>();
    for times in 1..=3 {
        for spans in &lent {
            one.send(&endpoint, &[1], &[2]);
            one.send_lent(&endpoint, &[3, 4], spans.to_vec(), &[5, 6]);
        }
        let seen = until(&mut one, &mut other, |seen| seen.len() == 6);
        for (message, spans) in seen.chunks(2).zip(&lent) {
            let [short, message] = message else { unreachable!("there are two of each") };
            let bytes = whole(spans);
            assert_eq!(short, &[1, 2], "{times}");
            assert_eq!((message.len(), &message[..2]), (bytes + 4, &[3, 4][..]), "{times}");
            let (middle, end) = message[2..].split_at(bytes);
            let is_there = spans[1].address() == Span::of(&few).address();
            assert_eq!(end, if is_there { [5, 6] } else { [0, 0] }, "{times}");
            if is_there {
                let (first, rest) = middle.split_at(long.len());
                assert!(first == long && rest == few, "{times}");
            }
        }
    }
    assert!(!one.is_sending() && !endpoint.is_broken());
}

/// Whichever of them has the lower number.
#[test]
fn short_last_words_arrive_although_whoever_said_them_has_something_unread() {
    for _ in 0..8 {
        let (mut one, mut other) = (worker(), worker());
        let [there, back] = [connect(&mut one, &other), connect(&mut other, &one)];
        one.send(&there, &[1], &[]);
        other.send(&back, &[1], &[]);
        until(&mut one, &mut other, |seen| seen.len() == 1);
        until(&mut other, &mut one, |seen| seen.len() == 1);
        other.send(&back, &[2; 1000], &[]);
        one.send(&there, &[3; 10_000], &[]);
        let from = Instant::now();
        while one.is_sending() {
            assert!(from.elapsed() < Duration::from_secs(20));
            one.progress();
        }
        drop(one);
        let mut third = worker();
        let seen = until(&mut third, &mut other, |seen| !seen.is_empty());
        assert_eq!(seen, [vec![3; 10_000]]);
        until(&mut third, &mut other, |_| back.is_broken());
        other.send(&back, &[4], &[]);
        assert!(!other.is_sending(), "what is sent there is lost");
    }
}

#[test]
fn messages_of_both_directions_arrive_once_whichever_way_each_goes() {
    const COUNT: u32 = 200;
    for _ in 0..4 {
        let mut both = [worker(), worker()];
        let [one, other] = &mut both;
        let ways = [connect(one, other), connect(other, one)];
        let mut came = [Vec::new(), Vec::new()];
        let until = Instant::now() + Duration::from_secs(20);
        let mut turn = 0;
        while came.iter().any(|numbers| numbers.len() < COUNT as usize) {
            assert!(Instant::now() < until, "{came:?}");
            let bytes = if turn % 10 == 9 { 400_000 } else { 50 * turn as usize };
            for ((worker, way), came) in both.iter_mut().zip(&ways).zip(&mut came) {
                if turn < COUNT {
                    worker.send(way, &turn.to_le_bytes(), &vec![7; bytes]);
                }
                for message in worker.progress() {
                    came.push(u32::from_le_bytes(message[..4].try_into().expect("a number")));
                }
            }
            turn += 1;
        }
        for numbers in &mut came {
            numbers.sort_unstable();
            assert_eq!(*numbers, (0..COUNT).collect::<Vec<u32>>());
        }
        assert!(both.iter().all(|worker| !worker.is_sending()));
    }
}

#[test]
fn whoever_is_not_there_is_out_of_reach_and_that_is_no_death() {
    let (mut one, mut other, gone) = (worker(), worker(), worker());
    let address = gone.address();
    drop(gone);
    let endpoint = one.connect(&address).expect("that shows later");
    one.send(&endpoint, &[1], &[]);
    until(&mut one, &mut other, |_| endpoint.refusal().is_some());
    assert!(!endpoint.is_broken() && !one.is_sending());
    assert!(endpoint.refusal().is_some_and(|why| why.starts_with("TCP to ")));
    one.close(&endpoint);
}

#[test]
fn a_port_at_which_somebody_else_answers_is_no_way() {
    let (mut one, mut other) = (worker(), worker());
    let [mut address, stranger] = [other.place.clone(), worker().place.clone()];
    // The other worker is at this port, and is not the one that is looked for.
    address.id = stranger.id;
    let endpoint = one.connect(&address.bytes()).expect("that shows later");
    until(&mut one, &mut other, |_| endpoint.refusal().is_some());
}

#[test]
fn strangers_are_not_heard_and_keep_nobody_out() {
    let (mut one, mut other) = (worker(), worker());
    let port = other.listener.local_addr().expect("it listens").port();
    let at = SocketAddr::from(([127, 0, 0, 1], port));
    let mut strangers: Vec<TcpStream> =
        (0..300).map(|_| TcpStream::connect(at).expect("it listens")).collect();
    strangers[7].write_all(b"GET / HTTP/1.1\r\n\r\n").expect("there is room");
    let endpoint = connect(&mut one, &other);
    one.send(&endpoint, &[1], &[]);
    assert_eq!(until(&mut one, &mut other, |seen| !seen.is_empty()), [vec![1]]);
    let is_sent_away = |stranger: &mut TcpStream| {
        stranger.set_read_timeout(Some(Duration::from_millis(1))).expect("it is a socket");
        stranger.read(&mut [0]).is_ok_and(|count| count == 0)
    };
    assert!(strangers.iter_mut().filter_map(|it| is_sent_away(it).then_some(())).count() >= 44);
}

#[test]
fn whoever_does_not_answer_yet_gets_everything_later() {
    let (mut one, mut other, mut third) = (worker(), worker(), worker());
    let endpoint = connect(&mut one, &other);
    for number in 0..100 {
        one.send(&endpoint, &[number; 10_000], &[]);
    }
    for _ in 0..100 {
        one.progress();
        third.progress();
    }
    assert!(one.is_sending(), "it has not been welcomed");
    let seen = until(&mut one, &mut other, |seen| seen.len() == 100);
    assert!((0..100).zip(seen).all(|(number, message)| message == vec![number; 10_000]));
}

#[test]
fn an_endpoint_that_is_closed_harms_nobody() {
    let (mut one, mut other) = (worker(), worker());
    for turn in 0..50 {
        let endpoint = connect(&mut one, &other);
        one.send(&endpoint, &[turn; 100], &[]);
        for _ in 0..turn {
            one.progress();
            other.progress();
        }
        one.close(&endpoint);
        assert!(!one.is_sending());
    }
    let endpoint = connect(&mut one, &other);
    one.send(&endpoint, &[255; 3], &[]);
    until(&mut one, &mut other, |seen| seen.last().is_some_and(|last| *last == [255; 3]));
}

#[test]
fn interfaces_may_be_chosen_and_those_that_are_not_there_are_named() {
    let within = Worker::open(&["lo"]).expect("it is up");
    assert!(within.place.ways_from(&[]).iter().all(|way| way.ip().is_loopback()));
    let why = Worker::open(&["wire7"]).err().expect("there is none");
    assert!(why.starts_with("no interface is named wire7: there are "), "{why}");
}

#[test]
fn a_server_that_says_nothing_is_not_mistaken_for_a_worker() {
    let (mut one, mut other) = (worker(), worker());
    let server = TcpListener::bind("127.0.0.1:0").expect("there are ports");
    let mut address = other.place.clone();
    address.move_to(server.local_addr().expect("it listens"));
    let endpoint = one.connect(&address.bytes()).expect("that shows later");
    one.send(&endpoint, &[1], &[]);
    let (mut heard, _) = server.accept().expect("somebody connects");
    let mut words = [0; 16];
    one.progress();
    heard.read_exact(&mut words).expect("it says whom it looks for");
    heard.write_all(b"?").expect("there is room");
    drop((heard, server));
    until(&mut one, &mut other, |_| endpoint.refusal().is_some());
}
