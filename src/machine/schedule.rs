//! When each rank is to die: the words of `ftrun --kill`, of kill files and of fault schedules.
//!
//! An event is `RANK@WHEN`, or `RANK.LIFE@WHEN` for a later life of the rank (2 is the first
//! replacement; `every` is each life). `WHEN` is one of
//!
//! | words                       | when                                                          |
//! |-----------------------------|---------------------------------------------------------------|
//! | `250ms`, `1.5s`, `40us`     | this long after that life began, wherever it is               |
//! | `compute:250ms`             | likewise, but not before it is outside of MPI                 |
//! | `before:MPI_Send:3`         | as it enters its third MPI_Send; `before:` may be left out    |
//! | `inside:MPI_Bcast:3`        | within that call, after its first step: a message sent, or a  |
//! |                             | wait begun; `inside:MPI_Bcast:3:2` is after its second step   |
//! | `after:MPI_Send:3`          | as it leaves that call                                        |
//! | `before:call:17`            | at its 17th call of any kind; also `inside` and `after`       |
//! | `recovery:2`                | in the second recovery in which it takes part, at its first   |
//! |                             | step; `recovery:2:3` is at its third                          |
//!
//! A count that is left out is 1. A call that has fewer steps ends at its end. A schedule has one
//! event a line; empty lines and what follows `#` do not count.

use std::fmt;
use std::time::Duration;

/// The end of one life of one rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub seat: usize,
    pub life: Life,
    pub when: When,
}

/// Which life of a rank an event is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// By its incarnation: the first is 0.
    Only(u32),
    Every,
}

/// When a life ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// A time after its beginning.
    Time { after: Duration, is_outside: bool },
    /// At a call: the `count`th of this name, or of any.
    Call { name: Option<String>, count: u64, moment: Moment },
    /// In the `count`th recovery, at a step of it.
    Recovery { count: u64, step: u32 },
}

/// The moment within a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    Before,
    Inside { step: u32 },
    After,
}

/// Stands for the name of a call where any counts.
const ANY_CALL: &str = "call";

impl Life {
    /// Whether this includes the life with this number.
    pub fn is(self, incarnation: u32) -> bool {
        match self {
            Life::Only(meant) => meant == incarnation,
            Life::Every => true,
        }
    }
}

impl Event {
    /// Reads `RANK@WHEN`; an error names the cure.
    pub fn parse(text: &str) -> Result<Event, String> {
        let no_form = || format!("`{text}` is not RANK@WHEN, such as 3@250ms or 3@MPI_Send:2");
        let (who, when) = text.split_once('@').ok_or_else(no_form)?;
        let (rank, life) = match who.split_once('.') {
            Some((rank, life)) => (rank, parse_life(life)?),
            None => (who, Life::Only(0)),
        };
        let seat = digits(rank).ok_or_else(|| format!("`{rank}` is not a rank: use 0, 1, 2, …"))?;
        Ok(Event { seat, life, when: parse_when(when)? })
    }
}

/// Reads a schedule: each event with the number of its line. The first mistake is reported with its
/// file and line.
pub fn parse(file: &str, text: &str) -> Result<Vec<(usize, Event)>, String> {
    let mut events = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let event = line.split('#').next().unwrap_or_default().trim();
        if event.is_empty() {
            continue;
        }
        let read = match event.split_whitespace().nth(1) {
            None => Event::parse(event),
            Some(extra) => Err(format!("one event a line: `{extra}` is unexpected")),
        };
        events.push((number, read.map_err(|why| format!("{file}:{number}: {why}"))?));
    }
    Ok(events)
}

/// Reads a time, such as 250ms.
pub fn time(text: &str) -> Result<Duration, String> {
    let no = || format!("`{text}` is not a time: use 250ms, 1.5s or 40us");
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(no)?;
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        _ => return Err(no()),
    };
    let number: f64 = number.parse().map_err(|_| no())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| no())
}

fn parse_life(text: &str) -> Result<Life, String> {
    if text == "every" {
        return Ok(Life::Every);
    }
    let number = digits(text).filter(|number: &u32| *number > 0);
    let no = || format!("`{text}` is not a life of a rank: 1 is the first, or use `every`");
    Ok(Life::Only(number.ok_or_else(no)? - 1))
}

