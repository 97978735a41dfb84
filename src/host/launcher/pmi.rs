//! PMI-1: lines of words `key=value` over a socket that the launcher has left open for this
//! process, or to which it connects. Slurm's `pmi2` and Hydra speak it.

use super::board::{Launcher, Position, numbered};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::fd::FromRawFd;

/// How the launcher is reached.
pub(super) enum Way {
    /// By an open socket, as this rank of so many.
    Socket { descriptor: i32, rank: usize, size: usize },
    /// By a connection that begins with the number of this process.
    Port { address: String, number: String },
}

impl Way {
    /// As the variables of the environment tell.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Way> {
        let number = |name: &str| variable(name)?.parse().ok();
        if let (Some(descriptor), Some(rank), Some(size)) =
            (number("PMI_FD"), number("PMI_RANK"), number("PMI_SIZE"))
        {
            let descriptor = i32::try_from(descriptor).ok()?;
            return Some(Way::Socket { descriptor, rank, size });
        }
        Some(Way::Port { address: variable("PMI_PORT")?, number: variable("PMI_ID")? })
    }
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// The conversation with the launcher.
pub(super) struct Pmi {
    stream: BufReader<Box<dyn Stream>>,
    rank: usize,
    size: usize,
    /// What the launcher calls all that is published.
    space: String,
}

/// An answer: `cmd=get_result rc=0 value=x`.
struct Answer(String);

impl Answer {
    fn value(&self, key: &str) -> Option<&str> {
        let pairs = self.0.split_whitespace().filter_map(|word| word.split_once('='));
        pairs.into_iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.value(key)?.parse().ok()
    }
}

/// The key under which launchers publish which ranks share a host.
const MAPPING: &str = "PMI_process_mapping";

impl Pmi {
    pub(super) fn open(way: Way) -> Result<Pmi, String> {
        let space = String::new();
        let mut pmi = match way {
            Way::Socket { descriptor, rank, size } => {
                // SAFETY: asks for something that is not there, if the descriptor is not open.
                let is_open = unsafe { libc::fcntl(descriptor, libc::F_GETFD) } >= 0;
                if !is_open {
                    return Err(format!(
                        "PMI: the launcher's socket is not open (PMI_FD={descriptor}): let \
                         wrapper scripts leave it open"
                    ));
                }
                // SAFETY: the launcher has opened it for this conversation alone.
                let socket = unsafe { File::from_raw_fd(descriptor) };
                Pmi { stream: BufReader::new(Box::new(socket)), rank, size, space }
            }
            Way::Port { address, number } => {
                let failed = |error| format!("PMI: cannot connect to {address}: {error}");
                let socket = TcpStream::connect(&address).map_err(failed)?;
                let stream: Box<dyn Stream> = Box::new(socket);
                let mut pmi = Pmi { stream: BufReader::new(stream), rank: 0, size: 0, space };
                pmi.ask(&format!("cmd=initack pmiid={number}"), "initack")?;
                for _ in ["size", "rank", "debug"] {
                    let told = pmi.hear()?;
                    pmi.size = told.number("size").unwrap_or(pmi.size);
                    pmi.rank = told.number("rank").unwrap_or(pmi.rank);
                }
                pmi
            }
        };
        pmi.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init")?;
        let named = pmi.ask("cmd=get_my_kvsname", "my_kvsname")?;
        pmi.space = named.value("kvsname").ok_or("PMI: there is no kvsname")?.to_string();
        Ok(pmi)
    }

    fn ask(&mut self, question: &str, expected: &str) -> Result<Answer, String> {
        let line = format!("{question}\n");
        let written = self.stream.get_mut().write_all(line.as_bytes());
        written.map_err(|error| gone(&error))?;
        let answer = self.hear()?;
        let (is_it, code) = (answer.value("cmd") == Some(expected), answer.value("rc"));
        match is_it && code.is_none_or(|code| code == "0") {
            true => Ok(answer),
            false => Err(format!("PMI: the answer to `{question}` is `{}`", answer.0.trim_end())),
        }
    }

    fn hear(&mut self) -> Result<Answer, String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line) {
            Ok(0) => Err(gone(&io::ErrorKind::UnexpectedEof.into())),
            Ok(_) => Ok(Answer(line)),
            Err(error) => Err(gone(&error)),
        }
    }

    fn look_up(&mut self, key: &str) -> Result<String, String> {
        let question = format!("cmd=get kvsname={} key={key}", self.space);
        let answer = self.ask(&question, "get_result")?;
        let value = answer.value("value").ok_or_else(|| format!("PMI: {key} has no value"))?;
        Ok(value.to_string())
    }

    /// Where the launcher does not say which ranks share a host, they tell each other.
    fn hosts_by_name(&mut self) -> Result<Vec<usize>, String> {
        const HOST: &str = "ftmpi-host";
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        self.publish(HOST, name.trim())?;
        self.fence()?;
        let names = (0..self.size).map(|rank| self.find(rank, HOST));
        Ok(numbered(names.collect::<Result<_, _>>()?))
    }
}

