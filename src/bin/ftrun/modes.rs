//! How the job handles failures: options and environment variables.

use crate::options::Does;
use crate::shared::refusal::Refusal;
use ftmpi_launch::{CollMode, CommMode, Modes, MsgMode, OnFailure, RecoveryMode, Rules};
use std::ffi::OsString;

/// The settings so far.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) on_failure: Option<OnFailure>,
    is_ulfm: bool,
    /// `--with-ft no`.
    is_without: bool,
    comm: Option<CommMode>,
    msg: Option<MsgMode>,
    coll: Option<CollMode>,
    recovery: Option<RecoveryMode>,
}

impl Wanted {
    /// Sets the value of an option or a variable, which is called `said`.
    pub(crate) fn set(&mut self, does: Does, said: &str, value: &str) -> Result<(), Refusal> {
        let unknown = || {
            let wants = choices(does);
            Refusal::usage(format!("{said} expects {wants}, not `{value}`"))
        };
        match does {
            Does::CommMode if value.trim().eq_ignore_ascii_case("ulfm") => {
                (self.is_ulfm, self.comm) = (true, None);
            }
            Does::CommMode => {
                self.comm = Some(CommMode::parse(value).ok_or_else(unknown)?);
                self.is_ulfm = false;
            }
            Does::MsgMode => {
                self.msg = Some(MsgMode::parse(value).ok_or_else(unknown)?);
            }
            Does::CollMode => self.coll = Some(CollMode::parse(value).ok_or_else(unknown)?),
            _ => self.recovery = Some(RecoveryMode::parse(value).ok_or_else(unknown)?),
        }
        Ok(())
    }

    /// `--with-ft` of Open MPI: ULFM, or none, and then failures end the job.
    pub(crate) fn with_ft(&mut self, said: &str, value: &str) -> Result<(), Refusal> {
        let is = |names: &[&str]| names.iter().any(|name| value.eq_ignore_ascii_case(name));
        self.is_without = is(&["no", "none", "off", "false", "0"]);
        if !self.is_without && !is(&["ulfm", "mpi", "yes", "on", "true", "1"]) {
            return Err(Refusal::usage(format!("{said} expects `ulfm` or `no`, not `{value}`")));
        }
        self.is_ulfm = !self.is_without && self.comm.is_none();
        Ok(())
    }

    /// Fills in from the environment what options have not set.
    pub(crate) fn fill_from(
        &mut self, value: impl Fn(&str) -> Option<OsString>,
    ) -> Result<(), Refusal> {
        let has_mode = self.is_ulfm || self.comm.is_some();
        // A user who asks for ULFM or for the standard's rules has no use for modes.
        if self.is_ulfm || self.is_without || self.on_failure.is_some() {
            return Ok(());
        }
        let sources = [
            (Does::CommMode, has_mode, CommMode::VARIABLES),
            (Does::MsgMode, self.msg.is_some(), MsgMode::VARIABLES),
            (Does::CollMode, self.coll.is_some(), CollMode::VARIABLES),
            (Does::RecoveryMode, self.recovery.is_some(), RecoveryMode::VARIABLES),
        ];
        for (does, is_said, names) in sources {
            let found = names.iter().find_map(|name| Some((name, value(name)?)));
            if let Some((name, value)) = found.filter(|(_, value)| !is_said && !value.is_empty()) {
                self.set(does, name, &value.to_string_lossy())?;
            }
        }
        Ok(())
    }