fn parse_when(text: &str) -> Result<When, String> {
    let mut words = text.split(':');
    let first = words.next().unwrap_or_default();
    let mut rest: Vec<&str> = words.collect();
    let too_much = |rest: &[&str], most: usize| match rest.get(most) {
        Some(extra) => Err(format!("`{text}`: `{extra}` is unexpected")),
        None => Ok(()),
    };
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        too_much(&rest, 0)?;
        return Ok(When::Time { after: time(first)?, is_outside: false });
    }
    match first {
        "compute" => {
            let after = rest.first().ok_or_else(|| format!("`{text}`: use compute:250ms"))?;
            too_much(&rest, 1)?;
            Ok(When::Time { after: time(after)?, is_outside: true })
        }
        "recovery" => {
            too_much(&rest, 2)?;
            let (count, step) = (nth(text, rest.first())?, nth(text, rest.get(1))?);
            Ok(When::Recovery { count, step })
        }
        "before" | "inside" | "after" => {
            if rest.is_empty() {
                return Err(format!("`{text}`: {first} which call? Use {first}:MPI_Send:3"));
            }
            let name = rest.remove(0);
            too_much(&rest, if first == "inside" { 2 } else { 1 })?;
            let moment = match first {
                "before" => Moment::Before,
                "after" => Moment::After,
                _ => Moment::Inside { step: nth(text, rest.get(1))? },
            };
            Ok(When::Call { name: parse_name(name)?, count: nth(text, rest.first())?, moment })
        }
        name => {
            too_much(&rest, 1)?;
            let (name, count) = (parse_name(name)?, nth(text, rest.first())?);
            Ok(When::Call { name, count, moment: Moment::Before })
        }
    }
}

