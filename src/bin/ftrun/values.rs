//! The values of options, each read in its own way, or refused with what it may be.

use crate::shared::refusal::Refusal;
use ftmpi_cli::numbers;
use ftmpi_launch::{Binding, InitialErrhandler, OnFailure, RankKind};
use std::ffi::OsStr;

pub(crate) fn ranks(dashed: &str, value: &OsStr) -> Result<usize, Refusal> {
    let text = value.to_string_lossy();
    match numbers::count(&text) {
        Some(0) => Err(Refusal::usage(format!("{dashed} 0: a job has at least one rank"))),
        Some(count) => Ok(count),
        None => Err(Refusal::usage(format!("{dashed} expects a number of ranks, not `{text}`"))),
    }
}

pub(crate) fn processes(dashed: &str, value: &OsStr) -> Result<usize, Refusal> {
    let text = value.to_string_lossy();
    let no = || format!("{dashed} expects how many processes the ranks share, not `{text}`");
    let count = numbers::count(&text).filter(|count| *count > 0);
    count.ok_or_else(|| Refusal::usage(no()))
}

pub(crate) fn agent(dashed: &str, value: &OsStr) -> Result<String, Refusal> {
    let text = value.to_str().filter(|text| !text.trim().is_empty());
    let no = || format!("{dashed} expects a command such as `ssh {{HOST}}`");
    text.map(str::to_string).ok_or_else(|| Refusal::usage(no()))
}

pub(crate) fn rank_kind(named: &str, value: &OsStr) -> Result<RankKind, Refusal> {
    let text = value.to_string_lossy();
    let no = || format!("{named} is `thread`, `fiber` or `auto`, not `{text}`");
    RankKind::named(&text).ok_or_else(|| Refusal::usage(no()))
}

pub(crate) const BINDINGS: &str = "`auto`, `none`, `core` or `hwthread`";

pub(crate) fn binding(named: &str, value: &OsStr) -> Result<Binding, Refusal> {
    let text = value.to_string_lossy();
    let no = || format!("{named} is {BINDINGS}, not `{text}`");
    Binding::named(&text).ok_or_else(|| Refusal::usage(no()))
}

pub(crate) fn errhandlers() -> String {
    InitialErrhandler::choices()
}

pub(crate) fn errhandler(dashed: &str, value: &OsStr) -> Result<InitialErrhandler, Refusal> {
    let text = value.to_string_lossy();
    let no = || Refusal::usage(format!("{dashed} is {}, not `{text}`", errhandlers()));
    InitialErrhandler::named(&text).ok_or_else(no)
}

pub(crate) fn library(dashed: &str, value: &OsStr) -> Result<String, Refusal> {
    let text = value.to_str().filter(|text| !text.is_empty() && !text.contains('\n'));
    let no = || format!("{dashed} expects the name of a library, such as libapp.so");
    text.map(str::to_string).ok_or_else(|| Refusal::usage(no()))
}

pub(crate) fn port(dashed: &str, value: &OsStr) -> Result<u16, Refusal> {
    let text = value.to_string_lossy();
    let no = |_| Refusal::usage(format!("{dashed} expects the number of a port, not `{text}`"));
    text.parse().map_err(no)
}

pub(crate) fn switch(dashed: &str, value: &OsStr) -> Result<bool, Refusal> {
    match value.to_string_lossy().as_ref() {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(Refusal::usage(format!("{dashed} is on or off, not `{other}`"))),
    }
}

pub(crate) fn on_failure(dashed: &str, value: &OsStr) -> Result<OnFailure, Refusal> {
    match value.to_string_lossy().as_ref() {
        "end" => Ok(OnFailure::End),
        "continue" => Ok(OnFailure::Continue),
        "restart" => Ok(OnFailure::Restart),
        other => Err(Refusal::usage(format!(
            "{dashed} expects `end`, `continue` or `restart`, not `{other}`"
        ))),
    }
}

pub(crate) fn size(dashed: &str, value: &OsStr, least: usize) -> Result<usize, Refusal> {
    let text = value.to_string_lossy();
    let no = || Refusal::usage(format!("{dashed} expects a size such as 64M, not `{text}`"));
    let bytes = numbers::size(&text).ok_or_else(no)?;
    if bytes < least {
        let least = numbers::spelled(least);
        return Err(Refusal::usage(format!("{dashed} {text} is too small: at least {least}")));
    }
    Ok(bytes)
}

pub(crate) fn time(dashed: &str, value: &OsStr) -> Result<std::time::Duration, Refusal> {
    let text = value.to_string_lossy();
    let no = || Refusal::usage(format!("{dashed} expects a time in seconds, not `{text}`"));
    numbers::seconds(&text).ok_or_else(no)
}
