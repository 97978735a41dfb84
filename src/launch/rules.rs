//! What a death means to a job: the rules that the job follows, and the modes of FT-MPI (Fagg &
//! Dongarra 2000).

use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// How a job handles the death of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// The first failure ends the job.
    End,
    /// Calls that need a dead rank fail with one of the standard's classes; nothing is repaired.
    Standard,
    /// FT-MPI: the program starts a recovery, which repairs its communicators.
    Ft(Modes),
    /// ULFM: the program itself repairs what it needs.
    Ulfm,
}

/// The initial error handler of MPI_COMM_WORLD and MPI_COMM_SELF, by the standard's name for it on
/// a command line and in infos (MPI-5.0 §9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InitialErrhandler {
    AreFatal,
    Abort,
    Return,
}

impl InitialErrhandler {
    const ALL: [(InitialErrhandler, &str); 3] = [
        (InitialErrhandler::AreFatal, "mpi_errors_are_fatal"),
        (InitialErrhandler::Abort, "mpi_errors_abort"),
        (InitialErrhandler::Return, "mpi_errors_return"),
    ];

    /// Finds an error handler by its name, in upper or lower case.
    pub fn named(text: &str) -> Option<InitialErrhandler> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(value, _)| value)
    }

    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// All names, for a message.
    pub fn choices() -> String {
        listed(Self::ALL.into_iter().map(|(_, name)| name))
    }
}

/// The modes of FT-MPI, of a job or of a communicator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub struct Modes {
    pub comm: CommMode,
    pub msg: MsgMode,
    pub coll: CollMode,
    pub recovery: RecoveryMode,
}

impl Modes {
    /// Encodes all modes in one number.
    pub fn code(self) -> u8 {
        self.comm as u8
            | (self.msg as u8) << 2
            | (self.coll as u8) << 4
            | (self.recovery as u8) << 6
    }

    /// Decodes the number that [`Modes::code`] returned.
    pub fn of_code(code: u8) -> Option<Modes> {
        let part = |place: u8| i32::from(code >> place & 3);
        Some(Modes {
            comm: CommMode::of(part(0))?,
            msg: MsgMode::of(part(2))?,
            coll: CollMode::of(part(4))?,
            recovery: RecoveryMode::of(part(6))?,
        })
    }
}

impl From<Modes> for u8 {
    fn from(modes: Modes) -> u8 {
        modes.code()
    }
}

impl TryFrom<u8> for Modes {
    type Error = &'static str;

    fn try_from(code: u8) -> Result<Modes, &'static str> {
        Modes::of_code(code).ok_or("no modes have this number")
    }
}

