//! Serves a feed to browsers on this machine, with one thread for each of a limited number of
//! connections.

use super::feed::{Feed, Latest, Order};
use super::http::{self, MOST_HEAD_BYTES, Request};
use super::record;
use super::start::Start;
use std::collections::VecDeque;
use std::io::{self, IoSlice, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// The most connections open at a time: a browser opens six. For one more, the server closes the
/// one that has waited longest without a complete request.
const MOST_CONNECTIONS: usize = 64;
/// Closed connections whose threads have not ended yet; beyond this, new ones have to wait.
const MOST_ENDING: usize = 64;
/// A connection that sends nothing, or takes nothing, for this long is closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long an order may take.
const ANSWER: Duration = Duration::from_secs(30);

/// One page, of parts by subject: style, body, script.
const PAGE: &str = concat!(
    include_str!("page/head.html"),
    include_str!("page/style.css"),
    include_str!("page/body.html"),
    include_str!("page/base.js"),
    include_str!("page/picture.js"),
    include_str!("page/over.js"),
    include_str!("page/orders.js"),
    include_str!("page/plots.js"),
    include_str!("page/ripples.js"),
    include_str!("page/dress.js"),
    include_str!("page/paint.js"),
    include_str!("page/stream.js"),
    include_str!("page/past.js"),
    include_str!("page/timeline.js"),
    include_str!("page/recoveries.js"),
    include_str!("page/space.js"),
    include_str!("page/export.js"),
    include_str!("page/crew.js"),
    include_str!("page/menu.js"),
    include_str!("page/hands.js"),
    include_str!("page/tail.html"),
);

/// What all connections share.
struct House {
    feed: Arc<Feed>,
    token: String,
    port: u16,
    start: Start,
    open: AtomicUsize,
    silent: Silent,
}

/// Connections that have not sent a complete request yet, the oldest first.
#[derive(Default)]
struct Silent(Mutex<Queue>);

#[derive(Default)]
struct Queue {
    guests: VecDeque<(u64, TcpStream)>,
    next: u64,
}

impl Silent {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        // Every change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection; returns the number by which it can be removed.
    fn add(&self, stream: TcpStream) -> u64 {
        let mut queue = self.lock();
        let number = queue.next;
        queue.next += 1;
        queue.guests.push_back((number, stream));
        number
    }

    /// It has sent its request, or is gone.
    fn remove(&self, number: u64) {
        self.lock().guests.retain(|(known, _)| *known != number);
    }

    /// Closes the oldest one, if there is any.
    fn close_oldest(&self) -> bool {
        let oldest = self.lock().guests.pop_front();
        oldest.is_some_and(|(_, stream)| {
            // Its thread notices, and ends.
            let _ = stream.shutdown(Shutdown::Both);
            true
        })
    }
}

/// Serves the feed on a port of this machine (0: any that is free); returns the address. It
/// contains a secret: without that, a client sees nothing and requests nothing.
///
/// `start` starts threads: it is called for each connection, too.
pub fn serve(feed: Arc<Feed>, port: u16, start: Start) -> Result<String, String> {
    let no = |what: &str, why: io::Error| format!("cannot {what}: {why}");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|why| no(&format!("listen on port {port} of 127.0.0.1"), why))?;
    let port = listener.local_addr().map_err(|why| no("listen", why))?.port();
    let token = secret().map_err(|why| no("draw a secret from /dev/urandom", why))?;
    let address = format!("http://127.0.0.1:{port}/{token}/");
    let (open, silent) = (AtomicUsize::new(0), Silent::default());
    let house = Arc::new(House { feed, token, port, start, open, silent });
    start(Box::new(move || {
        for guest in listener.incoming() {
            match guest {
                Ok(stream) => house.clone().welcome(stream),
                // For example, no descriptor is left: other connections will close theirs.
                Err(_) => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }))
    .map_err(|why| no("start a thread", why))?;
    Ok(address)
}

/// 128 bits that cannot be guessed.
fn secret() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// An open connection, and its number among those without a request.
struct Place {
    house: Arc<House>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.house.silent.remove(self.number);
        self.house.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl House {
    fn welcome(self: Arc<House>, mut stream: TcpStream) {
        let is_full = self.open.load(Ordering::Relaxed) >= MOST_CONNECTIONS;
        if is_full && !self.silent.close_oldest() {
            // A client that sends and never reads must not block the accepting thread.
            let _ = stream.set_write_timeout(Some(Duration::from_millis(1)));
            let _ = refuse(&mut stream, 503);
            return;
        }
        while self.open.load(Ordering::Relaxed) >= MOST_CONNECTIONS + MOST_ENDING {
            std::thread::sleep(Duration::from_millis(1));
        }
        let Ok(twin) = stream.try_clone() else { return };
        self.open.fetch_add(1, Ordering::Relaxed);
        let start = self.start;
        let place = Place { number: self.silent.add(twin), house: self };
        let _ = start(Box::new(move || {
            let _ = stream.set_read_timeout(Some(PATIENCE));
            let _ = stream.set_write_timeout(Some(PATIENCE));
            let _ = stream.set_nodelay(true);
            // An error ends this connection only.
            let _ = place.house.serve(&mut stream, place.number);
            let _ = stream.shutdown(Shutdown::Both);
        }));
    }

    fn serve(&self, stream: &mut TcpStream, number: u64) -> io::Result<()> {
        let (head, rest) = match read_head(stream, PATIENCE)? {
            Ok(read) => read,
            Err(status) => return refuse(stream, status),
        };
        let request = match Request::read(&head) {
            Ok(request) => request,
            Err(status) => return refuse(stream, status),
        };
        let Some(wanted) = request.below(&self.token, self.port) else {
            return refuse(stream, 403);
        };
        if request.body_bytes == 0 {
            self.silent.remove(number);
        }
        if let ("GET", Some(from)) = (request.method, wanted.strip_prefix("points/")) {
            let Ok(from) = from.parse() else { return refuse(stream, 404) };
            return answer(stream, "application/octet-stream", &self.feed.points(from), "");
        }
        match (request.method, wanted) {
            ("GET", "") => {
                let nonce = secret()?;
                let page = PAGE.replace("NONCE", &nonce);
                answer(stream, "text/html; charset=utf-8", page.as_bytes(), &nonce)
            }
            ("GET", "scene") => {
                let scene = self.feed.scene();
                answer(stream, "application/json", scene.json.as_bytes(), "")
            }
            ("GET", "places") => {
                let bytes = record::bytes_of(&self.feed.scene().places);
                answer(stream, "application/octet-stream", &bytes, "")
            }
            ("GET", "frames") => self.stream(stream),
            ("POST", "order") => {
                let _asking = self.feed.asking();
                let body = match read_body(stream, rest, request.body_bytes)? {
                    Ok(body) => body,
                    Err(status) => return refuse(stream, status),
                };
                self.silent.remove(number);
                let (what, kind) = (self.obey(&String::from_utf8_lossy(&body)), "text/plain");
                let text = match what {
                    Ok(text) => format!("ok {text}"),
                    Err(why) => format!("no {why}"),
                };
                answer(stream, kind, text.as_bytes(), "")
            }
            (_, "" | "scene" | "places" | "frames" | "order") => refuse(stream, 405),
            _ => refuse(stream, 404),
        }
    }

    /// Passes an order to the run, and waits for the answer.
    fn obey(&self, words: &str) -> Result<String, String> {
        let (reply, answer) = mpsc::sync_channel(1);
        let order = Order::new(words.trim().to_string(), reply);
        if self.feed.ask(order).is_err() {
            return Err("the run accepts no more orders".into());
        }
        answer.recv_timeout(ANSWER).unwrap_or_else(|_| Err("the run does not answer".into()))
    }

    /// Sends frames until the page stops taking them.
    fn stream(&self, stream: &mut TcpStream) -> io::Result<()> {
        let head = http::head(200, "application/octet-stream", None, "");
        stream.write_all(head.as_bytes())?;
        let mut watcher = self.feed.watch();
        loop {
            match watcher.next(Duration::from_secs(1)) {
                Latest::Frame(frame) => {
                    let (words, image) = (frame.words(), frame.image.clone());
                    // The run must not wait for this page.
                    drop(frame);
                    let length = ((words.len() + image.len()) as u32).to_le_bytes();
                    write_in_one(stream, [&length, &words, &image])?;
                }
                // An empty frame finds out whether the page is still there.
                Latest::None => stream.write_all(&0u32.to_le_bytes())?,
                Latest::Over => return Ok(()),
            }
        }
    }
}

/// A head and the bytes after it; or the status of the error.
type Head = Result<(Vec<u8>, Vec<u8>), u16>;

/// Reads a complete head.
fn read_head(stream: &mut TcpStream, patience: Duration) -> io::Result<Head> {
    let (mut bytes, mut room) = (Vec::new(), [0u8; 2048]);
    let end = Instant::now() + patience;
    loop {
        let end_of_head = http::end_of_head(&bytes);
        if end_of_head.unwrap_or(bytes.len()) > MOST_HEAD_BYTES {
            return Ok(Err(431));
        }
        if let Some(at) = end_of_head {
            let rest = bytes.split_off(at);
            return Ok(Ok((bytes, rest)));
        }
        if Instant::now() > end {
            return Ok(Err(408));
        }
        match stream.read(&mut room) {
            Ok(0) => return Ok(Err(400)),
            Ok(count) => bytes.extend(&room[..count]),
            Err(why) if is_late(&why) => return Ok(Err(408)),
            Err(why) => return Err(why),
        }
    }
}

/// Reads a body of known length, whose beginning may have arrived; or returns an error status.
fn read_body(
    stream: &mut TcpStream, mut body: Vec<u8>, bytes: usize,
) -> io::Result<Result<Vec<u8>, u16>> {
    let missing = bytes.saturating_sub(body.len()) as u64;
    let read = Read::by_ref(stream).take(missing).read_to_end(&mut body);
    // Half an order is no order, or a different one.
    match read {
        Ok(_) if body.len() < bytes => Ok(Err(400)),
        Ok(_) => {
            body.truncate(bytes);
            Ok(Ok(body))
        }
        Err(why) if is_late(&why) => Ok(Err(408)),
        Err(why) => Err(why),
    }
}

/// Whether the time limit has passed.
fn is_late(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

/// In one piece: half of it would be useless.
fn write_in_one(stream: &mut TcpStream, parts: [&[u8]; 3]) -> io::Result<()> {
    let mut parts = parts.map(IoSlice::new);
    let mut left = &mut parts[..];
    while !left.is_empty() {
        match stream.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut left, count),
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(why) => return Err(why),
        }
    }
    Ok(())
}

fn answer(stream: &mut TcpStream, kind: &str, body: &[u8], nonce: &str) -> io::Result<()> {
    stream.write_all(http::head(200, kind, Some(body.len()), nonce).as_bytes())?;
    stream.write_all(body)
}

fn refuse(stream: &mut TcpStream, status: u16) -> io::Result<()> {
    stream.write_all(http::head(status, "text/plain", Some(0), "").as_bytes())
}