    /// The requested rules, if any.
    pub(crate) fn rules(&self) -> Result<Option<Rules>, Refusal> {
        let Wanted { is_ulfm, is_without, comm, msg, coll, recovery, on_failure } = *self;
        let has_others = msg.is_some() || coll.is_some() || recovery.is_some();
        let has_modes = comm.is_some() || has_others;
        let no = |words: &str| Err(Refusal::usage(words));
        if is_ulfm && has_others {
            return no("with --mode ulfm the program repairs what it wants to; \
                       --msg, --coll and --recovery are for the modes of FT-MPI");
        }
        let survives = is_ulfm || has_modes || on_failure.is_some_and(|it| it != OnFailure::End);
        if is_without && survives {
            return no("--with-ft no lets the first failure end the job; \
                       leave it or the options by which failures are survived out");
        }
        match on_failure {
            Some(_) if is_ulfm || has_modes => {
                no("--on-failure is for programs that run without a mode; leave it or --mode out")
            }
            None if is_without => Ok(Some(Rules::End)),
            Some(OnFailure::End) => Ok(Some(Rules::End)),
            Some(_) => Ok(Some(Rules::Standard)),
            None if is_ulfm => Ok(Some(Rules::Ulfm)),
            None if has_modes => Ok(Some(Rules::Ft(Modes {
                comm: comm.unwrap_or_default(),
                msg: msg.unwrap_or_default(),
                coll: coll.unwrap_or_default(),
                recovery: recovery.unwrap_or_default(),
            }))),
            None => Ok(None),
        }
    }
}

/// The values that the option may have, for a message.
pub(crate) fn choices(does: Does) -> String {
    match does {
        Does::CommMode => format!("{} (or `ulfm`)", CommMode::choices()),
        Does::MsgMode => MsgMode::choices(),
        Does::CollMode => CollMode::choices(),
        _ => RecoveryMode::choices(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(options: &[(Does, &str)], variables: &[(&str, &str)]) -> Option<Rules> {
        let mut wanted = Wanted::default();
        for (does, value) in options {
            wanted.set(*does, "--option", value).expect("the value is known");
        }
        let value = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        wanted.fill_from(value).expect("the values are known");
        wanted.rules().expect("they fit together")
    }

    #[test]
    fn options_go_before_the_environment_and_the_default_is_rebuild_and_noop() {
        assert_eq!(asked(&[], &[]), None);
        let modes = Modes::default();
        assert_eq!(asked(&[(Does::CommMode, "Rebuild")], &[]), Some(Rules::Ft(modes)));
        let blank = Modes { comm: CommMode::Blank, msg: MsgMode::Cont, ..modes };
        let variables = [("FTMPI_COMM_MODE", "shrink"), ("FT_MPI_MSG_MODE", "FTMPI_MSG_MODE_CONT")];
        assert_eq!(
            asked(&[(Does::CommMode, "BLANK")], &variables),
            Some(Rules::Ft(blank)),
            "the option for one, the variable for the other"
        );
        assert_eq!(asked(&[(Does::CommMode, "ulfm")], &variables), Some(Rules::Ulfm));
        let atomic = Modes { coll: CollMode::Atomic, ..modes };
        assert_eq!(asked(&[(Does::CollMode, "atomic")], &[]), Some(Rules::Ft(atomic)));
    }

    #[test]
    fn without_fault_tolerance_the_first_failure_ends_the_job() {
        let asked = |value: &str, mode: Option<&str>| {
            let mut wanted = Wanted::default();
            wanted.with_ft("--with-ft", value)?;
            if let Some(mode) = mode {
                wanted.set(Does::CommMode, "--mode", mode)?;
            }
            // The environment is meant for other runs.
            wanted.fill_from(|name| (name == "FTMPI_COMM_MODE").then(|| "blank".into()))?;
            wanted.rules()
        };
        for value in ["no", "NO", "false", "0"] {
            assert_eq!(asked(value, None), Ok(Some(Rules::End)), "{value}");
            assert!(asked(value, Some("ulfm")).is_err());
            assert!(asked(value, Some("rebuild")).is_err());
        }
        for value in ["ulfm", "ULFM", "mpi", "yes", "true", "1"] {
            assert_eq!(asked(value, None), Ok(Some(Rules::Ulfm)), "{value}");
        }
        assert!(asked("sometimes", None).is_err());
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let mut wanted = Wanted::default();
        assert!(wanted.set(Does::CommMode, "--mode", "mend").is_err());
        wanted.set(Does::CommMode, "--mode", "ulfm").expect("that is one");
        wanted.set(Does::MsgMode, "--msg", "cont").expect("that is one");
        assert!(wanted.rules().is_err(), "ULFM has no message modes");
        let on_failure = Some(OnFailure::Continue);
        let mut wanted = Wanted { on_failure, ..Wanted::default() };
        wanted.set(Does::CommMode, "--mode", "blank").expect("that is one");
        assert!(wanted.rules().is_err());
    }
}