/// Declares a mode: the names of its values, and the numbers by which programs know them. The first
/// name is the one that this library uses.
macro_rules! mode {
    (
        $(#[doc = $doc:literal])*
        $mode:ident, $key:literal, [$($alias:literal),*], default $default:ident;
        $($(#[doc = $what:literal])* $value:ident = $number:literal, [$($name:literal),*];)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum $mode {
            $($(#[doc = $what])* $value = $number),*
        }

        impl Default for $mode {
            fn default() -> $mode {
                $mode::$default
            }
        }

        impl $mode {
            /// The environment variables that set it, this library's first.
            pub const VARIABLES: &[&str] = &[concat!("FTMPI_", $key) $(, $alias)*];

            const ALL: &[($mode, &[&str])] = &[$(($mode::$value, &[$($name),*])),*];

            /// Finds a value by its name: in upper or lower case, with or without the prefix of the
            /// constants.
            pub fn parse(text: &str) -> Option<$mode> {
                let plain = plain(text, $key);
                let known = Self::ALL.iter().find(|(_, names)| names.contains(&plain.as_str()));
                known.map(|(value, _)| *value)
            }

            /// Finds a value by its number.
            pub fn of(number: i32) -> Option<$mode> {
                Self::ALL.iter().map(|(value, _)| *value).find(|value| *value as i32 == number)
            }

            pub fn name(self) -> &'static str {
                let known = Self::ALL.iter().find(|(value, _)| *value == self);
                known.map_or("", |(_, names)| names[0])
            }

            /// All values, for a message.
            pub fn choices() -> String {
                listed(Self::ALL.iter().map(|(_, names)| names[0]))
            }
        }
    };
}

mode! {
    /// What happens to a communicator that has lost members.
    CommMode, "COMM_MODE", ["FT_MPI_COMM_MODE", "FTMPI_COM_MODE", "FTMPI_MODE"], default Rebuild;
    /// The job ends.
    Abort = 0, ["abort"];
    /// Dead ranks leave gaps.
    Blank = 1, ["blank"];
    /// Ranks behind a dead one move up.
    Shrink = 2, ["shrink"];
    /// Dead ranks are started again.
    Rebuild = 3, ["rebuild"];
}

mode! {
    /// What happens to messages between a death and the recovery.
    MsgMode, "MSG_MODE", ["FT_MPI_MSG_MODE", "FTMPI_MESSAGE_MODE"], default Noop;
    /// Every call fails until the recovery, which discards all messages.
    Noop = 0, ["noop", "nop", "reset"];
    /// Living ranks continue to communicate.
    Cont = 1, ["cont", "continue"];
}

mode! {
    /// Whether all members of a collective operation see one outcome.
    CollMode, "COLL_MODE", ["FT_MPI_COLL_MODE"], default NonAtomic;
    NonAtomic = 0, ["non-atomic", "nonatomic"];
    Atomic = 1, ["atomic"];
}

mode! {
    /// What starts a recovery.
    RecoveryMode, "RECOVERY_MODE", ["FT_MPI_RECOVERY_MODE"], default Manual;
    /// The program, by a call.
    Manual = 0, ["manual"];
    /// The library, inside the call that notices the death.
    Auto = 1, ["auto", "automatic"];
}

/// A name in the form of the tables: `FTMPI_COLL_MODE_NON_ATOMIC` becomes `non-atomic`.
fn plain(text: &str, key: &str) -> String {
    let text = text.trim().to_ascii_lowercase().replace('_', "-");
    let key = key.to_ascii_lowercase().replace('_', "-");
    let bare = ["ftmpi-", "ft-mpi-"].iter().find_map(|start| {
        text.strip_prefix(start)?.strip_prefix(&key)?.strip_prefix('-').map(str::to_string)
    });
    bare.unwrap_or(text)
}

/// Joins names to `a`, `b` or `c`.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

impl Rules {
    /// The rules as one word.
    pub fn encode(self) -> String {
        match self {
            Rules::End => "end".into(),
            Rules::Standard => "standard".into(),
            Rules::Ulfm => "ulfm".into(),
            Rules::Ft(modes) => {
                let mut text = String::from("ft");
                let (comm, msg) = (modes.comm.name(), modes.msg.name());
                let (coll, recovery) = (modes.coll.name(), modes.recovery.name());
                let _ = write!(text, ":{comm}:{msg}:{coll}:{recovery}");
                text
            }
        }
    }

    pub fn decode(text: &str) -> Option<Rules> {
        match text {
            "end" => Some(Rules::End),
            "standard" => Some(Rules::Standard),
            "ulfm" => Some(Rules::Ulfm),
            _ => {
                let words: Vec<&str> = text.strip_prefix("ft:")?.split(':').collect();
                let [comm, msg, coll, recovery] = words[..] else { return None };
                Some(Rules::Ft(Modes {
                    comm: CommMode::parse(comm)?,
                    msg: MsgMode::parse(msg)?,
                    coll: CollMode::parse(coll)?,
                    recovery: RecoveryMode::parse(recovery)?,
                }))
            }
        }
    }

    /// The modes of FT-MPI, if these are the rules.
    #[inline]
    pub fn modes(self) -> Option<Modes> {
        match self {
            Rules::Ft(modes) => Some(modes),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_initial_error_handler_is_known_by_its_name() {
        for (value, name) in InitialErrhandler::ALL {
            assert_eq!((value.name(), InitialErrhandler::named(name)), (name, Some(value)));
        }
        assert_eq!(InitialErrhandler::named("MPI_ERRORS_RETURN"), Some(InitialErrhandler::Return));
        assert_eq!(InitialErrhandler::named("errors_return"), None);
    }

    #[test]
    fn a_mode_has_many_spellings() {
        for text in ["rebuild", "REBUILD", "FTMPI_COMM_MODE_REBUILD", "FT_MPI_COMM_MODE_rebuild"] {
            assert_eq!(CommMode::parse(text), Some(CommMode::Rebuild), "{text}");
        }
        for text in ["noop", "NOP", "Reset", "FTMPI_MSG_MODE_RESET"] {
            assert_eq!(MsgMode::parse(text), Some(MsgMode::Noop), "{text}");
        }
        for text in ["cont", "CONTINUE", "FTMPI_MSG_MODE_CONT"] {
            assert_eq!(MsgMode::parse(text), Some(MsgMode::Cont), "{text}");
        }
        for text in ["non-atomic", "NON_ATOMIC", "nonatomic", "FTMPI_COLL_MODE_NON_ATOMIC"] {
            assert_eq!(CollMode::parse(text), Some(CollMode::NonAtomic), "{text}");
        }
        assert_eq!(RecoveryMode::parse("FTMPI_RECOVERY_MODE_AUTO"), Some(RecoveryMode::Auto));
        assert_eq!(CommMode::parse("FTMPI_MSG_MODE_CONT"), None);
        assert_eq!(CommMode::choices(), "`abort`, `blank`, `shrink` or `rebuild`");
    }

    #[test]
    fn a_mode_is_known_by_its_number() {
        assert_eq!(CommMode::of(2), Some(CommMode::Shrink));
        assert_eq!(CommMode::of(4), None);
        assert_eq!(MsgMode::of(-1), None);
    }

    #[test]
    fn all_modes_fit_one_number() {
        let known = (0..=u8::MAX).filter_map(|code| Some((code, Modes::of_code(code)?)));
        assert_eq!(known.filter(|(code, modes)| modes.code() == *code).count(), 4 * 2 * 2 * 2);
    }

    #[test]
    fn the_default_is_rebuild_and_noop() {
        let modes = Modes::default();
        assert_eq!((modes.comm, modes.msg), (CommMode::Rebuild, MsgMode::Noop));
        assert_eq!((modes.coll, modes.recovery), (CollMode::NonAtomic, RecoveryMode::Manual));
    }

    #[test]
    fn a_rules_survives_the_environment() {
        let atomic = Modes { coll: CollMode::Atomic, comm: CommMode::Blank, ..Modes::default() };
        let all = [Rules::End, Rules::Standard, Rules::Ulfm];
        for rules in all.into_iter().chain([Rules::Ft(atomic)]) {
            assert_eq!(Rules::decode(&rules.encode()), Some(rules));
        }
        assert_eq!(Rules::decode("ft:rebuild"), None);
    }
}