fn parse_name(name: &str) -> Result<Option<String>, String> {
    if name == ANY_CALL {
        return Ok(None);
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // A call that tools see as PMPI_Send counts as MPI_Send.
    let bare = name.strip_prefix('P').filter(|bare| bare.starts_with("MPI")).unwrap_or(name);
    let is_ours = name.starts_with("FTCK_");
    if (is_ours || bare.starts_with("MPI")) && bare.chars().all(is_word) {
        return Ok(Some(bare.to_string()));
    }
    Err(format!(
        "`{name}` is neither a time such as 250ms nor a moment: use MPI_Send:3, before:, inside: \
         or after:MPI_Send:3, call:17, compute:250ms or recovery:2"
    ))
}

/// A count, at least 1; 1 if it is left out.
fn nth<T: std::str::FromStr + PartialOrd + From<u8>>(
    whole: &str, text: Option<&&str>,
) -> Result<T, String> {
    let Some(text) = text else { return Ok(T::from(1)) };
    let number = digits(text).filter(|number| *number >= T::from(1));
    number.ok_or_else(|| format!("`{whole}`: `{text}` is not a count: use 1, 2, 3, …"))
}

fn digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.life {
            Life::Only(0) => write!(f, "{}@{}", self.seat, self.when),
            Life::Only(later) => write!(f, "{}.{}@{}", self.seat, later + 1, self.when),
            Life::Every => write!(f, "{}.every@{}", self.seat, self.when),
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            When::Time { after, is_outside } => {
                let place = if *is_outside { "compute:" } else { "" };
                let nanos = after.as_nanos();
                match () {
                    () if nanos % 1_000_000_000 == 0 => write!(f, "{place}{}s", after.as_secs()),
                    () if nanos % 1_000_000 == 0 => write!(f, "{place}{}ms", after.as_millis()),
                    () => write!(f, "{place}{}us", nanos as f64 / 1e3),
                }
            }
            When::Call { name, count, moment } => {
                let name = name.as_deref().unwrap_or(ANY_CALL);
                match moment {
                    Moment::Before => write!(f, "before:{name}:{count}"),
                    Moment::Inside { step: 1 } => write!(f, "inside:{name}:{count}"),
                    Moment::Inside { step } => write!(f, "inside:{name}:{count}:{step}"),
                    Moment::After => write!(f, "after:{name}:{count}"),
                }
            }
            When::Recovery { count, step: 1 } => write!(f, "recovery:{count}"),
            When::Recovery { count, step } => write!(f, "recovery:{count}:{step}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Event {
        Event::parse(text).unwrap_or_else(|why| panic!("{why}"))
    }

    fn call(name: Option<&str>, count: u64, moment: Moment) -> When {
        When::Call { name: name.map(str::to_string), count, moment }
    }

    #[test]
    fn every_spelling_means_what_the_table_says() {
        let at = |text: &str| read(text).when;
        let time =
            |micros, is_outside| When::Time { after: Duration::from_micros(micros), is_outside };
        assert_eq!(at("0@250ms"), time(250_000, false));
        assert_eq!(at("0@1.5s"), time(1_500_000, false));
        assert_eq!(at("0@compute:40us"), time(40, true));
        assert_eq!(at("0@MPI_Send"), call(Some("MPI_Send"), 1, Moment::Before));
        assert_eq!(at("0@PMPI_Send:3"), call(Some("MPI_Send"), 3, Moment::Before));
        assert_eq!(at("0@before:MPI_Send:3"), call(Some("MPI_Send"), 3, Moment::Before));
        let inside = |step| call(Some("MPI_Bcast"), 3, Moment::Inside { step });
        assert_eq!(at("0@inside:MPI_Bcast:3"), inside(1));
        assert_eq!(at("0@inside:MPI_Bcast:3:2"), inside(2));
        assert_eq!(at("0@after:call:17"), call(None, 17, Moment::After));
        assert_eq!(at("0@call:17"), call(None, 17, Moment::Before));
        assert_eq!(at("0@recovery"), When::Recovery { count: 1, step: 1 });
        assert_eq!(at("0@recovery:2:3"), When::Recovery { count: 2, step: 3 });
    }

    #[test]
    fn lives_are_counted_from_one() {
        assert_eq!(read("7@1s").life, Life::Only(0));
        assert_eq!(read("7.1@1s").life, Life::Only(0));
        assert_eq!(read("7.2@1s").life, Life::Only(1));
        assert_eq!(read("7.every@1s").life, Life::Every);
        assert!(Life::Every.is(5) && Life::Only(1).is(1) && !Life::Only(1).is(0));
    }

    #[test]
    fn an_event_is_written_as_it_is_read() {
        for text in [
            "3@250us",
            "3@1500ms",
            "3@20s",
            "3.2@compute:0.5us",
            "0@before:MPI_Send:3",
            "0.every@inside:MPI_Bcast:3",
            "1@inside:MPI_Bcast:3:2",
            "1@after:call:17",
            "2@recovery:2",
            "2@recovery:2:3",
        ] {
            assert_eq!(read(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_the_cure() {
        for (text, said) in [
            ("3", "is not RANK@WHEN, such as 3@250ms"),
            ("x@1s", "`x` is not a rank"),
            ("@1s", "`` is not a rank"),
            ("3.0@1s", "`0` is not a life of a rank: 1 is the first"),
            ("3.@1s", "`` is not a life"),
            ("3@250", "`250` is not a time: use 250ms"),
            ("3@1h", "`1h` is not a time"),
            ("3@1.2.3s", "`1.2.3s` is not a time"),
            ("3@1s:2", "`2` is unexpected"),
            ("3@compute", "use compute:250ms"),
            ("3@send", "`send` is neither a time such as 250ms nor a moment"),
            ("3@", "`` is neither"),
            ("3@before", "before which call? Use before:MPI_Send:3"),
            ("3@MPI_Send:0", "`0` is not a count"),
            ("3@MPI_Send:x", "`x` is not a count"),
            ("3@MPI_Send:1:2", "`2` is unexpected"),
            ("3@after:MPI_Send:1:2", "`2` is unexpected"),
            ("3@inside:MPI_Send:1:2:3", "`3` is unexpected"),
            ("3@recovery:1:1:1", "`1` is unexpected"),
            ("3@99999999999999999999999s", "is not a time"),
        ] {
            let why = Event::parse(text).expect_err(text);
            assert!(why.contains(said), "{text}: {why}");
        }
    }

    #[test]
    fn a_schedule_has_comments_and_its_mistakes_have_lines() {
        let text = "# two of them\n\n0@1s   # the first\n  1.2@MPI_Send:3\n";
        let events = parse("faults", text).unwrap();
        assert_eq!(events, [(3, read("0@1s")), (4, read("1.2@MPI_Send:3"))]);
        let why = parse("faults", "0@1s\n1@\n").unwrap_err();
        assert!(why.starts_with("faults:2: "), "{why}");
        let why = parse("faults", "0@1s 1@2s\n").unwrap_err();
        assert!(why.contains("faults:1: one event a line: `1@2s`"), "{why}");
    }
}