fn gone(error: &io::Error) -> String {
    format!("PMI: the launcher has gone ({error})")
}

impl Launcher for Pmi {
    fn position(&mut self) -> Result<Position, String> {
        let hosts = match self.size {
            1 => vec![0],
            size => match self.look_up(MAPPING).ok().and_then(|text| hosts(&text, size)) {
                Some(hosts) => hosts,
                None => self.hosts_by_name()?,
            },
        };
        match self.rank < self.size {
            true => Ok(Position { rank: self.rank, hosts }),
            false => Err(format!("PMI: there is no rank {} of {}", self.rank, self.size)),
        }
    }

    fn publish(&mut self, key: &str, word: &str) -> Result<(), String> {
        let (space, rank) = (&self.space, self.rank);
        let question = format!("cmd=put kvsname={space} key={key}-{rank} value={word}");
        self.ask(&question, "put_result").map(drop)
    }

    fn fence(&mut self) -> Result<(), String> {
        self.ask("cmd=barrier_in", "barrier_out").map(drop)
    }

    fn find(&mut self, rank: usize, key: &str) -> Result<String, String> {
        self.look_up(&format!("{key}-{rank}"))
    }

    fn part(&mut self) {
        // If it has gone, there is nobody to take leave from.
        let _gone = self.ask("cmd=finalize", "finalize_ack");
    }
}

/// `(vector,(0,2,4))`, as Hydra writes it: from host 0 on, two hosts with four ranks each; the
/// whole is repeated for ranks that are left.
fn hosts(mapping: &str, size: usize) -> Option<Vec<usize>> {
    let blocks = mapping.strip_prefix("(vector,")?.strip_suffix(')')?;
    let mut round = Vec::new();
    for block in blocks.split("),") {
        let numbers = block.trim_start_matches('(').trim_end_matches(')').split(',');
        let numbers: Vec<usize> = numbers.map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let [first, count, ranks] = numbers[..] else { return None };
        let hosts = (first..first.checked_add(count)?).take(size);
        round.extend(hosts.flat_map(|host| std::iter::repeat_n(host, ranks.min(size))));
    }
    (!round.is_empty()).then(|| round.iter().copied().cycle().take(size).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn mappings_are_read_as_launchers_write_them() {
        for (mapping, of_ranks) in [
            ("(vector,(0,1,5))", [0, 0, 0, 0, 0]),
            ("(vector,(0,2,2),(2,1,1))", [0, 0, 1, 1, 2]),
            ("(vector,(0,3,1))", [0, 1, 2, 0, 1]),
            ("(vector,(1,1,1),(0,1,9))", [1, 0, 0, 0, 0]),
        ] {
            assert_eq!(hosts(mapping, 5), Some(of_ranks.to_vec()), "{mapping}");
        }
        for bad in ["", "(vector,)", "(vector,(0,1))", "(vector,(0,0,1))", "(vector,(a,1,1))"] {
            assert_eq!(hosts(bad, 5), None, "{bad}");
        }
    }

    #[test]
    fn a_launcher_that_refuses_or_goes_is_quoted() {
        let (ours, mut theirs) = UnixStream::pair().expect("there are sockets");
        let (space, stream) = ("kvs".to_string(), BufReader::new(Box::new(ours) as Box<_>));
        let mut pmi = Pmi { stream, rank: 1, size: 2, space };
        theirs.write_all(b"cmd=put_result rc=0 msg=success\n").expect("it is read");
        assert_eq!(pmi.publish("key", "word"), Ok(()));
        let mut said = [0; 40];
        theirs.read_exact(&mut said).expect("it was said");
        assert_eq!(&said, b"cmd=put kvsname=kvs key=key-1 value=word");
        theirs.write_all(b"cmd=get_result rc=-1 msg=key_not_found\n").expect("it is read");
        let refused = pmi.find(0, "key").expect_err("it is refused");
        assert!(refused.contains("key=key-0` is `cmd=get_result rc=-1"), "{refused}");
        drop(theirs);
        assert!(pmi.fence().expect_err("nobody is there").contains("has gone"));
    }

    #[test]
    fn a_socket_goes_before_a_port() {
        let of = |words: &'static str| {
            Way::of(move |name| {
                let mut pairs = words.split(' ').filter_map(|word| word.split_once('='));
                pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_string())
            })
        };
        let both = "PMI_FD=9 PMI_RANK=1 PMI_SIZE=4 PMI_PORT=vm:1 PMI_ID=3";
        assert!(matches!(of(both), Some(Way::Socket { descriptor: 9, rank: 1, size: 4 })));
        assert!(matches!(of("PMI_PORT=vm:1 PMI_ID=3"), Some(Way::Port { .. })));
        assert!(of("PMI_RANK=1 PMI_SIZE=4").is_none(), "as ftrun sets them");
    }
}
